// `profgauge thresholds`: the numbers of rules/knowledge/thresholds.yaml, with their evidence.
#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "knowledge/thresholds.h"
#include "rules/shape.h"

namespace profgauge::cli {
namespace {

using knowledge::ThresholdRow;
using Rows = std::vector<const ThresholdRow*>;

constexpr std::string_view kEnd =
    "\nA policy sets those marked `policy` under `thresholds_of_analysis:`. Limits on metrics are "
    "in\n"
    "the policy, too: `thresholds:`.\n";

std::string ValueText(const ThresholdRow& row) { return FormatLimit(row.value, row.unit); }

std::string Table(const Rows& rows) {
  std::size_t of_id = 2, of_value = 5;
  for (const ThresholdRow* row : rows) {
    of_id = std::max(of_id, row->id.size());
    of_value = std::max(of_value, ValueText(*row).size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:<6}  {}\n", "id", of_id, "value", of_value,
                                 "set by", "decides");
  for (const ThresholdRow* row : rows) {
    fmt::format_to(std::back_inserter(text), "{:<{}}  {:<{}}  {:<6}  {}\n", row->id, of_id,
                   ValueText(*row), of_value, row->tunable ? "policy" : "–", row->means);
  }
  return text.append(kEnd);
}

std::string Explanation(const ThresholdRow& row) {
  std::string text =
      fmt::format("{} = {} [{}]\n  {}\n  evidence: {}\n  used by: {}\n", row.id, ValueText(row),
                  UnitName(row.unit), row.means, row.evidence, row.used_by);
  text += row.tunable
              ? fmt::format("  a policy can set it from {} to {}\n",
                            FormatLimit(row.least, row.unit), FormatLimit(row.most, row.unit))
              : "  fixed\n";
  return text;
}

std::string Json(const Rows& rows) {
  boost::json::array list;
  for (const ThresholdRow* row : rows) {
    boost::json::object one = {{"id", row->id},
                               {"value", row->value},
                               {"unit", UnitName(row->unit)},
                               {"means", row->means},
                               {"evidence", row->evidence}};
    boost::json::array& users = one["used_by"].emplace_array();
    for (std::string_view rest = row->used_by; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      users.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (row->tunable) one["policy"] = {{"min", row->least}, {"max", row->most}};
    list.push_back(std::move(one));
  }
  return rules::PrettyJson(boost::json::object{{"schema", 1}, {"thresholds", std::move(list)}}) +
         "\n";
}

Error UnknownThreshold(const std::string& pattern) {
  std::vector<std::string_view> ids;
  for (const ThresholdRow& row : knowledge::Thresholds()) ids.push_back(row.id);
  std::vector<std::string> notes;
  if (const std::string_view near = DidYouMean(pattern, ids); !near.empty()) {
    notes.push_back(fmt::format("help: did you mean `{}`?", near));
  }
  notes.emplace_back("help: `profgauge thresholds list` names them all");
  return {ErrorKind::kUsage,
          "usage/unknown-threshold",
          fmt::format("no threshold matches `{}`", Printable(pattern)),
          {},
          notes};
}

// Finds the rows of these ids and patterns, in their order. Each must match at least one row.
Result<Rows> RowsOf(std::span<const std::string> patterns) {
  Rows rows;
  for (const std::string& pattern : patterns) {
    const std::size_t before = rows.size();
    for (const ThresholdRow& row : knowledge::Thresholds()) {
      if (GlobMatch(pattern, row.id)) rows.push_back(&row);
    }
    if (rows.size() == before) return Fail(UnknownThreshold(pattern));
  }
  return rows;
}

}  // namespace

Result<int> RunThresholds(const Options& options, Console& console) {
  std::span<const std::string> words = options.arguments;
  const bool names_a_verb =
      !words.empty() && (words.front() == "list" || words.front() == "explain");
  const bool is_explain = names_a_verb && words.front() == "explain";
  if (names_a_verb) words = words.subspan(1);
  const bool explains = !words.empty();
  if (is_explain && !explains) {
    return Fail(UsageError("usage/arguments", "`explain` needs an id",
                           "`profgauge thresholds list` lists the ids"));
  }
  const std::vector<std::string> all = {"*"};
  PROFGAUGE_TRY(const Rows rows, RowsOf(explains ? words : std::span(all)));
  if (options.as_json) {
    console.Print(Json(rows));
  } else if (!explains) {
    console.Print(Table(rows));
  } else {
    std::string text;
    for (const ThresholdRow* row : rows) text += Explanation(*row);
    console.Print(text);
  }
  return kExitPass;
}

}  // namespace profgauge::cli
