#include "readers/text/csv_rows.h"

#include <algorithm>
#include <utility>

#include "base/content_hash.h"
#include "base/errors.h"
#include "base/read_block.h"
#include "base/text.h"
#include "readers/text/numbers.h"

namespace profgauge::readers {
namespace {

constexpr std::size_t kMaxRow = std::size_t{16} << 20;

/// Cuts bytes into cells and cells into rows.
class Cutter {
 public:
  explicit Cutter(const std::function<void(const CsvRow&)>& receive) : receive_(receive) {}

  /// False when a row is too long.
  bool Feed(std::string_view bytes) {
    for (const char c : bytes) {
      if (++length_ > kMaxRow) return false;
      if (quoted_) {
        if (c == '"') {
          quoted_ = false;
          after_quote_ = true;
        } else {
          cell_ += c;
        }
        continue;
      }
      if (c == '"' && after_quote_) {  // A doubled quote inside of quotes.
        cell_ += '"';
        quoted_ = true;
      } else if (c == '"' && cell_.empty()) {
        quoted_ = true;
      } else if (c == ',') {
        EndCell();
      } else if (c == '\n') {
        EndRow();
      } else if (c != '\r') {
        cell_ += c;
      }
      after_quote_ = false;
    }
    return true;
  }

  /// Whether the end is that of a row. Writers may leave out the last line end, but no cells.
  bool Finish() {
    if (quoted_) return false;
    if (cell_.empty() && cells_.empty()) return true;
    if (cells_.size() + 1 < head_.size()) return false;
    EndRow();
    return true;
  }
  bool is_joined() const { return is_joined_; }

 private:
  void EndCell() {
    cells_.emplace_back(Trim(cell_));
    cell_.clear();
  }

  void EndRow() {
    length_ = 0;
    EndCell();
    if (cells_.size() == 1 && cells_[0].empty()) {
      // An empty line.
    } else if (head_.empty()) {
      head_ = cells_;
    } else if (RepeatsHead(head_, cells_)) {
      is_joined_ = true;
    } else {
      receive_(CsvRow(head_, cells_));
    }
    cells_.clear();
  }

  const std::function<void(const CsvRow&)>& receive_;
  std::vector<std::string> head_;
  std::vector<std::string> cells_;
  std::string cell_;
  std::size_t length_ = 0;
  bool quoted_ = false;
  bool after_quote_ = false;
  bool is_joined_ = false;
};

}  // namespace

bool RepeatsHead(std::span<const std::string> head, std::span<const std::string> row) {
  if (head.size() < 2 || row.size() < head.size()) return false;
  const auto names = head.subspan(1);
  return std::ranges::equal(names, row.last(names.size()));
}

Error JoinedTables(const std::string& file) {
  return InputError(file, "csv/joined",
                    "the table has its head a second time: files were joined into one",
                    "pass each of them as a file of its own");
}

std::string_view CsvRow::Text(std::string_view column) const {
  for (std::size_t i = 0; i < head_.size() && i < cells_.size(); ++i) {
    if (head_[i] == column) return cells_[i] == "N/A" ? std::string_view{} : cells_[i];
  }
  return {};
}

std::optional<std::int64_t> CsvRow::Integer(std::string_view column) const {
  return ParseInteger(Text(column));
}

std::optional<Ns> CsvRow::Microseconds(std::string_view column) const {
  return ParseMicroseconds(Text(column), Fraction::kDecimal, kMaxTime);
}

Status ReadCsvRows(ByteSource& source, const ReadOptions& options,
                   const std::function<void(const CsvRow&)>& receive, ProfileBuilder& builder) {
  ContentHash hash;
  Cutter cutter(receive);
  std::vector<std::byte> block(kReadBlock);
  std::uint64_t read = 0;
  bool whole = true;
  while (true) {
    auto got = source.Read(block);
    if (!got && !options.allow_incomplete) return Fail(std::move(got).error());
    if (!got) whole = false;
    if (!got || *got == 0) break;
    std::string_view bytes(reinterpret_cast<const char*>(block.data()), *got);
    hash.Add(bytes);
    if (read == 0 && bytes.starts_with(kByteOrderMark)) {
      builder.log().Add(Counter::byte_order_mark);
      bytes.remove_prefix(kByteOrderMark.size());
    }
    read += *got;
    if (!cutter.Feed(bytes)) {
      return Fail(InputErrorAt(source.name(), read, "csv/row-too-long",
                               "a row of the table is over 16 MiB long",
                               "look for a quote that is not closed"));
    }
  }
  auto& origin = builder.source();
  origin.path = source.name();
  origin.bytes = read;
  origin.hash = hash.Hex();
  const bool is_ended = cutter.Finish();
  if (cutter.is_joined()) return Fail(JoinedTables(source.name()));
  if (!is_ended) {
    if (!options.allow_incomplete) {
      return Fail(InputErrorAt(source.name(), read, "csv/truncated", "the table ends inside a row",
                               "export it again; pass --allow-incomplete to judge what is there"));
    }
    whole = false;
  }
  if (!whole) builder.log().Add(Counter::truncated);
  return {};
}

}  // namespace profgauge::readers
