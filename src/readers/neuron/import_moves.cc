// Reads the fields of DMA, collectives, layers, tensors, throttling and counters.
#include <fmt/format.h>

#include <algorithm>

#include "readers/neuron/import.h"
#include "readers/times.h"

namespace profgauge::readers::neuron {
namespace {

/// The cause of throttling: a name in schema 7.4.0, a number in neuron-profile (0 to 3, 99 seen).
std::string ThrottleCause(const Record& record) {
  const auto number = record.Integer(Key::kType);
  if (!number) return std::string(record.Text(Key::kType));
  if (*number >= 0 && *number < 4) return fmt::format("activity_{}", *number);
  return *number == 99 ? "unknown" : fmt::format("type {}", *number);
}

/// Removes brackets: schema 7.4.0 writes "[WEIGHT]", neuron-profile "WEIGHT".
std::string_view WithoutBrackets(std::string_view place) {
  const bool has = place.size() > 2 && place.front() == '[' && place.back() == ']';
  return has ? place.substr(1, place.size() - 2) : place;
}

}  // namespace

std::string_view QueueOf(std::string_view name) {
  const auto dash = name.rfind("-E");
  if (dash == std::string_view::npos || dash + 2 == name.size()) return name;
  const auto digits = name.substr(dash + 2);
  const bool number =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? name.substr(0, dash) : name;
}

// JSON has packets and transfers ("aggregated") in one table, the schema in two. A transfer is the
// sum of the packets that refer to it, so transfers are never added to packets. Packets that the
// profiler marks as duplicates are counted and left out.
void Import::TakeDma(TableKind kind, const Record& record, std::string_view table,
                     std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  if (record.Says(Key::kDuplicate, "yes")) return log().Add(Counter::duplicate_packets);
  const bool transfer = kind == TableKind::kTransfers ||
                        (kind == TableKind::kDma && record.Says(Key::kAggregated, "yes"));
  profgauge::neuron::Dma& row = room_.Add(transfer ? data_->transfers : data_->packets);
  row.start = times.start;
  row.duration = times.duration;
  row.bytes = std::max<std::int64_t>(0, record.Amount(Key::kBytes, 0));
  row.id = record.Integer(Key::kId, 0);
  row.transfer = record.Integer(Key::kAggregationId, 0);
  const bool named = record.Has(Key::kQueueName);
  row.queue = Intern(Key::kQueueName, QueueOf(record.Text(named ? Key::kQueueName : Key::kEngine)));
  row.variable = Intern(record, Key::kVariable);
  row.from = Intern(Key::kFrom, WithoutBrackets(record.Text(Key::kFrom)));
  row.to = Intern(Key::kTo, WithoutBrackets(record.Text(Key::kTo)));
  row.core = CoreOf(record);
  row.dma_engine = static_cast<std::int16_t>(
      std::clamp<std::int64_t>(record.Integer(Key::kDmaEngine, -1), -1, 1023));
  row.type = profgauge::neuron::QueueTypeOf(record.Text(Key::kQueueType));
}

void Import::TakeActive(const Record& record) {
  if (!record.Has(Key::kStart)) return log().Add(Counter::events_bad_time);
  const Ns start = record.Integer(Key::kStart, 0), end = record.Integer(Key::kEnd, 0);
  room_.Add(data_->active) = {start, end, record.Integer(Key::kDuration, Between(start, end)),
                              CoreOf(record),
                              profgauge::neuron::EngineOf(record.Text(Key::kEngine))};
}

void Import::TakeLayer(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  // A layer without a name has no place in the tree of layers.
  if (record.Text(Key::kName).empty()) {
    return log().AddAt(Counter::events_unreadable, fmt::format("{}[{}]: no name", table, index));
  }
  // Schema 7.4.0 has a layer's name and parent, from which NameLayers() makes paths.
  if (const auto parent = record.Text(Key::kParent); !parent.empty()) {
    layer_parents_.emplace(data_->layers.size(), std::string(parent));
  }
  data_->layers.push_back({Intern(record, Key::kName), times.start, times.duration,
                           record.Amount(Key::kFlopCount, profgauge::neuron::kUnknown),
                           record.Amount(Key::kModelFlopCount, profgauge::neuron::kUnknown),
                           record.Real(Key::kMfu, -1), record.Real(Key::kHfu, -1)});
}

// The limit is k of n. Rows with k = n (no throttling) are kept: elsewhere it is unknown.
void Import::TakeThrottle(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  const std::int64_t n = record.Integer(Key::kN, 0);
  const std::int64_t k = record.Integer(Key::kK, -1);
  if (n <= 0 || k < 0 || k > n)
    return log().AddAt(Counter::events_unreadable, fmt::format("{}[{}]", table, index));
  data_->throttles.push_back(
      {times.start, times.duration, k, n, Intern(ThrottleCause(record)), CoreOf(record)});
}

void Import::TakeTensor(const Record& record) {
  if (record.Text(Key::kVariable).empty()) return;  // A graph node without a tensor.
  data_->tensors.push_back({Intern(record, Key::kVariable), Intern(record, Key::kType),
                            Intern(record, Key::kFormat), Intern(record, Key::kShape),
                            record.Amount(Key::kSize, profgauge::neuron::kUnknown),
                            record.Amount(Key::kLoadCount, profgauge::neuron::kUnknown),
                            record.Amount(Key::kLoadTotal, profgauge::neuron::kUnknown),
                            record.Amount(Key::kLoadMean, profgauge::neuron::kUnknown),
                            record.Real(Key::kReloadFactor, -1)});
}

void Import::TakeCcOp(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  profgauge::neuron::CcOp& row = data_->cc_ops.emplace_back();
  row.start = times.start;
  row.duration = times.duration;
  row.trigger_delay = record.Amount(Key::kTriggerDelay, profgauge::neuron::kUnknown);
  row.operation = Intern(record, Key::kOperation);
  row.algorithm = Intern(record, Key::kAlgorithm);
  row.dtype = Intern(record, Key::kDtype);
  row.group = Intern(record, Key::kGroup);
  row.input_bytes = record.Amount(Key::kInputSize, profgauge::neuron::kUnknown);
  row.output_bytes = record.Amount(Key::kOutputSize, profgauge::neuron::kUnknown);
  row.elements = record.Amount(Key::kElementCount, profgauge::neuron::kUnknown);
  row.bandwidth = record.Real(Key::kBandwidth, -1);
  row.bus_bandwidth = record.Real(Key::kBusBandwidth, -1);
}

// Both addresses are of bytes inside the allocation, the first and the last one.
void Import::TakeSbufAllocation(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  constexpr std::int64_t kMostAddress = std::int64_t{1} << 60;
  const std::int64_t first = record.Integer(Key::kStartAddress, -1);
  const std::int64_t last = record.Integer(Key::kEndAddress, -1);  // The allocation's last byte.
  if (first < 0 || last < first || last > kMostAddress) {
    return log().AddAt(Counter::events_unreadable, fmt::format("{}[{}]", table, index));
  }
  profgauge::neuron::SbufAllocation& row = room_.Add(data_->sbuf_allocations);
  row.start = times.start;
  row.duration = times.duration;
  row.address = first;
  row.bytes = last - first + 1;
  row.partition = record.Integer(Key::kPartition, profgauge::neuron::kUnknown);
  row.source = Intern(record, Key::kSourceType);
  row.tensor = Intern(record, Key::kTensorName);
  row.hlo = Intern(record, Key::kHlo);
  row.opcode = Intern(record, Key::kOpcode);
  row.queue = Intern(QueueOf(record.Text(Key::kQueueName)));
  row.core = CoreOf(record);
}

void Import::TakeCurve(TableKind kind, const Record& record) {
  const Ns time = record.Integer(Key::kStart, -1);
  if (time < 0) return log().Add(Counter::events_bad_time);
  data_->has.curves = true;
  const auto add = [&](profgauge::neuron::Curve curve, double value) {
    room_.Add(data_->curves) = {time, value, CoreOf(record), curve};
  };
  switch (kind) {
    case TableKind::kThroughput:
      add(profgauge::neuron::Curve::kDmaThroughput, record.Real(Key::kRate, 0));
      if (record.Has(Key::kHbmRate)) {
        add(profgauge::neuron::Curve::kHbmThroughput, record.Real(Key::kHbmRate, 0));
      }
      return;
    case TableKind::kHbmThroughput:
      return add(profgauge::neuron::Curve::kHbmThroughput, record.Real(Key::kRate, 0));
    case TableKind::kPendingDma:
      return add(profgauge::neuron::Curve::kPendingDma, record.Real(Key::kValue, 0));
    // JSON has both memories in one table, the schema in two tables.
    case TableKind::kMemoryUsage:
      return add(record.Says(Key::kType, "psum") ? profgauge::neuron::Curve::kPsum
                                                 : profgauge::neuron::Curve::kSbuf,
                 record.Real(Key::kUsage, 0));
    case TableKind::kPsumUsage:
      return add(profgauge::neuron::Curve::kPsum, record.Real(Key::kUsage, 0));
    default:
      return add(profgauge::neuron::Curve::kSbuf, record.Real(Key::kUsage, 0));
  }
}

}  // namespace profgauge::readers::neuron
