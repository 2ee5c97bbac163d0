// The tables of Neuron files: their names in neuron-profile's JSON, in schema 7.4.0 and in the
// system profile, and the parts that are read. `neuron-explorer view --show-profile-schema` prints
// the complete schema.
#pragma once

#include <cstdint>
#include <string_view>

namespace profgauge::readers::neuron {

/// The kind of a table; JSON and schema 7.4.0 name and divide tables differently.
enum class TableKind : std::uint8_t {
  kUnknown,  ///< In no known version. The user sees its name.
  kUnread,   ///< In the schema, but other tables have its data. The user sees its name.
  kHeader,   ///< Texts of the viewer and file headers. Not reported.
  kInstructions,
  kDma,
  kPackets,
  kTransfers,
  kActive,
  kLayers,
  kSemaphores,
  kThroughput,
  kHbmThroughput,
  kPendingDma,
  kMemoryUsage,
  kSbufUsage,
  kSbufAllocations,
  kPsumUsage,
  kThrottles,
  kHbmUse,
  kTensors,
  kSummary,
  kMetadata,
  kModelInfo,
  kWarnings,
  kErrors,
  kCcOps,
  kCcInstructions,
  kFlow,
  kTraceEvents,
  kHostMemory,
  kCpu,
};

/// Finds the kind by its name in JSON ("layer_summary") or in the schema ("FrameworkNode");
/// kUnknown for others. Case-sensitive: "summary" is from JSON, "Summary" from the schema.
TableKind TableKindOf(std::string_view name);

/// True if rows of the table are read.
constexpr bool IsRead(TableKind kind) { return kind > TableKind::kHeader; }
/// True if the user is informed that the table was not read.
constexpr bool IsNamed(TableKind kind) { return kind <= TableKind::kUnread; }

}  // namespace profgauge::readers::neuron
