#include "report/times_words.h"

#include <string_view>
#include <utility>

namespace profgauge::report {
namespace {

using Reworded = std::pair<std::string_view, std::string_view>;
constexpr Reworded kPlainIterations[] = {{"unrecorded iteration", "iteration"},
                                         {"Unrecorded iteration", "Iteration"},
                                         {"unrecorded time", "time"}};
// Only where runs are compared: elsewhere a profile is what the reader could record.
constexpr Reworded kPlainRecordings[] = {{" profiles", " recordings"}, {" profile", " recording"}};

template <std::size_t N>
void Replace(const Reworded (&words)[N], std::string& text) {
  for (const auto& [from, to] : words) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
}

void Said(std::string& text) { Replace(kPlainIterations, text); }
void Compared(std::string& text) {
  Replace(kPlainIterations, text);
  Replace(kPlainRecordings, text);
}

}  // namespace

void UseWordsOfTimes(Report& report) {
  for (std::string& reason : report.verdict.reasons) Compared(reason);
  for (NoVerdict& reason : report.verdict.no_verdict) Compared(reason.text);
  for (GateRow& row : report.gate) Said(row.title), Compared(row.reason);
  for (Metric& metric : report.metrics) Said(metric.title), Said(metric.definition);
  for (Remark& remark : report.remarks) {
    if (remark.id == "comparison" || remark.id == "changed") {
      Compared(remark.text);
    } else {
      Said(remark.text);
    }
  }
  if (!report.comparison) return;
  for (ComparedMetric& metric : report.comparison->metrics) {
    Said(metric.title), Compared(metric.note);
  }
  for (PairedValue& value : report.comparison->values) Said(value.title);
}

}  // namespace profgauge::report
