#include "model/lost_launches.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "knowledge/loss.h"

namespace profgauge {
namespace {

// A call that begins or ends a capture.
struct CaptureCall {
  Span time;
  ThreadId thread;
  bool begins = false;
};

// By process, in order of start. A driver call inside a runtime call is not listed.
std::vector<std::vector<CaptureCall>> CaptureCalls(const Profile& profile,
                                                   const ProcessNumbers& processes) {
  const ApiTable& api = profile.api;
  enum class Kind : std::uint8_t { kUnknown, kOther, kBegin, kEnd };
  std::vector<Kind> kinds(profile.strings.size());
  std::vector<std::vector<CaptureCall>> calls(processes.count());
  for (std::uint32_t row = 0; row < api.size(); ++row) {
    if (!api.name[row].valid()) continue;
    Kind& kind = kinds[api.name[row].value];
    if (kind == Kind::kUnknown) {
      const std::string_view name = profile.Name(api.name[row]);
      kind = name.find("BeginCapture") != name.npos ? Kind::kBegin
             : name.find("EndCapture") != name.npos ? Kind::kEnd
                                                    : Kind::kOther;
    }
    if (kind == Kind::kOther) continue;
    const Ns start = api.start[row];
    calls[processes.OfCall(ApiId{row})].push_back(
        {{start, start + std::max<Ns>(api.duration[row], 0)},
         api.thread[row],
         kind == Kind::kBegin});
  }
  for (std::vector<CaptureCall>& own : calls) {
    std::stable_sort(own.begin(), own.end(), [](const CaptureCall& a, const CaptureCall& b) {
      return a.time.start != b.time.start ? a.time.start < b.time.start : a.time.end > b.time.end;
    });
    std::map<std::pair<std::uint32_t, bool>, Ns> until;
    std::erase_if(own, [&](const CaptureCall& call) {
      const auto [last, is_first] =
          until.try_emplace({call.thread.value, call.begins}, call.time.end);
      if (!is_first && call.time.start < last->second) return true;
      last->second = call.time.end;
      return false;
    });
  }
  return calls;
}

std::vector<Span> CapturesFrom(const std::vector<CaptureCall>& calls) {
  std::vector<Span> captures;
  std::map<std::uint32_t, Span> open;  // By thread, the call that began it.
  for (const CaptureCall& call : calls) {
    if (call.begins) {
      open.try_emplace(call.thread.value, call.time);
      continue;
    }
    auto own = open.find(call.thread.value);
    if (own == open.end()) {
      own = std::min_element(open.begin(), open.end(), [](const auto& a, const auto& b) {
        return a.second.start < b.second.start;
      });
    }
    if (own != open.end()) {
      captures.push_back({own->second.start, call.time.end});
      open.erase(own);
    } else if (captures.empty()) {
      captures.push_back({std::numeric_limits<Ns>::min(), call.time.end});
    }
  }
  // The end of a capture may be missing. Then only its beginning is known.
  for (const auto& [thread, begin] : open) {
    captures.push_back({begin.start, std::max(begin.end, begin.start + 1)});
  }
  return Merge(std::move(captures));
}

// For each process, the time of its last launch with recorded work. Later launches were in flight
// when the profile ended, so their work is not lost. If no launch has work, the end shows nothing.
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

// Assigns each kernel without a recorded launch the last preceding launch without work:
//
//   launches without work   A at 1   B at 3            C at 9
//   kernels without launch         k at 2    m at 5             n at 11
//   given                          A         B                  C
//
// It is the last launch before a kernel, not the first: so a launch whose work was lost gets none,
// and later launches keep theirs.
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

GraphCaptures::GraphCaptures(const Profile& profile) : profile_(profile), processes_(profile) {
  for (const std::vector<CaptureCall>& calls : CaptureCalls(profile, processes_)) {
    count_ += std::count_if(calls.begin(), calls.end(),
                            [](const CaptureCall& call) { return call.begins; });
    of_process_.push_back(CapturesFrom(calls));
  }
}

bool GraphCaptures::empty() const {
  return std::all_of(of_process_.begin(), of_process_.end(),
                     [](const std::vector<Span>& captures) { return captures.empty(); });
}

std::span<const Span> GraphCaptures::Near(ApiId call) const {
  return of_process_[processes_.OfCall(call)];
}

bool GraphCaptures::Has(ApiId call) const {
  const std::span<const Span> captures = Near(call);
  const Ns at = profile_.api.start[call.value];
  const auto behind = std::upper_bound(captures.begin(), captures.end(), at,
                                       [](Ns time, const Span& span) { return time < span.start; });
  return behind != captures.begin() && at < std::prev(behind)->end;
}

bool GraphCaptures::Touch(Span times) const {
  return std::any_of(of_process_.begin(), of_process_.end(), [&](const std::vector<Span>& own) {
    const auto behind = std::upper_bound(own.begin(), own.end(), times.start,
                                         [](Ns time, const Span& span) { return time < span.end; });
    return behind != own.end() && behind->start < times.end;
  });
}

CaptureCounts CountCaptures(const Profile& profile) {
  CaptureCounts counts;
  const ApiTable& api = profile.api;
  std::vector<bool> ran(api.size(), false);
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    if (launch.valid()) ran[launch.value] = true;
    counts.ran += profile.device.kind[row] == DeviceKind::kKernel ? 1 : 0;
  }
  const GraphCaptures captures(profile);
  counts.captures = captures.count();
  for (std::uint32_t call = 0; call < api.size(); ++call) {
    if (api.kind[call] != ApiKind::kLaunch || ran[call]) continue;
    if (captures.Has(ApiId{call})) ++counts.captured;
  }
  return counts;
}

std::vector<std::vector<Span>> CaptureTimes(const Profile& profile) {
  std::vector<std::vector<Span>> times(profile.threads.size());
  const GraphCaptures captures(profile);
  if (captures.empty()) return times;
  const ApiTable& api = profile.api;
  Ns launched = 0;  // Time of the thread's last launch.
  for (std::uint32_t call = 0; call < api.size(); ++call) {
    if (api.thread[call].value >= times.size()) continue;
    std::vector<Span>& spans = times[api.thread[call].value];
    const std::span<const Span> own = captures.Near(ApiId{call});
    const Ns start = api.start[call];
    if (spans.empty()) {
      for (const Span& span : own) spans.push_back({std::max(span.start, profile.first), span.end});
      launched = std::numeric_limits<Ns>::min();
    }
    if (api.kind[call] == ApiKind::kLaunch) launched = start;
    const std::string_view name = profile.Name(api.name[call]);
    if (name.find("GraphInstantiate") == name.npos && name.find("GraphUpload") == name.npos)
      continue;
    const auto behind = std::partition_point(
        own.begin(), own.end(), [start](const Span& span) { return span.end <= start; });
    if (behind == own.begin() || launched >= std::prev(behind)->end) continue;
    spans.push_back({std::prev(behind)->end, start + std::max<Ns>(api.duration[call], 0)});
  }
  for (std::vector<Span>& spans : times) spans = Merge(std::move(spans));
  return times;
}

// Calls are sorted by thread and start, with an outer call before its inner ones.
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
  // Fewer cases are a glitch. A process without any recorded work may only probe the device.
  std::vector<LostLaunches> found;
  const auto without_work = std::count(states.begin(), states.end(), LaunchState::kWithoutWork);
  if (without_work < knowledge::kLossLeastLaunches) return found;
  const ProcessNumbers processes(profile);
  const std::vector<Ns> last_that_ran = LastLaunchesThatRan(profile, processes, states);
  std::vector<std::size_t> launches(processes.count());
  std::vector<std::size_t> lacking(processes.count()), captured(processes.count());
  const GraphCaptures captures(profile);
  for (std::uint32_t row = 0; row < states.size(); ++row) {
    const std::uint32_t process = processes.OfCall(ApiId{row});
    if (states[row] == LaunchState::kNone) continue;
    if (profile.api.start[row] > last_that_ran[process]) continue;
    ++launches[process];
    if (states[row] != LaunchState::kWithoutWork) continue;
    ++lacking[process];
    if (captures.Has(ApiId{row})) ++captured[process];
  }
  for (std::uint32_t process = 0; process < lacking.size(); ++process) {
    if (lacking[process] < knowledge::kLossLeastLaunches) continue;
    const LostLaunches lost{lacking[process] - captured[process],
                            launches[process] - captured[process]};
    if (lost.lost >= (lost.lost == lost.all ? knowledge::kLossLeastLaunchesOfNone
                                            : knowledge::kLossLeastLaunches))
      found.push_back(lost);
  }
  return found;
}

LostLaunches LaunchesAfterWork(const Profile& profile, std::span<const LaunchState> states) {
  const ProcessNumbers processes(profile);
  std::vector<Ns> until(processes.count(), std::numeric_limits<Ns>::min());
  Ns of_unknown = until.front();
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const Ns end = profile.device.start[row] + profile.device.duration[row];
    const bool is_known = profile.device.launch[row].valid();
    Ns& own = is_known ? until[processes.OfWork(row)] : of_unknown;
    own = std::max(own, end);
  }
  const GraphCaptures captures(profile);
  LostLaunches after;
  for (std::uint32_t row = 0; row < states.size(); ++row) {
    const Ns own = until[processes.OfCall(ApiId{row})];
    if (states[row] == LaunchState::kNone || own == std::numeric_limits<Ns>::min()) continue;
    if (captures.Has(ApiId{row})) continue;
    ++after.all;
    const bool is_after = profile.api.start[row] > std::max(own, of_unknown);
    if (is_after && states[row] == LaunchState::kWithoutWork) ++after.lost;
  }
  return after;
}

}  // namespace profgauge
