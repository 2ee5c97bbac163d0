// One row of a Neuron file, whatever its form: JSON object, CSV line or row of Parquet. Fields go
// by one name, though neuron-profile's JSON and neuron-explorer's tables call them differently.
//
//   key        neuron-profile 2.27   schema 7.4.0
//   kStart     timestamp             start_ts
//   kDuration  duration              duration_ns (or end_ts - start_ts)
//   kEngine    subgroup              engine
//   kTrack     label                 timeline_track
//   kBytes     transfer_size         transfer_bytes
//   kWait      evt_wait_time         evt_wait_time_ns
//
// Times are nanoseconds (see Import::Finish), sizes bytes; `*_percent` of summaries are fractions
// of 1, of CPUs and memory of the host percent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/value.h"

namespace profgauge::readers::neuron {

/// The fields that readers take, by one name for all forms.
enum class Key : std::uint8_t {
  kNone,
  kId,
  kStart,
  kEnd,
  kDuration,
  kEngine,
  kTrack,
  kOpcode,
  kOperands,
  kPc,
  kHlo,
  kHloAttrs,
  kLayer,
  kSubgraph,
  kInstructionType,
  kWait,
  kElements,
  kRawFlops,
  kAdjustedFlops,
  kTransposeFlops,
  kHbmRead,
  kHbmWrite,
  kSbufRead,
  kSbufWrite,
  kPsumRead,
  kPsumWrite,
  kPsumToSbuf,
  kSpillSave,
  kSpillReload,
  kInputQueue,
  kOutputQueue,
  kWeightQueue,
  kNkiSource,
  kBirSource,
  kCore,
  kPredecessors,
  kBytes,
  kQueueType,
  kQueueName,
  kDmaEngine,
  kVariable,
  kFrom,
  kTo,
  kAggregated,
  kDuplicate,
  kIsCc,
  kAggregationId,
  kPacketIndex,
  kName,
  kFlopCount,
  kModelFlopCount,
  kMfu,
  kHfu,
  kValue,
  kK,
  kN,
  kType,
  kFormat,
  kShape,
  kSize,
  kLoadMean,
  kLoadTotal,
  kLoadCount,
  kReloadFactor,
  kRate,
  kHbmRate,
  kUsage,
  kDevice,
  kUsageType,
  kAmount,
  kOperation,
  kAlgorithm,
  kElementCount,
  kDtype,
  kInputSize,
  kOutputSize,
  kBandwidth,
  kBusBandwidth,
  kTriggerDelay,
  kGroup,
  kMessage,
  kCategory,
  kRows,
  kColumns,
  kTensorClock,
  kBaseClock,
  kHbmBandwidth,
  kFirstTime,
  kLastTime,
  kInEdge,
  kOutEdge,
  kInTable,
  kOutTable,
  kProcess,
  kThread,
  kInstance,
  kUtil,
  kCpu,
  kEventSource,
  kParent,
  kParentId,
  kDmaEngines,
  kStartAddress,
  kEndAddress,
  kPartition,
  kSourceType,
  kTensorName,
  kFlows,
  kExtra,
  kCount_
};
/// kNone for a name that nothing here uses.
Key KeyOf(std::string_view name);

/// Reused for all rows of a file: Clear() keeps its memory. A field that comes twice has its last
/// value, except for texts in a row, which are joined. At most 16 MB of text of one row are kept.
class Record {
 public:
  /// Forgets all fields. `keep_all`: keeps every field by its own name too, for All().
  void Clear(bool keep_all = false);

