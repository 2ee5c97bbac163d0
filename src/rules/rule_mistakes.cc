#include "rules/rule_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/diagnostic.h"

namespace profgauge {

void DropConsequences(const Rule& rule, Errors& errors) {
  constexpr std::string_view kOnTheirOwn[] = {
      "expr/ambiguous-default", "expr/never-equal", "expr/pattern",       "expr/syntax",
      "expr/too-large",         "rules/group-by",   "rules/unknown-rows", "expr/unknown-function"};
  if (rule.is_whole) return;
  std::erase_if(errors, [&](const Error& error) {
    const bool names_field = error.code == "expr/unknown-field" &&
                             error.message.find('.') != std::string::npos &&
                             error.message.find('$') == std::string::npos;
    return !names_field && std::ranges::find(kOnTheirOwn, error.code) == std::end(kOnTheirOwn);
  });
}

void NameUser(const Rule& rule, Errors& errors) {
  for (Error& error : errors) {
    const bool is_own = error.where.file == rule.place.file &&
                        error.where.line >= rule.place.line && error.where.line <= rule.last_line;
    if (rule.schema == 1 || is_own || error.where.line == 0) continue;
    error.notes.push_back(fmt::format("note: used by {}", PlaceText(rule.place)));
  }
}

}  // namespace profgauge
