// The NVTX ranges of TensorFlow operators, as NVIDIA's builds of TensorFlow write them.
#pragma once

#include <string_view>

#include "readers/text/nvtx_text.h"

namespace profgauge::readers {

/// "Op: dense/MatMul", or in detail
/// {"op":"MatMul","name":"dense/MatMul","args":[{"shape":[64,784]}], "attrs":{"T":"float16"}}. The
/// range's name is the node's. False when the text is neither.
bool ParseTensorFlow(std::string_view text, RangeText& range);

}  // namespace profgauge::readers
