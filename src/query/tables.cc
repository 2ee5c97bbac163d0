#include "query/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "model/devices.h"
#include "query/event_source.h"
#include "report/state.h"

namespace profgauge::query {
namespace {

const std::vector<EventTable>& AllEventTables() {
  static const auto kAll = [] {
    std::vector<EventTable> all;
    for (auto part : {DeviceEventTables(), HostEventTables(), RunEventTables()}) {
      std::move(part.begin(), part.end(), std::back_inserter(all));
    }
    return all;
  }();
  return kAll;
}

// The reason why no rank has rows of the table.
std::string WhyAbsent(const EventTable& table,
                      std::span<const analysis::iterations::RankContext> ranks) {
  const bool has_any =
      std::any_of(ranks.begin(), ranks.end(), [&](const analysis::iterations::RankContext& rank) {
        return rank.profile->Has(table.needs);
      });
  if (has_any) return "the profile has none";
  const Profile& first = *ranks.front().profile;
  return InDeviceWords(CapabilityGap(table.needs, first.hints),
                       DeviceWordsOf(AcceleratorOf(std::span(&first, 1))));
}

}  // namespace

std::span<const TableShape> EventShapes() {
  static const auto kShapes = [] {
    std::vector<TableShape> shapes;
    for (const EventTable& table : AllEventTables()) shapes.push_back(table.shape);
    return shapes;
  }();
  return kShapes;
}

void AddEvents(const std::string& run,
               std::shared_ptr<const std::vector<analysis::iterations::RankContext>> ranks,
               std::size_t position, const Places& wanted, Dataset& data) {
  const auto events = std::make_shared<const RunEvents>(ranks);
  std::vector<std::shared_ptr<const RankEvents>> of_ranks;
  for (std::size_t i = 0; i < ranks->size(); ++i) {
    of_ranks.push_back(std::make_shared<const RankEvents>(
        events, i, static_cast<std::int64_t>(position + i) * kIdsOfRank));
  }
  for (const EventTable& table : AllEventTables()) {
    const std::size_t place = *FindRelation(table.shape.id);
    if (!wanted.contains(place)) continue;
    Relation& relation = data[place];
    for (std::size_t i = 0; i < of_ranks.size(); ++i) {
      relation.parts.push_back({run, (*ranks)[i].rank,
                                static_cast<std::int64_t>(position + i) * kIdsOfRank,
                                table.rows(of_ranks[i])});
    }
    if (relation.size() == 0) relation.absent_because = WhyAbsent(table, *ranks);
  }
}

namespace {

using enum Unit;

constexpr ColumnSpec kMetrics[] = {
    {"id", "Id", kText, "Id of the metric, as policies name it."},
    {"title", "Title", kText, "Name for people."},
    {"value", "Value", kNumber, "In the base unit; absent where the profile cannot give it."},
    {"unit", "Unit", kText, "Base unit: ns, ratio, bytes, bytes/s, flop, flop/s, count or number."},
    {"text", "Text", kText, "The value as reports show it."},
    {"better", "Better", kText, "higher, lower or neutral."},
    {"absent_because", "Reason", kText, "Why there is no value, and how to record it."},
    {"note", "Note", kText, "Bounds, or why the value is uncertain."},
};

constexpr ColumnSpec kLimits[] = {
    {"key", "Key", kText, "limit/METRIC; stable over runs."},
    {"metric", "Metric", kText, "Id of the metric."},
    {"title", "Title", kText, "Name for people."},
    {"value", "Value", kNumber, "The measured value, in the base unit."},
    {"unit", "Unit", kText, "Base unit."},
    {"limit", "Limit", kText, "The limit as reports show it."},
    {"least", "Least", kNumber, "The least value that is allowed."},
    {"most", "Most", kNumber, "The largest value that is allowed."},
    {"margin", "Margin", kNumber, "Room up to the limit; negative where it is missed."},
    {"level", "Level", kText, "Level of a miss: error or warning."},
    {"status", "Status", kText, "Result of the limit."},
    {"reason", "Reason", kText, "Why the status is not pass or fail."},
    {"counted_with", "Counted with", kText, "The metric or rule that counts this miss."},
};

constexpr ColumnSpec kJudgedRules[] = {
    {"key", "Key", kText, "RULE or RULE@GROUP; stable over runs."},
    {"rule", "Rule", kText, "Id of the rule."},
    {"level", "Level", kText, "How bad it is where the rule fires."},
    {"status", "Status", kText,
     "Level where the rule fired; else good, not_found, not_applicable, covered and so on."},
    {"title", "Title", kText, "The fault."},
    {"message", "Message", kText, "The measurement and its meaning."},
    {"metric", "Measured", kNumber, "The measured value, in the base unit."},
    {"metric_unit", "Unit", kText, "Base unit of the measured value."},
    {"reason", "Reason", kText, "Why it is not applicable, or who waived it."},
};

constexpr ColumnSpec kFindings[] = {
    {"key", "Key", kText, "RULE or RULE@GROUP; stable over runs."},
    {"rule", "Rule", kText, "Id of the rule."},
    {"level", "Level", kText, "error, warn or info."},
    {"title", "Title", kText, "The fault."},
    {"message", "Message", kText, "The measurement and its meaning."},
    {"advice", "Advice", kText, "What to do."},
    {"metric", "Measured", kNumber, "The measured value, in the base unit."},
    {"metric_unit", "Unit", kText, "Base unit of the measured value."},
    {"gain", "Saving", kTime, "Saving per iteration."},
    {"gain_basis", "Basis", kText, "simulated, at_most, about or unknown."},
    {"gain_text", "Saving in words", kText, "As every report prints it."},
    {"counted_with", "Counted with", kText, "The metric or rule that counts this finding."},
    {"explained_by", "Explained by", kText, "Rule of the finding that causes this one."},
};

constexpr ColumnSpec kPlan[] = {
    {"step", "Step", kCount, "Position in the plan, from 1."},
    {"change", "Change", kText, "What to do, in a few words."},
    {"action", "Action", kText, "The setting to change."},
    {"saves", "Saving", kTime, "Its saving per iteration, given the steps before it."},
    {"time", "Iteration time", kTime, "Iteration time after it."},
    {"keys", "Findings", kText,
     "Keys of the findings that it removes, by `, `; those of its rules before they fire."},
};

constexpr ColumnSpec kEvidence[] = {
    {"key", "Key", kText, "Key of the finding."},
    {"row", "Row", kCount, "Row of its evidence, from 0."},
    {"column", "Column", kText, "Head of the column."},
    {"value", "Value", kNumber, "The cell, a number in the base unit."},
    {"text", "Text", kText, "The cell where it is a text."},
    {"unit", "Unit", kText, "Base unit."},
};

constexpr ColumnSpec kFacts[] = {
    {"name", "Name", kText, "Name of the fact, as rules have it."},
    {"value", "Value", kNumber, "A number, or 0 or 1 for no or yes."},
    {"text", "Text", kText, "The fact where it is a text."},
};

constexpr ColumnSpec kImportLog[] = {
    {"name", "Name", kText, "Name of the counter."},
    {"severity", "Severity", kText, "info, repaired, skipped or data_loss."},
    {"count", "Count", kCount, "How often."},
    {"text", "Text", kText, "Repaired, skipped or lost events, in words."},
};

constexpr ColumnSpec kTables[] = {
    {"name", "Table", kText, "Name in SQL."},
    {"rows", "Rows", kCount, "Rows of this profile; absent before a profile is read."},
    {"doc", "Content", kText, "Content of a row."},
    {"source", "Source", kText, "report, events or history."},
    {"absent_because", "Reason", kText, "Why there are no rows."},
};

constexpr ColumnSpec kColumns[] = {
    {"table_name", "Table", kText, "Table of the column."},
    {"name", "Column", kText, "Name in SQL."},
    {"id", "Id", kText, "Id in the catalog, report.json and rules."},
    {"unit", "Unit", kText, "Base unit: ns, ratio, bytes, count, text and so on."},
    {"title", "Title", kText, "Name for people."},
    {"doc", "Definition", kText, "Meaning of the value."},
    {"is_key", "Key", kBool, "Whether it identifies a row, with the other keys of the table."},
    {"absent_because", "Reason", kText, "Why no row has a value."},
};

constexpr ColumnSpec kQueries[] = {
    {"name", "Name", kText, "Name of the query, given as @NAME."},
    {"title", "Title", kText, "The question."},
    {"parameters", "Parameters", kText, "Its parameters with their usual values."},
    {"sql", "Statement", kText, "The statement."},
};

constexpr ColumnSpec kHistoryRuns[] = {
    {"id", "Id", kCount, "Number of the run in the history."},
    {"time", "Added", kCount, "When it was added, in seconds since 1970."},
    {"branch", "Branch", kText, "Branch of the run."},
    {"commit_id", "Commit", kText, "Commit of the run, where given."},
    {"model", "Model", kText, "Model of the run, where given."},
    {"name", "Name", kText, "Name of the run."},
    {"gpu", "{{ device.device }}", kText, "Product name of the {{ device.device }}."},
    {"ranks", "Ranks", kText, "Ranks of the program."},
    {"verdict", "Verdict", kText, "pass, fail, limits, undecided or no_verdict."},
    {"accepted", "Accepted", kBool, "Whether its speed was accepted as a new level."},
};

constexpr ColumnSpec kHistoryMetrics[] = {
    {"run_id", "Run", kCount, "Number of the run in history_runs."},
    {"metric", "Metric", kText, "Id of the metric."},
    {"value", "Value", kNumber, "In the base unit."},
    {"unit", "Unit", kText, "Base unit."},
};

constexpr TableShape kShapes[] = {
    {"metrics", "Metrics", "One row per metric.", Origin::kReport, kMetrics},
    {"limits", "Limits", "One row per limit of the policy.", Origin::kReport, kLimits},
    {"findings", "Findings", "One row per rule that fired, or group for which it did.",
     Origin::kReport, kFindings},
    {"judged_rules", "Judged rules", "One row per rule, or per group that it judged.",
     Origin::kReport, kJudgedRules},
    {"plan", "Plan", "One row per step of the plan, in its order.", Origin::kReport, kPlan},
    {"evidence", "Evidence", "One row per cell of a finding's evidence.", Origin::kReport,
     kEvidence},
    {"facts", "Facts", "One row per fact about the profile that rules may name.", Origin::kReport,
     kFacts},
    {"import_log", "Import log", "One row per kind of repaired, skipped or lost events.",
     Origin::kReport, kImportLog},
    {"history_runs", "Runs of the history", "One row per run of the history; needs --db.",
     Origin::kHistory, kHistoryRuns},
    {"history_metrics", "Metrics of the history", "One row per run and metric; needs --db.",
     Origin::kHistory, kHistoryMetrics},
    {"tables", "Tables", "One row per table.", Origin::kReport, kTables},
    {"columns", "Columns", "One row per column of a table.", Origin::kReport, kColumns},
    {"queries", "Saved queries", "One row per saved query.", Origin::kReport, kQueries},
};

Cell Made(std::string_view text) { return text.empty() ? Cell() : Cell(text); }

// Texts are views, so the value must outlive the cell.
Cell CellOf(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return std::int64_t{*flag};
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return std::string_view(*text);
  return {};
}

// Columns in SQL have one type, so a value of either type has two columns.
Cell NumberOnly(const Value& value) {
  return std::holds_alternative<std::string>(value) ? Cell() : CellOf(value);
}
Cell TextOnly(const Value& value) {
  return std::holds_alternative<std::string>(value) ? CellOf(value) : Cell();
}

/// A table of the analysis, which may have fewer columns than the schema.
class TableRows : public Rows {
 public:
  TableRows(std::shared_ptr<const report::Report> owner, const Table& table,
            const RelationInfo& info)
      : owner_(std::move(owner)), table_(table) {
    for (const ColumnInfo& column : info.columns) columns_.push_back(table.Find(column.id));
  }
  std::size_t size() const override { return table_.rows(); }
  Cell At(std::size_t row, std::size_t column) const override {
    const Column* found = columns_[column];
    if (found == nullptr || found->IsAbsentAt(row)) return {};
    switch (found->type()) {
      case CellType::kInteger:
        return found->IntegerAt(row);
      case CellType::kReal:
        return found->RealAt(row);
      case CellType::kText:
        break;
    }
    return table_.strings()[found->TextAt(row)];
  }

