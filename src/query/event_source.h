// Makes the cells of events from a rank's profile, and from data derived from it when a column is
// first used. Not thread-safe.
//
// A column is a function of a row, not a copy: `select name from device_events` reads only names.
// Data that needs a pass over all events (queue lengths, exposure, the critical path) is computed
// for all rows of the rank when the first cell needs it, and kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/communication/clocks.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/iterations/context.h"
#include "analysis/iterations/kernel_work.h"
#include "analysis/simulation/replayer.h"
#include "base/table.h"
#include "base/value.h"
#include "query/relation.h"
#include "query/tables.h"

namespace profgauge::query {

/// A value that is computed on first use.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& Get(Make make) const {
    if (!value_) value_.emplace(make());
    return *value_;
  }

 private:
  mutable std::optional<T> value_;
};

/// Collectives of the run, matched across its ranks.
struct RunCommunication {
  std::vector<analysis::communication::RankFacts> ranks;
  analysis::communication::Matching matching;
  analysis::communication::Clocks clocks;
  /// By rank and call: the index in `matching.calls`; -1: not matched.
  std::vector<std::vector<std::int64_t>> call_of;
};

/// Events of all ranks of one run.
class RunEvents {
 public:
  explicit RunEvents(std::shared_ptr<const std::vector<analysis::iterations::RankContext>> ranks)
      : ranks_(std::move(ranks)) {}
  std::span<const analysis::iterations::RankContext> ranks() const { return *ranks_; }
  const RunCommunication& communication() const;
  const analysis::simulation::Replayer& replayer() const;

 private:
  std::shared_ptr<const std::vector<analysis::iterations::RankContext>> ranks_;
  Lazy<RunCommunication> communication_;
  Lazy<std::unique_ptr<const analysis::simulation::Replayer>> replayer_;
};

/// Events of one rank.
class RankEvents {
 public:
  RankEvents(std::shared_ptr<const RunEvents> run, std::size_t position, std::int64_t first_id);

  const RunEvents& run() const { return *run_; }
  std::size_t position() const { return position_; }
  const analysis::iterations::RankContext& rank() const { return rank_; }
  const Profile& profile() const { return *rank_.profile; }

  /// Absent if the id is invalid.
  Cell IdOf(std::uint32_t row) const { return first_id_ + row; }
  template <class Tag>
  Cell IdOf(RowId<Tag> id) const {
    return id.valid() ? IdOf(id.value) : Cell();
  }
  Cell Text(StringId id) const { return id.valid() ? Cell(profile().Name(id)) : Cell(); }
  Cell HostName(HostId op) const {
    return op.valid() ? Text(profile().host.name[op.value]) : Cell();
  }
  Cell ThreadNumber(ThreadId thread) const;
  Cell ThreadName(ThreadId thread) const;
  static Cell Iteration(std::uint32_t iteration) {
    return iteration == analysis::iterations::Iterations::kNone ? Cell()
                                                                : Cell(std::int64_t{iteration});
  }
  /// For an event of the host.
  Cell IterationAt(Ns time) const { return Iteration(rank_.iterations.AtHostTime(time)); }

  Cell ModuleOf(HostId op) const;
  /// The nearest forward operator of a range or of its enclosing ranges.
  HostId ForwardOf(HostId op) const;
  std::int32_t QueueOf(std::uint32_t device_row) const;  ///< -1: unknown.
  Ns ExposedOf(std::uint32_t device_row) const;
  double FlopsOf(std::uint32_t device_row) const;  ///< -1: unknown.
  /// Index among the rank's collectives; nullopt for other work.
  std::optional<std::uint32_t> CollectiveOf(std::uint32_t device_row) const;
  const std::vector<analysis::simulation::PathMove>& path() const;
  Ns OnPath(std::uint32_t device_row) const;
  /// The device work launched inside a host range.
  struct Launched {
    std::int64_t kernels = 0;
    Ns time = 0;
  };
  const std::vector<Launched>& launched() const;    ///< By row of the host table.
  const std::vector<std::int32_t>& depths() const;  ///< The same: how many ranges are around it.
  const std::vector<Ns>& selfs() const;             ///< The same: time without the ranges inside.

 private:
  std::shared_ptr<const RunEvents> run_;
  std::size_t position_;
  const analysis::iterations::RankContext& rank_;
  std::int64_t first_id_;
  Lazy<std::vector<StringId>> modules_;
  Lazy<std::vector<std::int32_t>> queues_, depths_;
  Lazy<analysis::iterations::WorkDivision> work_;
  Lazy<std::vector<std::uint32_t>> collectives_;
  Lazy<std::vector<analysis::simulation::PathMove>> path_;
  Lazy<std::vector<Ns>> on_path_, selfs_;
  Lazy<std::vector<Launched>> launched_;
};

/// A column of an event table and its cell function. `Source` has all events of a rank.
template <class Source>
struct EventColumn {
  ColumnSpec spec;
  Cell (*cell)(const Source& of, std::uint32_t row);
};

template <class Source>
std::vector<ColumnSpec> SpecsOf(std::span<const EventColumn<Source>> columns) {
  std::vector<ColumnSpec> specs;
  for (const EventColumn<Source>& column : columns) specs.push_back(column.spec);
  return specs;
}

/// Rows of `Source`, which has size().
template <class Source>
class EventRows : public Rows {
 public:
  EventRows(std::shared_ptr<const RankEvents> events, std::span<const EventColumn<Source>> columns)
      : source_(std::move(events)), columns_(columns) {}
  std::size_t size() const override { return source_.size(); }
  Cell At(std::size_t row, std::size_t column) const override {
    return columns_[column].cell(source_, static_cast<std::uint32_t>(row));
  }

 private:
  Source source_;
  std::span<const EventColumn<Source>> columns_;
};

/// An event table: its shape, and the function that makes the rows of a rank.
struct EventTable {
  TableShape shape;
  std::function<std::shared_ptr<const Rows>(const std::shared_ptr<const RankEvents>&)> rows;
  Capability needs = Capability::kDeviceEvents;  ///< Without it there are no rows.
};

template <class Source>
EventTable MakeEventTable(std::string_view id, std::string_view title, std::string_view doc,
                          const std::vector<ColumnSpec>& specs,
                          std::span<const EventColumn<Source>> columns, Capability needs) {
  return {{id, title, doc, Origin::kEvents, specs},
          [columns](const std::shared_ptr<const RankEvents>& events) {
            return std::make_shared<EventRows<Source>>(events, columns);
          },
          needs};
}

/// The tables of each file of tables, in the order in which they are listed.
std::vector<EventTable> DeviceEventTables();
std::vector<EventTable> HostEventTables();
std::vector<EventTable> RunEventTables();

}  // namespace profgauge::query
