#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "profgauge/version.h"
#include "render/html/compact.h"
#include "render/html/page_assets.h"
#include "render/html/view.h"
#include "render/html/view_parts.h"
#include "render/html/view_runs.h"
#include "render/shared/change.h"
#include "render/shared/ending.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/runs_table.h"
#include "render/shared/template.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;
using html::Assets;

// Renders a page. A report that has only a comparison gets another page, without sections.
std::string RenderPage(const report::Report& report, const Assets& assets, bool inlined) {
  const std::string_view page = IsComparisonAlone(report) ? "compare" : "page";
  json::object view = html::PageView(report);
  html::AddFrame(assets, inlined, LookOf(report.verdict.status).tone, view);
  return html::CompactMarkup(RenderTemplate(html::kPages, page, view));
}

}  // namespace

std::string RenderHtml(const report::Report& report) {
  return RenderPage(report, html::LoadAssets(html::AssetsOf(report)), true);
}

std::vector<File> RenderHtmlFiles(const report::Report& report) {
  const Assets assets = html::LoadAssets(html::AssetsOf(report));
  return html::FilesOf(RenderPage(report, assets, false), assets, report.tool);
}

// The page of a run that ended without a report.

namespace {

const std::string kTool = std::string("profgauge ") + kVersion;

json::object ErrorView(const EndingError& error) {
  json::array notes;
  for (const std::string& note : error.notes) notes.push_back(json::object{{"text", note}});
  return {{"code", error.code},
          {"message", error.message},
          {"where", error.where},
          {"has_notes", !notes.empty()},
          {"notes", std::move(notes)}};
}

}  // namespace

json::object html::EndingView(const Ending& ending, const Assets& assets, bool inlined) {
  const StatusLook& look = LookOf(StateOf(ending));
  json::array errors;
  for (const EndingError& error : ending.errors) errors.push_back(ErrorView(error));
  json::object view{{"name", ending.name}, {"tool", kTool},       {"sign", look.sign},
                    {"word", look.word},   {"tone", look.name()}, {"errors", std::move(errors)}};
  AddFrame(assets, inlined, look.tone, view);
  return view;
}

namespace {

std::string EndingPage(const Ending& ending, const html::Assets& assets, bool inlined) {
  return html::CompactMarkup(
      RenderTemplate(html::kPages, "ending", html::EndingView(ending, assets, inlined)));
}

}  // namespace

std::string RenderHtml(const Ending& ending) {
  return EndingPage(ending, html::LoadAssets({}), true);
}

std::vector<File> RenderHtmlFiles(const Ending& ending) {
  const html::Assets assets = html::LoadAssets({});
  return html::FilesOf(EndingPage(ending, assets, false), assets, kTool);
}

// The page of several runs contains each run's page and every comparison, one after the other:
//   runs.html      table of runs; a cell for each pair
//     m1           all runs together
//     r1, r2, …    the page of each run         ids become "r1-gate", …
//     p1, p2, …    the comparison of each pair  ids become "p1-…"
//
// Parts are rendered concurrently, because each is as long as a page.

namespace {

// How much of each comparison is shown, by the number of pairs. A page may have 300 kB for each
// run, so comparisons become shorter as their number grows. JSON and `profgauge compare` have the
// rest.
html::ComparisonLimits LimitsFor(std::size_t pairs) {
  html::ComparisonLimits limits;
  limits.has_values = false;  // "m1" has the metrics of all runs.
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

}  // namespace

std::vector<html::RunsPart> html::PartsOfPage(const report::Runs& runs) {
  std::vector<RunsPart> parts = {{"m1", "together", nullptr, "All runs", {}}};
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

namespace {

// Renders the parts concurrently. In each part, ids get the part's prefix, so that links stay
// within one run.
std::vector<html::RunsPart> DrawParts(const report::Runs& runs) {
  std::vector<html::RunsPart> parts = html::PartsOfPage(runs);
  const html::ComparisonLimits limits = LimitsFor(runs.pairs.size());
  ForEachAtOnce(parts.size(), [&](std::size_t i) {
    html::RunsPart& part = parts[i];
    const json::object view = part.report == nullptr
                                  ? json::object{{"together", html::TogetherView(runs)}}
                                  : html::PageView(*part.report, limits);
    part.html = html::ScopeIds(RenderTemplate(html::kPages, part.of, view), part.id + "-");
  });
  return parts;
}

/// The most severe verdict of all runs.
Tone ToneOfAll(const report::Runs& runs) {
  Tone worst = Tone::kGood;
  for (const report::Report& run : runs.runs) {
    const Tone tone = LookOf(run.verdict.status).tone;
    if (tone == Tone::kBad || (worst != Tone::kBad && tone != Tone::kGood)) worst = tone;
  }
  return worst;
}

}  // namespace

json::object html::RunsView(const report::Runs& runs, std::vector<RunsPart> drawn,
                            const Assets& assets, bool inlined) {
  json::array parts, heads;
  std::string title;
  for (RunsPart& part : drawn) {
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
                    {"runs", RunRowsView(runs)},
                    {"parts", std::move(parts)}};
  AddFrame(assets, inlined, ToneOfAll(runs), view);
  return view;
}

namespace {

std::string RenderRunsPage(const report::Runs& runs, const Assets& assets, bool inlined) {
  return html::CompactMarkup(
      RenderTemplate(html::kPages, "runs", html::RunsView(runs, DrawParts(runs), assets, inlined)));
}

Assets LoadAssets(const report::Runs& runs) {
  html::WhichAssets which{.has_several_runs = true};
  for (const report::Report& run : runs.runs) {
    const html::WhichAssets of_run = html::AssetsOf(run);
    which.has_timeline |= of_run.has_timeline;
    which.has_memory |= of_run.has_memory;
  }
  return html::LoadAssets(which);
}

}  // namespace

std::string RenderRunsHtml(const report::Runs& runs) {
  return RenderRunsPage(runs, LoadAssets(runs), true);
}

std::vector<File> RenderRunsHtmlFiles(const report::Runs& runs) {
  const Assets assets = LoadAssets(runs);
  return html::FilesOf(RenderRunsPage(runs, assets, false), assets, runs.runs.front().tool);
}

}  // namespace profgauge::render
