#include "model/link.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "base/interval.h"
#include "base/parallel.h"
#include "knowledge/clocks.h"
#include "knowledge/loss.h"
#include "model/calls_by_id.h"
#include "model/lost_launches.h"
#include "model/permute.h"
#include "model/processes.h"

namespace profgauge::link {
namespace {

/// First host row of each thread; thread t's rows are [result[t], result[t + 1]).
std::vector<std::uint32_t> ThreadStarts(const Profile& profile) {
  std::vector<std::uint32_t> starts(profile.threads.size() + 1, 0);
  for (const auto thread : profile.host.thread) ++starts[thread.value + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return starts;
}

Ns End(const HostTable& host, std::uint32_t row) { return host.start[row] + host.duration[row]; }

/// The ranges open at a moment of one thread, asked in order of time.
class OpenRanges {
 public:
  OpenRanges(const Profile& profile, std::vector<std::uint32_t> starts)
      : host_(profile.host), starts_(std::move(starts)) {}

  /// Moves to `time` on `thread`. REQUIRES: called in order of (thread, time).
  void MoveTo(ThreadId thread, Ns time) {
    if (!(thread == thread_)) {
      thread_ = thread;
      open_.clear();
      next_ = starts_[thread.value];
    }
    for (; next_ < starts_[thread.value + 1] && host_.start[next_] <= time; ++next_) {
      CloseUntil(host_.start[next_]);
      open_.push_back(next_);
    }
    CloseUntil(time);
  }

  /// The innermost open range that ends at `end` or later; invalid when there is none.
  HostId Innermost(Ns end) const {
    for (auto row = open_.rbegin(); row != open_.rend(); ++row) {
      if (End(host_, *row) >= end) return HostId{*row};
    }
    return {};
  }

 private:
  void CloseUntil(Ns time) {
    while (!open_.empty() && End(host_, open_.back()) <= time) open_.pop_back();
  }

  const HostTable& host_;
  std::vector<std::uint32_t> starts_;
  ThreadId thread_;
  std::uint32_t next_ = 0;
  std::vector<std::uint32_t> open_;
};

/// Looks ranges up by external id.
class RangesById {
 public:
  RangesById(const HostTable& host, const std::vector<std::int64_t>& ids)
      : host_(host),
        ids_(ids),
        rows_(SortedRows(ids.size(), [&](auto a, auto b) { return ids[a] < ids[b]; })) {
    if (!rows_.empty()) return;
    rows_.resize(ids.size());
    std::iota(rows_.begin(), rows_.end(), 0U);
  }

  bool Knows(std::int64_t id) {
    const auto at = LowerBound(id);
    return at != rows_.end() && ids_[*at] == id;
  }

  /// The innermost range of that id on `thread` around `time`; invalid when there is none.
  HostId Find(std::int64_t id, ThreadId thread, Ns time) {
    // Some ended ranges of the same id lie before it; of an id that thousands share none is meant.
    constexpr int kMostTried = 64;
    const auto begin = LowerBound(id);
    // Rows of a thread are in order of time.
    const auto key = [this](std::uint32_t row) {
      return std::tuple(ids_[row], host_.thread[row].value, host_.start[row]);
    };
    auto at = std::upper_bound(begin, rows_.cend(), std::tuple(id, thread.value, time),
                               [&](const auto& wanted, auto row) { return wanted < key(row); });
    for (int tried = 0; tried < kMostTried && at != begin; ++tried) {
      --at;
      if (host_.thread[*at] != thread) break;
      if (time <= End(host_, *at)) return HostId{*at};
    }
    return {};
  }

 private:
  // Calls come in order of time, and so do most ids: the next one is near the one before.
  Permutation::const_iterator LowerBound(std::int64_t id) {
    const auto is_before = [&](std::uint32_t row, std::int64_t value) { return ids_[row] < value; };
    auto begin = rows_.cbegin(), end = rows_.cend();
    const auto near = begin + near_;
    if (near != end && is_before(*near, id)) {
      begin = near + 1;
      for (std::ptrdiff_t step = 1; end - begin > step; step *= 2) {
        if (!is_before(begin[step], id)) {
          end = begin + step;
          break;
        }
        begin += step;
      }
    } else {
      end = near;
    }
    const auto found = std::lower_bound(begin, end, id, is_before);
    near_ = found - rows_.cbegin();
    return found;
  }

  const HostTable& host_;
  const std::vector<std::int64_t>& ids_;
  Permutation rows_;
  std::ptrdiff_t near_ = 0;
};

/// For each host row the nearest op: itself, or the nearest enclosing one.
std::vector<HostId> NearestOps(const HostTable& host) {
  std::vector<HostId> nearest(host.size());
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] == HostKind::kOp) {
      nearest[row] = HostId{row};
    } else if (host.parent[row].valid()) {
      nearest[row] = nearest[host.parent[row].value];
    }
  }
  return nearest;
}

