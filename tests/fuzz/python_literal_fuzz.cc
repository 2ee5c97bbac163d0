// Any bytes as a Python literal and as a range of PyProf: nothing crashes, nests without bound, or
// takes more memory than the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/python_literal.h"
#include "readers/common/nvtx_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(profgauge::ParsePythonLiteral(text));
  static_cast<void>(profgauge::readers::ParseRangeText(text, ""));
  return 0;
}
