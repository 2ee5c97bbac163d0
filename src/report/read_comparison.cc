// The twin of render/json/json_comparison.cc.
#include "report/read_report.h"

#include <optional>
#include <utility>
#include <vector>

namespace profgauge::report {
namespace {

// The text of absent values is not in the file: it is always the same dash.
constexpr const char* kAbsentText = "\u2013";

ComparedMetric ReadMetric(const JsonNode& node) {
  ComparedMetric metric;
  metric.metric = node["metric"].Text();
  metric.title = node["title"].Text();
  metric.base = ReadQuantity(node["base"]);
  metric.current = ReadQuantity(node["current"]);
  metric.change = ReadQuantity(node["change"]);
  metric.low = ReadQuantity(node["low"]);
  metric.high = ReadQuantity(node["high"]);
  metric.total = ReadQuantity(node["total"]);
  metric.total_limit = ReadQuantity(node["total_limit"]);
  metric.chance = ReadQuantity(node["chance"]);
  metric.sees = ReadQuantity(node["sees"]);
  metric.limit = node["limit"].Text();
  metric.level = ReadState(node["level"], kLevels);
  metric.result = ReadState(node["result"], kChangeStates);
  metric.note = node["note"].Text();
  return metric;
}

PairedValue ReadValue(const JsonNode& node) {
  PairedValue value;
  value.metric = node["metric"].Text();
  value.title = node["title"].Text();
  value.better = ReadWord<Better>(node["better"], kBetterNames);
  value.base = ReadQuantity(node["base"]);
  value.current = ReadQuantity(node["current"]);
  value.change = ReadQuantity(node["change"]);
  return value;
}

ComparisonStep ReadStep(const JsonNode& node) {
  ComparisonStep step;
  step.level = ReadWord<gate::PartLevel>(node["level"], gate::kPartLevelNames);
  step.name = node["name"].Text();
  step.parent = node["parent"].Integer();
  step.change = ReadWord<gate::PartChange>(node["change"], gate::kPartChangeNames);
  step.base = node["base"].Integer();
  step.current = node["current"].Integer();
  step.delta = node["delta"].Integer();
  step.count_effect = node["count_effect"].Integer();
  step.duration_effect = node["duration_effect"].Integer();
  step.base_count = AsNumber(node["base_count"].Any(), 0);
  step.current_count = AsNumber(node["current_count"].Any(), 0);
  step.significant = node["significant"].Bool();
  return step;
}

PairedWork ReadWork(const JsonNode& node) {
  PairedWork work;
  const std::vector<JsonNode> cells = node.Elements();
  constexpr std::size_t kCells = 13;
  if (cells.size() != kCells) {
    node.Expected("a list of 13 cells");
    return work;
  }
  work.name = cells[0].Text();
  work.change = ReadWord<gate::PartChange>(cells[1], gate::kPartChangeNames);
  work.base_count = AsNumber(cells[2].Any(), 0);
  work.current_count = AsNumber(cells[3].Any(), 0);
  work.base = cells[4].Integer();
  work.current = cells[5].Integer();
  work.base_host = cells[6].Integer();
  work.current_host = cells[7].Integer();
  work.delta = cells[8].Integer();
  work.count_effect = cells[9].Integer();
  work.duration_effect = cells[10].Integer();
  work.p_value = cells[11].Any();
  work.significant = cells[12].Bool();
  return work;
}

PairedTable ReadTable(const JsonNode& node) {
  PairedTable table;
  if (!node.exists()) return table;
  table.measure = ReadWord<Measure>(node["measure"], kMeasureNames);
  table.base = node["base"].Integer();
  table.current = node["current"].Integer();
  table.delta = node["delta"].Integer();
  for (const JsonNode& row : node["rows"].Elements()) table.rows.push_back(ReadWork(row));
  return table;
}

}  // namespace

State ReadState(const JsonNode& node, std::span<const State> among, State otherwise) {
  std::vector<std::string_view> names;
  for (const State state : among) names.push_back(NameOf(state));
  const std::optional<std::size_t> index = node.IndexAmong(names);
  return index ? among[*index] : otherwise;
}

Quantity ReadQuantity(const JsonNode& node) {
  Quantity quantity;
  if (!node.exists()) return quantity;
  quantity.unit = node["unit"].UnitNamed();
  quantity.value = node["value"].Any();
  quantity.text = IsAbsent(quantity.value) ? kAbsentText : node["text"].Text();
  quantity.absent_because = node["absent"].Text();
  return quantity;
}

Comparison ReadComparison(const JsonNode& node) {
  Comparison comparison;
  comparison.baseline = node["baseline"].Text();
  comparison.candidate = node["candidate"].Text();
  comparison.baseline_runs = node["baseline_runs"].Integer();
  if (node["current_runs"].exists()) comparison.current_runs = node["current_runs"].Integer();
  comparison.comparable = node["comparable"].Bool();
  for (const JsonNode& difference : node["differences"].Elements()) {
    comparison.differences.push_back({difference["property"].Text(), difference["base"].Text(),
                                      difference["current"].Text(), difference["blocks"].Bool()});
  }
  comparison.alike = node["alike"].TextPairs();
  comparison.work = node["work"].Text();
  comparison.work_gone = node["work_gone"].Text();
  comparison.work_come = node["work_come"].Text();
  for (const JsonNode& metric : node["metrics"].Elements()) {
    comparison.metrics.push_back(ReadMetric(metric));
  }
  comparison.slow_rank = node["slow_rank"].Text();
  if (const JsonNode movement = node["movement"]; movement.exists()) {
    Movement& read = comparison.movement.emplace();
    read.kind = ReadWord<gate::MovementKind>(movement["kind"], gate::kMovementKindNames);
    read.text = movement["text"].Text();
    for (const JsonNode& one : movement["evidence"].Elements()) {
      read.evidence.push_back(one.Text());
    }
  }
  if (node["rank"].exists()) comparison.rank = node["rank"].Integer();
  comparison.base = node["base"].Integer();
  comparison.current = node["current"].Integer();
  comparison.delta = node["delta"].Integer();
  for (const JsonNode& step : node["waterfall"].Elements()) {
    comparison.waterfall.push_back(ReadStep(step));
    // Parents come before their parts: nothing that draws the tree can go round in circles.
    const auto index = static_cast<std::int64_t>(comparison.waterfall.size()) - 1;
    const std::int64_t parent = comparison.waterfall.back().parent;
    if (parent < -1 || parent >= index) step["parent"].Expected("the index of an earlier step");
  }
  comparison.kernels = ReadTable(node["kernels"]);
  comparison.ops = ReadTable(node["ops"]);
  for (const JsonNode& value : node["values"].Elements()) {
    comparison.values.push_back(ReadValue(value));
  }
  return comparison;
}

}  // namespace profgauge::report
