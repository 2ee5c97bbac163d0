// Any bytes as a Python literal, as a range of PyProf, and as lines of net.dict: nothing crashes,
// nests without bound, or takes more memory than the text.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/byte_source.h"
#include "base/python_literal.h"
#include "readers/pyprof/net_dict_reader.h"
#include "readers/text/nvtx_text.h"
#include "support/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(profgauge::ParsePythonLiteral(text));
  static_cast<void>(profgauge::readers::ParseRangeText(text, ""));
  static_cast<void>(profgauge::readers::pyprof::ParseKernelLine(text));
  const auto source = profgauge::MakeMemorySource("fuzz", std::as_bytes(std::span(bytes, size)));
  auto profile = profgauge::readers::MakeNetDictReader()->Read(
      *source, {.allow_incomplete = true, .threads = 1, .progress = {}});
  profgauge::fuzz::ValueOf(profile);
  return 0;
}
