#include "report/run_row.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>
#include <span>

#include "analysis/analysis.h"
#include "base/hashes.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "profgauge/version.h"
#include "report/build_profile.h"
#include "report/build_sections.h"
#include "report/diagnosis.h"
#include "report/redact.h"
#include "rules/shape.h"

namespace profgauge::report {
namespace {

using ColumnType = RowColumnSpec::Type;

// Limits in bytes, so that a row stays a line of some kilobytes.
constexpr std::size_t kLongestText = 200;
constexpr std::size_t kLongestList = 2'000;
// Properties of a run from --label, and their columns.
constexpr std::string_view kLabelProperty = "label ";
constexpr std::string_view kLabelColumn = "label_";

std::string RowTime(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string ShortText(std::string_view text) {
  return PrintableShort(std::string(text), kLongestText);
}

// The texts that fit into kLongestList, each cut to kLongestText; then the number of the others.
std::vector<std::string> ShortTexts(std::vector<std::string> texts) {
  std::size_t bytes = 0;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string cut = ShortText(texts[i]);
    bytes += cut.size();
    if (bytes > kLongestList) {
      out.push_back(fmt::format("and {} more", texts.size() - i));
      break;
    }
    if (std::ranges::find(out, cut) == out.end()) out.push_back(std::move(cut));
  }
  return out;
}

// A column name with only letters, digits and `_`: "team-a" is label_team_a.
std::string RowColumnName(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_plain) c = '_';
  }
  return name;
}

std::vector<std::pair<std::string, std::string>> ShortLabels(
    const std::vector<std::pair<std::string, std::string>>& labels) {
  std::vector<std::pair<std::string, std::string>> out;
  std::size_t bytes = 0;
  for (const auto& [name, value] : labels) {
    std::pair<std::string, std::string> label(RowColumnName(ShortText(name)), ShortText(value));
    bytes += label.first.size() + label.second.size();
    if (bytes > kLongestList) break;
    out.push_back(std::move(label));
  }
  return out;
}

RunRow RowOfFacts(const RowFacts& facts) {
  RunRow row;
  row.time = RowTime(facts.time);
  row.tool = std::string("profgauge ") + kVersion;
  if (!facts.is_redacted) {
    row.branch = ShortText(facts.branch);
    row.job = ShortText(facts.job);
  }
  row.commit = ShortText(facts.commit);
  row.labels = ShortLabels(facts.labels);
  row.exit_code = facts.exit_code;
  return row;
}

std::optional<double> RowShare(const Quantity& quantity) {
  if (quantity.unit != Unit::kShare || IsAbsent(quantity.value)) return std::nullopt;
  return AsNumber(quantity.value, 0);
}

std::optional<double> RowMetric(const RunRow& row, MetricId id) {
  if (row.metrics.empty() || std::isnan(row.metrics[id.place()])) return std::nullopt;
  return row.metrics[id.place()];
}

void TakeCounts(RunRow& row) {
  row.gpus = RowMetric(row, metric::kProfileGpus);
  row.ranks = RowMetric(row, metric::kProfileRanks);
  row.iterations = RowMetric(row, metric::kProfileIterations);
}

std::vector<std::string> InputHashes(const Report& report) {
  std::vector<std::string> hashes;
  for (const auto& [key, text] : report.provenance) {
    if (key == "input" || key.starts_with("input ")) hashes.push_back(text);
  }
  return hashes;
}

std::string_view PairValue(const std::vector<std::pair<std::string, std::string>>& pairs,
                           std::string_view key) {
  const auto found = std::ranges::find(pairs, key, &std::pair<std::string, std::string>::first);
  return found == pairs.end() ? std::string_view() : found->second;
}

