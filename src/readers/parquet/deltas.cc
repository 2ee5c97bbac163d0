#include "readers/parquet/deltas.h"

#include <algorithm>

#include "readers/parquet/varint.h"

namespace profgauge::readers::parquet {

std::optional<Deltas> Deltas::Begin(std::string_view bytes) {
  constexpr std::uint64_t kMostBlock = std::uint64_t{1} << 20;
  Deltas deltas;
  std::uint64_t block = 0;
  if (!TakeVarint(bytes, block) || !TakeVarint(bytes, deltas.minis_) ||
      !TakeVarint(bytes, deltas.count_) || !TakeZigZag(bytes, deltas.value_)) {
    return std::nullopt;
  }
  if (block == 0 || block > kMostBlock || block % 128 != 0) return std::nullopt;
  if (deltas.minis_ == 0 || block % deltas.minis_ != 0) return std::nullopt;
  deltas.mini_size_ = block / deltas.minis_;
  if (deltas.mini_size_ % 32 != 0) return std::nullopt;
  deltas.left_ = deltas.count_;
  deltas.bytes_ = bytes;
  return deltas;
}

bool Deltas::BeginBlock() {
  if (!TakeZigZag(bytes_, least_) || bytes_.size() < minis_) return false;
  widths_ = bytes_.substr(0, static_cast<std::size_t>(minis_));
  bytes_.remove_prefix(widths_.size());
  return true;
}

bool Deltas::BeginMini() {
  constexpr unsigned kMostBits = 64;
  if (widths_.empty() && !BeginBlock()) return false;
  const unsigned width = static_cast<unsigned char>(widths_.front());
  widths_.remove_prefix(1);
  if (width > kMostBits) return false;
  // Writers may leave out the bytes of the last mini-block that nothing is in.
  const std::uint64_t wanted = (std::min(left_, mini_size_) * width + 7) / 8;
  const std::uint64_t size = mini_size_ * width / 8;
  if (wanted > bytes_.size()) return false;
  const auto whole = static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes_.size()));
  bits_ = PackedBits(bytes_.substr(0, whole), width);
  bytes_.remove_prefix(whole);
  mini_left_ = mini_size_;
  return true;
}

bool Deltas::Read(std::size_t count, std::int64_t* out) {
  if (count > left_) return false;
  for (std::size_t i = 0; i < count;) {
    if (is_first_) {
      is_first_ = false;
      --left_;
      out[i++] = static_cast<std::int64_t>(value_);
      continue;
    }
    if (mini_left_ == 0 && !BeginMini()) return false;
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(mini_left_, count - i));
    for (const std::size_t end = i + now; i < end; ++i) {
      value_ += least_ + bits_.Next();
      out[i] = static_cast<std::int64_t>(value_);
    }
    mini_left_ -= now;
    left_ -= now;
  }
  return true;
}

std::optional<std::string_view> Deltas::Behind() const {
  Deltas rest = *this;
  if (rest.left_ > 0) --rest.left_;  // The first has no bits.
  while (rest.left_ > 0) {
    if (!rest.BeginMini()) return std::nullopt;
    rest.left_ -= std::min(rest.left_, rest.mini_size_);
  }
  return rest.bytes_;
}

}  // namespace profgauge::readers::parquet
