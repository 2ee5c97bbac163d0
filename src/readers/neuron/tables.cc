#include "readers/neuron/tables.h"

#include <algorithm>
#include <iterator>

namespace profgauge::readers::neuron {
namespace {

struct TableName {
  std::string_view name;
  TableKind kind;
};
// Names in neuron-profile 2.27's JSON, in schema 7.4.0, and in the system profile.
constexpr TableName kTables[] = {
    {"instruction", TableKind::kInstructions},
    {"Instruction", TableKind::kInstructions},
    {"dma", TableKind::kDma},
    {"DmaPacket", TableKind::kPackets},
    {"DmaPacketAggregated", TableKind::kTransfers},
    {"active_time", TableKind::kActive},
    {"ActiveTime", TableKind::kActive},
    {"layer_summary", TableKind::kLayers},
    {"FrameworkNode", TableKind::kLayers},
    {"semaphore_update", TableKind::kSemaphores},
    {"SemaphoreUpdate", TableKind::kSemaphores},
    {"dma_throughput", TableKind::kThroughput},
    {"DmaUsage", TableKind::kThroughput},
    {"HbmUsage", TableKind::kHbmThroughput},
    {"pending_dma", TableKind::kPendingDma},
    {"PendingDma", TableKind::kPendingDma},
    {"instruction_usage", TableKind::kMemoryUsage},
    {"SbufUsage", TableKind::kSbufUsage},
    {"SbufAllocation", TableKind::kSbufAllocations},
    {"PsumUsage", TableKind::kPsumUsage},
    {"ham", TableKind::kThrottles},
    {"Throttle", TableKind::kThrottles},
    {"nc_mem_usage", TableKind::kHbmUse},
    {"HbmUsageSummaryByType", TableKind::kHbmUse},
    {"neff_node", TableKind::kTensors},
    {"TensorInfo", TableKind::kTensors},
    {"summary", TableKind::kSummary},
    {"Summary", TableKind::kSummary},
    {"metadata", TableKind::kMetadata},
    {"Metadata", TableKind::kMetadata},
    {"model_info", TableKind::kModelInfo},
    {"warnings", TableKind::kWarnings},
    {"Warning", TableKind::kWarnings},
    {"error", TableKind::kErrors},
    {"errors", TableKind::kErrors},
    {"Error", TableKind::kErrors},
    {"cc_op", TableKind::kCcOps},
    {"cc_ops", TableKind::kCcOps},
    {"CcOp", TableKind::kCcOps},
    {"cc_instruction", TableKind::kCcInstructions},
    {"cc_instructions", TableKind::kCcInstructions},
    {"CcInstruction", TableKind::kCcInstructions},
    {"Flow", TableKind::kFlow},
    {"trace_events", TableKind::kTraceEvents},
    {"SystemProfileEvents", TableKind::kTraceEvents},
    {"mem_usage", TableKind::kHostMemory},
    {"HostMemUsage", TableKind::kHostMemory},
    {"cpu_util", TableKind::kCpu},
    {"CpuUsage", TableKind::kCpu},
    {"terminology", TableKind::kHeader},
    {"summary_groups", TableKind::kHeader},
    {"summary_group_order", TableKind::kHeader},
    {"profile_info", TableKind::kHeader},
    {"neff_header", TableKind::kHeader},
    {"dma_queues_info", TableKind::kHeader},
    {"NeffHeader", TableKind::kHeader},
    {"DmaQueuesInfo", TableKind::kHeader},
    {"SchemaFields", TableKind::kHeader},
    {"SystemProfileMetadata", TableKind::kHeader},
    // Skipped because instructions have the same data: layer, graph operator, lines of source.
    {"BirInstruction", TableKind::kUnread},
    {"PenguinInstruction", TableKind::kUnread},
    {"HloInstruction", TableKind::kUnread},
    {"FrameworkInstruction", TableKind::kUnread},
    {"KernelInstructions", TableKind::kUnread},
    {"KernelIterationVariables", TableKind::kUnread},
    {"KernelStackFrames", TableKind::kUnread},
    {"StackFrame", TableKind::kUnread},
    {"StackFrameFileLocation", TableKind::kUnread},
    {"StackFrameFileName", TableKind::kUnread},
    {"StackFrameFunctionName", TableKind::kUnread},
    // Skipped because they are sums over rows of other tables.
    {"OpcodeSummary", TableKind::kUnread},
    {"ThrottleSummary", TableKind::kUnread},
    {"DmaUsageSummary", TableKind::kUnread},
    // Skipped because reports do not show their data.
    {"AssemblyInstruction", TableKind::kUnread},
    {"CcStream", TableKind::kUnread},
    {"CoreBarriers", TableKind::kUnread},
    {"DeviceProfileList", TableKind::kUnread},
    {"ExecutionInfo", TableKind::kUnread},
    {"SystemProfileHbmUsage", TableKind::kUnread},
};

}  // namespace

TableKind TableKindOf(std::string_view name) {
  const auto found = std::find_if(std::begin(kTables), std::end(kTables),
                                  [&](const TableName& table) { return table.name == name; });
  return found == std::end(kTables) ? TableKind::kUnknown : found->kind;
}

}  // namespace profgauge::readers::neuron
