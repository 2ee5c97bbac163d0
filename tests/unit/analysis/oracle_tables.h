// Cells of our tables and other tools' CSV files, for tests that compare them.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/analysis.h"
#include "base/table.h"
#include "oracle.h"
#include "readers/load.h"

namespace profgauge::analysis {

#define PROFGAUGE_NEEDS(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << (path) << " is not here"

inline std::vector<Profile> ReadShared(const std::string& path) {
  auto run = readers::LoadRun({path}, {});
  EXPECT_TRUE(run.has_value()) << path << (run ? "" : ": " + run.error().message);
  return run ? std::move(run->profiles) : std::vector<Profile>{};
}

inline Analysis AnalyzeAll(const std::vector<Profile>& ranks) {
  auto analysis = Analyze(ranks, {});
  EXPECT_TRUE(analysis.has_value()) << (analysis ? "" : analysis.error().message);
  return std::move(*analysis);
}

inline boost::json::value ReadJson(const std::string& path) {
  return boost::json::parse(ReadText(path));
}

/// Rows of a CSV file with its quotes undone; the first is the head.
inline std::vector<std::vector<std::string>> ReadCsv(const std::string& path) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  const std::string text = ReadText(path);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      rows.back().emplace_back();
    } else if (c == '\n' && !quoted) {
      rows.push_back({""});
    } else if (c != '\r') {
      rows.back().back() += c;
    }
  }
  if (rows.back().size() == 1 && rows.back().front().empty()) rows.pop_back();
  return rows;
}

inline std::int64_t IntegerAt(const Table& table, std::size_t row, std::string_view column) {
  const Value value = table.At(row, column);
  const auto* number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? Column::kAbsentInteger : *number;
}

inline std::string TextAt(const Table& table, std::size_t row, std::string_view column) {
  const Value value = table.At(row, column);
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

inline double RealAt(const Table& table, std::size_t row, std::string_view column) {
  return AsNumber(table.At(row, column), -1);
}

}  // namespace profgauge::analysis
