// PyProf's parse stage: per kernel, the markers around its launch, its sequence numbers, direction,
// layers and call trace, and for backward kernels the forward kernel they belong to.
//
// From profiles with NVTX ranges (Nsight Systems, NVProf) and from Kineto's operators it is
// derived here; net.dict brings most of it (model/profile.h). Definition:
// NVIDIA/PyProf 3.11, without its quadratic searches.
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

// PyProf's prof stage as rows of 20 columns, one per kernel launch.
//
// Numbers and texts are written as PyProf writes them, so that its old files can be compared with.

struct ColumnName {
  std::string_view option;  ///< As on the command line: "sil".
  std::string_view header;  ///< "Sil(ns)".
  std::size_t width;        ///< Minimum width in a table of fixed width; 0: the remaining width.
};
/// All 20, in PyProf's order.
std::span<const ColumnName> AllColumns();
/// PyProf's default choice: idx,dir,sub,mod,op,kernel,params,sil.
std::vector<std::size_t> DefaultColumns();

struct KernelRows {
  std::vector<std::vector<std::string>> cells;  ///< Per kernel all 20 cells.
  std::int64_t unattributed = 0;  ///< Kernels whose op, arguments or shapes are not understood.
};
/// Rows in record order (record.h). All kernels are computed, since backward ones take data from
/// forward ones; only those with work in the selection are returned.
KernelRows BuildKernelRows(const SelectedRank& rank);

// PyProf's net.dict: one Python dictionary per kernel, for scripts that read PyProf's own.

/// A line for each kernel launch, with the keys of PyProf's parse stage and in their order.
std::string NetDict(const SelectedRank& rank);

// PyProf's prof stage for one kernel: parameters, Tensor Core use, FLOPs and bytes.

struct ProfResult {
  std::string module, op;          ///< Empty: the record's first.
  std::string params = "na=na,";   ///< "[35,20]fp32;[]fp32": the tensors of the call.
  std::string tensor_core = "na";  ///< 1, 0, - (the op cannot use them) or na (unknown).
  /// Whole numbers; na where unknown, 0 for kernels that only help another of their call.
  std::string flops = "0", bytes = "0";
  bool understood = false;
};

/// The profile must outlive it. The constructor classifies all kernels and counts the work of all
/// operators, so one object serves all records of a profile.
class Prof {
 public:
  explicit Prof(const Profile& profile);
  Prof(const Prof&) = delete;  // The division refers to the other members.
  Prof& operator=(const Prof&) = delete;
  ProfResult operator()(const KernelRecord& record) const;

 private:
  /// For kernels without markers: their part of the work of the operator around them.
  void DivideWork(const KernelRecord& record, ProfResult& result) const;

  const Profile& profile_;
  analysis::classify::KernelClasses classes_;
  analysis::flops::OpWorks works_;
  analysis::iterations::WorkDivision division_;
};

}  // namespace profgauge::exports::pyprof
