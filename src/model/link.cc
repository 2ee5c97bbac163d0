#include "model/link.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "knowledge/clocks.h"
#include "knowledge/loss.h"
#include "model/permute.h"

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

/// The ranges of one thread that are open at a time; queries must be in order of time. One pass
/// over the ranges of a thread answers all queries:
///
///   ranges     [a ------------------------ 20)
///                  [b ---- 9)  [c -- 15)
///   MoveTo(8)  open a b;  MoveTo(12) closes b, opens c: a c;  MoveTo(16) closes c: a
///
/// A range that ends before a range inside it stays in the list until the inner one has ended; so
/// Innermost() checks ends again.
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

  /// The innermost open range that ends at `end` or later; invalid if there is none.
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

/// Finds ranges by external id. Ids need not be unique: some files give thousands of ranges the
/// same id.
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

  /// The innermost range of that id on `thread` around `time`; invalid if there is none.
  HostId Find(std::int64_t id, ThreadId thread, Ns time) {
    // Ended ranges of the same id may be before it; an id shared by thousands identifies none.
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
  // Calls come in order of time, and so do most ids: the next one is near the last. So this
  // searches in steps of 1, 2, 4, … from the last place, then bisects the last step:
  //
  //   ids      3 5 8 9 12 14 20 31     last place: 5, wanted: 14
  //   looked   5, 9 (1 after 8), 14 (2 after 9): far enough; bisection of 9 12 ends at 14
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

/// For each host row the nearest op: the row itself, or its nearest enclosing op.
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

/// Returns the range that starts exactly at `time`: preferably one with a sequence number, else the
/// outermost; invalid if there is none. Kineto's arrows have a time instead of a row, and several
/// ranges may begin at that nanosecond.
HostId StartingAt(const HostTable& host, std::uint32_t begin, std::uint32_t end, Ns time) {
  const auto first = host.start.begin() + begin;
  const auto found = std::lower_bound(first, host.start.begin() + end, time);
  const auto row = static_cast<std::uint32_t>(found - host.start.begin());
  for (auto at = row; at < end && host.start[at] == time; ++at) {
    if (host.sequence[at] >= 0) return HostId{at};
  }
  return row < end && host.start[row] == time ? HostId{row} : HostId{};
}

/// Follows arrows: rows of one id, one at the forward op and one or more at backward ops.
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
  // The forward end is the first row of each id.
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

/// A forward op with a sequence number. Nested ops may share a number; the one that starts last
/// made the autograd node.
struct Forward {
  HostId op;
  bool ambiguous = false;
};

/// Links backward ops without an arrow. Numbers are counted per thread, so two forward threads may
/// give one number to different ops: then none is linked.
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

// Rows that start together are sorted longest first, so the outer one precedes the inner one.
//
//   row 0   [a ------------------------ 20)        parent none
//   row 1      [b ---------- 9)                    parent 0
//   row 2         [c - 7)                          parent 1
//   row 3                 [d ---- 12)              parent 1, reaches beyond it: counted
//   row 4                            [e -- 18)     d has ended; parent 0
//
// A row that overlaps the end of another by a nanosecond or two, and ends later, comes after it:
// start and length were rounded by themselves.
// Rows that start together are sorted longest first, so the outer one precedes the inner one.
void Parents(Profile& profile) {
  auto& host = profile.host;
  host.parent.assign(host.size(), HostId{});
  std::vector<std::uint32_t> open;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (row > 0 && host.thread[row] != host.thread[row - 1]) open.clear();
    const auto is_over = [&](std::uint32_t other) {
      const Ns end = End(host, other);
      const bool comes_after = End(host, row) > end;
      return end <= host.start[row] + (comes_after ? knowledge::kClocksRounding.ns() : 0);
    };
    while (!open.empty() && is_over(open.back())) open.pop_back();
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
    // A tick of tolerance: times of one moment may be rounded differently.
    api.op[row] = open.Innermost(api.start[row] + api.duration[row] - knowledge::kClocksTick);
  }
}

//   device work -- external id --> range ---------> its nearest op
//   device work -- launch --> call --> its range --> its nearest op      where that gave none
void DeviceToOps(Profile& profile, const std::vector<std::int64_t>& host_ids,
                 const OptionalColumn<std::int64_t, -1>& device_ids) {
  auto& device = profile.device;
  boost::unordered_flat_map<std::int64_t, HostId> named;
  const auto ids = device_ids.values();
  if (std::any_of(ids.begin(), ids.end(), [](auto id) { return id >= 0; })) {
    // emplace(): of several ranges with one id, the first counts.
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
