#include <boost/json.hpp>
#include <string>
#include <vector>

#include "render/html/compact.h"
#include "render/html/page_assets.h"
#include "render/html/view.h"
#include "render/shared/change.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/template.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;
using html::Assets;

// A report that is nothing but a comparison has another page, without sections.
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

}  // namespace profgauge::render
