#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "render/ci/ci.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

/// No one knows whether the limit is kept.
bool HasNoAnswer(const report::GateRow& row) {
  return row.status == State::kMissing || row.status == State::kOpen;
}

// A missed limit as one sentence with its numbers. Where the reason already has change and limit,
// it is the sentence.
Alert AlertOf(const report::GateRow& row) {
  Alert alert;
  alert.id = "limit/" + row.metric;
  alert.title = row.title.empty() ? row.metric : row.title;
  // A finding without an answer is no error: alerts of a level are as many as the verdict counts.
  alert.level = HasNoAnswer(row) || row.status == State::kLowConfidence ? State::kWarn : row.status;
  if (row.status == State::kMissing) {
    alert.message = row.metric + " has no value, its limit is " + row.limit;
  } else if (!row.change.text.empty() && !row.reason.empty()) {
    alert.message = row.metric + ": " + row.reason;
    return alert;
  } else if (!row.change.text.empty()) {
    alert.message = row.metric + " changed by " + row.change.text + ", its limit is " + row.limit +
                    ", " + row.baseline.text + " → " + row.measured.text;
  } else {
    alert.message = row.metric + " is " + row.measured.text + ", its limit is " + row.limit;
  }
  if (!row.reason.empty()) alert.message += ": " + row.reason;
  return alert;
}

// A finding about a number whose limit is missed says why; the limit's alert says it with it.
void AddCause(const report::Finding& finding, Alert& alert) {
  alert.message +=
      "; " + finding.rule + ": " + (finding.message.empty() ? finding.title : finding.message);
  if (!alert.advice.empty() && !finding.advice.empty()) alert.advice += "\n";
  alert.advice += finding.advice;
}

}  // namespace

std::optional<Alert> AlertOfRun(const report::Report& report) {
  Alert alert{"verdict", State::kWarn, "No verdict", {}, {}};
  const ReasonsOfRun of_run = FindReasonsOfRun(report);
  if (of_run.reasons.empty()) return std::nullopt;
  for (const std::string& reason : of_run.reasons) {
    if (!alert.message.empty()) alert.message += "; ";
    alert.message += reason;
  }
  if (of_run.errors > 0) alert.level = State::kError;
  if (report.verdict.status == State::kFail) alert.title = "The run as a whole";
  return alert;
}

// Keys get a number where several alerts share one: the first keeps the bare key, so that it is
// known again when a second one appears.
std::vector<Alert> CollectAlerts(const report::Report& report) {
  std::vector<Alert> alerts;
  if (std::optional<Alert> alert = AlertOfRun(report)) alerts.push_back(*std::move(alert));
  if (std::string text = LoosenedText(report); !text.empty()) {
    Alert alert;
    alert.level = State::kWarn;
    alert.id = alert.key = "policy";
    alert.title = "The policy is looser";
    alert.message = std::move(text);
    alerts.push_back(std::move(alert));
  }
  for (const report::GateRow& row : report.gate) {
    const report::Accepted* accepted = AcceptedOf(report, row);
    if ((!IsMissed(row) && accepted == nullptr) || !row.counted_with.empty()) continue;
    alerts.push_back(AlertOf(row));
    if (accepted != nullptr) {
      alerts.back().level = State::kInfo;
      alerts.back().accepted = accepted->text;
      alerts.back().message += "; " + accepted->text;
    }
    alerts.back().key = alerts.back().id + (row.change.text.empty() ? "" : "/change");
    for (const report::Finding& finding : report.findings) {
      const bool is_its = row.change.text.empty() && finding.counted_with == row.metric;
      if (is_its && report::HasFired(finding)) AddCause(finding, alerts.back());
    }
  }
  for (const report::Finding& finding : report.findings) {
    if (!report::HasFired(finding) || !finding.counted_with.empty()) continue;
    alerts.push_back(
        {finding.rule, finding.status, finding.title, finding.message, finding.advice});
  }
  std::stable_sort(alerts.begin(), alerts.end(), [](const Alert& a, const Alert& b) {
    return WeightOf(a.level) < WeightOf(b.level);
  });
  std::map<std::string, int> seen;
  for (Alert& alert : alerts) {
    if (alert.key.empty()) alert.key = alert.id;
    const int times = ++seen[alert.key];
    if (times > 1) alert.key += fmt::format("#{}", times);
  }
  return alerts;
}

}  // namespace profgauge::render
