#include "exports/tables/parquet.h"

#include <bit>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstring>

#include "base/table.h"
#include "base/text.h"
#include "exports/tables/thrift_writer.h"
#include "profgauge/version.h"

namespace profgauge::exports {
namespace {

constexpr std::string_view kMagic = "PAR1";

// The numbers that the format gives to types.
enum Physical : int { kBoolean = 0, kInt64 = 2, kDouble = 5, kBytes = 6 };
enum Encoding : int { kPlain = 0, kRle = 3, kRleDictionary = 8 };
enum PageType : int { kDataPage = 0, kDictionaryPage = 2 };
constexpr int kOptional = 1, kUtf8 = 0;

Physical TypeOf(Unit unit) {
  if (unit == Unit::kBool) return kBoolean;
  switch (CellTypeOf(unit)) {
    case CellType::kInteger:
      return kInt64;
    case CellType::kText:
      return kBytes;
    case CellType::kReal:
      break;
  }
  return kDouble;
}

template <class T>
void AppendLittle(std::string& out, T value) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

// Writes integers below 2^width, as runs of equal values and as groups of eight values.
//
//   run      varint(count << 1), then the value in whole bytes
//   groups   varint(groups << 1 | 1), then width bytes for each group of eight, lowest bits first
//
//   7 x 20, then 1 2 3, with a width of 3:   run of 20 sevens | one group: 1 2 3 0 0 0 0 0
class HybridRuns {
 public:
  explicit HybridRuns(unsigned width) : width_(width) {}

  std::string Encode(const std::vector<std::uint32_t>& values) {
    std::size_t at = 0;
    while (at < values.size()) {
      std::size_t end = at;
      while (end < values.size() && values[end] == values[at]) ++end;
      constexpr std::size_t kWorthARun = 16;
      if (end - at >= kWorthARun) {
        EndGroups();
        Varint((end - at) << 1);
        for (unsigned bit = 0; bit < width_; bit += 8) {
          out_ += static_cast<char>(values[at] >> bit);
        }
        at = end;
        continue;
      }
      // Packs eight values. Past the end, values are 0.
      for (std::size_t i = 0; i < 8; ++i, ++at) {
        Pack(at < values.size() ? values[at] : 0);
      }
      ++groups_;
    }
    EndGroups();
    return std::move(out_);
  }

 private:
  void Pack(std::uint32_t value) {
    bits_ |= std::uint64_t{value} << held_;
    held_ += width_;
    for (; held_ >= 8; held_ -= 8, bits_ >>= 8) packed_ += static_cast<char>(bits_ & 0xff);
  }
  void EndGroups() {
    if (groups_ == 0) return;
    Varint(groups_ << 1 | 1);
    out_ += packed_;
    packed_.clear();
    groups_ = 0;
  }
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>((value & 0x7f) | 0x80);
    out_ += static_cast<char>(value);
  }

  unsigned width_;
  std::string out_, packed_;
  std::uint64_t bits_ = 0;
  unsigned held_ = 0;
  std::size_t groups_ = 0;
};

// The values that exist in a column.
struct Values {
  std::vector<std::uint32_t> is_there;  ///< By row: 1 if it has a value, else 0.
  std::string plain;
  std::size_t count = 0;
  std::vector<std::uint32_t> places;  ///< Indices into the dictionary.
  boost::unordered_flat_map<std::string, std::uint32_t> known;
  std::string dictionary;
  unsigned held_bits = 0, bits = 0;

