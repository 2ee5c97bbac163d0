// Events read by a learned layout are those that the JSON parser reads: same fields, same forms,
// same end, same place and words of an error. Shown on likely mistakes of a layout, on mutations
// with a fixed seed, and on real traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "layouts_transcript.h"
#include "readers/kineto/skeleton.h"

namespace profgauge::readers::kineto {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKernel =
    R"json({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2,
 "args": {"correlation": 8, "grid": [1, 2, 3], "Input Dims": [[32,3], []], "Input type": ["float", ""]}})json";

/// `chunk` after one that taught its layout, compared with only the JSON parser.
void ExpectSame(const std::string& chunk) {
  const std::vector<std::string> chunks = {std::string(kKernel) + ",", chunk, chunk};
  EXPECT_EQ(TranscriptOf(chunks, EventParser::Layouts::kLearned),
            TranscriptOf(chunks, EventParser::Layouts::kNone))
      << chunk;
}

/// The kernel with `found` replaced.
std::string With(std::string_view found, std::string_view replacement) {
  std::string text(kKernel);
  const auto at = text.find(found);
  EXPECT_NE(at, std::string::npos) << found;
  return text.replace(at, found.size(), replacement);
}

TEST(KinetoLayouts, ALayoutIsUsed) {
  Skeletons skeletons;
  RawEvent event;
  const std::string next = With("8", "9") + ",";
  EXPECT_EQ(skeletons.Match(next, event), 0u);
  skeletons.Learn(kKernel);
  EXPECT_EQ(skeletons.Match(next, event), next.size() - 1);
  EXPECT_EQ(event.Text(Field::kCorrelation), "9");
  EXPECT_EQ(event.Text(Field::kInputDims), "[[32, 3], []]");
}

// Lists that were read before are not read again: the stored one must be complete, and no one
// may get another one's text.
TEST(KinetoLayouts, ListsThatComeAgain) {
  constexpr std::string_view kLists[] = {
      "[1,2,3]",     "[1, 2, 3]", "[1,2,3,4]", "[1,2,33]",     "[]",
      "[[1],[2,3]]", "[[1],[2]]", "[ 1,2,3 ]", "[\"a\",\"\"]", "[\"a\", \"b\"]",
      "[1e3]",       "[1,2,3",    "[1,2,3]]",  "[1,,3]",       "[12,345,6789,12345,678901]"};
  std::vector<std::string> chunks = {std::string(kKernel) + ","};
  std::mt19937 random(7);
  const auto any = [&] { return std::string(kLists[random() % std::size(kLists)]); };
  for (int i = 0; i < 500; ++i) {
    std::string kernel = With("[1, 2, 3]", any());
    if (i % 5 == 0) {  // Twice under one key.
      kernel.replace(kernel.find("\"grid\""), 6, "\"grid\": " + any() + ", \"grid\"");
    }
    chunks.push_back(kernel.replace(kernel.find("[[32,3], []]"), 12, any()) + ",");
  }
  EXPECT_EQ(TranscriptOf(chunks, EventParser::Layouts::kLearned),
            TranscriptOf(chunks, EventParser::Layouts::kNone));
}

TEST(KinetoLayouts, Values) {
  constexpr std::string_view kNumbers[] = {"0",
                                           "-0",
                                           "-",
                                           "00",
                                           "01",
                                           "1.",
                                           ".5",
                                           "1.5e3",
                                           "1e999",
                                           "-1.5",
                                           "+1",
                                           "1 2",
                                           "0x1",
                                           "NaN",
                                           "nul",
                                           "null",
                                           "nullx",
                                           "true",
                                           "false]",
                                           "tru",
                                           "falsee",
                                           "\"7\"",
                                           "\"a\\n\"",
                                           "\"\x01\"",
                                           "\"\xc3\xa4\"",
                                           "\"\xff\"",
                                           "\"",
                                           "[",
                                           "[]",
                                           "{}",
                                           "{\"a\": [1, {}]}",
                                           "[1,]",
                                           "[,]",
                                           "{,}",
                                           "{\"a\"}",
                                           "{\"a\":}",
                                           "{1: 2}",
                                           "[1 2]",
                                           "[\"a\" , null,true]",
                                           "",
                                           "18446744073709551616",
                                           "12345678901234567890.123456789",
                                           "1234567890123456789012345678901234567890123456789",
                                           "]",
                                           "}",
                                           "},"};
  for (const std::string_view value : kNumbers) {
    for (const std::string_view place : {"1.5", "\"k\"", "8", "[1, 2, 3]", "[[32,3], []]"}) {
      for (const std::string_view behind : {"", ",", "]", "]}", " , ", "x", "}", ",]"}) {
        ExpectSame(With(place, value) + std::string(behind));
      }
    }
  }
}

