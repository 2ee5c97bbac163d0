#include "expr/schema.h"

#include <fmt/format.h>

#include <boost/unordered/unordered_flat_set.hpp>
#include <string_view>

#include "base/errors.h"

namespace profgauge::expr {

Slot Schema::Add(std::string name, Unit unit, Scope scope, const Enumeration* values) {
  const auto [it, is_new] = by_name_.try_emplace(name, size());
  if (is_new) fields_.push_back({std::move(name), unit, scope, values});
  return it->second;
}

Slot Schema::Find(std::string_view name) {
  const auto it = by_name_.find(std::string(name));
  if (it != by_name_.end()) return it->second;
  if (!source_.find) return kNone;
  std::optional<Field> field = source_.find(name);
  if (!field) return kNone;
  return Add(std::move(field->name), field->unit, field->scope, field->values);
}

std::vector<std::string> Schema::Names() const {
  std::vector<std::string> names;
  if (source_.names) names = source_.names();
  boost::unordered_flat_set<std::string> known(names.begin(), names.end());
  for (const Field& field : fields_) {
    if (known.insert(field.name).second) names.push_back(field.name);
  }
  return names;
}

namespace {

constexpr std::size_t kNamesShown = 12;
constexpr std::size_t kNearestShown = 5;

/// "fields of `kernel`: name, time, calls"; if there are many, the most similar, and the command
/// that lists all. Empty if no name has that prefix.
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
