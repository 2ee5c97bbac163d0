#include "readers/dlprof/report_file.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/errors.h"
#include "base/numbers.h"
#include "base/text.h"
#include "readers/text/csv.h"

namespace profgauge::readers::dlprof {
namespace {

struct Title {
  std::string_view text;
  ReportKind kind;
  std::string_view name;
};
constexpr Title kTitles[] = {
    {"System Config", ReportKind::kSummary, "summary"},
    {"All Iterations", ReportKind::kDetailed, "detailed"},
    {"Iteration Report", ReportKind::kIteration, "iteration"},
    {"Kernel Report", ReportKind::kKernel, "kernel"},
    {"Tensor Core Report", ReportKind::kTensorCore, "tensor_core"},
    {"Group Op Report", ReportKind::kGroupOp, "group_op"},
    {"Group Node Report", ReportKind::kGroupOp, "group_op"},
    {"Op Type Summary Report", ReportKind::kOpType, "op_type"},
    {"Expert Systems Feedback", ReportKind::kExpertSystems, "expert_systems"},
};

constexpr const char* kWriteAgain =
    "write the report again with `dlprof --reports=summary --formats=json`";

// Shortens "Avg. CPU Time (ns)" to "Avg CPU Time".
std::string PlainName(std::string_view name) {
  std::string plain(Trim(name.substr(0, name.find(" ("))));
  if (const auto dot = plain.find("Avg."); dot != std::string::npos) plain.erase(dot + 3, 1);
  if (const auto node = plain.find("Group Node"); node != std::string::npos) {
    plain.replace(node, 10, "Group Op");
  }
  return plain;
}

std::string CellOf(const boost::json::value& value) {
  if (value.is_string()) return std::string(value.as_string());
  if (value.is_double()) return fmt::format("{}", value.as_double());
  if (value.is_int64()) return fmt::format("{}", value.as_int64());
  if (value.is_uint64()) return fmt::format("{}", value.as_uint64());
  return {};
}

}  // namespace

std::string_view KindName(ReportKind kind) {
  for (const Title& title : kTitles) {
    if (title.kind == kind) return title.name;
  }
  return {};
}

std::optional<ReportKind> KindOfTitle(std::string_view first_line) {
  for (const Title& title : kTitles) {
    if (Trim(first_line) == title.text) return title.kind;
  }
  return std::nullopt;
}

std::optional<double> RealOf(std::string_view text) {
  double number = 0;
  text = Trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // Not a number, or too large for a whole number.
  if (error != std::errc{} || end != text.data() + text.size() ||
      !(std::abs(number) < kLargestWhole)) {
    return std::nullopt;
  }
  return number;
}

CsvText ParseCsv(std::string_view text) {
  CsvText csv;
  CsvCutter cutter([&csv](std::span<const std::string> cells) {
    csv.rows.emplace_back(cells.begin(), cells.end());
  });
  // DLProf ends every row, including the last one, so a last number without a line end may be cut.
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  csv.truncated = !cutter.Feed(text) || !cutter.End(kNone);
  return csv;
}

Columns::Columns(const Row& head) {
  for (const std::string& name : head) names_.push_back(PlainName(name));
}

std::optional<std::size_t> Columns::Find(std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return i;
  }
  return std::nullopt;
}

std::string_view Columns::Text(const Row& row, std::string_view name) const {
  const auto column = Find(name);
  return column && *column < row.size() ? std::string_view(row[*column]) : std::string_view{};
}

std::optional<std::int64_t> Columns::Integer(const Row& row, std::string_view name) const {
  const std::string_view text = Trim(Text(row, name));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<SummaryLine> SummaryOfCsv(const std::vector<Row>& rows) {
  std::vector<SummaryLine> lines;
  std::string block;
  for (const Row& row : rows) {
    const bool is_blank = row.size() == 1 && Trim(row[0]).empty();
    if (is_blank) {
      block.clear();
    } else if (block.empty()) {
      block = Trim(row[0]);
    } else if (!row[0].empty()) {  // The head of a table begins with an empty cell.
      lines.push_back({block, std::string(Trim(row[0])), {row.begin() + 1, row.end()}});
    }
  }
  return lines;
}

// A value has one of two shapes:
//
//   "Summary Report": {"Wall Clock Time (ns)": [60000000],          a list of one
//                      "All kernels": {"GPU Time (ns)": 4000, …}}   a table's row
Result<std::vector<SummaryLine>> SummaryOfJson(std::string_view text, const std::string& file) {
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse({text.data(), text.size()}, error);
  if (error) {
    return Fail(InputError(file, "dlprof/not-json",
                           "the DLProf report is not valid JSON: " + error.message(), kWriteAgain));
  }
  std::vector<SummaryLine> lines;
  if (parsed.is_object()) {
    for (const auto& [block, keys] : parsed.as_object()) {
      if (!keys.is_object()) continue;
      for (const auto& [key, value] : keys.as_object()) {
        SummaryLine line{block, key, {}};
        if (value.is_object()) {
          // The columns are in the order of the CSV form.
          for (const char* column : {"GPU Time (ns)", "CPU Time (ns)", "# Ops", "# Kernels"}) {
            const auto* cell = value.as_object().if_contains(column);
            if (cell != nullptr) line.cells.push_back(CellOf(*cell));
          }
        } else if (value.is_array()) {
          for (const boost::json::value& cell : value.as_array()) {
            line.cells.push_back(CellOf(cell));
          }
        } else {
          line.cells.push_back(CellOf(value));
        }
        lines.push_back(std::move(line));
      }
    }
  }
  if (lines.empty()) {
    return Fail(InputError(
        file, "dlprof/not-a-summary",
        "the JSON is not a summary of DLProf: expected the block `Summary Report`", kWriteAgain));
  }
  return lines;
}

}  // namespace profgauge::readers::dlprof
