#include "analysis/breakdown/idle.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/breakdown/gap_activity.h"
#include "analysis/breakdown/gap_explainer.h"
#include "analysis/breakdown/host_waits.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/time_columns.h"
#include "analysis/classify/device_spans.h"
#include "analysis/iterations/idle_walk.h"
#include "base/partition_point.h"
#include "knowledge/launches.h"
#include "knowledge/profiler.h"

namespace profgauge::analysis::breakdown {
namespace {

// The table holds at most this many gaps, the longest ones; the metrics include all gaps.
constexpr std::size_t kGapsInTable = 10'000;

struct TableRow {
  std::size_t rank = 0;
  std::int32_t gpu = -1;
  IdleGap gap;
};

bool IsLonger(const TableRow& a, const TableRow& b) {
  if (a.gap.time.length() != b.gap.time.length()) {
    return a.gap.time.length() > b.gap.time.length();
  }
  return std::tie(a.rank, a.gpu, a.gap.time.start) < std::tie(b.rank, b.gpu, b.gap.time.start);
}

// Keeps the longest gaps: up to twice as many are stored before the shorter half is removed. One
// comparison with `left_out_` rejects most later gaps of a long profile.
class LongestGaps {
 public:
  void Add(const TableRow& row) {
    ++all_;
    if (left_out_ && !IsLonger(row, *left_out_)) return;
    rows_.push_back(row);
    if (rows_.size() >= 2 * kGapsInTable) Cut();
  }
  std::size_t all() const { return all_; }
  /// The longest first.
  std::vector<TableRow> Take() {
    Cut();
    std::sort(rows_.begin(), rows_.end(), IsLonger);
    return std::move(rows_);
  }

 private:
  void Cut() {
    if (rows_.size() <= kGapsInTable) return;
    std::nth_element(rows_.begin(), rows_.begin() + kGapsInTable, rows_.end(), IsLonger);
    left_out_ = rows_[kGapsInTable];
    rows_.resize(kGapsInTable);
  }
  std::vector<TableRow> rows_;
  std::size_t all_ = 0;               // Added ones.
  std::optional<TableRow> left_out_;  // The longest removed row.
};

// The thread that launched the work after a gap, or else the work before it.
ThreadId LaunchingThread(const Profile& profile, const IdleGap& gap) {
  for (const DeviceId event : {gap.after, gap.before}) {
    if (!event.valid()) continue;
    const ApiId launch = profile.device.launch[event.value];
    if (launch.valid()) return profile.api.thread[launch.value];
  }
  return {};
}

// Data of a rank that are read only if one of its gaps is among the longest.
struct HostOfGaps {
  explicit HostOfGaps(const iterations::RankContext& rank)
      : activities(rank), calls(*rank.profile) {}
  GapActivities activities;
  HoldingCalls calls;
};

// Writes a row for each gap. HostOfGaps is built at a rank's first gap: ranks without a long gap
// never read their Python frames.
void FillTable(std::span<const iterations::RankContext> ranks, const std::vector<TableRow>& rows,
               Table& table) {
  std::vector<std::unique_ptr<HostOfGaps>> hosts(ranks.size());
  classify::HostWorkByName works;
  catalog::RowWriter<catalog::columns::kGaps> write(table);
  for (const TableRow& row : rows) {
    const iterations::RankContext& rank = ranks[row.rank];
    const Profile& profile = *rank.profile;
    const auto device_name = [&](DeviceId id) {
      return id.valid() ? profile.Name(profile.device.name[id.value]) : std::string_view{};
    };
    const std::uint32_t iteration = rank.iterations.AtTime(row.gap.time.start);
    const HostId op = row.gap.after.valid() ? profile.device.op[row.gap.after.value] : HostId{};
    if (hosts[row.rank] == nullptr) hosts[row.rank] = std::make_unique<HostOfGaps>(rank);
    HostOfGaps& host = *hosts[row.rank];
    const IdleCause cause = row.gap.main_cause();
    ThreadId thread = LaunchingThread(profile, row.gap);
    ApiId call;
    if (cause == IdleCause::kQueued) {
      // Queued work needs no host: uses the thread of the call that held the gap, if there is one.
      call = host.calls.Over(row.gap.time);
      if (call.valid()) thread = profile.api.thread[call.value];
    } else if (cause == IdleCause::kMemoryManagement || cause == IdleCause::kLaunchLatency) {
      call = CallOver(profile, row.gap.time, thread);  // The cause is a call.
    }
    const GapActivity doing = host.activities.Of(row.gap.time, thread);
    const HostWork& category =
        cause == IdleCause::kModuleLoading ? kFirstUse : CategoryOf(doing, works);
    write.Integer("rank"_col, rank.rank)
        .Integer("gpu"_col, row.gpu)
        .Integer("start"_col, row.gap.time.start)
        .Integer("duration"_col, row.gap.time.length())
        .Text("cause"_col, InfoOf(cause).title)
        .IntegerIf("iteration"_col, iteration != iterations::Iterations::kNone, iteration)
        .Text("before"_col, device_name(row.gap.before))
        .Text("after"_col, device_name(row.gap.after))
        .Text("op"_col, op.valid() ? profile.Name(profile.host.name[op.value]) : std::string_view{})
        .Text("doing"_col, doing.innermost)
        .Text("within"_col, doing.outermost)
        .Text("call"_col,
              call.valid() ? profile.Name(profile.api.name[call.value]) : std::string_view{})
        .Text("category"_col, category.title);
  }
}

}  // namespace

IdleCause IdleGap::main_cause() const {
  const auto largest = std::max_element(causes.begin(), causes.end());
  return static_cast<IdleCause>(largest - causes.begin());
}

namespace {

// Finds the last work to end before a gap, and the work that ends it. Rows come by start.
//
// Clocks with whole microseconds record short kernels with length 0. Such a row may be inside a gap
// or at its edge. VisitIdle(), which sees only time, does not end the gap there. At an edge the row
// is the neighbor, as it was launched there:
//
//   rows    |##a##|      b|##c##|      b has no length and starts with c
//   gap           |=======|            before: a    after: b, the first to start at the gap's end
class GapEdges {
 public:
  explicit GapEdges(const DeviceTable& device) : device_(device) {}