/// The range that starts at exactly `time`: one with a sequence number before others, else the
/// outermost. Invalid when there is none.
HostId StartingAt(const HostTable& host, std::uint32_t begin, std::uint32_t end, Ns time) {
  const auto first = host.start.begin() + begin;
  const auto found = std::lower_bound(first, host.start.begin() + end, time);
  const auto row = static_cast<std::uint32_t>(found - host.start.begin());
  for (auto at = row; at < end && host.start[at] == time; ++at) {
    if (host.sequence[at] >= 0) return HostId{at};
  }
  return row < end && host.start[row] == time ? HostId{row} : HostId{};
}

void FollowArrows(Profile& profile, std::vector<FlowRow>& flows) {
  if (flows.empty()) return;
  auto& host = profile.host;
  const auto starts = ThreadStarts(profile);
  PermuteInPlace(SortedRows(flows.size(),
                            [&](auto a, auto b) {
                              return std::pair(flows[a].id, !flows[a].forward) <
                                     std::pair(flows[b].id, !flows[b].forward);
                            }),
                 flows);
  const auto at = [&](const FlowRow& flow) {
    return StartingAt(host, starts[flow.thread.value], starts[flow.thread.value + 1], flow.time);
  };
  // For each id the forward end comes first.
  std::int64_t id = -1;
  HostId forward;
  for (const auto& flow : flows) {
    if (flow.id != id || flow.forward) {
      id = flow.id;
      forward = flow.forward ? at(flow) : HostId{};
    } else if (forward.valid()) {
      const HostId backward = at(flow);
      if (backward.valid() && backward != forward) host.forward[backward.value] = forward;
    }
  }
}

/// A forward op that ran with a sequence number. Several nested ones share it; the autograd node is
/// made by the one that starts last.
struct Forward {
  HostId op;
  bool ambiguous = false;
};

void MatchSequences(Profile& profile, const std::vector<bool>& backward) {
  auto& host = profile.host;
  if (std::find(backward.begin(), backward.end(), true) == backward.end()) return;
  boost::unordered_flat_map<std::int64_t, Forward> forwards;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (host.sequence[row] < 0 || backward[row] || host.kind[row] != HostKind::kOp) continue;
    auto& forward = forwards[host.sequence[row]];
    if (forward.op.valid() && host.thread[forward.op.value] != host.thread[row]) {
      forward.ambiguous = true;
    }
    forward.op = HostId{row};
  }
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (!backward[row] || host.sequence[row] < 0 || host.forward[row].valid()) continue;
    const auto found = forwards.find(host.sequence[row]);
    if (found == forwards.end() || found->second.ambiguous) continue;
    const auto op = found->second.op;
    if (host.start[op.value] <= host.start[row]) host.forward[row] = op;
  }
}

}  // namespace

void Parents(Profile& profile) {
  auto& host = profile.host;
  host.parent.assign(host.size(), HostId{});
  std::vector<std::uint32_t> open;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (row > 0 && host.thread[row] != host.thread[row - 1]) open.clear();
    while (!open.empty() && End(host, open.back()) <= host.start[row]) open.pop_back();
    if (!open.empty()) {
      host.parent[row] = HostId{open.back()};
      if (End(host, row) > End(host, open.back())) profile.log.Add(Counter::ranges_overlapping);
    }
    open.push_back(row);
  }
}

void CallsToRanges(Profile& profile, const std::vector<std::int64_t>& host_ids,
                   const OptionalColumn<std::int64_t, -1>& api_ids) {
  auto& api = profile.api;
  RangesById by_id(profile.host, host_ids);
  OpenRanges open(profile, ThreadStarts(profile));
  api.op.assign(api.size(), HostId{});
  for (std::uint32_t row = 0; row < api.size(); ++row) {
    open.MoveTo(api.thread[row], api.start[row]);
    if (api_ids[row] >= 0) {
      api.op[row] = by_id.Find(api_ids[row], api.thread[row], api.start[row]);
      if (api.op[row].valid()) continue;
      if (by_id.Knows(api_ids[row])) profile.log.Add(Counter::ids_not_containing_launch);
    }
    api.op[row] = open.Innermost(api.start[row] + api.duration[row] - knowledge::kClocksTick);
  }
}

