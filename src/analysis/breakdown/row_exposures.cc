#include "analysis/breakdown/row_exposures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/breakdown/idle.h"
#include "analysis/classify/device_spans.h"
#include "base/format.h"

namespace profgauge::analysis::breakdown {
namespace {

constexpr std::uint32_t kNoRow = catalog::Output::kNoRow;

// Tables whose rows represent work of the device.
constexpr std::array<std::string_view, 5> kWorkTables = {"kernels_by_op", "memcpys", "collectives",
                                                         "tensor_core_ops", "roofline"};

// While more events than this run concurrently, their time is assigned to none of them. This only
// lowers the bound, and limits the cost of hostile files. A remark states how much time that is.
constexpr std::size_t kMostAtOnce = 64;
// The time of further combinations of rows is assigned to no row, either.
constexpr std::size_t kMostShared = 200'000;
// Limits visits of calls beside gaps: normal profiles visit each a few times, once per idle device.
constexpr std::size_t kVisitsPerRow = 64, kLeastVisits = 4'000'000;

using Rows = std::vector<std::uint32_t>;

void MakeUnique(Rows& rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

// Sums time by the set of rows that share it.
class PartSums {
 public:
  void Add(std::uint32_t row, Ns time) {
    if (time <= 0) return;
    if (row >= single_.size()) single_.resize(row + std::size_t{1}, 0);
    if (single_[row] == 0) touched_.push_back(row);
    single_[row] += time;
  }
  /// Adds time of two rows, in any order.
  void Add(std::uint32_t a, std::uint32_t b, Ns time) {
    if (a == b) return Add(a, time);
    AddShared(std::uint64_t{std::min(a, b)} << 32 | std::max(a, b), time, pairs_);
  }
  /// `rows`: sorted and unique.
  void Add(const Rows& rows, Ns time) {
    if (rows.empty()) return;
    if (rows.size() == 1) return Add(rows.front(), time);
    if (rows.size() == 2) return Add(rows.front(), rows.back(), time);
    AddShared(rows, time, shared_);
  }
  /// Time that belongs to rows, and is not assigned to them.
  void Lose(Ns time) { lost_ += time; }
  Ns lost() const { return lost_; }
  /// Returns the sums and clears them. The cost depends only on the rows with sums.
  std::vector<catalog::Exposure::Part> Take() {
    std::vector<catalog::Exposure::Part> parts;
    std::sort(touched_.begin(), touched_.end());
    for (const std::uint32_t row : touched_) {
      parts.push_back({{row}, single_[row]});
      single_[row] = 0;
    }
    touched_.clear();
    const std::size_t singles = parts.size();
    for (auto& [rows, time] : shared_) parts.push_back({rows, time});
    for (const auto& [pair, time] : pairs_) {
      parts.push_back(
          {{static_cast<std::uint32_t>(pair >> 32), static_cast<std::uint32_t>(pair)}, time});
    }
    std::sort(parts.begin() + static_cast<std::ptrdiff_t>(singles), parts.end(),
              [](const catalog::Exposure::Part& a, const catalog::Exposure::Part& b) {
                return a.rows < b.rows;
              });
    shared_ = {};
    pairs_ = {};
    return parts;
  }

 private:
  template <class Key, class Map>
  void AddShared(const Key& key, Ns time, Map& sums) {
    const auto found = sums.find(key);
    if (found != sums.end()) {
      found->second += time;
    } else if (shared_.size() + pairs_.size() < kMostShared) {
      sums.emplace(key, time);
    } else {
      Lose(time);
    }
  }

  std::vector<Ns> single_;
  Ns lost_ = 0;
  Rows touched_;
  boost::unordered_flat_map<std::uint64_t, Ns> pairs_;  // By the lower row, then the higher.
  boost::unordered_flat_map<Rows, Ns, boost::hash<Rows>> shared_;  // For three or more rows.
};

// Calls `visit(span, items, is_crowded)` for every span in which the same items run. If it is
// crowded, more run than the kMostAtOnce that `items` contains. `for_each(take)` calls `take(item)`
// with each in the order of their starts.
template <class ForEach, class SpanOf, class Visit>
void Sweep(ForEach for_each, SpanOf span_of, Visit visit) {
  Rows active;
  Ns at = std::numeric_limits<Ns>::min();
  Ns crowded_until = at;
  const auto run_to = [&](Ns to) {
    while (!active.empty() && at < to) {
      Ns next = to;
      for (const std::uint32_t item : active) next = std::min(next, span_of(item).end);
      const Ns from = std::clamp(crowded_until, at, next);
      if (from > at) visit(Span{at, from}, active, true);
      if (next > from) visit(Span{from, next}, active, false);
      at = next;
      std::erase_if(active, [&](std::uint32_t item) { return span_of(item).end <= at; });
    }
    at = std::max(at, to);
  };
  for_each([&](std::uint32_t item) {
    const Span span = span_of(item);
    if (span.end <= span.start) return;
    run_to(span.start);
    if (active.size() < kMostAtOnce) {
      active.push_back(item);
    } else {
      crowded_until = std::max(crowded_until, span.end);
    }
  });
  run_to(std::numeric_limits<Ns>::max());
}

// Maps names of a profile to rows of a table.
Rows RowsOfNames(const Profile& profile, const Table* table) {
  Rows rows(profile.strings.size(), kNoRow);
  if (table == nullptr) return rows;
  boost::unordered_flat_map<std::string_view, std::uint32_t> known;
  const Column& names = *table->Find("name");
  for (std::size_t row = 0; row < names.size(); ++row) {
    if (!names.IsAbsentAt(row)) {
      known.emplace(table->strings()[names.TextAt(row)], static_cast<std::uint32_t>(row));
    }
  }
  for (std::uint32_t id = 0; id < rows.size(); ++id) {
    const auto found = known.find(profile.strings[StringId{id}]);
    if (found != known.end()) rows[id] = found->second;
  }
  return rows;
}

std::uint32_t RowOf(const Rows& rows, StringId name) {
  return name.valid() && name.value < rows.size() ? rows[name.value] : kNoRow;
}

Span SpanOfCall(const ApiTable& api, std::uint32_t call) {
  return {api.start[call], api.start[call] + std::max<Ns>(api.duration[call], 0)};
}

// Finds the calls on all threads that touch each gap. Gaps come in order.
class CallsOfGaps {
 public:
  explicit CallsOfGaps(const ApiTable& api)
      : api_(api), visits_left_(kLeastVisits + kVisitsPerRow * api.size()) {
    for (std::uint32_t call = 0; call < api.size(); ++call) {
      const bool new_thread = call == 0 || api.thread[call] != api.thread[call - 1];
      if (new_thread) all_.push_back({call, call});
      all_.back().end = call + 1;
    }
  }
  /// Starts again with the first gap, for another device.
  void Restart() {
    if (Spend(all_.size())) threads_ = all_;
    begun_.clear();
  }
  bool is_spent() const { return visits_left_ == 0; }
  /// The gap's calls by start; none after too many visits. REQUIRES: gaps come in order.
  const Rows& In(Span gap) {
    calls_.clear();
    if (!Spend(threads_.size())) return calls_;
    std::erase_if(begun_, [&](std::uint32_t call) { return EndOf(call) <= gap.start; });
    for (Range& thread : threads_) {
      for (; thread.begin < thread.end && api_.start[thread.begin] < gap.end; ++thread.begin) {
        if (EndOf(thread.begin) > gap.start) begun_.push_back(thread.begin);
      }
    }
    calls_ = begun_;
    std::sort(calls_.begin(), calls_.end(), [this](std::uint32_t a, std::uint32_t b) {
      return std::pair(api_.start[a], a) < std::pair(api_.start[b], b);
    });
    if (!Spend(calls_.size() * 8)) calls_.clear();  // Sorted here, then swept by the caller.
    return calls_;
  }

 private:
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };
  Ns EndOf(std::uint32_t call) const { return SpanOfCall(api_, call).end; }
  bool Spend(std::size_t visits) {
    visits_left_ -= std::min(visits_left_, visits);
    return visits_left_ > 0;
  }
  const ApiTable& api_;
  std::size_t visits_left_;
  std::vector<Range> all_, threads_;
  Rows begun_;  // Calls that may touch a later gap; calls around many others delay none.
  Rows calls_;
};

// Computes the exposures of one GPU.
class DeviceSweep {
 public:
  DeviceSweep(const iterations::RankContext& rank, std::size_t position, catalog::Output& out)
      : rank_(rank),
        profile_(*rank.profile),
        calls_(profile_.api),
        call_rows_(RowsOfNames(profile_, out.Added("api_calls"))),
        op_rows_(RowsOfNames(profile_, out.Added("ops"))) {
    for (const std::string_view table : kWorkTables) {
      const Rows& rows = out.RowsOfDevice(table, position);
      if (!rows.empty()) work_.push_back({table, &rows, {}, {}});
    }
  }

