// report.json: its keys and numbers, and text that stays text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <clocale>
#include <cmath>
#include <limits>
#include <string>

#include "base/json_writer.h"
#include "base/text.h"
#include "fixture.h"
#include "render/shared/renderer.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;
using Style = JsonWriter::Style;

std::string Written(const Value& value) {
  JsonWriter out;
  out.Write(value);
  return out.Take();
}

TEST(JsonWriter, Numbers) {
  struct Row {
    Value value;
    std::string_view text;
  };
  const Row kRows[] = {
      {std::int64_t{0}, "0\n"},
      {std::numeric_limits<std::int64_t>::max(), "9223372036854775807\n"},
      {0.1, "0.1\n"},
      {1.0, "1.0\n"},
      {0.1 + 0.2, "0.30000000000000004\n"},
      {1e300, "1e+300\n"},
      {-0.0, "-0.0\n"},
      {std::nan(""), "null\n"},
      {std::numeric_limits<double>::infinity(), "null\n"},
      {std::monostate{}, "null\n"},
      {true, "true\n"},
  };
  for (const Row& row : kRows) EXPECT_EQ(Written(row.value), row.text);
}

TEST(JsonWriter, Texts) {
  struct Row {
    std::string_view in, out;
  };
  const Row kRows[] = {
      {"a", "\"a\"\n"},
      {"\"\\/", "\"\\\"\\\\/\"\n"},
      {"\n\t\r\x01\x7f", "\"\\n\\t\\u000d\\u0001\\u007f\"\n"},
      {"é€", "\"é€\"\n"},
      {"\xff\xc3", "\"\ufffd\ufffd\"\n"},
      {"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\"\n"},  // a lone surrogate
  };
  for (const Row& row : kRows) EXPECT_EQ(Written(std::string(row.in)), row.out);
}

TEST(JsonWriter, Layout) {
  JsonWriter out;
  out.BeginObject();
  out.Field("name", "x");
  out.Key("rows");
  out.BeginArray();
  for (int i = 0; i < 2; ++i) {
    out.BeginArray(Style::kInline);
    out.Integer(i);
    out.Null();
    out.EndArray();
  }
  out.EndArray();
  out.Key("none");
  out.BeginArray();
  out.EndArray();
  out.EndObject();
  EXPECT_EQ(out.Take(), R"({
  "name": "x",
  "rows": [
    [0, null],
    [1, null]
  ],
  "none": []
}
)");
}

class ReportJson : public ::testing::Test {
 protected:
  const report::Report report_ = testing::SampleReport();
  const std::string text_ = RenderJson(report_);
  const json::value document_ = json::parse(text_);
};

TEST_F(ReportJson, KeysInTheirOrder) {
  std::vector<std::string> keys;
  for (const auto& entry : document_.as_object()) keys.emplace_back(entry.key());
  EXPECT_THAT(keys,
              ::testing::ElementsAre("schema", "tool", "profile", "verdict", "gate", "metrics",
                                     "findings", "diagnosis", "tables", "absent_tables", "left_out",
                                     "remarks", "import", "environment", "provenance"));
}

TEST_F(ReportJson, ANumberHasValueUnitAndText) {
  const json::object& idle = document_.at("metrics").at("gpu.idle.mean").as_object();
  EXPECT_EQ(idle.at("value"), 0.314);
  EXPECT_EQ(idle.at("unit"), "ratio");
  EXPECT_EQ(idle.at("text"), "31.4\u202f%");
  const json::object& wall = document_.at("metrics").at("profile.wall_time").as_object();
  EXPECT_TRUE(wall.at("value").is_int64());
  EXPECT_EQ(wall.at("value"), 60'000'000);
  EXPECT_EQ(wall.at("unit"), "ns");
}

TEST_F(ReportJson, AbsentNumbersHaveReasons) {
  const json::object& peak = document_.at("metrics").at("memory.peak_allocated").as_object();
  EXPECT_EQ(peak.at("absent"), "the recording has no such events");
  EXPECT_FALSE(peak.contains("value"));
  EXPECT_FALSE(peak.contains("text"));
}

TEST_F(ReportJson, TablesKeepColumnsAndRows) {
  const json::object& ops = document_.at("tables").at("ops").as_object();
  EXPECT_EQ(ops.at("columns").at(0).at("id"), "name");
  EXPECT_EQ(ops.at("columns").at(8).at("absent"), "needs shapes; record with record_shapes=True");
  EXPECT_EQ(ops.at("rows").as_array().size(), testing::HostileNames().size());
  EXPECT_EQ(json::serialize(ops.at("rows").at(1)),
            R"(["a|b","MatMul",57,7834555,19000019,133,true,"yes",null])");
}

TEST_F(ReportJson, NamesStayTextWhateverTheyHold) {
  const json::array& rows = document_.at("tables").at("kernels").at("rows").as_array();
  ASSERT_EQ(rows.size(), testing::HostileNames().size());
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at(0).as_string(), testing::HostileNames()[i]);
  }
  EXPECT_EQ(rows[rows.size() - 1].at(0).as_string(), "bad \ufffd\ufffd utf-8 \ufffd");
  for (std::string_view rest = text_; !rest.empty();) {
    const std::size_t length = Utf8Length(rest);
    ASSERT_GT(length, 0u);
    rest.remove_prefix(length);
  }
}

TEST_F(ReportJson, BulkTablesAreOnlyNamed) {
  report::Report report = report_;
  report.tables.push_back(testing::MakeTable("launches", "launch", "Launches",
                                             {{"duration", "Duration", Unit::kTime, ""}},
                                             {{std::int64_t{1}}, {std::int64_t{2}}}));
  const json::value document = json::parse(RenderJson(report));
  EXPECT_FALSE(document.at("tables").as_object().contains("launches"));
  EXPECT_EQ(json::serialize(document.at("left_out")),
            R"([{"id":"launches","title":"Launches","rows":2}])");
}

TEST_F(ReportJson, LongestIdleGapsAreKept) {
  report::Report report = report_;
  report.tables.push_back(testing::MakeTable("gaps", "gap", "Idle gaps",
                                             {{"duration", "Duration", Unit::kTime, ""}}, {}));
  for (int i = 0; i < 1'003; ++i) report.tables.back().columns().front().AddInteger(2'000 - i);
  const json::value document = json::parse(RenderJson(report));
  EXPECT_EQ(document.at("tables").at("gaps").at("rows").as_array().size(), 1'000u);
  EXPECT_EQ(json::serialize(document.at("left_out")),
            R"([{"id":"gaps","title":"Idle gaps","rows":3}])");
}

TEST_F(ReportJson, SameBytesInAnyLocale) {
  EXPECT_EQ(RenderJson(testing::SampleReport()), text_);
  const std::string old = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    EXPECT_EQ(RenderJson(report_), text_) << name;
  }
  std::setlocale(LC_ALL, old.c_str());
}

}  // namespace
}  // namespace profgauge::render
