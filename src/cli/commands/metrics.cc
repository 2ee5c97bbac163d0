// `profgauge metrics list`: lists the metrics that rules, limits and reports use.
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

constexpr std::size_t kMostFound = 25;

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

// Explains a metric in general words for devices, while a report uses the words of its device.
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
    JsonWriter& row = list.Row();
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

/// How well a metric matches a word: by its id, title or definition. 0 means not at all.
int Fit(const analysis::MetricSpec& spec, std::string_view word) {
  const auto has = [&](std::string_view text) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), lower);
    return Contains(small, word);
  };
  return has(spec.id)                           ? 3
         : has(InGeneralWords(spec.title))      ? 2
         : has(InGeneralWords(spec.definition)) ? 1
                                                : 0;
}

/// The metrics that match all words of `text`, best first.
std::vector<const analysis::MetricSpec*> Search(std::string_view text) {
  std::vector<std::string> words;
  for (const char c : text) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (words.empty() || (!is_word && !words.back().empty())) words.emplace_back();
    if (is_word) words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  if (!words.empty() && words.back().empty()) words.pop_back();
  std::vector<std::pair<int, const analysis::MetricSpec*>> found;
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
    int least = words.empty() ? 0 : 3;
    for (const std::string& word : words) least = std::min(least, Fit(spec, word));
    if (least > 0) found.emplace_back(least, &spec);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const analysis::MetricSpec*> specs;
  for (const auto& [fit, spec] : found) specs.push_back(spec);
  return specs;
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
    if (text.size() != before) continue;
    // If a text is no id or pattern, it is searched in ids, titles and definitions.
    std::vector<const analysis::MetricSpec*> found;
    if (pattern.find_first_of(".*?") == pattern.npos) found = Search(pattern);
    if (found.empty()) return Fail(UnknownMetric(pattern));
    const std::size_t more = found.size() - std::min(found.size(), kMostFound);
    found.resize(found.size() - more);
    text += Table(found);
    if (more > 0) text += fmt::format("and {} more: narrow it, e.g. `gpu.*`\n", more);
    specs.insert(specs.end(), found.begin(), found.end());
  }
  return PrintList(options, text, Json(specs), console);
}

}  // namespace profgauge::cli
