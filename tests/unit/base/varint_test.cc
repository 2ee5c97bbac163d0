#include "base/varint.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/thrift.h"

namespace profgauge {
namespace {

const std::string kNine(9, '\x80');  // The lower 63 bits, all 0.

TEST(Varint, ReadsNumbersOfAnyLength) {
  const std::pair<std::string, std::uint64_t> kRows[] = {
      {{"\x00", 1}, 0},
      {"\x7F", 127},
      {"\x96\x01", 150},
      {kNine + "\x01", std::uint64_t{1} << 63},
      {std::string(9, '\xFF') + "\x01", ~std::uint64_t{0}},
  };
  for (const auto& [bytes, expected] : kRows) {
    const std::string more = bytes + "next";
    std::string_view rest = more;
    std::uint64_t number = 0;
    ASSERT_TRUE(TakeVarint(rest, number));
    EXPECT_EQ(number, expected);
    EXPECT_EQ(rest, "next");
  }
}

TEST(Varint, RefusesMoreThan64BitsAndMissingBytes) {
  for (const std::string& bytes : {std::string(), std::string("\x80"), kNine, kNine + "\x02",
                                   kNine + "\x7F", kNine + "\x80\x01", kNine + "\x81\x01"}) {
    std::string_view rest = bytes;
    std::uint64_t number = 0;
    EXPECT_FALSE(TakeVarint(rest, number));
  }
}

TEST(Varint, SignsAreInTheLowestBit) {
  const std::int64_t kNumbers[] = {0, -1, 1, -2, 2};
  for (char byte = 0; byte < 5; ++byte) {
    std::string_view bytes(&byte, 1);
    std::uint64_t number = 0;
    ASSERT_TRUE(TakeZigZag(bytes, number));
    EXPECT_EQ(static_cast<std::int64_t>(number), kNumbers[static_cast<int>(byte)]);
  }
}

// Field 1, a number of 64 bits.
TEST(Varint, ThriftDistinguishesDamageFromAnEnd) {
  const auto read = [](const std::string& number) {
    const std::string bytes = "\x16" + number;
    ThriftReader reader(bytes);
    reader.Struct([&](std::int64_t) { reader.Integer(); });
    return std::pair(reader.ok(), reader.ended_early());
  };
  EXPECT_EQ(read(kNine + std::string("\x01\x00", 2)), std::pair(true, false));
  EXPECT_EQ(read(kNine + std::string("\x02\x00", 2)), std::pair(false, false));
  EXPECT_EQ(read(kNine), std::pair(false, true));
}

}  // namespace
}  // namespace profgauge
