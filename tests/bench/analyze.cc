// Times the parts of the analysis on real or generated traces: analyze TRACE…
//
// Workload analyze_1m: a trace of a million events, from make_profile. Prints events, milliseconds
// of each part and events per second; for the dependency graph also the bytes of a step and the
// time of two scenarios. The numbers are for people, nothing is asserted.
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "analysis/breakdown/idle.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/device/copies.h"
#include "analysis/device/device_tables.h"
#include "analysis/device/launches.h"
#include "analysis/device/tensor_cores.h"
#include "analysis/host/host.h"
#include "analysis/iterations/context.h"
#include "analysis/iterations/utilization.h"
#include "analysis/ops/op_tables.h"
#include "analysis/simulation/replayer.h"
#include "analysis/trust/coverage.h"
#include "readers/load.h"

namespace profgauge {
namespace {

template <class Work>
auto Timed(const char* what, Work work) {
  const auto start = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  fmt::print("  {:<24} {:8.1f} ms\n", what, took.count());
  return result;
}

// The best of some runs.
template <class Work>
void Best(const char* what, Work work) {
  constexpr int kRuns = 5;
  std::chrono::duration<double, std::milli> best{1e12};
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = work();
    best = std::min<std::chrono::duration<double, std::milli>>(
        best, std::chrono::steady_clock::now() - start);
  }
  fmt::print("  {:<24} {:8.1f} ms\n", what, best.count());
}

std::size_t Events(const Profile& profile) {
  return profile.host.size() + profile.api.size() + profile.device.size() + profile.python.size() +
         profile.memory.size() + profile.sync.size();
}

struct Part {
  const char* name;
  void (*add)(std::span<const RankContext>, Output&);
};

constexpr Part kParts[] = {
    {"iterations, breakdown, communication",
     [](std::span<const RankContext> ranks, Output& out) {
       TimeFacts facts(ranks);
       AddIterations(ranks, facts.iterations, out);
       AddCommunication(facts.communication, out);
     }},
    {"utilization", AddUtilization},
    {"idle causes", AddIdle},
    {"op tables", AddOpTables},
    {"kernels", AddKernels},
    {"tensor cores", AddTensorCores},
    {"launches", AddLaunches},
    {"gpus, ranks, streams", AddDeviceTables},
    {"copies", AddCopies},
    {"host calls", AddHostCalls},
    {"memory", AddMemory},
    {"coverage", AddCoverage},
};

// Half the time at which `keep` still holds.
template <class Keep>
Scenario Halved(const Replayer& replayer, PathTable table, Keep keep) {
  Scaling scaling{table, {}, 0.5, false};
  for (std::uint32_t rank = 0; rank < replayer.graphs().size(); ++rank) {
    const PathGraph& graph = replayer.graphs()[rank];
    for (PathGraph::StepId step = 0; step < graph.size(); ++step) {
      const PathOwner owner = graph.OwnerOf(step);
      if (owner.table != table || owner.is_end || !keep(owner.row)) continue;
      scaling.rows.push_back({rank, owner.row});
    }
  }
  return {{scaling}, false};
}

void MeasurePath(std::vector<RankContext> ranks) {
  const auto shared = std::make_shared<const std::vector<RankContext>>(std::move(ranks));
  Best("path: graph", [&] { return PathGraph::Build((*shared)[0]).has_value(); });
  const Replayer replayer(shared);
  if (!replayer.can_replay()) return fmt::print("  no replay: {}\n", replayer.why_not());
  const PathGraph& graph = replayer.graphs()[0];
  fmt::print("  {} steps, {} edges, {:.2f} B a step\n", graph.size(), graph.edges(),
             static_cast<double>(graph.bytes()) / static_cast<double>(graph.size()));
  Best("path: identity", [&] { return graph.Replay({}); });
  const Scenario few = Halved(replayer, PathTable::kDevice, [](auto row) { return row % 8 == 0; });
  const HostTable& host = graph.rank().profile->host;
  const auto half = [&](auto row) { return host.name[row].value % 2 == 0; };  // As conditions do.
  const Scenario many = Halved(replayer, PathTable::kHost, half);
  Best("path: an eighth of work", [&] { return replayer.Predict(few); });
  Best("path: half of the names", [&] { return replayer.Predict(many); });
}

int Measure(const std::string& path) {
  auto profile = Timed("read", [&] { return ReadProfile(path, {}); });
  if (!profile) {
    fmt::print(stderr, "{}: {}\n", path, profile.error().message);
    return 1;
  }
  std::vector<Profile> profiles;
  profiles.push_back(std::move(*profile));
  fmt::print("{}: {} events, {} host, {} device\n", path, Events(profiles[0]),
             profiles[0].host.size(), profiles[0].device.size());
  const Profile& first = profiles[0];
  Timed("find iterations", [&] { return FindIterations(first, {}); });
  const auto classes = Timed("classify", [&] { return ClassifyDevice(first); });
  Timed("op tree", [&] { return BuildOpTree(first, classes); });
  const auto ranks = BuildRankContexts(profiles, {});
  if (!ranks) return 1;
  Output out;
  for (const Part& part : kParts) {
    Timed(part.name, [&] {
      part.add(*ranks, out);
      return 0;
    });
  }
  MeasurePath(*ranks);
  const auto start = std::chrono::steady_clock::now();
  const auto analysis = Analyze(profiles, {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("  {:<24} {:8.1f} ms, {:.2f} M events/s\n", "all together", took.count() * 1000,
             static_cast<double>(Events(first)) / took.count() / 1e6);
  return analysis ? 0 : 1;
}

}  // namespace
}  // namespace profgauge

int main(int argc, char** argv) {
  int status = 0;
  for (int i = 1; i < argc; ++i) status |= profgauge::Measure(argv[i]);
  return status;
}
