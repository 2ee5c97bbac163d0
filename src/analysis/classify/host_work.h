// The kind of host work that a name represents: preprocessing, synchronization, garbage collection,
// … The kinds and their patterns are in rules/knowledge/names.yaml.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "model/known_names.h"

namespace profgauge::analysis::classify {

/// Returns the kind of a function, operator or range ("train.py(88): preprocess") by the first
/// matching pattern; nullptr if unknown. Compiles the patterns at first use; thread-safe. The
/// result lives as long as the program.
const HostWork* HostWorkOf(std::string_view name);

/// Like HostWorkOf(), for many names that repeat: each is matched once.
class HostWorkByName {
 public:
  const HostWork* Of(const std::string& name) {
    const auto [known, is_new] = known_.try_emplace(name, nullptr);
    if (is_new) known->second = HostWorkOf(name);
    return known->second;
  }

 private:
  std::unordered_map<std::string, const HostWork*> known_;
};

/// Whether a function's file belongs to an installed package or to Python itself.
bool IsLibrary(std::string_view function);
/// The innermost function of the user's own files in a call stack ("a.py(3): f;b.py(9): g",
/// innermost first); else the innermost.
std::string_view UsersFunction(std::string_view stack);

}  // namespace profgauge::analysis::classify
