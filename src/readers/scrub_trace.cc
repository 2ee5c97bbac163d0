#include "readers/scrub_trace.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/errors.h"
#include "readers/detect.h"
#include "readers/kineto/kept_keys.h"
#include "readers/rocprofv3/kept_keys.h"
#include "readers/text/json_copy.h"

namespace profgauge::readers {
namespace {

Error OtherFormat(const std::string& in, std::string_view format) {
  return InputError(
      in, "scrub/format",
      fmt::format("expected a trace of PyTorch, JSON of rocprofv3 or an SQLite export "
                  "of Nsight Systems, found {}",
                  format),
      "for other formats, share a report: `profgauge report PROFILE --redact=code`");
}

Result<std::string> FormatOf(const std::string& in) {
  PROFGAUGE_TRY(const auto source, OpenByteSource(in));
  constexpr std::size_t kHead = std::size_t{64} << 10;
  std::vector<std::byte> head(kHead);
  std::size_t size = 0;
  while (size < head.size()) {
    PROFGAUGE_TRY(const std::size_t got, source->Read(std::span(head).subspan(size)));
    if (got == 0) break;
    size += got;
  }
  PROFGAUGE_TRY(const Reader* reader,
                FindReader(in, std::span(head).first(size), source->compressed()));
  return std::string(reader->name());
}

}  // namespace

Result<std::string> ScrubTrace(const std::string& in) {
  PROFGAUGE_TRY(const std::string format, FormatOf(in));
  for (const JsonKeep& keep : {kineto::KeptKeys(), rocprofv3::KeptKeys()}) {
    if (keep.format != format) continue;
    PROFGAUGE_TRY(const auto source, OpenByteSource(in));
    return CopyJson(*source, keep);
  }
  return Fail(OtherFormat(in, format));
}

}  // namespace profgauge::readers
