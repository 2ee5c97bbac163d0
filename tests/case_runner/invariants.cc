// The invariants of every report, for any profile.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cctype>
#include <cmath>
#include <map>
#include <string>

#include "case.h"
#include "zip.h"

namespace profgauge::cases {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* kParts[] = {
    "tensor_core_kernel", "other_kernel", "memcpy", "memset", "communication", "runtime",
    "dataloader",         "cpu",          "other"};

/// The cell of a table's row as a whole number; 0 when absent.
std::int64_t Cell(const json::object& table, std::size_t row, std::string_view column) {
  const json::array& columns = table.at("columns").as_array();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].at("id").as_string() != column) continue;
    const json::value& cell = table.at("rows").as_array().at(row).as_array().at(c);
    return cell.is_null() ? 0 : cell.to_number<std::int64_t>();
  }
  return 0;
}

/// Each iteration's parts sum to its duration, and the parts' metrics to the sum of durations.
void CheckBreakdown(const json::object& report) {
  const json::value* table = report.at("tables").as_object().if_contains("iterations");
  if (table == nullptr || !table->as_object().contains("rows")) return;
  const json::object& iterations = table->as_object();
  const std::size_t rows = iterations.at("rows").as_array().size();
  for (std::size_t row = 0; row < rows; ++row) {
    std::int64_t sum = 0;
    for (const char* part : kParts) {
      const std::int64_t cell = Cell(iterations, row, part);
      EXPECT_GE(cell, 0) << "iteration row " << row << ", " << part;
      sum += cell;
    }
    EXPECT_EQ(sum, Cell(iterations, row, "duration")) << "breakdown of iteration row " << row;
  }
  double shares = 0;
  bool present = false;
  for (const char* part : kParts) {
    const json::value* metric =
        report.at("metrics").as_object().if_contains(std::string("breakdown.") + part);
    if (metric == nullptr || !metric->as_object().contains("value")) continue;
    present = true;
    shares += metric->at("value").to_number<double>();
  }
  if (present) {
    EXPECT_NEAR(shares, 1.0, 1e-9) << "breakdown.* shares";
  }
}

/// Causes of idling add up to the idle time.
void CheckIdleCauses(const json::object& report) {
  const json::object& metrics = report.at("metrics").as_object();
  const json::value* idle = metrics.if_contains("gpu.idle.mean");
  if (idle == nullptr || !idle->as_object().contains("value")) return;
  double sum = 0;
  bool present = false;
  for (const auto& [id, metric] : metrics) {
    if (!std::string_view(id).starts_with("gpu.idle_cause.")) continue;
    if (!metric.as_object().contains("value")) continue;
    present = true;
    sum += metric.at("value").to_number<double>();
  }
  if (present) {
    EXPECT_NEAR(sum, idle->at("value").to_number<double>(), 1e-9) << "gpu.idle_cause.*";
  }
}

/// No time is negative, and no share of a whole is outside of it.
void CheckRanges(const json::object& report) {
  for (const auto& [id, metric] : report.at("metrics").as_object()) {
    const json::value* value = metric.as_object().if_contains("value");
    if (value == nullptr || !value->is_number()) continue;
    const double number = value->to_number<double>();
    const std::string_view name = id;
    EXPECT_TRUE(std::isfinite(number)) << name;
    if (metric.at("unit").as_string() == "ns") {
      EXPECT_GE(number, 0) << name;
    }
    if (name.starts_with("breakdown.") && metric.at("unit").as_string() == "ratio") {
      EXPECT_GE(number, 0) << name;
      EXPECT_LE(number, 1) << name;
    }
  }
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// The word of the verdict is in every rendering.
void CheckVerdicts(const json::object& report, const fs::path& out) {
  static const std::map<std::string, std::string> kWords = {{"pass", "PASS"},
                                                            {"fail", "FAIL"},
                                                            {"no_verdict", "NO VERDICT"},
                                                            {"not_judged", "NOT JUDGED"}};
  const std::string status(report.at("verdict").at("status").as_string());
  ASSERT_TRUE(kWords.contains(status)) << status;
  const std::string& word = kWords.at(status);

  if (fs::exists(out / "report.html")) {
    const std::string html = ReadFile(out / "report.html");
    const std::size_t title = html.find("<title>"), title_end = html.find("</title>");
    ASSERT_NE(title, std::string::npos);
    EXPECT_NE(Upper(html.substr(title, title_end - title)).find(word), std::string::npos)
        << "HTML title: " << html.substr(title, title_end - title);
  }

  const std::string markdown = ReadFile(out / "report.md");
  if (fs::exists(out / "report.md")) {
    EXPECT_NE(Upper(markdown.substr(0, 400)).find(word), std::string::npos)
        << "Markdown begins " << markdown.substr(0, 400);
  }

  std::string cells;
  for (const auto& [name, text] : UnzipAll(ReadFile(out / "report.xlsx"))) cells += text;
  if (fs::exists(out / "report.xlsx")) {
    EXPECT_NE(Upper(cells).find(word), std::string::npos) << "XLSX does not say " << word;
  }
}

void CheckExitCode(const json::object& report, const std::string& command, int exit_code) {
  const std::string status(report.at("verdict").at("status").as_string());
  if (exit_code != 1 && exit_code != 3) return;  // `report`, --exit-zero, errors.
  EXPECT_EQ(command, "check") << "only check fails on a verdict";
  EXPECT_EQ(exit_code, status == "fail" ? 1 : 3) << "verdict " << status;
}

/// Each reason for no verdict ends with its id, by which `rules explain` finds it.
void CheckReasons(const json::object& report) {
  const json::object& verdict = report.at("verdict").as_object();
  if (verdict.at("status") != "no_verdict") return;
  const json::array& texts = verdict.at("reasons").as_array();
  EXPECT_FALSE(texts.empty());
  const json::value* coded = verdict.if_contains("no_verdict");
  ASSERT_NE(coded, nullptr);
  ASSERT_EQ(coded->as_array().size(), texts.size()) << json::serialize(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string code(coded->as_array()[i].at("code").as_string());
    const std::string text(texts[i].as_string());
    EXPECT_TRUE(text.ends_with("[" + code + "]")) << text;
  }
}

/// If a run ended without a report, all outputs give the reason; its exit code is no verdict's.
void CheckEnding(const json::object& ending, const fs::path& out, int exit_code) {
  EXPECT_EQ(ending.at("verdict").at("exit_code"), exit_code);
  EXPECT_NE(exit_code, 1);
  ASSERT_FALSE(ending.at("errors").as_array().empty());
  const std::string code(ending.at("errors").at(0).at("code").as_string());
  for (const char* name : {"report.html", "report.md"}) {
    EXPECT_NE(ReadFile(out / name).find(code), std::string::npos) << name << " lacks " << code;
  }
}

}  // namespace

void CheckInvariants(const fs::path& out, const std::string& command, int exit_code) {
  json::error_code error;
  const json::value parsed = json::parse(ReadFile(out / "report.json"), error);
  ASSERT_FALSE(error) << "report.json is not JSON: " << error.message();
  const json::object& report = parsed.as_object();
  if (!report.contains("profile") && report.contains("errors")) {
    return CheckEnding(report, out, exit_code);
  }
  CheckBreakdown(report);
  CheckIdleCauses(report);
  CheckRanges(report);
  CheckVerdicts(report, out);
  CheckReasons(report);
  CheckExitCode(report, command, exit_code);
}

}  // namespace profgauge::cases
