#include "analysis/catalog/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <utility>

#include "analysis/catalog/catalogue_parts.h"
#include "base/format.h"

namespace profgauge::analysis::catalog {
namespace {

constexpr std::string_view kNotTold = "not available in this format";
constexpr std::string_view kUnwanted = "skipped: no report or rule needs it";

}  // namespace

// Creates all metrics of the catalog, absent without a reason. MoveTo() sets a general reason for
// those that no analysis has set.
Output::Output(std::span<const RecordingHint> hints, Accelerator accelerator,
               std::vector<std::string_view> unwanted)
    : hints_(hints),
      accelerator_(accelerator),
      unwanted_(std::move(unwanted)),
      strings_(std::make_shared<StringPool>()) {
  for (const MetricSpec& spec : MetricCatalogue()) {
    metrics_.push_back({&spec, {}, {}, false, {}, {}});
  }
  is_touched_.resize(metrics_.size());
}

bool Output::Wants(std::string_view id) const {
  return std::find(unwanted_.begin(), unwanted_.end(), id) == unwanted_.end();
}

std::string Output::Told(std::string_view text) const {
  return InDeviceWords(text, DeviceWordsOf(accelerator_));
}

void Output::Set(MetricId id, Value value) {
  Metric& metric = Touched(id);
  metric.value = std::move(value);
  metric.absent_because.clear();
}

void Output::SetAbsent(MetricId id, std::string reason) {
  Metric& metric = Touched(id);
  metric.value = {};
  metric.absent_because = std::move(reason);
}

std::string Output::HowToRecord(Capability capability, std::string_view otherwise) const {
  for (const RecordingHint& hint : hints_) {
    if (hint.capability == capability) return Told(hint.how);
  }
  return Told(otherwise);
}

void Output::SetNote(MetricId id, std::string note, bool low_confidence) {
  Metric& metric = Touched(id);
  metric.note = std::move(note);
  metric.low_confidence = low_confidence;
}

namespace {

// Returns the end of a metric's range to keep, given a second end. On the same side, it is the
// farther one. With one end on each side, it is the worse one, and a failure by the value is
// uncertain. Example: idle time of 10 %, where less is better:
//
//   may be 5 %, then 8 %     5 %
//   may be 5 %, then 14 %    14 %, with low confidence
double FarthestOf(Metric& metric, double other) {
  if (!metric.may_be) return other;
  const double value = AsNumber(metric.value, 0);
  const double first = *metric.may_be - value, second = other - value;
  if (first == 0 || second == 0) return first == 0 ? other : *metric.may_be;
  if ((first < 0) == (second < 0))
    return std::abs(first) > std::abs(second) ? *metric.may_be : other;
  metric.low_confidence = true;
  const bool less_is_better = metric.spec->direction == Direction::kLowerIsBetter;
  return (first > second) == less_is_better ? *metric.may_be : other;
}

}  // namespace

void Output::MayBe(MetricId id, double other, std::string_view why) {
  if (!IsSet(id)) return;
  Metric& metric = Touched(id);
  metric.is_slowed = false;
  metric.may_be = FarthestOf(metric, other);
  metric.note += (metric.note.empty() ? "" : "; ") + std::string(why);
}

void Output::SlowedTo(MetricId id, double other, std::string_view why) {
  if (!IsSet(id)) return;
  const bool is_only = !Touched(id).may_be;
  MayBe(id, other, why);
  Touched(id).is_slowed = is_only;
}

void Output::SetInterval(MetricId id, double low, double high, std::string_view why) {
  if (!IsSet(id)) return;
  Metric& metric = Touched(id);
  metric.may_be = high;
  metric.may_also_be = low;
  metric.note += (metric.note.empty() ? "" : "; ") + std::string(why);
}

void Output::MarkUncertain(MetricId id, std::string_view why) {
  if (!IsSet(id)) return;
  Metric& metric = Touched(id);
  metric.note += (metric.note.empty() ? "" : "; ") + std::string(why);
  metric.low_confidence = true;
}

// Metrics, tables and columns of a basis are removed together, so that a report never shows a table
// without its metrics.
void Output::SetLacking(bool Basis::*basis, const std::string& reason) {
  for (const MetricId id : metric::kAll) {
    if (SpecOf(id).basis.*basis) SetAbsent(id, reason);
  }
  for (const TableSpec& spec : TableCatalogue()) {
    if (spec.basis.*basis) RemoveTable(spec.id, reason);
  }
  for (const ColumnBasis& column : ColumnsWithBasis()) {
    if (column.basis.*basis) MarkColumnAbsent(column.table, column.column, reason);
  }
}

void Output::MarkUncertain(bool Basis::*basis, std::string_view why) {
  for (const MetricId id : metric::kAll) {
    if (SpecOf(id).basis.*basis) MarkUncertain(id, why);
  }
}

// tables_ is a deque, so that references stay valid while tables are added, but not when one is
// removed.
Table& Output::AddTable(std::string_view id) {
  const TableSpec* spec = FindTable(id);
  assert(spec != nullptr && "the table is not in the catalog");
  Table& table = tables_.emplace_back(spec->id, spec->row_name, Told(spec->title), strings_);
  for (const ColumnSpec& column : spec->columns) {
    table.AddColumn(column).Retitle(Told(column.title));
  }
  return table;
}

Table& Output::ReplaceTable(std::string_view id) {
  std::erase_if(tables_, [id](const Table& table) { return table.id() == id; });
  absent_tables_.erase(std::string(id));
  return AddTable(id);
}

void Output::RemoveTable(std::string_view id, std::string reason) {
  std::erase_if(tables_, [id](const Table& table) { return table.id() == id; });
  SetTableAbsent(id, std::move(reason));
}

const Value& Output::ValueOf(MetricId id) const { return metrics_[id.place()].value; }

bool Output::IsSet(MetricId id) const { return !IsAbsent(ValueOf(id)); }

void Output::MarkColumnAbsent(std::string_view table, std::string_view column, std::string reason) {
  for (Table& added : tables_) {
    Column* found = added.id() == table ? added.Find(column) : nullptr;
    if (found != nullptr) found->MarkAbsent(reason);
  }
}

// Checks all columns, because their lengths differ while a table is filled.
bool Output::HasRows(std::string_view id) const {
  for (const Table& table : tables_) {
    if (table.id() != id) continue;
    return std::any_of(table.columns().begin(), table.columns().end(),
                       [](const Column& column) { return column.size() > 0; });
  }
  return false;
}

const Table* Output::Added(std::string_view id) const {
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [id](const Table& table) { return table.id() == id; });
  return found == tables_.end() ? nullptr : &*found;
}

