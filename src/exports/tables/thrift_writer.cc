#include "exports/tables/thrift_writer.h"

#include <utility>

#include "base/thrift.h"

namespace profgauge::exports {
namespace {

constexpr auto kThriftInt32 = static_cast<std::uint8_t>(ThriftType::kInt32);
constexpr auto kThriftInt64 = static_cast<std::uint8_t>(ThriftType::kInt64);
constexpr auto kBinary = static_cast<std::uint8_t>(ThriftType::kBinary);
constexpr auto kList = static_cast<std::uint8_t>(ThriftType::kList);
constexpr auto kStruct = static_cast<std::uint8_t>(ThriftType::kStruct);

}  // namespace

// Writes seven bits in each byte, lowest first. The top bit is set if more bytes follow.
void ThriftWriter::Varint(std::uint64_t value) {
  constexpr std::uint64_t kMore = 0x80;
  for (; value >= kMore; value >>= 7) out_ += static_cast<char>((value & 0x7f) | kMore);
  out_ += static_cast<char>(value);
}

// Maps 0, -1, 1, -2 to 0, 1, 2, 3, so that small numbers of either sign are short.
void ThriftWriter::ZigZag(std::int64_t value) {
  Varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void ThriftWriter::Head(int field, std::uint8_t type) {
  const int step = field - std::exchange(last_.back(), field);
  constexpr int kMostStep = 15;
  if (step > 0 && step <= kMostStep) {
    out_ += static_cast<char>(static_cast<unsigned>(step) << 4 | type);
    return;
  }
  out_ += static_cast<char>(type);
  ZigZag(field);
}

void ThriftWriter::ListHead(std::size_t size, std::uint8_t type) {
  constexpr std::size_t kMostShort = 14;
  if (size <= kMostShort) {
    out_ += static_cast<char>(size << 4 | type);
    return;
  }
  out_ += static_cast<char>(0xf0 | type);
  Varint(size);
}

void ThriftWriter::Int32(int field, std::int64_t value) {
  Head(field, kThriftInt32);
  ZigZag(value);
}

void ThriftWriter::Int64(int field, std::int64_t value) {
  Head(field, kThriftInt64);
  ZigZag(value);
}

void ThriftWriter::Text(int field, std::string_view value) {
  Head(field, kBinary);
  Varint(value.size());
  out_ += value;
}

void ThriftWriter::ListOfInt32(int field, const std::vector<std::int64_t>& values) {
  Head(field, kList);
  ListHead(values.size(), kThriftInt32);
  for (const std::int64_t value : values) ZigZag(value);
}

void ThriftWriter::ListOfTexts(int field, const std::vector<std::string>& values) {
  Head(field, kList);
  ListHead(values.size(), kBinary);
  for (const std::string& value : values) {
    Varint(value.size());
    out_ += value;
  }
}

void ThriftWriter::ListOfStructs(int field, std::size_t size) {
  Head(field, kList);
  ListHead(size, kStruct);
}

void ThriftWriter::BeginField(int field) {
  Head(field, kStruct);
  BeginStruct();
}

void ThriftWriter::End() {
  out_ += '\0';
  last_.pop_back();
}

// Ends the outermost struct and returns the bytes.
std::string ThriftWriter::Take() {
  End();
  return std::exchange(out_, {});
}

}  // namespace profgauge::exports
