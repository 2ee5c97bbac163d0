#include "readers/text/csv_rows.h"

#include <span>
#include <utility>

#include "base/errors.h"
#include "base/hashes.h"
#include "base/text.h"
#include "readers/text/blocks.h"
#include "readers/text/csv.h"
#include "readers/text/numbers.h"

namespace profgauge::readers {

std::string_view CsvRow::Text(std::string_view column) const {
  for (std::size_t i = 0; i < head_.size() && i < cells_.size(); ++i) {
    if (head_[i] != column) continue;
    const std::string_view cell = Trim(cells_[i]);
    return cell == "N/A" ? std::string_view{} : cell;
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
  std::vector<std::string> head;
  bool is_joined = false;
  CsvCutter cutter([&](std::span<const std::string> cells) {
    if (IsEmptyLine(cells)) return;
    if (head.empty()) {
      for (const std::string& name : cells) head.emplace_back(Trim(name));
    } else if (RepeatsHead(head, cells)) {
      is_joined = true;
    } else {
      receive(CsvRow(head, cells));
    }
  });
  const auto feed = [&](std::string_view bytes, std::uint64_t before) -> Status {
    const std::uint64_t read = before + bytes.size();
    hash.Add(bytes);
    if (before == 0 && bytes.starts_with(kByteOrderMark)) {
      builder.log().Add(Counter::byte_order_mark);
      bytes.remove_prefix(kByteOrderMark.size());
    }
    if (cutter.Feed(bytes)) return {};
    return Fail(RowTooLong(source.name(), read));
  };
  PROFGAUGE_TRY(const BlocksRead all, ForEachBlock(source, feed));
  if (all.failed && !options.allow_incomplete) return Fail(*all.failed);
  bool whole = !all.failed;
  auto& origin = builder.source();
  origin.path = source.name();
  origin.bytes = all.bytes;
  origin.hash = hash.Hex();
  const bool is_ended = cutter.End(head.size());
  if (is_joined) return Fail(JoinedTables(source.name()));
  if (!is_ended) {
    if (!options.allow_incomplete) {
      return Fail(
          InputErrorAt(source.name(), all.bytes, "csv/truncated", "the table ends inside a row",
                       "export it again; pass --allow-incomplete to judge the readable part"));
    }
    whole = false;
  }
  if (!whole) builder.log().Add(Counter::truncated);
  return {};
}

}  // namespace profgauge::readers
