// What stays compressed in memory, and the bytes that go into pages and files.
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
    for (const Effort effort : {Effort::kSmall, Effort::kQuick}) {
      EXPECT_EQ(Gunzip(Gzip(bytes, effort), bytes.size()), bytes) << bytes.size();
    }
  }
}

TEST(Gzip, IsWhatFilesAreReadAs) {
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

}  // namespace
}  // namespace profgauge
