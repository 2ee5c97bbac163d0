// Writes Parquet files, so that tests know their contents.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profgauge::readers::testing_parquet {

/// Thrift's compact protocol, the half that writes.
class ThriftText {
 public:
  ThriftText& Integer(int field, std::int64_t value, int type = 5) {
    Head(field, type);
    ZigZag(value);
    return *this;
  }
  ThriftText& Text(int field, std::string_view value) {
    Head(field, 8);
    Varint(value.size());
    text += value;
    return *this;
  }
  ThriftText& Bool(int field, bool value) {
    Head(field, value ? 1 : 2);
    return *this;
  }
  ThriftText& Struct(int field, const ThriftText& value) {
    Head(field, 12);
    text += value.Whole();
    return *this;
  }
  ThriftText& Structs(int field, const std::vector<ThriftText>& values) {
    List(field, values.size(), 12);
    for (const ThriftText& value : values) text += value.Whole();
    return *this;
  }
  ThriftText& Integers(int field, const std::vector<std::int64_t>& values) {
    List(field, values.size(), 5);
    for (const std::int64_t value : values) ZigZag(value);
    return *this;
  }
  ThriftText& Texts(int field, const std::vector<std::string>& values) {
    List(field, values.size(), 8);
    for (const std::string& value : values) {
      Varint(value.size());
      text += value;
    }
    return *this;
  }
  std::string Whole() const { return text + '\0'; }

  std::string text;

 private:
  void Head(int field, int type) {
    const int delta = field - last_;
    last_ = field;
    text += static_cast<char>(delta << 4 | type);
  }
  void List(int field, std::size_t size, int type) {
    Head(field, 9);
    if (size < 15) {
      text += static_cast<char>(size << 4 | static_cast<std::size_t>(type));
    } else {
      text += static_cast<char>(0xF0 | type);
      Varint(size);
    }
  }
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
    text += static_cast<char>(value);
  }
  void ZigZag(std::int64_t value) {
    Varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  int last_ = 0;
};

inline std::string VarintText(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}
inline std::string ZigZagText(std::int64_t value) {
  return VarintText(static_cast<std::uint64_t>(value) << 1 ^
                    static_cast<std::uint64_t>(value >> 63));
}

template <class Number>
std::string BytesOf(Number number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

/// Numbers of `width` bits, the lowest first, filled up with zeros.
inline std::string PackedText(const std::vector<std::uint64_t>& numbers, unsigned width) {
  std::string text((numbers.size() * width + 7) / 8, '\0');
  std::size_t bit = 0;
  for (const std::uint64_t number : numbers) {
    for (unsigned i = 0; i < width; ++i, ++bit) {
      if ((number >> i & 1) != 0) text[bit / 8] = static_cast<char>(text[bit / 8] | 1 << bit % 8);
    }
  }
  return text;
}

/// Runs of one number where at least eight are the same, else packed groups of eight.
inline std::string RunsText(const std::vector<std::uint64_t>& numbers, unsigned width) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t same = i;
    while (same < numbers.size() && numbers[same] == numbers[i]) ++same;
    if (same - i >= 8) {
      text += VarintText((same - i) << 1);
      text += BytesOf(numbers[i]).substr(0, (width + 7) / 8);
      i = same;
      continue;
    }
    std::vector<std::uint64_t> group(
        numbers.begin() + static_cast<std::ptrdiff_t>(i),
        numbers.begin() + static_cast<std::ptrdiff_t>(std::min(i + 8, numbers.size())));
    i += group.size();
    group.resize(8);
    text += VarintText(1 << 1 | 1) + PackedText(group, width);
  }
  return text;
}

/// Blocks of 128 in four parts.
inline std::string DeltasText(const std::vector<std::int64_t>& numbers) {
  std::string text = VarintText(128) + VarintText(4) + VarintText(numbers.size()) +
                     ZigZagText(numbers.empty() ? 0 : numbers.front());
  for (std::size_t at = 1; at < numbers.size(); at += 128) {
    std::vector<std::uint64_t> deltas;
    for (std::size_t i = at; i < std::min(at + 128, numbers.size()); ++i) {
      deltas.push_back(static_cast<std::uint64_t>(numbers[i]) -
                       static_cast<std::uint64_t>(numbers[i - 1]));
    }
    std::int64_t least = static_cast<std::int64_t>(deltas.front());
    for (const std::uint64_t delta : deltas) {
      least = std::min(least, static_cast<std::int64_t>(delta));
    }
    std::string widths, bodies;
    for (std::size_t part = 0; part < 4; ++part) {
      std::vector<std::uint64_t> mini;
      for (std::size_t i = part * 32; i < std::min(part * 32 + 32, deltas.size()); ++i) {
        mini.push_back(deltas[i] - static_cast<std::uint64_t>(least));
      }
      unsigned width = 0;
      for (const std::uint64_t each : mini) {
        width = std::max(width, static_cast<unsigned>(std::bit_width(each)));
      }
      // After the last one widths mean nothing.
      widths += static_cast<char>(mini.empty() ? 77 : width);
      if (mini.empty()) continue;
      mini.resize(32);
      bodies += PackedText(mini, width);
    }
    text += ZigZagText(least) + widths + bodies;
  }
  return text;
}

