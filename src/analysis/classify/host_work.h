// Which work of the host a name represents: preprocessing, synchronization, garbage collection, …
// The kinds and their patterns are in rules/knowledge/names.yaml.
#pragma once

#include <string_view>

#include "model/known_names.h"

namespace profgauge::analysis::classify {

/// Kind of a function, operator or range ("train.py(88): preprocess"); nullptr: no known kind. The
/// first pattern that matches counts. Compiles them on first use; thread-safe. The result lives as
/// long as the program.
const HostWork* HostWorkOf(std::string_view name);

}  // namespace profgauge::analysis::classify
