// Parts of every page: style, scripts, icon, and the policy that blocks everything else.
//
//   inlined page                           page of files (html-dir)
//   <style>css</style>                     report.css
//   <script>loader</script>                report.js = js
//   <script type=…>packed js</script>
//   csp: hashes of css, loader and js      csp: 'self'
//
// The policy (Content-Security-Policy) has the hash of every script and style. So names from a
// profile cannot run as code, even if an escape were missing.
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
  std::string loader;  ///< Loads `js`, which is packed in an inlined page.
};
/// Optional scripts: e.g. a page without a timeline omits its scripts.
struct WhichAssets {
  bool has_timeline = false, has_memory = false,
       has_several_runs = false;  ///< Their scripts are included.
};
/// The scripts that a report needs; `has_several_runs` is set by the caller.
WhichAssets AssetsOf(const report::Report& report);
/// The style sheet with colors of tones, not compacted.
std::string StyleSheet();
/// The style sheet and the scripts of `which`, in the order of their dependencies; compacted.
Assets LoadAssets(const WhichAssets& which);

/// The folder of the pages' templates.
inline constexpr TemplateFolder kPages{"templates/html/", ".html", EscapeHtml};

/// Adds "csp", "favicon", "inline", "css", "packed" and "loader" to the view of a page. `inlined`:
/// the page contains its assets. `tone`: color of its icon, a disk in the verdict's color.
void AddFrame(const Assets& assets, bool inlined, Tone tone, boost::json::object& view);

/// The view of ending.html.
boost::json::object EndingView(const Ending& ending, const Assets& assets, bool inlined);

/// A part of the page of several runs: a run, a comparison, or the common view.
struct RunsPart {
  std::string id;                          ///< "r1", "p1", "m1"
  std::string_view of;                     ///< Its template.
  const report::Report* report = nullptr;  ///< nullptr: the common view.
  std::string title;
  std::string html;  ///< Set when rendered.
};
/// The parts before rendering. They point into `runs`.
std::vector<RunsPart> PartsOfPage(const report::Runs& runs);
/// The view of runs.html.
boost::json::object RunsView(const report::Runs& runs, std::vector<RunsPart> drawn,
                             const Assets& assets, bool inlined);

/// The three files of a page with separate assets. `tool` names the generator.
std::vector<File> FilesOf(std::string page, const Assets& assets, std::string_view tool);

}  // namespace profgauge::render::html
