#include "readers/kineto/pftrace/packets.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "base/read_block.h"
#include "base/varint.h"

namespace profgauge::readers::pftrace {
namespace {

// Fuzz targets make blocks small, so that packets are split between them.
constexpr std::size_t kWindow = kReadBlock / 4;
// A file with another field at this level is no Perfetto trace.
constexpr char kPacketTag = '\x0A';  // Field 1, length-delimited.
/// zstd's own limit for streams is 128 MB of memory; Perfetto's writer needs 2.
constexpr int kZstdWindowLog = 25;

/// Unpacks a stream piece by piece; one class for each codec.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  enum class Step : std::uint8_t { kGoesOn, kEnd, kDamaged };
  /// Fills `out` as far as possible, and sets `written` to the number of bytes.
  virtual Step Next(std::span<char> out, std::size_t& written) = 0;
};

// Unpacks a zlib stream with its header, the form in Perfetto's packets.
class DeflateUnpacker final : public Unpacker {
 public:
  explicit DeflateUnpacker(std::string_view bytes) {
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());  // The length of a packet fits.
  }
  DeflateUnpacker(const DeflateUnpacker&) = delete;
  DeflateUnpacker& operator=(const DeflateUnpacker&) = delete;
  ~DeflateUnpacker() override { inflateEnd(&stream_); }

  Step Next(std::span<char> out, std::size_t& written) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    written = out.size() - stream_.avail_out;
    if (code == Z_STREAM_END) return Step::kEnd;
    // All input is given in one call. If there is neither output nor the end, the stream is cut.
    return code == Z_OK && written > 0 ? Step::kGoesOn : Step::kDamaged;
  }

 private:
  z_stream stream_{};
};

class ZstdUnpacker final : public Unpacker {
 public:
  explicit ZstdUnpacker(std::string_view bytes) : in_{bytes.data(), bytes.size(), 0} {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kZstdWindowLog);
  }

  Step Next(std::span<char> out, std::size_t& written) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t code = ZSTD_decompressStream(stream_.get(), &to, &in_);
    written = to.pos;
    if (ZSTD_isError(code) != 0) return Step::kDamaged;
    if (code == 0 && in_.pos == in_.size) return Step::kEnd;
    return written > 0 || code == 0 ? Step::kGoesOn : Step::kDamaged;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  ZSTD_inBuffer in_;
};

std::unique_ptr<Unpacker> MakeUnpacker(std::string_view bytes, Codec codec) {
  if (codec == Codec::kZstd) return std::make_unique<ZstdUnpacker>(bytes);
  return std::make_unique<DeflateUnpacker>(bytes);
}

/// Reads the varint at `at` and moves `at` after it. Returns nothing if the bytes end inside the
/// varint. Returns nothing and sets `at` to npos if the varint is too long.
std::optional<std::uint64_t> TakeLength(std::string_view bytes, std::size_t& at) {
  std::string_view rest = bytes.substr(at);
  std::uint64_t value = 0;
  if (TakeVarint(rest, value)) {
    at = bytes.size() - rest.size();
    return value;
  }
  if (bytes.size() - at >= kLongestVarint) at = std::string_view::npos;
  return std::nullopt;
}

}  // namespace

// Drops the bytes of used packets here. Dropping them packet by packet would move the rest each
// time.
void PacketBuffer::Add(std::string_view bytes) {
  bytes_.erase(0, at_);
  taken_ += at_;
  at_ = 0;
  bytes_ += bytes;
}

PacketBuffer::State PacketBuffer::Next() {
  packet_ = {};
  offset_ = taken_ + at_;
  if (at_ == bytes_.size()) return State::kNeedsMore;
  if (bytes_[at_] != kPacketTag) return State::kDamaged;
  std::size_t behind = at_ + 1;
  const auto length = TakeLength(bytes_, behind);
  if (behind == std::string_view::npos) return State::kDamaged;
  // The bytes end inside the length.
  if (!length) return State::kNeedsMore;
  if (*length > kLargestPacket) return State::kDamaged;
  if (*length > bytes_.size() - behind) return State::kNeedsMore;
  packet_ = std::string_view(bytes_).substr(behind, static_cast<std::size_t>(*length));
  at_ = behind + packet_.size();
  return State::kPacket;
}

BundleEnd Unpack(std::string_view compressed, Codec codec,
                 const std::function<bool(std::string_view)>& take) {
  const auto unpacker = MakeUnpacker(compressed, codec);
  std::string window(kWindow, '\0');
  PacketBuffer buffer;
  std::uint64_t total = 0;
  for (;;) {
    std::size_t written = 0;
    const auto step = unpacker->Next(window, written);
    if (step == Unpacker::Step::kDamaged) return BundleEnd::kDamaged;
    total += written;
    if (total > kLargestBundle) return BundleEnd::kTooLarge;
    buffer.Add(std::string_view(window).substr(0, written));
    PacketBuffer::State state = buffer.Next();
    for (; state == PacketBuffer::State::kPacket; state = buffer.Next()) {
      if (!take(buffer.packet())) return BundleEnd::kStopped;
    }
    if (state == PacketBuffer::State::kDamaged) return BundleEnd::kDamaged;
    if (step == Unpacker::Step::kEnd) {
      return buffer.has_rest() ? BundleEnd::kDamaged : BundleEnd::kWhole;
    }
  }
}

bool PacketReader::Next() {
  for (;;) {
    switch (buffer_.Next()) {
      case PacketBuffer::State::kPacket:
        return true;
      case PacketBuffer::State::kDamaged:
        damaged_ = true;
        return false;
      case PacketBuffer::State::kNeedsMore:
        break;
    }
    if (Fill()) continue;
    truncated_ = buffer_.has_rest();
    return false;
  }
}

bool PacketReader::Fill() {
  if (window_.empty()) window_.resize(kWindow);
  auto got = source_.Read(std::as_writable_bytes(std::span(window_)));
  if (!got) error_ = std::move(got).error();
  if (error_ || *got == 0) return false;
  const auto bytes = std::string_view(window_).substr(0, *got);
  hash_.Add(bytes);
  total_ += bytes.size();
  buffer_.Add(bytes);
  return true;
}

}  // namespace profgauge::readers::pftrace
