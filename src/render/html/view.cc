#include "render/html/view.h"

#include <boost/json.hpp>
#include <cctype>

#include "base/format.h"
#include "render/template.h"

namespace profgauge::render::html {

namespace json = boost::json;

namespace {

// The digits that lead `text`, without the spaces that group them.
std::string DigitsOf(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kNumberSpace)) {
      i += kNumberSpace.size() - 1;
    } else if (text[i] == ' ' || text[i] == '%' ||
               std::isalpha(static_cast<unsigned char>(text[i]))) {
      break;
    } else {
      digits += text[i];
    }
  }
  return digits;
}

}  // namespace

std::string ExactTitle(const Value& value, Unit unit, std::string_view text) {
  if (IsAbsent(value)) return {};
  std::string exact = FormatExact(value, unit);
  return DigitsOf(exact) == DigitsOf(text) ? std::string() : exact;
}

boost::json::object NumberView(const Value& value, Unit unit) {
  std::string text = FormatValue(value, unit);
  std::string exact = ExactTitle(value, unit, text);
  return {{"text", std::move(text)}, {"exact", std::move(exact)}, {"absent", ""}};
}

boost::json::object NumberView(const report::Quantity& quantity) {
  json::object view = NumberView(quantity.value, quantity.unit);
  // The text is the report's own: four renderers must not disagree on rounding.
  view["exact"] = ExactTitle(quantity.value, quantity.unit, quantity.text);
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
  TablePacker payload;
  json::object view{{"verdict", VerdictView(report)},
                    {"run", RunView(report)},
                    {"gate", GateView(report)},
                    {"findings", FindingsView(report)},
                    {"comparison", ComparisonView(report)},
                    {"breakdown", BreakdownView(report)},
                    {"iterations", IterationsView(report, payload)},
                    {"memory", MemoryView(report)},
                    {"panels", PanelsView(report)},
                    {"tables", TablesView(report, payload)},
                    {"notes", NotesView(report)}};
  view["payload"] = MakeMarkup(payload.Finish());
  return view;
}

}  // namespace profgauge::render::html
