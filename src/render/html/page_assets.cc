#include "render/html/page_assets.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "base/hashes.h"
#include "base/text.h"
#include "render/html/compact.h"
#include "render/html/view.h"
#include "render/shared/columns.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"

namespace profgauge::render::html {
namespace {

std::string Favicon(Tone tone) {
  return fmt::format(
      "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
      "<circle cx='8' cy='8' r='8' fill='%23{}'/></svg>",
      ColoursOf(tone).ink.substr(1));
}

// Unpacks packed parts. Only this script and the loader are plain text in an inlined page.
constexpr std::string_view kInflateScript[] = {"js/inflate.js"};
constexpr std::string_view kLoadScript[] = {"js/load.js"};
// The page's scripts. Their order matters, because later files use definitions of earlier ones.
constexpr std::string_view kScripts[] = {
    "js/numbers.js",    "js/payload.js",   "js/page.js",   "js/rows.js",        "js/grid.js",
    "js/inner_rows.js", "js/shares.js",    "js/icicle.js", "js/tree.js",        "js/details.js",
    "js/panels.js",     "js/charts.js",    "js/scope.js",  "js/definitions.js", "js/look.js",
    "js/address.js",    "js/search_all.js"};
// Script of pages with memory curves.
constexpr std::string_view kMemoryScript[] = {"js/memory.js"};
// The script for pages of several runs: leaves one run in the page before other scripts read it.
constexpr std::string_view kRunsScript[] = {"js/runs.js"};
constexpr std::string_view kStartScript[] = {"js/start.js"};
// Scripts of pages with a timeline.
constexpr std::string_view kTimelineScripts[] = {
    "js/timeline_data.js",      "js/timeline_sums.js",    "js/timeline_colors.js",
    "js/timeline_view.js",      "js/timeline_drawing.js", "js/timeline_moving.js",
    "js/timeline_summary.js",   "js/timeline_marks.js",   "js/timeline_search.js",
    "js/timeline_selecting.js", "js/timeline_input.js",   "js/timeline_keys.js",
    "js/timeline_start.js"};

std::string_view Asset(std::string_view path) {
  return EmbeddedTemplate(fmt::format("templates/{}", path));
}

void AppendScripts(std::span<const std::string_view> paths, std::string& out) {
  for (const std::string_view path : paths) out += CompactScript(Asset(path));
}

}  // namespace

WhichAssets AssetsOf(const report::Report& report) {
  return {.has_timeline = !report.timeline.empty(),
          .has_memory = FindTable(report, "memory_curve") != nullptr};
}

std::string StyleSheet() { return WithColours(std::string(Asset("report.css"))); }

Assets LoadAssets(const WhichAssets& which) {
  Assets assets{CompactStyle(StyleSheet()), {}, {}};
  AppendScripts(kInflateScript, assets.js);
  AppendScripts(kScripts, assets.js);
  if (which.has_memory) AppendScripts(kMemoryScript, assets.js);
  if (which.has_several_runs) AppendScripts(kRunsScript, assets.js);
  AppendScripts(kStartScript, assets.js);
  if (which.has_timeline) AppendScripts(kTimelineScripts, assets.js);
  AppendScripts(kInflateScript, assets.loader);
  AppendScripts(kLoadScript, assets.loader);
  return assets;
}

void AddFrame(const Assets& assets, bool inlined, Tone tone, boost::json::object& view) {
  const std::string scripts =
      inlined ? fmt::format("'{}' '{}'", CspHash(assets.loader), CspHash(assets.js)) : "'self'";
  const std::string styles = inlined ? fmt::format("'{}'", CspHash(assets.css)) : "'self'";
  view["csp"] = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; "
      "form-action 'none'",
      scripts, styles);
  view["favicon"] = Favicon(tone);
  view["inline"] = inlined;
  view["css"] = MakeMarkup(assets.css);
  view["packed"] = MakeMarkup(inlined ? Packed(assets.js) : "");
  view["loader"] = MakeMarkup(assets.loader);
}

std::vector<File> FilesOf(std::string page, const Assets& assets, std::string_view tool) {
  // The page names its generator, so that a later run knows that it may overwrite the files.
  const std::string mark = fmt::format("/* {} */\n", tool);
  return {{"index.html", std::move(page)},
          {"report.css", mark + assets.css},
          {"report.js", mark + assets.js}};
}

}  // namespace profgauge::render::html
