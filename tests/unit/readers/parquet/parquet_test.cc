// Parquet files of other writers, and damaged ones, from ../shared: skipped where it is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "base/thrift.h"
#include "readers/parquet/table.h"

namespace profgauge::readers::parquet {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

fs::path Samples() { return fs::path(PROFGAUGE_SHARED_DIR) / "data" / "parquet"; }

/// A text, plain or gzip.
std::string TextOf(const fs::path& path) {
  const auto source = OpenByteSource(path.string());
  std::string text;
  std::vector<std::byte> block(1 << 16);
  while (source) {
    const auto got = (*source)->Read(block);
    if (!got || *got == 0) break;
    text.append(reinterpret_cast<const char*>(block.data()), *got);
  }
  return text;
}

std::vector<json::object> Truth(const fs::path& path) {
  std::vector<json::object> rows;
  std::istringstream lines(TextOf(path));
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(json::parse(line).as_object());
  }
  return rows;
}

json::value ValueOf(const Column& column, const ValueList& values, std::size_t i) {
  switch (column.form) {
    case Form::kBool:
      return values.numbers[i] != 0;
    case Form::kInteger:
      if (column.is_unsigned) return static_cast<std::uint64_t>(values.numbers[i]);
      return values.numbers[i];
    case Form::kReal:
      return std::bit_cast<double>(values.numbers[i]);
    case Form::kText:
      break;
  }
  return json::string(values.texts[i]);
}

/// All values of a column, lists as arrays; or its error.
Result<std::vector<json::value>> ColumnOf(const Table& table, std::size_t column) {
  std::vector<json::value> all;
  RowBlocks blocks(table, {column});
  while (true) {
    PROFGAUGE_TRY(const std::size_t rows, blocks.Next());
    if (rows == 0) return all;
    const ColumnBlock& block = blocks.block(0);
    for (std::size_t row = 0; row < rows; ++row) {
      if (block.is_set[row] == 0) {
        all.emplace_back(nullptr);
      } else if (!blocks.column(0).is_list) {
        all.push_back(ValueOf(blocks.column(0), block.values, row));
      } else {
        json::array list;
        for (std::size_t i = row == 0 ? 0 : block.ends[row - 1]; i < block.ends[row]; ++i) {
          list.push_back(ValueOf(blocks.column(0), block.values, i));
        }
        all.emplace_back(std::move(list));
      }
    }
  }
}

/// The result of a file: "" or the code of its error. Reads all of its columns.
std::string CodeOf(const Result<Table>& table) {
  if (!table) return table.error().code;
  for (std::size_t i = 0; i < table->columns().size(); ++i) {
    if (!table->columns()[i].is_readable) continue;
    if (const auto column = ColumnOf(*table, i); !column) return column.error().code;
  }
  return "";
}

json::value Comparable(const json::value& value) {
  if (value.is_uint64() || value.is_int64()) return json::value(value.to_number<double>());
  return value;
}

bool IsSame(const json::value& got, const json::value& want) {
  if (want.is_string() && (got.is_int64() || got.is_uint64())) {
    return got.is_int64() ? std::to_string(got.as_int64()) == want.as_string()
                          : std::to_string(got.as_uint64()) == want.as_string();
  }
  if (got.is_array() && want.is_array()) {
    const auto& a = got.as_array();
    const auto& b = want.as_array();
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!IsSame(a[i], b[i])) return false;
    }
    return true;
  }
  return Comparable(got) == Comparable(want);
}

