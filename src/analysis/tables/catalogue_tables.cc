// The table catalogue: every table with its columns. Times of a row are sums over the calls that
// the row stands for, unless the column says otherwise.
#include <iterator>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/tables/catalogue_neuron.h"
#include "analysis/tables/catalogue_parts.h"
#include "analysis/tables/op_columns.h"
#include "analysis/tables/rank_columns.h"

namespace profgauge {
namespace {

using enum Unit;
using namespace columns;

// Tables that are there only when marks were chosen; reports do not list them as missing.
constexpr std::string_view kMarksFamily = "marks";
constexpr std::string_view kDlprofFamily = "dlprof";
// A table that is there only when some iterations were not selected.
constexpr std::string_view kSelectionFamily = "selection";
// A table that is there only when a policy has scenarios.
constexpr std::string_view kWhatIfFamily = "what_if";
constexpr std::string_view kComparisonFamily = "comparison";

constexpr ColumnSpec kGpu = {"gpu", "{{ device.device }}", kCount, "Device number as recorded."};
constexpr ColumnSpec kStream = {"stream", "Stream", kCount, "Stream number as recorded."};
constexpr ColumnSpec kRule = {"rule", "Rule", kText,
                              "The name rule that decided about {{ device.matrix_units }}."};
constexpr ColumnSpec kKernelTime = {"time", "Time", kTime, "Sum of the durations."};
constexpr ColumnSpec kBlocksPerSm = {
    "blocks_per_sm", "Blocks per {{ device.core }}", kNumber,
    "Mean blocks per {{ device.multiprocessor }}, weighted by time."};
constexpr ColumnSpec kOccupancy = {"occupancy", "Est. occupancy", kShare,
                                   "Estimated achieved occupancy, weighted by time."};
constexpr ColumnSpec kIsCollective = {"is_collective", "Collective", kBool,
                                      "Whether it moves data between ranks."};
constexpr ColumnSpec kBytesMoved = {"bytes", "Bytes", kBytes,
                                    "Bytes of collectives, where recorded."};

constexpr ColumnSpec kIterations[] = {
    {"index", "Iteration", kCount, "Position in the recording, from 0."},
    {"name", "Name", kText, "Number or name that the marker gives."},
    kRank,
    {"start", "Start", kTime, "Start, from the start of the recording."},
    {"duration", "Duration", kTime,
     "Length: up to the end of the last device work launched in it."},
    {"unobserved", "Unobserved", kTime, "Of it, not recorded."},
    {"typical", "Typical", kTime,
     "Median length of the iterations that launch as many kernels, without what is not recorded; "
     "of all where these are fewer than three or of many kinds. Where inputs change in size, what "
     "its kernels take and the median of the rest."},
    {"tensor_core_kernel", "Kernels on {{ device.matrix_units }}", kTime,
     "Time with a kernel on {{ device.matrix_units }} running."},
    {"other_kernel", "Other kernels", kTime, "Time with only other computing kernels running."},
    {"memcpy", "Memory copies", kTime, "Time with copies and no computation."},
    {"memset", "Memory sets", kTime, "Time with memory sets alone."},
    {"communication", "Communication", kTime, "Time in collectives that nothing hides."},
    {"runtime", "Runtime calls", kTime,
     "Time in runtime and driver calls while the {{ device.device }} is idle."},
    {"dataloader", "Data loader", kTime,
     "Time waiting for input data while the {{ device.device }} is idle.",
     "dataloader.exposed_share"},
    {"cpu", "Other host work", kTime,
     "Time in operators on the host while the {{ device.device }} is idle."},
    {"other", "Unattributed", kTime, "The rest; the nine add up to the duration."},
    {"kernels", "Kernels", kCount, "Kernels launched in it."},
    {"tensor_core_kernels", "{{ device.matrix_unit }} kernels launched", kCount,
     "Kernels launched in it that use {{ device.matrix_units }}."},
    {"gpu_time", "{{ device.device }} time", kTime,
     "Sum of the durations of the kernels launched in it."},
    {"gpu_time_share", "{{ device.device }} time share", kShare,
     "{{ device.device }} time / (duration times {{ device.device }}s of the rank); kernels that "
     "overlap count each."},
    {"tensor_core_gpu_time", "{{ device.matrix_unit }} {{ device.device }} time", kTime,
     "Of the {{ device.device }} time, kernels that use {{ device.matrix_units }}."},
    {"tensor_core_gpu_time_share", "{{ device.matrix_unit }} {{ device.device }} time share",
     kShare, "The same / (duration times {{ device.device }}s of the rank)."},
};

constexpr ColumnSpec kOtherIterations[] = {
    {"index", "Iteration", kCount, "Position in the recording, from 0."},
    {"name", "Name", kText, "Number or name that the marker gives."},
    {"start", "Start", kTime, "Start, from the start of the recording."},
    {"duration", "Duration", kTime,
     "Length: up to the end of the last device work launched in it; on its slowest rank."},
};

constexpr ColumnSpec kKernels[] = {
    {"name", "Kernel", kText, "Kernel as recorded."},
    kUses,
    kRule,
    kCalls,
    kKernelTime,
    kMean,
    kShortest,
    kLongest,
    kBlocksPerSm,
    kOccupancy,
    kIsCollective,
    kExposed,
    kBytesMoved,
    kOutside,
};
constexpr ColumnSpec kKernelsByOp[] = {
    {"name", "Kernel", kText, "Kernel as recorded."},
    {"op", "Operator", kText, "Operator that launched it."},
    {"op_type", "Operator type", kText, "Kind of that operator."},
    {"dtype", "Type", kText, "Data type of the operator's first typed input, where recorded."},
    {"tensor_core_eligible", "Eligible", kBool,
     "Whether the operator could use {{ device.matrix_units }}."},
    kUses,
    kRule,
    kRank,
    kGpu,
    {"grid", "Grid", kText, "Blocks in x, y, z."},
    {"block", "Block", kText, "Threads of a block in x, y, z."},
    {"registers", "Registers", kCount, "Registers per thread."},
    {"shared_memory", "Shared memory", kBytes, "Shared memory of a block."},
    kCalls,
    kKernelTime,
    kMean,
    kShortest,
    kLongest,
    kBlocksPerSm,
    kOccupancy,
    kIsCollective,
    kExposed,
    {"bytes", "Bytes", kBytes,
     "Bytes of collectives, where recorded; else its part of what the operator must move at least, "
     "from shapes."},
    {"flops", "FLOPs", kFlops, "Its part of the operator's floating-point operations, by time."},
};
constexpr ColumnSpec kKernelsByIteration[] = {
    {"iteration", "Iteration", kCount, "Position of the iteration in the recording, from 0."},
    kRank,
    {"name", "Kernel", kText, "Kernel as recorded."},
    kUses,
    kCalls,
    kKernelTime,
};
constexpr ColumnSpec kLaunches[] = {
    kRank,
    kGpu,
    kStream,
    {"name", "Work", kText, "Kernel, copy or memory set that was launched."},
    {"kind", "Kind", kText, "kernel, memcpy or memset."},
    {"op", "Operator", kText, "Operator that launched it."},
    {"call", "Call", kText, "Runtime or driver call that launched it."},
    {"call_start", "Call start", kTime, "Start of the call, from the start of the recording."},
    {"call_time", "Call time", kTime, "Host time of the call."},
    {"start", "Start", kTime, "Start on the device, from the start of the recording."},
    {"time", "Device time", kTime, "Duration on the device."},
    {"delay", "Delay", kTime,
     "From the end of the call to the start on the device; 0 when earlier."},
    {"queue_length", "Queue length", kCount,
     "Earlier launches on the same stream that had not started when the call began."},
    kUses,
    {"iteration", "Iteration", kCount, "Position of the iteration that launched it, from 0."},
    {"grid", "Grid", kText, "Blocks in x, y, z."},
    {"block", "Block", kText, "Threads of a block in x, y, z."},
};
constexpr ColumnSpec kGpus[] = {
    kRank,
    {"id", "{{ device.device }}", kCount, "Device number as recorded."},
    {"name", "Name", kText, "Product name."},
    {"compute_capability", "Compute capability", kText, "Major and minor."},
    {"sms", "{{ device.core }}s", kCount, "Streaming multiprocessors or compute units."},
    {"memory", "Memory", kBytes, "Device memory."},
    {"utilization", "Utilization", kShare, "Share of the window in which a kernel runs.",
     "gpu.utilization.mean"},
    {"idle", "Idle", kShare, "Share of the window in which nothing runs.", "gpu.idle.mean"},
    {"sm_efficiency", "Est. {{ device.core }} efficiency", kShare,
     "Blocks per {{ device.core }}, at most 1, over the window."},
    kOccupancy,
    {"tensor_core_share", "{{ device.matrix_unit }} share", kShare,
     "Share of kernel time on {{ device.matrix_units }}."},
    {"kernels", "Kernels", kCount, "Kernels."},
    {"kernel_time", "Kernel time", kTime, "Sum of the durations of kernels."},
    {"wall_time", "Wall time", kTime, "Length of the window."},
};
constexpr ColumnSpec kStreams[] = {
    kRank,
    kGpu,
    kStream,
    {"kernels", "Kernels", kCount, "Kernels."},
    {"copies", "Copies and sets", kCount, "Copies and memory sets."},
    {"kernel_time", "Kernel time", kTime, "Sum of the durations of kernels."},
    {"collective_time", "Collective time", kTime, "Of these, collectives."},
    {"copy_time", "Copy time", kTime, "Sum of the durations of copies and sets."},
    {"busy", "Busy", kShare, "Share of the window in which the stream runs something."},
    {"launches", "Launches", kCount, "Launches whose call was recorded."},
    {"queue_empty_share", "Empty queue", kShare, "Share of launches into an empty queue."},
    {"queue_mean", "Mean queue", kNumber, "Mean queue length after each launch and start (HTA)."},
    {"queue_max", "Longest queue", kCount, "Longest queue."},
    {"queue_full_share", "Full queue", kShare,
     "Share of the time from the first launch to the last start with 1024 or more waiting (HTA)."},
};
constexpr ColumnSpec kGaps[] = {
    kRank,
    kGpu,
    {"start", "Start", kTime, "Start, from the start of the recording."},
    {"duration", "Duration", kTime, "Length.", "gpu.idle.mean"},
    {"cause", "Cause", kText, "What most of it is due to: the titles of gpu.idle_cause."},
    {"iteration", "Iteration", kCount, "Position of the iteration in which it begins."},
    {"before", "Work before", kText, "Device work that ends where the gap starts."},
    {"after", "Work after", kText, "Device work that starts where the gap ends."},
    {"op", "Operator after", kText, "Operator that launched the work after the gap."},
    {"doing", "Host does", kText,
     "Innermost function of the user's files, operator, range or garbage collection that covers "
     "most of the gap on the host, with file and line where recorded."},
    {"within", "Host is within", kText,
     "The outermost such, of those that do not run during the whole window."},
};
constexpr ColumnSpec kMemcpys[] = {
    {"kind", "Kind", kText, "h2d, d2h, d2d, p2p, h2h, unknown, or memset."},
    {"host_memory", "Host memory", kText,
     "pageable, pinned, managed (pages that the driver moved), or unknown."},
    kRank,
    kGpu,
    kCalls,
    {"time", "Time", kTime, "Sum of the durations."},
    kMean,
    {"bytes", "Bytes", kBytes, "Bytes moved, of the copies whose size is known."},
    {"bandwidth", "Bandwidth", kBandwidth, "Bytes / time, of the copies whose size is known."},
    kExposed,
    {"exposed_once", "Exposed once", kTime,
     "Of that, what single iterations have above all others: those with more than three times as "
     "much as the next, at most one in ten."},
};
constexpr ColumnSpec kApiCalls[] = {
    {"name", "Call", kText, "Runtime or driver call."},
    {"kind", "Kind", kText, "launch, memcpy, memset, sync, memory or other."},
    kCalls,
    {"time", "Time", kTime, "Sum of the durations on the host."},
    kMean,
    kShortest,
    kLongest,
    {"share", "Share", kShare,
     "Share of the time in calls; a driver call inside a runtime call shares its time."},
    {"covered_time", "Of iterations", kTime,
     "Part of the iterations in which some thread is in such a call, each moment of a rank once."},
};
constexpr ColumnSpec kOsCalls[] = {
    {"name", "Call", kText, "Function of the operating system's libraries."},
    kCalls,
    {"time", "Time", kTime, "Sum of the durations, over all threads; most of it is waiting."},
    kMean,
    kShortest,
    kLongest,
};

constexpr ColumnSpec kThreads[] = {
    kRank,
    {"process", "Process", kText, "Process as recorded."},
    {"thread", "Thread", kCount, "Number of the thread."},
    {"on_cpu", "On a core", kTime, "Time that a core ran it."},
    {"share", "Share", kShare, "Of the length of the recording."},
};

constexpr ColumnSpec kCores[] = {
    kRank,
    {"core", "Core", kCount, "Number of the host's core, as the operating system counts them."},
    {"time", "Busy", kTime, "Time in which it ran a thread of the recorded program."},
    {"idle", "Not used", kTime,
     "The rest of the recording: it idled or ran what was not recorded."},
    {"share", "Share", kShare, "Busy, of the length of the recording."},
    {"threads", "Threads", kCount, "Threads of the program that it ran."},
    {"times", "Times", kCount, "How often one came to it."},
};

constexpr ColumnSpec kThreadStates[] = {
    kRank,
    {"name", "Name", kText, "What the thread is called."},
    {"thread", "Thread", kCount, "Number of the thread."},
    {"state", "State", kText,
     "running; what it waited for, as the profiler names it; else the call of the operating system "
     "that it was in; else not running."},
    {"times", "Times", kCount, "How often it was in this state."},
    {"time", "Time", kTime, "How long, in all."},
    kLongest,
    {"share", "Share", kShare, "Of the time in which the thread's state is known."},
};

constexpr ColumnSpec kCpuSamples[] = {
    PROFGAUGE_TREE_COLUMNS,
    {"name", "Function", kText,
     "As its symbols name it; [library] where it has none. At the top the thread."},
    {"samples", "Samples", kCount, "Samples in it and in what it called."},
    {"samples_self", "Samples, self", kCount, "Samples in itself."},
    {"share", "Share", kShare, "Samples / all samples."},
};

constexpr ColumnSpec kCriticalPath[] = {
    kRank,
    {"category", "Waits for", kText,
     "Host, launch, kernels, copies, transfer, waiting for ranks, data loader, synchronization or "
     "unknown."},
    {"name", "Name", kText, "Operator, call or kernel; in parentheses what has no name."},
    {"op", "Operator", kText, "Operator that launched it, or that the call is in."},
    {"module", "Module", kText, "The innermost nn.Module around it, where recorded."},
    kUses,
    {"segments", "Segments", kCount, "How often the path goes through it."},
    {"time", "Time", kTime, "Time on the path; all rows add up to the path."},
    {"share", "Share", kShare, "Time / length of the path."},
};
constexpr ColumnSpec kWhatIf[] = {
    {"name", "Scenario", kText, "Name of the scenario."},
    {"rows", "Events", kCount, "How many events its conditions select."},
    {"recorded_time", "Iteration, recorded", kTime, "Mean iteration time of the recording."},
    {"iteration_time", "Iteration, predicted", kTime, "Mean iteration time of the replay."},
    {"gain", "Saves", kTime, "What an iteration would save."},
    {"gain_share", "Saves, share", kShare, "Gain / recorded time."},
    {"path", "It waits for then", kText,
     "The critical path of the replay, its largest parts first; or why there is no prediction."},
};
constexpr ColumnSpec kSlack[] = {
    kRank,
    kGpu,
    kStream,
    {"name", "Kernel", kText, "Name of the kernel, copy or memory set."},
    kCalls,
    kKernelTime,
    {"critical_time", "On the path", kTime, "Of its time, the part on the critical path."},
    {"slack", "Slack", kTime,
     "How much longer each of its calls alone could take before the last iteration ends later: the "
     "least over the calls."},
};
constexpr ColumnSpec kTensorCoreOps[] = {
    {"name", "Operator", kText, "Operator that could use {{ device.matrix_units }}."},
    {"input_shapes", "Input shapes", kText, "Shapes of the inputs, where recorded."},
    {"dtype", "Type", kText, "Data type of the product's inputs, where recorded."},
    {"verdict", "Verdict", kText,
     "using; eligible_dtype: the type has no {{ device.matrix_unit }} on this chip or has them "
     "switched off; eligible_shape: a dimension is not aligned; eligible_unused: all fine and "
     "still not used; unknown."},
    kCalls,
    kKernelTime,
    {"tensor_core_time", "{{ device.matrix_unit }} time", kTime,
     "Of the time, kernels that use {{ device.matrix_units }}."},
    {"dimension", "Dimension", kText, "The dimension that is not aligned: K, N, C_in or C_out."},
    {"size", "Size", kCount, "Its size."},
    {"aligned_size", "Aligned size", kCount, "The next size that is aligned."},
    {"padding_overhead", "Padding overhead", kShare, "Work that padding to it would add."},
};
constexpr ColumnSpec kRoofline[] = {
    {"name", "Operator", kText, "Operator: the outermost one whose work is known."},
    {"input_shapes", "Input shapes", kText, "Shapes of the inputs."},
    {"dtype", "Type", kText, "Element type of its first operand."},
    {"gpu_name", "{{ device.device }}", kText,
     "Product name of the {{ device.device }}, where recorded."},
    kCalls,
    {"time", "Time", kTime, "Time of the kernels launched in it."},
    {"flops", "FLOPs", kFlops, "Floating-point operations, from shapes."},
    {"bytes", "Bytes", kBytes, "Bytes that it must move at least, from shapes."},
    {"intensity", "FLOPs per byte", kNumber, "Arithmetic intensity: FLOPs / bytes."},
    {"achieved", "Achieved", kFlopRate, "FLOPs / time."},
    {"peak", "Peak", kFlopRate,
     "The {{ device.device }}'s dense peak: of the type's {{ device.matrix_units }} for products, "
     "else of the vector units."},
    {"mfu", "Of peak", kShare, "Achieved / peak."},
    {"achieved_bandwidth", "Bandwidth", kBandwidth, "Bytes / time."},
    {"bandwidth_share", "Of bandwidth", kShare,
     "Bandwidth / the {{ device.device }}'s memory bandwidth."},
    {"bound", "Bound", kText,
     "compute or memory: which of FLOPs / peak and bytes / bandwidth is longer."},
    {"roof_share", "Of roof", kShare,
     "The longer of the two by the time: 100 % is the roof. More means that data stayed in "
     "caches."},
};
constexpr ColumnSpec kMemoryOps[] = {
    {"device", "Device", kText, "CPU or {{ device.device }} with its number."},
    kRank,
    {"name", "Operator", kText, "Operator."},
    kCalls,
    {"increase", "Size increase", kBytes,
     "Bytes allocated less bytes released, children included."},
    {"self_increase", "Self size increase", kBytes, "The same without children."},
    {"allocations", "Allocations", kCount, "Allocations, children included."},
    {"self_allocations", "Self allocations", kCount, "Allocations without children's."},
    {"allocated", "Allocation size", kBytes, "Bytes allocated, children included."},
    {"self_allocated", "Self allocation size", kBytes, "Bytes allocated without children's."},
};
constexpr ColumnSpec kMemoryEvents[] = {
    {"device", "Device", kText, "CPU or {{ device.device }} with its number."},
    kRank,
    {"op", "Operator", kText,
     "Operator that allocated, or that released what was allocated earlier."},
    {"bytes", "Size", kBytes, "Bytes of the block."},
    {"allocated_at", "Allocated at", kTime,
     "Time of the allocation, from the start of the recording."},
    {"released_at", "Released at", kTime, "Time of the release, from the start of the recording."},
    {"duration", "Lifetime", kTime, "Time between the two."},
};
constexpr ColumnSpec kRegions[] = {
    kRank,
    {"from", "From", kText, "Mark where it begins."},
    {"to", "To", kText, "Mark where it ends."},
    {"start", "Start", kTime, "Start, from the start of the recording."},
    {"duration", "Duration", kTime, "Length."},
    {"busy", "Busy", kTime, "Time in which a device does something."},
    {"busy_share", "Busy, share", kShare, "Busy time by the duration."},
    {"kernels", "Kernels", kCount, "Kernels (instructions of engines) that start in it."},
    {"kernel_time", "Kernel time", kTime, "Sum of their durations."},
    {"copies", "Copies and sets", kCount, "Copies and memory sets that start in it."},
    {"copy_time", "Copy time", kTime, "Sum of their durations."},
    {"copy_bytes", "Copied", kBytes, "Bytes of these, where recorded."},
};
constexpr ColumnSpec kMemoryCurve[] = {
    {"device", "Device", kText, "CPU or {{ device.device }} with its number."},
    kRank,
    {"time", "Time", kTime, "From the start of the recording."},
    {"allocated", "Allocated", kBytes, "Bytes given out by the allocator."},
    {"reserved", "Reserved", kBytes, "Bytes reserved by the allocator."},
};

constexpr ColumnSpec kOpGroups[] = {
    {"name", "Group", kText,
     "Path of modules and functions; `/` holds all operators, `_CompleteModel_` also runtime calls "
     "outside of them."},
    {"calls", "Calls", kCount, "Calls of operators in it."},
    {"operators_eligible", "Eligible", kCount,
     "Operators in it that could use {{ device.matrix_units }}."},
    {"operators_using", "Using {{ device.matrix_units }}", kCount,
     "Operators in it that use {{ device.matrix_units }}."},
    {"host_total", "Host total", kTime, "Sum of their times on the host."},
    {"host_mean", "Host, mean", kTime, "Mean over the runs of the group."},
    {"host_min", "Host, shortest", kTime, "The least of one run of the group."},
    {"host_max", "Host, longest", kTime, "The most of one run of the group."},
    {"device_total", "Device total", kTime, "Sum of their times on the {{ device.device }}."},
    {"device_mean", "Device, mean", kTime, "Mean over the runs of the group."},
    {"device_min", "Device, shortest", kTime, "The least of one run of the group."},
    {"device_max", "Device, longest", kTime, "The most of one run of the group."},
    {"overhead", "Host overhead", kTime, "Host time less the time in runtime calls."},
    {"overhead_mean", "Overhead, mean", kTime, "Mean over the runs of the group."},
    {"overhead_min", "Overhead, shortest", kTime, "The least of one run of the group."},
    {"overhead_max", "Overhead, longest", kTime, "The most of one run of the group."},
    {"gpu_idle", "{{ device.device }} idle", kTime, "Time between their device work."},
    {"gpu_idle_mean", "{{ device.device }} idle, mean", kTime, "Mean over the runs of the group."},
    {"gpu_idle_min", "{{ device.device }} idle, shortest", kTime,
     "The least of one run of the group."},
    {"gpu_idle_max", "{{ device.device }} idle, longest", kTime,
     "The most of one run of the group."},
};
constexpr ColumnSpec kDlprofAdvice[] = {
    {"problem", "Problem", kText, "What DLProf found, in its words."},
    {"recommendation", "Recommendation", kText, "What DLProf advised, in its words."},
};

constexpr TableSpec kTables[] = {
    {"iterations", "iteration", "Iterations",
     "One row per selected iteration; of several ranks the slowest, which the others wait for.",
     kIterations},
    {"other_iterations", "", "Iterations that are not selected",
     "One row per iteration of the recording that the numbers of this report leave out.",
     kOtherIterations, kSelectionFamily},
    {"ops", "op", "Operators", "One row per operator name.", kOps},
    {"ops_by_shape", "op_shape", "Operators by input shapes",
     "One row per operator name and shapes.", kOpsByShape},
    {"ops_by_stack", "op_stack", "Operators by call stack",
     "One row per operator name and Python call stack.", kOpsByStack},
    {"op_types", "op_type", "Operator types", "One row per kind of operator.", kOpTypes},
    {"ops_by_iteration", "iteration_op", "Operators by iteration",
     "One row per iteration, rank and operator that ran in it.", kOpsByIteration},
    {"op_tree", "", "Operator tree",
     "What an iteration is made of, from threads over operators to kernels; siblings of one name "
     "are one row. The iteration nearest the median comes first.",
     kOpTree},
    {"tree_change", "", "Operators, run beside run",
     "What an iteration of each run is made of, held against each other: of both the one nearest "
     "the median.",
     kTreeChange, kComparisonFamily},
    {"modules", "module", "Modules", "One row per nn.Module at its place in the hierarchy.",
     kModules},
    {"ranges", "", "Ranges of the program",
     "One row per range that the program marks (record_function, NVTX, a trainer's) at its place.",
     kRanges},
    {"kernels", "kernel_name", "Kernels", "One row per kernel name.", kKernels},
    {"kernels_by_op", "kernel", "Kernels by launch and operator",
     "One row per kernel name, operator, launch properties, rank and {{ device.device }}, of the "
     "selected iterations alone.",
     kKernelsByOp},
    {"kernels_by_iteration", "iteration_kernel", "Kernels by iteration",
     "One row per iteration and kernel name.", kKernelsByIteration},
    {"launches", "launch", "Launches", "One row per kernel, copy or set with a recorded launch.",
     kLaunches},
    {"gpus", "gpu", "{{ device.device }}s", "One row per {{ device.device }} with work.", kGpus},
    {"ranks", "rank", "Ranks", "One row per rank.", kRanks},
    {"rank_steps", "rank_step", "Ranks by iteration", "One row per rank and selected iteration.",
     kRankSteps},
    {"rank_calls", "rank_call", "Ranks that matter",
     "One row per collective of the latest, the median and the earliest rank in one iteration.",
     kRankCalls},
    {"rank_spread", "rank_spread", "Spread over ranks",
     "One row per selected iteration and part of its time, over all ranks.", kRankSpread},
    {"streams", "stream", "Streams",
     "One row per stream with work, of the whole recording unless iterations are selected.",
     kStreams},
    {"gaps", "gap", "Idle gaps",
     "Times in which a {{ device.device }} runs nothing, the longest first; at most 10 000.",
     kGaps},
    {"memcpys", "memcpy", "Copies and memory sets",
     "One row per kind, host memory, rank and {{ device.device }}, of the selected iterations "
     "alone.",
     kMemcpys},
    {"api_calls", "api_call", "Runtime and driver calls",
     "One row per call name, of the selected iterations alone.", kApiCalls},
    {"os_calls", "os_call", "OS runtime calls", "One row per function.", kOsCalls},
    {"threads", "thread", "Threads", "One row per thread whose scheduling was recorded.", kThreads},
    {"host_cores", "host_core", "Cores of the host",
     "One row per core: what the program used of it. Cores that it never ran on are there where "
     "the "
     "recording says how many the host has.",
     kCores},
    {"thread_states", "thread_state", "States of threads",
     "One row per thread and state: on a core, or what it waited for.", kThreadStates},
    {"cpu_samples", "", "Sampled call stacks",
     "One row per thread and function at its place in the call stacks that were sampled on the "
     "host.",
     kCpuSamples},
    {"process_groups", "process_group", "Process groups",
     "One row per group of ranks that communicate, of the whole recording.", kProcessGroups},
    {"message_sizes", "message_size", "Sizes of messages",
     "One row per process group, collective, data type and class of sizes, over all ranks.",
     kMessageSizes},
    {"pipeline", "stage", "Pipeline", "One row per stage of a pipeline.", kPipeline},
    {"collectives", "collective", "Collectives",
     "One row per rank, collective, group and data type.", kCollectives},
    {"critical_path", "path_part", "Critical path",
     "One row per rank and part of what the iterations waited for, the longest first.",
     kCriticalPath},
    {"what_if", "what_if", "What would it bring",
     "One row per scenario of the policy: what the replay of the recorded dependencies predicts. "
     "Not modelled: contention for bandwidth, caches, the host's own reaction; arrivals of ranks "
     "that are not recorded stay as they were.",
     kWhatIf, kWhatIfFamily},
    {"slack", "slack", "Slack",
     "One row per rank, stream and kernel name: what could be slower for free.", kSlack},
    {"tensor_core_ops", "tensor_core_op", "{{ device.matrix_unit }} eligibility",
     "One row per eligible operator and input shapes, with what keeps it from {{ "
     "device.matrix_units }}.",
     kTensorCoreOps},
    {"roofline", "roofline_op", "Roofline",
     "One row per operator, shapes, types and {{ device.device }}: what its kernels achieve of "
     "what the {{ device.device }} can do, the longest first.",
     kRoofline},
    {"memory_ops", "memory_op", "Memory by operator", "One row per device and operator name.",
     kMemoryOps},
    {"memory_events", "memory_event", "Memory blocks", "One row per allocated block.",
     kMemoryEvents},
    {"regions", "region", "Between marks", "One row per rank and region between two marks.",
     kRegions, kMarksFamily},
    {"memory_curve", "", "Memory curve", "Allocator totals over time.", kMemoryCurve},
    {"op_groups", "op_group", "Operator groups",
     "One row per group of operators, as DLProf states them.", kOpGroups, kDlprofFamily},
    {"dlprof_advice", "dlprof_advice", "What DLProf found",
     "One row per finding of DLProf's own expert systems; rules here judge on their own.",
     kDlprofAdvice, kDlprofFamily},
};

}  // namespace

std::span<const TableSpec> TableCatalogue() {
  static const std::vector<TableSpec> kAll = [] {
    std::vector<TableSpec> all(std::begin(kTables), std::end(kTables));
    all.insert(all.end(), NeuronTables().begin(), NeuronTables().end());
    for (TableSpec& spec : all) spec.basis = BasisOfTable(spec.id);
    return all;
  }();
  return kAll;
}

const TableSpec* FindTable(std::string_view id) {
  for (const TableSpec& spec : TableCatalogue()) {
    if (spec.id == id) return &spec;
  }
  return nullptr;
}

}  // namespace profgauge
