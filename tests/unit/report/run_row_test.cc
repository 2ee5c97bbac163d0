#include "report/run_row.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/metric_id.h"

namespace profgauge::report {
namespace {

RowCell CellNamed(const RunRow& row, const std::string& name) {
  const auto labels = RowLabels(row);
  const auto columns = RowColumns(labels);
  const auto cells = RowCells(row, labels);
  EXPECT_EQ(columns.size(), cells.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return cells[i];
  }
  ADD_FAILURE() << "no column " << name;
  return {};
}

Report Judged(State status) {
  Report report;
  report.profile.format = "kineto";
  report.profile.ranks = 1;
  report.profile.devices = {{0, 0, "H100"}, {0, 1, "H100"}};
  report.provenance = {{"input", "0123456789abcdef0123456789abcdef"}};
  report.verdict.status = status;
  report.verdict.policy = "builtin:recommended";
  Metric idle;
  idle.id = "gpu.idle.mean";
  idle.quantity = {Value{0.25}, Unit::kShare, "25 %", ""};
  report.metrics.push_back(idle);
  return report;
}

TEST(RunRow, HasTheSameColumnsWhateverTheRun) {
  const RunRow judged = RowOf(Judged(State::kPass), {});
  const RunRow ended = RowOf({"input/unknown"}, {});
  EXPECT_EQ(RowCells(judged, {}).size(), RowColumns().size());
  EXPECT_EQ(RowCells(ended, {}).size(), RowColumns().size());
  EXPECT_GE(RowColumns().size(), metric::kAll.size());
  EXPECT_EQ(RowColumns().back().name, "host_cpu_busiest");
  EXPECT_EQ(CellNamed(judged, "gpu_idle_mean"), RowCell(0.25));
  EXPECT_EQ(CellNamed(judged, "step_time_median"), RowCell());
  EXPECT_EQ(CellNamed(judged, "gpu"), RowCell("H100"));
  EXPECT_EQ(CellNamed(judged, "movement"), RowCell());
}

TEST(RunRow, CountsRunsWithoutAVerdict) {
  RowFacts facts;
  facts.exit_code = 3;
  facts.commit = "abc";
  const RunRow row = RowOf({"input/unknown", "input/unknown"}, facts);
  EXPECT_EQ(CellNamed(row, "verdict"), RowCell("no_verdict"));
  EXPECT_EQ(CellNamed(row, "reasons"), RowCell(std::vector<std::string>{"input/unknown"}));
  EXPECT_EQ(CellNamed(row, "exit_code"), RowCell(3.0));
  EXPECT_EQ(CellNamed(row, "commit"), RowCell("abc"));
  EXPECT_EQ(CellNamed(row, "run"), RowCell());
  EXPECT_EQ(CellNamed(row, "gpu_idle_mean"), RowCell());
}

TEST(RunRow, NamesWhatFailed) {
  Report report = Judged(State::kFail);
  GateRow limit;
  limit.metric = "gpu.idle.mean";
  limit.status = State::kError;
  report.gate.push_back(limit);
  limit.metric = "iteration.time.cv";
  limit.status = State::kWarn;
  report.gate.push_back(limit);
  Finding finding;
  finding.rule = "gpu/idle";
  finding.status = State::kError;
  finding.counted_with = "gpu.idle.mean";
  report.findings.push_back(finding);
  finding.rule = "compute/few-tiles";
  finding.key = "compute/few-tiles@" + std::string(5'000, 'k');
  finding.status = State::kInfo;
  finding.counted_with = "";
  report.findings.push_back(finding);
  const RunRow row = RowOf(report, {});
  EXPECT_EQ(row.reasons, std::vector<std::string>{"gpu.idle.mean"});
  ASSERT_EQ(row.findings->size(), 2u);
  EXPECT_EQ(row.findings->front(), "gpu/idle");
  EXPECT_LE(row.findings->back().size(), 210u);  // Names of kernels are cut.
}

// The same recording has the same id everywhere; nobody can look up that of a redacted one.
TEST(RunRow, NamesTheRecording) {
  const std::string hash = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(RunIdOf({hash}, false), "0123456789abcdef");
  EXPECT_NE(RunIdOf({hash}, true), RunIdOf({hash}, false));
  EXPECT_EQ(RunIdOf({hash, "ff"}, false).size(), 16u);
  EXPECT_NE(RunIdOf({hash, "ff"}, false), RunIdOf({"ff", hash}, false));
  EXPECT_EQ(RunIdOf({}, false), "");
  gate::HistoryEntry entry;
  entry.snapshot.source = hash;
  EXPECT_EQ(RowOf(entry).run, RowOf(Judged(State::kPass), {}).run);
}

TEST(RunRow, HidesNamesWhereRedacted) {
  RowFacts facts;
  facts.branch = "anna/feature";
  facts.job = "secret";
  facts.is_redacted = true;
  const RunRow row = RowOf(Judged(State::kPass), facts);
  EXPECT_EQ(row.branch, "");
  EXPECT_EQ(row.job, "");
}

TEST(RunRow, IsOfTheHistory) {
  gate::HistoryEntry entry;
  entry.time = 1'700'000'000;
  entry.branch = "main";
  entry.commit = "c1";
  entry.model = "gpt";
  entry.verdict = "limits";
  entry.snapshot.environment = {
      {"gpu", "H100"}, {"world_size", "8"}, {"driver", "12040"}, {"label team-a", "x"}};
  entry.snapshot.metrics = {{"iteration.time.median", 5e6}, {"profile.iterations", 12}};
  const RunRow row = RowOf(entry);
  EXPECT_EQ(CellNamed(row, "time"), RowCell("2023-11-14T22:13:20Z"));
  EXPECT_EQ(CellNamed(row, "verdict"), RowCell("fail"));
  EXPECT_EQ(CellNamed(row, "exit_code"), RowCell(1.0));
  EXPECT_EQ(CellNamed(row, "driver"), RowCell("12.4"));
  EXPECT_EQ(CellNamed(row, "world_size"), RowCell(8.0));
  EXPECT_EQ(CellNamed(row, "iterations"), RowCell(12.0));
  EXPECT_EQ(CellNamed(row, "label_team_a"), RowCell("x"));
  EXPECT_EQ(CellNamed(row, "iteration_time_median"), RowCell(5e6));
  EXPECT_EQ(CellNamed(row, "reasons"), RowCell());
  entry.verdict = "again";
  EXPECT_EQ(RowOf(entry).verdict, "no_verdict");
  entry.verdict = "";
  EXPECT_EQ(RowOf(entry).verdict, "");
}

TEST(RunRow, SaysHowManyFindingsDoNotFit) {
  Report report = Judged(State::kFail);
  for (int i = 0; i < 100; ++i) {
    Finding finding;
    finding.rule = "gpu/idle";
    finding.key = "gpu/idle@" + std::to_string(i) + std::string(91, 'k');
    finding.status = State::kError;
    report.findings.push_back(finding);
  }
  const RunRow row = RowOf(report, {});
  EXPECT_LT(row.findings->size(), 25U);
  EXPECT_EQ(row.findings->back(), "and " + std::to_string(101 - row.findings->size()) + " more");
}

}  // namespace
}  // namespace profgauge::report