  void AddText(std::string_view raw) {
    std::string text;
    for (std::size_t at = 0; at < raw.size();) {  // Invalid UTF-8 would be rejected.
      const std::size_t length = Utf8Length(raw.substr(at));
      text += length == 0 ? std::string_view("\ufffd") : raw.substr(at, length);
      at += length == 0 ? 1 : length;
    }
    const auto [entry, is_new] =
        known.try_emplace(std::move(text), static_cast<std::uint32_t>(known.size()));
    if (is_new) {
      AppendLittle(dictionary, static_cast<std::uint32_t>(entry->first.size()));
      dictionary += entry->first;
    }
    places.push_back(entry->second);
  }
  void AddBit(bool value) {
    bits |= static_cast<unsigned>(value) << held_bits;
    if (++held_bits == 8) EndBits();
  }
  void EndBits() {
    if (held_bits == 0) return;
    plain += static_cast<char>(bits);
    bits = held_bits = 0;
  }
};

// A column of reals may have integers in its cells, and the other way round.
double RealOf(const Cell& cell) {
  const auto* real = std::get_if<double>(&cell);
  return real != nullptr ? *real : static_cast<double>(std::get<std::int64_t>(cell));
}

std::int64_t IntegerOf(const Cell& cell) {
  const auto* integer = std::get_if<std::int64_t>(&cell);
  return integer != nullptr ? *integer : static_cast<std::int64_t>(std::get<double>(cell));
}

// Adds a cell. If its type differs from the column's (a text in a column of numbers), it is absent.
void AddValue(const Cell& cell, Physical type, Values& values) {
  const bool is_text = cell.index() > 2;
  const bool fits = !IsAbsent(cell) && is_text == (type == kBytes);
  values.is_there.push_back(fits ? 1 : 0);
  if (!fits) return;
  ++values.count;
  switch (type) {
    case kBytes:
      return values.AddText(TextOf(cell));
    case kBoolean:
      return values.AddBit(IntegerOf(cell) != 0);
    case kInt64:
      return AppendLittle(values.plain, IntegerOf(cell));
    case kDouble:
      return AppendLittle(values.plain, RealOf(cell));
  }
}

// Encodes definition levels. In a data page of version 1, their length precedes them.
std::string Levels(const std::vector<std::uint32_t>& is_there) {
  const std::string runs = HybridRuns(1).Encode(is_there);
  std::string out;
  AppendLittle(out, static_cast<std::uint32_t>(runs.size()));
  return out + runs;
}

}  // namespace

ParquetWriter::ParquetWriter(std::vector<ParquetColumn> columns,
                             std::vector<std::pair<std::string, std::string>> metadata)
    : columns_(std::move(columns)), metadata_(std::move(metadata)), out_(kMagic) {}

std::string ParquetWriter::Take() {
  written_ += out_.size();
  return std::exchange(out_, {});
}

// Writes a page. Field ids of PageHeader in parquet.thrift: 1 type, 2 uncompressed size, 3
// compressed size, 5 data header, 7 dictionary header.
std::size_t ParquetWriter::AddPage(bool is_dictionary, std::size_t values, int encoding,
                                   const std::string& bytes) {
  const std::size_t at = written_ + out_.size();
  ThriftWriter head;
  head.Int32(1, is_dictionary ? kDictionaryPage : kDataPage);
  head.Int32(2, static_cast<std::int64_t>(bytes.size()));
  head.Int32(3, static_cast<std::int64_t>(bytes.size()));
  head.BeginField(is_dictionary ? 7 : 5);
  head.Int32(1, static_cast<std::int64_t>(values));
  head.Int32(2, encoding);
  if (!is_dictionary) {
    head.Int32(3, kRle);
    head.Int32(4, kRle);
  }
  head.End();
  out_ += head.Take();
  out_ += bytes;
  return at;
}

// Writes a column of a group. Texts: a dictionary page with each text once, then indices in the
// fewest bits. Numbers: one plain page.
ParquetWriter::Chunk ParquetWriter::AddChunk(
    std::size_t rows, std::size_t column,
    const std::function<Cell(std::size_t row, std::size_t column)>& cell) {
  const Physical type = TypeOf(columns_[column].unit);
  Values values;
  values.is_there.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) AddValue(cell(row, column), type, values);
  values.EndBits();
  Chunk chunk;
  chunk.begin = written_ + out_.size();
  std::string page = Levels(values.is_there);
  if (type == kBytes) {
    chunk.dictionary_at = AddPage(true, values.known.size(), kPlain, values.dictionary);
    const auto width = static_cast<unsigned>(
        values.known.size() < 2 ? 1 : std::bit_width(values.known.size() - 1));
    page += static_cast<char>(width);
    page += HybridRuns(width).Encode(values.places);
  } else {
    page += values.plain;
  }
  chunk.data_at = AddPage(false, rows, type == kBytes ? kRleDictionary : kPlain, page);
  chunk.bytes = written_ + out_.size() - chunk.begin;
  return chunk;
}

