// The tables of Neuron files: their names in neuron-profile's JSON, in schema 7.4.0 and in the
// system profile, and what is read of each.
#pragma once

#include <cstdint>
#include <string_view>

namespace profgauge::readers::neuron {

/// What a table is, whatever it is called. JSON and schema 7.4.0 name and split them differently.
enum class TableKind : std::uint8_t {
  kUnknown,  ///< Of no version that we know. Named to the user.
  kUnread,   ///< Of the schema, and other tables say what is used here. Named to the user.
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

/// By its name in JSON ("layer_summary") or in the schema ("FrameworkNode").
TableKind TableKindOf(std::string_view name);

/// Whether rows of the table are taken.
constexpr bool IsRead(TableKind kind) { return kind > TableKind::kHeader; }
/// Whether the user is told that it was not read.
constexpr bool IsNamed(TableKind kind) { return kind <= TableKind::kUnread; }

}  // namespace profgauge::readers::neuron
