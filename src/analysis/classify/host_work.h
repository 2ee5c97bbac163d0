// Which work of the host a name represents.
#pragma once

#include <string_view>

#include "model/known_names.h"

namespace profgauge {

/// Kind of a function, operator or range ("train.py(88): preprocess"); nullptr: no known kind.
const HostWork* HostWorkOf(std::string_view name);

}  // namespace profgauge
