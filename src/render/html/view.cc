#include "render/html/view.h"

#include <boost/json.hpp>

#include "base/format.h"

namespace profgauge::render::html {

namespace json = boost::json;

boost::json::object NumberView(const Value& value, Unit unit) {
  std::string text = FormatValue(value, unit);
  std::string exact = IsAbsent(value) ? std::string() : FormatExact(value, unit);
  if (exact == text) exact.clear();
  return {{"text", std::move(text)}, {"exact", std::move(exact)}, {"absent", ""}};
}

boost::json::object NumberView(const report::Quantity& quantity) {
  json::object view = NumberView(quantity.value, quantity.unit);
  // The text is the report's own: four renderers must not disagree on rounding.
  if (view["exact"].as_string() == quantity.text) view["exact"] = "";
  view["text"] = quantity.text;
  view["absent"] = IsAbsent(quantity.value) ? quantity.absent_because : std::string();
  return view;
}

const report::Metric* FindMetric(const report::Report& report, std::string_view id) {
  for (const report::Metric& metric : report.metrics) {
    if (metric.id == id) return IsAbsent(metric.quantity.value) ? nullptr : &metric;
  }
  return nullptr;
}

double MetricOr(const report::Report& report, std::string_view id, double otherwise) {
  const report::Metric* metric = FindMetric(report, id);
  return metric == nullptr ? otherwise : AsNumber(metric->quantity.value, otherwise);
}

const Table* FindTable(const report::Report& report, std::string_view id) {
  for (const Table& table : report.tables) {
    if (table.id() == id && !table.columns().empty()) return &table;
  }
  return nullptr;
}

boost::json::object PageView(const report::Report& report) {
  return {{"verdict", VerdictView(report)},     {"run", RunView(report)},
          {"gate", GateView(report)},           {"findings", FindingsView(report)},
          {"breakdown", BreakdownView(report)}, {"iterations", IterationsView(report)},
          {"panels", PanelsView(report)},       {"tables", TablesView(report)},
          {"notes", NotesView(report)}};
}

}  // namespace profgauge::render::html
