// Renames names of code in copies that are shared.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "readers/text/json_copy.h"

namespace profgauge::readers {

/// Returns the new name of one name, or of the names in a text. If it is empty, names stay.
using Rename = std::function<std::string(std::string_view name)>;

/// Cuts folders off a name of code and renames it.
inline std::string CopiedName(std::string_view text, const Rename& rename) {
  std::string name = WithoutPaths(text);
  return rename ? rename(name) : name;
}

}  // namespace profgauge::readers
