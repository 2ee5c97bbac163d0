#include "expr/schema.h"

#include <boost/unordered/unordered_flat_set.hpp>

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

}  // namespace profgauge::expr
