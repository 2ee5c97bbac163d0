#include "readers/parquet/column_reader.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "readers/parquet/page.h"
#include "readers/parquet/stored_bytes.h"

namespace profgauge::readers::parquet {
namespace {

// The size of a read, so that small pages need few calls.
constexpr std::uint64_t kWindow = std::uint64_t{64} << 10;
// The maximum size of a page's header, which has statistics with texts of any length.
constexpr std::uint64_t kMostHead = std::uint64_t{32} << 20;
// The limit for the lists of one block.
constexpr std::size_t kMostElements = std::size_t{16} << 20;

unsigned BitsOfLevel(std::uint8_t most) {
  return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(most)));
}

/// Inserts empty values for rows without a value, so that each row has an entry:
///
///   levels 1 0 1 1, values 5 6 7   ->   5 . 6 7     from the end, so that nothing is overwritten
template <class Value>
void Spread(const std::vector<std::uint32_t>& levels, std::uint32_t there, std::size_t count,
            std::vector<Value>& values) {
  std::size_t from = values.size();
  values.resize(values.size() + levels.size() - count);
  for (std::size_t to = values.size(), i = levels.size(); i-- > 0;) {
    --to;
    values[to] = levels[i] == there ? values[--from] : Value{};
  }
}

}  // namespace

void ColumnBlock::Clear() {
  values.clear();
  is_set.clear();
  ends.clear();
  kept.clear();
}

ColumnReader::ColumnReader(const StoredBytes& bytes, const Footer& footer, std::size_t column)
    : bytes_(bytes), footer_(footer), column_number_(column), column_(footer.columns[column]) {}

void ColumnReader::BeginGroup(std::size_t group) {
  const Chunk& chunk = footer_.ChunkOf(group, column_number_);
  at_ = chunk.begin;
  end_ = chunk.begin + chunk.size;
  codec_ = chunk.codec;
  values_left_ = chunk.values;
  page_left_ = 0;
  dictionary_.reset();
  repeats_.clear();
}

// Reads the next page's header, and 64 KiB ahead; eight times as much for a longer header.
Result<bool> ColumnReader::NextHead(PageHead& head) {
  for (std::uint64_t wanted = kWindow;; wanted *= 8) {
    if (at_ == end_) return false;
    const std::uint64_t size = std::min(wanted, end_ - at_);
    const bool is_there = at_ >= window_begin_ && at_ < window_begin_ + window_.size();
    const std::uint64_t have = is_there ? window_begin_ + window_.size() - at_ : 0;
    // Most headers of pages are shorter than this.
    constexpr std::uint64_t kUsualHead = 256;
    if (have < std::min(size, wanted == kWindow ? kUsualHead : size)) {
      window_begin_ = at_;
      PROFGAUGE_CHECK(bytes_.Read(at_, static_cast<std::size_t>(size), window_));
    }
    const std::string_view ahead =
        std::string_view(window_).substr(static_cast<std::size_t>(at_ - window_begin_));
    PROFGAUGE_TRY(const auto read, ReadPageHead(ahead));
    if (read) {
      head = *read;
      at_ += head.bytes;
      if (head.stored > end_ - at_) {
        return Damaged(fmt::format("a page of {} bytes is longer than its column", head.stored));
      }
      return true;
    }
    if (size == end_ - at_ && ahead.size() >= size) return Damaged("the head of a page ends early");
    if (wanted > kMostHead) return TooLarge("the head of a page");
  }
}

Status ColumnReader::ReadStored(const PageHead& head, std::string& stored) {
  const std::uint64_t window_end = window_begin_ + window_.size();
  if (head.stored <= window_end - at_) {
    stored.assign(window_, static_cast<std::size_t>(at_ - window_begin_),
                  static_cast<std::size_t>(head.stored));
  } else {
    PROFGAUGE_CHECK(bytes_.Read(at_, static_cast<std::size_t>(head.stored), stored));
  }
  at_ += head.stored;
  if (head.crc && libdeflate_crc32(0, stored.data(), stored.size()) != *head.crc) {
    return Damaged("the checksum of a page is wrong");
  }
  return {};
}

