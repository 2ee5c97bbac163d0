// PyProf's parse stage: per kernel, the markers around its launch, its sequence numbers, direction,
// layers and call trace, and for backward kernels the forward kernel they belong to.
//
// From profiles with NVTX ranges (Nsight Systems, NVProf) and from Kineto's operators it is
// derived here; net.dict brings most of it (model/profile.h). Definition:
// NVIDIA/PyProf 3.11, without its quadratic searches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge::exports::pyprof {

/// One kernel launch. Views live as long as the profile.
struct KernelRecord {
  std::uint32_t row = 0;  ///< Row of Profile::device.
  std::string short_name;
  std::vector<std::string_view> layers;
  std::vector<std::string> trace;  ///< "file.py:12", outermost first, without the framework's.
  std::vector<std::string_view> markers;  ///< OpArgument markers (dictionaries), outermost first.
  std::vector<std::string> seq_markers;   ///< "name, seq = 3", sorted and pruned as PyProf does.
  std::vector<std::int64_t> seq_ids, alt_seq_ids;
  std::int64_t sub_seq = 0;
  bool backward = false;
  std::vector<std::string> modules, ops;  ///< Outermost first; ops is empty when nothing is known.
  std::int64_t thread = 0;
  HostId op;  ///< The innermost operator that launched it, where recorded.
};

/// PyProf's stage: its parse stage leaves kernels of the backward pass without the data that its
/// prof stage takes over from the forward pass.
enum class Stage : std::uint8_t { kParse, kProf };

/// Kernels in the order of their start, those of net.dict in the order of the file.
std::vector<KernelRecord> BuildRecords(const Profile& profile, Stage stage = Stage::kProf);

/// PyProf's short form of a kernel name: without templates, arguments and common namespaces.
std::string ShortName(std::string_view name);

/// Moves seq_ids other than the current one to alt_seq_ids and numbers the kernels of one id.
/// REQUIRES: in record order.
void NumberSequences(std::vector<KernelRecord>& records);

/// Gives backward kernels without a marker the markers, layers and trace of the last forward kernel
/// with their first sequence number. REQUIRES: in record order, numbered.
void CopyForwardToBackward(std::vector<KernelRecord>& records);

}  // namespace profgauge::exports::pyprof
