// Texts without the folders of the paths in them, for copies that are shared.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::readers {

/// The text with every path cut to its part below site-packages, or to the file's name:
/// "/home/ann/x/site-packages/torch/nn/conv.py:443" is "torch/nn/conv.py:443". Names that only look
/// like paths ("/module/conv2d") stay.
std::string WithoutPaths(std::string_view text);

}  // namespace profgauge::readers
