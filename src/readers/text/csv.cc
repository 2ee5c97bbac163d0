#include "readers/text/csv.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/text.h"

namespace profgauge::readers {
namespace {

/// Limits of the memory for one row, far above any table of a profile.
constexpr std::size_t kMaxRow = std::size_t{16} << 20;
constexpr std::size_t kMaxCells = 65'536;

}  // namespace

std::string& CsvCutter::OpenCell() {
  if (used_ == cells_.size()) cells_.emplace_back();
  return cells_[used_];
}

void CsvCutter::EndCell() {
  OpenCell();
  ++used_;
}

void CsvCutter::EndRow() {
  EndCell();
  take_(std::span(cells_).first(used_));
  for (std::size_t i = 0; i < used_; ++i) cells_[i].clear();
  used_ = 0;
  length_ = 0;
}

// Decides the meaning of a quote by the next byte, which may come with the next call:
//
//   bytes so far     next      meaning of the last quote
//   x,"a"            "         a doubled quote: the cell is a"
//   x,"a"            , or \n   the end: the cell was a
//   x,"a"            b         the end of quotes: the cell is ab
bool CsvCutter::Feed(std::string_view bytes) {
  for (const char c : bytes) {
    if (++length_ > kMaxRow || used_ > kMaxCells) return false;
    const bool was_behind_quote = std::exchange(is_behind_quote_, false);
    if (is_quoted_) {
      is_quoted_ = c != '"';
      is_behind_quote_ = !is_quoted_;
      if (is_quoted_) OpenCell() += c;
    } else if (c == '"' && was_behind_quote) {  // A doubled quote in quotes.
      OpenCell() += c;
      is_quoted_ = true;
    } else if (c == '"' && OpenCell().empty()) {
      is_quoted_ = true;
    } else if (c == ',') {
      EndCell();
    } else if (c == '\n') {
      EndRow();
    } else if (c != '\r') {
      OpenCell() += c;
    }
  }
  return true;
}

// An unclosed quote makes the rest of the file one cell: the file is cut, or the quote is wrong.
bool CsvCutter::End(std::size_t fewest) {
  if (is_quoted_) return false;
  if (used_ == 0 && OpenCell().empty()) return true;
  if (used_ + 1 < fewest) return false;
  EndRow();
  return true;
}

Error RowTooLong(const std::string& file, std::uint64_t read) {
  return InputErrorAt(file, read, "csv/row-too-long",
                      "a row of the table has more than 16 MiB or 65 536 cells",
                      "check for an unclosed quote");
}

bool RepeatsHead(std::span<const std::string> head, std::span<const std::string> row) {
  if (head.size() < 2 || row.size() < head.size()) return false;
  const auto names = head.subspan(1);
  return std::ranges::equal(names, row.last(names.size()), {}, Trim, Trim);
}

Error JoinedTables(const std::string& file) {
  return InputError(file, "csv/joined", "the table has its head twice: files were joined",
                    "pass each as a separate file");
}

}  // namespace profgauge::readers