void DescribeRecording(const Report& report, bool is_redacted, RunRow& row) {
  row.run = RunIdOf(InputHashes(report), is_redacted);
  row.captured = report.profile.captured;
  row.format = report.profile.format;
  std::set<std::string> models;
  for (const Device& device : report.profile.devices) {
    if (!device.name.empty()) models.insert(device.name);
  }
  for (const std::string& model : models) row.gpu += (row.gpu.empty() ? "" : ", ") + model;
  row.gpu = ShortText(row.gpu);
  row.framework = ShortText(report.profile.framework);
  for (const char* title : {"CUDA driver", "HIP driver", "Driver"}) {
    if (row.driver.empty()) row.driver = ShortText(PairValue(report.profile.versions, title));
  }
  row.metrics.assign(metric::kAll.size(), std::numeric_limits<double>::quiet_NaN());
  for (const Metric& of : report.metrics) {
    const auto id = FindMetricId(of.id);
    if (id && !IsAbsent(of.quantity.value)) {
      row.metrics[id->place()] =
          AsNumber(of.quantity.value, std::numeric_limits<double>::quiet_NaN());
    }
  }
  TakeCounts(row);
  std::vector<std::pair<std::string, std::string>> labels;
  for (const auto& [name, value] : report.environment) {
    if (name.starts_with(kLabelProperty))
      labels.emplace_back(name.substr(kLabelProperty.size()), value);
  }
  if (!labels.empty()) row.labels = ShortLabels(labels);
  const std::string_view world = PairValue(report.environment, "world_size");
  double stated = 0;
  std::from_chars(world.data(), world.data() + world.size(), stated);
  row.world_size = std::max(stated, row.ranks.value_or(1));
}

// Failures, worst first; for a run without a verdict, the codes of its reasons.
std::vector<std::string> RowReasons(const Report& report) {
  std::vector<std::string> reasons;
  if (report.verdict.status == State::kNoVerdict) {
    for (const NoVerdict& reason : report.verdict.no_verdict) reasons.push_back(reason.code);
  }
  if (report.verdict.status != State::kFail) return reasons;
  for (const std::string& part : PartReasons(report)) {
    std::string kind = part.substr(0, part.find_first_of(" :"));
    if (!kind.ends_with('s')) kind += 's';
    if (std::ranges::find(reasons, kind) == reasons.end()) reasons.push_back(std::move(kind));
  }
  for (const State level : {State::kError, State::kWarn}) {
    for (const GateRow& limit : report.gate) {
      if (limit.status == level && limit.counted_with.empty()) reasons.push_back(limit.metric);
    }
    if (report.comparison) {
      for (const ComparedMetric& compared : report.comparison->metrics) {
        if (compared.result == State::kFail && compared.level == level)
          reasons.push_back(compared.metric);
      }
    }
    for (const Finding& finding : report.findings) {
      if (finding.status == level && finding.counted_with.empty()) reasons.push_back(finding.rule);
    }
    if (!reasons.empty()) return reasons;
  }
  return reasons;
}

std::vector<std::string> FiredKeys(const Report& report) {
  std::vector<std::string> keys;
  for (const Finding& finding : report.findings) {
    if (HasFired(finding)) keys.push_back(finding.key.empty() ? finding.rule : finding.key);
  }
  return keys;
}

bool IsOfTypicalTime(const ComparedMetric& compared) {
  return compared.metric == metric::kIterationTimeMedian ||
         compared.metric == metric::kStepTimeMedian;
}

void TakeComparison(const Report& report, RunRow& row) {
  row.baseline_state = report.baseline ? report.baseline->state : "none";
  row.baseline_runs = report.baseline ? static_cast<double>(report.baseline->runs.size()) : 0.0;
  if (!report.comparison) return;
  const Comparison& comparison = *report.comparison;
  if (!report.baseline) row.baseline_state = "used";
  row.baseline_runs = static_cast<double>(comparison.baseline_runs);
  if (comparison.movement) row.movement = gate::NameOf(comparison.movement->kind);
  const auto compared = std::ranges::find_if(comparison.metrics, IsOfTypicalTime);
  if (compared == comparison.metrics.end()) return;
  row.change = RowShare(compared->change);
  row.change_low = RowShare(compared->low);
  row.change_high = RowShare(compared->high);
  row.total = RowShare(compared->total);
}

