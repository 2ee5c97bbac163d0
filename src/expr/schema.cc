#include "expr/schema.h"

namespace profgauge::expr {

Slot Schema::Add(std::string name, Unit unit, Scope scope) {
  const auto [it, is_new] = by_name_.try_emplace(name, size());
  if (is_new) fields_.push_back({std::move(name), unit, scope});
  return it->second;
}

Slot Schema::Find(std::string_view name) const {
  const auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? kNone : it->second;
}

}  // namespace profgauge::expr
