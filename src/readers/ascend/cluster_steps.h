// cluster_step_trace_time.csv of Ascend's cluster analysis: each rank's times by step.
//
//   Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,…
//   1,rank,0,900,50,150,200,50,1000,...
//   1,rank,1,850,100,100,200,50,1000,...
//   1,stage,"(0, 1)",900,100,150,200,50,1000,...
//
// Times are microseconds. Computing + exposed communication + Free = Stage; with pipelines, Stage
// may exclude the Bubble. A "stage" row lists ranks and repeats their times: only its list is used.
// Idle time is Free / Stage; imbalance is (most - least computing per step) / mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>

#include "model/profile_builder.h"
#include "model/reported.h"
#include "readers/text/csv_rows.h"

namespace profgauge::readers::ascend {

/// Receives the rows of the file one by one; Report() evaluates them.
class ClusterSteps {
 public:
  explicit ClusterSteps(ImportLog& log) : log_(log) {}

  /// Adds a row of a rank or a stage. A rank row without a rank number counts as unreadable.
  void Receive(const CsvRow& row);
  /// True if no row of a rank was received, because then the file is no cluster table.
  bool empty() const { return ranks_.empty(); }
  /// Sums each rank over its steps. A value that a rank's rows do not have is absent, with the
  /// reason; if every profiler version writes it, it also counts as lost. Ranks that only "stage"
  /// rows list are missing; steps that only other ranks have are lost. REQUIRES: not empty().
  Reported Report();

 private:
  enum Column : std::uint8_t { kComputing, kExposed, kOverlapped, kCommunication, kFree, kStage };
  static constexpr std::size_t kColumns = 6;
  static const std::array<const char*, kColumns> kNames;
  /// The sums of one rank over its steps.
  struct Rank {
    std::int64_t steps = 0;
    std::array<std::int64_t, kColumns> cells{};  ///< Number of steps with a value in the column.
    std::array<Ns, kColumns> sums{};
    Ns bubble = 0;
    bool Has(Column column) const { return cells[column] == steps; }
  };

  /// Why a metric that needs `columns` is absent; empty if all rows of ranks have them.
  std::string WhyNone(std::initializer_list<Column> columns) const;
  /// Why the parts of the time are absent: they do not add up to Stage. Empty if they do.
  std::string WhyContradicted() const;
  Ns Sum(Column column) const;
  void StateRanks(Reported& reported) const;
  void StateImbalance(Reported& reported) const;
  void StateIdle(Reported& reported) const;
  void StateShare(MetricId id, Column part, Column whole, Reported& reported) const;
  void StateTables(Reported& reported) const;
  void CountLostCells();
  void CountLostSteps();

  ImportLog& log_;
  std::map<std::int64_t, Rank> ranks_;
  std::set<std::int64_t> listed_;  ///< The ranks in "stage" rows.
};

}  // namespace profgauge::readers::ascend
