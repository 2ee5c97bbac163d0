#include "readers/text/csv_copy.h"

#include <cstddef>
#include <span>
#include <vector>

#include "base/errors.h"
#include "base/text.h"
#include "readers/text/blocks.h"
#include "readers/text/csv.h"
#include "readers/text/numbers.h"

namespace profgauge::readers {
namespace {

std::string AsCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

class CsvCopier {
 public:
  CsvCopier(const std::function<CsvKeep(std::string_view)>& keep, const Rename& rename)
      : keep_(keep), rename_(rename) {}

  void Take(std::span<const std::string> cells) {
    const bool is_head = keeps_.empty() && !IsEmptyLine(cells);
    if (is_head) {
      for (const std::string& name : cells) keeps_.push_back(keep_(Trim(name)));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out_ += ',';
      out_ += AsCell(is_head ? cells[i] : CellOf(i, cells[i]));
    }
    out_ += '\n';
  }
  std::size_t columns() const { return keeps_.size(); }
  std::string TakeText() { return std::move(out_); }

 private:
  std::string CellOf(std::size_t column, const std::string& cell) const {
    const CsvKeep keep = column < keeps_.size() ? keeps_[column] : CsvKeep::kNumbers;
    if (ParseReal(Trim(cell))) return cell;
    if (keep == CsvKeep::kNumbers) return {};
    return keep == CsvKeep::kNames ? CopiedName(cell, rename_) : WithoutPaths(cell);
  }

  const std::function<CsvKeep(std::string_view)>& keep_;
  const Rename& rename_;
  std::vector<CsvKeep> keeps_;
  std::string out_;
};

}  // namespace

Result<std::string> CopyCsv(ByteSource& source,
                            const std::function<CsvKeep(std::string_view)>& keep,
                            const Rename& rename) {
  CsvCopier copier(keep, rename);
  CsvCutter cutter([&](std::span<const std::string> cells) { copier.Take(cells); });
  const auto feed = [&](std::string_view bytes, std::uint64_t before) -> Status {
    const std::string_view text = before == 0 ? WithoutByteOrderMark(bytes) : bytes;
    if (cutter.Feed(text)) return {};
    return Fail(RowTooLong(source.name(), before + bytes.size()));
  };
  PROFGAUGE_TRY(const std::uint64_t read, ForEachWholeBlock(source, feed));
  if (!cutter.End(copier.columns())) {
    return Fail(InputErrorAt(source.name(), read, "csv/truncated", "the file ends inside a row"));
  }
  return copier.TakeText();
}

}  // namespace profgauge::readers
