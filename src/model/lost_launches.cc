#include "model/lost_launches.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/interval.h"
#include "knowledge/loss.h"

namespace profgauge {
namespace {

// When launches of a process are captured into a graph, on whatever thread: backward passes have
// their own.
//
//   begin  begin  end  end      begin  end    runtime and driver's call at both ends
//   ^ start       ^    ^        ^      ^      spans: start to the 1st end, to the 2nd, the next one
std::vector<Span> CapturesOf(const Profile& profile, const ProcessNumbers& processes,
                             std::uint32_t process) {
  std::vector<std::pair<Ns, bool>> ends;
  const ApiTable& api = profile.api;
  for (std::uint32_t row = 0; row < api.size(); ++row) {
    if (processes.OfCall(ApiId{row}) != process) continue;
    const std::string_view name = profile.Name(api.name[row]);
    if (name.find("BeginCapture") != name.npos) ends.emplace_back(api.start[row], true);
    if (name.find("EndCapture") != name.npos) ends.emplace_back(api.start[row], false);
  }
  std::sort(ends.begin(), ends.end());
  // A driver's call may be within the runtime's only at one end: several ends after one
  // begin each is one of the same capture.
  std::vector<Span> captures;
  Ns start = std::numeric_limits<Ns>::min();  // The profile may begin within one.
  bool is_open = false;
  for (const auto& [at, begins] : ends) {
    if (begins && !is_open) start = at;
    if (!begins) captures.push_back({start, at});
    is_open = begins;
  }
  return captures;
}

// When each process made the last of the launches whose work is recorded. Later launches
// were in flight when the profile ended: their work is not lost. Where none ran, the end shows
// nothing.
std::vector<Ns> LastLaunchesThatRan(const Profile& profile, const ProcessNumbers& processes,
                                    std::span<const LaunchState> states) {
  constexpr Ns kNone = std::numeric_limits<Ns>::min();
  std::vector<Ns> last(processes.count(), kNone);
  const auto see = [&](ApiId call) {
    Ns& of_process = last[processes.OfCall(call)];
    of_process = std::max(of_process, profile.api.start[call.value]);
  };
  for (const ApiId launch : profile.device.launch) {
    if (launch.valid()) see(launch);
  }
  for (std::uint32_t row = 0; row < states.size(); ++row) {
    if (states[row] == LaunchState::kRan) see(ApiId{row});
  }
  std::replace(last.begin(), last.end(), kNone, std::numeric_limits<Ns>::max());
  return last;
}

// A kernel whose launch is not recorded has one: of those without work the last before it.
//
//   launches without work   A at 1   B at 3            C at 9
//   kernels without launch         k at 2    m at 5             n at 11
//   given                          A         B                  C
//
// The last launch before a kernel, not the first: a launch that lost its work gets none, and the
// ones after it keep theirs.
void GiveUnlinkedWork(const Profile& profile, std::vector<LaunchState>& states) {
  const DeviceTable& device = profile.device;
  std::vector<Ns> kernels;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const bool is_unlinked = !device.launch[row].valid() && device.kind[row] == DeviceKind::kKernel;
    if (is_unlinked) kernels.push_back(device.start[row]);
  }
  if (kernels.empty()) return;
  std::vector<std::uint32_t> launches;
  for (std::uint32_t row = 0; row < states.size(); ++row) {
    if (states[row] == LaunchState::kWithoutWork) launches.push_back(row);
  }
  const std::vector<Ns>& starts = profile.api.start;
  std::stable_sort(launches.begin(), launches.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return starts[a] < starts[b]; });
  std::sort(kernels.begin(), kernels.end());
  std::vector<std::uint32_t> waiting;
  auto next = launches.begin();
  for (const Ns kernel : kernels) {
    for (; next != launches.end() && starts[*next] <= kernel; ++next) waiting.push_back(*next);
    if (waiting.empty()) continue;
    states[waiting.back()] = LaunchState::kRan;
    waiting.pop_back();
  }
}

}  // namespace

std::size_t CountCaptured(const Profile& profile, const ProcessNumbers& processes,
                          std::uint32_t process, const std::vector<std::uint32_t>& rows) {
  const std::vector<Span> captures = CapturesOf(profile, processes, process);
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](std::uint32_t row) {
    const Ns at = profile.api.start[row];
    const auto behind =
        std::upper_bound(captures.begin(), captures.end(), at,
                         [](Ns time, const Span& span) { return time < span.start; });
    return behind != captures.begin() && at <= std::prev(behind)->end;
  }));
}

// Calls are in order by thread and start, and an outer call before the ones inside of it.
std::vector<LaunchState> LaunchStatesByLinks(const Profile& profile) {
  const ApiTable& api = profile.api;
  std::vector<bool> has_work(api.size(), false);
  for (const ApiId launch : profile.device.launch) {
    if (launch.valid()) has_work[launch.value] = true;
  }
  std::vector<LaunchState> states(api.size(), LaunchState::kNone);
  std::optional<std::uint32_t> outer;
  for (std::uint32_t row = 0; row < api.size(); ++row) {
    if (api.kind[row] != ApiKind::kLaunch) continue;
    const bool is_inner = outer && api.thread[*outer] == api.thread[row] &&
                          api.start[row] < api.start[*outer] + api.duration[*outer];
    if (!is_inner) {
      outer = row;
      states[row] = LaunchState::kWithoutWork;
    }
    if (has_work[row]) states[*outer] = LaunchState::kRan;
  }
  return states;
}

std::vector<LaunchState> LaunchStates(const Profile& profile) {
  std::vector<LaunchState> states = LaunchStatesByLinks(profile);
  GiveUnlinkedWork(profile, states);
  return states;
}

//   launch      1     2     3     4     5     6
//   its work    yes   no    yes   no    yes   no
//                     lost        lost        after the last that ran: in flight at the end
std::vector<LostLaunches> LostLaunchesByProcess(const Profile& profile,
                                                std::span<const LaunchState> states) {
  // Fewer are a glitch. A process without any recorded work may only probe the device.
  std::vector<LostLaunches> found;
  const auto without_work = std::count(states.begin(), states.end(), LaunchState::kWithoutWork);
  if (without_work < knowledge::kLossLeastLaunches) return found;
  const ProcessNumbers processes(profile);
  const std::vector<Ns> last_that_ran = LastLaunchesThatRan(profile, processes, states);
  std::vector<std::size_t> launches(processes.count());
  std::vector<std::vector<std::uint32_t>> of_process(processes.count());
  for (std::uint32_t row = 0; row < states.size(); ++row) {
    const std::uint32_t process = processes.OfCall(ApiId{row});
    if (states[row] == LaunchState::kNone) continue;
    if (profile.api.start[row] > last_that_ran[process]) continue;
    ++launches[process];
    if (states[row] == LaunchState::kWithoutWork) of_process[process].push_back(row);
  }
  for (std::uint32_t process = 0; process < of_process.size(); ++process) {
    const std::vector<std::uint32_t>& rows = of_process[process];
    if (rows.size() < knowledge::kLossLeastLaunches) continue;
    const std::size_t captured = CountCaptured(profile, processes, process, rows);
    const LostLaunches lost{rows.size() - captured, launches[process] - captured};
    if (lost.lost >= (lost.lost == lost.all ? knowledge::kLossLeastLaunchesOfNone
                                            : knowledge::kLossLeastLaunches))
      found.push_back(lost);
  }
  return found;
}

}  // namespace profgauge