void ParquetWriter::AddGroup(std::size_t rows,
                             const std::function<Cell(std::size_t row, std::size_t column)>& cell) {
  Group& group = groups_.emplace_back();
  group.rows = rows;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    group.chunks.push_back(AddChunk(rows, i, cell));
  }
}

namespace {

// Writes a flat schema: a root with the number of columns, then one element for each column. Ids of
// SchemaElement: 1 type, 3 repetition, 4 name, 5 children, 6 converted type, 10 logical type.
void WriteSchema(const std::vector<ParquetColumn>& columns, ThriftWriter& out) {
  out.ListOfStructs(2, columns.size() + 1);
  out.BeginElement();
  out.Text(4, "schema");
  out.Int32(5, static_cast<std::int64_t>(columns.size()));
  out.End();
  for (const ParquetColumn& column : columns) {
    const Physical type = TypeOf(column.unit);
    out.BeginElement();
    out.Int32(1, type);
    out.Int32(3, kOptional);
    out.Text(4, column.name);
    if (type == kBytes) {
      out.Int32(6, kUtf8);
      out.BeginField(10);  // The logical type…
      out.BeginField(1);   // …is a text.
      out.End();
      out.End();
    }
    out.End();
  }
}

}  // namespace

// Writes the footer. Ids of FileMetaData: 1 version, 2 schema, 3 rows, 4 groups, 5 metadata, 6
// writer. Ids of ColumnChunk: 2 offset, 3 its ColumnMetaData (1 type, 2 encodings, 3 path, 4 codec,
// 5 values, 6 and 7 sizes, 9 data page, 11 dictionary page).
void ParquetWriter::Finish() {
  ThriftWriter foot;
  foot.Int32(1, 2);  // Version of the format.
  WriteSchema(columns_, foot);
  std::size_t rows = 0;
  for (const Group& group : groups_) rows += group.rows;
  foot.Int64(3, static_cast<std::int64_t>(rows));
  foot.ListOfStructs(4, groups_.size());
  for (const Group& group : groups_) {
    foot.BeginElement();
    foot.ListOfStructs(1, columns_.size());
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Chunk& chunk = group.chunks[i];
      bytes += chunk.bytes;
      const bool has_dictionary = chunk.dictionary_at != 0;
      foot.BeginElement();
      foot.Int64(2, static_cast<std::int64_t>(chunk.begin));
      foot.BeginField(3);
      foot.Int32(1, TypeOf(columns_[i].unit));
      foot.ListOfInt32(2, has_dictionary ? std::vector<std::int64_t>{kPlain, kRle, kRleDictionary}
                                         : std::vector<std::int64_t>{kPlain, kRle});
      foot.ListOfTexts(3, {columns_[i].name});
      foot.Int32(4, 0);  // The codec: no compression.
      foot.Int64(5, static_cast<std::int64_t>(group.rows));
      foot.Int64(6, static_cast<std::int64_t>(chunk.bytes));
      foot.Int64(7, static_cast<std::int64_t>(chunk.bytes));
      foot.Int64(9, static_cast<std::int64_t>(chunk.data_at));
      if (has_dictionary) foot.Int64(11, static_cast<std::int64_t>(chunk.dictionary_at));
      foot.End();
      foot.End();
    }
    foot.Int64(2, static_cast<std::int64_t>(bytes));
    foot.Int64(3, static_cast<std::int64_t>(group.rows));
    foot.End();
  }
  foot.ListOfStructs(5, metadata_.size());
  for (const auto& [key, value] : metadata_) {
    foot.BeginElement();
    foot.Text(1, key);
    foot.Text(2, value);
    foot.End();
  }
  foot.Text(6, std::string("profgauge ") + kVersion);
  const std::string bytes = foot.Take();
  out_ += bytes;
  AppendLittle(out_, static_cast<std::uint32_t>(bytes.size()));
  out_ += kMagic;
}

}  // namespace profgauge::exports