// A driver version as in reports: 12040 is 12.4.
std::string DriverText(std::string_view raw) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != raw.data() + raw.size()) return std::string(raw);
  constexpr std::int64_t kLeastOfHip = 1'000'000;
  return DecodedVersion(number >= kLeastOfHip ? "hip_driver_version" : "cuda_driver_version",
                        std::string(raw));
}

RowCell RowCellOf(const std::string& text) { return text.empty() ? RowCell() : RowCell(text); }
RowCell RowCellOf(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? RowCell(*number) : RowCell();
}
RowCell RowCellOf(const std::optional<std::vector<std::string>>& texts) {
  return texts ? RowCell(*texts) : RowCell();
}

// The columns before and after the labels, with the functions that fill them.
struct RowFill {
  std::string_view name;
  ColumnType type;
  Unit unit;
  std::string_view doc;
  RowCell (*cell)(const RunRow& row);
};
#define PROFGAUGE_ROW(name, type, unit, doc)                                      \
  {                                                                               \
#name, type, unit, doc, [](const RunRow& row) { return RowCellOf(row.name); } \
  }
constexpr RowFill kBefore[] = {
    {"row_schema", ColumnType::kWhole, Unit::kCount,
     "1; raised where a column goes or changes its meaning, not where one is added",
     [](const RunRow&) { return RowCell(double{kRowSchema}); }},
    PROFGAUGE_ROW(run, ColumnType::kText, Unit::kText,
                  "The profile: the first 16 digits of its content hash, of ranks of the hash of "
                  "theirs; with --redact of digests"),
    PROFGAUGE_ROW(time, ColumnType::kText, Unit::kText, "When it was judged: ISO 8601, UTC"),
    PROFGAUGE_ROW(captured, ColumnType::kText, Unit::kText, "When it was recorded: ISO 8601, UTC"),
    PROFGAUGE_ROW(tool, ColumnType::kText, Unit::kText, "The version that judged"),
    PROFGAUGE_ROW(format, ColumnType::kText, Unit::kText, "The reader of the profile"),
    PROFGAUGE_ROW(branch, ColumnType::kText, Unit::kText, "By the CI or git"),
    PROFGAUGE_ROW(commit, ColumnType::kText, Unit::kText, "By --commit, the CI or git"),
    PROFGAUGE_ROW(job, ColumnType::kText, Unit::kText, "By --model, or the job of profgauge.yaml"),
};
constexpr RowFill kAfter[] = {
    PROFGAUGE_ROW(gpu, ColumnType::kText, Unit::kText, "Models of the devices, each once"),
    PROFGAUGE_ROW(gpus, ColumnType::kWhole, Unit::kCount, "Devices with work"),
    PROFGAUGE_ROW(ranks, ColumnType::kWhole, Unit::kCount, "Ranks that were recorded"),
    PROFGAUGE_ROW(world_size, ColumnType::kWhole, Unit::kCount, "Ranks of the program"),
    PROFGAUGE_ROW(iterations, ColumnType::kWhole, Unit::kCount, "Iterations that were judged"),
    PROFGAUGE_ROW(framework, ColumnType::kText, Unit::kText,
                  "Framework, with its version where known"),
    PROFGAUGE_ROW(driver, ColumnType::kText, Unit::kText, "Version of the device's driver"),
    PROFGAUGE_ROW(verdict, ColumnType::kText, Unit::kText,
                  "pass, fail or no_verdict; also no_verdict where nothing could be judged"),
    PROFGAUGE_ROW(exit_code, ColumnType::kWhole, Unit::kCount, "Exit code of the program"),
    PROFGAUGE_ROW(reasons, ColumnType::kTexts, Unit::kText,
                  "Metrics and rules that failed, or codes of the reasons why there is no verdict"),
    PROFGAUGE_ROW(findings, ColumnType::kTexts, Unit::kText, "Keys of the findings"),
    PROFGAUGE_ROW(policy, ColumnType::kText, Unit::kText, "Name of the policy"),
    PROFGAUGE_ROW(baseline_state, ColumnType::kText, Unit::kText,
                  "used, none, first, learning, lost, none_comparable or unknown_branch"),
    PROFGAUGE_ROW(baseline_runs, ColumnType::kWhole, Unit::kCount, "Runs of the baseline"),
    PROFGAUGE_ROW(change, ColumnType::kReal, Unit::kShare,
                  "Change of the typical iteration or step against the baseline, relative"),
    PROFGAUGE_ROW(change_low, ColumnType::kReal, Unit::kShare, "Low end of its interval"),
    PROFGAUGE_ROW(change_high, ColumnType::kReal, Unit::kShare, "High end of its interval"),
    PROFGAUGE_ROW(total, ColumnType::kReal, Unit::kShare,
                  "Change of the total of all iterations, relative"),
    PROFGAUGE_ROW(movement, ColumnType::kText, Unit::kText, "Kind of the change"),
};
#undef PROFGAUGE_ROW

