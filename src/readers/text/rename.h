// What becomes of names of code in a copy that is shared.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "readers/text/json_copy.h"

namespace profgauge::readers {

/// The new name of one, or of several in a text. Empty: names stay.
using Rename = std::function<std::string(std::string_view name)>;

/// A name of code without folders, and renamed.
inline std::string CopiedName(std::string_view text, const Rename& rename) {
  std::string name = WithoutPaths(text);
  return rename ? rename(name) : name;
}

}  // namespace profgauge::readers
