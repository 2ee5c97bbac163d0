// `profgauge metrics list`: the catalog of rules, limits and reports.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_list.h"
#include "model/devices.h"

namespace profgauge::cli {
namespace {

std::string_view Better(analysis::Direction direction) {
  switch (direction) {
    case analysis::Direction::kHigherIsBetter:
      return "higher";
    case analysis::Direction::kLowerIsBetter:
      return "lower";
    case analysis::Direction::kNeutral:
      break;
  }
  return "–";
}

std::string Table(const std::vector<const analysis::MetricSpec*>& specs) {
  std::size_t width = 2;
  for (const analysis::MetricSpec* spec : specs) width = std::max(width, spec->id.size());
  std::string text =
      fmt::format("{:<{}}  {:<7}  {:<6}  {}\n", "id", width, "unit", "better", "title");
  for (const analysis::MetricSpec* spec : specs) {
    fmt::format_to(std::back_inserter(text), "{:<{}}  {:<7}  {:<6}  {}\n", spec->id, width,
                   UnitName(spec->unit), Better(spec->direction), InGeneralWords(spec->title));
  }
  return text;
}

// Definitions speak of devices in general here; in a report they are in the words of its devices.
std::string Explanation(const analysis::MetricSpec& spec) {
  std::string text = fmt::format("{}\n  {} [{}]\n  {}\n", spec.id, InGeneralWords(spec.title),
                                 UnitName(spec.unit), InGeneralWords(spec.definition));
  if (!spec.formula.empty()) text += fmt::format("  = {}\n", InGeneralWords(spec.formula));
  if (!spec.source.empty()) text += fmt::format("  after {}\n", spec.source);
  text += fmt::format("  definition {}; over iterations: {}\n", spec.definition_number,
                      analysis::PoolingName(spec.pooling));
  return text;
}

JsonList Json(const std::vector<const analysis::MetricSpec*>& specs) {
  JsonList list("metrics-list");
  for (const analysis::MetricSpec* spec : specs) {
    render::JsonWriter& row = list.Row();
    row.Field("id", spec->id);
    row.Field("title", InGeneralWords(spec->title));
    row.Field("unit", UnitName(spec->unit));
    row.Field("better", spec->direction == analysis::Direction::kNeutral ? "neutral"
                                                                         : Better(spec->direction));
    row.Field("definition", InGeneralWords(spec->definition));
    row.OptionalField("formula", InGeneralWords(spec->formula));
    row.OptionalField("source", spec->source);
    row.Field("definition_number", std::int64_t{spec->definition_number});
    row.Field("pooling", analysis::PoolingName(spec->pooling));
  }
  return list;
}

Error UnknownMetric(const std::string& pattern) {
  std::vector<std::string_view> ids;
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) ids.push_back(spec.id);
  std::vector<std::string> notes;
  const std::string_view near = DidYouMean(pattern, ids);
  const auto goes_on = [&pattern](std::string_view id) { return id.starts_with(pattern); };
  if (!near.empty()) {
    notes.push_back(fmt::format("help: did you mean `{}`?", near));
  } else if (std::any_of(ids.begin(), ids.end(), goes_on)) {
    notes.push_back(fmt::format("help: did you mean `{}*`?", PrintableShort(pattern)));
  }
  notes.emplace_back("help: `profgauge metrics list` names them all");
  return {ErrorKind::kUsage,
          "usage/unknown-metric",
          fmt::format("no metric matches `{}`", Printable(pattern)),
          {},
          notes};
}

}  // namespace

Result<int> RunMetricsList(const Options& options, Console& console) {
  std::vector<const analysis::MetricSpec*> specs;
  if (options.arguments.empty()) {
    for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) specs.push_back(&spec);
    return PrintList(options, Table(specs), Json(specs), console);
  }
  std::string text;
  for (const std::string& pattern : options.arguments) {
    const std::size_t before = text.size();
    for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
      if (!GlobMatch(pattern, spec.id)) continue;
      text += Explanation(spec);
      specs.push_back(&spec);
    }
    if (text.size() == before) return Fail(UnknownMetric(pattern));
  }
  return PrintList(options, text, Json(specs), console);
}

}  // namespace profgauge::cli
