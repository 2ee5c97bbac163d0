#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "render/columns.h"
#include "render/escape.h"
#include "render/html/palette.h"
#include "render/html/view.h"
#include "render/renderer.h"
#include "render/template.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

// Browsers hash a script or style after newlines are made LF.
Result<std::string> LoadAsset(std::string_view path, const std::string& override_dir,
                              std::string_view must_not_hold) {
  PROFGAUGE_TRY(std::string text, LoadTemplate(path, override_dir));
  std::erase(text, '\r');
  if (text.find(must_not_hold) == std::string::npos) return text;
  Error error;
  error.kind = ErrorKind::kConfig;
  error.code = "template/closes-itself";
  error.message = fmt::format("`{}` would end the element that holds the file", must_not_hold);
  error.where.file = std::string(path);
  return Fail(std::move(error));
}

std::string Favicon(std::string_view verdict_name) {
  std::string_view color = "%23666";
  if (verdict_name == "good") color = "%231b7f4b";
  if (verdict_name == "bad") color = "%23b00020";
  if (verdict_name == "warn") color = "%23b36b00";
  return fmt::format(
      "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
      "<circle cx='8' cy='8' r='8' fill='{}'/></svg>",
      color);
}

struct Assets {
  std::string css, js;
};

json::object FullView(const report::Report& report, const Assets& assets, bool inlined) {
  json::object view = html::PageView(report);
  const std::string scripts = inlined ? fmt::format("'{}'", CspHash(assets.js)) : "'self'";
  const std::string styles = inlined ? fmt::format("'{}'", CspHash(assets.css)) : "'self'";
  view["timeline"] = MakeMarkup(report.timeline.empty() ? "" : PackTimeline(report.timeline));
  view["csp"] = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; "
      "form-action 'none'",
      scripts, styles);
  view["favicon"] = Favicon(html::LookOf(report.verdict.status).name);
  view["inline"] = inlined;
  view["css"] = MakeMarkup(assets.css);
  view["js"] = MakeMarkup(assets.js);
  return view;
}

Result<std::string> RenderPage(const report::Report& report, const HtmlOptions& options,
                               const Assets& assets, bool inlined) {
  const TemplateFolder folder{"html", ".html", options.templates_dir, EscapeHtml};
  const Assets any{"css", "js"};
  return RenderTemplate(folder, "page", FullView(report, assets, inlined),
                        MakeSchema(FullView(html::SchemaReport(), any, inlined)));
}

// The timeline's script comes along only where there is one.
Result<Assets> LoadAssets(const report::Report& report, const HtmlOptions& options) {
  Assets assets;
  PROFGAUGE_TRY(assets.css, LoadAsset("report.css", options.templates_dir, "</style"));
  PROFGAUGE_TRY(assets.js, LoadAsset("report.js", options.templates_dir, "</script"));
  if (!report.timeline.empty()) {
    PROFGAUGE_TRY(const std::string js,
                  LoadAsset("timeline.js", options.templates_dir, "</script"));
    assets.js += js;
  }
  return assets;
}

}  // namespace

Result<std::string> RenderHtml(const report::Report& report, const HtmlOptions& options) {
  PROFGAUGE_TRY(const Assets assets, LoadAssets(report, options));
  return RenderPage(report, options, assets, true);
}

Result<std::vector<File>> RenderHtmlFiles(const report::Report& report,
                                          const HtmlOptions& options) {
  PROFGAUGE_TRY(Assets assets, LoadAssets(report, options));
  PROFGAUGE_TRY(std::string page, RenderPage(report, options, assets, false));
  return std::vector<File>{{"index.html", std::move(page)},
                           {"report.css", std::move(assets.css)},
                           {"report.js", std::move(assets.js)}};
}

}  // namespace profgauge::render
