#include "cli/rows/row_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "base/table.h"
#include "base/text.h"
#include "profgauge/version.h"
#include "render/markdown/markdown_text.h"

namespace profgauge::cli {
namespace {

using render::EscapeMarkdown;

// The first rows, which determine the width of columns. A wider cell of a later row sticks out.
constexpr std::size_t kRowsMeasured = 200;
constexpr std::size_t kWidestText = 80;

// The shortest text that reads back as the same number.
std::string NumberText(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

bool IsBool(const RowColumn& column) { return column.unit == Unit::kBool; }

// The value in its base unit; empty if it is absent.
std::string PlainText(const Cell& cell, const RowColumn& column) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    if (IsBool(column)) return *integer != 0 ? "true" : "false";
    return fmt::format("{}", *integer);
  }
  if (const auto* real = std::get_if<double>(&cell)) return NumberText(*real);
  return std::string(TextOf(cell));
}

// The value as reports show it, if its unit is known: "1.20 ms", "31.4 %".
std::string ShownText(const Cell& cell, const RowColumn& column) {
  const bool is_number = cell.index() == 1 || cell.index() == 2;
  if (!column.unit || !is_number) return PlainText(cell, column);
  const auto* integer = std::get_if<std::int64_t>(&cell);
  const double real = integer == nullptr ? std::get<double>(cell) : 0;
  const Value value = IsBool(column)       ? Value(integer != nullptr && *integer != 0)
                      : integer != nullptr ? Value(*integer)
                                           : Value(real);
  return WithPlainBlanks(FormatValue(value, *column.unit));
}

// Rows as text for people.
class ShownRows : public RowWriter {
 public:
  explicit ShownRows(std::vector<RowColumn> columns)
      : columns_(std::move(columns)), is_text_(columns_.size()) {
    for (const RowColumn& column : columns_) heads_.push_back(Printable(column.name));
  }

 protected:
  std::vector<std::string> Shown(std::span<const Cell> cells) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      is_text_[i] = is_text_[i] || cells[i].index() > 2;
      if (IsAbsent(cells[i])) {
        texts.emplace_back("–");
      } else {
        texts.push_back(Printable(ShownText(cells[i], columns_[i])));
      }
    }
    return texts;
  }

  std::vector<RowColumn> columns_;
  std::vector<bool> is_text_;  // By column: has a text, so it is left-aligned.
  std::vector<std::string> heads_;
};

// Keeps the first kRowsMeasured rows to determine widths. Later rows are written immediately, and a
// wider cell only shifts its own line. A column that has a text so far is left-aligned.
class AlignedRows : public ShownRows {
 public:
  using ShownRows::ShownRows;

  void Add(std::span<const Cell> cells) override {
    std::vector<std::string> texts = Shown(cells);
    for (std::string& text : texts) text = PrintableShort(text, kWidestText);
    ++rows_;
    if (!widths_.empty()) return Write(texts);
    waiting_.push_back(std::move(texts));
    if (waiting_.size() == kRowsMeasured) Begin();
  }

  void Finish(bool is_cut, std::span<const std::string>) override {
    if (widths_.empty()) Begin();
    if (is_cut) out_ += fmt::format("… more than {} rows\n", rows_);
  }

 private:
  void Begin() {
    widths_.clear();
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      std::size_t width = CharactersIn(heads_[i]);
      for (const auto& row : waiting_) width = std::max(width, CharactersIn(row[i]));
      widths_.push_back(width);
    }
    Write(heads_);
    for (const auto& row : waiting_) Write(row);
    waiting_.clear();
  }
  void Write(const std::vector<std::string>& texts) {
    std::string line;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      line += (i == 0 ? "" : "  ") + Padded(texts[i], widths_[i], !is_text_[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + '\n';
  }

  std::vector<std::vector<std::string>> waiting_;
  std::vector<std::size_t> widths_;
  std::size_t rows_ = 0;
};

class MarkdownRows : public ShownRows {
 public:
  explicit MarkdownRows(std::vector<RowColumn> columns) : ShownRows(std::move(columns)) {
    Write(heads_);
    out_ += '|';
    for (std::size_t i = 0; i < heads_.size(); ++i) out_ += "---|";
    out_ += '\n';
  }
  void Add(std::span<const Cell> cells) override { Write(Shown(cells)); }
  void Finish(bool is_cut, std::span<const std::string>) override {
    if (is_cut) out_ += "\n… more rows\n";
  }

 private:
  void Write(const std::vector<std::string>& texts) {
    out_ += '|';
    for (const std::string& text : texts) {
      std::string cell = EscapeMarkdown(text);
      std::replace_if(
          cell.begin(), cell.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
      out_ += ' ' + cell + " |";
    }
    out_ += '\n';
  }
};

// Rows in base units. A CSV has no place for notes or a mark of missing rows, so Finish() is empty.
class CsvRows : public RowWriter {
 public:
  explicit CsvRows(std::vector<RowColumn> columns) : columns_(std::move(columns)) {
    for (const RowColumn& column : columns_) texts_.push_back(column.name);
    AppendCsvRow(out_, texts_, CsvQuotes::kNeeded);
  }
  void Add(std::span<const Cell> cells) override {
    texts_.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      texts_.push_back(PlainText(cells[i], columns_[i]));
    }
    AppendCsvRow(out_, texts_, CsvQuotes::kNeeded);
  }
  void Finish(bool, std::span<const std::string>) override {}

 private:
  std::vector<RowColumn> columns_;
  std::vector<std::string> texts_;
};

class TsvRows : public RowWriter {
 public:
  explicit TsvRows(std::vector<RowColumn> columns) : columns_(std::move(columns)) {
    for (std::size_t i = 0; i < columns_.size(); ++i) Append(i, columns_[i].name);
    out_ += '\n';
  }
  void Add(std::span<const Cell> cells) override {
    for (std::size_t i = 0; i < cells.size(); ++i) Append(i, PlainText(cells[i], columns_[i]));
    out_ += '\n';
  }
  void Finish(bool, std::span<const std::string>) override {}

 private:
  void Append(std::size_t column, std::string_view text) {
    if (column > 0) out_ += '\t';
    for (const char c : text) {
      if (c == '\t') {
        out_ += "\\t";
      } else if (c == '\n') {
        out_ += "\\n";
      } else if (c == '\r') {
        out_ += "\\r";
      } else if (c == '\\') {
        out_ += "\\\\";
      } else {
        out_ += c;
      }
    }
  }
  std::vector<RowColumn> columns_;
};

void WriteCell(JsonWriter& json, const Cell& cell, const RowColumn& column) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    return IsBool(column) ? json.Bool(*integer != 0) : json.Integer(*integer);
  }
  if (const auto* real = std::get_if<double>(&cell)) return json.Real(*real);
  if (IsAbsent(cell)) return json.Null();
  json.Text(TextOf(cell));
}

