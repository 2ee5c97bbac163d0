// Reads rows by table; then sets unit and origin of times, sorts, links, and fills common tables.
#include "readers/neuron/import.h"

#include <fmt/format.h>
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "knowledge/loss.h"
#include "model/neuron_summary.h"
#include "model/permute.h"
#include "readers/neuron/folder.h"
#include "readers/times.h"

namespace profgauge::readers::neuron {
namespace {

// Advice for recording data that a device profile does not have.
constexpr RecordingHint kHints[] = {
    {Capability::kHostOps,
     "pass the framework's trace or a system profile (`neuron-explorer view "
     "-d DIR --ingest-only`) for the host"},
    {Capability::kLaunchLinks, "a device profile has no launches of the host"},
    {Capability::kOccupancy, "a NeuronCore has engines, see engine.*"},
    {Capability::kIterationMarkers,
     "a device profile has one execution, of which --range selects parts"},
};

// Advice for recording data that a system profile does not have.
constexpr RecordingHint kSystemHints[] = {
    {Capability::kDeviceEvents, "capture while the model runs (NEURON_RT_INSPECT_ENABLE=1)"},
    {Capability::kHostOps, "capture with the framework's profiler, which adds its events"},
    {Capability::kShapes, "the framework's own trace has them"},
    {Capability::kCallStacks, "the framework's own trace has them"},
    {Capability::kOccupancy, "pass the device profile too, see engine.*"},
    {Capability::kIterationMarkers, "the framework's own trace has them"},
};

template <class Rows, class Change>
void ForEach(Rows& rows, const Change& change) {
  for (auto& row : rows) change(row);
}

// Applies a function to each time: `span` to a start with its duration, `time` and `length` to
// single ones. Lists each field with a time, so that scaling and shifting miss none.
template <class Spanned, class Time, class Length>
void ForEachTime(profgauge::neuron::Data& data, const Spanned& span, const Time& time,
                 const Length& length) {
  const auto both = [&](auto& row) { span(row.start, row.duration); };
  ForEach(data.instructions, [&](profgauge::neuron::Instruction& row) {
    both(row);
    length(row.wait);
  });
  ForEach(data.packets, both);
  ForEach(data.transfers, both);
  ForEach(data.layers, both);
  ForEach(data.throttles, both);
  ForEach(data.sbuf_allocations, both);
  ForEach(data.cc_ops, both);
  ForEach(data.cc_instructions, both);
  ForEach(data.active, [&](profgauge::neuron::ActiveSpan& row) {
    time(row.start);
    time(row.end);
    length(row.duration);
  });
  ForEach(data.semaphores, [&](profgauge::neuron::SemaphoreUpdate& row) { time(row.time); });
  ForEach(data.curves, [&](profgauge::neuron::CurvePoint& row) { time(row.time); });
  ForEach(data.errors, [&](profgauge::neuron::Message& row) {
    if (row.time >= 0) time(row.time);
  });
}

// Sorts only rows that are not in order, because most files have them in order.
template <class Rows, class Less>
void SortUnlessSorted(Rows& rows, const Less& less) {
  if (!std::is_sorted(rows.begin(), rows.end(), less)) {
    std::stable_sort(rows.begin(), rows.end(), less);
  }
}

/// Sorts by core, engine and start. In a file, rows of engines alternate, each engine's in order.
void SortInstructions(std::vector<profgauge::neuron::Instruction>& rows) {
  Permutation order = GroupedRows(rows.size(), [&](std::uint32_t row) {
    return std::int64_t{rows[row].core} * 256 + static_cast<std::int64_t>(rows[row].engine);
  });
  SortUnlessSorted(order, [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(rows[a].core, rows[a].engine, rows[a].start) <
           std::tuple(rows[b].core, rows[b].engine, rows[b].start);
  });
  PermuteInPlace(std::move(order), rows);
}

Error TimeBaseError(Ns last, double total_seconds) {
  return InputError(
      {}, "neuron/time-base",
      fmt::format("the rows' times do not fit the total time: the last row ends at {}, and the "
                  "total time is {:g} s",
                  last, total_seconds),
      "rows and summary are of different profiles or versions; export the profile again");
}

}  // namespace

// Finds the unit of times. Public notes name both units; measured files have nanoseconds.
//
//   reach   from the first hardware time to the end of the last row, as numbers
//   total   seconds, of the summary or the hardware's clock
//   reach / total   up to 3e9   nanoseconds; less than 1e9 where rows end early
//                   about 1e12  picoseconds: all times are divided by 1000, and counted
//                   else        the rows are not of this summary: an error
Status Import::SetTimeBase() {
  std::sort(data_->summary.begin(), data_->summary.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const profgauge::neuron::Hardware& hardware = data_->hardware;
  const bool known = hardware.first >= 0 && hardware.last > hardware.first;
  double total = data_->SummaryNumber("total_time");
  const Ns first = known ? hardware.first : 0;
  if (total <= 0 && known) total = static_cast<double>(hardware.last - hardware.first) * 1e-9;
  const double reach = static_cast<double>(last_end_ - std::min(first, last_end_));
  if (total > 0 && reach > 0) {
    // 1e9 means nanoseconds, 1e12 picoseconds. Rows may end early, but hardly late.
    const double ratio = reach / total;
    if (ratio >= 3e11 && ratio < 3e12) {
      Scale(1000);
      log().Add(Counter::time_unit_picoseconds);
    } else if (ratio > 3e9) {
      return Fail(TimeBaseError(last_end_, total));
    }
  }
  ShiftToOrigin();
  // The clock's numbers are integers. The total may be a 32-bit real, which differs by some ns.
  constexpr double kShortReal = 1e-6;
  const double clock = known ? static_cast<double>(hardware.last - hardware.first) : 0;
  const bool is_clock = known && std::abs(clock - total * 1e9) <= kShortReal * clock;
  const double nanoseconds = is_clock ? clock : total * 1e9;
  data_->total_time = total > 0 && nanoseconds < kLargestWhole ? std::llround(nanoseconds)
                      : last_end_ > 0                          ? last_end_
                                                               : profgauge::neuron::kUnknown;
  return {};
}

// Rounds to the nearest whole number, half up.
void Import::Scale(std::int64_t divisor) {
  const auto scale = [&](Ns& value) {
    const bool up = value % divisor >= divisor / 2;
    value = value / divisor + (up ? 1 : 0);
  };
  // Scales both ends, so that adjacent ranges stay adjacent.
  const auto scale_span = [&](Ns& start, Ns& duration) {
    Ns end = start + duration;
    scale(start);
    scale(end);
    duration = end - start;
  };
  ForEachTime(*data_, scale_span, scale, scale);
  scale(last_end_);
  if (data_->hardware.first > 0) scale(data_->hardware.first);
}

// Makes times count from the first hardware time; earlier times become 0. Does nothing if there is
// no hardware time, or if it is after all rows: then times count from 0 already.
void Import::ShiftToOrigin() {
  const Ns origin = data_->hardware.first;
  if (origin <= 0 || origin > last_end_) return;
  const auto shift = [&](Ns& time) { time = time > origin ? time - origin : 0; };
  ForEachTime(
      *data_, [&](Ns& start, Ns&) { shift(start); }, shift, [](Ns&) {});
  last_end_ -= origin;
}

// Sorts eight tables concurrently. Each is mostly in order, or alternates between few series.
void Import::SortRows() {
  const auto by_start = [](const auto& a, const auto& b) { return a.start < b.start; };
  const std::function<void()> sorts[] = {
      [&] { SortInstructions(data_->instructions); },
      [&] { SortUnlessSorted(data_->packets, by_start); },
      [&] { SortUnlessSorted(data_->transfers, by_start); },
      [&] { SortUnlessSorted(data_->throttles, by_start); },
      [&] { SortUnlessSorted(data_->cc_ops, by_start); },
      [&] { SortUnlessSorted(data_->cc_instructions, by_start); },
      [&] {
        SortUnlessSorted(data_->semaphores,
                         [](const auto& a, const auto& b) { return a.time < b.time; });
      },
      [&] {
        // The rows of a few curves alternate, so rows are grouped by curve first.
        auto& rows = data_->curves;
        PermuteInPlace(GroupedRows(rows.size(),
                                   [&](std::uint32_t row) {
                                     return (static_cast<std::int64_t>(rows[row].curve) << 32) +
                                            rows[row].core;
                                   }),
                       rows);
        SortUnlessSorted(rows, [](const auto& a, const auto& b) {
          return std::tuple(a.curve, a.core, a.time) < std::tuple(b.curve, b.core, b.time);
        });
      },
  };
  ForEachAtOnce(std::size(sorts), [&](std::size_t i) { sorts[i](); });
}

// Links instructions by ids. If several rows have one id, the first counts. Id 0 means none.
//
//   instruction  id 90 at row 0, id 70 at row 1        dependencies
//   edges        70 -> 90, 70 -> 33                    1 -> 0; the other has no row: counted
Import::Unlinked Import::LinkDependencies() {
  Unlinked unlinked;
  boost::unordered_flat_map<std::int64_t, std::uint32_t> rows;
  rows.reserve(data_->instructions.size());
  for (std::uint32_t i = 0; i < data_->instructions.size(); ++i) {
    const std::int64_t id = data_->instructions[i].id;
    if (id != 0 && !rows.try_emplace(id, i).second) ++unlinked.duplicates;
  }
  data_->dependencies.reserve(edges_.size());
  for (const Edge& edge : edges_) {
    const auto from = rows.find(edge.from), to = rows.find(edge.to);
    if (from == rows.end() || to == rows.end()) {
      ++unlinked.edges;
    } else {
      data_->dependencies.push_back({from->second, to->second});
    }
  }
  std::sort(data_->dependencies.begin(), data_->dependencies.end(),
            [](const profgauge::neuron::Dependency& a, const profgauge::neuron::Dependency& b) {
              return std::tuple(a.to, a.from) < std::tuple(b.to, b.from);
            });
  edges_ = {};
  return unlinked;
}

// Counts a table as unusable if over 1 % of its rows have no usable times, which make sums wrong.
void Import::CountUnusable() {
  for (const auto& [table, usable] : usable_) {
    if (usable.dropped * 100 > usable.rows) log().AddAt(Counter::rows_unusable, table);
  }
}

// Counts lost rows by total counts only, because counts by classes of opcodes do not show them.
void Import::CountLost(std::span<const profgauge::neuron::Identity> identities) {
  constexpr std::string_view kCounts[] = {"_engine_instruction_count", "dma_packet_count",
                                          "dma_transfer_count", "cc_op_count"};
  for (const profgauge::neuron::Identity& identity : identities) {
    const auto is_of = [&](std::string_view end) { return identity.name.ends_with(end); };
    if (identity.holds || identity.stated - identity.computed <
                              static_cast<double>(knowledge::kLossLeastEvents.value()))
      continue;
    if (std::none_of(std::begin(kCounts), std::end(kCounts), is_of)) continue;
    log().AddAt(Counter::events_dropped, fmt::format("{}: {:.0f} rows of {:.0f}", identity.name,
                                                     identity.computed, identity.stated));
  }
}

void Import::ReportIdentities() {
  CountLost(data_->whole->identities);
  for (const profgauge::neuron::Identity& identity : data_->whole->identities) {
    if (identity.holds) continue;
    log().AddAt(Counter::identities_broken,
                fmt::format("{}: rows {:g}, summary {:g}", identity.name, identity.computed,
                            identity.stated));
  }
}

void Import::FillFromRows() {
  Unlinked unlinked;
  // Runs the parts concurrently: only the first writes to the builder and its log.
  const std::function<void()> parts[] = {
      [&] { FillCommonTables(*data_, builder_); },
      [&] { unlinked = LinkDependencies(); },
      [&] { data_->whole = profgauge::neuron::SumWhole(*data_); },
  };
  ForEachAtOnce(std::size(parts), [&](std::size_t i) { parts[i](); });
  ReportUnlinked(unlinked);
}

void Import::ReportUnlinked(const Unlinked& unlinked) {
  log().Add(Counter::dependencies_unresolved, unlinked.edges);
  log().Add(Counter::duplicate_ids, unlinked.duplicates);
}

void Import::AddFacts() {
  constexpr std::string_view kFacts[] = {
      "instance_type",       "compiler_version", "runtime_version", "driver_version",
      "collectives_version", "profiler_version", "nd_idx",          "nc_idx"};
  for (const std::string_view name : kFacts) {
    const Value* value = data_->FindSummary(name);
    if (value == nullptr) continue;
    const auto* text = std::get_if<std::string>(value);
    builder_.AddFact(std::string(name), text != nullptr ? WithoutEmptyCommit(*text)
                                                        : fmt::format("{}", AsNumber(*value, 0)));
  }
}

// Adds hardware data and the FLOPs per cycle, from AWS's pages, where the file has none.
void Import::CompleteHardware() {
  const Value* instance = data_->FindSummary("instance_type");
  if (const auto* type = instance == nullptr ? nullptr : std::get_if<std::string>(instance)) {
    data_->instance_type = *type;
  }
  const profgauge::neuron::Generation generation =
      profgauge::neuron::GenerationOf(data_->instance_type);
  profgauge::neuron::Hardware& hardware = data_->hardware;
  const profgauge::neuron::Hardware known = profgauge::neuron::KnownHardware(generation);
  if (data_->has.instructions && hardware.PeakFlops() < 0 && known.PeakFlops() > 0) {
    hardware.tensor_rows = known.tensor_rows;
    hardware.tensor_columns = known.tensor_columns;
    hardware.tensor_clock = known.tensor_clock;
    hardware.by_table = true;
  }
  if (data_->has.instructions && hardware.hbm_bandwidth <= 0 && known.hbm_bandwidth > 0) {
    hardware.hbm_bandwidth = known.hbm_bandwidth;
    hardware.by_table = true;
  }
  if (generation == profgauge::neuron::Generation::kOther) return;
  bool any = false;
  for (const profgauge::neuron::Instruction& row : data_->instructions) {
    if (row.adjusted_flops >= 0) return;
    if (row.flops > 0 && row.number == profgauge::neuron::NumberType::kUnstated) return;
    any = any || row.flops > 0;
  }
  if (!any) return;
  for (profgauge::neuron::Instruction& row : data_->instructions) {
    row.adjusted_flops = std::llround(static_cast<double>(row.flops) *
                                      profgauge::neuron::CostInBf16(row.number, generation));
  }
  data_->adjusted_by_table = true;
}

// Schema 7.4.0 has a layer's name and its parent. A path is the names from the outermost on:
//
//   row "dot", parent "layer0";  row "layer0", parent "model"        "model/layer0/dot"
//   row "model/layer0", parent "model"                               a path already: stays
//   row "a", parent "b";  row "b", parent "a"                        a circle: "b/a"
void Import::NameLayers() {
  std::map<std::string, std::string, std::less<>> parents;
  for (const auto& [row, parent] : layer_parents_) {
    parents.emplace(builder_.Name(data_->layers[row].path), parent);
  }
  constexpr int kMostDepth = 64;
  constexpr std::size_t kLongestPath = 4096;  // Long names in a file may refer to each other.
  for (const auto& [row, parent] : layer_parents_) {
    std::string path(builder_.Name(data_->layers[row].path));
    if (path.starts_with('/') || path.starts_with(parent + "/")) continue;  // The name is a path.
    std::string above = parent;
    std::set<std::string> seen = {path};
    for (int depth = 0; depth < kMostDepth && !above.empty(); ++depth) {
      if (above.size() + path.size() > kLongestPath) break;
      if (!seen.insert(above).second) break;  // The layers are in a circle.
      path = above + "/" + path;
      const auto next = parents.find(above);
      if (above.find('/') != std::string::npos || next == parents.end()) break;
      above = next->second;
    }
    data_->layers[row].path = builder_.Intern(path);
  }
}

Result<Profile> Import::Finish() {
  PROFGAUGE_CHECK(SetTimeBase());
  SortRows();
  NameLayers();
  CompleteHardware();
  CountUnusable();
  LinkFlows();
  ReportHost();
  const bool device = data_->has.device();
  if (!device && !has_host_) {
    return Fail(InputError({}, "neuron/no-rows",
                           "the profile has no instructions, no DMA and no summary",
                           std::string(kExport)));
  }
  if (!device) {
    ReportUnlinked(LinkDependencies());
    AddHostDevices();
    builder_.SetHints(kSystemHints);
    builder_.SetCopiesUnknown("a system profile has copying calls, but not the copies");
  }
  if (device) {
    AddFacts();
    FillFromRows();
    builder_.SetHints(kHints);
    builder_.SetCopiesUnknown("a profile of a NeuronCore has only DMA inside the device");
    ReportIdentities();
    builder_.SetNeuron(data_);
  }
  builder_.StreamsMayOverlap();  // Engines and queues run concurrently.
  PROFGAUGE_TRY(Profile profile, builder_.Finish());
  // A profile that is a summary has only metrics.
  profile.has_timeline = profile.device.size() + profile.host.size() + profile.api.size() > 0;
  return profile;
}

// Reads rows by their table (Import::Take), and the fields that all rows share.

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

// Reads a file's data about itself: hardware, versions, warnings, errors.

std::string WithoutEmptyCommit(std::string version) {
  constexpr std::string_view kEmpty = " ()";
  if (version.ends_with(kEmpty)) version.resize(version.size() - kEmpty.size());
  return version;
}

// Notes the schema's version. MAJOR changes if columns are removed or renamed.
void Import::SetSchemaVersion(const Record& record) {
  constexpr int kKnownMajor = 7;  // Major version of 7.4.0.
  for (const auto& [name, value] : record.All()) {
    const auto* text = std::get_if<std::string>(&value);
    if (name == "profile_schema_version" && text != nullptr) schema_version_ = *text;
  }
  int major = 0;
  std::from_chars(schema_version_.data(), schema_version_.data() + schema_version_.size(), major);
  if (major <= kKnownMajor) return;
  log().AddAt(
      Counter::version_untested,
      fmt::format("schema {} is newer than 7.4.0, the latest known one; it is read by column names",
                  schema_version_));
}

namespace {

bool HasTimes(TableKind kind) {
  // Tables whose rows pass through TakeTimes().
  constexpr TableKind kTimed[] = {TableKind::kInstructions,    TableKind::kDma,
                                  TableKind::kPackets,         TableKind::kTransfers,
                                  TableKind::kLayers,          TableKind::kThrottles,
                                  TableKind::kCcOps,           TableKind::kCcInstructions,
                                  TableKind::kSbufAllocations, TableKind::kTraceEvents};
  return std::find(std::begin(kTimed), std::end(kTimed), kind) != std::end(kTimed);
}

}  // namespace

Status Import::CheckColumns(TableKind kind, std::string_view table,
                            std::span<const std::string> columns) const {
  const auto has = [&](Key key) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const std::string& column) { return KeyOf(column) == key; });
  };
  if (!HasTimes(kind)) return {};
  const bool has_length = has(Key::kDuration) || has(Key::kEnd);
  // Instructions need an opcode, because waits would count as executed instructions without it.
  const bool has_kind = kind != TableKind::kInstructions || has(Key::kOpcode);
  if (has(Key::kStart) && has_length && has_kind) return {};
  return Fail(InputError(
      {}, "neuron/columns",
      fmt::format("the table {} has no column `{}`{}", table,
                  !has(Key::kStart) ? "start_ts"
                  : has_length      ? "opcode"
                                    : "duration_ns",
                  schema_version_.empty() ? "" : ", in schema " + schema_version_),
      "`neuron-explorer view --show-profile-schema` lists the columns; a release of ProfGauge that "
      "knows them is needed"));
}