void HoldAgainst(const fs::path& file, const std::vector<json::object>& truth) {
  const auto table = Table::Open(file.string());
  ASSERT_TRUE(table) << file << ": " << table.error().message;
  if (table->rows() > 0) {
    ASSERT_EQ(table->rows(), truth.size()) << file;
  }
  for (std::size_t i = 0; i < table->columns().size(); ++i) {
    const Column& column = table->columns()[i];
    const auto values = ColumnOf(*table, i);
    ASSERT_TRUE(values) << file << ": " << column.name << ": " << values.error().message;
    for (std::size_t row = 0; row < values->size(); ++row) {
      if (!truth[row].contains(column.name)) break;  // Case of names differs.
      json::value want = truth[row].at(column.name);
      const bool is_moment = column.conversion == Conversion::kTimes;
      if (column.name == "time" && is_moment) want = want.as_int64() * 1000;
      ASSERT_TRUE(IsSame((*values)[row], want)) << file << ": " << column.name << "[" << row
                                                << "]: " << (*values)[row] << " for " << want;
    }
  }
}

TEST(Parquet, ReadsFilesOfFiveWriters) {
  if (!fs::exists(Samples())) GTEST_SKIP() << "no " << Samples();
  const auto truth = Truth(Samples() / "types" / "truth.jsonl.gz");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(Samples() / "types")) {
    if (entry.path().extension() != ".parquet") continue;
    if (entry.path().filename() == "duckdb_brotli.parquet") {
      EXPECT_EQ(CodeOf(Table::Open(entry.path().string())), "parquet/unsupported");
      continue;
    }
    HoldAgainst(entry.path(), truth);
    ++files;
  }
  EXPECT_EQ(files, 17);
}

TEST(Parquet, ReadsOddFiles) {
  if (!fs::exists(Samples())) GTEST_SKIP() << "no " << Samples();
  const auto truth = Truth(Samples() / "odd" / "truth.jsonl");
  for (const auto& entry : fs::directory_iterator(Samples() / "odd")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".parquet" || name == "lists.parquet" ||
        name == "types.parquet") {
      continue;
    }
    HoldAgainst(entry.path(), truth);
  }
}

std::string JsonOf(const fs::path& file, std::string_view column) {
  const auto table = Table::Open(file.string());
  if (!table) return table.error().message;
  const auto at = table->Find(column);
  if (!at) return "no such column";
  const auto values = ColumnOf(*table, *at);
  return values ? json::serialize(json::array(values->begin(), values->end()))
                : values.error().message;
}

TEST(Parquet, ListsOfTwoAndThreeLevels) {
  if (!fs::exists(Samples())) GTEST_SKIP() << "no " << Samples();
  const fs::path file = Samples() / "odd" / "lists.parquet";
  const std::string ids = JsonOf(file, "ids"), old = JsonOf(file, "old");
  EXPECT_TRUE(ids.starts_with(R"([null,[],[1],[2,null,3],null,)") ||
              ids.starts_with(R"([null,[],[1],[2,3],null,)"))
      << ids;
  EXPECT_TRUE(old.starts_with("[null,[],[1],[2,3],") || old.starts_with("[[],[],[1],[2,3],"))
      << old;
}

TEST(Parquet, DamagedFilesAreRefusedWithAReason) {
  if (!fs::exists(Samples())) GTEST_SKIP() << "no " << Samples();
  std::istringstream lines(TextOf(Samples() / "malformed" / "expected.tsv"));
  int files = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name, bytes, expected;
    std::getline(fields, name, '\t');
    std::getline(fields, bytes, '\t');
    std::getline(fields, expected);
    const std::string code = CodeOf(Table::Open((Samples() / "malformed" / name).string()));
    ++files;
    if (expected.starts_with("read")) {
      EXPECT_EQ(code, "") << name;
    } else if (expected.find("or other values") != std::string::npos && code.empty()) {
      continue;
    } else if (expected.find("or /too-large") != std::string::npos) {
      EXPECT_THAT(code, testing::AnyOf("parquet/damaged", "parquet/too-large")) << name;
    } else {
      EXPECT_EQ(code, expected.substr(0, expected.find_first_of(":, "))) << name;
    }
  }
  EXPECT_EQ(files, 56);
}

}  // namespace
}  // namespace profgauge::readers::parquet
