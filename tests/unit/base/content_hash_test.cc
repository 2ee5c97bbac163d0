// Names by content.
#include "base/hashes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace profgauge {
namespace {

// Whatever instructions the processor has, and in whatever pieces the bytes come.
TEST(ContentHash, IsThatOfTheLibrary) {
  std::string bytes;
  for (std::int64_t i = 0; i < 100'000; ++i) bytes.push_back(static_cast<char>(i * i % 251));
  for (const std::size_t size : {0U, 1U, 16U, 17U, 128U, 240U, 241U, 1024U, 65'537U, 100'000U}) {
    const std::string_view text = std::string_view(bytes).substr(0, size);
    const XXH128_hash_t expected = XXH3_128bits(text.data(), text.size());
    for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, size + 1}) {
      ContentHash hash;
      for (std::size_t at = 0; at < size; at += piece) hash.Add(text.substr(at, piece));
      EXPECT_EQ(hash.Hex(), fmt::format("{:016x}{:016x}", expected.high64, expected.low64))
          << size << " bytes by " << piece;
    }
  }
}

}  // namespace
}  // namespace profgauge
