// Any bytes as a template of the page, and the part after a line "---" as one that it may include.
//
// Checks: no crash; every refusal has a reason; a template that passes the check is rendered; and a
// text of the profile is escaped wherever the template puts it.
#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "render/shared/escape.h"
#include "render/shared/template.h"
#include "support/fuzz.h"
#include "support/line_mutator.h"
#include "support/temporary_folder.h"

namespace {

using namespace profgauge;
namespace json = boost::json;

constexpr std::string_view kMarkup = "<svg/>";
constexpr std::string_view kSeparator = "\n---\n";

constexpr std::string_view kKnown[] = {"{{title}}",
                                       "{{{chart}}}",
                                       "{{{title}}}",
                                       "{{chart}}",
                                       "{{&title}}",
                                       "{{count}}",
                                       "{{group.inner}}",
                                       "{{#group}} {{inner}} {{/group}}",
                                       "{{#yes}}",
                                       "{{/yes}}",
                                       "{{^none}}",
                                       "{{/none}}",
                                       "{{#list}}",
                                       "{{/list}}",
                                       "{{name}}",
                                       "{{#cells}} [{{.}}] {{/cells}}",
                                       "{{^empty}}",
                                       "{{/empty}}",
                                       "{{> part}}",
                                       "{{> page}}",
                                       "{{! comment }}",
                                       "{{=<% %>=}}",
                                       "---",
                                       "{{ .title }}"};

json::value View() {
  return {{"title", "a <b> {{count}}"},
          {"empty", ""},
          {"count", 3},
          {"yes", true},
          {"no", false},
          {"chart", render::MakeMarkup(std::string(kMarkup))},
          {"group", {{"inner", "<in>"}}},
          {"list",
           {{{"name", "x<{{title}}"}, {"cells", {"1", "<2"}}},
            {{"name", "y"}, {"cells", json::array()}}}},
          {"none", json::array()}};
}

std::size_t CountOf(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

}  // namespace

PROFGAUGE_FUZZ_LINES(' ', kKnown)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::TemporaryFolder kFolder;
  static const json::value kView = View(), kSchema = render::MakeSchema(View());
  const std::string_view text = fuzz::TextOf(data, size);
  // Templates are trusted to be of sane size: lists inside of lists multiply.
  if (CountOf(text, "#") > 8 || CountOf(text, ">") > 4) return 0;
  const std::size_t cut = text.find(kSeparator);
  kFolder.Write("html/page.html", text.substr(0, cut));
  kFolder.Write("html/part.html", cut == text.npos ? "" : text.substr(cut + kSeparator.size()));
  const render::TemplateFolder folder{"html", ".html", kFolder.path(), render::EscapeHtml};
  auto page = render::RenderTemplate(folder, "page", kView, kSchema);
  const std::string* drawn = fuzz::ValueOf(page);
  if (drawn == nullptr || CountOf(text, "<") > 0) return 0;
  fuzz::Require(CountOf(*drawn, "<") == CountOf(*drawn, kMarkup), "texts are escaped");
  return 0;
}
