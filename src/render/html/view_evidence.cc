// A finding's evidence as rows of the page.
#include "render/html/view_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/format.h"
#include "render/html/view.h"
#include "report/labels.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;

// The interval "start,end,rank" in ns, for a link to the timeline; empty if the row has no time.
std::string IntervalOf(const report::Finding& finding, const std::vector<Value>& row) {
  const auto when = report::FindInterval(finding, row);
  return when ? fmt::format("{},{},{}", when->start, when->end, when->rank) : "";
}

// Sets a name. It is whole where it first appears; later, or if a table of the page has it, only a
// part that distinguishes it is shown.
void FoldInto(json::object& cell, std::string_view text, SeenNames& seen) {
  constexpr std::size_t kCharactersShown = 110;
  const Folded folded = Fold(text);
  const bool known = !folded.rest.empty() && !seen.insert(text).second;
  cell["text"] = known ? CutName(text, kCharactersShown) : std::string(folded.head);
  cell["rest"] = known ? "" : folded.rest;
  cell["tail"] = known ? "" : folded.tail;
}

}  // namespace

SeenNames NamesOfKernels(const report::Report& report) {
  SeenNames names;
  const Table* kernels = FindTable(report, "kernels");
  const Column* name = kernels == nullptr ? nullptr : kernels->Find("name");
  if (name == nullptr || kernels->rows() > kSmallPayloadRows) return names;
  for (std::size_t row = 0; row < kernels->rows(); ++row) {
    if (!name->IsAbsentAt(row)) names.insert(kernels->strings()[name->TextAt(row)]);
  }
  return names;
}

std::vector<std::size_t> EvidenceColumns(const report::Finding& finding) {
  std::vector<std::size_t> columns;
  for (std::size_t k = 0; k < finding.evidence_heads.size(); ++k) {
    const bool has_value = std::any_of(
        finding.evidence.begin(), finding.evidence.end(),
        [k](const std::vector<Value>& row) { return k < row.size() && !IsAbsent(row[k]); });
    if (has_value) columns.push_back(k);
  }
  return columns;
}

boost::json::array EvidenceRows(const report::Report& report, const report::Finding& finding,
                                std::size_t max_rows, SeenNames& seen) {
  const report::Labels labels = report::IterationLabels(report);
  // Evidence may be longer if the page has a timeline, to which rows link, or few ranks.
  constexpr std::size_t kRoom = 6'000, kLittleRoom = 600, kCell = 12, kLeast = 5;
  constexpr std::int64_t kRanksWithRoom = 8;
  const bool has_room = !report.timeline.empty() || report.profile.ranks <= kRanksWithRoom;
  const std::size_t most_bytes = has_room ? kRoom : kLittleRoom;
  const std::vector<std::size_t> columns = EvidenceColumns(finding);
  std::size_t bytes = 0;
  json::array rows;
  for (std::size_t i = 0; i < std::min(max_rows, finding.evidence.size()); ++i) {
    if (i >= kLeast && bytes > most_bytes) break;
    json::array cells;
    for (const std::size_t k : columns) {
      if (k >= finding.evidence[i].size()) break;
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
      bytes += kCell + cell["text"].as_string().size() + cell["rest"].as_string().size();
      cell["align"] = unit == Unit::kText ? "" : "right";
      cells.push_back(std::move(cell));
    }
    rows.push_back(json::object{{"cells", std::move(cells)},
                                {"interval", IntervalOf(finding, finding.evidence[i])}});
  }
  return rows;
}

}  // namespace profgauge::render::html