 private:
  std::shared_ptr<const report::Report> owner_;
  const Table& table_;
  std::vector<const Column*> columns_;
};

/// Stored rows whose texts are in the report.
class RowsOfReport : public MadeRows {
 public:
  explicit RowsOfReport(std::shared_ptr<const report::Report> owner) : owner_(std::move(owner)) {}

 private:
  std::shared_ptr<const report::Report> owner_;
};

void AddTables(const std::string& run, const std::shared_ptr<const report::Report>& report,
               Dataset& data) {
  for (const Table& table : report->tables) {
    const auto place = FindRelation(table.id());
    if (!place) continue;
    Relation& relation = data[*place];
    relation.parts.push_back(
        {run, std::nullopt, 0, std::make_shared<TableRows>(report, table, *relation.info)});
    for (const ColumnInfo& column : relation.info->columns) {
      const Column* found = table.Find(column.id);
      if (found == nullptr || found->absent_because().empty()) continue;
      relation.absent_columns.emplace(column.name, found->absent_because());
    }
  }
  for (const auto& [id, why] : report->absent_tables) {
    if (const auto place = FindRelation(id)) data[*place].absent_because = why;
  }
}

void AddMetrics(const report::Report& report, MadeRows& rows) {
  for (const report::Metric& metric : report.metrics) {
    const report::Quantity& quantity = metric.quantity;
    rows.Add({Made(metric.id), Made(metric.title), CellOf(quantity.value),
              Made(UnitName(quantity.unit)), Made(quantity.text), report::NameOf(metric.better),
              Made(quantity.absent_because), Made(metric.note)});
  }
}

void AddLimits(const report::Report& report, MadeRows& rows) {
  for (const report::GateRow& row : report.gate) {
    rows.Add({"limit/" + row.metric, Made(row.metric), Made(row.title), CellOf(row.measured.value),
              Made(UnitName(row.measured.unit)), Made(row.limit), CellOf(row.min), CellOf(row.max),
              CellOf(row.margin.value), Made(report::NameOf(row.level)),
              Made(report::NameOf(row.status)), Made(row.reason), Made(row.counted_with)});
  }
}

std::string_view KeyOf(const report::Finding& finding) {
  return finding.key.empty() ? finding.rule : finding.key;
}

// The rule that explains the finding; empty if none does.
Cell CauseCell(const report::Report& report, const report::Finding& finding) {
  const report::Finding* cause = report::CauseOf(report, finding);
  return cause == nullptr ? Cell{} : Made(cause->rule);
}

void AddPlan(const report::Report& report, MadeRows& rows) {
  if (!report.plan) return;
  std::int64_t step = 0;
  for (const report::PlanStep& of : report.plan->steps) {
    rows.Add(
        {++step, Made(of.change.empty() ? of.title : of.change), Made(of.action),
         CellOf(of.saves.value.value), CellOf(of.time.value),
         Cell(fmt::format("{}", fmt::join(of.findings.empty() ? of.rules : of.findings, ", ")))});
  }
}

void AddFindings(const report::Report& report, MadeRows& findings, MadeRows& rules,
                 MadeRows& evidence) {
  for (const report::Finding& finding : report.findings) {
    rules.Add({Made(KeyOf(finding)), Made(finding.rule), Made(report::NameOf(finding.level)),
               Made(report::NameOf(finding.status)), Made(finding.title), Made(finding.message),
               CellOf(finding.metric.value), Made(UnitName(finding.metric.unit)),
               Made(finding.reason)});
    if (report::HasFired(finding)) {
      findings.Add({Made(KeyOf(finding)), Made(finding.rule), Made(report::NameOf(finding.status)),
                    Made(finding.title), Made(finding.message), Made(finding.advice),
                    CellOf(finding.metric.value), Made(UnitName(finding.metric.unit)),
                    CellOf(finding.saves.value.value), Made(NameOf(finding.saves.basis)),
                    Made(finding.saves.text), Made(finding.counted_with),
                    CauseCell(report, finding)});
    }
    for (std::size_t row = 0; row < finding.evidence.size(); ++row) {
      const std::vector<Value>& cells = finding.evidence[row];
      for (std::size_t i = 0; i < cells.size() && i < finding.evidence_heads.size(); ++i) {
        evidence.Add({Made(KeyOf(finding)), static_cast<std::int64_t>(row),
                      Made(finding.evidence_heads[i]), NumberOnly(cells[i]), TextOnly(cells[i]),
                      i < finding.evidence_units.size() ? Made(UnitName(finding.evidence_units[i]))
                                                        : Cell()});
      }
    }
  }
}

void AddImportLog(const report::Report& report, MadeRows& rows) {
  for (const report::ImportCounter& counter : report.import) {
    rows.Add({Made(counter.name), Made(SeverityName(counter.severity)),
              static_cast<std::int64_t>(counter.count), Made(counter.text)});
  }
}

}  // namespace

std::span<const TableShape> ReportShapes() { return kShapes; }

void AddReport(const std::string& run, std::shared_ptr<const report::Report> report,
               const FactValues& facts, Dataset& data) {
  AddTables(run, report, data);
  const auto add = [&](std::string_view table) -> MadeRows& {
    auto rows = std::make_shared<RowsOfReport>(report);
    MadeRows& made = *rows;
    data.Of(table).parts.push_back({run, std::nullopt, 0, std::move(rows)});
    return made;
  };
  AddMetrics(*report, add("metrics"));
  AddLimits(*report, add("limits"));
  MadeRows& findings = add("findings");
  MadeRows& rules = add("judged_rules");
  AddFindings(*report, findings, rules, add("evidence"));
  AddPlan(*report, add("plan"));
  AddImportLog(*report, add("import_log"));
  MadeRows& fact_rows = add("facts");
  for (const auto& [name, value] : facts) {
    const Cell text = TextOnly(value);  // Valid as long as the facts.
    fact_rows.Add(
        {name, NumberOnly(value), IsAbsent(text) ? Cell() : Cell(std::string(TextOf(text)))});
  }
}

}  // namespace profgauge::query