namespace {

// Each copy has its row where copies are recorded at all; `calls`: rows of calls that copy and have
// none. A tool that was not asked for copies, or an export without their table, has no row of any.
void CountUnrecordedCopies(Profile& profile, const std::vector<std::uint32_t>& calls) {
  if (calls.size() < knowledge::kLossLeastEvents) return;
  const ProcessNumbers processes(profile);
  std::vector<bool> has_copies(processes.count(), false);
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    if (profile.device.kind[row] != DeviceKind::kMemcpy) continue;
    if (!launch.valid()) return;  // Whose it is no one knows.
    has_copies[processes.OfCall(launch)] = true;
  }
  std::vector<std::vector<std::uint32_t>> of_process(processes.count());
  for (const std::uint32_t row : calls) of_process[processes.OfCall(ApiId{row})].push_back(row);
  for (std::uint32_t process = 0; process < of_process.size(); ++process) {
    const std::vector<std::uint32_t>& rows = of_process[process];
    if (has_copies[process] || rows.size() < knowledge::kLossLeastEvents) continue;
    const std::size_t missing = rows.size() - CountCaptured(profile, processes, process, rows);
    if (missing >= knowledge::kLossLeastEvents)
      profile.log.Add(Counter::copies_not_recorded, missing);
  }
}

// From a twentieth of a process's launches on no pair is certain. A healthy training run of which 5
// % of the kernels were removed idled for 5.1 % instead of 0.4 %. For a launch without a number
// nothing shows which work is its own. REQUIRES: device work is linked to its calls.
void CountLost(Profile& profile, const NarrowColumn<std::int64_t>& correlations) {
  std::vector<LaunchState> states = LaunchStates(profile);
  const auto without_work = std::count(states.begin(), states.end(), LaunchState::kWithoutWork);
  if (without_work > 0) {
    profile.log.Add(Counter::launches_without_device_event,
                    static_cast<std::uint64_t>(without_work));
  }
  for (std::uint32_t row = 0; row < states.size(); ++row) {
    if (correlations[row] < 0) states[row] = LaunchState::kNone;
  }
  for (const LostLaunches& process : LostLaunchesByProcess(profile, states)) {
    if (process.lost < knowledge::kLossVerdictShare.Of(process.all)) continue;
    profile.log.Add(Counter::events_dropped, process.lost);
  }
}

// Calls by correlation ids that were given again: one that begins after the end of another of its
// id, or is of another process (a file merged of several), is not the driver's call inside of it.
class RepeatedIds {
 public:
  RepeatedIds(const Profile& profile, const NarrowColumn<std::int64_t>& ids, const CallsById& first)
      : api_(profile.api), processes_(profile) {
    const ApiTable& api = profile.api;
    for (std::uint32_t row = 0; row < api.size(); ++row) {
      const std::uint32_t* known = first.Find(ids[row]);
      if (known == nullptr || *known == ApiId::kNone) continue;
      const std::uint32_t other = *known;
      if (api.start[row] > api.start[other] + api.duration[other] ||
          processes_.OfCall(ApiId{row}) != processes_.OfCall(ApiId{other})) {
        calls_[ids[row]];
      }
    }
    if (calls_.empty()) return;
    for (std::uint32_t row = 0; row < api.size(); ++row) {
      const auto found = calls_.find(ids[row]);
      if (found != calls_.end()) found->second.push_back(row);
    }
    for (auto& [id, rows] : calls_) KeepOuter(rows);
  }

  bool empty() const { return calls_.empty(); }

  // Equally many works and calls: paired in order. Otherwise the last call before the work; a call
  // cannot launch work that started before it.
  void Link(const NarrowColumn<std::int64_t>& ids, DeviceTable& device) const {
    std::map<std::int64_t, std::vector<std::uint32_t>> works;
    for (std::uint32_t row = 0; row < device.size(); ++row) {
      if (ids[row] >= 0 && calls_.contains(ids[row])) works[ids[row]].push_back(row);
    }
    for (auto& [id, rows] : works) {
      const std::vector<std::uint32_t>& calls = calls_.at(id);
      std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
        return device.start[a] < device.start[b];
      });
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Ns start = device.start[rows[i]];
        const auto behind = std::partition_point(
            calls.begin(), calls.end(),
            [this, start](std::uint32_t call) { return api_.start[call] <= start; });
        device.launch[rows[i]] = rows.size() == calls.size() ? ApiId{calls[i]}
                                 : behind == calls.begin()   ? ApiId{}
                                                             : ApiId{*std::prev(behind)};
      }
    }
  }

 private:
  void KeepOuter(std::vector<std::uint32_t>& rows) const {
    std::stable_sort(rows.begin(), rows.end(), [this](std::uint32_t a, std::uint32_t b) {
      return api_.start[a] < api_.start[b];
    });
    std::vector<std::uint32_t> outer;
    for (const std::uint32_t row : rows) {
      const bool is_inside =
          !outer.empty() &&
          api_.start[row] <= api_.start[outer.back()] + api_.duration[outer.back()] &&
          processes_.OfCall(ApiId{row}) == processes_.OfCall(ApiId{outer.back()});
      if (!is_inside) outer.push_back(row);
    }
    rows = std::move(outer);
  }

  const ApiTable& api_;
  const ProcessNumbers processes_;
  std::map<std::int64_t, std::vector<std::uint32_t>> calls_;
};

