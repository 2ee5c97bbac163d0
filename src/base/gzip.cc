#include "base/gzip.h"

#include <zlib.h>

#include <new>
#include <span>

#include "base/inflate.h"

namespace profgauge {

std::string Gzip(std::string_view bytes, Effort effort) {
  constexpr int kGzipWindow = 15 + 16;
  const int level = effort == Effort::kQuick ? 1 : effort == Effort::kSmall ? 6 : 9;
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);  // cannot fail: `out` is as large as the bound
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Gunzip(std::string_view gzipped, std::size_t size) {
  std::string out(size, '\0');
  const auto step = MakeInflater()->Decode(std::as_bytes(std::span(gzipped)),
                                           std::as_writable_bytes(std::span(out)));
  out.resize(step.written);
  return out;
}

}  // namespace profgauge
