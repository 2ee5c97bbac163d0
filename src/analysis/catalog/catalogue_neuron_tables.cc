// The tables of AWS Neuron profiles. Times count from the start of the profile.
#include "analysis/catalog/catalogue.h"
#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/reported_columns.h"

namespace profgauge::analysis::catalog {
namespace {

using namespace columns;

constexpr TableSpec kNeuronTables[] = {
    {"engines", "engine", "Engines", "One row per rank, NeuronCore and engine.", kEngines,
     kNeuronFamily},
    {"layers", "layer", "Operators by layer",
     "A tree in rows: layers, the graph's operators in them, and their opcodes.", kLayers,
     kNeuronFamily},
    {"engine_regions", "engine_region", "Between marks, by engine",
     "One row per rank and region between two marks.", kEngineRegions, "marks"},
    {"collective_regions", "", "Between collectives",
     "One row per rank and time without a collective; the 64 longest.", kEngineRegions,
     kNeuronFamily},
    {"opcodes", "opcode", "Opcodes", "One row per rank, engine and opcode.", kOpcodes,
     kNeuronFamily},
    {"waits", "wait", "Semaphore waits", "One row per engine, opcode, semaphore and source line.",
     kWaits, kNeuronFamily},
    {"dma_queues", "dma_queue", "DMA queues", "One row per rank, queue and type.", kDmaQueues,
     kNeuronFamily},
    {"dma_engines", "dma_engine", "DMA engines", "One row per DMA engine with packets.",
     kDmaEngines, kNeuronFamily},
    {"dma_transfers", "dma_transfer", "DMA transfers",
     "One row per transfer of a tensor, the largest first; at most 10 000.", kDmaTransfers,
     kNeuronFamily},
    {"cc_ops", "cc_op", "Collective operations",
     "One row per operation, algorithm, type, group and size.", kCcOps, kNeuronFamily},
    {"throttles", "throttle", "Throttling", "One row per NeuronCore and cause.", kThrottles,
     kNeuronFamily},
    {"flops_parts", "flops_part", "Use of the Tensor Engine",
     "Its peak in the total time, by use; the parts add up to the total time.", kFlopsParts,
     kNeuronFamily},
    {"tensors", "tensor", "Tensors", "One row per tensor of the compiled model.", kTensors,
     kNeuronFamily},
    {"source_lines", "source_line", "Source lines",
     "One row per line of source that instructions name.", kSourceLines, kNeuronFamily},
    {"source_files", "", "Source files", "One row per rank and file of source.", kSourceFiles,
     kNeuronFamily},
    {"memory_peaks", "", "Memory on the chip", "One row per NeuronCore and memory.", kMemoryPeaks,
     kNeuronFamily},
    {"sbuf_allocations", "", "SBUF allocations",
     "One row per range of addresses and time, the largest first; at most 10 000.",
     kSbufAllocations, kNeuronFamily},
    {"cores", "core", "NeuronCores", "One row per rank and physical NeuronCore.", kCores,
     kNeuronFamily},
    {"semaphores", "semaphore", "Semaphores", "One row per semaphore that changed.", kSemaphores,
     kNeuronFamily},
    {"hbm_usage", "hbm_use", "HBM use", "One row per NeuronCore and use.", kHbmUsage,
     kNeuronFamily},
    {"identities", "identity", "Self-check of the file",
     "Numbers that the rows and the summary of the file must agree on.", kIdentities,
     kNeuronFamily},
    {"profiler_warnings", "profiler_warning", "Warnings of the profiler",
     "Written into the file by the profiler.", kProfilerWarnings, kNeuronFamily},
    {"device_errors", "device_error", "Errors on the device",
     "Error notifications of the hardware.", kDeviceErrors, kNeuronFamily},
    {"instructions", "instruction", "Instructions",
     "One row per instruction, by engine and start; at most 100 000.", kInstructionRows,
     kNeuronFamily},
    {"counter_curves", "", "Curves", "Throughput, queue and memory over time.", kCounterCurves,
     kNeuronFamily},
    {"host_use", "", "Memory and CPUs of the host",
     "One row for memory and one for each CPU, by all programs of the host.", kHostUse,
     kHostFamily},
};

}  // namespace

std::span<const TableSpec> NeuronTables() { return kNeuronTables; }

}  // namespace profgauge::analysis::catalog