/// A column of whole numbers (type 1, 2), reals (4, 5), truth values (0) or texts (6).
struct WrittenColumn {
  std::string name;
  int type = 2;
  int encoding = 0;
  std::vector<std::optional<std::int64_t>> numbers = {};  ///< Ten times as much for reals.
  std::vector<std::optional<std::string>> texts = {};
  bool is_required = false;
  int version = 1;             ///< Version of pages.
  std::size_t page_rows = 50;  ///< Rows of a page.
  int converted = -1;

  bool is_text() const { return type == 6; }
  std::size_t rows() const { return is_text() ? texts.size() : numbers.size(); }
};

class ParquetText {
 public:
  using Pack = std::string (*)(const std::string&);
  ParquetText() = default;
  /// Pages of the first version are packed by that codec.
  ParquetText(int codec, Pack pack) : codec_(codec), pack_(pack) {}

  void Add(WrittenColumn column) { columns_.push_back(std::move(column)); }
  /// One group of rows.
  std::string Whole() const {
    std::string file = "PAR1";
    std::vector<ThriftText> schema(1), chunks;
    schema[0].Text(4, "schema").Integer(5, static_cast<std::int64_t>(columns_.size()));
    for (const WrittenColumn& column : columns_) {
      ThriftText& element = schema.emplace_back();
      element.Integer(1, column.type).Integer(3, column.is_required ? 0 : 1).Text(4, column.name);
      if (column.converted >= 0) element.Integer(6, column.converted);
      const std::size_t begin = file.size();
      const std::int64_t data = WriteChunk(column, file);
      ThriftText metadata, chunk;
      metadata.Integer(1, column.type)
          .Integers(2, {column.encoding})
          .Texts(3, {column.name})
          .Integer(4, codec_)
          .Integer(5, static_cast<std::int64_t>(column.rows()), 6)
          .Integer(6, static_cast<std::int64_t>(file.size() - begin), 6)
          .Integer(7, static_cast<std::int64_t>(file.size() - begin), 6)
          .Integer(9, data, 6);
      if (data != static_cast<std::int64_t>(begin)) {
        metadata.Integer(11, static_cast<std::int64_t>(begin), 6);
      }
      chunk.Integer(2, static_cast<std::int64_t>(begin), 6).Struct(3, metadata);
      chunks.push_back(chunk);
    }
    const auto rows = static_cast<std::int64_t>(columns_.empty() ? 0 : columns_.front().rows());
    ThriftText group, footer;
    group.Structs(1, chunks)
        .Integer(2, static_cast<std::int64_t>(file.size()), 6)
        .Integer(3, rows, 6);
    footer.Integer(1, 1)
        .Structs(2, schema)
        .Integer(3, rows, 6)
        .Structs(4, {group})
        .Text(6, "ProfGauge's tests");
    const std::string text = footer.Whole();
    return file + text + BytesOf(static_cast<std::uint32_t>(text.size())) + "PAR1";
  }

 private:
  static bool IsSet(const WrittenColumn& column, std::size_t row) {
    return column.is_text() ? column.texts[row].has_value() : column.numbers[row].has_value();
  }
  static std::string PlainText(const WrittenColumn& column, std::size_t row) {
    if (column.is_text()) {
      const std::string& text = *column.texts[row];
      return BytesOf(static_cast<std::uint32_t>(text.size())) + text;
    }
    const std::int64_t number = *column.numbers[row];
    switch (column.type) {
      case 1:
        return BytesOf(static_cast<std::int32_t>(number));
      case 4:
        return BytesOf(static_cast<float>(number) / 10.0F);
      case 5:
        return BytesOf(static_cast<double>(number) / 10.0);
      default:
        return BytesOf(number);
    }
  }

  std::string PageText(int kind, const ThriftText& head, int field, const std::string& body) const {
    const std::string stored = pack_ != nullptr && kind != 3 ? pack_(body) : body;
    ThriftText page;
    page.Integer(1, kind)
        .Integer(2, static_cast<std::int64_t>(body.size()))
        .Integer(3, static_cast<std::int64_t>(stored.size()))
        .Struct(field, head);
    return page.Whole() + stored;
  }