std::vector<std::uint32_t>& Output::RowsOfDevice(std::string_view table, std::size_t rank) {
  return device_rows_[{std::string(table), rank}];
}

void Output::SetExposure(std::string_view table, Exposure exposure) {
  exposures_.insert_or_assign(std::string(table),
                              std::make_shared<const Exposure>(std::move(exposure)));
}

void Output::SetTableAbsent(std::string_view id, std::string reason) {
  absent_tables_.insert_or_assign(std::string(id), std::move(reason));
}

void Output::RemarkCut(std::string_view table, std::size_t all, std::string_view which) {
  Table& rows = *std::ranges::find(tables_, table, &Table::id);
  if (all <= rows.rows()) return;
  rows.SetAllRows(all);
  AddRemark(fmt::format("table-rows/{}", table),
            fmt::format("of {} rows of the table \"{}\", the report has the {} {}",
                        FormatCount(static_cast<std::int64_t>(all)), rows.title(), which,
                        FormatCount(static_cast<std::int64_t>(rows.rows()))));
}

void Output::AddRemark(std::string id, std::string text) {
  remarks_.push_back({std::move(id), std::move(text)});
}

// Moves only touched metrics, since a part has an empty entry for all others.
void Output::Join(Output part) {
  for (const MetricId id : metric::kAll) {
    if (part.is_touched_[id.place()]) Touched(id) = std::move(part.metrics_[id.place()]);
  }
  for (Table& table : part.tables_) {
    assert(Added(table.id()) == nullptr && "a table of two parts of the analysis");
    tables_.push_back(std::move(table));
  }
  absent_tables_.merge(part.absent_tables_);
  remarks_.insert(remarks_.end(), std::make_move_iterator(part.remarks_.begin()),
                  std::make_move_iterator(part.remarks_.end()));
  device_rows_.merge(part.device_rows_);
  exposures_.merge(part.exposures_);
}

// Adds empty tables, with a reason, for tables of the catalog that were not added, so that reports
// and rules find every table.
void Output::MoveTo(Analysis& analysis) {
  for (Metric& metric : metrics_) {
    if (IsAbsent(metric.value) && metric.absent_because.empty()) metric.absent_because = kNotTold;
  }
  analysis.metrics = std::move(metrics_);
  for (const TableSpec& spec : TableCatalogue()) {
    Table* found = nullptr;
    for (Table& table : tables_) {
      if (table.id() == spec.id) found = &table;
    }
    if (found == nullptr) {
      absent_tables_.try_emplace(std::string(spec.id), Wants(spec.id) ? kNotTold : kUnwanted);
      analysis.tables.emplace_back(spec.id, spec.row_name, Told(spec.title), strings_);
      continue;
    }
    std::size_t rows = 0;
    for (const Column& column : found->columns()) rows = std::max(rows, column.size());
    for (Column& column : found->columns()) {
      while (column.size() < rows) column.AddAbsent();
    }
    analysis.tables.push_back(std::move(*found));
  }
  analysis.absent_tables = std::move(absent_tables_);
  analysis.remarks = std::move(remarks_);
  analysis.exposures = std::move(exposures_);
}

}  // namespace profgauge::analysis::catalog
