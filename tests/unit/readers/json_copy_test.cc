#include "readers/text/json_copy.h"

#include <gtest/gtest.h>

#include <span>

#include "base/byte_source.h"

namespace profgauge::readers {
namespace {

std::string Copied(std::string_view text, std::vector<std::string> paths) {
  const JsonKeep keep{"", std::move(paths), [](std::string_view, std::string_view value) {
                        return value == "gone" ? std::string() : std::string(value);
                      }};
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(text)));
  const auto copy = CopyJson(*source, keep);
  return copy ? *copy : copy.error().code;
}

TEST(CopyJson, KeepsAllowedPathsWithAllThatLeadsToThem) {
  EXPECT_EQ(Copied(R"({"a": 1, "host": "x", "b": {"c": [1.50, 2e3], "d": true}})", {"a", "b/c"}),
            "{\"a\":1,\"b\":{\"c\":[1.50,2e3]}}\n");
  EXPECT_EQ(Copied(R"({"a": {"b": {"c": null}, "d": 1}, "e": 2})", {"a/"}),
            "{\"a\":{\"b\":{\"c\":null},\"d\":1}}\n");
}

TEST(CopyJson, WritesOneEventALineAndKeepsThoseThatAreLeftEmpty) {
  EXPECT_EQ(Copied(R"({"l": [{"x": 1, "y": 2}, {"y": 3}]})", {"l/x"}),
            "{\"l\":[\n{\"x\":1},\n{}]}\n");
  EXPECT_EQ(Copied(R"([{"x": "\"é"}])", {"x"}), "[\n{\"x\":\"\\\"é\"}]\n");
}

TEST(CopyJson, LeavesOutElementsThatAreCleanedAway) {
  EXPECT_EQ(Copied(R"({"log": ["gone", "kept"], "one": "gone"})", {"log", "one"}),
            "{\"log\":[\"kept\"],\"one\":\"\"}\n");
}

TEST(CopyJson, RefusesNonDocuments) {
  EXPECT_EQ(Copied(R"({"a": 1)", {"a"}), "json/truncated");
  EXPECT_EQ(Copied(R"({"a": ])", {"a"}), "json/invalid");
}

}  // namespace
}  // namespace profgauge::readers