  void Run(const iterations::GpuUse& use) {
    SweepWork(use.gpu);
    calls_.Restart();
    VisitGaps(rank_, use, [&](const IdleGap& gap) {
      AddNeighbours(gap);
      const Rows& touching = calls_.In(gap.time);
      AddCalls(gap.time, touching);
      AddOps(gap, touching);
    });
  }

  /// The time that is not assigned, by table. Only of tables that the run has: ranges of the user
  /// may be nested where no operator was recorded.
  void CountLost(const catalog::Output& out, std::map<std::string_view, Ns>& lost) const {
    const auto count = [&](std::string_view table, Ns time) {
      if (out.Added(table) != nullptr) lost[table] += time;
    };
    for (const WorkTable& table : work_) count(table.id, table.alone.lost() + table.gaps.lost());
    count("api_calls", blocked_.lost() + call_gaps_.lost());
    count("ops", op_gaps_.lost());
  }

  /// Moves the results to `exposures`, by table, and is then ready for the next GPU.
  void MoveTo(std::map<std::string_view, catalog::Exposure>& exposures) {
    const auto iterations = static_cast<std::int64_t>(rank_.iterations.selected().size());
    for (WorkTable& table : work_) {
      exposures[table.id].devices.push_back(
          {iterations, table.alone.Take(), {}, table.gaps.Take()});
    }
    exposures["api_calls"].devices.push_back({iterations, {}, blocked_.Take(), call_gaps_.Take()});
    exposures["ops"].has_work = false;
    exposures["ops"].devices.push_back({iterations, {}, {}, op_gaps_.Take()});
  }

