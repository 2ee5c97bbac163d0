// The page of a run that ended without a report.
#include <boost/json.hpp>
#include <utility>

#include "profgauge/version.h"
#include "render/html/compact.h"
#include "render/html/page_assets.h"
#include "render/shared/ending.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

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

json::object EndingView(const Ending& ending, const html::Assets& assets, bool inlined) {
  const StatusLook& look = LookOf(StateOf(ending));
  json::array errors;
  for (const EndingError& error : ending.errors) errors.push_back(ErrorView(error));
  json::object view{{"name", ending.name}, {"tool", kTool},       {"sign", look.sign},
                    {"word", look.word},   {"tone", look.name()}, {"errors", std::move(errors)}};
  html::AddFrame(assets, inlined, look.tone, view);
  return view;
}

/// For the schema of the template: one of everything.
Ending SampleEnding() { return {"x", 3, false, {{"x", "x", "x", {}, {"x"}}}}; }

Result<std::string> EndingPage(const Ending& ending, const html::Assets& assets, bool inlined) {
  const html::Assets any{"css", "js", "load"};
  PROFGAUGE_TRY(std::string html,
                RenderTemplate(html::FolderOf({}), "ending", EndingView(ending, assets, inlined),
                               MakeSchema(EndingView(SampleEnding(), any, inlined))));
  return html::WithGenerator(html::CompactMarkup(html));
}

}  // namespace

Result<std::string> RenderHtml(const Ending& ending) {
  PROFGAUGE_TRY(const html::Assets assets, html::LoadAssets({}, {}));
  return EndingPage(ending, assets, true);
}

Result<std::vector<File>> RenderHtmlFiles(const Ending& ending) {
  PROFGAUGE_TRY(const html::Assets assets, html::LoadAssets({}, {}));
  PROFGAUGE_TRY(std::string page, EndingPage(ending, assets, false));
  return html::FilesOf(std::move(page), assets, kTool);
}

}  // namespace profgauge::render
