#include "rules/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/classify/collective.h"
#include "analysis/simulation/scenario_changes.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/parallel.h"
#include "base/whole.h"
#include "knowledge/plan.h"

namespace profgauge::rules {
namespace {

// Calls `visit(rank, row, op)` for computing kernels. `op` is nullptr if its work is unknown.
template <class Visit>
void VisitKernels(const analysis::simulation::Replayer& replayer, Visit visit) {
  for (std::uint32_t position = 0; position < replayer.ranks().size(); ++position) {
    const analysis::iterations::RankContext& rank = replayer.ranks()[position];
    const DeviceTable& device = rank.profile->device;
    for (std::uint32_t row = 0; row < device.size(); ++row) {
      if (device.kind[row] != DeviceKind::kKernel || rank.classes[row].collective) continue;
      if (!rank.InIterations(DeviceId{row})) continue;
      const analysis::simulation::LaunchTargets::Op* op = replayer.targets().Find(position, row);
      visit(position, row, op != nullptr && op->roof >= 0 ? op : nullptr);
    }
  }
}

double CountedShare(const analysis::simulation::Replayer& replayer) {
  double all = 0, counted = 0;
  VisitKernels(replayer, [&](std::uint32_t rank, std::uint32_t row,
                             const analysis::simulation::LaunchTargets::Op* op) {
    const auto time = static_cast<double>(replayer.ranks()[rank].profile->device.duration[row]);
    all += time;
    if (op != nullptr) counted += time;
  });
  return all > 0 ? counted / all : 0;
}

void AddRow(std::uint32_t rank, std::uint32_t row, double factor,
            std::map<double, analysis::simulation::Scaling>& by_factor) {
  analysis::simulation::Scaling& scaling = by_factor[factor];
  scaling.table = analysis::simulation::PathTable::kDevice;
  scaling.factor = factor;
  scaling.rows.push_back({rank, row});
}

// Adds every kernel to the changes, scaled to the given part of its recorded time.
void AddKernels(const analysis::simulation::Replayer& replayer,
                double analysis::simulation::LaunchTargets::Op::*part,
                analysis::simulation::Scenario& to) {
  std::map<double, analysis::simulation::Scaling> by_factor;
  VisitKernels(replayer, [&](std::uint32_t rank, std::uint32_t row,
                             const analysis::simulation::LaunchTargets::Op* op) {
    if (op == nullptr || op->*part < 0) return;
    AddRow(rank, row, analysis::simulation::FactorInSteps(op->*part), by_factor);
  });
  for (auto& [factor, scaling] : by_factor) to.scalings.push_back(std::move(scaling));
}

// The kind of a collective: as recorded, or else by the name of its kernel.
analysis::classify::CollectiveKind KindOfCollective(const analysis::iterations::RankContext& rank,
                                                    std::uint32_t row) {
  const CollectiveId recorded = rank.profile->device.collective[row];
  if (!recorded.valid()) return rank.classes[row].kind;
  const StringId name = rank.profile->collectives[recorded.value].name;
  return name.valid() ? analysis::classify::CollectiveKindOf(rank.profile->Name(name))
                      : rank.classes[row].kind;
}

// For each rank and kind of collective, the share of its time that would be needed at the best bus
// bandwidth that the kind reaches in this run. Calls without a known bandwidth keep their time.
//
//     rank  kind         time   bandwidth    best of kind    needed
//     0     all_reduce    2 ms   100 GB/s     200 GB/s        1 ms
//     0     all_reduce    4 ms   200 GB/s                     4 ms      share of rank 0: 5 / 6
std::map<std::pair<std::int64_t, analysis::classify::CollectiveKind>, double> TransferShares(
    const Table& collectives) {
  struct Row {
    std::int64_t rank = 0;
    analysis::classify::CollectiveKind kind = analysis::classify::CollectiveKind::kOther;
    double time = 0, bandwidth = 0;
  };
  std::vector<Row> rows;
  std::map<analysis::classify::CollectiveKind, double> best;
  for (std::size_t at = 0; at < collectives.rows(); ++at) {
    const auto number = [&](std::string_view column, double otherwise) {
      return AsNumber(collectives.At(at, column), otherwise);
    };
    Row& row = rows.emplace_back();
    row.rank = AsWhole(collectives.At(at, "rank"), -1);
    row.kind = analysis::classify::CollectiveKindOf(
        analysis::simulation::TextAt(collectives, *collectives.Find("name"), at));
    row.time = number("transfer_time", number("time", 0));
    row.bandwidth = number("bus_bandwidth", number("bus_bandwidth_unmatched", 0));
    best[row.kind] = std::max(best[row.kind], row.bandwidth);
  }
  std::map<std::pair<std::int64_t, analysis::classify::CollectiveKind>, std::pair<double, double>>
      sums;
  for (const Row& row : rows) {
    auto& [needed, taken] = sums[{row.rank, row.kind}];
    taken += row.time;
    needed += row.bandwidth > 0 ? row.time * row.bandwidth / best[row.kind] : row.time;
  }
  std::map<std::pair<std::int64_t, analysis::classify::CollectiveKind>, double> shares;
  for (const auto& [key, sum] : sums) {
    if (sum.second > 0) shares[key] = sum.first / sum.second;
  }
  return shares;
}

void AddTransfers(const analysis::simulation::Replayer& replayer,
                  const analysis::Analysis& analysis, analysis::simulation::Scenario& to) {
  const Table* collectives = analysis.FindTable("collectives");
  if (collectives == nullptr) return;
  const auto shares = TransferShares(*collectives);
  std::map<double, analysis::simulation::Scaling> by_factor;
  for (std::uint32_t position = 0; position < replayer.ranks().size(); ++position) {
    const analysis::iterations::RankContext& rank = replayer.ranks()[position];
    for (std::uint32_t row = 0; row < rank.profile->device.size(); ++row) {
      if (!rank.classes[row].collective || !rank.InIterations(DeviceId{row})) continue;
      const auto share = shares.find({rank.rank, KindOfCollective(rank, row)});
      if (share == shares.end()) continue;
      AddRow(position, row, analysis::simulation::FactorInSteps(share->second), by_factor);
    }
  }
  for (auto& [factor, scaling] : by_factor) to.scalings.push_back(std::move(scaling));
}

// True if the profile has one of several ranks, which does not show the ranks that it waits for.
bool MissesRanks(const analysis::simulation::Replayer& replayer,
                 const analysis::Analysis& analysis) {
  const bool is_one =
      replayer.ranks().size() == 1 && replayer.ranks().front().profile->distributed.world_size > 1;
  if (!is_one) return false;
  const analysis::Metric* exposed = analysis.Find(metric::kCommunicationExposedShare);
  return exposed != nullptr && !IsAbsent(exposed->value) &&
         AsNumber(exposed->value, 0) > knowledge::kPlanFloorExposedShare.value();
}

std::string WhyNoRoof(const analysis::Analysis& analysis, double counted) {
  const auto table = analysis.absent_tables.find("roofline");
  if (table != analysis.absent_tables.end()) return table->second;
  const Table* roofline = analysis.FindTable("roofline");
  const Column* roof = roofline == nullptr ? nullptr : roofline->Find("roof_share");
  if (roof != nullptr && !roof->absent_because().empty()) return roof->absent_because();
  return fmt::format("FLOPs are known for {} of kernel time", FormatShare(counted));
}

}  // namespace

// The bound is at most `end`, because the plan's steps reach that time.
Floor FindFloor(const analysis::simulation::Replayer& replayer, const analysis::Analysis& analysis,
                const analysis::simulation::Scenario& steps, double start, double end) {
  Floor floor;
  floor.counted = CountedShare(replayer);
  if (floor.counted < knowledge::kPlanFloorCountedShare.value()) {
    floor.absent_because = WhyNoRoof(analysis, *floor.counted);
    return floor;
  }
  if (MissesRanks(replayer, analysis)) {
    floor.absent_because =
        "one rank cannot separate waiting from transfer; give the profiles of all ranks";
    return floor;
  }
  const auto time_at = [&](double analysis::simulation::LaunchTargets::Op::*part) {
    analysis::simulation::Scenario all = steps;
    all.by_smallest = true;
    all.hidden_host = true;
    all.without_waiting = replayer.knows_waiting();
    AddKernels(replayer, part, all);
    AddTransfers(replayer, analysis, all);
    const analysis::simulation::Prediction found =
        replayer.Predict(all, analysis::simulation::PredictionOf::kTimes);
    return std::clamp(start - (found.recorded_time - found.iteration_time), 0.0, end);
  };
  double times[2] = {};
  ForEachAtOnce(
      2,
      [&](std::size_t i) {
        times[i] = time_at(i == 0 ? &analysis::simulation::LaunchTargets::Op::roof
                                  : &analysis::simulation::LaunchTargets::Op::target);
      },
      replayer.is_joint() ? 1 : 0);  // Simulations of many ranks need much memory.
  floor.time = times[0];
  floor.reachable = std::max(floor.time, times[1]);
  return floor;
}

}  // namespace profgauge::rules