namespace {

using profgauge::neuron::Part;

// A column that a metric needs, by its name in schema 7.4.0.
struct Needed {
  TableKind table;
  Key key;
  std::string_view column;
  Part part;
  std::string_view what;     // The metric that needs it.
  Key instead = Key::kNone;  // A column with the same data.
};
constexpr Needed kNeeded[] = {
    {TableKind::kInstructions, Key::kWait, "evt_wait_time_ns", Part::kWaits, "waits of engines"},
    {TableKind::kInstructions, Key::kOperands, "operands", Part::kSemaphores, "waits for DMA"},
    {TableKind::kInstructions, Key::kRawFlops, "raw_flops", Part::kFlops, "FLOPs", Key::kElements},
    {TableKind::kInstructions, Key::kInstructionType, "tensor_instruction_type", Part::kTransposes,
     "FLOPs of transposes"},
    {TableKind::kInstructions, Key::kHbmRead, "hbm_read_bytes", Part::kHbmRead, "bytes from HBM"},
    {TableKind::kInstructions, Key::kHbmWrite, "hbm_write_bytes", Part::kHbmWrite, "bytes to HBM"},
    {TableKind::kInstructions, Key::kSbufRead, "sbuf_read_bytes", Part::kSbufRead,
     "bytes from SBUF"},
    {TableKind::kInstructions, Key::kSbufWrite, "sbuf_write_bytes", Part::kSbufWrite,
     "bytes to SBUF"},
    {TableKind::kInstructions, Key::kPsumRead, "psum_read_bytes", Part::kPsumRead,
     "bytes from PSUM"},
    {TableKind::kInstructions, Key::kPsumWrite, "psum_write_bytes", Part::kPsumWrite,
     "bytes to PSUM"},
    {TableKind::kInstructions, Key::kPsumToSbuf, "psum_read_sbuf_write_bytes", Part::kPsumToSbuf,
     "bytes from PSUM to SBUF"},
    {TableKind::kInstructions, Key::kSpillSave, "spill_save_bytes", Part::kSpillSave,
     "spilled bytes"},
    {TableKind::kInstructions, Key::kSpillReload, "spill_reload_bytes", Part::kSpillReload,
     "reloaded bytes"},
    {TableKind::kInstructions, Key::kInputQueue, "input_queue_bytes", Part::kInputQueue,
     "bytes of input queues"},
    {TableKind::kInstructions, Key::kOutputQueue, "output_queue_bytes", Part::kOutputQueue,
     "bytes of output queues"},
    {TableKind::kInstructions, Key::kWeightQueue, "weight_queue_bytes", Part::kWeightQueue,
     "bytes of weight queues"},
    {TableKind::kPackets, Key::kBytes, "transfer_bytes", Part::kPacketBytes, "bytes of packets"},
    {TableKind::kPackets, Key::kQueueType, "queue_type", Part::kPacketKinds, "kinds of packets"},
    {TableKind::kTransfers, Key::kBytes, "transfer_bytes", Part::kTransferBytes,
     "bytes of transfers"},
    {TableKind::kThrottles, Key::kK, "k", Part::kLimits, "throttled time"},
    {TableKind::kThrottles, Key::kN, "n", Part::kLimits, "throttled time"},
};

// Returns "; the table has `evt_wait_ns`" for a similar, unknown column, which is only named.
std::string SimilarText(std::string_view column, std::span<const std::string> columns) {
  std::vector<std::string_view> others;
  for (const std::string& name : columns) {
    if (KeyOf(name) == Key::kNone) others.push_back(name);
  }
  const std::string_view near = DidYouMean(column, others);
  return near.empty() ? "" : fmt::format("; the table has `{}`", near);
}

}  // namespace

