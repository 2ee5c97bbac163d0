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

}  // namespace profgauge::render