  void Pass(std::uint32_t row) {
    if (device_.duration[row] > 0) return End(row);
    // Beside other work, it neither ends last nor ends a gap.
    const bool is_beside = latest_.valid() && device_.start[row] < latest_end_;
    if (!is_beside) empty_.push_back(row);
  }
  /// Returns the gap `idle`, the observed part of the range `whole` that `row` ends, with the work
  /// around it. REQUIRES: gaps come in order, each after the rows before it.
  IdleGap Between(Span idle, Span whole, std::uint32_t row) {
    for (; next_ < empty_.size() && device_.start[empty_[next_]] < whole.end; ++next_) {
      // Events of length 0 inside the gap do not end it.
      if (device_.start[empty_[next_]] <= whole.start) End(empty_[next_]);
    }
    IdleGap gap;
    gap.time = idle;
    gap.whole = whole;
    gap.before = latest_;
    gap.after = DeviceId{next_ < empty_.size() ? empty_[next_] : row};
    if (next_ < empty_.size()) return gap;
    empty_.clear();
    next_ = 0;
    return gap;
  }

 private:
  void End(std::uint32_t row) {
    const Ns end = device_.start[row] + device_.duration[row];
    if (latest_.valid() && end < latest_end_) return;
    latest_ = DeviceId{row};
    latest_end_ = end;
  }

