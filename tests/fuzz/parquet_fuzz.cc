// Any bytes as a Parquet file: as they are, and as the one page of a column whose type, encoding
// and number of values the first bytes choose, with a footer that fits. So both the parser of
// footers and the unpacking of pages get inputs that get far.
//
// Checks: no crash, no hang, no memory that the input does not pay for; every refusal has a reason;
// blocks have a place for each row, and the same file gives the same values.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "readers/parquet/page.h"
#include "readers/parquet/table.h"
#include "support/fuzz.h"

namespace {

using namespace profgauge;
using namespace profgauge::readers;

void CheckBlock(const parquet::Column& column, const parquet::ColumnBlock& block,
                std::size_t rows) {
  fuzz::Require(block.is_set.size() == rows, "each row is said to be there or not");
  const std::size_t values = block.values.size();
  if (!column.is_list) {
    fuzz::Require(values == rows, "each row has a place");
  } else {
    fuzz::Require(block.ends.size() == rows, "each list ends");
    fuzz::Require(std::is_sorted(block.ends.begin(), block.ends.end()), "lists follow each other");
    fuzz::Require(rows == 0 || block.ends.back() == values, "all values are of a list");
  }
  std::size_t sum = 0;  // Touches all bytes.
  for (const std::string_view text : block.values.texts) {
    for (const char letter : text.substr(0, 64)) sum += static_cast<unsigned char>(letter);
    if (!text.empty()) sum += static_cast<unsigned char>(text.back());
  }
  fuzz::Require(sum < std::size_t{1} << 60, "texts are there");
}

/// All values, as a hash; 0 where the file is refused.
std::uint64_t Read(std::string_view bytes) {
  auto table = parquet::Table::OfBytes("fuzz.parquet", bytes);
  if (!table) {
    fuzz::RequireReason(table.error());
    return 0;
  }
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < table->columns().size() && all.size() < 64; ++i) {
    if (table->columns()[i].is_readable) all.push_back(i);
  }
  fuzz::Require(!parquet::FormText(table->footer()).empty(), "the form has a text");
  parquet::RowBlocks blocks(*table, all);
  std::uint64_t rows = 0, hash = 1;
  for (int left = 64; left > 0; --left) {
    auto next = blocks.Next();
    if (!next) {
      fuzz::RequireReason(next.error());
      return 0;
    }
    if (*next == 0) {
      fuzz::Require(rows == table->rows(), "all rows come");
      return hash;
    }
    rows += *next;
    for (std::size_t i = 0; i < all.size(); ++i) {
      CheckBlock(blocks.column(i), blocks.block(i), *next);
      for (const std::int64_t number : blocks.block(i).values.numbers) {
        hash = hash * 31 + static_cast<std::uint64_t>(number);
      }
    }
  }
  return hash;
}

void AddVarint(std::uint64_t value, std::string& text) {
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  text += static_cast<char>(value);
}
void AddField(int delta, std::int64_t value, std::string& text) {
  text += static_cast<char>(delta << 4 | 5);
  AddVarint(static_cast<std::uint64_t>(value) << 1, text);
}

/// A file of one column with the bytes as its page; after a dictionary of a few values where the
/// encoding wants one.
std::string FileAround(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  constexpr int kEncodings[] = {0, 2, 3, 5, 6, 7, 8, 9};
  const int type = at(0) % 8, encoding = kEncodings[at(1) % 8], repetition = at(2) % 3;
  const int version = at(2) / 3 % 2;
  const std::int64_t values = at(3) | (at(2) >= 128 ? at(4) << 8 : 0);
  const std::int64_t rows = repetition == 2 ? at(4) % 16 : values;
  std::string_view body = bytes.substr(5);
  std::string file = "PAR1";
  if (encoding == 2 || encoding == 8) {
    const std::string_view dictionary = body.substr(0, body.size() / 3);
    body.remove_prefix(dictionary.size());
    AddField(1, 2, file);
    AddField(1, static_cast<std::int64_t>(dictionary.size()), file);
    AddField(1, static_cast<std::int64_t>(dictionary.size()), file);
    file += static_cast<char>(4 << 4 | 12);
    AddField(1, at(4) % 8, file);
    AddField(1, 0, file);
    file += '\0';
    file += '\0';
    file += dictionary;
  }
  const auto begin = file.size();
  AddField(1, version == 0 ? 0 : 3, file);
  AddField(1, static_cast<std::int64_t>(body.size()), file);
  AddField(1, static_cast<std::int64_t>(body.size()), file);
  if (version == 0) {
    file += static_cast<char>(2 << 4 | 12);
    AddField(1, values, file);
    AddField(1, encoding, file);
    AddField(1, 3, file);
    AddField(1, 3, file);
  } else {
    file += static_cast<char>(5 << 4 | 12);
    AddField(1, values, file);
    AddField(3, encoding, file);
    AddField(1, std::min<std::int64_t>(at(4) % 16, static_cast<std::int64_t>(body.size()) / 2),
             file);
    AddField(1,
             repetition == 2
                 ? std::min<std::int64_t>(at(3) % 16, static_cast<std::int64_t>(body.size()) / 2)
                 : 0,
             file);
  }
  file += '\0';
  file += '\0';
  file += body;
  const auto end = file.size();

  std::string footer;
  AddField(1, 1, footer);
  footer += static_cast<char>(1 << 4 | 9);
  footer += static_cast<char>(2 << 4 | 12);
  footer += static_cast<char>(4 << 4 | 8);  // The root: its name, and one child.
  footer += std::string_view("\1r", 2);
  AddField(1, 1, footer);
  footer += '\0';
  AddField(1, type, footer);
  AddField(1, 1 + at(4) % 16, footer);  // The width of fixed values.
  AddField(1, repetition, footer);
  footer += static_cast<char>(1 << 4 | 8);
  footer += std::string_view("\1c", 2);
  footer += '\0';
  AddField(1, rows, footer);
  footer += static_cast<char>(1 << 4 | 9);
  footer += static_cast<char>(1 << 4 | 12);
  footer += static_cast<char>(1 << 4 | 9);  // The group's columns.
  footer += static_cast<char>(1 << 4 | 12);
  footer += static_cast<char>(3 << 4 | 12);
  AddField(1, type, footer);
  AddField(3, 0, footer);
  AddField(1, values, footer);
  AddField(2, static_cast<std::int64_t>(end - 4), footer);
  AddField(2, static_cast<std::int64_t>(begin), footer);
  if (begin > 4) AddField(2, 4, footer);
  footer += '\0';
  footer += '\0';
  AddField(2, rows, footer);
  footer += '\0';
  footer += '\0';
  file += footer;
  for (int byte = 0; byte < 4; ++byte) file += static_cast<char>(footer.size() >> 8 * byte);
  return file + "PAR1";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  const std::uint64_t hash = Read(bytes);
  if (size % 16 == 0) fuzz::Require(Read(bytes) == hash, "the same file, the same values");
  if (size < 6 || bytes.starts_with("PAR1")) return 0;
  Read(FileAround(bytes));
  std::string out(size + 4 * static_cast<std::size_t>(data[0]), '\0');
  parquet::UnpackSnappy(bytes, out);
  parquet::UnpackLz4(bytes, out);
  return 0;
}
