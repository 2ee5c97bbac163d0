// Reads rows by their table (Import::Take), and the fields that all rows share.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "readers/neuron/import.h"
#include "readers/times.h"

namespace profgauge::readers::neuron {

// The core of a row; 0 if the row has no core.
std::int32_t CoreOf(const Record& record) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(record.Integer(Key::kCore, 0), 0, 1 << 16));
}

// Notes that a table exists. If it has no rows, their number is 0; without the table it is unknown.
void Import::Begin(TableKind kind) {
  room_.BeginTable();
  profgauge::neuron::Contents& has = data_->has;
  switch (kind) {
    case TableKind::kInstructions:
      has.instructions = true;
      break;
    case TableKind::kDma:
    case TableKind::kPackets:
      has.dma = true;
      break;
    case TableKind::kActive:
      has.active = true;
      break;
    case TableKind::kLayers:
      has.layers = true;
      break;
    case TableKind::kSemaphores:
      has.semaphores = true;
      break;
    case TableKind::kThrottles:
      has.throttles = true;
      break;
    case TableKind::kTensors:
      has.tensors = true;
      break;
    case TableKind::kErrors:
      has.errors = true;
      break;
    case TableKind::kCcOps:
      has.cc_ops = true;
      break;
    case TableKind::kCcInstructions:
      has.cc_instructions = true;
      break;
    default:
      break;
  }
}

void Import::Take(TableKind kind, std::string_view table, const Record& record,
                  std::uint64_t index) {
  switch (kind) {
    case TableKind::kInstructions:
      return TakeInstruction(record, table, index);
    case TableKind::kDma:
    case TableKind::kPackets:
    case TableKind::kTransfers:
      return TakeDma(kind, record, table, index);
    case TableKind::kActive:
      return TakeActive(record);
    case TableKind::kLayers:
      return TakeLayer(record, table, index);
    case TableKind::kSemaphores:
      return TakeSemaphore(record);
    case TableKind::kThroughput:
    case TableKind::kHbmThroughput:
    case TableKind::kPendingDma:
    case TableKind::kMemoryUsage:
    case TableKind::kSbufUsage:
    case TableKind::kPsumUsage:
      return TakeCurve(kind, record);
    case TableKind::kSbufAllocations:
      return TakeSbufAllocation(record, table, index);
    case TableKind::kThrottles:
      return TakeThrottle(record, table, index);
    case TableKind::kHbmUse:
      return TakeHbmUse(record);
    case TableKind::kTensors:
      return TakeTensor(record);
    case TableKind::kSummary:
      return TakeSummaryRow(record, index);
    case TableKind::kMetadata:
    case TableKind::kModelInfo:
      return TakeMetadata(record);
    case TableKind::kWarnings:
    case TableKind::kErrors:
      return TakeMessage(kind, record);
    case TableKind::kCcOps:
      return TakeCcOp(record, table, index);
    case TableKind::kCcInstructions:
      return TakeCcInstruction(record, table, index);
    case TableKind::kFlow:
      return TakeFlow(record);
    case TableKind::kTraceEvents:
      return TakeHostEvent(record, table, index);
    case TableKind::kHostMemory:
      return TakeHostMemory(record);
    case TableKind::kCpu:
      return TakeCpu(record);
    case TableKind::kHeader:
    case TableKind::kUnread:
    case TableKind::kUnknown:
      return;
  }
}

void Import::TakeSemaphore(const Record& record) {
  if (!record.Has(Key::kStart)) return log().Add(Counter::events_bad_time);
  room_.Add(data_->semaphores) = {record.Integer(Key::kStart, 0), Intern(record, Key::kId),
                                  record.Integer(Key::kValue, 0), CoreOf(record)};
}

void Import::TakeHbmUse(const Record& record) {
  data_->memory.push_back({record.Integer(Key::kDevice, 0), record.Integer(Key::kCore, 0),
                           Intern(record, Key::kUsageType), record.Amount(Key::kAmount, 0)});
}

void Import::TakeCcInstruction(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  room_.Add(data_->cc_instructions) = {times.start, times.duration};
}

// Keeps only dependencies between rows of one table. Others link no two instructions.
void Import::TakeFlow(const Record& record) {
  if (record.Text(Key::kInTable) != record.Text(Key::kOutTable)) return;
  room_.Add(edges_) = {record.Integer(Key::kInEdge, 0), record.Integer(Key::kOutEdge, 0)};
}

void Import::TakeUnread(std::string_view table) {
  data_->unread_tables.emplace_back(table);
  log().AddAt(Counter::tables_unread, std::string(table));
}

// Takes the first row, whose profile all other tables belong to. Other rows count as unused.
void Import::TakeSummaryRow(const Record& record, std::uint64_t index) {
  if (index > 0) return log().Add(Counter::summaries_unused);
  for (const auto& [name, value] : record.All()) TakeSummaryValue(name, value);
}

void Import::TakeSummaryValue(std::string name, Value value) {
  data_->has.summary = true;
  data_->summary.emplace_back(std::move(name), std::move(value));
}

// The rows of a table are consecutive, so the last table is cached.
Import::Usable& Import::UsableOf(std::string_view table) {
  if (usable_now_ == nullptr || usable_name_ != table) {
    usable_name_ = table;
    usable_now_ = &usable_[usable_name_];
  }
  return *usable_now_;
}

// Reads start, and duration or end. Counts each row as read or, with unusable times, as dropped.
bool Import::TakeTimes(const Record& record, std::string_view table, std::uint64_t index,
                       Times& times) {
  Usable& usable = UsableOf(table);
  ++usable.rows;
  const auto start = record.Integer(Key::kStart);
  auto duration = record.Integer(Key::kDuration);
  if (const auto end = record.Integer(Key::kEnd); !duration && start && end) {
    duration = *end >= *start ? std::optional(Between(*start, *end)) : std::nullopt;
  }
  // The limit of times, so that start + duration fits in 64 bits even if times are picoseconds.
  constexpr std::int64_t kLongestTime = std::int64_t{1} << 60;  // 36 years, or 13 days in ps.
  if (!start || !duration || *start < 0 || *duration < 0 || *start > 2 * kLongestTime ||
      *duration > kLongestTime) {
    ++usable.dropped;
    log().AddAt(Counter::events_bad_time, fmt::format("{}[{}]", table, index));
    return false;
  }
  times = {*start, *duration};
  last_end_ = std::max(last_end_, *start + *duration);
  builder_.log().Add(Counter::events_read);
  return true;
}

}  // namespace profgauge::readers::neuron
