// The output of `compare`, compared with two other tools that compare runs.
//
// HolisticTraceAnalysis compares one iteration of each run, we the mean of all: the programs do the
// same in each. It counts a call of aten::sum inside aten::sum twice, we once, as a call that only
// passes on to another overload of itself is no separate work.
//
// The TensorBoard plug-in compares operators only of the main thread, over six iterations: the
// change is the same, the totals are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "gate/compare.h"
#include "shared_run.h"

namespace profgauge::gate {
namespace {

namespace fs = std::filesystem;
using testing::SharedPath;
using testing::SnapshotOf;

using Counts = std::map<std::string, std::pair<double, double>>;  // Base, current; by name.

RunComparison Compared(const std::string& base, const std::string& current) {
  const std::vector<Snapshot> bases = {SnapshotOf(SharedPath(base))};
  const std::vector<Snapshot> currents = {SnapshotOf(SharedPath(current))};
  return CompareRuns(bases, currents, nullptr);
}

RunComparison ControlAndTest() {
  return Compared("data/kineto/hta/trace_diff/control/control.json.gz",
                  "data/kineto/hta/trace_diff/test/test.json.gz");
}

// HTA's columns: name (may hold commas in quotes), counts and durations of both.
Counts ReadHta(const std::string& path) {
  std::ifstream file(path);
  Counts counts;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    if (cells.size() >= 4) counts[cells[0]] = {std::stod(cells[1]), std::stod(cells[3])};
  }
  return counts;
}

// HTA's short name of a kernel: without template and call arguments, and the text after them.
std::string Shortened(std::string name) {
  if (name.starts_with("Mem")) return name;
  if (name.starts_with("void ")) name = name.substr(5);
  std::string out;
  int depth = 0;
  for (const char c : name) {
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) out += c;
    if (c == '>' || c == ')') --depth;
  }
  return out.substr(0, out.find(' '));
}

TEST(CompareOracle, CountsTheKernelsThatHtaCounts) {
  const std::string folder = SharedPath("oracle/hta/diff_control_vs_test");
  if (!fs::exists(folder)) GTEST_SKIP() << "no shared profiles";
  Counts ours;
  for (const PairedWork& row : ControlAndTest().kernels.rows) {
    const auto arrow = row.name.find(" ← ");
    const std::string now = row.name.substr(0, arrow);
    const std::string before =
        arrow == std::string::npos ? now : row.name.substr(arrow + std::string(" ← ").size());
    ours[Shortened(before)].first += row.base_count;
    ours[Shortened(now)].second += row.current_count;
  }
  const Counts hta = ReadHta(folder + "/compare_GPU_short.csv");
  ASSERT_GT(hta.size(), 80u);
  for (const auto& [name, counts] : hta) {
    // Shortened() above ends at the first space, and so takes this template's return type,
    // std::enable_if<…>::type, for its name.
    if (name == "internal::gemvx::kernel") continue;
    EXPECT_NEAR(ours[name].first, counts.first, 1e-9) << name;
    EXPECT_NEAR(ours[name].second, counts.second, 1e-9) << name;
  }
}

TEST(CompareOracle, NamesTheOpsThatHtaNames) {
  const std::string folder = SharedPath("oracle/hta/diff_control_vs_test");
  if (!fs::exists(folder)) GTEST_SKIP() << "no shared profiles";
  const RunComparison comparison = ControlAndTest();
  const Counts hta = ReadHta(folder + "/compare_CPU.csv");
  // A call inside a call of the same op; aten::view also by its caller aten::reshape.
  const std::set<std::string> nested = {"aten::div", "aten::mean", "aten::new_empty",
                                        "aten::sum", "aten::view", "aten::zeros"};
  std::size_t compared = 0;
  for (const PairedWork& row : comparison.ops.rows) {
    const auto theirs = hta.find(row.name);
    if (theirs == hta.end()) continue;
    ++compared;
    if (nested.contains(row.name)) {
      EXPECT_LE(row.base_count, theirs->second.first) << row.name;
      EXPECT_LE(row.current_count, theirs->second.second) << row.name;
      continue;
    }
    EXPECT_NEAR(row.base_count, theirs->second.first, 1e-9) << row.name;
    EXPECT_NEAR(row.current_count, theirs->second.second, 1e-9) << row.name;
  }
  EXPECT_GT(compared, 150u);
  std::ifstream file(folder + "/ops_diff_CPU.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto document = boost::json::parse(text);
  for (const auto& [list, change] :
       {std::pair("added", PartChange::kAdded), std::pair("deleted", PartChange::kRemoved)}) {
    std::set<std::string> theirs, ours;
    for (const auto& name : document.at(list).as_array()) {
      // Calls of the runtime are no ops.
      if (!name.as_string().starts_with("cuda")) theirs.emplace(name.as_string());
    }
    for (const PairedWork& row : comparison.ops.rows) {
      if (row.change == change) ours.insert(row.name);
    }
    EXPECT_EQ(ours, theirs) << list;
  }
}

TEST(CompareOracle, ExplainsControlAndTest) {
  if (!fs::exists(SharedPath("data/kineto/hta/trace_diff"))) GTEST_SKIP() << "no shared profiles";
  const RunComparison comparison = ControlAndTest();
  // Another GPU, a compiled model that copies 765 times more, and no Tensor Core kernel any more.
  EXPECT_FALSE(comparison.is_comparable);
  std::map<std::string, Ns> categories;
  for (const WaterfallStep& step : comparison.waterfall.steps) {
    if (step.parent < 0) categories[step.name] = step.delta;
  }
  EXPECT_GT(categories["other_kernel"], 45'000'000);
  EXPECT_GT(categories["memcpy"], 10'000'000);
  EXPECT_LT(categories["tensor_core_kernel"], -10'000'000);
  const auto& kernels = comparison.kernels.rows;
  const auto copies = std::find_if(kernels.begin(), kernels.end(), [](const PairedWork& row) {
    return row.name == "Memcpy DtoD (Device -> Device)";
  });
  ASSERT_NE(copies, kernels.end());
  EXPECT_EQ(copies->current_count - copies->base_count, 765);
}

TEST(CompareOracle, FindsThePluginsCallChanges) {
  const std::string path = SharedPath("oracle/kineto/DIFF__kineto_w0_vs_w4.json");
  if (!fs::exists(path)) GTEST_SKIP() << "no shared profiles";
  std::ifstream file(path);
  const auto oracle = boost::json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
  std::map<std::string, double> change;
  constexpr double kIterations = 6;
  for (const auto& [side, sign] : {std::pair("left", -1.0), std::pair("right", 1.0)}) {
    for (const auto& op : oracle.at(side).at("aggs").as_array()) {
      const double calls = op.at("calls").to_number<double>();
      change[std::string(op.at("name").as_string())] += sign * calls / kIterations;
    }
  }
  ASSERT_GT(change.size(), 50u);
  const std::string folder = "data/kineto/v100_resnet50/resnet50_num_workers_";
  const RunComparison comparison = Compared(folder + "0__worker0.1623143089861.pt.trace.json.gz",
                                            folder + "4__worker0.1623212756351.pt.trace.json.gz");
  std::map<std::string, double> ours;
  for (const PairedWork& row : comparison.ops.rows) {
    ours[row.name] = row.current_count - row.base_count;
  }
  for (const auto& [name, calls] : change) EXPECT_NEAR(ours[name], calls, 1e-9) << name;
}

}  // namespace
}  // namespace profgauge::gate
