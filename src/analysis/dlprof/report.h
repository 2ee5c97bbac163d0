// A profile according to DLProf: ops, groups, op types, iterations, kernels and sums.
//
// DLProf (NVIDIA, last release 1.8.0) is no longer maintained; this code recomputes its numbers
// from the events. Definitions follow its outputs. An independent recomputation equals every value
// for the only profile whose events (Nsight Systems) and DLProf database are both public.
//
// An op is the outermost range that a marker of PyProf or DLProf names with its arguments; without
// such markers, the outermost operator. A runtime call outside of any op is a separate op,
// "unassociated_<call>". Device work belongs to the op whose range contains the launching call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/iterations.h"
#include "base/interval.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::analysis::dlprof::dlprof {

/// Count, sum and extremes of times.
struct Stat {
  std::int64_t count = 0;
  Ns sum = 0, min = 0, max = 0;
  void Add(Ns value);
  void Add(const Stat& other);
  double mean() const {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }
};

/// The four times of DLProf's tables, each over calls (groups: over iterations).
struct Times {
  Stat cpu;       ///< Length of the op's range.
  Stat gpu;       ///< Union of the kernels, copies and memsets that it launched.
  Stat overhead;  ///< CPU time minus the union of its runtime calls.
  Stat idle;      ///< From its first to its last device work, minus GPU time.
  void Add(const Times& other);
};

struct Op {
  std::string id;         ///< "CONV2D_1": the type in capitals, and a number within the type.
  std::string name;       ///< "/module/net::forward/conv2d".
  std::string direction;  ///< "fprop", "bprop", or empty.
  std::string type;       ///< "conv2d".
  std::string data_type;  ///< Data type of its first typed input; may be empty.
  std::string stack;      ///< Python lines, outermost first, one per line; may be empty.
  bool eligible = false;  ///< By its type, or because it uses Tensor Cores.
  bool uses_tensor_cores = false;
  bool unassociated = false;
  std::int64_t calls = 0;  ///< Only in the selected iterations, like all below.
  Times times;
  std::string input_shapes, output_shapes;  ///< "<N:32, K:84>; <M:10, K:84>; <10>"; may be empty.
};

/// One launch of a kernel.
struct Launch {
  std::int64_t iteration = 0;
  std::size_t op = 0;
  std::string name, long_name;
  std::uint32_t row = 0;            ///< Row of the device table.
  Ns api_start = -1, api_time = 0;  ///< -1 if the call was not recorded.
  bool uses_tensor_cores = false;
};

/// The launches of one kernel by one op.
struct KernelSum {
  std::size_t op = 0;
  std::string name;
  bool uses_tensor_cores = false;
  Stat gpu, api;
};

struct Group {
  std::string name;  ///< "/module/net::forward/"; "_CompleteModel_" also includes unassociated ops.
  std::int64_t calls = 0, eligible_ops = 0, tensor_core_ops = 0;
  Times times;
};

struct OpType {
  std::string name;
  std::int64_t ops = 0, calls = 0;
  Times times;
};

/// An eligible op's kernels, split by use of Tensor Cores; names are unique and in order.
struct TensorCoreOp {
  std::size_t op = 0;
  Ns tensor_core_time = 0, other_time = 0;  ///< Sums, unlike the unions in Op::times.
  std::vector<std::string> tensor_core_kernels, other_kernels;
};

struct Share {
  Ns gpu = 0, cpu = 0;
  std::int64_t count = 0;
};

/// Exclusive parts of the wall time, in this priority; they add up exactly to it.
struct Breakdown {
  Ns tensor_core = 0, other_kernel = 0, memory = 0, dataloader = 0, io = 0, cpu = 0, other = 0;
};

struct Summary {
  Ns wall = 0;
  double tensor_core_utilization = 0;  ///< Share of the kernel time in eligible ops.
  double gpu_utilization = 0;          ///< Only kernels; mean over GPUs with kernels.
  Breakdown breakdown;
  std::int64_t iterations = 0, aggregated = 0, start = 0, stop = 0;  ///< `stop` is inclusive.
  double mean_iteration = 0, stddev_iteration = 0;                   ///< ns; stddev over n.
  Share ops, ops_using, ops_eligible, ops_other;
  Share kernels, kernels_using, kernels_memory, kernels_other;
};

struct Report {
  std::vector<Op> ops;               ///< By id; only ops called in the selected iterations.
  std::vector<Launch> launches;      ///< By iteration, op name, op, kernel name, start.
  std::vector<KernelSum> kernels;    ///< By op name, op, kernel name.
  std::vector<Group> groups;         ///< By name; includes "/" and the complete model.
  std::vector<OpType> types;         ///< By name.
  std::vector<TensorCoreOp> tensor;  ///< By op id.
  std::vector<Span> iterations;      ///< All of them.
  Summary summary;
};

/// Computes the report. Iterations depend on the input: with `selection.key_op`, each lasts from
/// one start of that op (by name, id or type) to the next, the last one to the end. Otherwise they
/// last from one marker's start to the next; without markers, there is one, the session. Times are
/// the profile's. Errors: kUsage if the key op does not occur or no iteration is selected. O(n log
/// n). The report copies all texts; rows of launches are those of `profile`.
Result<Report> Compute(const Profile& profile, const Selection& selection);
/// Like Compute(), for the selected ones of known iterations, each extended to the next start.
Report ComputeSelected(const Profile& profile, const iterations::Iterations& iterations);

/// Returns the kernel's name without return type, namespaces, template arguments and parameters.
/// "void at::native::reduce_kernel<512, 1>(float*)" gives "reduce_kernel".
std::string ShortKernelName(std::string_view name);

}  // namespace profgauge::analysis::dlprof::dlprof
