#include "readers/parquet/runs.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/varint.h"

namespace profgauge::readers::parquet {

static_assert(std::endian::native == std::endian::little, "numbers are loaded as they are stored");

// Up to 64 bits from the middle of a byte on may end in a ninth byte:
//
//   byte      first            first + 1 .. first + 7      first + 8
//   bits      |shift|......... low >> shift .............| high << (64 - shift)
std::uint64_t PackedBits::Next() {
  const std::size_t first = bit_ / 8, shift = bit_ % 8;
  bit_ += width_;
  if (width_ == 0) return 0;
  std::uint64_t low = 0;
  if (first + sizeof(low) <= bytes_.size()) {
    std::memcpy(&low, bytes_.data() + first, sizeof(low));
  } else if (first < bytes_.size()) {
    std::memcpy(&low, bytes_.data() + first, bytes_.size() - first);
  }
  std::uint64_t number = low >> shift;
  if (shift + width_ > 64 && first + sizeof(low) < bytes_.size()) {
    const auto high = static_cast<unsigned char>(bytes_[first + sizeof(low)]);
    number |= std::uint64_t{high} << (64 - shift);
  }
  return width_ == 64 ? number : number & ((std::uint64_t{1} << width_) - 1);
}

void PackedBits::Read(std::size_t count, std::uint32_t* out) {
  // Eight bytes hold a number wherever it begins.
  const std::uint64_t mask = (std::uint64_t{1} << width_) - 1;
  std::size_t i = 0;
  for (; i < count && bit_ / 8 + sizeof(mask) <= bytes_.size(); ++i, bit_ += width_) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + bit_ / 8, sizeof(bits));
    out[i] = static_cast<std::uint32_t>(bits >> bit_ % 8 & mask);
  }
  for (; i < count; ++i) out[i] = static_cast<std::uint32_t>(Next());
}

bool Runs::Begin() {
  std::uint64_t head = 0;
  if (!TakeVarint(bytes_, head)) return false;
  const std::uint64_t length = head >> 1;
  if (length == 0) return false;
  if ((head & 1) == 0) {
    const std::size_t size = (width_ + 7) / 8;
    if (size > bytes_.size()) return false;
    number_ = 0;
    std::memcpy(&number_, bytes_.data(), size);
    bytes_.remove_prefix(size);
    repeated_ = static_cast<std::size_t>(length);
    return width_ == kMostBits || number_ >> width_ == 0;
  }
  // Some writers omit the empty bytes of the last run.
  const std::uint64_t room = width_ == 0 ? length * 8 : std::uint64_t{bytes_.size()} * 8 / width_;
  const std::uint64_t values = length > room ? room : std::min(length * 8, room);
  const std::uint64_t size = std::min<std::uint64_t>(bytes_.size(), (values * width_ + 7) / 8);
  // Includes the bytes that follow, so that also a short run is read eight bytes at a time.
  bits_ = PackedBits(bytes_, width_);
  bytes_.remove_prefix(static_cast<std::size_t>(size));
  packed_ = static_cast<std::size_t>(values);
  return values > 0;
}

bool Runs::Read(std::size_t count, std::uint32_t* out) {
  while (count > 0) {
    // Numbers without bits are all 0; that there are runs of them need not be said.
    if (width_ == 0) {
      std::fill_n(out, count, 0U);
      return true;
    }
    if (repeated_ == 0 && packed_ == 0 && !Begin()) return false;
    std::size_t now = 0;
    if (repeated_ > 0) {
      now = std::min(repeated_, count);
      std::fill_n(out, now, number_);
      repeated_ -= now;
    } else {
      now = std::min(packed_, count);
      bits_.Read(now, out);
      packed_ -= now;
    }
    out += now;
    count -= now;
  }
  return true;
}

std::size_t Runs::Ahead(std::size_t most, std::uint32_t& number) {
  if (width_ == 0) {
    number = 0;
    return most;
  }
  if (repeated_ == 0 && packed_ == 0 && !Begin()) return 0;
  number = number_;
  return std::min(repeated_, most);
}

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

// The bytes after the numbers are known only by going through the heads of all blocks; the numbers
// themselves are passed over.
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
