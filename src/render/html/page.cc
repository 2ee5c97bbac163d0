#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "render/html/compact.h"
#include "render/html/page_assets.h"
#include "render/html/view.h"
#include "render/shared/change.h"
#include "render/shared/escape.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/template.h"
#include "render/shared/template_check.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;
using html::Assets;

json::object FullView(const report::Report& report, const Assets& assets, bool inlined) {
  json::object view = html::PageView(report);
  html::AddFrame(assets, inlined, LookOf(report.verdict.status).tone, view);
  return view;
}

// The schema is the view of a report that has everything: a template that names something else
// fails, whatever this report has. A report that is nothing but a comparison has another page,
// without sections.
Result<std::string> RenderPage(const report::Report& report, const HtmlOptions& options,
                               const Assets& assets, bool inlined) {
  const Assets any{"css", "js", "load"};
  const std::string_view page = IsComparisonAlone(report) ? "compare" : "page";
  PROFGAUGE_TRY(std::string html,
                RenderTemplate(html::FolderOf(options), page, FullView(report, assets, inlined),
                               MakeSchema(FullView(SchemaReport(), any, inlined))));
  return html::WithGenerator(html::CompactMarkup(html));
}

Result<Assets> LoadAssets(const report::Report& report, const HtmlOptions& options) {
  return html::LoadAssets(html::AssetsOf(report), options);
}

}  // namespace

Result<std::string> RenderHtml(const report::Report& report, const HtmlOptions& options) {
  PROFGAUGE_TRY(const Assets assets, LoadAssets(report, options));
  return RenderPage(report, options, assets, true);
}

Result<std::vector<File>> RenderHtmlFiles(const report::Report& report,
                                          const HtmlOptions& options) {
  PROFGAUGE_TRY(const Assets assets, LoadAssets(report, options));
  PROFGAUGE_TRY(std::string page, RenderPage(report, options, assets, false));
  return html::FilesOf(std::move(page), assets, report.tool);
}

}  // namespace profgauge::render
