// The page of several runs: each run's page and every comparison, one below the other.
//
//   runs.html      table of runs; a cell for each pair
//     m1           all runs together
//     r1, r2, …    the page of each run         ids become "r1-gate", …
//     p1, p2, …    the comparison of each pair  ids become "p1-…"
//
// Parts are drawn simultaneously, since each is as long as a page.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "render/html/compact.h"
#include "render/html/page_assets.h"
#include "render/html/view.h"
#include "render/html/view_parts.h"
#include "render/shared/escape.h"
#include "render/shared/looks.h"
#include "render/shared/runs_table.h"
#include "render/shared/template.h"
#include "render/shared/template_check.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;
using html::Assets;

// How much of each comparison is shown, by the number of pairs. Budget: 300 kB for each run with
// its part of the comparisons, which are ever more; the JSON and `profgauge compare` have the rest.
html::ComparisonLimits LimitsFor(std::size_t pairs) {
  html::ComparisonLimits limits;
  limits.has_values = false;  // All runs' metrics are side by side in a separate part.
  constexpr struct {
    std::size_t pairs, rows;
    ChangeTreeOptions tree;
  } kLimits[] = {{1, 60, {0.01, 6}}, {3, 30, {0.01, 6}}, {6, 12, {0.02, 5}}, {10, 8, {0.03, 4}}};
  limits.paired_rows = 5;
  limits.tree = {0.1, 2};
  for (const auto& [most_pairs, rows, tree] : kLimits) {
    if (pairs > most_pairs) continue;
    limits.paired_rows = rows;
    limits.tree = tree;
    break;
  }
  return limits;
}

/// A part of the page: a run, a comparison, or all runs together.
struct Part {
  std::string id;                          ///< "r1", "p1", "m1"
  std::string_view of;                     ///< The template.
  const report::Report* report = nullptr;  ///< nullptr: all together.
  std::string title;
  std::string html;  ///< Once it is drawn.
};

std::vector<Part> PartsOfPage(const report::Runs& runs) {
  std::vector<Part> parts = {{"m1", "together", nullptr, "All runs", {}}};
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const report::Report& run = runs.runs[i];
    const StatusLook& look = LookOf(run.verdict.status);
    parts.push_back({fmt::format("r{}", i + 1),
                     "run",
                     &run,
                     fmt::format("{} {} · {}", look.sign, look.word, run.profile.name),
                     {}});
  }
  for (std::size_t i = 0; i < runs.pairs.size(); ++i) {
    const report::Runs::Pair& pair = runs.pairs[i];
    parts.push_back({fmt::format("p{}", i + 1),
                     "compared",
                     &pair.report,
                     fmt::format("{} against {}", runs.runs[pair.current].profile.name,
                                 runs.runs[pair.base].profile.name),
                     {}});
  }
  return parts;
}

/// Two runs with one of everything, for the schema of templates.
report::Runs SchemaRuns() {
  report::Runs runs;
  runs.runs = {SchemaReport(), SchemaReport()};
  report::Report& compared = runs.pairs.emplace_back(report::Runs::Pair{0, 1, {}}).report;
  compared.comparison = SchemaReport().comparison;
  return runs;
}

// Parts are drawn at the same time, and each has the ids of a whole page; then these get the part's
// prefix, or links of one run would lead into another.
Result<std::vector<Part>> DrawParts(const report::Runs& runs, const HtmlOptions& options) {
  std::vector<Part> parts = PartsOfPage(runs);
  const json::value schema = MakeSchema(html::PageView(SchemaReport()));
  const json::value together =
      MakeSchema(json::object{{"together", html::TogetherView(SchemaRuns())}});
  const html::ComparisonLimits limits = LimitsFor(runs.pairs.size());
  std::vector<Result<std::string>> drawn(parts.size());
  ForEachAtOnce(parts.size(), [&](std::size_t i) {
    const Part& part = parts[i];
    drawn[i] = part.report == nullptr
                   ? RenderTemplate(html::FolderOf(options), part.of,
                                    json::object{{"together", html::TogetherView(runs)}}, together)
                   : RenderTemplate(html::FolderOf(options), part.of,
                                    html::PageView(*part.report, limits), schema);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PROFGAUGE_TRY(const std::string html, std::move(drawn[i]));
    parts[i].html = html::ScopeIds(html, parts[i].id + "-");
  }
  return parts;
}

/// The most severe of the verdicts.
Tone ToneOfAll(const report::Runs& runs) {
  Tone worst = Tone::kGood;
  for (const report::Report& run : runs.runs) {
    const Tone tone = LookOf(run.verdict.status).tone;
    if (tone == Tone::kBad || (worst != Tone::kBad && tone != Tone::kGood)) worst = tone;
  }
  return worst;
}

/// The data of runs.html.
json::object RunsView(const report::Runs& runs, std::vector<Part> drawn, const Assets& assets,
                      bool inlined) {
  json::array parts, heads;
  std::string title;
  for (Part& part : drawn) {
    parts.push_back(json::object{
        {"id", part.id}, {"title", part.title}, {"body", MakeMarkup(std::move(part.html))}});
  }
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const std::string& name = runs.runs[i].profile.name;
    if (i + 1 < runs.runs.size()) heads.push_back(json::object{{"run", name}});
    title += (i == 0 ? "" : " · ") + name;
  }
  json::object view{{"title", title},
                    {"tool", runs.runs.front().tool},
                    {"heads", std::move(heads)},
                    {"runs", html::RunRowsView(runs)},
                    {"parts", std::move(parts)}};
  html::AddFrame(assets, inlined, ToneOfAll(runs), view);
  return view;
}

Result<std::string> RenderRunsPage(const report::Runs& runs, const HtmlOptions& options,
                                   const Assets& assets, bool inlined) {
  PROFGAUGE_TRY(std::vector<Part> parts, DrawParts(runs, options));
  const Assets any{"css", "js", "load"};
  const report::Runs sample = SchemaRuns();
  PROFGAUGE_TRY(std::string html,
                RenderTemplate(html::FolderOf(options), "runs",
                               RunsView(runs, std::move(parts), assets, inlined),
                               MakeSchema(RunsView(sample, PartsOfPage(sample), any, inlined))));
  return html::WithGenerator(html::CompactMarkup(html));
}

Result<Assets> LoadAssets(const report::Runs& runs, const HtmlOptions& options) {
  html::WhichAssets which{.has_several_runs = true};
  for (const report::Report& run : runs.runs) {
    const html::WhichAssets of_run = html::AssetsOf(run);
    which.has_timeline |= of_run.has_timeline;
    which.has_memory |= of_run.has_memory;
    which.has_ranks |= of_run.has_ranks;
    which.has_iterations |= of_run.has_iterations;
  }
  return html::LoadAssets(which, options);
}

}  // namespace

Result<std::string> RenderRunsHtml(const report::Runs& runs, const HtmlOptions& options) {
  PROFGAUGE_TRY(const Assets assets, LoadAssets(runs, options));
  return RenderRunsPage(runs, options, assets, true);
}

Result<std::vector<File>> RenderRunsHtmlFiles(const report::Runs& runs,
                                              const HtmlOptions& options) {
  PROFGAUGE_TRY(const Assets assets, LoadAssets(runs, options));
  PROFGAUGE_TRY(std::string page, RenderRunsPage(runs, options, assets, false));
  return html::FilesOf(std::move(page), assets, runs.runs.front().tool);
}

}  // namespace profgauge::render