Status ColumnReader::SetDictionary(const PageHead& head, std::string_view stored) {
  if (dictionary_) return Damaged("a column has two dictionaries in a group of rows");
  if (head.encoding != Encoding::kPlain && head.encoding != Encoding::kPlainDictionary) {
    return Unsupported("a dictionary that is not plain");
  }
  auto bytes = std::make_shared<std::string>();
  PROFGAUGE_CHECK(Unpack(codec_, stored, head.size, *bytes));
  PROFGAUGE_TRY(Dictionary dictionary, ReadDictionary(column_, std::move(bytes), head.values));
  dictionary_ = std::make_shared<const Dictionary>(std::move(dictionary));
  return {};
}

// Reads the levels of a version-1 page, which their length precedes.
Result<Runs> ColumnReader::LevelsOf(std::uint8_t most, Encoding encoding,
                                    std::string_view& body) const {
  if (most == 0) return Runs();
  if (encoding != Encoding::kRuns) return Unsupported("levels of Parquet 1.0 (BIT_PACKED)");
  std::uint32_t size = 0;
  if (body.size() < sizeof(size)) return Damaged("the levels of a page end early");
  std::memcpy(&size, body.data(), sizeof(size));
  body.remove_prefix(sizeof(size));
  if (size > body.size()) return Damaged(fmt::format("levels of {} bytes", size));
  const std::string_view levels = body.substr(0, size);
  body.remove_prefix(size);
  return Runs(levels, BitsOfLevel(most));
}

Status ColumnReader::SetValues(const PageHead& head, std::string_view body) {
  page_left_ = head.values;
  values_left_ -= head.values;
  PROFGAUGE_TRY(values_, PageValues::Begin(column_, head.encoding, body, dictionary_.get()));
  return {};
}

Status ColumnReader::SetPage(const PageHead& head, std::string_view stored) {
  auto bytes = std::make_shared<std::string>();
  PROFGAUGE_CHECK(Unpack(codec_, stored, head.size, *bytes));
  std::string_view body = *bytes;
  page_ = std::move(bytes);
  PROFGAUGE_TRY(repetitions_, LevelsOf(column_.repetition, head.repetition, body));
  PROFGAUGE_TRY(definitions_, LevelsOf(column_.definition, head.definition, body));
  return SetValues(head, body);
}

Status ColumnReader::SetPageV2(const PageHead& head, std::string_view stored) {
  const std::uint64_t levels = head.repetition_bytes + head.definition_bytes;
  if (levels > stored.size() || levels > head.size) {
    return Damaged(fmt::format("levels of {} bytes", levels));
  }
  auto bytes = std::make_shared<std::string>();
  const std::int32_t codec = head.is_packed ? codec_ : 0;
  PROFGAUGE_CHECK(
      Unpack(codec, stored.substr(static_cast<std::size_t>(levels)), head.size - levels, *bytes));
  const std::string_view body = *bytes;
  // Levels are not compressed and are placed before the values.
  auto whole = std::make_shared<std::string>(stored.substr(0, static_cast<std::size_t>(levels)));
  whole->append(body);
  const std::string_view all = *whole;
  page_ = std::move(whole);
  const auto repetition = static_cast<std::size_t>(head.repetition_bytes);
  const auto definition = static_cast<std::size_t>(head.definition_bytes);
  repetitions_ = Runs(all.substr(0, repetition), BitsOfLevel(column_.repetition));
  definitions_ = Runs(all.substr(repetition, definition), BitsOfLevel(column_.definition));
  return SetValues(head, all.substr(repetition + definition));
}

// Goes to the next page of data, and keeps the dictionary:
//   dictionary | other | data, 0 values | data, 500 values |
//   kept         passed  passed           the page that the reader goes on with
Status ColumnReader::NextPage() {
  while (true) {
    PageHead head;
    PROFGAUGE_TRY(const bool has_one, NextHead(head));
    if (!has_one) return Damaged("pages of a column are missing");
    std::string stored;
    PROFGAUGE_CHECK(ReadStored(head, stored));
    // Unknown kinds of pages are skipped, as the format demands.
    if (head.kind == PageKind::kOther) continue;
    if (head.kind == PageKind::kDictionary) {
      PROFGAUGE_CHECK(SetDictionary(head, stored));
      continue;
    }
    if (head.values > values_left_) {
      return Damaged(
          fmt::format("a page of {} values, of {} that are left", head.values, values_left_));
    }
    PROFGAUGE_CHECK(head.kind == PageKind::kData ? SetPage(head, stored) : SetPageV2(head, stored));
    if (page_left_ > 0) return {};
  }
}

