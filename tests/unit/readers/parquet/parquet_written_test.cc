// Written values are read: each encoding, with and without absent values, in pages of any
// length. And no byte of a file can do harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "parquet_writer.h"
#include "readers/parquet/page.h"
#include "readers/parquet/table.h"
#include "readers/parquet/values.h"

namespace profgauge::readers::parquet {
namespace {

using testing_parquet::ParquetText;
using testing_parquet::WrittenColumn;

constexpr std::size_t kRows = 300;

enum class Absent { kNone, kSome, kRuns, kAll };

bool IsAbsent(Absent absent, std::size_t row) {
  switch (absent) {
    case Absent::kNone:
      return false;
    case Absent::kSome:
      return row % 3 == 1;
    case Absent::kRuns:
      return row / 40 % 2 == 1;
    case Absent::kAll:
      return true;
  }
  return false;
}

/// Numbers that go up and down, beyond 32 bits where the type has more, and repeat.
std::int64_t NumberOf(int type, std::size_t row) {
  const auto i = static_cast<std::int64_t>(row);
  if (type == 0) return i / 11 % 2;
  if (type == 1 || type == 4) return (i % 7) * 1'000 - 3'000;
  return i % 5 == 0 ? std::int64_t{-1} << 62 : (i % 13) * 1'000'000'007;
}

WrittenColumn Made(int type, int encoding, Absent absent) {
  WrittenColumn column{.name = "column", .type = type, .encoding = encoding};
  for (std::size_t row = 0; row < kRows; ++row) {
    const bool is_absent = IsAbsent(absent, row);
    if (type == 6) {
      column.texts.emplace_back("text " + std::string(row % 9, 'x') + std::to_string(row % 17));
      if (is_absent) column.texts.back().reset();
    } else {
      column.numbers.emplace_back(NumberOf(type, row));
      if (is_absent) column.numbers.back().reset();
    }
  }
  return column;
}

/// Each row as text: "-" for an absent value.
std::vector<std::string> Written(const WrittenColumn& column) {
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < column.rows(); ++row) {
    if (column.is_text()) {
      rows.push_back(column.texts[row].value_or("-"));
    } else if (!column.numbers[row]) {
      rows.emplace_back("-");
    } else if (column.type == 4) {
      rows.push_back(std::to_string(double{static_cast<float>(*column.numbers[row]) / 10.0F}));
    } else if (column.type == 5) {
      rows.push_back(std::to_string(static_cast<double>(*column.numbers[row]) / 10.0));
    } else {
      rows.push_back(std::to_string(*column.numbers[row]));
    }
  }
  return rows;
}

std::vector<std::string> ReadBack(const std::string& file) {
  const auto table = Table::OfBytes("made.parquet", file);
  if (!table) return {table.error().message};
  std::vector<std::string> all;
  RowBlocks blocks(*table, {0});
  while (true) {
    const auto rows = blocks.Next();
    if (!rows) return {rows.error().message};
    if (*rows == 0) return all;
    const ColumnBlock& block = blocks.block(0);
    for (std::size_t row = 0; row < *rows; ++row) {
      if (block.is_set[row] == 0) {
        all.emplace_back("-");
      } else if (blocks.column(0).form == Form::kText) {
        all.emplace_back(block.values.texts[row]);
      } else if (blocks.column(0).form == Form::kReal) {
        all.push_back(std::to_string(std::bit_cast<double>(block.values.numbers[row])));
      } else {
        all.push_back(std::to_string(block.values.numbers[row]));
      }
    }
  }
}

TEST(ParquetWritten, EachEncodingGivesWrittenValues) {
  struct Case {
    int type, encoding;
  };
  constexpr Case kCases[] = {{0, 0}, {0, 3}, {1, 0}, {1, 2}, {1, 5}, {1, 8}, {1, 9}, {2, 0},
                             {2, 5}, {2, 8}, {2, 9}, {4, 0}, {4, 8}, {4, 9}, {5, 0}, {5, 8},
                             {5, 9}, {6, 0}, {6, 2}, {6, 6}, {6, 7}, {6, 8}};
  for (const auto& [type, encoding] : kCases) {
    for (const Absent absent : {Absent::kNone, Absent::kSome, Absent::kRuns, Absent::kAll}) {
      for (const std::size_t page_rows : {1UL, 7UL, 128UL, kRows}) {
        for (const int version : {1, 2}) {
          WrittenColumn column = Made(type, encoding, absent);
          column.page_rows = page_rows;
          column.version = version;
          column.is_required = absent == Absent::kNone && page_rows == 7;
          ParquetText text;
          text.Add(column);
          ASSERT_EQ(ReadBack(text.Whole()), Written(column))
              << "type " << type << ", encoding " << encoding << ", absent "
              << static_cast<int>(absent) << ", pages of " << page_rows << ", version " << version;
        }
      }
    }
  }
}

/// A small file with a column of each kind.
std::string SmallFile() {
  ParquetText text;
  for (const auto& [type, encoding] : {std::pair(2, 0), std::pair(2, 5), std::pair(6, 7),
                                       std::pair(6, 8), std::pair(5, 9), std::pair(0, 3)}) {
    WrittenColumn column{.name = "c" + std::to_string(type) + std::to_string(encoding),
                         .type = type,
                         .encoding = encoding};
    column.page_rows = 6;
    column.version = encoding == 5 ? 2 : 1;
    for (std::size_t row = 0; row < 10; ++row) {
      if (type == 6) column.texts.emplace_back("name" + std::to_string(row % 3));
      if (type != 6) column.numbers.emplace_back(NumberOf(type, row));
    }
    (type == 6 ? void(column.texts[4].reset()) : column.numbers[4].reset());
    text.Add(column);
  }
  return text.Whole();
}

/// Reads all; the error's code, or none.
std::string CodeOf(std::string_view file) {
  const auto table = Table::OfBytes("made.parquet", file);
  if (!table) return table.error().code;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < table->columns().size(); ++i) {
    if (table->columns()[i].is_readable) all.push_back(i);
  }
  RowBlocks blocks(*table, all);
  std::uint64_t rows = 0;
  while (true) {
    const auto next = blocks.Next();
    if (!next) return next.error().code;
    if (*next == 0) return rows == table->rows() ? "" : "rows are missing";
    rows += *next;
  }
}