  const DeviceTable& device_;
  DeviceId latest_;
  Ns latest_end_ = 0;
  std::vector<std::uint32_t> empty_;  // Rows of length 0; from next_ on, not yet assigned to a gap.
  std::size_t next_ = 0;
};

}  // namespace

// A GPU without any row is idle throughout: one gap for each observed part.
void VisitGaps(const iterations::RankContext& rank, const iterations::GpuUse& use,
               const std::function<void(const IdleGap&)>& visit) {
  const DeviceTable& device = rank.profile->device;
  const std::vector<Span> observed = iterations::ObservedOf(rank.window(), rank.unobserved);
  const classify::DeviceRows rows = classify::RowsOfGpu(device, use.gpu);
  if (rows.begin == rows.end) {
    for (const Span span : observed) visit(IdleGap{span, span, {}, {}, {}});
    return;
  }
  GapEdges edges(device);
  iterations::VisitIdle(
      device, rows, observed,
      [&](Span idle, Span whole, std::uint32_t row) { visit(edges.Between(idle, whole, row)); },
      [&](std::uint32_t row) { edges.Pass(row); });
}

std::vector<IdleGap> ExplainIdle(const iterations::RankContext& rank,
                                 const iterations::GpuUse& use) {
  std::vector<IdleGap> gaps;
  const HostWaits& waits = WaitsOf(rank);
  GapExplainer explainer(*rank.profile, waits);
  VisitGaps(rank, use, [&](const IdleGap& found) { explainer.Explain(gaps.emplace_back(found)); });
  return gaps;
}

namespace {

// Why a cause cannot be known in this profile: that part of the host was not recorded, and its time
// is in other causes. Empty if it can be known.
std::string WhyUntold(std::span<const IdleFacts> ranks, IdleCause cause,
                      const catalog::Output& out) {
  const auto any = [&](bool IdleFacts::*has) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [has](const IdleFacts& rank) { return rank.*has; });
  };
  if (cause == IdleCause::kOther) return {};
  // Whether a gap is the host's depends on the launch of the work at its end.
  if (!any(&IdleFacts::has_launches)) return out.Gap(Capability::kLaunchLinks);
  switch (cause) {
    case IdleCause::kDataLoader:
      return any(&IdleFacts::has_host) ? "" : out.Gap(Capability::kHostOps);
    case IdleCause::kSync:
    case IdleCause::kModuleLoading:
    case IdleCause::kCapture:
    case IdleCause::kMemoryManagement:
      return any(&IdleFacts::has_api)
                 ? ""
                 : "needs the host's runtime calls, which this profile does not have";
    default:
      break;
  }
  return {};
}

// Returns the time that faster launches could reduce. It is 0 before the first work of a device and
// after its last, where the host prepares and ends the program.
Ns BetweenLaunches(const IdleGap& gap) {
  if (!gap.before.valid() || !gap.after.valid()) return 0;
  return gap.causes[static_cast<std::size_t>(IdleCause::kHostWait)] +
         gap.causes[static_cast<std::size_t>(IdleCause::kLaunchLatency)];
}

// Counts rows that begin in given ranges on threads, in a table sorted by thread and start. Gaps
// come in order, so each search continues from the last one with doubling steps.
template <class Table>
class CounterInOrder {
 public:
  explicit CounterInOrder(const Table& table) : table_(table) {}

  std::size_t In(ThreadId thread, Span range) {
    MoveTo(thread, range.start);
    const std::size_t first = at_;
    MoveTo(thread, range.end);
    return at_ - first;
  }

 private:
  // Moves to the first row of the thread that begins at `time` or later.
  void MoveTo(ThreadId thread, Ns time) {
    const auto is_before = [&](std::size_t row) {
      return std::pair(table_.thread[row].value, table_.start[row]) < std::pair(thread.value, time);
    };
    std::size_t low = at_, high = at_, step = 1;
    for (; high < table_.size() && is_before(high); step *= 2) {
      low = high + 1;
      high = std::min(table_.size(), low + step);
    }
    for (; low > 0 && !is_before(low - 1); step *= 2) {
      high = low - 1;
      low -= std::min(low, step);
    }
    at_ = PartitionPoint(low, high, is_before);
  }

  const Table& table_;
  std::size_t at_ = 0;
};

// Estimates the part of a gap that the profiler may have caused. A gap without recorded host events
// is due to the program: C code that prepares a batch is as fast with a profiler as without.
class Delays {
 public:
  explicit Delays(const Profile& profile)
      : profile_(profile), host_(profile.host), calls_(profile.api), python_(profile.python) {}

  Ns In(const IdleGap& gap) {
    const ThreadId thread = LaunchingThread(profile_, gap);
    if (!thread.valid()) return 0;
    const std::size_t events =
        host_.In(thread, gap.time) + calls_.In(thread, gap.time) + python_.In(thread, gap.time);
    return std::min(gap.time.length() / 2,
                    static_cast<Ns>(events) * knowledge::kProfilerEventCost.ns());
  }

 private:
  const Profile& profile_;
  CounterInOrder<HostTable> host_;
  CounterInOrder<ApiTable> calls_;
  CounterInOrder<PythonTable> python_;
};

