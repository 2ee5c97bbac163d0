#include "readers/ascend/cluster_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/metric_id.h"
#include "knowledge/loss.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::ascend {
namespace {

constexpr const char* kNote = "summed up by Ascend's cluster analysis";
constexpr std::int64_t kMostRank = std::int64_t{1} << 20;

double Share(Ns part, Ns whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// The time in a cell; nothing if it is missing or negative, which no time of a step is. Then the
/// metrics that need the column are absent for all ranks.
std::optional<Ns> TimeOf(const CsvRow& row, const char* column) {
  const auto time = ParseMicroseconds(row.Text(column), Fraction::kDecimal, kMaxDuration);
  return time && *time >= 0 ? time : std::nullopt;
}

/// Adds the ranks of a list like "(0, 1, 2)".
void AddListed(std::string_view text, std::set<std::int64_t>& ranks) {
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    auto number = text.substr(0, end);
    const auto first = number.find_first_of("0123456789");
    const auto last = number.find_last_of("0123456789");
    if (first != number.npos) {
      const auto rank = ParseInteger(number.substr(first, last + 1 - first));
      if (rank && *rank >= 0 && *rank < kMostRank) ranks.insert(*rank);
    }
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

void Add(Reported& reported, MetricId id, Value value) {
  reported.metrics.push_back({id, std::move(value), kNote});
}
void AddNone(Reported& reported, MetricId id, std::string why) {
  reported.metrics.push_back({id, {}, std::move(why)});
}

}  // namespace

const std::array<const char*, ClusterSteps::kColumns> ClusterSteps::kNames = {
    "Computing", "Communication(Not Overlapped)", "Overlapped", "Communication", "Free", "Stage"};

void ClusterSteps::Receive(const CsvRow& row) {
  log_.Add(Counter::events_read);
  if (row.Text("Type") == "stage") return AddListed(row.Text("Index"), listed_);
  const auto id = row.Integer("Index");
  if (!id || *id < 0 || *id >= kMostRank) return log_.Add(Counter::events_unreadable);
  Rank& rank = ranks_[*id];
  ++rank.steps;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const auto time = TimeOf(row, kNames[i]);
    if (!time) continue;
    ++rank.cells[i];
    rank.sums[i] = std::min(rank.sums[i] + *time, kMaxTime);
  }
  rank.bubble = std::min(rank.bubble + TimeOf(row, "Bubble").value_or(0), kMaxTime);
}

// Requires the columns in all rows of all ranks: a mean over the other ranks would hide one.
std::string ClusterSteps::WhyNone(std::initializer_list<Column> columns) const {
  for (const Column column : columns) {
    std::int64_t lacking = 0, of = 0;
    for (const auto& [id, rank] : ranks_) {
      lacking += rank.steps - rank.cells[column];
      of += rank.steps;
    }
    if (lacking == 0) continue;
    return fmt::format("{} of {} rows of ranks have no number in the column {}", lacking, of,
                       kNames[column]);
  }
  return {};
}

// Computing, exposed communication and Free must add up to Stage, with or without Bubble.
std::string ClusterSteps::WhyContradicted() const {
  for (const auto& [id, rank] : ranks_) {
    if (!rank.Has(kComputing) || !rank.Has(kExposed) || !rank.Has(kFree) || !rank.Has(kStage)) {
      continue;
    }
    const double parts = static_cast<double>(rank.sums[kComputing]) +
                         static_cast<double>(rank.sums[kExposed]) +
                         static_cast<double>(rank.sums[kFree]);
    const auto stage = static_cast<double>(rank.sums[kStage]);
    const auto differs = [&](double whole) {
      return std::abs(parts - whole) > knowledge::kLossTotalTolerance * whole;
    };
    if (!differs(stage) || !differs(stage + static_cast<double>(rank.bubble))) continue;
    return fmt::format(
        "Computing, Communication(Not Overlapped) and Free of rank {} add up to {:.1f} % of Stage",
        id, stage > 0 ? parts / stage * 100 : 100.0);
  }
  return {};
}

Ns ClusterSteps::Sum(Column column) const {
  Ns sum = 0;
  for (const auto& [id, rank] : ranks_) sum = std::min(sum + rank.sums[column], kMaxTime);
  return sum;
}

// Reports the ranks that a stage lists but that have no row: not written, or not analyzed.
void ClusterSteps::StateRanks(Reported& reported) const {
  constexpr std::size_t kMissingNamed = 8;
  Add(reported, metric::kProfileRanks, static_cast<std::int64_t>(ranks_.size()));
  std::vector<std::int64_t> missing;
  for (const std::int64_t id : listed_) {
    if (!ranks_.contains(id)) missing.push_back(id);
  }
  if (missing.empty()) return;
  const auto count = static_cast<std::int64_t>(missing.size());
  missing.resize(std::min(missing.size(), kMissingNamed));
  reported.metrics.push_back(
      {metric::kProfileRanksMissing, count,
       fmt::format("the stages list {} ranks, without a row: {}{}", listed_.size(),
                   fmt::join(missing, ", "),
                   count > static_cast<std::int64_t>(kMissingNamed) ? ", …" : "")});
}

// Compares means per step, since ranks may have different numbers of steps.
void ClusterSteps::StateImbalance(Reported& reported) const {
  if (std::string why = WhyNone({kComputing}); !why.empty()) {
    return AddNone(reported, metric::kRankImbalance, std::move(why));
  }
  double least = 0, most = 0, sum = 0;
  bool is_first = true;
  for (const auto& [id, rank] : ranks_) {
    const double computing = Share(rank.sums[kComputing], rank.steps);
    least = is_first ? computing : std::min(least, computing);
    most = std::max(most, computing);
    sum += computing;
    is_first = false;
  }
  const auto count = static_cast<double>(ranks_.size());
  if (sum > 0) Add(reported, metric::kRankImbalance, (most - least) * count / sum);
}

// Idle time is absent if the parts contradict Stage: then a column does not mean its name.
void ClusterSteps::StateIdle(Reported& reported) const {
  std::string why = WhyNone({kFree, kStage});
  if (why.empty()) why = WhyContradicted();
  if (!why.empty()) {
    AddNone(reported, metric::kGpuIdleMean, why);
    return AddNone(reported, metric::kGpuIdleMax, std::move(why));
  }
  double sum = 0, most = 0;
  for (const auto& [id, rank] : ranks_) {
    const double idle = Share(rank.sums[kFree], rank.sums[kStage]);
    sum += idle;
    most = std::max(most, idle);
  }
  Add(reported, metric::kGpuIdleMean, sum / static_cast<double>(ranks_.size()));
  Add(reported, metric::kGpuIdleMax, most);
}

// Divides the sums over all ranks, so ranks with longer steps count more.
void ClusterSteps::StateShare(MetricId id, Column part, Column whole, Reported& reported) const {
  std::string why = WhyNone({part, whole});
  if (why.empty() && whole == kStage) why = WhyContradicted();
  if (!why.empty()) return AddNone(reported, id, std::move(why));
  const Ns of = Sum(whole);
  if (of > 0) Add(reported, id, Share(Sum(part), of));
}

// Adds the tables that profiles with a timeline have, with the columns that are in this file.
void ClusterSteps::StateTables(Reported& reported) const {
  ReportedTable table{"ranks",
                      {"id", "iterations", "iteration_time", "compute_time", "communication_time",
                       "exposed_communication", "idle"},
                      {}};
  ReportedTable gpus{"gpus", {"rank", "idle"}, {}};
  for (const auto& [id, rank] : ranks_) {
    const auto sum = [&rank = rank](Column column) {  // clang before 16 captures no binding
      return rank.Has(column) ? Value(rank.sums[column]) : Value{};
    };
    const bool has_idle = rank.Has(kFree) && rank.Has(kStage) && rank.sums[kStage] > 0;
    const Value idle = has_idle ? Value(Share(rank.sums[kFree], rank.sums[kStage])) : Value{};
    table.rows.push_back(
        {id, rank.steps, sum(kStage), sum(kComputing), sum(kCommunication), sum(kExposed), idle});
    gpus.rows.push_back({id, idle});
  }
  reported.tables.push_back(std::move(table));
  reported.tables.push_back(std::move(gpus));
}

// Counts cells without a number, only of columns that every version of the profiler writes.
void ClusterSteps::CountLostCells() {
  for (const Column column : {kComputing, kExposed, kFree, kStage}) {
    if (std::string why = WhyNone({column}); !why.empty()) {
      log_.AddAt(Counter::rows_unusable, std::move(why));
    }
  }
}

// Counts the steps that a rank lost, because all ranks of a run have the same steps.
void ClusterSteps::CountLostSteps() {
  std::int64_t most = 0;
  for (const auto& [id, rank] : ranks_) most = std::max(most, rank.steps);
  for (const auto& [id, rank] : ranks_) {
    if (rank.steps == most) continue;
    log_.AddAt(Counter::events_dropped,
               fmt::format("rank {} has {} of {} steps", id, rank.steps, most));
  }
}

Reported ClusterSteps::Report() {
  Reported reported;
  CountLostCells();
  CountLostSteps();
  StateRanks(reported);
  StateIdle(reported);
  StateImbalance(reported);
  StateShare(metric::kCommunicationOverlap, kOverlapped, kCommunication, reported);
  StateShare(metric::kCommunicationExposedShare, kExposed, kStage, reported);
  StateTables(reported);
  return reported;
}

}  // namespace profgauge::readers::ascend
