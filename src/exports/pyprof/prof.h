// PyProf's parse stage: for each kernel, the markers around its launch, its sequence numbers,
// direction, layers and call trace. A kernel of the backward pass also gets its forward kernel.
//
// The data is derived from NVTX ranges (Nsight Systems, NVProf) or from Kineto's operators, while
// net.dict contains most of it (model/profile.h). Definition: NVIDIA/PyProf 3.11, without its
// quadratic searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "analysis/iterations/kernel_work.h"
#include "exports/selected.h"
#include "model/profile.h"

namespace profgauge::exports::pyprof {

/// One kernel launch. Its views live as long as the profile.
struct KernelRecord {
  std::uint32_t row = 0;  ///< Row of Profile::device.
  std::string short_name;
  std::vector<std::string_view> layers;
  std::vector<std::string> trace;  ///< "file.py:12", outermost first, without framework frames.
  std::vector<std::string_view> markers;  ///< OpArgument markers (dictionaries), outermost first.
  std::vector<std::string> seq_markers;   ///< "name, seq = 3", sorted and pruned as PyProf does.
  std::vector<std::int64_t> seq_ids, alt_seq_ids;
  std::int64_t sub_seq = 0;
  bool backward = false;
  std::vector<std::string> modules, ops;  ///< Outermost first; `ops` is empty if unknown.
  std::int64_t thread = 0;
  HostId op;  ///< The innermost operator that launched it, if recorded.
};

/// A stage of PyProf. After the parse stage, kernels of the backward pass do not have the data that
/// the prof stage copies from the forward pass.
enum class Stage : std::uint8_t { kParse, kProf };

/// One record for each kernel, by start. For net.dict, in the order of the file.
std::vector<KernelRecord> BuildRecords(const Profile& profile, Stage stage = Stage::kProf);

/// PyProf's short form of a kernel name: without templates, arguments and common namespaces.
std::string ShortName(std::string_view name);

/// Chooses the current sequence id of each kernel, moves its other ids to alt_seq_ids, and numbers
/// the kernels of each id. REQUIRES: records are in order.
void NumberSequences(std::vector<KernelRecord>& records);

/// Copies markers, layers and trace to each backward kernel without a marker, from the last forward
/// kernel that has its first sequence number. REQUIRES: records are in order and numbered.
void CopyForwardToBackward(std::vector<KernelRecord>& records);

// PyProf's prof stage as rows of 20 columns, one per kernel launch.
//
// Numbers and texts are written as in PyProf, so that they can be compared with its old files.

struct ColumnName {
  std::string_view option;  ///< The name on the command line: "sil".
  std::string_view header;  ///< "Sil(ns)".
  std::size_t width;        ///< The least width in a fixed-width table; 0: the rest.
};
/// All 20 columns, in PyProf's order.
std::span<const ColumnName> AllColumns();
/// PyProf's default columns: idx,dir,sub,mod,op,kernel,params,sil.
std::vector<std::size_t> DefaultColumns();

struct KernelRows {
  std::vector<std::vector<std::string>> cells;  ///< All 20 cells for each kernel.
  std::int64_t unattributed = 0;  ///< Kernels with an unknown op, arguments or shapes.
};
/// The rows in the order of BuildRecords(). Computes all kernels, because backward ones copy data
/// from forward ones, but returns only those that are selected.
KernelRows BuildKernelRows(const SelectedRank& rank);

// PyProf's net.dict: one Python dictionary per kernel, for scripts that read PyProf's own.

/// One line for each kernel launch, with the keys of PyProf's parse stage, in PyProf's order.
std::string NetDict(const SelectedRank& rank);

// PyProf's prof stage for one kernel: parameters, Tensor Core use, FLOPs and bytes.

struct ProfResult {
  std::string module, op;          ///< If empty, the first of the record.
  std::string params = "na=na,";   ///< "[35,20]fp32;[]fp32": the tensors of the call.
  std::string tensor_core = "na";  ///< 1, 0, - (the op cannot use them) or na (unknown).
  /// Integers. "na" if unknown; 0 for a kernel that only helps another kernel of the same call.
  std::string flops = "0", bytes = "0";
  bool understood = false;
};

/// Classifies all kernels and counts the work of all operators once, so use one object for all
/// records of a profile. The profile must outlive it.
class Prof {
 public:
  explicit Prof(const Profile& profile);
  Prof(const Prof&) = delete;  // The division refers to the other members.
  Prof& operator=(const Prof&) = delete;
  ProfResult operator()(const KernelRecord& record) const;

 private:
  /// Sets a kernel's share of the work of the operator around it, if the kernel has no marker.
  void DivideWork(const KernelRecord& record, ProfResult& result) const;

  const Profile& profile_;
  analysis::classify::KernelClasses classes_;
  analysis::flops::OpWorks works_;
  analysis::iterations::WorkDivision division_;
};

}  // namespace profgauge::exports::pyprof