 private:
  struct WorkTable {
    std::string_view id;
    const Rows* rows;
    PartSums alone, gaps;
  };

  bool IsSelected(std::uint32_t event) const {
    const std::uint32_t iteration = rank_.iterations.of_device[event];
    return iteration != iterations::Iterations::kNone &&
           rank_.iterations.SelectsIteration(iteration);
  }

  void SweepWork(std::int32_t gpu) {
    const DeviceTable& device = profile_.device;
    const auto by_start = [&](auto take) {
      classify::VisitByStart(device, classify::RowsOfGpu(device, gpu), take);
    };
    const auto span_of = [&](std::uint32_t event) {
      return Span{device.start[event], device.start[event] + device.duration[event]};
    };
    const bool is_marked = !rank_.iterations.is_whole;
    Sweep(by_start, span_of, [&](Span span, const Rows& active, bool is_crowded) {
      if (is_marked && span.start >= rank_.window().end) return;
      if (!std::all_of(active.begin(), active.end(),
                       [this](std::uint32_t event) { return IsSelected(event); })) {
        return;
      }
      if (is_crowded) {
        for (WorkTable& table : work_) table.alone.Lose(span.length());
        return;
      }
      const Rows& work = WithoutWaits(active);
      for (WorkTable& table : work_) AddAlone(table, span, work);
      if (work.size() == 1) AddBlocked(span, work.front());
    });
  }

  // A collective beside other work does not hide it: it mostly waits for ranks with the same work.
  const Rows& WithoutWaits(const Rows& active) {
    computing_.clear();
    for (const std::uint32_t event : active)
      if (!rank_.classes[event].collective) computing_.push_back(event);
    return computing_.empty() ? active : computing_;
  }

  void AddAlone(WorkTable& table, Span span, const Rows& active) {
    const Rows& rows = *table.rows;
    if (active.size() == 1) {
      if (rows[active.front()] != kNoRow) table.alone.Add(rows[active.front()], span.length());
      return;
    }
    sharing_.clear();
    for (const std::uint32_t event : active) {
      if (rows[event] == kNoRow) return;  // Other work runs at the same time.
      sharing_.push_back(rows[event]);
    }
    MakeUnique(sharing_);
    table.alone.Add(sharing_, span.length());
  }

  // Adds a call that is still running while the device only runs work that it launched.
  void AddBlocked(Span span, std::uint32_t event) {
    const ApiId call = profile_.device.launch[event];
    if (!call.valid()) return;
    const std::uint32_t row = RowOf(call_rows_, profile_.api.name[call.value]);
    if (row == kNoRow) return;
    const Span time = SpanOfCall(profile_.api, call.value);
    const Ns both = std::min(time.end, span.end) - std::max(time.start, span.start);
    if (both > 0) blocked_.Add(row, both);
  }