// Notes each missing column once, because all files of a table have the same columns.
void Import::NoteMissing(TableKind kind, std::string_view table,
                         std::span<const std::string> columns) {
  const auto has = [&](Key key) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const std::string& column) { return KeyOf(column) == key; });
  };
  for (const Needed& needed : kNeeded) {
    if (needed.table != kind || has(needed.key)) continue;
    if (needed.instead != Key::kNone && has(needed.instead)) continue;
    const std::string schema =
        schema_version_.empty() ? "" : fmt::format(" (schema {})", schema_version_);
    std::string why = fmt::format("`{}.{}` is missing{}", table, needed.column, schema);
    const auto& known = data_->missing_columns;
    if (std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.why == why; })) {
      continue;
    }
    log().AddAt(Counter::columns_unknown, fmt::format("{}: {} are absent{}", why, needed.what,
                                                      SimilarText(needed.column, columns)));
    data_->missing_columns.push_back({needed.part, std::move(why)});
  }
}

void Import::TakeMetadata(const Record& record) {
  profgauge::neuron::Hardware& hardware = data_->hardware;
  const auto real = [&](Key key, double& value) { value = record.Real(key, value); };
  real(Key::kRows, hardware.tensor_rows);
  real(Key::kColumns, hardware.tensor_columns);
  real(Key::kTensorClock, hardware.tensor_clock);
  real(Key::kBaseClock, hardware.base_clock);
  real(Key::kHbmBandwidth, hardware.hbm_bandwidth);
  hardware.dma_engines = record.Integer(Key::kDmaEngines, hardware.dma_engines);
  hardware.first = record.Integer(Key::kFirstTime, hardware.first);
  hardware.last = record.Integer(Key::kLastTime, hardware.last);
  SetSchemaVersion(record);
  // Only fields that have no names of people, accounts or paths.
  constexpr std::string_view kFacts[] = {
      "data_version",     "profile_schema_version", "ntff_version",     "num_physical_cores",
      "is_simulation",    "instance_type",          "compiler_version", "runtime_version",
      "driver_version",   "collectives_version",    "explorer_version", "neuroncore_idx",
      "neuron_device_idx"};
  for (const auto& [name, value] : record.All()) {
    const auto* type = std::get_if<std::string>(&value);
    if (name == "instance_type" && type != nullptr) data_->instance_type = *type;
    if (std::find(std::begin(kFacts), std::end(kFacts), name) == std::end(kFacts)) continue;
    if (const auto* text = std::get_if<std::string>(&value)) {
      builder_.AddFact(name, WithoutEmptyCommit(*text));
    } else {
      builder_.AddFact(name, fmt::format("{}", AsNumber(value, 0)));
    }
  }
}

// Warnings are the profiler's own and are shown unchanged. Errors are events of the device.
void Import::TakeMessage(TableKind kind, const Record& record) {
  profgauge::neuron::Message message;
  message.core = CoreOf(record);
  message.text = Intern(record, Key::kMessage);
  if (kind == TableKind::kWarnings) {
    message.category = Intern(record, Key::kCategory);
    log().AddAt(Counter::profiler_warnings, std::string(record.Text(Key::kMessage)));
    data_->warnings.push_back(message);
    return;
  }
  message.category = Intern(record, Key::kType);
  message.time = record.Integer(Key::kStart, profgauge::neuron::kUnknown);
  data_->errors.push_back(message);
}

}  // namespace profgauge::readers::neuron
