// The tables of Neuron files: their names in neuron-profile's JSON, in schema 7.4.0 and in the
// system profile, and the parts of each that are read. The complete schema is printed by
// `neuron-explorer view --show-profile-schema`.
#pragma once

#include <cstdint>
#include <string_view>

namespace profgauge::readers::neuron {

/// The kind of a table, whatever its name. JSON and schema 7.4.0 name and split them differently.
enum class TableKind : std::uint8_t {
  kUnknown,  ///< In no known version. Named to the user.
  kUnread,   ///< In the schema, but other tables have the data used here. Named to the user.
  kHeader,   ///< Texts of the viewer and headers of files. Not worth reporting.
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

/// By its name in JSON ("layer_summary") or in the schema ("FrameworkNode"); kUnknown for others.
/// Letter case counts: "summary" is of the JSON, "Summary" of the schema.
TableKind TableKindOf(std::string_view name);

/// Whether rows of the table are taken.
constexpr bool IsRead(TableKind kind) { return kind > TableKind::kHeader; }
/// Whether the user gets a note that it was not read.
constexpr bool IsNamed(TableKind kind) { return kind <= TableKind::kUnread; }

}  // namespace profgauge::readers::neuron
