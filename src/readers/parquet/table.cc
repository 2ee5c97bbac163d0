#include "readers/parquet/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hashes.h"
#include "base/parallel.h"
#include "base/text.h"

namespace profgauge::readers::parquet {
namespace {

Error At(const std::string& file, Error error) {
  if (error.where.file.empty()) error.where.file = file;
  return error;
}

}  // namespace

Result<Table> Table::Of(StoredBytes bytes) {
  auto footer = ReadFooter(bytes);
  if (!footer) return Fail(At(bytes.name(), std::move(footer).error()));
  Table table;
  table.footer_ = std::make_shared<const Footer>(*std::move(footer));
  table.bytes_ = std::make_shared<const StoredBytes>(std::move(bytes));
  return table;
}

Result<Table> Table::Open(const std::string& path) {
  PROFGAUGE_TRY(StoredBytes bytes, StoredBytes::Open(path));
  return Of(std::move(bytes));
}

Result<Table> Table::OfBytes(std::string name, std::string_view bytes) {
  return Of(StoredBytes::Of(std::move(name), bytes));
}

Result<std::string> Table::Hash() const {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
  ContentHash hash;
  std::string block;
  for (std::uint64_t at = 0; at < size(); at += kBlock) {
    const auto count = static_cast<std::size_t>(std::min(kBlock, size() - at));
    PROFGAUGE_CHECK(bytes_->Read(at, count, block));
    hash.Add(block);
  }
  return hash.Hex();
}

std::optional<std::size_t> Table::Find(std::string_view column) const {
  const auto& all = columns();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Column& each) { return each.name == column; });
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

RowBlocks::RowBlocks(Table table, const std::vector<std::size_t>& columns)
    : table_(std::move(table)), columns_(columns), blocks_(columns.size()) {
  readers_.reserve(columns.size());
  for (const std::size_t column : columns) {
    readers_.emplace_back(*table_.bytes_, *table_.footer_, column);
  }
}

// Reads columns concurrently. If several fail, returns the error of the first in the table's order,
// so that it is the same in each run.
Status RowBlocks::ReadBlock(std::size_t rows) {
  std::vector<Status> status(readers_.size());
  const bool is_last = rows == left_;
  constexpr std::size_t kRowsOfOneThread = 2048;  // For fewer rows a thread costs more.
  ForEachAtOnce(
      readers_.size(),
      [&](std::size_t i) {
        status[i] = readers_[i].Read(rows, blocks_[i]);
        if (status[i] && is_last) status[i] = readers_[i].EndGroup();
      },
      rows < kRowsOfOneThread ? 1 : 0);
  for (std::size_t i = 0; i < status.size(); ++i) {
    if (status[i]) continue;
    Error error = At(table_.name(), std::move(status[i]).error());
    error.where.path = fmt::format("column `{}`", Printable(column(i).name));
    return Fail(std::move(error));
  }
  left_ -= rows;
  return {};
}

Result<std::size_t> RowBlocks::Next() {
  const std::vector<std::uint64_t>& groups = table_.footer().group_rows;
  while (left_ == 0) {
    if (has_begun_) ++group_;
    has_begun_ = true;
    if (group_ >= groups.size()) return 0;
    left_ = groups[group_];
    if (left_ == 0) continue;
    for (ColumnReader& reader : readers_) reader.BeginGroup(group_);
  }
  const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kMostRows));
  PROFGAUGE_CHECK(ReadBlock(rows));
  return rows;
}

}  // namespace profgauge::readers::parquet
