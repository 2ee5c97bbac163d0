// White space between values costs no memory, and no place in a message.
#include <gtest/gtest.h>

#include <string>

#include "kineto_text.h"
#include "readers/kineto/document.h"

namespace profgauge::readers {
namespace {

using readers::kineto::Chunk;
using readers::kineto::Input;
using readers::kineto::kChunkBytes;

/// More than a chunk, so that no single chunk holds it.
std::string Spaces(std::size_t chunks = 3) { return std::string(chunks * kChunkBytes + 7, ' '); }

/// The largest text of a chunk.
std::size_t LargestChunk(std::string_view text) {
  const auto source = MakeMemorySource("t", std::as_bytes(std::span(text.data(), text.size())));
  Input input(*source);
  Chunk chunk;
  std::size_t largest = 0;
  do {
    kineto::NextChunk(input, chunk);
    largest = std::max({largest, chunk.text.size(), chunk.text.capacity()});
  } while (!chunk.last);
  return largest;
}

TEST(KinetoSpace, CostsNoMemory) {
  EXPECT_LE(LargestChunk(Spaces(64)), 2 * kChunkBytes);
  EXPECT_LE(LargestChunk(Op("a") + "," + Spaces(64) + Op("b") + Spaces(64)), 2 * kChunkBytes);
}

TEST(KinetoSpace, StaysInStrings) {
  const std::string name = "a" + Spaces() + "b";
  const auto profile = ReadText(Trace(Op("X") + "," + Spaces() + Op(name) + Spaces()));
  ASSERT_TRUE(profile) << Outcome(profile);
  ASSERT_EQ(profile->host.size(), 2U);
  EXPECT_EQ(profile->Name(profile->host.name[0]), "X");
  EXPECT_EQ(profile->Name(profile->host.name[1]), name);
}

// An event of over 16 MiB is passed over, wherever it is long, and counted once with its place.
TEST(KinetoSpace, LongEventsArePassedOver) {
  constexpr std::size_t kLong = std::size_t{20} << 20;
  const std::string name(kLong, 'x'), digits(kLong, '1'), lists(kLong, '[');
  const std::string before = Op("a") + ",", after = "," + Op("b");
  for (const std::string& event :
       {Op(name), R"({"ph": "X", "name": "d", "ts": )" + digits + "}",
        R"({"ph": "X", "name": "l", "args": {"a": )" + lists + std::string(kLong, ']') + "}}"}) {
    for (const bool is_last : {false, true}) {
      const std::string trace = Trace(before + event + (is_last ? "" : after));
      const auto profile = ReadText(trace);
      ASSERT_TRUE(profile) << Outcome(profile);
      EXPECT_EQ(profile->host.size(), is_last ? 1U : 2U);
      EXPECT_EQ(profile->log[Counter::events_unreadable], 1U);
      EXPECT_TRUE(profile->log.HasDataLoss());
      EXPECT_LE(LargestChunk(trace), 2 * kLong);
    }
  }
  EXPECT_EQ(
      ReadText("{\"traceEvents\": [" + before + R"({"ph": "X", "name": ")" + name).error().code,
      "kineto/truncated");
}

TEST(KinetoSpace, IsBetweenAnyTwoValues) {
  std::string op = Op("long");
  for (std::size_t at = op.find(':'); at != std::string::npos; at = op.find(':', at + 1)) {
    op.insert(at, std::string(kChunkBytes / 2, '\n'));
    at += kChunkBytes / 2;
  }
  const auto profile = ReadText(Trace(Op("x") + "," + op + "," + Op("y")));
  ASSERT_TRUE(profile) << Outcome(profile);
  EXPECT_EQ(profile->host.size(), 3U);
  EXPECT_EQ(Outcome(profile), "read");
}

TEST(KinetoSpace, MovesNoPlace) {
  const std::string before = "{\"schemaVersion\": 1, \"traceEvents\": [" + Op("x") + "," + Spaces();
  const auto profile = ReadText(before + Op("a\\qb") + "," + Spaces() + Op("y") + "]}");
  ASSERT_TRUE(profile) << Outcome(profile);
  EXPECT_EQ(profile->host.size(), 3U);
  EXPECT_EQ(Outcome(profile), fmt::format("read, strings_bad_escape 1 (byte {})", before.size()));
}

}  // namespace
}  // namespace profgauge::readers
