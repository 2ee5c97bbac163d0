// Rows read directly are those that the JSON parser reads: same fields, same end, same place and
// words of an error. Shown on likely mistakes, on every cut, on mutations with a fixed seed,
// and on real rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "neuron_rows_transcript.h"
#include "readers/neuron/json_stream.h"

namespace profgauge::readers::neuron {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRow =
    R"json({"id":9000000000000000001,"timestamp":40,"evt_wait_time": 1.5, "opcode":"MATMUL",
 "hlo_attrs":"{\"op\":\"dot\"}","other":[1,{"a":"b"}],"penguin":"","dest":["SB","DR"],
 "predecessors":[{"id":8000000000000000000,"type":"FLOW"},{"id":3}],"aggregated":true})json";

std::string Table(std::string_view name, std::string_view rows) {
  return "{\"" + std::string(name) + "\":[" + std::string(rows) +
         "],\"last\":[{\"id\":1},{\"id\":2}]}";
}

void ExpectSame(std::string_view document, std::size_t piece = 1 << 20) {
  EXPECT_EQ(RowsOf(document, piece, Rows::kReadDirectly), RowsOf(document, piece, Rows::kParse))
      << document.substr(0, 4000);
}

/// A row with `found` replaced, between others.
std::string With(std::string_view found, std::string_view replacement) {
  std::string text(kRow);
  const auto at = text.find(found);
  EXPECT_NE(at, std::string::npos) << found;
  return text.replace(at, found.size(), replacement);
}

void ExpectSameRow(const std::string& row) {
  for (const std::string_view name : {"table", "skip", "all"}) {
    const std::string one(kRow);
    ExpectSame(Table(name, one + "," + row + " , " + one + "," + row + "," + row));
    ExpectSame("{\"" + std::string(name) + "\":[" + one + "," + row);
  }
}

TEST(NeuronRows, AreReadDirectly) {
  RowReader reader;
  RowLog log;
  const std::string text = std::string(kRow) + ",";
  EXPECT_EQ(reader.Read(text, log), kRow.size());
  EXPECT_GT(log.size(), 8U);
  log.Clear();
  EXPECT_EQ(reader.Read(With("\"SB\"", "\"\\u0041\"") + ",", log), 0U);
  EXPECT_EQ(log.size(), 0U);
}

constexpr std::string_view kValues[] = {"0",
                                        "-0",
                                        "-",
                                        "00",
                                        "01",
                                        "1.",
                                        ".5",
                                        "1.5e3",
                                        "1e5",
                                        "1E+05",
                                        "2e-7",
                                        "1e",
                                        "1e+",
                                        "1e999",
                                        "1e-999",
                                        "-1.5",
                                        "+1",
                                        "1 2",
                                        "0x1",
                                        "NaN",
                                        "-NaN",
                                        " NaN ",
                                        "Infinity",
                                        "-Infinity",
                                        "Inf",
                                        "[NaN]",
                                        "\"NaN\"",
                                        "\"a, NaN ,b\"",
                                        "{\"a\":-Infinity}",
                                        "nul",
                                        "null",
                                        "nullx",
                                        "true",
                                        "false",
                                        "false]",
                                        "tru",
                                        "falsee",
                                        "\"7\"",
                                        "\"1.25\"",
                                        "\"18446744073709551615\"",
                                        "\"a\\n\"",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                        "\"\\u0041\"",
                                        "\"\\x\"",
                                        "\"\\",
                                        "\"\\\"",
                                        "\"\x01\"",
                                        "\"\x7f\"",
                                        "\"\xc3\xa4\"",
                                        "\"\xff\"",
                                        "\"",
                                        "[",
                                        "[]",
                                        "{}",
                                        "[[]]",
                                        "[{}]",
                                        "{\"a\": [1, {}]}",
                                        "{\"id\": 7}",
                                        "[{\"id\":7},8]",
                                        "[8]",
                                        "[{\"id\":-7}]",
                                        "[{\"id\":1.5}]",
                                        "[{\"id\":18446744073709551615}]",
                                        "[{\"id\":18446744073709551616}]",
                                        "[{\"id\":[4,5]}]",
                                        "[{\"i\\u0064\":7}]",
                                        "[{\"id\":\"x\"},{\"id\":null}]",
                                        "[1,]",
                                        "[,]",
                                        "{,}",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{1: 2}",
                                        "[1 2]",
                                        "[\"a\" , null,true]",
                                        "",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "-9223372036854775808",
                                        "-9223372036854775809",
                                        "999999999999999999",
                                        "-999999999999999999",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "12345678901234567890.123456789",
                                        "0.00009773337489933768",
                                        "123456789.123456789012345",
                                        "1234567890123456789012345678901234567890123456789",
                                        "]",
                                        "}",
                                        "},",
                                        "},{",
                                        ",",
                                        ":"};

TEST(NeuronRows, Values) {
  for (const std::string_view value : kValues) {
    for (const std::string_view place :
         {"9000000000000000001", "40", "1.5", "\"MATMUL\"", "\"{\\\"op\\\":\\\"dot\\\"}\"",
          "[1,{\"a\":\"b\"}]", "\"\"", "[\"SB\",\"DR\"]", "\"DR\"", "8000000000000000000",
          "[{\"id\":8000000000000000000,\"type\":\"FLOW\"},{\"id\":3}]", "true"}) {
      ExpectSameRow(With(place, value));
    }
  }
}

