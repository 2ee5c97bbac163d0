// A finding's evidence as rows of the page.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>
#include <string>

#include "base/format.h"
#include "render/html/view.h"
#include "report/iteration_labels.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;

// "start,end,rank", in ns; empty when the row of evidence does not say.
std::string IntervalOf(const report::Finding& finding, const std::vector<Value>& row) {
  const auto when = report::FindInterval(finding, row);
  return when ? fmt::format("{},{},{}", when->start, when->end, when->rank) : "";
}

// A long name stands whole where it comes first; further on its ends are enough to know it.
void FoldInto(json::object& cell, std::string_view text, std::set<std::string_view>& seen) {
  const Folded folded = Fold(text);
  const bool known = !folded.rest.empty() && !seen.insert(text).second;
  cell["text"] = known ? fmt::format("{}…{}", folded.head, folded.tail) : std::string(folded.head);
  cell["rest"] = known ? "" : folded.rest;
  cell["tail"] = known ? "" : folded.tail;
}

}  // namespace

boost::json::array EvidenceRows(const report::Report& report, const report::Finding& finding,
                                std::size_t max_rows) {
  const report::Labels labels = report::IterationLabels(report);
  std::set<std::string_view> seen;
  json::array rows;
  for (std::size_t i = 0; i < std::min(max_rows, finding.evidence.size()); ++i) {
    json::array cells;
    for (std::size_t k = 0; k < finding.evidence[i].size(); ++k) {
      const Unit unit = k < finding.evidence_units.size() ? finding.evidence_units[k] : Unit::kText;
      const Value& value = finding.evidence[i][k];
      json::object cell = NumberView(value, unit);
      cell["rest"] = cell["tail"] = "";
      const std::string_view label = report::LabelOfCell(labels, finding.evidence_heads[k], value);
      if (const auto* text = std::get_if<std::string>(&value)) {
        FoldInto(cell, *text, seen);
      } else if (!label.empty()) {
        cell["text"] = label;
      }
      cell["align"] = unit == Unit::kText ? "left" : "right";
      cells.push_back(std::move(cell));
    }
    rows.push_back(json::object{{"cells", std::move(cells)},
                                {"interval", IntervalOf(finding, finding.evidence[i])}});
  }
  return rows;
}

}  // namespace profgauge::render::html
