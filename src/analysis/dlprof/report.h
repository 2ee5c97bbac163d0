// A profile as DLProf sees it: its ops, groups, op types, iterations, kernels and sums.
//
// DLProf (NVIDIA, last 1.8.0) is no longer maintained; its numbers are recomputed here from the
// events. Definitions follow its own outputs: an independent recomputation equals them in every
// value of the one profile of which both the events (Nsight Systems) and DLProf's database are
// public.
//
// An op is the outermost range that PyProf's or DLProf's markers name with its arguments; a profile
// without such markers gives its outermost operators. A runtime call outside of any op is a
// separate op, "unassociated_<call>". Device work belongs to the op whose range contains the call
// that launched it.
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

/// Count, sum and extremes of some times.
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
  Stat overhead;  ///< CPU time less the union of its runtime calls.
  Stat idle;      ///< From its first device work to its last, less GPU time.
  void Add(const Times& other);
};

struct Op {
  std::string id;         ///< "CONV2D_1": the type in capitals and its number among its type.
  std::string name;       ///< "/module/net::forward/conv2d".
  std::string direction;  ///< "fprop", "bprop", or empty.
  std::string type;       ///< "conv2d".
  std::string data_type;  ///< Data type of its first typed input; may be empty.
  std::string stack;      ///< Lines of Python, outermost first, one a line; may be empty.
  bool eligible = false;  ///< Decided only by type, or because it uses Tensor Cores.
  bool uses_tensor_cores = false;
  bool unassociated = false;
  std::int64_t calls = 0;  ///< In the selected iterations; so is all below.
  Times times;
  std::string input_shapes, output_shapes;  ///< "<N:32, K:84>; <M:10, K:84>; <10>"; may be empty.
};

/// One launch of a kernel.
struct Launch {
  std::int64_t iteration = 0;
  std::size_t op = 0;
  std::string name, long_name;
  std::uint32_t row = 0;            ///< Row of the device table.
  Ns api_start = -1, api_time = 0;  ///< -1 when the call was not recorded.
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
  std::string name;  ///< "/module/net::forward/"; "_CompleteModel_" has the unassociated ones too.
  std::int64_t calls = 0, eligible_ops = 0, tensor_core_ops = 0;
  Times times;
};

struct OpType {
  std::string name;
  std::int64_t ops = 0, calls = 0;
  Times times;
};

/// An eligible op's kernels by use of Tensor Cores; names are distinct and in order.
struct TensorCoreOp {
  std::size_t op = 0;
  Ns tensor_core_time = 0, other_time = 0;  ///< Sums, where Op::times has unions.
  std::vector<std::string> tensor_core_kernels, other_kernels;
};

struct Share {
  Ns gpu = 0, cpu = 0;
  std::int64_t count = 0;
};

/// Where the wall time went; in this priority, adding up to it exactly.
struct Breakdown {
  Ns tensor_core = 0, other_kernel = 0, memory = 0, dataloader = 0, io = 0, cpu = 0, other = 0;
};

struct Summary {
  Ns wall = 0;
  double tensor_core_utilization = 0;  ///< 0..1: of the kernel time in eligible ops.
  double gpu_utilization = 0;          ///< 0..1: only kernels, mean over GPUs with kernels.
  Breakdown breakdown;
  std::int64_t iterations = 0, aggregated = 0, start = 0, stop = 0;  ///< `stop` is included.
  double mean_iteration = 0, stddev_iteration = 0;                   ///< ns; stddev over n.
  Share ops, ops_using, ops_eligible, ops_other;
  Share kernels, kernels_using, kernels_memory, kernels_other;
};

struct Report {
  std::vector<Op> ops;               ///< By id; those with calls in the selected iterations.
  std::vector<Launch> launches;      ///< By iteration, op name, op, kernel name, start.
  std::vector<KernelSum> kernels;    ///< By op name, op, kernel name.
  std::vector<Group> groups;         ///< By name; "/" and the whole are among them.
  std::vector<OpType> types;         ///< By name.
  std::vector<TensorCoreOp> tensor;  ///< By op id.
  std::vector<Span> iterations;      ///< All of them.
  Summary summary;
};

/// Iterations: with `selection.key_op` from one start of that op (by name, id or type) to the next,
/// the last to the end; else from one marker's start to the next; else one from the start of the
/// session to the end. Times are the profile's.
/// Errors: kUsage when the key op does not occur or no iteration is selected.
/// O(n log n). The report has copies of all texts; rows of launches are of `profile`.
Result<Report> Compute(const Profile& profile, const Selection& selection);
/// The same over the selected ones of known iterations, each up to the start of the next.
Report ComputeSelected(const Profile& profile, const iterations::Iterations& iterations);

/// The kernel's name without return type, namespaces, template arguments and parameters.
/// "void at::native::reduce_kernel<512, 1>(float*)" gives "reduce_kernel".
std::string ShortKernelName(std::string_view name);

}  // namespace profgauge::analysis::dlprof::dlprof
