// Data compressed in memory, and the bytes that go into pages and files.
#include "base/gzip.h"

#include <gtest/gtest.h>

#include <string>

#include "base/byte_source.h"

namespace profgauge {
namespace {

std::string Noise(std::size_t size) {
  std::string bytes;
  std::uint32_t state = 7;
  while (bytes.size() < size) {
    state = state * 1664525 + 1013904223;
    bytes += static_cast<char>(state >> 24);
  }
  return bytes;
}

TEST(Gzip, ComesBack) {
  for (const std::string& bytes :
       {std::string(), std::string("a"), std::string(1 << 20, ' '), Noise(300'000)}) {
    for (const Effort effort : {Effort::kSmall, Effort::kSmallest}) {
      EXPECT_EQ(Gunzip(Gzip(bytes, effort), bytes.size()), bytes) << bytes.size();
    }
  }
}

TEST(Gzip, EqualsFileReading) {
  const std::string bytes = Noise(70'000) + std::string(70'000, 'x');
  const std::string file = Gzip(bytes);
  EXPECT_EQ(file, Gzip(bytes));
  const auto source = MakeMemorySource("a.gz", std::as_bytes(std::span(file)));
  std::string read(bytes.size() + 1, '\0');
  std::size_t have = 0;
  while (true) {
    const auto got = source->Read(std::as_writable_bytes(std::span(read).subspan(have)));
    ASSERT_TRUE(got);
    if (*got == 0) break;
    have += *got;
  }
  read.resize(have);
  EXPECT_EQ(read, bytes);
}

// The bytes of a source until it ends or is damaged, read in pieces of a size.
std::string UntilDamage(std::string_view stored, std::size_t piece = 61) {
  const auto source = MakeMemorySource("a.gz", std::as_bytes(std::span(stored)));
  std::string read, part(piece, '\0');
  while (const auto got = source->Read(std::as_writable_bytes(std::span(part)))) {
    if (*got == 0) break;
    read.append(part, 0, *got);
  }
  return read;
}

// The data point before their start: no bytes of other memory come in their place.
TEST(Gzip, DamagedDataShowNothingElse) {
  const std::string_view damaged(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\xcf\x4b\x55\xc8\x4d"
      "\x00\x22\x4a\x2d\x52\x00\x00\xa3\x4c\xa9\xa2\x0b\x00\x4a\x00\x00\x1f\x32",
      34);
  const auto after = [&](char left) {
    for (const std::size_t size : {80'000U, 90'000U, 100'000U, 120'000U}) {
      const std::string memory(size, left);  // Goes, and the source may get it.
      EXPECT_EQ(memory.back(), left);
    }
    return UntilDamage(damaged);
  };
  const std::string first = after('A');
  EXPECT_EQ(after('B'), first);
  EXPECT_EQ(first.find('A'), first.npos);
}

// A file that was packed twice and cut off gives the same in pieces of any size.
TEST(Gzip, CutGivesThePartBefore) {
  const std::string bytes = Noise(400'000), once = Gzip(bytes), twice = Gzip(once);
  for (const std::string& stored : {once, twice}) {
    const std::string_view cut = std::string_view(stored).substr(0, stored.size() / 2);
    const std::string small = UntilDamage(cut);
    EXPECT_GT(small.size(), bytes.size() / 4);
    EXPECT_EQ(small, bytes.substr(0, small.size()));
    EXPECT_EQ(UntilDamage(cut, 1 << 20).size(), small.size());
  }
}

// What a text has in common with the dictionary costs nothing; damage and too much are nothing.
TEST(Zstd, PacksByADictionary) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * 7919) + ",";
  const std::string dictionary = text.substr(0, text.size());
  const std::string packed = Zstd(text, dictionary);
  EXPECT_LT(packed.size(), 100U);
  EXPECT_GT(Zstd(text, {}).size(), 1000U);
  EXPECT_EQ(Unzstd(packed, text, text.size()), text);
  EXPECT_EQ(Unzstd(packed, text, text.size() - 1), std::nullopt);
  EXPECT_EQ(Unzstd(packed.substr(0, packed.size() / 2), text, 1 << 20), std::nullopt);
  EXPECT_EQ(Unzstd("no frame", text, 1 << 20), std::nullopt);
  EXPECT_EQ(Unzstd(Zstd("", text), text, 0), "");
}

}  // namespace
}  // namespace profgauge
