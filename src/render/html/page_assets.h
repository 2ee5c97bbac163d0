// The parts of every page: style, scripts, icon, and the policy that blocks everything else.
//
//   inlined page                           page of files (html-dir)
//   <style>css</style>                     report.css
//   <script>loader</script>                report.js = js
//   <script type=…>packed js</script>
//   csp: hashes of css, loader and js      csp: 'self'
//
// The policy (Content-Security-Policy) has the hash of every script and style. So a name from a
// profile cannot run as code, even if it were not escaped.
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
  std::string loader;  ///< In an inlined page, unpacks and runs `js`.
};
/// The optional scripts that a page needs: e.g. one without a timeline omits its scripts.
struct WhichAssets {
  bool has_timeline = false, has_memory = false,
       has_several_runs = false;  ///< Their scripts are included.
};
/// The scripts that a report needs. The caller sets `has_several_runs`.
WhichAssets AssetsOf(const report::Report& report);
/// The style sheet with the colors of tones, before it is compacted.
std::string StyleSheet();
/// Loads the style sheet and the scripts of `which` in the order of their dependencies, compacted.
Assets LoadAssets(const WhichAssets& which);

/// The folder of the pages' templates.
inline constexpr TemplateFolder kPages{"templates/html/", ".html", EscapeHtml};

/// Adds "csp", "favicon", "inline", "css", "packed" and "loader" to the view of a page. `inlined`:
/// the page contains its assets. `tone`: the color of its icon, which is a disk.
void AddFrame(const Assets& assets, bool inlined, Tone tone, boost::json::object& view);

/// The view of ending.html.
boost::json::object EndingView(const Ending& ending, const Assets& assets, bool inlined);

/// A part of the page of several runs: a run, a comparison, or the common view.
struct RunsPart {
  std::string id;                          ///< "r1", "p1", "m1"
  std::string_view of;                     ///< Its template.
  const report::Report* report = nullptr;  ///< nullptr: all runs together.
  std::string title;
  std::string html;  ///< Filled by rendering.
};
/// The parts of a page before they are rendered. They point into `runs`.
std::vector<RunsPart> PartsOfPage(const report::Runs& runs);
/// The view of runs.html.
boost::json::object RunsView(const report::Runs& runs, std::vector<RunsPart> drawn,
                             const Assets& assets, bool inlined);

/// The files of a page with separate assets: page, style and script. `tool` names the generator.
std::vector<File> FilesOf(std::string page, const Assets& assets, std::string_view tool);

}  // namespace profgauge::render::html
