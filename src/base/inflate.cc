#include "base/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace profgauge {
namespace {

class ZlibInflater final : public Inflater {
 public:
  ZlibInflater() { inflateInit2(&stream_, 15 + 16); }  // 16: expect a gzip header.
  ZlibInflater(const ZlibInflater&) = delete;
  ZlibInflater& operator=(const ZlibInflater&) = delete;
  ~ZlibInflater() override { inflateEnd(&stream_); }

  Step Decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const auto in_size = static_cast<uInt>(std::min(in.size(), kMost));
    const auto out_size = static_cast<uInt>(std::min(out.size(), kMost));
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

}  // namespace

std::unique_ptr<Inflater> MakeInflater() { return std::make_unique<ZlibInflater>(); }

}  // namespace profgauge
