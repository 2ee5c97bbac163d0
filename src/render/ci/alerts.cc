#include <algorithm>

#include "render/ci/ci.h"

namespace profgauge::render {
namespace {

int Severity(std::string_view level) { return level == "error" ? 0 : level == "warn" ? 1 : 2; }

Alert AlertOf(const report::GateRow& row) {
  Alert alert;
  alert.id = "limit/" + row.metric;
  alert.title = row.title.empty() ? row.metric : row.title;
  if (row.status == "missing") {
    alert.level = row.level;
    alert.message = row.metric + " has no value, its limit is " + row.limit;
  } else {
    alert.level = row.status;
    alert.message = row.metric + " is " + row.measured.text + ", its limit is " + row.limit;
  }
  if (!row.change.text.empty()) {
    alert.message += ", baseline " + row.baseline.text + " (" + row.change.text + ")";
  }
  if (!row.reason.empty()) alert.message += ": " + row.reason;
  return alert;
}

}  // namespace

std::vector<Alert> CollectAlerts(const report::Report& report) {
  std::vector<Alert> alerts;
  for (const report::GateRow& row : report.gate) {
    if (row.status == "error" || row.status == "warn" || row.status == "missing") {
      alerts.push_back(AlertOf(row));
    }
  }
  for (const report::Finding& finding : report.findings) {
    if (finding.status != "error" && finding.status != "warn" && finding.status != "info") continue;
    alerts.push_back(
        {finding.rule, finding.status, finding.title, finding.message, finding.advice});
  }
  std::stable_sort(alerts.begin(), alerts.end(), [](const Alert& a, const Alert& b) {
    return Severity(a.level) < Severity(b.level);
  });
  return alerts;
}

}  // namespace profgauge::render
