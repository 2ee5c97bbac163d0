// The error for a file that no reader knows.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/errors.h"
#include "base/text.h"
#include "readers/builtin.h"
#include "readers/detect.h"
#include "readers/text/json_shape.h"

namespace profgauge::readers {
namespace {

/// Bytes that text in UTF-8 does not have.
bool IsBinary(std::string_view head) {
  const std::string_view looked = head.substr(0, 512);
  return std::any_of(looked.begin(), looked.end(), [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < ' ' && letter != '\t' && letter != '\n' && letter != '\r' && letter != '\f';
  });
}

/// "`a`, `b`, …".
std::string Names(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    text.append(text.empty() ? "`" : ", `").append(PrintableShort(name)).append("`");
  }
  return PrintableShort(text, 200);
}

// Keys name the tool that wrote a document, values may hold anything: only keys are shown.
std::string OfJson(const readers::JsonShape& shape) {
  const std::string what = shape.is_list ? "a list in JSON" : "JSON";
  if (shape.keys.empty()) return what + " without keys";
  return fmt::format("{}{} with the keys {}", what, shape.is_list ? " of objects" : "",
                     Names(shape.keys));
}

std::vector<std::string_view> Cells(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (bool more = true; more;) {
    const std::size_t end = line.find(separator);
    std::string_view cell = line.substr(0, end);
    more = end != line.npos;
    if (more) line.remove_prefix(end + 1);
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.push_back(cell);
  }
  return cells;
}

// A first line with three cells or more is the head of a table; its columns name the tool.
std::string OfText(std::string_view head) {
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  // Sentences have a comma, too.
  for (const char separator : {',', '\t', ';'}) {
    const auto cells = Cells(line, separator);
    if (cells.size() > 2) return "a table with the columns " + Names(cells);
  }
  return fmt::format("text that begins with \"{}\"", PrintableShort(line));
}

std::string OfBytes(std::string_view head) {
  std::string text = "binary data that begins with";
  for (const char letter : head.substr(0, 8)) {
    text += fmt::format(" {:02x}", static_cast<unsigned char>(letter));
  }
  return text;
}

std::string Seen(std::string_view head, const readers::JsonShape& shape) {
  if (IsBinary(head)) return OfBytes(head);
  return shape.is_object || shape.is_list ? OfJson(shape) : OfText(head);
}

/// The inputs with a reader, by name: "Ascend's …, PyTorch's … or rocprofv3's …"; for a document in
/// JSON only those that are one.
std::string EachExpected(bool is_json) {
  std::vector<std::string_view> each;
  for (const auto& reader : BuiltinReaders()) {
    const auto suffixes = reader->suffixes();
    const bool is_of_json = std::ranges::find(suffixes, ".json") != suffixes.end();
    if (!is_json || is_of_json) each.push_back(reader->expected());
  }
  std::sort(each.begin(), each.end());
  std::string text;
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (i > 0) text += i + 1 == each.size() ? " or " : ", ";
    text += each[i];
  }
  return text;
}

}  // namespace

Error UnknownFile(const std::string& path, std::string_view head) {
  const readers::JsonShape shape = readers::ShapeOfJson(head);
  const bool is_json = !IsBinary(head) && (shape.is_object || shape.is_list);
  Error error = InputError(path, "input/unknown", "the file is not a profile of a known format");
  error.notes = {"note: it is " + Seen(head, shape), "help: expected " + EachExpected(is_json)};
  return error;
}

}  // namespace profgauge::readers
