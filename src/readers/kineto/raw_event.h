// One trace event as text: the fields that rows need, as views of their JSON values. Event parsers
// fill it; EventSink makes rows of it. Nothing is interpreted here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "readers/text/numbers.h"

namespace profgauge::readers::kineto {

/// Fields of the event itself, then fields of its args.
enum class Field : std::uint8_t {
  kPhase,
  kCategory,
  kName,
  kPid,
  kTid,
  kTime,
  kDuration,
  kId,
  kCorrelation,
  kExternalId,
  kDevice,
  kStream,
  kBytes,
  kRegisters,
  kSharedMemory,
  kGrid,
  kBlock,
  kBlocksPerSm,
  kWarpsPerSm,
  kOccupancy,
  kInputDims,
  kInputTypes,
  kConcreteInputs,
  kCallStack,
  kSequence,
  kForwardThread,
  kPythonId,
  kPythonParent,
  kPythonModule,
  kDeviceType,
  kDeviceId,
  kAddress,
  kMemoryBytes,
  kTotalAllocated,
  kTotalReserved,
  // From here to kDestinationRank: pftrace/decoder.cc tests the range.
  kCollective,
  kCollectiveType,
  kInElements,
  kOutElements,
  kGroupSize,
  kGroupName,
  kGroupId,
  kGroupDescription,
  kCollectiveSequence,
  kSourceRank,
  kDestinationRank,
  kLabel,
  kKernel,
  kRank,
  kCounter,  ///< The value of a sample, whose key is empty.
  kCount_,
  kArgs,  ///< Not a value: the object with the rest.
  kNone,  ///< A key that is not used.
};
inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::kCount_);
static_assert(kFieldCount <= 64);

/// How the value was written. Structures are canonical text: "[[32, 3], []]", strings without
/// quotes.
enum class Form : std::uint8_t { kNumber, kString, kBool, kNull, kStructure };

/// One event as written; nothing is converted yet. Its views point into the text of the chunk or
/// into memory of the parser, and are valid during the receiver's call. Clear() prepares it for the
/// next event but leaves old texts, so only fields in `present` are valid.
struct RawEvent {
  std::uint64_t present = 0;  ///< One bit per field.
  std::array<std::string_view, kFieldCount> text;
  std::array<Form, kFieldCount> form;
  std::uint32_t duplicate_keys = 0;
  /// True if the row's receiver sets its time and thread, which are 0 and none until then.
  bool is_placed_later = false;

  static constexpr std::uint64_t Bit(Field field) {
    return std::uint64_t{1} << static_cast<unsigned>(field);
  }
  void Clear() {
    present = 0;
    duplicate_keys = 0;
  }
  /// If a field is set again, the last value counts, and duplicate_keys is incremented.
  void Set(Field field, std::string_view value, Form how) {
    if (present & Bit(field)) ++duplicate_keys;
    present |= Bit(field);
    text[static_cast<std::size_t>(field)] = value;
    form[static_cast<std::size_t>(field)] = how;
  }
  /// True if the field is present and not null.
  bool Has(Field field) const {
    return (present & Bit(field)) != 0 && form[static_cast<std::size_t>(field)] != Form::kNull;
  }
  /// Empty if the field is missing.
  std::string_view Text(Field field) const {
    return Has(field) ? text[static_cast<std::size_t>(field)] : std::string_view{};
  }
  /// True if the field is present in that form. Unlike in Has(), a null counts as present.
  bool Is(Field field, Form how) const {
    return (present & Bit(field)) != 0 && form[static_cast<std::size_t>(field)] == how;
  }
};

/// The field of an event's `key`: kArgs for "args", kNone for unused keys. O(1).
Field EventField(std::string_view key);
/// The field of a key of `args`; kNone for unused keys. O(1).
Field ArgsField(std::string_view key);

// Numbers and labels in an event's fields, as rows store them.

/// The field as an integer; `otherwise` if it is missing or no integer.
inline std::int64_t IntegerOr(const RawEvent& event, Field field, std::int64_t otherwise) {
  if (!event.Has(field)) return otherwise;
  return ParseInteger(event.Text(field)).value_or(otherwise);
}

/// The field as a real number; `otherwise` if it is missing or no number.
inline double RealOr(const RawEvent& event, Field field, double otherwise) {
  if (!event.Has(field)) return otherwise;
  return ParseReal(event.Text(field)).value_or(otherwise);
}

/// The label "[TP00]" of a process "[TP00] 0"; empty if there is none. SGLang's profile merger
/// writes such labels into a file of several ranks. Without a label, only the process distinguishes
/// the ids and devices of the ranks.
inline std::string_view LabelOf(std::string_view process) {
  if (!process.starts_with('[')) return {};
  const auto end = process.find("] ");
  const bool is_label =
      end != process.npos && ParseInteger(process.substr(end + 2)).value_or(-1) >= 0;
  return is_label ? process.substr(0, end + 1) : std::string_view{};
}

}  // namespace profgauge::readers::kineto
