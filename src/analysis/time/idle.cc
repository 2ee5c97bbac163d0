#include "analysis/time/idle.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/classify/device_spans.h"
#include "analysis/tables/row_writer.h"
#include "analysis/tables/time_columns.h"
#include "analysis/time/gap_activity.h"
#include "analysis/time/host_waits.h"
#include "model/permute.h"

namespace profgauge {
namespace {

// Work that starts within this time after its launch is on the normal way to the device.
constexpr Ns kNormalLatency = 30'000;

// The table holds at most this many gaps, the longest; the metrics count all of them.
constexpr std::size_t kGapsInTable = 10'000;

std::size_t Index(IdleCause cause) { return static_cast<std::size_t>(cause); }

// Moves what `list` covers out of `rest` and returns its length.
Ns Take(std::vector<Span>& rest, std::span<const Span> list) {
  if (rest.empty()) return 0;
  const auto near = Near(list, {rest.front().start, rest.back().end});
  if (near.empty()) return 0;
  const Ns before = Length(rest);
  rest = Subtract(rest, near);
  return before - Length(rest);
}

// For how long a synchronizing call had held the thread when the gap began; 0 without one.
Ns HeldAt(const std::vector<Span>& sync, Ns at) {
  const auto near = Near(sync, {at, at + 1});
  return near.empty() ? 0 : std::max<Ns>(0, at - near.front().start);
}

// Waits that end before the launch have drained the queue; one that goes on waits for the launch.
std::vector<Span> EndedIn(const std::vector<Span>& waits, Span part) {
  std::vector<Span> ended;
  for (const Span span : Near(waits, part)) {
    if (span.end <= part.end) ended.push_back(span);
  }
  return ended;
}

void SplitHostPart(Span part, const HostWaits& waits, ThreadId launching, IdleGap& gap) {
  if (part.end <= part.start) return;
  std::vector<Span> rest = {part};
  gap.causes[Index(IdleCause::kDataLoader)] += Take(rest, waits.data_loader);
  const IdleCause remainder = waits.knows_launches ? IdleCause::kHostWait : IdleCause::kOther;
  Ns drained = 0;
  if (launching.value < waits.threads.size()) {
    const ThreadWaits& thread = waits.threads[launching.value];
    gap.causes[Index(IdleCause::kModuleLoading)] += Take(rest, thread.loading);
    gap.causes[Index(IdleCause::kMemoryManagement)] += Take(rest, thread.memory);
    // XLA launches from threads that say nothing of themselves, for others that allocate.
    if (!thread.has_ranges) {
      gap.causes[Index(IdleCause::kMemoryManagement)] += Take(rest, waits.allocator);
    }
    drained = HeldAt(thread.sync, part.start);
    gap.causes[Index(IdleCause::kSync)] += Take(rest, thread.sync);
  }
  const std::vector<Span> ready = EndedIn(waits.ready, part);
  drained = std::max(drained, HeldAt(ready, part.start));
  gap.causes[Index(IdleCause::kSync)] += Take(rest, ready);
  // The host would be as much further as the call has held it, and no more than that.
  drained = std::min(drained, Length(rest));
  gap.causes[Index(IdleCause::kSync)] += drained;
  gap.causes[Index(remainder)] += Length(rest) - drained;
}

// The call that launched the work which ends a gap.
struct LaunchCall {
  Span time;
  ApiKind kind = ApiKind::kOther;
  const ThreadWaits* thread = nullptr;
};

// The part after the launch call began.
void SplitDevicePart(Span part, const LaunchCall& launch, IdleGap& gap) {
  if (part.end <= part.start) return;
  const Ns call_end = std::clamp(launch.time.end, part.start, part.end);
  std::vector<Span> in_call;
  if (call_end > part.start) in_call.push_back({part.start, call_end});
  if (launch.thread != nullptr) {
    gap.causes[Index(IdleCause::kModuleLoading)] += Take(in_call, launch.thread->loading);
  }
  // A copy that was called while earlier work ran has waited for it.
  const bool has_waited =
      launch.kind == ApiKind::kMemcpy && launch.time.start < gap.time.start && gap.before.valid();
  gap.causes[Index(has_waited ? IdleCause::kSync : IdleCause::kLaunchLatency)] += Length(in_call);
  const Ns rest = part.end - call_end;
  gap.causes[Index(rest < kNormalLatency ? IdleCause::kLaunchLatency : IdleCause::kOther)] += rest;
}

bool IsMigration(const DeviceTable& device, DeviceId event) {
  return device.host_memory[event.value] == HostMemory::kManaged;
}

void Explain(const Profile& profile, const HostWaits& waits, IdleGap& gap) {
  const DeviceTable& device = profile.device;
  const ApiTable& api = profile.api;
  if (!gap.after.valid()) {
    ThreadId thread;
    if (gap.before.valid() && device.launch[gap.before.value].valid()) {
      thread = api.thread[device.launch[gap.before.value].value];
    }
    SplitHostPart(gap.time, waits, thread, gap);
    return;
  }
  const ApiId launch = device.launch[gap.after.value];
  if (!launch.valid()) {
    // Between pages that the driver moves, the host works on them.
    const bool faults =
        gap.before.valid() && IsMigration(device, gap.before) && IsMigration(device, gap.after);
    gap.causes[Index(faults ? IdleCause::kHostWait : IdleCause::kOther)] += gap.time.length();
    return;
  }
  const Ns begin = std::clamp(api.start[launch.value], gap.time.start, gap.time.end);
  SplitHostPart({gap.time.start, begin}, waits, api.thread[launch.value], gap);
  LaunchCall call;
  call.time = {api.start[launch.value],
               api.start[launch.value] + std::max<Ns>(api.duration[launch.value], 0)};
  call.kind = api.kind[launch.value];
  if (api.thread[launch.value].value < waits.threads.size()) {
    call.thread = &waits.threads[api.thread[launch.value].value];
  }
  SplitDevicePart({begin, gap.time.end}, call, gap);
}

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

// The longest gaps of all that were added.
class LongestGaps {
 public:
  void Add(const TableRow& row) {
    rows_.push_back(row);
    if (rows_.size() >= 2 * kGapsInTable) Cut();
  }
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
    rows_.resize(kGapsInTable);
  }
  std::vector<TableRow> rows_;
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

void FillTable(std::span<const RankContext> ranks, const std::vector<TableRow>& rows,
               Table& table) {
  std::vector<std::unique_ptr<GapActivities>> activities(ranks.size());
  RowWriter<columns::kGaps> write(table);
  for (const TableRow& row : rows) {
    const RankContext& rank = ranks[row.rank];
    const Profile& profile = *rank.profile;
    const auto device_name = [&](DeviceId id) {
      return id.valid() ? profile.Name(profile.device.name[id.value]) : std::string_view{};
    };
    const std::uint32_t iteration = rank.iterations.AtTime(row.gap.time.start);
    const HostId op = row.gap.after.valid() ? profile.device.op[row.gap.after.value] : HostId{};
    if (activities[row.rank] == nullptr) {
      activities[row.rank] = std::make_unique<GapActivities>(rank);
    }
    const GapActivity doing =
        activities[row.rank]->Of(row.gap.time, LaunchingThread(profile, row.gap));
    write.Integer("rank"_col, rank.rank)
        .Integer("gpu"_col, row.gpu)
        .Integer("start"_col, row.gap.time.start)
        .Integer("duration"_col, row.gap.time.length())
        .Text("cause"_col, InfoOf(row.gap.main_cause()).title)
        .IntegerIf("iteration"_col, iteration != Iterations::kNone, iteration)
        .Text("before"_col, device_name(row.gap.before))
        .Text("after"_col, device_name(row.gap.after))
        .Text("op"_col, op.valid() ? profile.Name(profile.host.name[op.value]) : std::string_view{})
        .Text("doing"_col, doing.innermost)
        .Text("within"_col, doing.outermost);
  }
}

}  // namespace

IdleCause IdleGap::main_cause() const {
  const auto largest = std::max_element(causes.begin(), causes.end());
  return static_cast<IdleCause>(largest - causes.begin());
}

std::vector<std::uint32_t> RowsByStart(const DeviceTable& device, std::int32_t gpu) {
  const DeviceRows of_gpu = RowsOfGpu(device, gpu);
  const std::uint32_t begin = of_gpu.begin;
  // Each stream has its events in order already.
  std::vector<std::uint32_t> rows =
      SortedRows(of_gpu.end - begin, [&](std::uint32_t a, std::uint32_t b) {
        return device.start[begin + a] < device.start[begin + b];
      });
  if (rows.empty()) {
    rows.resize(of_gpu.end - begin);
    std::iota(rows.begin(), rows.end(), begin);
  } else {
    for (std::uint32_t& row : rows) row += begin;
  }
  return rows;
}

void VisitGaps(const RankContext& rank, const GpuUse& use,
               const std::function<void(const IdleGap&)>& visit) {
  const DeviceTable& device = rank.profile->device;
  const std::vector<std::uint32_t> rows = RowsByStart(device, use.gpu);
  std::size_t next = 0;
  DeviceId latest;
  Ns latest_end = 0;
  VisitIdle(rank, use.gpu, [&](Span idle) {
    for (; next < rows.size() && device.start[rows[next]] < idle.end; ++next) {
      const Ns end = device.start[rows[next]] + device.duration[rows[next]];
      // Events of no length inside the gap end nothing.
      if (end > idle.start && device.start[rows[next]] >= idle.start) continue;
      if (!latest.valid() || end >= latest_end) {
        latest = DeviceId{rows[next]};
        latest_end = end;
      }
    }
    IdleGap gap;
    gap.time = idle;
    gap.before = latest;
    if (next < rows.size()) gap.after = DeviceId{rows[next]};
    visit(gap);
  });
}

std::vector<IdleGap> ExplainIdle(const RankContext& rank, const GpuUse& use) {
  std::vector<IdleGap> gaps;
  const HostWaits waits = CollectWaits(*rank.profile);
  VisitGaps(rank, use,
            [&](const IdleGap& found) { Explain(*rank.profile, waits, gaps.emplace_back(found)); });
  return gaps;
}

namespace {

// Why a recording cannot tell a cause: that part of the host was not recorded. Its idle time is
// with the other causes. Empty: it can.
std::string WhyUntold(std::span<const IdleFacts> ranks, IdleCause cause, const Output& out) {
  const auto any = [&](bool IdleFacts::*has) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [has](const IdleFacts& rank) { return rank.*has; });
  };
  switch (cause) {
    case IdleCause::kHostWait:
    case IdleCause::kLaunchLatency:
      return any(&IdleFacts::has_launches) ? "" : out.Gap(Capability::kLaunchLinks);
    case IdleCause::kDataLoader:
      return any(&IdleFacts::has_host) ? "" : out.Gap(Capability::kHostOps);
    case IdleCause::kSync:
    case IdleCause::kModuleLoading:
    case IdleCause::kMemoryManagement:
      return any(&IdleFacts::has_api)
                 ? ""
                 : "needs the host's calls of the runtime, which this recording lacks";
    case IdleCause::kOther:
      break;
  }
  return {};
}

