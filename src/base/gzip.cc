#include "base/gzip.h"

#include <libdeflate.h>

#include <memory>
#include <new>

namespace profgauge {

std::string Gzip(std::string_view bytes, Effort effort) {
  const int level = effort == Effort::kSmall ? 4 : 9;
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), &libdeflate_free_compressor);
  if (compressor == nullptr) throw std::bad_alloc();
  const std::size_t most = libdeflate_gzip_compress_bound(compressor.get(), bytes.size());
  const auto out = std::make_unique_for_overwrite<char[]>(most);
  // Cannot fail: `out` is as large as the bound.
  return {out.get(),
          libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.get(), most)};
}

std::string Gunzip(std::string_view gzipped, std::size_t size) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>
      decompressor(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (decompressor == nullptr) throw std::bad_alloc();
  std::string out(size, '\0');
  std::size_t written = 0;
  libdeflate_gzip_decompress(decompressor.get(), gzipped.data(), gzipped.size(), out.data(), size,
                             &written);
  out.resize(written);
  return out;
}

}  // namespace profgauge
