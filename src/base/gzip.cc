#include "base/gzip.h"

#include <libdeflate.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#ifdef PROFGAUGE_ISAL
#include <isa-l/igzip_lib.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#else
#include <zlib.h>
#endif

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

std::string Zstd(std::string_view bytes, std::string_view dictionary) {
  constexpr int kLevel = 12;
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  if (context == nullptr) throw std::bad_alloc();
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress_usingDict(context.get(), out.data(), out.size(), bytes.data(), bytes.size(),
                              dictionary.data(), dictionary.size(), kLevel);
  // Only lack of memory can fail, as `out` is as large as the bound.
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  out.resize(size);
  return out;
}

std::optional<std::string> Unzstd(std::string_view packed, std::string_view dictionary,
                                  std::size_t most) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  // The two results for "unknown" and "damaged" are the largest numbers.
  if (size > most) return std::nullopt;
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  std::string out(size, '\0');
  const std::size_t written =
      ZSTD_decompress_usingDict(context.get(), out.data(), out.size(), packed.data(), packed.size(),
                                dictionary.data(), dictionary.size());
  if (ZSTD_isError(written) != 0 || written != size) return std::nullopt;
  return out;
}

namespace {

/// The largest size that fits the libraries' 32-bit counters.
template <class Byte>
std::uint32_t Count(std::span<Byte> bytes) {
  constexpr std::size_t kZlibsMostBytes = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(bytes.size(), kZlibsMostBytes));
}

#ifdef PROFGAUGE_ISAL

#ifdef __x86_64__
[[gnu::target("avx")]] void ClearUpperHalves() { _mm256_zeroupper(); }
#endif

// ISA-L 2.30 leaves the upper halves of vector registers in use. Later code without AVX on this
// thread (e.g. a hash of the decompressed bytes) then runs at a fifth of its speed on Zen 5.
void LeaveVectors() {
#ifdef __x86_64__
  static const bool has_avx = __builtin_cpu_supports("avx") != 0;
  if (has_avx) ClearUpperHalves();
#endif
}

class IsalInflater final : public Inflater {
 public:
  IsalInflater() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  Step Decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    const auto in_size = Count(in);
    const auto out_size = Count(out);
    state_.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(in.data()));
    state_.avail_in = in_size;
    state_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_.avail_out = out_size;
    const int code = isal_inflate(&state_);
    LeaveVectors();
    Step step;
    step.consumed = in_size - state_.avail_in;
    step.written = out_size - state_.avail_out;
    // ISAL_BLOCK_FINISH is reached only after comparing the checksum in the trailer.
    if (code < 0) {
      step.state = State::kDamaged;
    } else if (state_.block_state == ISAL_BLOCK_FINISH) {
      step.state = State::kMemberEnd;
    }
    return step;
  }

 private:
  // Zeros, so that a distance before the start of damaged data finds no bytes of another stream.
  inflate_state state_{};
};
using BestInflater = IsalInflater;

#else

class ZlibInflater final : public Inflater {
 public:
  ZlibInflater() {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();  // 16: a gzip header.
  }
  ZlibInflater(const ZlibInflater&) = delete;
  ZlibInflater& operator=(const ZlibInflater&) = delete;
  ~ZlibInflater() override { inflateEnd(&stream_); }

  Step Decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    const auto in_size = Count(in);
    const auto out_size = Count(out);
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
    stream_.avail_in = in_size;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = out_size;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    Step step;
    step.consumed = in_size - stream_.avail_in;
    step.written = out_size - stream_.avail_out;
    if (code == Z_STREAM_END) {
      step.state = State::kMemberEnd;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      step.state = State::kDamaged;
    }
    return step;
  }

 private:
  z_stream stream_{};
};
using BestInflater = ZlibInflater;

#endif

class ZstdDecoder final : public Inflater {
 public:
  ZstdDecoder() {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

  Step Decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t code = ZSTD_decompressStream(stream_.get(), &to, &from);
    Step step{from.pos, to.pos, State::kMore};
    if (ZSTD_isError(code) != 0) {
      const bool is_large = ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge;
      step.state = is_large ? State::kTooLarge : State::kDamaged;
    } else if (code == 0) {
      step.state = State::kMemberEnd;
    }
    return step;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
};

}  // namespace

std::unique_ptr<Inflater> MakeZstdDecoder() { return std::make_unique<ZstdDecoder>(); }

std::unique_ptr<Inflater> MakeInflater() { return std::make_unique<BestInflater>(); }

}  // namespace profgauge