// Sums the gaps by cause; `visit` takes each with its GPU.
template <class Visit>
IdleFacts SumIdle(const RankContext& rank, Visit visit) {
  const Profile& profile = *rank.profile;
  IdleFacts facts;
  facts.observed = rank.window().length() - Length(rank.unobserved);
  facts.has_launches = HasLaunches(profile);
  facts.has_host = profile.host.size() > 0;
  facts.has_api = profile.api.size() > 0;
  if (facts.observed <= 0) return facts;
  const HostWaits waits = CollectWaits(profile);
  for (const GpuUse& use : MeasureGpus(rank)) {
    std::array<Ns, kIdleCauses>& sums = facts.gpus.emplace_back();
    sums.fill(0);
    VisitGaps(rank, use, [&](const IdleGap& found) {
      IdleGap gap = found;
      Explain(profile, waits, gap);
      for (std::size_t cause = 0; cause < kIdleCauses; ++cause) sums[cause] += gap.causes[cause];
      visit(use.gpu, gap);
    });
  }
  return facts;
}

}  // namespace

IdleFacts IdleFactsOf(const RankContext& rank) {
  return SumIdle(rank, [](std::int32_t, const IdleGap&) {});
}

void SetIdleCauses(std::span<const IdleFacts> ranks, Output& out) {
  std::array<double, kIdleCauses> shares{};
  std::size_t gpus = 0;
  for (const IdleFacts& rank : ranks) {
    gpus += rank.gpus.size();
    for (const auto& sums : rank.gpus) {
      for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
        shares[cause] += static_cast<double>(sums[cause]) / static_cast<double>(rank.observed);
      }
    }
  }
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
    const std::string_view id = kIdleCauseInfo[cause].metric;
    const std::string untold = WhyUntold(ranks, static_cast<IdleCause>(cause), out);
    if (gpus == 0) {
      out.SetAbsent(id, out.Gap(Capability::kDeviceEvents));
    } else if (!untold.empty() && shares[cause] == 0) {
      out.SetAbsent(id, untold);
    } else {
      out.Set(id, shares[cause] / static_cast<double>(gpus));
    }
  }
}

void AddIdle(std::span<const RankContext> ranks, Output& out) {
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
  } else {
    out.SetTableAbsent("gaps", out.Gap(Capability::kDeviceEvents));
  }
}

}  // namespace profgauge