void LinkToFirst(Profile& profile, const NarrowColumn<std::int64_t>& ids, const CallsById& calls) {
  auto& device = profile.device;
  device.launch.assign(device.size(), ApiId{});
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t* call = calls.Find(ids[row]);
    if (call == nullptr || *call == ApiId::kNone) {
      profile.log.Add(Counter::kernels_without_launch);
      continue;
    }
    device.launch[row] = ApiId{*call};
  }
}

// Cause and effect in the wrong order, for more than a few of a process: a clock that is off.
void CountBeforeLaunch(Profile& profile) {
  const auto& device = profile.device;
  const ProcessNumbers processes(profile);
  std::vector<std::uint64_t> linked(processes.count()), before(processes.count());
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (!launch.valid()) continue;
    const std::uint32_t process = processes.OfCall(launch);
    ++linked[process];
    if (device.start[row] + knowledge::kClocksHostAhead < profile.api.start[launch.value])
      ++before[process];
  }
  for (std::size_t process = 0; process < before.size(); ++process) {
    if (before[process] >= knowledge::kLossLeastEvents &&
        before[process] > knowledge::kLossVerdictShare.Of(linked[process])) {
      profile.log.Add(Counter::work_before_launch, before[process]);
    }
  }
}

}  // namespace

void DeviceToCalls(Profile& profile, const NarrowColumn<std::int64_t>& api_correlations,
                   const NarrowColumn<std::int64_t>& device_correlations) {
  auto& device = profile.device;
  const auto& api = profile.api;
  CallsById calls(device_correlations);
  std::vector<std::uint32_t> copies;
  for (std::uint32_t row = 0; row < api.size(); ++row) {
    std::uint32_t* const first = calls.Find(api_correlations[row]);
    if (first == nullptr) {
      if (api.kind[row] == ApiKind::kMemcpy && api_correlations[row] >= 0 && device.size() > 0) {
        copies.push_back(row);
      }
      continue;
    }
    // A runtime call and the driver call inside it may share the id; the earlier is the outer one.
    if (*first == ApiId::kNone || api.start[row] < api.start[*first]) *first = row;
  }
  std::optional<RepeatedIds> repeated;
  const std::function<void()> passes[] = {
      [&] { LinkToFirst(profile, device_correlations, calls); },
      [&] { repeated.emplace(profile, api_correlations, calls); },
  };
  ForEachAtOnce(std::size(passes), [&](std::size_t i) { passes[i](); });
  if (!repeated->empty()) repeated->Link(device_correlations, device);
  if (device.size() > 0) CountLost(profile, api_correlations);
  CountUnrecordedCopies(profile, copies);
  CountBeforeLaunch(profile);
}

void DeviceToOps(Profile& profile, const std::vector<std::int64_t>& host_ids,
                 const OptionalColumn<std::int64_t, -1>& device_ids) {
  auto& device = profile.device;
  boost::unordered_flat_map<std::int64_t, HostId> named;
  const auto ids = device_ids.values();
  if (std::any_of(ids.begin(), ids.end(), [](auto id) { return id >= 0; })) {
    for (std::uint32_t row = 0; row < host_ids.size(); ++row) {
      if (host_ids[row] >= 0) named.emplace(host_ids[row], HostId{row});
    }
  }
  const auto nearest = NearestOps(profile.host);
  const auto op_of = [&](HostId range) { return range.valid() ? nearest[range.value] : range; };
  device.op.assign(device.size(), HostId{});
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    const auto found = device_ids[row] < 0 ? named.end() : named.find(device_ids[row]);
    HostId& op = device.op[row];
    if (found != named.end()) op = op_of(found->second);
    if (!launch.valid() || op.valid()) continue;
    op = op_of(profile.api.op[launch.value]);
    if (!op.valid()) profile.log.Add(Counter::kernels_without_op);
  }
}

void BackwardToForward(Profile& profile, std::vector<FlowRow> flows,
                       const std::vector<bool>& host_backward) {
  profile.host.forward.assign(profile.host.size(), HostId{});
  FollowArrows(profile, flows);
  MatchSequences(profile, host_backward);
}

void MemoryToRanges(Profile& profile) {
  auto& memory = profile.memory;
  memory.op.assign(memory.size(), HostId{});
  std::vector<std::uint32_t> rows(memory.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](auto a, auto b) { return memory.thread[a] < memory.thread[b]; });
  OpenRanges open(profile, ThreadStarts(profile));
  for (const auto row : rows) {
    open.MoveTo(memory.thread[row], memory.time[row]);
    memory.op[row] = open.Innermost(memory.time[row]);
  }
}

}  // namespace profgauge::link