void AddRowColumns(std::span<const RowFill> filled, std::vector<RowColumnSpec>& columns) {
  for (const RowFill& one : filled) {
    columns.push_back({std::string(one.name), one.type, one.unit, std::string(one.doc)});
  }
}

}  // namespace

std::string RunIdOf(std::vector<std::string> hashes, bool is_redacted) {
  constexpr std::size_t kDigits = 16;
  if (hashes.empty()) return {};
  if (is_redacted) {
    for (std::string& hash : hashes) hash = DigestOf(hash);
  }
  if (hashes.size() == 1) return hashes.front().substr(0, kDigits);
  ContentHash all;
  for (const std::string& hash : hashes) all.Add(hash);
  return all.Hex().substr(0, kDigits);
}

RunRow RowOf(const Report& report, const RowFacts& facts) {
  RunRow row = RowOfFacts(facts);
  if (!report.provenance.empty()) DescribeRecording(report, facts.is_redacted, row);
  if (report.verdict.status != State::kNotJudged) row.verdict = NameOf(report.verdict.status);
  row.reasons = ShortTexts(RowReasons(report));
  row.findings = ShortTexts(FiredKeys(report));
  row.policy = ShortText(WithoutFolders(report.verdict.policy));
  TakeComparison(report, row);
  return row;
}

RunRow RowOf(std::vector<std::string> codes, const RowFacts& facts) {
  RunRow row = RowOfFacts(facts);
  row.verdict = NameOf(State::kNoVerdict);
  row.reasons = ShortTexts(std::move(codes));
  row.findings.emplace();
  return row;
}

RunRow RowOf(const gate::HistoryEntry& entry) {
  RowFacts facts;
  facts.time = entry.time;
  facts.branch = entry.branch;
  facts.commit = entry.commit;
  facts.job = entry.model;
  for (const auto& [name, value] : entry.snapshot.environment) {
    if (name.starts_with(kLabelProperty))
      facts.labels.emplace_back(name.substr(kLabelProperty.size()), value);
  }
  RunRow row = RowOfFacts(facts);
  row.tool.clear();  // The tool that judged the run is not stored.
  row.exit_code.reset();
  DescribeRun(entry.snapshot, false, row);
  if (entry.verdict.empty()) return row;
  const bool has_failed = entry.verdict == "fail" || entry.verdict == "limits";
  const State state = entry.verdict == "pass" ? State::kPass
                      : has_failed            ? State::kFail
                                              : State::kNoVerdict;
  row.verdict = NameOf(state);
  row.exit_code = state == State::kPass ? 0 : state == State::kFail ? 1 : 3;
  return row;
}