TEST(ParquetWritten, RefusesEveryCut) {
  const std::string file = SmallFile();
  ASSERT_EQ(CodeOf(file), "");
  for (std::size_t size = 0; size < file.size(); ++size) {
    // A separate copy, so that reading beyond the end is detected.
    const std::string cut = file.substr(0, size);
    EXPECT_EQ(CodeOf(cut), "parquet/truncated") << size;
  }
}

TEST(ParquetWritten, AnyByteMayBeWrong) {
  const std::string file = SmallFile();
  std::size_t refused = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (int bit = 0; bit < 9; ++bit) {
      std::string changed = file;
      changed[i] = static_cast<char>(bit < 8 ? changed[i] ^ 1 << bit : ~changed[i]);
      const std::string code = CodeOf(changed);
      EXPECT_THAT(code,
                  ::testing::AnyOf("", "parquet/damaged", "parquet/truncated", "parquet/encrypted",
                                   "parquet/unsupported", "parquet/too-large"))
          << i << ": " << bit;
      refused += code.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, file.size());  // More than one of nine changes of a byte is noticed.
}

TEST(ParquetWritten, RefusesImpossibleRowCounts) {
  WrittenColumn column{.name = "none", .numbers = std::vector<std::optional<std::int64_t>>(70'000)};
  column.page_rows = 70'000;
  ParquetText text;
  text.Add(column);
  EXPECT_EQ(CodeOf(text.Whole()), "");  // 70 000 rows in some hundred bytes may be.
  column.numbers.resize(1'000'000);
  column.page_rows = 1'000'000;
  ParquetText large;
  large.Add(column);
  EXPECT_EQ(CodeOf(large.Whole()), "parquet/too-large");
}

TEST(ParquetCodecs, BlocksOfSnappyAndLz4) {
  using std::string_view_literals::operator""sv;
  std::string out(14, '\0');
  // "abcd" as it is, then ten bytes from four bytes before.
  EXPECT_TRUE(
      UnpackSnappy("\x0E\x0C"
                   "abcd\x19\x04"sv,
                   out));
  EXPECT_EQ(out, "abcdabcdabcdab");
  EXPECT_TRUE(
      UnpackLz4("\x46"
                "abcd\x04\x00"sv,
                out));
  EXPECT_EQ(out, "abcdabcdabcdab");
  EXPECT_FALSE(
      UnpackSnappy("\x0E\x0C"
                   "abcd\x19\x05"sv,
                   out));  // From before the first byte.
  std::string shorter(13, '\0');
  EXPECT_FALSE(
      UnpackLz4("\x46"
                "abcd\x04\x00"sv,
                shorter));
}

// A page of values without a byte for them is cut off, not full of the dictionary's first one.
TEST(Parquet, PageWithoutBytesHasNoValues) {
  const Column column;
  const auto dictionary = ReadDictionary(column, std::make_shared<const std::string>(8, 'x'), 1);
  ASSERT_TRUE(dictionary);
  auto values = PageValues::Begin(column, Encoding::kDictionary, "", &*dictionary);
  ASSERT_TRUE(values);
  ValueList read;
  std::vector<Kept> kept;
  EXPECT_TRUE(values->Read(0, read, kept));
  const auto some = values->Read(2, read, kept);
  ASSERT_FALSE(some);
  EXPECT_EQ(some.error().code, "parquet/damaged");
}

}  // namespace
}  // namespace profgauge::readers::parquet