// Leaves levels_ empty if one run shows that all values are present.
Result<std::size_t> ColumnReader::ReadDefinitions(std::size_t count) {
  levels_.clear();
  if (column_.definition == 0) return count;
  std::uint32_t level = 0;
  levels_.resize(count);
  if (definitions_.Ahead(count, level) == count) {
    if (!definitions_.Read(count, levels_.data())) return Damaged("levels end early");
    if (level > column_.definition) return Damaged("levels beyond the schema");
    if (level != column_.definition) return 0;
    levels_.clear();  // No value is missing.
    return count;
  }
  if (!definitions_.Read(count, levels_.data())) return Damaged("levels end early");
  std::size_t there = 0;
  for (const std::uint32_t each : levels_) {
    if (each > column_.definition) return Damaged("levels beyond the schema");
    there += each == column_.definition ? 1 : 0;
  }
  return there;
}

// Reads from several pages if needed. The rest of a page is kept for the next block.
Status ColumnReader::ReadSingle(std::size_t rows, ColumnBlock& block) {
  while (rows > 0) {
    if (page_left_ == 0) PROFGAUGE_CHECK(NextPage());
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(rows, page_left_));
    PROFGAUGE_TRY(const std::size_t there, ReadDefinitions(now));
    PROFGAUGE_CHECK(values_.Read(there, block.values, block.kept));
    if (levels_.empty()) {
      block.is_set.insert(block.is_set.end(), now, 1);
    } else {
      for (const std::uint32_t level : levels_) {
        block.is_set.push_back(level == column_.definition ? 1 : 0);
      }
      if (column_.form == Form::kText) {
        Spread(levels_, column_.definition, there, block.values.texts);
      } else {
        Spread(levels_, column_.definition, there, block.values.numbers);
      }
    }
    if (column_.form == Form::kText && there > 0) {
      block.kept.push_back(page_);
      if (dictionary_) block.kept.push_back(dictionary_->bytes);
    }
    page_left_ -= now;
    rows -= now;
  }
  return {};
}

// A row begins at a value with repetition level 0; its rest may be in the next page.
Status ColumnReader::ReadLists(std::size_t rows, ColumnBlock& block) {
  const std::size_t wanted = block.is_set.size() + rows;
  while (true) {
    if (page_left_ == 0) {
      if (values_left_ == 0 && block.is_set.size() == wanted) return {};
      PROFGAUGE_CHECK(NextPage());
    }
    // Reads values one by one, because the first value of the next row belongs to the next block.
    std::uint32_t repeat = 0;
    if (repeats_.empty()) {
      if (!repetitions_.Read(1, &repeat)) return Damaged("levels end early");
      if (repeat > column_.repetition) return Damaged("levels beyond the schema");
    } else {
      repeat = repeats_.back();
      repeats_.clear();
    }
    if (repeat == 0 && block.is_set.size() == wanted) {
      repeats_.push_back(repeat);
      return {};
    }
    if (repeat != 0 && block.is_set.empty()) return Damaged("a list continues before it begins");
    PROFGAUGE_TRY(const std::size_t there, ReadDefinitions(1));
    const std::uint32_t level = levels_.empty() ? column_.definition : levels_.front();
    if (repeat == 0) {
      block.is_set.push_back(level >= column_.empty ? 1 : 0);
      block.ends.push_back(static_cast<std::uint32_t>(block.values.size()));
    }
    PROFGAUGE_CHECK(values_.Read(there, block.values, block.kept));
    block.ends.back() = static_cast<std::uint32_t>(block.values.size());
    if (block.values.size() > kMostElements) return TooLarge("lists with too many elements");
    if (there > 0 && column_.form == Form::kText &&
        (block.kept.empty() || block.kept.back() != page_)) {
      if (dictionary_) block.kept.push_back(dictionary_->bytes);
      block.kept.push_back(page_);
    }
    --page_left_;
  }
}

Status ColumnReader::Read(std::size_t rows, ColumnBlock& block) {
  block.Clear();
  return column_.is_list ? ReadLists(rows, block) : ReadSingle(rows, block);
}

Status ColumnReader::EndGroup() {
  if (page_left_ == 0 && values_left_ == 0) return {};
  return Damaged("a column has more values than rows");
}

}  // namespace profgauge::readers::parquet
