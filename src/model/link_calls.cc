// Finds the call that launched each device event: DeviceToCalls().
//
//   correlation   1001            1002                  1003
//   calls         [cudaLaunch..]  [cudaMemcpyAsync]     [cudaLaunch..]
//                  [cuLaunch..]                          the driver's call is inside: not taken
//   device             [gemm]          [copy]            no row: lost, in flight or captured
#include "model/link_calls.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "knowledge/loss.h"
#include "model/calls_by_id.h"
#include "model/impossible_times.h"
#include "model/link.h"
#include "model/lost_launches.h"
#include "model/processes.h"

namespace profgauge::link {
namespace {

// Counts copying calls without a row (`calls`) in processes that have no recorded copy at all: the
// tool was not asked for copies, or the export has no table of them.
void CountUnrecordedCopies(Profile& profile, const std::vector<std::uint32_t>& calls) {
  if (calls.size() < knowledge::kLossLeastEvents) return;
  const ProcessNumbers processes(profile);
  std::vector<bool> has_copies(processes.count(), false);
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    if (profile.device.kind[row] != DeviceKind::kMemcpy) continue;
    if (!launch.valid()) return;  // Its process is unknown.
    has_copies[processes.OfCall(launch)] = true;
  }
  const GraphCaptures captures(profile);
  std::vector<std::size_t> missing(processes.count());
  for (const std::uint32_t row : calls) {
    const ApiId call{row};
    if (!has_copies[processes.OfCall(call)] && !captures.Has(call))
      ++missing[processes.OfCall(call)];
  }
  for (const std::size_t of_process : missing) {
    if (of_process < knowledge::kLossLeastEvents) continue;
    profile.log.Add(Counter::copies_not_recorded, of_process);
  }
}

// Counts lost launches. If they are at least a twentieth of a process's launches, no pair is
// certain: a healthy training run was idle for 5.1 % instead of 0.4 % after removing 5 % of its
// kernels. REQUIRES: device work is linked to its calls.
void CountLost(Profile& profile) {
  const std::vector<LaunchState> states = LaunchStates(profile);
  const auto without_work = std::count(states.begin(), states.end(), LaunchState::kWithoutWork);
  if (without_work > 0) {
    profile.log.Add(Counter::launches_without_device_event,
                    static_cast<std::uint64_t>(without_work));
  }
  for (const LostLaunches& process : LostLaunchesByProcess(profile, states)) {
    if (process.lost < knowledge::kLossVerdictShare.Of(process.all)) continue;
    profile.log.Add(Counter::events_dropped, process.lost);
  }
}

// Calls whose correlation ids were reused. A call that begins after the end of another call of its
// id, or is of another process (in a merged file), is not the driver call inside it.
//
//   id 7   call A at 1, call B at 50      work a at 3, b at 52       A - a, B - b
//   id 9   call C at 10, call D at 90     work c at 12, d at 14, e at 92     C - c, C - d, D - e
//
// Restarted counters and merged files have such ids.
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

  // If there are as many device rows as calls, pairs them in order. Otherwise uses the last call
  // before the row, as a call cannot launch work that started before it.
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

// Links each row to the earliest call of its id, which is right if ids are unique. Counts device
// rows without a launch.
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

}  // namespace

std::size_t DeviceToCalls(Profile& profile, const NarrowColumn<std::int64_t>& api_correlations,
                          NarrowColumn<std::int64_t>& device_correlations,
                          OptionalColumn<std::int64_t, -1>& device_op_ids) {
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
    // A runtime call and the driver call inside it may share an id; the earlier is the outer.
    if (*first == ApiId::kNone || api.start[row] < api.start[*first]) *first = row;
  }
  std::optional<RepeatedIds> repeated;
  // LinkToFirst() writes the device's column, RepeatedIds only reads calls: they can run together.
  const std::function<void()> passes[] = {
      [&] { LinkToFirst(profile, device_correlations, calls); },
      [&] { repeated.emplace(profile, api_correlations, calls); },
  };
  ForEachAtOnce(std::size(passes), [&](std::size_t i) { passes[i](); });
  if (!repeated->empty()) repeated->Link(device_correlations, device);
  const Impossible impossible = SetAsideImpossible(profile, device_correlations, device_op_ids);
  const std::uint64_t dropped = profile.log[Counter::events_dropped];
  if (device.size() > 0) CountLost(profile);
  if (impossible.is_much && profile.log[Counter::events_dropped] == dropped) {
    profile.log.Add(Counter::events_dropped, impossible.count);
  }
  CountUnrecordedCopies(profile, copies);
  return impossible.count;
}

}  // namespace profgauge::link
