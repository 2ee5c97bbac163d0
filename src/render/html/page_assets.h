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

#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/template.h"

namespace profgauge::render::html {

struct Assets {
  std::string css, js;
  /// Loads `js`, which an inlined page carries packed. Empty: it carries it as it is.
  std::string loader;
};
/// Which scripts come along: pages without a timeline, a memory curve and so on do without theirs.
struct WhichAssets {
  bool has_timeline = false, has_memory = false, has_ranks = false, has_iterations = false,
       has_several_runs = false;  ///< Their scripts come along.
};
/// The assets of a report; `has_several_runs` is not its own.
WhichAssets AssetsOf(const report::Report& report);
/// The style sheet and the scripts of `which`, in the order in which they use each other. They are
/// compacted, and packed for an inlined page; with a folder of templates all of them stay as they
/// are. Errors: kConfig "template/closes-itself" for one that would end the element that holds it.
Result<Assets> LoadAssets(const WhichAssets& which, const HtmlOptions& options);

/// Where pages' templates come from.
TemplateFolder FolderOf(const HtmlOptions& options);

/// Adds "csp", "favicon", "inline", "css", "packs", "packed" and "js" to the view of a page.
/// `inlined`: the assets are in the page. `tone` is that of its icon, a disk of the verdict's
/// color.
void AddFrame(const Assets& assets, bool inlined, Tone tone, boost::json::object& view);

/// `html` with a comment that names its generator, where the template does not: a later run
/// replaces only files that have one (cli/file_kind.h).
std::string WithGenerator(std::string html);

/// The three files of a page whose assets are beside it. `tool` names the generator.
std::vector<File> FilesOf(std::string page, const Assets& assets, std::string_view tool);

}  // namespace profgauge::render::html
