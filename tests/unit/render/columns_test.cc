// Unpacks payloads as templates/js/payload.js does, and finds the same numbers.
#include "render/shared/columns.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "fixture.h"
#include "render/shared/escape.h"
#include "timeline_fixture.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

// The bytes of groups of 5 letters.
std::string FromLetters(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 5) {
    const std::string_view group = text.substr(at, 5);
    EXPECT_GE(group.size(), 2U);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const int letter = i < group.size() ? group[i] : 'y';
      EXPECT_TRUE(letter >= '#' && letter <= 'y' && letter != '<' && letter != '\\') << letter;
      word = 85 * word + static_cast<std::uint64_t>(letter - '#' - (letter > '<' ? 1 : 0) -
                                                    (letter > '\\' ? 1 : 0));
    }
    for (std::size_t i = 0; i + 1 < group.size(); ++i) {
      out += static_cast<char>(word >> (24 - 8 * i) & 0xff);
    }
  }
  return out;
}

std::string Gunzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, 65536> buffer{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  inflateEnd(&stream);
  return out;
}

std::int64_t UnZigZag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

struct Unpacked {
  json::object head;
  std::map<std::string, std::vector<std::int64_t>> whole;
  std::map<std::string, std::vector<double>> reals;
};

Unpacked Unpack(const std::string& payload) {
  const std::string bytes = Gunzip(FromLetters(payload));
  const auto byte = [&](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(bytes.at(i))};
  };
  const std::size_t length = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
  Unpacked out;
  out.head = json::parse(bytes.substr(4, length)).as_object();
  std::size_t at = 4 + length;
  std::vector<std::pair<std::string, std::size_t>> fields;  // Fields of tables, with their rows.
  if (const auto* tables = out.head.if_contains("tables")) {
    for (const auto& table : tables->as_array()) {
      for (const auto& field : table.at("fields").as_array()) {
        fields.emplace_back(
            std::string(table.at("id").as_string()) + "." + std::string(field.at("id").as_string()),
            table.at("rows").to_number<std::size_t>());
      }
    }
  }
  std::size_t number = 0;
  for (const auto& column : out.head.at("columns").as_array()) {
    const bool of_table = !fields.empty();
    const std::string id(of_table ? fields.at(number).first
                                  : std::string(column.at(0).as_string()));
    const std::size_t count =
        of_table ? fields.at(number++).second : column.at(3).to_number<std::size_t>();
    const std::string kind(column.at(of_table ? 0 : 1).as_string());
    const auto planes = column.at(of_table ? 1 : 2).to_number<std::size_t>();
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t value = 0;
      for (std::size_t p = 0; p < planes; ++p) value |= byte(at + p * count + i) << (8 * p);
      if (kind == "f") {
        out.reals[id].push_back(std::bit_cast<double>(value));
      } else if (kind == "d") {
        out.whole[id].push_back(sum += UnZigZag(value));
      } else {
        out.whole[id].push_back(static_cast<std::int64_t>(value));
      }
    }
    at += planes * count;
  }
  EXPECT_EQ(at, bytes.size());
  return out;
}

TEST(Packed, AnyBytesComeBack) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(Gunzip(FromLetters(Packed(bytes))), bytes);
    bytes += static_cast<char>(i * 131 + i * i);
  }
}

TEST(TablePacker, UnpacksToTheSameCells) {
  const report::Report report = testing::SampleReport(500);
  TablePacker packer;
  for (const Table& table : report.tables) {
    std::vector<std::size_t> rows(table.rows());
    std::iota(rows.rbegin(), rows.rend(), std::size_t{0});  // last row first
    packer.Add(table, rows);
  }
  const Unpacked packed = Unpack(packer.Finish());
  const auto& texts = packed.head.at("texts").as_array();
  for (std::size_t t = 0; t < report.tables.size(); ++t) {
    const Table& table = report.tables[t];
    std::vector<std::size_t> rows(table.rows());
    std::iota(rows.rbegin(), rows.rend(), std::size_t{0});
    EXPECT_EQ(packed.head.at("tables").at(t).at("rows").to_number<std::size_t>(), table.rows());
    for (const Column& column : table.columns()) {
      const std::string id = table.id() + "." + column.id();
      if (!column.absent_because().empty()) {
        EXPECT_FALSE(packed.whole.contains(id));
        continue;
      }
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool absent = column.IsAbsentAt(rows[i]);
        if (column.type() == CellType::kReal) {
          const double value = packed.reals.at(id)[i];
          const double real = absent ? 0 : column.RealAt(rows[i]);
          EXPECT_TRUE(absent ? std::isnan(value) : std::abs(value - real) <= std::abs(real) * 4e-9)
              << id << ' ' << value << ' ' << real;
          continue;
        }
        const std::int64_t value = packed.whole.at(id)[i];
        EXPECT_EQ(value == 0, absent);
        if (absent) continue;
        if (column.type() == CellType::kText) {
          EXPECT_EQ(std::string(texts.at(static_cast<std::size_t>(value - 1)).as_string()),
                    ValidUtf8(table.strings()[column.TextAt(rows[i])]));
        } else {
          EXPECT_EQ(UnZigZag(static_cast<std::uint64_t>(value - 1)), column.IntegerAt(rows[i]));
        }
      }
    }
  }
}

void ExpectSameEvents(const report::Timeline& timeline, Ns unit) {
  const Unpacked packed = Unpack(PackTimeline(timeline));
  EXPECT_EQ(packed.head.at("unit").to_number<Ns>(), unit);
  const auto& start = packed.whole.at("start");
  const auto& duration = packed.whole.at("duration");
  ASSERT_EQ(start.size(), timeline.start.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    ASSERT_EQ(start[i], timeline.start[i] / unit) << i;
    ASSERT_EQ(start[i] + duration[i], (timeline.start[i] + timeline.duration[i]) / unit) << i;
    ASSERT_EQ(packed.whole.at("kind")[i], timeline.kind[i]) << i;
    const std::int64_t link = timeline.link[i] == report::Timeline::kNoLink
                                  ? -1
                                  : static_cast<std::int64_t>(timeline.link[i]);
    ASSERT_EQ(packed.whole.at("link")[i], link) << i;
  }
  const auto& counter = timeline.counters.at(0);
  EXPECT_EQ(packed.whole.at("counter_value"), counter.value);
  EXPECT_EQ(packed.head.at("lanes").as_array().size(), timeline.lanes.size());
  EXPECT_EQ(packed.head.at("kinds").at(5).at(0).as_string(), timeline.kinds[5].name);
}

TEST(PackTimeline, SmallOnesAreExact) { ExpectSameEvents(testing::TimelineMaker::Make(3, 100), 1); }

TEST(PackTimeline, LargeOnesAreTo100Nanoseconds) {
  const report::Timeline timeline = testing::TimelineMaker::Make(30, 1000);
  ASSERT_GT(timeline.start.size(), kExactEvents);
  ExpectSameEvents(timeline, 100);
}

TEST(PackTimeline, SameEventsSameBytes) {
  EXPECT_EQ(PackTimeline(testing::TimelineMaker::Make(2, 50)),
            PackTimeline(testing::TimelineMaker::Make(2, 50)));
}

}  // namespace
}  // namespace profgauge::render