// Sums the gaps by cause; `visit` takes each with its GPU.
template <class Visit>
IdleFacts SumIdle(const iterations::RankContext& rank, Visit visit) {
  const Profile& profile = *rank.profile;
  IdleFacts facts;
  facts.observed = rank.window().length() - Length(rank.unobserved);
  facts.has_launches = HasLaunches(profile);
  facts.has_host = profile.host.size() > 0;
  facts.has_api = profile.api.size() > 0;
  facts.knows_delay = profile.source.framework == "pytorch";
  facts.iterations =
      static_cast<std::int64_t>(std::max<std::size_t>(rank.iterations.selected().size(), 1));
  if (facts.observed <= 0) return facts;
  const HostWaits& waits = WaitsOf(rank);
  for (const iterations::GpuUse& use : iterations::MeasureGpus(rank)) {
    std::array<Ns, kIdleCauses>& sums = facts.gpus.emplace_back();
    sums.fill(0);
    GapExplainer explainer(profile, waits);
    Delays delays(profile);
    VisitGaps(rank, use, [&](const IdleGap& found) {
      IdleGap gap = found;
      explainer.Explain(gap);
      for (std::size_t cause = 0; cause < kIdleCauses; ++cause) sums[cause] += gap.causes[cause];
      facts.between_launches += BetweenLaunches(gap);
      if (facts.knows_delay) facts.delayed += delays.In(gap);
      visit(use.gpu, gap);
    });
  }
  return facts;
}

}  // namespace

IdleFacts IdleFactsOf(const iterations::RankContext& rank) {
  return SumIdle(rank, [](std::int32_t, const IdleGap&) {});
}

// Averages the shares of the GPUs, since ranks differ in their observed time.
void SetIdleCauses(std::span<const IdleFacts> ranks, catalog::Output& out) {
  std::array<double, kIdleCauses> shares{};
  std::size_t gpus = 0;
  double between = 0;
  double delayed = 0;
  bool knows_delay = !ranks.empty();
  for (const IdleFacts& rank : ranks) {
    gpus += rank.gpus.size();
    delayed += static_cast<double>(rank.delayed) / static_cast<double>(rank.iterations);
    knows_delay = knows_delay && rank.knows_delay;
    if (rank.observed > 0) {
      between += static_cast<double>(rank.between_launches) / static_cast<double>(rank.observed);
    }
    for (const auto& sums : rank.gpus) {
      for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
        shares[cause] += static_cast<double>(sums[cause]) / static_cast<double>(rank.observed);
      }
    }
  }
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
    const MetricId id = kIdleCauseInfo[cause].metric;
    const std::string untold = WhyUntold(ranks, static_cast<IdleCause>(cause), out);
    if (gpus == 0) {
      out.SetAbsent(id, out.Gap(Capability::kDeviceEvents));
    } else if (!untold.empty() && shares[cause] == 0) {
      out.SetAbsent(id, untold);
    } else {
      out.Set(id, shares[cause] / static_cast<double>(gpus));
    }
  }
  if (gpus == 0) {
    out.SetAbsent(metric::kProfilerDelayTime, out.Gap(Capability::kDeviceEvents));
  } else if (!knows_delay) {
    out.SetAbsent(metric::kProfilerDelayTime,
                  "the cost of an event is known only for PyTorch's profiler");
  } else {
    out.Set(metric::kProfilerDelayTime,
            static_cast<std::int64_t>(std::llround(delayed / static_cast<double>(gpus))));
  }
  const std::string unknown =
      gpus == 0 ? out.Gap(Capability::kDeviceEvents) : WhyUntold(ranks, IdleCause::kHostWait, out);
  if (unknown.empty()) {
    out.Set(metric::kLaunchWaitShare, between / static_cast<double>(gpus));
  } else {
    out.SetAbsent(metric::kLaunchWaitShare, unknown);
  }
}

void AddIdle(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::vector<IdleFacts> facts;
  LongestGaps longest;
  bool any = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    facts.push_back(SumIdle(ranks[i], [&](std::int32_t gpu, const IdleGap& gap) {
      longest.Add({i, gpu, gap});
    }));
    any = any || !facts.back().gpus.empty();
  }
  SetIdleCauses(facts, out);
  if (any) {
    FillTable(ranks, longest.Take(), out.AddTable("gaps"));
    out.RemarkCut("gaps", longest.all(), "longest");
  } else {
    out.SetTableAbsent("gaps", out.Gap(Capability::kDeviceEvents));
  }
}

}  // namespace profgauge::analysis::breakdown
