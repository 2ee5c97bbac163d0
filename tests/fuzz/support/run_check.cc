#include "support/run_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "analysis/ranks/analyze_run.h"
#include "api/session.h"
#include "api/snapshots.h"
#include "exports/dlprof/dlprof_csv.h"
#include "exports/nsys/reports.h"
#include "exports/pyprof/prof.h"
#include "gate/compare.h"
#include "readers/load.h"
#include "render/shared/renderer.h"
#include "render/trace/chrome_trace.h"
#include "report/read_report.h"
#include "rules/rulebook.h"
#include "support/fuzz.h"
#include "support/waterfall_check.h"

namespace profgauge::fuzz {
namespace {

constexpr std::string_view kParts[] = {
    "tensor_core_kernel", "other_kernel", "memcpy", "memset", "communication", "runtime",
    "dataloader",         "cpu",          "other"};

/// The default policy.
struct Default {
  rules::Policy policy;
  rules::Rulebook rules;
};

const Default& TheDefault() {
  static const Default* const kDefault = [] {
    auto policy = rules::LoadPolicy("builtin:recommended");
    Require(policy.has_value(), "the preset loads");
    auto* made = new Default{*std::move(policy), {}};
    auto rules = rules::LoadRulebook(made->policy, {});
    Require(rules.has_value(), "the built-in rules load");
    made->rules = *std::move(rules);
    return made;
  }();
  return *kDefault;
}

void CheckMetrics(const analysis::Analysis& analysis) {
  for (const analysis::Metric& metric : analysis.metrics) {
    const std::string id(metric.spec->id);
    Require(IsAbsent(metric.value) != metric.absent_because.empty(), id + " is there or says why");
    if (IsAbsent(metric.value)) continue;
    Require(std::isfinite(AsNumber(metric.value, 0)), id + " is finite");
  }
}

/// Each iteration's parts sum to its duration.
void CheckBreakdown(const analysis::Analysis& analysis) {
  const Table* table = analysis.FindTable("iterations");
  if (table == nullptr || table->Find("duration") == nullptr) return;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const Value whole = table->At(row, "duration");
    if (IsAbsent(whole)) continue;
    std::int64_t sum = 0;
    for (const std::string_view part : kParts) {
      const Value cell = table->At(row, part);
      const auto time = IsAbsent(cell) ? 0 : std::get<std::int64_t>(cell);
      Require(time >= 0, "no part of an iteration is negative");
      sum += time;
    }
    Require(sum == std::get<std::int64_t>(whole), "parts sum to their iteration");
  }
}

/// Causes of idling add up to the idle time.
void CheckIdleCauses(const analysis::Analysis& analysis) {
  const analysis::Metric* idle = analysis.Find("gpu.idle.mean");
  if (idle == nullptr || IsAbsent(idle->value)) return;
  double sum = 0;
  bool is_told = false;
  for (const analysis::Metric& metric : analysis.metrics) {
    if (!metric.spec->id.starts_with("gpu.idle_cause.") || IsAbsent(metric.value)) continue;
    is_told = true;
    sum += AsNumber(metric.value, 0);
  }
  Require(!is_told || std::abs(sum - AsNumber(idle->value, 0)) < 1e-9, "causes sum to idle time");
}

void CheckTables(const analysis::Analysis& analysis) {
  for (const Table& table : analysis.tables) {
    Require(table.CheckShape(), table.id() + " has columns of one length");
  }
}

/// Summaries of the ranks give the same numbers as the ranks, for all that they keep.
void CheckSummaries(std::span<const Profile> ranks, const analysis::Analysis& recorded) {
  auto summarized = analysis::ranks::SummarizeRanks(ranks, analysis::Selection{});
  const auto* summaries = ValueOf(summarized);
  if (summaries == nullptr) return;
  std::vector<Profile> stand_ins;
  for (const Summary& summary : *summaries) {
    const std::string bytes = EncodeSummary(summary);
    Require(DecodeSummary(bytes) == summary, "a summary is decoded as it was encoded");
    stand_ins.push_back(ProfileOfSummary(summary, "fuzz.pgsum"));
  }
  auto analysed = analysis::ranks::AnalyzeRun(stand_ins, analysis::Selection{});
  Require(analysed.has_value(), "summaries of what was analysed are analysed");
  for (const analysis::Metric& metric : analysed->metrics) {
    const bool is_left_out =
        metric.absent_because.find("summaries do not contain it") != std::string::npos;
    const analysis::Metric& other = *recorded.Find(metric.spec->id);
    Require(is_left_out || metric.value == other.value,
            std::string(metric.spec->id) + " is the same of summaries");
  }
}

/// A run compared with itself has not changed, nor compared with its baseline.
void CheckBaseline(std::span<const Profile> ranks, const analysis::Analysis& analysis) {
  auto made = SnapshotOf("run", ranks, analysis, analysis::Selection{});
  const gate::Snapshot* snapshot = ValueOf(made);
  if (snapshot == nullptr) return;
  const std::string bytes = gate::WriteBaseline({*snapshot});
  const auto kept = gate::ParseBaseline(bytes, "fuzz");
  Require(kept.has_value(), "a baseline is read");
  Require(gate::WriteBaseline(*kept) == bytes, "a baseline comes back as it was");
  const gate::RunComparison comparison = gate::CompareRuns(*kept, std::span(snapshot, 1), nullptr);
  Require(comparison.is_comparable, "a run can be compared with itself");
  RequireExactSums(comparison.waterfall);
  for (const gate::MetricComparison& metric : comparison.metrics) {
    Require(metric.verdict != gate::stats::Change::kFail, metric.metric + " is as it was");
  }
}

void CheckReport(const report::Report& report) {
  const std::string bytes = render::RenderJson(report);
  const auto again = report::ReadReport(bytes, "fuzz");
  Require(again.has_value(), "report.json is read: " + (again ? "" : again.error().message));
  Require(render::RenderJson(*again) == bytes, "report.json comes back as it was");
  render::RenderMarkdown(report);
  render::RenderHtml(report);
  render::RenderTerminal(report, {});
  render::RenderChromeTrace(report);
}

/// Other tools' files are written of whatever was read, or it is said why not.
void CheckExports(std::span<const Profile> ranks) {
  const std::vector<exports::SelectedRank> selected(ranks.begin(), ranks.end());
  for (const exports::nsys::ReportSpec& spec : exports::nsys::Reports()) {
    const exports::nsys::ReportTable table = spec.make(selected);
    for (const auto& row : table.rows) {
      Require(row.size() == table.heads.size(), "rows have a cell for each head");
    }
  }
  for (const Profile& profile : ranks) {
    exports::pyprof::NetDict(profile);
    exports::pyprof::BuildKernelRows(profile);
    auto computed = analysis::dlprof::dlprof::Compute(profile, analysis::Selection{});
    const analysis::dlprof::dlprof::Report* report = ValueOf(computed);
    if (report == nullptr) continue;
    const analysis::dlprof::dlprof::Breakdown& parts = report->summary.breakdown;
    Require(parts.tensor_core + parts.other_kernel + parts.memory + parts.dataloader + parts.io +
                    parts.cpu + parts.other ==
                report->summary.wall,
            "DLProf's parts sum to the wall time");
    exports::dlprof::DlprofCsvTexts(profile, *report, {});
  }
}

}  // namespace

void CheckRun(std::vector<Profile> ranks) {
  std::stable_sort(ranks.begin(), ranks.end(), readers::RanksBefore);
  const RunToJudge run{"run", ranks};
  auto judged = JudgeRuns(std::span(&run, 1), TheDefault().policy, TheDefault().rules, {},
                          JudgeRunsOptions{});
  const Judgement::Data* judgement = ValueOf(judged);
  if (judgement == nullptr) return;
  CheckReport(judgement->report);
  auto analysed = analysis::Analyze(ranks, analysis::Selection{});
  Require(analysed.has_value(), "what was judged is analysed");
  CheckMetrics(*analysed);
  CheckTables(*analysed);
  CheckBreakdown(*analysed);
  CheckIdleCauses(*analysed);
  const bool is_summary = std::any_of(ranks.begin(), ranks.end(), IsSummary);
  if (!is_summary) {
    CheckSummaries(ranks, *analysed);
    CheckExports(ranks);
  }
  CheckBaseline(ranks, *analysed);
}

}  // namespace profgauge::fuzz