  // Fields are given one after the other: Begin, then one value.
  void Begin(std::string_view name);
  /// A field known by its key; its name stays as it was.
  void Begin(Key key) { key_ = key; }
  void AddInteger(std::int64_t value) {
    if (keep_all_) all_.emplace_back(name_, value);
    Touch(Kind::kInteger).integer = value;
  }
  /// Beyond 2^63 it wraps, as ids do.
  void AddUnsigned(std::uint64_t value) { AddInteger(static_cast<std::int64_t>(value)); }
  void AddReal(double value) {
    if (keep_all_) all_.emplace_back(name_, value);
    Touch(Kind::kReal).real = value;
  }
  /// As the text "yes" or "no", as the files write most of them.
  void AddBool(bool value);
  /// Several in one field (a list) are joined by ", ". Texts must live until the next Clear().
  void AddText(std::string_view value);
  /// A number inside of the field `predecessors`.
  void AddPredecessor(std::int64_t id) { predecessors_.push_back(id); }

  bool Has(Key key) const { return (set_[Index(key) / 64] >> Index(key) % 64 & 1) != 0; }
  /// A whole number, also when written as text ("15") or as 7.0; empty otherwise. Ids beyond 2^63
  /// wrap around.
  std::optional<std::int64_t> Integer(Key key) const {
    if (!Has(key)) return std::nullopt;
    const Slot& slot = slots_[Index(key)];
    return slot.kind == Kind::kInteger ? slot.integer : IntegerIn(slot, key);
  }
  std::int64_t Integer(Key key, std::int64_t otherwise) const {
    return Integer(key).value_or(otherwise);
  }
  /// A whole number that is summed up. One beyond 2^50 is none that a row can have, and counts as
  /// not stated: sums must stay in 64 bits.
  std::int64_t Amount(Key key, std::int64_t otherwise) const {
    constexpr std::int64_t kLargestAmount = std::int64_t{1} << 50;
    const std::int64_t amount = Integer(key, otherwise);
    return amount >= -kLargestAmount && amount <= kLargestAmount ? amount : otherwise;
  }
  /// A number; `otherwise` when it is absent, text, or not finite.
  double Real(Key key, double otherwise) const;
  /// Text as written; a whole number in digits; empty for other numbers and when absent. Valid
  /// until the next Clear(), of a number until the next call.
  std::string_view Text(Key key) const;
  /// Whether the field is this text, or a number of these digits.
  bool Says(Key key, std::string_view word) const { return Text(key) == word; }
  /// Ids in the field `predecessors`, in its order.
  const std::vector<std::int64_t>& predecessors() const { return predecessors_; }
  /// All fields as they came, with their own names; empty unless Clear() asked to keep them.
  const std::vector<std::pair<std::string, Value>>& All() const { return all_; }

 private:
  enum class Kind : std::uint8_t { kInteger, kReal, kText };
  /// A value. Means nothing where Has() is false: it is of an earlier row.
  struct Slot {
    Kind kind = Kind::kInteger;
    bool joined = false;                ///< Its text is of several, in text_.
    std::uint32_t begin = 0, size = 0;  ///< Place of its text, if all the row's texts are one.
    union {
      std::int64_t integer = 0;
      double real;
      const char* text;
      std::size_t offset;  ///< Offset of joined text in text_.
    };
  };
  static constexpr std::size_t Index(Key key) { return static_cast<std::size_t>(key); }
  static_assert(static_cast<std::size_t>(Key::kCount_) <= 128, "each key has a bit in set_");
  Slot& Touch(Kind kind) {
    set_[Index(key_) / 64] |= std::uint64_t{1} << Index(key_) % 64;
    Slot& slot = slots_[Index(key_)];
    slot.kind = kind;
    return slot;
  }
  std::string_view TextOf(const Slot& slot) const;
  std::optional<std::int64_t> IntegerIn(const Slot& slot, Key key) const;

  std::array<Slot, static_cast<std::size_t>(Key::kCount_)> slots_;
  std::array<std::uint64_t, 2> set_{};  ///< A bit for each key.
  std::string text_;                    ///< Texts that are joined of several.
  std::size_t text_size_ = 0;           ///< Size of all the row's texts.
  mutable std::string digits_;
  std::vector<std::int64_t> predecessors_;
  std::vector<std::pair<std::string, Value>> all_;
  std::string name_;
  Key key_ = Key::kNone;
  bool keep_all_ = false;
};

}  // namespace profgauge::readers::neuron
