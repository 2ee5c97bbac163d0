#include "base/thrift.h"

#include "base/varint.h"

namespace profgauge {

std::uint8_t ThriftReader::Byte() {
  if (!ok_) return 0;
  if (at_ == bytes_.size()) {
    ended_early_ = true;
    Fail();
    return 0;
  }
  return static_cast<std::uint8_t>(bytes_[at_++]);
}

std::uint64_t ThriftReader::Varint() {
  if (!ok_) return 0;
  std::string_view rest = bytes_.substr(at_);
  std::uint64_t value = 0;
  if (!TakeVarint(rest, value)) {
    ended_early_ = bytes_.size() - at_ < kLongestVarint;
    Fail();
    return 0;
  }
  at_ = bytes_.size() - rest.size();
  return value;
}

std::int64_t ThriftReader::ZigZag() {
  const std::uint64_t value = Varint();
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

// The size of a text or list, each element of which takes at least a byte.
std::size_t ThriftReader::Size() {
  const std::uint64_t size = Varint();
  if (size <= bytes_.size() - at_) return static_cast<std::size_t>(size);
  ended_early_ = ok_;
  Fail();
  return 0;
}

bool ThriftReader::Take(ThriftType type) {
  const bool is_there = ok_ && next_ == type;
  if (!is_there) Fail();
  next_ = ThriftType::kStop;
  return is_there;
}

bool ThriftReader::Enter(ThriftType expected) {
  if (!Take(expected)) return false;
  if (++depth_ > kMostDepth) Fail();
  return ok_;
}

bool ThriftReader::EnterList(ThriftType& type, std::size_t& size) {
  constexpr unsigned kSizeFollows = 15;  // The size follows.
  if (!Enter(next_ == ThriftType::kSet ? ThriftType::kSet : ThriftType::kList)) return false;
  const unsigned head = Byte();
  type = static_cast<ThriftType>(head & 15U);
  size = head >> 4;
  if (size == kSizeFollows) size = Size();
  if (size > bytes_.size() - at_) {
    ended_early_ = ok_;
    Fail();
  }
  return ok_;
}

// Thrift's ids have 16 bits; a larger one is damaged, and could grow endlessly by its differences.
bool ThriftReader::NextField(std::int64_t& field) {
  const unsigned head = Byte();
  if (!ok_ || head == 0) return false;
  const unsigned delta = head >> 4;
  const std::int64_t stated = delta == 0 ? ZigZag() : 0;
  constexpr std::int64_t kMostField = 1 << 15;
  field = delta == 0 ? stated : field + delta;
  if (field < -kMostField || field > kMostField) Fail();
  SetNext(static_cast<ThriftType>(head & 15U), false);
  return ok_;
}

std::int64_t ThriftReader::Integer() {
  const ThriftType type = next_;
  if (type < ThriftType::kByte || type > ThriftType::kInt64) Fail();
  if (!Take(type)) return 0;
  const std::int64_t value =
      type == ThriftType::kByte ? static_cast<std::int8_t>(Byte()) : ZigZag();
  return ok_ ? value : 0;
}

bool ThriftReader::Bool() {
  const ThriftType type = next_;
  if (type != ThriftType::kTrue && type != ThriftType::kFalse) Fail();
  if (!Take(type)) return false;
  return in_list_ ? Byte() == 1 : type == ThriftType::kTrue;
}

std::string_view ThriftReader::Text() {
  if (!Take(ThriftType::kBinary)) return {};
  const std::size_t size = Size();
  if (!ok_) return {};
  at_ += size;
  return bytes_.substr(at_ - size, size);
}

void ThriftReader::SkipElements(ThriftType first, ThriftType second, std::size_t count) {
  for (std::size_t i = 0; i < count && ok_; ++i) {
    SetNext(first, true);
    Skip();
    if (second == ThriftType::kStop) continue;
    SetNext(second, true);
    Skip();
  }
}

// Skips fields of newer writers by their type. Counts depth, so that a file of nested lists cannot
// exhaust the stack.
void ThriftReader::Skip() {
  if (!ok_ || next_ == ThriftType::kStop) return;
  constexpr std::size_t kDoubleBytes = 8;
  switch (next_) {
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      Bool();
      return;
    case ThriftType::kByte:
    case ThriftType::kInt16:
    case ThriftType::kInt32:
    case ThriftType::kInt64:
      Integer();
      return;
    case ThriftType::kDouble:
      next_ = ThriftType::kStop;
      for (std::size_t i = 0; i < kDoubleBytes; ++i) Byte();
      return;
    case ThriftType::kBinary:
      Text();
      return;
    case ThriftType::kList:
    case ThriftType::kSet: {
      std::size_t size = 0;
      ThriftType type = ThriftType::kStop;
      if (!EnterList(type, size)) return;
      SkipElements(type, ThriftType::kStop, size);
      return Leave();
    }
    case ThriftType::kMap: {
      if (!Enter(ThriftType::kMap)) return;
      const std::size_t size = Size();
      const unsigned types = size > 0 ? Byte() : 0;
      SkipElements(static_cast<ThriftType>(types >> 4), static_cast<ThriftType>(types & 15U), size);
      return Leave();
    }
    case ThriftType::kStruct:
      return Struct([](std::int64_t) {});
    case ThriftType::kStop:
      break;
  }
  Fail();  // The protocol has no such type.
}

}  // namespace profgauge