constexpr auto kInline = JsonWriter::Style::kInline;

class JsonLines : public RowWriter {
 public:
  explicit JsonLines(std::vector<RowColumn> columns) : columns_(std::move(columns)) {}
  void Add(std::span<const Cell> cells) override {
    JsonWriter json;
    json.BeginObject(kInline);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      json.Key(columns_[i].name);
      WriteCell(json, cells[i], columns_[i]);
    }
    json.EndObject();
    out_ += json.Take();
  }
  void Finish(bool, std::span<const std::string>) override {}

 private:
  std::vector<RowColumn> columns_;
};

std::string_view JsonType(Unit unit) {
  switch (CellTypeOf(unit)) {
    case CellType::kInteger:
      return unit == Unit::kBool ? "bool" : "integer";
    case CellType::kText:
      return "text";
    case CellType::kReal:
      break;
  }
  return "real";
}

// Writes one JSON document in pieces: the head (an object whose end is removed), the rows, and the
// end. So a result may be larger than memory.
class JsonDocument : public RowWriter {
 public:
  JsonDocument(std::vector<RowColumn> columns, std::string_view sql)
      : columns_(std::move(columns)) {
    JsonWriter json;
    json.BeginObject();
    json.Field("schema", std::int64_t{1});
    json.Field("kind", "query");
    json.Field("tool", std::string("profgauge ") + kVersion);
    json.Field("sql", sql);
    json.Key("columns");
    json.BeginArray();
    for (const RowColumn& column : columns_) {
      json.BeginObject(kInline);
      json.Field("name", column.name);
      json.Key("unit");
      column.unit ? json.Text(UnitName(*column.unit)) : json.Null();
      json.Key("type");
      column.unit ? json.Text(JsonType(*column.unit)) : json.Null();
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    out_ = json.Take();
    constexpr std::string_view kEnd = "\n}\n";  // The object's end, which is removed.
    out_.erase(out_.size() - kEnd.size());
    out_ += ",\n  \"rows\": [";
  }

  void Add(std::span<const Cell> cells) override {
    JsonWriter json;
    json.BeginArray(kInline);
    for (std::size_t i = 0; i < cells.size(); ++i) WriteCell(json, cells[i], columns_[i]);
    json.EndArray();
    std::string row = json.Take();
    row.pop_back();  // Removes the line end.
    out_ += std::exchange(has_rows_, true) ? ",\n    " : "\n    ";
    out_ += row;
  }

  void Finish(bool is_cut, std::span<const std::string> notes) override {
    out_ += has_rows_ ? "\n  ],\n" : "],\n";
    out_ += fmt::format("  \"truncated\": {},\n", is_cut);
    JsonWriter json;
    json.BeginArray(kInline);
    for (const std::string& note : notes) json.Text(note);
    json.EndArray();
    std::string list = json.Take();
    list.pop_back();
    out_ += "  \"notes\": " + list + "\n}\n";
  }

 private:
  std::vector<RowColumn> columns_;
  bool has_rows_ = false;
};

constexpr std::pair<std::string_view, RowFormat> kNames[] = {
    {"table", RowFormat::kTable}, {"md", RowFormat::kMarkdown}, {"csv", RowFormat::kCsv},
    {"tsv", RowFormat::kTsv},     {"json", RowFormat::kJson},   {"jsonl", RowFormat::kJsonLines}};

}  // namespace

std::optional<RowFormat> FindRowFormat(std::string_view name) {
  for (const auto& [known, format] : kNames) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::unique_ptr<RowWriter> MakeRowWriter(std::vector<RowColumn> columns, const RowStyle& style) {
  switch (style.format) {
    case RowFormat::kMarkdown:
      return std::make_unique<MarkdownRows>(std::move(columns));
    case RowFormat::kCsv:
      return std::make_unique<CsvRows>(std::move(columns));
    case RowFormat::kTsv:
      return std::make_unique<TsvRows>(std::move(columns));
    case RowFormat::kJson:
      return std::make_unique<JsonDocument>(std::move(columns), style.sql);
    case RowFormat::kJsonLines:
      return std::make_unique<JsonLines>(std::move(columns));
    case RowFormat::kTable:
      break;
  }
  return std::make_unique<AlignedRows>(std::move(columns));
}

}  // namespace profgauge::cli
