#include "expr/name_help.h"

#include <fmt/format.h>

#include <string_view>

#include "base/diagnostic.h"

namespace profgauge::expr {
namespace {

constexpr std::size_t kNamesShown = 12;
constexpr std::size_t kNearestShown = 5;

/// "fields of `kernel`: name, time, calls"; of many the nearest, and the command that lists all.
/// Empty when nothing starts like `name`.
std::string Siblings(std::string_view name, const std::vector<std::string>& names,
                     std::string_view rows) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view row = name.substr(0, dot);
  std::vector<std::string_view> fields;
  for (const std::string_view field : names) {
    if (field.starts_with(row) && field.substr(row.size()).starts_with('.')) {
      fields.push_back(field.substr(dot + 1));
    }
  }
  if (fields.empty()) return {};
  if (fields.size() <= kNamesShown) {
    return fmt::format("fields of `{}`: {}", row, fmt::join(fields, ", "));
  }
  const auto nearest = Nearest(name.substr(dot + 1), fields, kNearestShown);
  std::string help = fmt::format("nearest fields of `{}`: {}", row, fmt::join(nearest, ", "));
  if (row == rows) help += fmt::format("; `profgauge rules columns {}` lists all", row);
  return help;
}

std::string Params(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (name.starts_with('$')) list += (list.empty() ? "" : ", ") + name;
  }
  return list.empty() ? "this rule has no `params:`" : "parameters: " + list;
}

}  // namespace

std::string HelpForName(const std::string& name, const std::vector<std::string>& names,
                        std::string_view rows) {
  const std::string_view near =
      DidYouMean(name, std::vector<std::string_view>(names.begin(), names.end()));
  std::string help = near.empty() ? "" : fmt::format("did you mean `{}`?", near);
  const std::string siblings = name.starts_with('$') ? Params(names) : Siblings(name, names, rows);
  if (!siblings.empty()) help += (help.empty() ? "" : " ") + siblings;
  return help;
}

}  // namespace profgauge::expr
