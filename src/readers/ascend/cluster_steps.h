// cluster_step_trace_time.csv of Ascend's cluster analysis: each rank's times by step.
//
//   Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,…
//   1,rank,0,900,50,150,200,50,1000,...
//   1,rank,1,850,100,100,200,50,1000,...
//   1,stage,"(0, 1)",900,100,150,200,50,1000,...
//
// Times are microseconds. Computing + exposed communication + Free = Stage; with pipelines Stage
// may be without the Bubble. A row of a stage lists its ranks and repeats their times: only its
// list is used. Idle is Free / Stage; imbalance is (most - least computing per step) / mean.
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

/// Takes the rows of the file one by one. Report() ends it.
class ClusterSteps {
 public:
  explicit ClusterSteps(ImportLog& log) : log_(log) {}

  /// A row of a rank or of a stage. One of a rank without number is counted as unreadable.
  void Receive(const CsvRow& row);
  /// Whether no row of a rank was received: the file is no table of a cluster then.
  bool empty() const { return ranks_.empty(); }
  /// Sums of each rank over its steps. Values that a rank does not state are absent, with the
  /// reason, and lost where every version states it. Ranks that "stage" rows list and that have no
  /// row are missing; steps that only other ranks have are lost. Call when there is a rank.
  Reported Report();

 private:
  enum Column : std::uint8_t { kComputing, kExposed, kOverlapped, kCommunication, kFree, kStage };
  static constexpr std::size_t kColumns = 6;
  static const std::array<const char*, kColumns> kNames;
  /// The sums of one rank over its steps.
  struct Rank {
    std::int64_t steps = 0;
    std::array<std::int64_t, kColumns> cells{};  ///< Steps that state it.
    std::array<Ns, kColumns> sums{};
    Ns bubble = 0;
    bool Has(Column column) const { return cells[column] == steps; }
  };

  /// Why a number that needs `columns` is none; empty when all ranks state them.
  std::string WhyNone(std::initializer_list<Column> columns) const;
  /// Why the parts of the time are none: they do not add up to it.
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
  std::set<std::int64_t> listed_;  ///< In rows of stages.
};

}  // namespace profgauge::readers::ascend