TEST(NeuronRows, Keys) {
  for (const std::string_view key :
       {"\"timestamp\"", "\"start\"", "\"\\u0069d\"", "\"id\\n\"", "\"\xc3\xa4\"", "ts", "\"\"",
        "\"dest\"", "\"opcode\"", "\"NaN\"", "\"a, NaN ,b\"", "NaN", "\"id", "5", "\"summary\""}) {
    for (const std::string_view place : {"\"id\"", "\"opcode\"", "\"other\"", "\"aggregated\""}) {
      ExpectSameRow(With(place, key));
    }
  }
  for (const std::string_view row : {"{}",
                                     "{ }",
                                     "5",
                                     "\"x\"",
                                     "[{}]",
                                     "[]",
                                     "null",
                                     "NaN",
                                     "{\"a\":1,}",
                                     "{,}",
                                     "{\"id\":1}",
                                     " { \"id\" : 1 , \"pc\" :2 } ",
                                     "{\"id\":1 \"pc\":2}",
                                     "{\"id\" 1}",
                                     "{\"id\":1}}",
                                     "\"}\"",
                                     "{\"id\":\"}\"}",
                                     "{\"id\":1},",
                                     ",{\"id\":1}",
                                     "{\"id\":1}]",
                                     "\t{\n\"id\"\r:1}\t"}) {
    ExpectSameRow(std::string(row));
  }
  ExpectSame("[[{\"id\":1},{\"id\":2},{\"id\":3}]]");
  ExpectSame("{\"t\":{\"a\":{\"id\":1},\"b\":{\"id\":2}},\"all\":{\"id\":4}}");
  ExpectSame(Table("t", std::string(80, '[') + std::string(80, ']')));
  ExpectSame(Table(
      "t", std::string(kRow) + ",{\"other\":" + std::string(80, '[') + std::string(80, ']') + "}"));
  ExpectSame(Table("t", "{\"id\":1},{\"id\":2}") + "x");
  ExpectSame(Table("t", "{\"id\":1},{\"id\":2}") + " \n");
}

TEST(NeuronRows, EveryCutAndPiece) {
  const std::string odd = With("1.5", "NaN") + "," + With("\"MATMUL\"", "\"\xc3\xa4\"");
  std::string all = Table("table", std::string(kRow) + "," + std::string(kRow) + " , " + odd +
                                       ",\n" + std::string(kRow));
  all.insert(1, "\"skip\":[{\"a\":\"}\"},{\"a\":\"b\"},{\"a\":2}],\"all\":[{\"a\":1},{\"a\":2}],");
  for (std::size_t size = 0; size <= all.size(); ++size) ExpectSame(all.substr(0, size));
  for (std::size_t piece = 1; piece < 400; ++piece) ExpectSame(all, piece);
}

TEST(NeuronRows, KeysInAnyOrder) {
  std::mt19937 random(3);
  std::string rows;
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6, 7};
  constexpr std::string_view kFields[] = {"\"id\":1",          "\"pc\":22",     "\"opcode\":\"x\"",
                                          "\"mfu\":0.0012e-5", "\"n\":4",       "\"unknown\":[1]",
                                          "\"dest\":[\"a\"]",  "\"layer\":null"};
  for (int i = 0; i < 200; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    rows += i > 0 ? ",{" : "{";
    for (int field = 0; field < 1 + i % 8; ++field) {
      rows += field > 0 ? "," : "";
      rows += kFields[order[field]];
    }
    rows += "}";
  }
  ExpectSame(Table("t", rows));
  ExpectSame(Table("skip", rows), 100);
}

TEST(NeuronRows, MoreKeysThanAreKnown) {
  std::string rows;
  for (int i = 0; i < 6000; ++i) {
    rows += (i > 0 ? ",{\"id\":1,\"k" : "{\"id\":1,\"k") + std::to_string(i) + "\":2}";
  }
  ExpectSame(Table("t", rows), 5000);
}

TEST(NeuronRows, Mutations) {
  std::mt19937 random(7);
  constexpr std::string_view kBytes = "\"\\{}[],: 0-.eN\x01\xff";
  std::string clean;
  for (int i = 0; i < 4; ++i) clean += (i > 0 ? "," : "") + std::string(kRow);
  clean = Table("t", clean);
  for (int i = 0; i < 20000; ++i) {
    std::string text = clean;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, kBytes[random() % kBytes.size()]);
          break;
        default:
          text[at] = kBytes[random() % kBytes.size()];
      }
    }
    ExpectSame(text, 1 + random() % 600);
    if (HasFailure()) return;
  }
}

TEST(NeuronRows, Cases) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(PROFGAUGE_CASES_DIR "/neuron")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{1000}, std::size_t{37}}) {
      ExpectSame(text, piece);
    }
    ++files;
  }
  EXPECT_GT(files, 5);
}

}  // namespace
}  // namespace profgauge::readers::neuron
