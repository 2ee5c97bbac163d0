// Parses frameworks' NVTX ranges: PyTorch's emit_nvtx, TensorFlow's op ranges,
// PyProf's and DLProf's Python dictionaries, iteration markers of anyone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profgauge::readers {

/// The kind of an NVTX range, by its text.
enum class RangeKind : std::uint8_t { kOp, kAnnotation, kIterationMarker };

/// The parts of an NVTX range's text.
struct RangeText {
  RangeKind kind = RangeKind::kAnnotation;
  std::string name;            ///< "aten::conv2d", without appended data.
  std::string input_shapes;    ///< "[[32, 3, 32, 32], []]"; empty when not written.
  std::string input_dtypes;    ///< "[float32, Int]"; empty when not written.
  std::string call_stack;      ///< As HostTable::call_stack; empty when not written.
  std::string dictionary;      ///< The text itself, where it is one of PyProf's dictionaries.
  std::int64_t sequence = -1;  ///< Autograd sequence number.
  bool is_backward = false;    ///< Belongs to the backward of the op with that sequence number.
};

/// Accepts any text. `domain` is the NVTX domain's name, empty for the default one.
RangeText ParseRangeText(std::string_view text, std::string_view domain);

}  // namespace profgauge::readers
