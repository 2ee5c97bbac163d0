#include "base/csv.h"

#include <charconv>

namespace profgauge {
namespace {

bool IsNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string NeutralCell(std::string_view text) {
  constexpr std::string_view kStarts = "=+-@\t\r";
  const bool risky = !text.empty() && kStarts.find(text.front()) != std::string_view::npos;
  if (!risky || text == "-" || IsNumber(text)) return std::string(text);
  return "'" + std::string(text);
}

void AppendCsvRow(std::string& out, std::span<const std::string> cells, CsvQuotes quotes) {
  bool first = true;
  for (const std::string& raw : cells) {
    if (!first) out += ',';
    first = false;
    const std::string cell = NeutralCell(raw);
    if (quotes == CsvQuotes::kNeeded && cell.find_first_of("\",\r\n") == std::string::npos) {
      out += cell;
      continue;
    }
    out += '"';
    for (const char c : cell) {
      if (c == '"') out += '"';
      out += c;
    }
    out += '"';
  }
  out += '\n';
}

}  // namespace profgauge
