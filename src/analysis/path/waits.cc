#include "analysis/path/waits.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace profgauge {
namespace {

constexpr Ns kLate = 2'000;     // Work that starts later than this after all else waited for more.
constexpr Ns kAtOnce = 20'000;  // What waited for an event starts at most this long after it.

}  // namespace

WaitFinder::WaitFinder(const Profile& profile)
    : profile_(profile),
      launched_(profile.api.size(), kNone),
      waits_(profile.strings.size(), Wait::kUnknown) {
  const DeviceTable& device = profile.device;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (streams_.empty() || device.gpu[row] != device.gpu[row - 1] ||
        device.stream[row] != device.stream[row - 1]) {
      streams_.push_back({row, row});
    }
    streams_.back().end = row + 1;
    const ApiId launch = device.launch[row];
    if (launch.valid() && launched_[launch.value] == kNone) launched_[launch.value] = row;
  }
  for (std::size_t call = 0; call < profile.api.size(); ++call) {
    if (WaitOf(profile.api.name[call]) == Wait::kWaitEvent) {
      event_waits_.push_back(profile.api.start[call]);
    }
  }
  std::sort(event_waits_.begin(), event_waits_.end());
}

WaitFinder::Wait WaitFinder::WaitOf(StringId name) {
  if (!name.valid()) return Wait::kNone;
  Wait& known = waits_[name.value];
  if (known != Wait::kUnknown) return known;
  struct Word {
    std::string_view text;
    Wait wait;
  };
  static constexpr Word kWords[] = {
      {"StreamWaitEvent", Wait::kWaitEvent}, {"DeviceSynchronize", Wait::kDevice},
      {"CtxSynchronize", Wait::kDevice},     {"StreamSynchronize", Wait::kStream},
      {"QueueFinish", Wait::kStream},        {"CommandListHostSynchronize", Wait::kStream},
      {"EventSynchronize", Wait::kEvent},    {"EventHostSynchronize", Wait::kEvent},
      {"urEventWait", Wait::kEvent},         {"piEventsWait", Wait::kEvent}};
  known = Wait::kNone;
  const std::string_view text = profile_.Name(name);
  for (const Word& word : kWords) {
    if (text.find(word.text) != text.npos) {
      known = word.wait;
      break;
    }
  }
  return known;
}

Ns WaitFinder::LaunchTime(std::uint32_t row) const {
  const ApiId launch = profile_.device.launch[row];
  return launch.valid() ? profile_.api.start[launch.value] : profile_.device.start[row];
}

Ns WaitFinder::EndOf(std::uint32_t row) const {
  return profile_.device.start[row] + std::max<Ns>(profile_.device.duration[row], 0);
}

std::size_t WaitFinder::StreamOf(std::uint32_t row) const {
  const auto after =
      std::upper_bound(streams_.begin(), streams_.end(), row,
                       [](std::uint32_t at, const StreamRows& rows) { return at < rows.begin; });
  return static_cast<std::size_t>(after - streams_.begin()) - 1;
}

std::uint32_t WaitFinder::LastLaunched(const StreamRows& stream, Ns time) const {
  std::uint32_t low = stream.begin, high = stream.end;
  while (low < high) {  // Launches of a stream are in the order of its work, nearly always.
    const std::uint32_t middle = low + (high - low) / 2;
    if (LaunchTime(middle) <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == stream.begin ? kNone : low - 1;
}

void WaitFinder::AddIfDone(std::uint32_t row, Ns by) {
  if (row != kNone && EndOf(row) <= by) found_.push_back(row);
}

// Index of the stream that a synchronization record inside the call names, or the number of them.
std::size_t WaitFinder::RecordedStream(std::uint32_t call) const {
  const SyncTable& sync = profile_.sync;
  const Ns start = profile_.api.start[call], end = start + profile_.api.duration[call];
  auto at = std::lower_bound(sync.start.begin(), sync.start.end(), start);
  for (; at != sync.start.end() && *at <= end; ++at) {
    const auto row = static_cast<std::size_t>(at - sync.start.begin());
    if (sync.stream[row] < 0) continue;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const std::uint32_t first = streams_[i].begin;
      if (profile_.device.gpu[first] == sync.gpu[row] &&
          profile_.device.stream[first] == sync.stream[row]) {
        return i;
      }
    }
  }
  return streams_.size();
}

std::span<const std::uint32_t> WaitFinder::WaitedFor(std::uint32_t call,
                                                     std::uint32_t last_launch) {
  found_.clear();
  const Ns start = profile_.api.start[call];
  const Ns end = start + std::max<Ns>(profile_.api.duration[call], 0);
  const Wait wait = WaitOf(profile_.api.name[call]);
  if (wait == Wait::kDevice) {
    for (const StreamRows& stream : streams_) AddIfDone(LastLaunched(stream, start), end);
  } else if (wait == Wait::kStream || wait == Wait::kEvent) {
    std::size_t stream = RecordedStream(call);
    if (stream == streams_.size() && last_launch != kNone) stream = StreamOf(last_launch);
    if (stream < streams_.size()) AddIfDone(LastLaunched(streams_[stream], start), end);
  } else if (profile_.api.kind[call] == ApiKind::kMemcpy && launched_[call] != kNone) {
    const std::uint32_t row = launched_[call];
    const bool blocks = profile_.Name(profile_.api.name[call]).find("Async") == std::string::npos ||
                        profile_.device.host_memory[row] == HostMemory::kPageable;
    if (blocks) AddIfDone(row, end);
  }
  return found_;
}

std::uint32_t WaitFinder::OtherStreamBefore(std::uint32_t row) const {
  if (event_waits_.empty()) return kNone;
  const DeviceTable& device = profile_.device;
  const ApiId launch = device.launch[row];
  if (!launch.valid()) return kNone;
  const Ns start = device.start[row];
  Ns ready = profile_.api.start[launch.value] + profile_.api.duration[launch.value];
  Ns launched_before = std::numeric_limits<Ns>::min();
  const std::size_t own = StreamOf(row);
  if (row > streams_[own].begin) {
    ready = std::max(ready, EndOf(row - 1));
    launched_before = LaunchTime(row - 1);
  }
  if (start - ready <= kLate) return kNone;
  const auto wait = std::upper_bound(event_waits_.begin(), event_waits_.end(), launched_before);
  if (wait == event_waits_.end() || *wait > profile_.api.start[launch.value]) return kNone;
  std::uint32_t best = kNone;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (i == own || device.gpu[streams_[i].begin] != device.gpu[row]) continue;
    const auto begin = device.start.begin() + streams_[i].begin;
    const auto end = device.start.begin() + streams_[i].end;
    auto at =
        static_cast<std::uint32_t>(std::lower_bound(begin, end, start) - device.start.begin());
    while (at > streams_[i].begin && EndOf(at - 1) > start) --at;
    if (at == streams_[i].begin) continue;
    const Ns ended = EndOf(at - 1);
    if (ended < ready || start - ended > kAtOnce) continue;
    if (best == kNone || ended > EndOf(best)) best = at - 1;
  }
  return best;
}

}  // namespace profgauge