  void AddNeighbours(const IdleGap& gap) {
    for (WorkTable& table : work_) {
      const auto row_of = [&table](DeviceId event) {
        return event.valid() ? (*table.rows)[event.value] : kNoRow;
      };
      const std::uint32_t before = row_of(gap.before), after = row_of(gap.after);
      if (before != kNoRow && after != kNoRow) {
        table.gaps.Add(before, after, gap.time.length());
      } else if (before != kNoRow || after != kNoRow) {
        table.gaps.Add(before != kNoRow ? before : after, gap.time.length());
      }
    }
  }

  void AddCalls(Span gap, const Rows& calls) {
    const ApiTable& api = profile_.api;
    const auto span_of = [&](std::uint32_t call) {
      const Span span = SpanOfCall(api, call);
      return Span{std::max(span.start, gap.start), std::min(span.end, gap.end)};
    };
    const auto rows_of = [&](const Rows& some) {
      sharing_.clear();
      for (const std::uint32_t call : some) {
        const std::uint32_t row = RowOf(call_rows_, api.name[call]);
        if (row != kNoRow) sharing_.push_back(row);
      }
      MakeUnique(sharing_);
    };
    const auto by_start = [&calls](auto take) { std::ranges::for_each(calls, take); };
    Sweep(by_start, span_of, [&](Span span, const Rows& active, bool is_crowded) {
      if (is_crowded) return blocked_.Lose(span.length());
      rows_of(active);
      blocked_.Add(sharing_, span.length());
    });
    rows_of(calls);
    if (calls_.is_spent()) call_gaps_.Lose(gap.length());
    call_gaps_.Add(sharing_, gap.length());
  }

  // Adds the operators that launched the work after the gap, or made a call that may wait in it.
  void AddOps(const IdleGap& gap, const Rows& calls) {
    const ApiTable& api = profile_.api;
    sharing_.clear();
    is_cut_ = false;
    if (gap.after.valid()) {
      const HostId op = profile_.device.op[gap.after.value];
      AddOpChain(op);
      const ApiId launch = profile_.device.launch[gap.after.value];
      if (launch.valid() && api.op[launch.value] != op) AddOpChain(api.op[launch.value]);
    }
    for (const std::uint32_t call : calls) {
      if (api.kind[call] == ApiKind::kSync || api.kind[call] == ApiKind::kMemcpy) {
        AddOpChain(api.op[call]);
      }
    }
    MakeUnique(sharing_);
    if (is_cut_) op_gaps_.Lose(gap.time.length());
    op_gaps_.Add(sharing_, gap.time.length());
  }

  void AddOpChain(HostId op) {
    // Parents are nested like the program's calls; deeper chains come from broken files.
    for (std::size_t depth = 0; op.valid() && depth < kMostAtOnce; ++depth) {
      const std::uint32_t row = RowOf(op_rows_, profile_.host.name[op.value]);
      if (row != kNoRow) sharing_.push_back(row);
      op = profile_.host.parent[op.value];
    }
    is_cut_ = is_cut_ || op.valid();
  }

  const iterations::RankContext& rank_;
  const Profile& profile_;
  CallsOfGaps calls_;
  Rows call_rows_, op_rows_;
  std::vector<WorkTable> work_;
  PartSums blocked_, call_gaps_, op_gaps_;
  Rows sharing_, computing_;  // Scratch.
  bool is_cut_ = false;       // The chain of the gap's operators is deeper than was looked at.
};

}  // namespace

void AddExposures(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::map<std::string_view, catalog::Exposure> exposures;
  std::map<std::string_view, Ns> lost;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].window().length() <= 0) continue;
    DeviceSweep sweep(ranks[i], i, out);
    for (const iterations::GpuUse& use : iterations::MeasureGpus(ranks[i])) {
      sweep.Run(use);
      sweep.MoveTo(exposures);
    }
    sweep.CountLost(out, lost);
  }
  const auto most =
      std::ranges::max_element(lost, {}, &std::pair<const std::string_view, Ns>::second);
  if (most != lost.end() && most->second > 0) {
    out.AddRemark(
        "savings-capped",
        fmt::format("{} with over {} concurrent or nested events, or over {} combinations of "
                    "rows, is assigned to no row of the table \"{}\": savings by its rows "
                    "may be bounded too low",
                    FormatDuration(static_cast<double>(most->second)), kMostAtOnce, kMostShared,
                    out.Added(most->first)->title()));
  }
  for (auto& [table, exposure] : exposures) out.SetExposure(table, std::move(exposure));
}

}  // namespace profgauge::analysis::breakdown
