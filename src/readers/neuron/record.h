// One row of a Neuron file in any format: JSON object, CSV line or row of Parquet. Each field has
// one key, though neuron-profile's JSON and neuron-explorer's tables name it differently.
//
//   key        neuron-profile 2.27   schema 7.4.0
//   kStart     timestamp             start_ts
//   kDuration  duration              duration_ns (or end_ts - start_ts)
//   kEngine    subgroup              engine
//   kTrack     label                 timeline_track
//   kBytes     transfer_size         transfer_bytes
//   kWait      evt_wait_time         evt_wait_time_ns
//
// Times are nanoseconds (see Import::Finish), sizes bytes; `*_percent` are fractions of 1 in
// summaries, but percentages for CPUs and memory of the host.
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

/// The fields that readers use, with one name for all formats.
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
/// Returns kNone for an unused name.
Key KeyOf(std::string_view name);

/// Reused for all rows of a file: Clear() keeps its memory. If a field occurs twice, the last value
/// counts, but texts of one row are joined. At most 16 MB of text are kept per row.
class Record {
 public:
  /// Removes all fields. `keep_all`: also keep every field under its own name, for All().
  void Clear(bool keep_all = false);

  // A field is added in two steps: Begin(), then one value.
  void Begin(std::string_view name);
  /// Begins a field by its key; its name stays that of the last field.
  void Begin(Key key) { key_ = key; }
  void AddInteger(std::int64_t value) {
    if (keep_all_) all_.emplace_back(name_, value);
    Touch(Kind::kInteger).integer = value;
  }
  /// Values from 2^63 on wrap, as ids do.
  void AddUnsigned(std::uint64_t value) { AddInteger(static_cast<std::int64_t>(value)); }
  void AddReal(double value) {
    if (keep_all_) all_.emplace_back(name_, value);
    Touch(Kind::kReal).real = value;
  }
  /// Adds the text "yes" or "no", as the files write most truth values.
  void AddBool(bool value);
  /// Adds a text, after ", " if the field has one already. It must live until the next Clear().
  void AddText(std::string_view value);
  /// Adds a number of the field `predecessors`.
  void AddPredecessor(std::int64_t id) { predecessors_.push_back(id); }

  bool Has(Key key) const { return (set_[Index(key) / 64] >> Index(key) % 64 & 1) != 0; }
  /// The field as an integer, even if it is written as a text ("15") or as 7.0; nullopt for others.
  /// Ids from 2^63 on wrap.
  std::optional<std::int64_t> Integer(Key key) const {
    if (!Has(key)) return std::nullopt;
    const Slot& slot = slots_[Index(key)];
    return slot.kind == Kind::kInteger ? slot.integer : IntegerIn(slot, key);
  }
  std::int64_t Integer(Key key, std::int64_t otherwise) const {
    return Integer(key).value_or(otherwise);
  }
  /// An integer that will be summed up. A value beyond 2^50 is implausible and counts as missing,
  /// so that sums fit in 64 bits.
  std::int64_t Amount(Key key, std::int64_t otherwise) const {
    constexpr std::int64_t kLargestAmount = std::int64_t{1} << 50;
    const std::int64_t amount = Integer(key, otherwise);
    return amount >= -kLargestAmount && amount <= kLargestAmount ? amount : otherwise;
  }
  /// A number; `otherwise` if it is absent, text, or not finite.
  double Real(Key key, double otherwise) const;
  /// The field's text as written, or an integer in digits; empty for other numbers and absent
  /// fields. Valid until the next Clear(); for a number, only until the next call.
  std::string_view Text(Key key) const;
  /// True if the field is this text, or a number with these digits.
  bool Says(Key key, std::string_view word) const { return Text(key) == word; }
  /// The ids in the field `predecessors`, in order.
  const std::vector<std::int64_t>& predecessors() const { return predecessors_; }
  /// All fields in order, with their own names; empty unless Clear() was called with `keep_all`.
  const std::vector<std::pair<std::string, Value>>& All() const { return all_; }

 private:
  enum class Kind : std::uint8_t { kInteger, kReal, kText };
  /// A value. It is valid only if Has() is true; otherwise it is from an earlier row.
  struct Slot {
    Kind kind = Kind::kInteger;
    bool joined = false;                ///< Its text was joined and is in text_.
    std::uint32_t begin = 0, size = 0;  ///< Place of its text, if it was joined.
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
  std::string text_;                    ///< Texts that were joined.
  std::size_t text_size_ = 0;           ///< Size of all the row's texts.
  mutable std::string digits_;
  std::vector<std::int64_t> predecessors_;
  std::vector<std::pair<std::string, Value>> all_;
  std::string name_;
  Key key_ = Key::kNone;
  bool keep_all_ = false;
};

}  // namespace profgauge::readers::neuron
