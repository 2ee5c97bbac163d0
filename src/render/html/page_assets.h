// The parts of every page: style, scripts, icon, and the policy that lets in nothing else.
//
//   inlined page                           page of files (html-dir)
//   <style>css</style>                     report.css
//   <script>loader</script>                report.js = js
//   <script type=…>packed js</script>
//   csp: hashes of css, loader and js      csp: 'self'
//
// The policy (Content-Security-Policy) names the hash of every script and style, so that a name of
// a profile cannot run, even if an escape were forgotten.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "render/shared/ending.h"
#include "render/shared/escape.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/template.h"
#include "report/runs.h"

namespace profgauge::render::html {

struct Assets {
  std::string css, js;
  std::string loader;  ///< Loads `js`, which an inlined page carries packed.
};
/// Which scripts come along: pages without a timeline, a memory curve and so on do without theirs.
struct WhichAssets {
  bool has_timeline = false, has_memory = false,
       has_several_runs = false;  ///< Their scripts come along.
};
/// The assets of a report; `has_several_runs` is not its own.
WhichAssets AssetsOf(const report::Report& report);
/// The style sheet with the colors of tones, not compacted.
std::string StyleSheet();
/// The style sheet and the scripts of `which`, in the order in which they use each other. They are
/// compacted.
Assets LoadAssets(const WhichAssets& which);

/// Where pages' templates are.
inline constexpr TemplateFolder kPages{"templates/html/", ".html", EscapeHtml};

/// Adds "csp", "favicon", "inline", "css", "packed" and "loader" to the view of a page.
/// `inlined`: the assets are in the page. `tone` is that of its icon, a disk of the verdict's
/// color.
void AddFrame(const Assets& assets, bool inlined, Tone tone, boost::json::object& view);

/// The view of ending.html.
boost::json::object EndingView(const Ending& ending, const Assets& assets, bool inlined);

/// A part of the page of several runs: a run, a comparison, or all runs together.
struct RunsPart {
  std::string id;                          ///< "r1", "p1", "m1"
  std::string_view of;                     ///< The template.
  const report::Report* report = nullptr;  ///< nullptr: all together.
  std::string title;
  std::string html;  ///< Once it is drawn.
};
/// The parts, not yet drawn. They point into `runs`.
std::vector<RunsPart> PartsOfPage(const report::Runs& runs);
/// The view of runs.html.
boost::json::object RunsView(const report::Runs& runs, std::vector<RunsPart> drawn,
                             const Assets& assets, bool inlined);

/// The three files of a page whose assets are beside it. `tool` names the generator.
std::vector<File> FilesOf(std::string page, const Assets& assets, std::string_view tool);

}  // namespace profgauge::render::html
