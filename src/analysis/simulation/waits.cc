#include "analysis/simulation/waits.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "knowledge/launches.h"
#include "knowledge/path.h"

namespace profgauge::analysis::simulation {

WaitFinder::WaitFinder(const Profile& profile)
    : profile_(profile),
      launched_(profile.api.size(), kNone),
      waits_(profile.strings.size(), Wait::kUnknown) {
  const DeviceTable& device = profile.device;
  std::pair<std::int32_t, std::int64_t> last;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::pair<std::int32_t, std::int64_t> stream(device.gpu[row], device.stream[row]);
    if (streams_.empty() || stream != last) streams_.push_back({row, row});
    last = stream;
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

WaitFinder::Wait WaitFinder::FindWait(StringId name) {
  struct Word {
    std::string_view text;
    Wait wait;
  };
  static constexpr Word kWords[] = {
      {"StreamWaitEvent", Wait::kWaitEvent}, {"EventRecord", Wait::kRecordEvent},
      {"DeviceSynchronize", Wait::kDevice},  {"CtxSynchronize", Wait::kDevice},
      {"StreamSynchronize", Wait::kStream},  {"QueueFinish", Wait::kStream},
      {"EventSynchronize", Wait::kEvent},    {"CommandListHostSynchronize", Wait::kStream},
      {"urEventWait", Wait::kEvent},         {"EventHostSynchronize", Wait::kEvent},
      {"piEventsWait", Wait::kEvent}};
  Wait& known = waits_[name.value];
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
  while (low < high) {  // Launches of a stream are nearly always in the order of its work.
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

// Index of the stream that a synchronization record within the call names; streams_.size() if none.
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
  } else if (wait == Wait::kNone && profile_.api.kind[call] == ApiKind::kSync) {
    AddWhatEndedWith(start, end, last_launch);
  } else if (profile_.api.kind[call] == ApiKind::kMemcpy && launched_[call] != kNone) {
    const std::uint32_t row = launched_[call];
    if (CopyBlocks(profile_, row) && EndsWithCall(row, end)) found_.push_back(row);
  }
  if (found_.empty() && end - start > knowledge::kLaunchesPlainCall && launched_[call] != kNone) {
    AddRoom(launched_[call], start, end);
  }
  return found_;
}

std::uint32_t WaitFinder::WaitedForInSilence(Ns from, Ns to, std::uint32_t last_launch) const {
  if (last_launch == kNone || to - from < knowledge::kPathSilentThread) return kNone;
  const std::uint32_t row = LastLaunched(streams_[StreamOf(last_launch)], from);
  if (row == kNone || EndOf(row) > to || EndOf(row) - from < (to - from) / 2) return kNone;
  return row;
}

// Handles a call that waits, but whose name does not show for what (`aclrtSynchronizeStream`,
// `hsa_signal_wait_scacquire`). It waits for the last work on its thread's stream, else for the
// work on any stream that ended when the call returned.
void WaitFinder::AddWhatEndedWith(Ns start, Ns end, std::uint32_t last_launch) {
  const auto add = [&](const StreamRows& stream) {
    const std::uint32_t row = LastLaunched(stream, start);
    if (row != kNone && EndOf(row) >= end - knowledge::kLaunchesStartAfterWait) AddIfDone(row, end);
  };
  if (last_launch != kNone) add(streams_[StreamOf(last_launch)]);
  if (!found_.empty() || streams_.size() > knowledge::kPathMostStreams) return;
  for (const StreamRows& stream : streams_) add(stream);
}

// Adds the work whose end freed a queue slot for `row`, which a call from `start` to `end`
// launched. The number of slots differs between devices and drivers. Candidates are within the
// range of slot counts seen in practice; the newest that ended by then counts, if it ended during
// the call and shortly before its return.
//
//   stream   |w1|w2|w3|w4| ... |row      a full queue: the launch waits for a place
//   host            [launch of row....]  returns when w3 has made room
void WaitFinder::AddRoom(std::uint32_t row, Ns start, Ns end) {
  constexpr auto kFewestPlaces = knowledge::kLaunchesQueuePlacesSeen.as<std::uint32_t>();
  constexpr auto kMostPlaces = knowledge::kLaunchesQueuePlaces.as<std::uint32_t>();
  const std::uint32_t first = streams_[StreamOf(row)].begin;
  if (row - first < kFewestPlaces) return;
  const std::uint32_t most = row - std::min(row - first, kMostPlaces);
  for (std::uint32_t at = row - kFewestPlaces + 1; at-- > most;) {
    if (EndOf(at) > end) continue;
    if (EndOf(at) >= start && end - EndOf(at) <= knowledge::kLaunchesStartAfterWait)
      found_.push_back(at);
    return;
  }
}

bool CopyBlocks(const Profile& profile, std::uint32_t row) {
  const ApiId call = profile.device.launch[row];
  return call.valid() && profile.api.kind[call.value] == ApiKind::kMemcpy &&
         (profile.device.host_memory[row] == HostMemory::kPageable ||
          profile.Name(profile.api.name[call.value]).find("Async") == std::string_view::npos);
}

// Whether the call returned at `end` because its copy was done or completely on its way.
bool WaitFinder::EndsWithCall(std::uint32_t row, Ns end) const {
  const DeviceTable& device = profile_.device;
  if (EndOf(row) <= end) return true;
  return device.copy[row] == CopyKind::kHostToDevice &&
         device.bytes[row] > knowledge::kPathInCommand &&
         device.start[row] + std::max<Ns>(device.duration[row], 0) / 2 <= end;
}

bool WaitFinder::WaitsForEvent(Ns launched_before, Ns launched) const {
  const auto wait = std::upper_bound(event_waits_.begin(), event_waits_.end(), launched_before);
  return wait != event_waits_.end() && *wait <= launched;
}

// Whether the stream is busy without a pause from `begin` until the end of `last`.
bool WaitFinder::WorksFrom(const StreamRows& stream, std::uint32_t last, Ns begin) const {
  const auto& start = profile_.device.start;
  for (std::uint32_t row = last; start[row] > begin; --row) {
    if (row == stream.begin || start[row] - EndOf(row - 1) > knowledge::kLaunchesBusyPause)
      return false;
  }
  return true;
}

// `ready` is when the row could have started by its own stream and launch:
//
//   host         [launch of p] [wait for an event] [launch of row]
//   its stream     |p####|                                        ready......|row###|
//   another            |other################################################|
//
// The row started late, when `other` ended. This counts if a call to wait for an event is between
// the launches of p and row, or if the row was very late and the other stream was busy all the time
// since `ready`. If several streams qualify, the nearest end counts.
std::uint32_t WaitFinder::OtherStreamBefore(std::uint32_t row) const {
  const DeviceTable& device = profile_.device;
  const ApiId launch = device.launch[row];
  if (!launch.valid()) return kNone;
  const Ns start = device.start[row], launched = profile_.api.start[launch.value];
  Ns ready = launched;
  if (!CopyBlocks(profile_, row)) ready += profile_.api.duration[launch.value];
  Ns launched_before = std::numeric_limits<Ns>::min();
  const std::size_t own = StreamOf(row);
  if (row > streams_[own].begin) {
    ready = std::max(ready, EndOf(row - 1));
    launched_before = LaunchTime(row - 1);
  }
  if (start - ready <= knowledge::kPathLate) return kNone;
  const bool waits = WaitsForEvent(launched_before, launched);
  if (!waits && start - ready <= knowledge::kLaunchesFreeLatency) return kNone;
  const std::span<const StreamRows> streams = StreamsBeside(row);
  if (streams.size() > knowledge::kPathMostStreams) return kNone;
  std::uint32_t best = kNone;
  const auto distance = [&](std::uint32_t other) { return std::abs(start - EndOf(other)); };
  for (const StreamRows& stream : streams) {
    if (stream.begin == streams_[own].begin) continue;
    const std::uint32_t other = EndingAt(stream, start);
    if (other == kNone || EndOf(other) < ready) continue;
    if (!waits && !WorksFrom(stream, other, ready)) continue;
    if (best == kNone || distance(other) < distance(best)) best = other;
  }
  return best;
}

std::span<const StreamRows> WaitFinder::StreamsBeside(std::uint32_t row) const {
  const DeviceTable& device = profile_.device;
  const auto gpu = [&](const StreamRows& rows) { return device.gpu[rows.begin]; };
  const auto first =
      std::partition_point(streams_.begin(), streams_.end(),
                           [&](const StreamRows& rows) { return gpu(rows) < device.gpu[row]; });
  const auto last = std::partition_point(
      first, streams_.end(), [&](const StreamRows& rows) { return gpu(rows) == device.gpu[row]; });
  return {first, last};
}

EventCall WaitFinder::EventCallOf(std::uint32_t call) {
  switch (WaitOf(profile_.api.name[call])) {
    case Wait::kWaitEvent:
      return EventCall::kWait;
    case Wait::kRecordEvent:
      return EventCall::kRecord;
    default:
      return EventCall::kNone;
  }
}

bool WaitFinder::AreOfTwoStreams(std::uint32_t row, std::uint32_t other) const {
  const DeviceTable& device = profile_.device;
  return device.gpu[row] == device.gpu[other] && device.stream[row] != device.stream[other];
}

std::uint32_t WaitFinder::LastOfOtherStream(std::uint32_t row, Ns time) const {
  const std::span<const StreamRows> streams = StreamsBeside(row);
  if (streams.size() != 2) return kNone;
  const bool is_first = row < streams[0].end;
  return LastLaunched(streams[is_first ? 1 : 0], time);
}

// The work of the stream that begins before `time` and ends around it; kNone if there is none.
std::uint32_t WaitFinder::EndingAt(const StreamRows& stream, Ns time) const {
  const auto begin = profile_.device.start.begin() + stream.begin;
  const auto end = profile_.device.start.begin() + stream.end;
  const auto after = static_cast<std::uint32_t>(std::lower_bound(begin, end, time) -
                                                profile_.device.start.begin());
  constexpr std::uint32_t kOverlapping = 64;  // Rows checked: work of one stream hardly overlaps.
  const std::uint32_t last = std::max(stream.begin, after - std::min(after, kOverlapping));
  for (std::uint32_t at = after; at > last; --at) {
    const Ns ended = EndOf(at - 1);
    if (ended > time + knowledge::kPathBlockTail) continue;  // The work before it may have ended.
    return time - ended <= knowledge::kLaunchesStartAfterWait ? at - 1 : kNone;
  }
  return kNone;
}

}  // namespace profgauge::analysis::simulation