void DescribeRun(const gate::Snapshot& run, bool is_redacted, RunRow& row) {
  row.run = RunIdOf({run.source}, is_redacted);
  row.format = run.format;
  row.gpu = ShortText(run.Environment("gpu"));
  row.framework = ShortText(run.Environment("framework"));
  row.driver = ShortText(DriverText(run.Environment("driver")));
  row.metrics.assign(metric::kAll.size(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& [name, value] : run.metrics) {
    if (const auto id = FindMetricId(name)) row.metrics[id->place()] = value;
  }
  TakeCounts(row);
  const std::string_view world = run.Environment("world_size");
  double size = 0;
  const auto parsed = std::from_chars(world.data(), world.data() + world.size(), size);
  if (parsed.ec == std::errc()) row.world_size = size;
}

std::vector<RowColumnSpec> RowColumns(const std::set<std::string>& labels) {
  std::vector<RowColumnSpec> columns;
  AddRowColumns(kBefore, columns);
  for (const std::string& label : labels) {
    columns.push_back(
        {std::string(kLabelColumn) + label, ColumnType::kText, Unit::kText, "By --label"});
  }
  AddRowColumns(kAfter, columns);
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
    columns.push_back(
        {RowColumnName(spec.id), ColumnType::kReal, spec.unit,
         fmt::format("{}: {}", spec.id,
                     InDeviceWords(spec.title, DeviceWordsOf(Accelerator::kUnknown)))});
  }
  return columns;
}

std::set<std::string> RowLabels(const RunRow& row) {
  std::set<std::string> names;
  for (const auto& [name, value] : row.labels) names.insert(name);
  return names;
}

std::vector<RowCell> RowCells(const RunRow& row, const std::set<std::string>& labels) {
  std::vector<RowCell> cells;
  cells.reserve(std::size(kBefore) + labels.size() + std::size(kAfter) + metric::kAll.size());
  for (const RowFill& one : kBefore) cells.push_back(one.cell(row));
  for (const std::string& label : labels) {
    cells.push_back(RowCellOf(std::string(PairValue(row.labels, label))));
  }
  for (const RowFill& one : kAfter) cells.push_back(one.cell(row));
  for (const MetricId id : metric::kAll) {
    cells.push_back(RowCellOf(RowMetric(row, id)));
  }
  return cells;
}

std::string RowSchema() {
  namespace json = boost::json;
  const auto schema_of = [](const RowColumnSpec& column) {
    json::object out;
    switch (column.type) {
      case ColumnType::kText:
        out["type"] = {"string", "null"};
        break;
      case ColumnType::kTexts:
        out["type"] = {"array", "null"};
        out["items"] = {{"type", "string"}};
        break;
      case ColumnType::kWhole:
        out["type"] = {"integer", "null"};
        break;
      case ColumnType::kReal:
        out["type"] = {"number", "null"};
        break;
    }
    out["description"] = column.unit == Unit::kText
                             ? column.doc
                             : fmt::format("{} ({})", column.doc, UnitName(column.unit));
    return out;
  };
  json::object properties;
  json::array required;
  for (const RowColumnSpec& column : RowColumns()) {
    properties[column.name] = schema_of(column);
    required.emplace_back(column.name);
  }
  properties["row_schema"] = {{"const", kRowSchema}};
  properties["verdict"].as_object()["enum"] = {"pass", "fail", "no_verdict", nullptr};
  const json::object schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "profgauge row"},
      {"description", "a line for each run, of --write row=FILE and history list --format jsonl"},
      {"type", "object"},
      {"required", std::move(required)},
      {"properties", std::move(properties)},
      {"patternProperties",
       {{"^label_", {{"type", {"string", "null"}}, {"description", "By --label"}}}}},
      {"additionalProperties", false}};
  return rules::PrettyJson(schema) + "\n";
}

}  // namespace profgauge::report
