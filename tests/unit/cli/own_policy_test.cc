// Every readable profile beside the checkout: its numbers lie where they can, it passes the policy
// that `init` writes for it, and against itself nothing has changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../analysis/oracle.h"
#include "analysis/breakdown/attribution.h"
#include "cli/init_files.h"
#include "gate/compare.h"
#include "gate/make_snapshot.h"
#include "gate/verdict.h"
#include "readers/load.h"
#include "rules/facts.h"
#include "rules/rulebook.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

// Judged at -O0 in every test run: the few profiles of over 2 MB say nothing that others do not.
constexpr std::uintmax_t kLargest = 2'000'000;

std::vector<std::string> Profiles() {
  std::vector<std::string> paths = analysis::AllRecordings();
  std::erase_if(paths, [](const std::string& path) {
    const auto has = [&](std::string_view part) { return path.find(part) != path.npos; };
    return fs::file_size(path) > kLargest || path.ends_with(".expected.json") ||
           path.ends_with(".md") || has("/data/rocm/") ||  // Forty thousand kernels.
           has("/unrecorded/contradicts/");                // Nothing passes with it.
  });
  return paths;
}

std::optional<rules::Policy> PassedPolicy(const std::vector<Profile>& ranks,
                                          const analysis::Analysis& analysis) {
  const auto text = InitPolicy("a profile", std::vector<cli::InitRun>{{ranks, analysis}}, true);
  if (!text) ADD_FAILURE() << text.error().message;
  if (!text) return std::nullopt;
  const auto policy = rules::ParsePolicy(*text, "policy.yaml");
  if (!policy) ADD_FAILURE() << rules::RenderErrors(policy.error(), false) << *text;
  if (!policy) return std::nullopt;
  const auto book = rules::LoadRulebook(*policy, {});
  EXPECT_TRUE(book);
  if (!book) return std::nullopt;
  const rules::Evaluation evaluation =
      book->Evaluate(analysis, rules::CollectFacts(ranks, analysis));
  gate::JudgeOptions options;
  options.evaluation = &evaluation;
  options.allow_incomplete = true;  // Data loss is the profile's, not the policy's.
  const gate::Verdict verdict = gate::Judge(*policy, analysis, {}, options);
  // So are times of unrecorded iterations that contradict it.
  const bool contradicts = !verdict.reasons.empty() &&
                           verdict.reasons.front().find("run/contradicts") != std::string::npos;
  EXPECT_EQ(verdict.status,
            contradicts ? gate::VerdictStatus::kNoVerdict : gate::VerdictStatus::kPass)
      << (verdict.reasons.empty() ? "" : verdict.reasons.front()) << "\n"
      << *text;
  return *policy;
}

// Limits beyond these are refused as limits that no run can miss.
void ExpectInTheirRanges(const analysis::Analysis& analysis) {
  for (const analysis::Metric& metric : analysis.metrics) {
    if (IsAbsent(metric.value) || metric.spec->unit == Unit::kText) continue;
    const double value = AsNumber(metric.value, 0);
    EXPECT_GE(value, metric.spec->range.least) << metric.spec->id;
    EXPECT_LE(value, metric.spec->range.most) << metric.spec->id;
  }
}

void ExpectNoChangeAgainstItself(const std::vector<Profile>& ranks,
                                 const analysis::Analysis& analysis, const rules::Policy& policy) {
  auto attribution = analysis::breakdown::AttributeTime(ranks, {});
  ASSERT_TRUE(attribution) << attribution.error().message;
  const std::vector<gate::Snapshot> run = {
      gate::MakeSnapshot("run", ranks, analysis, std::move(*attribution))};
  // As it was measured, and as a baseline file keeps it.
  const auto kept = gate::ParseBaseline(gate::WriteBaseline(run), "baseline.json");
  ASSERT_TRUE(kept) << kept.error().message << " " << kept.error().where.path;
  const rules::PolicyBaseline* limits = policy.baseline ? &*policy.baseline : nullptr;
  const gate::RunComparison comparison = gate::CompareRuns(*kept, run, limits);
  EXPECT_TRUE(comparison.differences.empty());
  EXPECT_EQ(comparison.waterfall.delta, 0);
  for (const gate::WaterfallStep& step : comparison.waterfall.steps) EXPECT_EQ(step.delta, 0);
  EXPECT_EQ(comparison.kernels.delta, 0);
  for (const gate::PairedWork& row : comparison.kernels.rows) EXPECT_EQ(row.delta, 0) << row.name;
  for (const gate::PairedWork& row : comparison.ops.rows) EXPECT_EQ(row.delta, 0) << row.name;
  for (const gate::MetricComparison& metric : comparison.metrics) {
    EXPECT_EQ(metric.verdict, gate::stats::Change::kPass) << metric.metric;
    EXPECT_EQ(metric.change, 0) << metric.metric;
    EXPECT_FALSE(limits != nullptr && metric.is_missing) << metric.metric << ": " << metric.reason;
  }
}

TEST(OwnPolicy, EveryReadableProfilePassesIt) {
  const std::vector<std::string> paths = Profiles();
  if (paths.empty()) GTEST_SKIP() << "no shared profiles";
  std::size_t readable = 0;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    readers::ReadOptions options;
    options.allow_incomplete = true;
    const auto ranks = readers::ReadRun({path}, options);
    if (!ranks) continue;  // Malformed on purpose.
    const auto analysis = analysis::Analyze(*ranks, {});
    ASSERT_TRUE(analysis) << analysis.error().message;
    ++readable;
    ExpectInTheirRanges(*analysis);
    const std::optional<rules::Policy> policy = PassedPolicy(*ranks, *analysis);
    if (policy) ExpectNoChangeAgainstItself(*ranks, *analysis, *policy);
  }
  EXPECT_GT(readable, 130u);
}

}  // namespace
}  // namespace profgauge::cli
