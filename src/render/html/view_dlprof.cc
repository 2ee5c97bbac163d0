// DLProf's own advice with its links.
#include "render/html/view_dlprof.h"

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "base/format.h"
#include "render/html/view.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;

// Splits text into pieces with and without a web address: [{text, href}].
json::array LinkedPieces(std::string_view text) {
  constexpr std::string_view kWeb = "https://";
  json::array pieces;
  while (!text.empty()) {
    const auto link = std::min(text.find(kWeb), text.size());
    if (link > 0) pieces.push_back(json::object{{"text", text.substr(0, link)}, {"href", ""}});
    text.remove_prefix(link);
    auto end = std::min(text.find_first_of(" \t\n\"'<>)"), text.size());
    while (end > 0 && (text[end - 1] == '.' || text[end - 1] == ',')) --end;
    if (end > 0) {
      pieces.push_back(json::object{{"text", text.substr(0, end)}, {"href", text.substr(0, end)}});
    }
    text.remove_prefix(end);
  }
  return pieces;
}

}  // namespace

boost::json::array DlprofAdviceView(const report::Report& report) {
  json::array out;
  const Table* table = FindTable(report, "dlprof_advice");
  for (std::size_t row = 0; table != nullptr && row < table->rows(); ++row) {
    const Value advice = table->At(row, "recommendation");
    const std::string text = IsAbsent(advice) ? "" : FormatValue(advice, Unit::kText);
    out.push_back(json::object{{"problem", FormatValue(table->At(row, "problem"), Unit::kText)},
                               {"pieces", LinkedPieces(text)}});
  }
  return out;
}

}  // namespace profgauge::render::html
