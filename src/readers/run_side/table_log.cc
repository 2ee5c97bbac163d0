// A column of a table: cells between commas, semicolons or tabs.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "readers/run_side/step_log.h"
#include "readers/text/numbers.h"

namespace profgauge::readers {
namespace {

/// Cells of a line, without quotes; "a ""b""" is a "b".
std::vector<std::string> CellsOf(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  if (line.find('"') == line.npos) {
    for (std::size_t at = 0; true; cells.emplace_back()) {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      cells.back() = Trim(line.substr(at, end - at));
      if (end == line.size()) return cells;
      at = end + 1;
    }
  }
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back().push_back(line[++i]);
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == separator && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back().push_back(c);
    }
  }
  for (std::string& cell : cells) cell = std::string(Trim(cell));
  return cells;
}

char SeparatorOf(std::string_view head) {
  for (const char c : {'\t', ';'}) {
    if (head.find(c) != head.npos) return c;
  }
  return ',';
}

}  // namespace

// Any text has a first line: a table needs names there, and a single column needs a name of times.
std::optional<Result<StepLog>> ReadTableLog(std::string_view text, const StepTimesInput& how) {
  const std::vector<std::string_view> lines = Lines(WithoutByteOrderMark(text));
  if (lines.size() < 2) return std::nullopt;
  const char separator = SeparatorOf(lines.front());
  const std::vector<std::string> head = CellsOf(lines.front(), separator);
  const bool has_names = std::ranges::none_of(
      head, [](const std::string& cell) { return cell.empty() || ParseReal(cell); });
  if (!has_names || (head.size() == 1 && !IsStepTimeName(head.front()) && how.column.empty())) {
    return std::nullopt;
  }
  const auto read = [&]() -> Result<StepLog> {
    PROFGAUGE_TRY(const std::string column, ChooseName(how.column, head));
    PROFGAUGE_TRY(const double factor, ChooseFactor(how, column));
    const auto place = static_cast<std::size_t>(std::ranges::find(head, column) - head.begin());
    const auto number = std::ranges::find_if(head, IsStepNumberName);
    std::vector<LoggedTime> values;
    std::int64_t skipped = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (Trim(lines[i]).empty()) continue;
      const std::vector<std::string> cells = CellsOf(lines[i], separator);
      const auto value = place < cells.size() ? ParseReal(cells[place]) : std::nullopt;
      if (!value) {  // Of a row about something else, or of a step that failed.
        ++skipped;
        continue;
      }
      LoggedTime time{-1, *value};
      const auto at = static_cast<std::size_t>(number - head.begin());
      if (at < cells.size()) time.step = ParseInteger(cells[at]).value_or(-1);
      values.push_back(time);
    }
    if (IsRunningTotal(values)) return Fail(RunningTotal(column));
    return WithSkipped(skipped, MakeStepLog("table", values, factor, Logged::kSingle));
  };
  return read();
}

}  // namespace profgauge::readers