TEST(KinetoLayouts, Keys) {
  for (const std::string_view key :
       {"\"ts\"", "\"t\\u0073\"", "\"ph\"", "\"args\"", "ts", "\"\""}) {
    ExpectSame(With("\"dur\"", key));
    ExpectSame(With("\"grid\"", key));
  }
  ExpectSame(With("\"args\": {", "\"args\": 5, \"more\": {"));
  ExpectSame(With("\"args\": {", "\"args\": [], \"args\": {"));
  ExpectSame(With("\"args\": {", "\"args\": {}, \"args\": {"));
  ExpectSame(With("\"args\": {", "\"args\":{"));
  ExpectSame("{}, {} , {\"a\":{}}, 5, \"x\", [{}], {\"ph\":\"X\"}]");
  // The key of samples of hardware counters, at a position that no key had before.
  ExpectSame("{\"args\": {\"\": 1}}, {\"args\": {\"\": 2}}, {\"\": 3, \"args\": {\"\": [4]}}]");
  ExpectSame("");
  ExpectSame(" \n");
  ExpectSame("]");
  ExpectSame("{} {}");
  ExpectSame("{},,{}");
}

TEST(KinetoLayouts, DeepStructuresAreTheParsers) {
  for (const std::size_t depth : {1u, 15u, 16u, 17u, 200u, 260u}) {
    ExpectSame(With("[1, 2, 3]", std::string(depth, '[') + std::string(depth, ']')));
  }
}

TEST(KinetoLayouts, Mutations) {
  std::mt19937 random(7);
  const std::string seed =
      std::string(kKernel) + ",\n" +
      R"json({"ph":"X","name":"a","args":{"External id":3,"x":"y"},"dur":1},)json" +
      std::string(kKernel) + "]";
  constexpr std::string_view kBytes = "{}[]\",:0-.e \n\\ntfu1\x7f\xc3";
  for (int round = 0; round < 4000; ++round) {
    std::string chunk = seed;
    const auto at = [&] { return random() % chunk.size(); };
    for (unsigned change = 0; change <= random() % 3; ++change) {
      switch (random() % 3) {
        case 0:
          chunk[at()] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          chunk.insert(at(), 1, kBytes[random() % kBytes.size()]);
          break;
        default:
          chunk.erase(at(), 1 + random() % 8);
      }
    }
    const std::vector<std::string> chunks = {seed, chunk};
    ASSERT_EQ(TranscriptOf(chunks, EventParser::Layouts::kLearned),
              TranscriptOf(chunks, EventParser::Layouts::kNone))
        << chunk;
  }
}

TEST(KinetoLayouts, RealTraces) {
  const fs::path folder = fs::path(PROFGAUGE_SHARED_DIR) / "data" / "kineto";
  if (!fs::exists(folder)) GTEST_SKIP() << "no real profiles at hand";
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const auto source = OpenByteSource(entry.path().string());
    if (!source) continue;
    std::string text(std::size_t{1} << 20, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      const auto got = (*source)->Read(std::as_writable_bytes(std::span(text)).subspan(size));
      if (!got || *got == 0) break;
      size += *got;
    }
    text.resize(size);
    const auto list = text.find('[', std::min(text.find("traceEvents"), text.size() - 1));
    if (list == std::string::npos) continue;
    const std::vector<std::string> chunks = {text.substr(list + 1)};
    ASSERT_EQ(TranscriptOf(chunks, EventParser::Layouts::kLearned),
              TranscriptOf(chunks, EventParser::Layouts::kNone))
        << entry.path();
    ++seen;
  }
  EXPECT_GT(seen, 30u);
}

}  // namespace
}  // namespace profgauge::readers::kineto
