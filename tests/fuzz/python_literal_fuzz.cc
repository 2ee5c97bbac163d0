// Any bytes as a Python literal, as a range of PyProf and as a line of net.dict: nothing crashes,
// nests without bound, or takes more memory than the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/python_literal.h"
#include "readers/pyprof/kernel_line.h"
#include "readers/text/nvtx_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(profgauge::ParsePythonLiteral(text));
  static_cast<void>(profgauge::readers::ParseRangeText(text, ""));
  static_cast<void>(profgauge::readers::pyprof::ParseKernelLine(text));
  return 0;
}
