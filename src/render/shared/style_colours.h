// The colors of a style sheet that lists of this folder hold.
#pragma once

#include <string>

namespace profgauge::render {

/// A style sheet whose remarks about categories and states are replaced by colors: "/* categories
/// */", "/* states */" and those with "dark" before the word by variables, "/* classes of
/// categories */" by the rules for other colors in the dark. A sheet without them stays as it is.
std::string WithColours(std::string css);

}  // namespace profgauge::render
