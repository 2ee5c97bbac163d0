// What the program answers about recordings that a test has in memory.
#pragma once

#include <boost/json.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profgauge/profgauge.h"
#include "support/recording_edit.h"

namespace profgauge::edit {

/// Files of one run by name, which may have folders.
struct Recorded {
  std::vector<std::pair<std::string, std::shared_ptr<Edit>>> files;
  Recorded Copy() const;
  Edit& only() const { return *files.front().second; }
};

struct Answer {
  int exit = 3;
  std::string refused;  ///< Code and message of the error, if there is no report.
  boost::json::value report;
  const boost::json::value* Find(std::string_view pointer) const;
  /// The value of a metric; nothing if it is absent.
  std::optional<double> Metric(std::string_view id) const;
  /// All texts of the report in one.
  std::string Text() const { return boost::json::serialize(report) + refused; }
};

/// As `profgauge check` of files with these names and bytes, in this order, or of their folder.
/// The same names give the same path, whatever ran before.
Answer Judge(const std::vector<std::pair<std::string, std::string>>& files, bool as_folder = false,
             const EvaluateOptions& options = {});
Answer Judge(const Recorded& run, bool as_folder = false, const EvaluateOptions& options = {});

/// Where two answers differ, at most six places; empty if nowhere. `parts`: pointers into the
/// report; none: all of it but the file's own hash.
std::string Difference(const Answer& a, const Answer& b, std::vector<std::string> parts = {});
/// Verdict, limits, metrics, findings and their plan, without the rows that they show.
std::string DifferenceOfJudgement(const Answer& a, const Answer& b);
/// Verdict, limits and values, without any text: names of streams may be others.
std::string DifferenceOfNumbers(const Answer& a, const Answer& b);
/// Level, status and message of findings alone.
std::string DifferenceOfFindings(const Answer& a, const Answer& b);

}  // namespace profgauge::edit