  /// Returns where data pages begin.
  std::int64_t WriteChunk(const WrittenColumn& column, std::string& file) const {
    std::vector<std::string> dictionary;
    if (column.encoding == 8 || column.encoding == 2) {
      for (std::size_t row = 0; row < column.rows(); ++row) {
        if (IsSet(column, row)) dictionary.push_back(PlainText(column, row));
      }
      std::sort(dictionary.begin(), dictionary.end());
      dictionary.erase(std::unique(dictionary.begin(), dictionary.end()), dictionary.end());
      std::string body;
      for (const std::string& value : dictionary) body += value;
      ThriftText head;
      head.Integer(1, static_cast<std::int64_t>(dictionary.size())).Integer(2, 0);
      file += PageText(2, head, 7, body);
    }
    const auto data = static_cast<std::int64_t>(file.size());
    for (std::size_t first = 0; first < column.rows(); first += column.page_rows) {
      WritePage(column, first, std::min(first + column.page_rows, column.rows()), dictionary, file);
    }
    return data;
  }

  void WritePage(const WrittenColumn& column, std::size_t first, std::size_t last,
                 const std::vector<std::string>& dictionary, std::string& file) const {
    std::vector<std::uint64_t> levels;
    std::vector<std::size_t> rows;
    for (std::size_t row = first; row < last; ++row) {
      levels.push_back(IsSet(column, row) ? 1 : 0);
      if (IsSet(column, row)) rows.push_back(row);
    }
    const std::string values = ValuesText(column, rows, dictionary);
    const std::string runs = column.is_required ? "" : RunsText(levels, 1);
    ThriftText head;
    head.Integer(1, static_cast<std::int64_t>(last - first));
    if (column.version == 1) {
      head.Integer(2, column.encoding).Integer(3, 3).Integer(4, 3);
      const std::string before =
          column.is_required ? "" : BytesOf(static_cast<std::uint32_t>(runs.size())) + runs;
      file += PageText(0, head, 5, before + values);
      return;
    }
    head.Integer(2, static_cast<std::int64_t>(last - first - rows.size()))
        .Integer(3, static_cast<std::int64_t>(last - first))
        .Integer(4, column.encoding)
        .Integer(5, static_cast<std::int64_t>(runs.size()))
        .Integer(6, 0)
        .Bool(7, false);
    file += PageText(3, head, 8, runs + values);
  }

  static std::string ValuesText(const WrittenColumn& column, const std::vector<std::size_t>& rows,
                                const std::vector<std::string>& dictionary) {
    std::vector<std::int64_t> numbers, lengths, prefixes;
    std::vector<std::uint64_t> bits, indices;
    std::string plain, texts, suffixes, last;
    std::vector<std::int64_t> suffix_lengths;
    for (const std::size_t row : rows) {
      plain += PlainText(column, row);
      if (column.is_text()) {
        const std::string& text = *column.texts[row];
        lengths.push_back(static_cast<std::int64_t>(text.size()));
        texts += text;
        const auto same = std::mismatch(text.begin(), text.end(), last.begin(), last.end());
        const auto prefix = same.first - text.begin();
        prefixes.push_back(prefix);
        suffix_lengths.push_back(static_cast<std::int64_t>(text.size()) - prefix);
        suffixes += text.substr(static_cast<std::size_t>(prefix));
        last = text;
      } else {
        numbers.push_back(*column.numbers[row]);
        bits.push_back(*column.numbers[row] != 0 ? 1 : 0);
      }
      if (!dictionary.empty()) {
        indices.push_back(static_cast<std::uint64_t>(
            std::lower_bound(dictionary.begin(), dictionary.end(), PlainText(column, row)) -
            dictionary.begin()));
      }
    }
    switch (column.encoding) {
      case 2:
      case 8: {
        const auto width =
            static_cast<unsigned>(std::bit_width(std::max<std::size_t>(dictionary.size(), 1) - 1));
        return std::string(1, static_cast<char>(width)) + RunsText(indices, width);
      }
      case 3: {
        const std::string runs = RunsText(bits, 1);
        return BytesOf(static_cast<std::uint32_t>(runs.size())) + runs;
      }
      case 5:
        return DeltasText(numbers);
      case 6:
        return DeltasText(lengths) + texts;
      case 7:
        return DeltasText(prefixes) + DeltasText(suffix_lengths) + suffixes;
      case 9: {
        if (rows.empty()) return {};
        const std::size_t width = plain.size() / rows.size();
        std::string split;
        for (std::size_t byte = 0; byte < width; ++byte) {
          for (std::size_t i = 0; i < rows.size(); ++i) split += plain[i * width + byte];
        }
        return split;
      }
      default:
        return column.type == 0 ? PackedText(bits, 1) : plain;
    }
  }

  std::vector<WrittenColumn> columns_;
  int codec_ = 0;
  Pack pack_ = nullptr;
};

}  // namespace profgauge::readers::testing_parquet
