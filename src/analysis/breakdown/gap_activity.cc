#include "analysis/breakdown/gap_activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/breakdown/host_waits.h"
#include "analysis/classify/host_work.h"
#include "base/numbers.h"
#include "knowledge/idle.h"

namespace profgauge::analysis::breakdown {
namespace {

constexpr std::uint32_t kNone = kNoIndex;
// Limits of nesting levels and other threads: more than programs have. They bound the cost of a gap
// for any file.
constexpr std::size_t kMostLevels = 1024, kMostOthers = 256;

// True for "train.py(88): preprocess", but not for a builtin's frame and most ranges.
bool NamesFile(std::string_view text) { return text.find(".py") != text.npos; }

// The length of the overlap; negative if they are disjoint.
Ns Common(Span time, Span gap) {
  return std::min(time.end, gap.end) - std::max(time.start, gap.start);
}

// Whether it covers more than half of the gap, and therefore its middle.
bool CoversMost(Span time, Span gap) { return Common(time, gap) * 2 > gap.length(); }

// The last row of `thread` that starts by `at`, in a table sorted by thread and start; kNone if all
// start later.
template <class Table>
std::uint32_t LastStarted(const Table& table, ThreadId thread, Ns at) {
  std::size_t low = 0, high = table.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (std::pair(table.thread[middle].value, table.start[middle]) <= std::pair(thread.value, at)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 || table.thread[low - 1] != thread ? kNone : static_cast<std::uint32_t>(low - 1);
}

// A negative length counts as 0.
template <class Table>
Span SpanOf(const Table& table, std::uint32_t row) {
  return {table.start[row], table.start[row] + std::max<Ns>(table.duration[row], 0)};
}

// The parent frame of each row, found with a stack of open frames:
//
//   row   0 |------------------| main        1 and 3: in 0
//         1   |-------| step                 2: in 1
//         2     |--|    3 |----|             a parent is always an earlier row of its thread
std::vector<std::uint32_t> ParentsOf(const PythonTable& python) {
  std::vector<std::uint32_t> parents(python.size(), kNone);
  std::vector<std::uint32_t> open;
  for (std::uint32_t row = 0; row < python.size(); ++row) {
    if (row > 0 && python.thread[row] != python.thread[row - 1]) open.clear();
    while (!open.empty() && SpanOf(python, open.back()).end <= python.start[row]) open.pop_back();
    if (!open.empty()) parents[row] = open.back();
    open.push_back(row);
  }
  return parents;
}

// Threads with recorded functions, operators or ranges, in order of their numbers.
std::vector<ThreadId> BusyThreads(const Profile& profile) {
  std::vector<bool> is_busy(profile.threads.size(), false);
  for (const ThreadId thread : profile.python.thread) is_busy[thread.value] = true;
  for (const ThreadId thread : profile.host.thread) is_busy[thread.value] = true;
  std::vector<ThreadId> busy;
  for (std::uint32_t i = 0; i < is_busy.size(); ++i) {
    if (is_busy[i]) busy.push_back(ThreadId{i});
  }
  return busy;
}

}  // namespace

const HostWork& CategoryOf(const GapActivity& activity, classify::HostWorkByName& works) {
  for (const std::string* name : {&activity.innermost, &activity.outermost}) {
    if (const HostWork* known = works.Of(*name)) return *known;
  }
  return activity.innermost.empty() ? kUnknownHostWork : kUnnamedHostWork;
}

ApiId CallOver(const Profile& profile, Span gap, ThreadId thread) {
  if (!thread.valid()) return {};
  const std::uint32_t call = LastStarted(profile.api, thread, gap.start + gap.length() / 2);
  return call != kNone && CoversMost(SpanOf(profile.api, call), gap) ? ApiId{call} : ApiId{};
}

HoldingCalls::HoldingCalls(const Profile& profile) : profile_(profile) {
  const ApiTable& api = profile.api;
  ThreadId last;
  for (std::uint32_t call = 0; call < api.size(); ++call) {
    const bool is_long =
        api.kind[call] == ApiKind::kMemcpy && api.duration[call] >= knowledge::kIdleHoldingCopy;
    if (!is_long && !BlocksHost(api.kind[call], profile.Name(api.name[call]))) continue;
    if (of_thread_.empty() || api.thread[call] != last) of_thread_.emplace_back();
    last = api.thread[call];
    of_thread_.back().push_back(ApiId{call});
  }
}

ApiId HoldingCalls::Over(Span gap) const {
  const Ns middle = gap.start + gap.length() / 2;
  ApiId most;
  for (const std::vector<ApiId>& calls : of_thread_) {
    const auto behind = std::ranges::partition_point(
        calls, [&](ApiId call) { return profile_.api.start[call.value] <= middle; });
    if (behind == calls.begin()) continue;
    const ApiId call = *std::prev(behind);
    const Ns common = Common(SpanOf(profile_.api, call.value), gap);
    if (2 * common <= gap.length()) continue;
    if (!most.valid() || common > Common(SpanOf(profile_.api, most.value), gap)) most = call;
  }
  return most;
}

GapActivities::GapActivities(const iterations::RankContext& rank)
    : rank_(rank),
      python_parent_(ParentsOf(rank.profile->python)),
      threads_(BusyThreads(*rank.profile)) {}

GapActivities::Source GapActivities::SourceOf(StringId id) {
  const auto [at, is_new] = sources_.try_emplace(id.value);
  if (is_new) {
    const std::string_view name = rank_.profile->Name(id);
    at->second = {!classify::IsLibrary(name), NamesFile(name)};
  }
  return at->second;
}

// Adds frames from the innermost in the gap's middle outward: all that cover most of it are there.
void GapActivities::AddPython(ThreadId thread, Span gap, std::vector<Frame>& frames) {
  const PythonTable& python = rank_.profile->python;
  const Ns middle = gap.start + gap.length() / 2;
  std::size_t level = 0;
  for (std::uint32_t row = LastStarted(python, thread, middle); row != kNone && level < kMostLevels;
       row = python_parent_[row], ++level) {
    const Span time = SpanOf(python, row);
    const StringId name = python.name[row];
    if (rank_.profile->Name(name).empty() || !CoversMost(time, gap)) continue;
    frames.push_back({time, name, {}, SourceOf(name)});
  }
}

// Adds ranges of the host table in the same way; its rows store their parents. Any range counts as
// the user's; it has a file if the user's function in its stack has one.
void GapActivities::AddRanges(ThreadId thread, Span gap, std::vector<Frame>& frames) {
  const Profile& profile = *rank_.profile;
  const HostTable& host = profile.host;
  const Ns middle = gap.start + gap.length() / 2;
  std::size_t level = 0;
  for (HostId row{LastStarted(host, thread, middle)}; row.valid() && level < kMostLevels;
       row = host.parent[row.value], ++level) {
    const HostKind kind = host.kind[row.value];
    if (kind == HostKind::kIterationMarker || kind == HostKind::kOverhead) continue;
    const Span time = SpanOf(host, row.value);
    const StringId name = host.name[row.value], stack = host.call_stack[row.value];
    if (profile.Name(name).empty() || !CoversMost(time, gap)) continue;
    const bool has_file = stack.valid() && NamesFile(classify::UsersFunction(profile.Name(stack)));
    frames.push_back({time, name, stack, {true, has_file}});
  }
}

void GapActivities::AddFrames(ThreadId thread, Span gap, std::vector<Frame>& frames) {
  AddPython(thread, gap, frames);
  AddRanges(thread, gap, frames);
}

// A framework's thread, e.g. autograd's, has no functions of the user: they are on other threads.
void GapActivities::AddOthers(ThreadId launching, Span gap, std::vector<Frame>& frames) {
  const bool any = !frames.empty();
  for (std::size_t i = 0; i < std::min(threads_.size(), kMostOthers); ++i) {
    if (threads_[i] == launching) continue;
    std::vector<Frame> others;
    AddFrames(threads_[i], gap, others);
    if (any) std::erase_if(others, [](const Frame& frame) { return !HasUsersFile(frame); });
    frames.insert(frames.end(), others.begin(), others.end());
    if (!others.empty()) return;
  }
}

// "aten::item (train.py(90): step)": the range, and the user's function that called it.
std::string GapActivities::TextOf(const Frame& frame) const {
  const std::string_view name = rank_.profile->Name(frame.name);
  const std::string_view function = classify::UsersFunction(rank_.profile->Name(frame.stack));
  return function.empty() ? std::string(name) : fmt::format("{} ({})", name, function);
}

// Example of a gap. main is longer than twice the gap, and resize covers less than nine tenths of
// it, so preprocess is named first.
//
//   gap                  |==========|
//   main           |-----------------------------------|     around the gap: `outermost`, unless
//   preprocess          |------------|                       it runs during the whole window
//   resize                 |-------|                         `innermost` is preprocess
GapActivity GapActivities::Of(Span gap, ThreadId launching) {
  std::vector<Frame> frames;
  if (launching.valid()) AddFrames(launching, gap, frames);
  if (std::none_of(frames.begin(), frames.end(), HasUsersFile)) AddOthers(launching, gap, frames);
  const auto is_users = [](const Frame& frame) { return frame.source.is_users; };
  if (std::any_of(frames.begin(), frames.end(), is_users)) {
    std::erase_if(frames, [&](const Frame& frame) { return !is_users(frame); });
  }
  if (frames.empty()) return {};
  const auto shorter = [](const Frame& a, const Frame& b) {
    return a.time.length() < b.time.length();
  };
  const auto innermost = [&](const Frame& a, const Frame& b) {
    // Neither a small part of the gap nor a loop around it.
    const auto is_other = [gap](const Frame& frame) {
      return Common(frame.time, gap) < knowledge::kIdleFrameShare.Of(gap.length()) ||
             frame.time.length() > knowledge::kIdleFrameLength.Of(gap.length());
    };
    return std::tuple(is_other(a), a.time.length()) < std::tuple(is_other(b), b.time.length());
  };
  GapActivity out;
  out.innermost = TextOf(*std::min_element(frames.begin(), frames.end(), innermost));
  const Span window = rank_.window();
  const auto is_whole = [window](const Frame& frame) {
    return frame.time.start <= window.start && frame.time.end >= window.end;
  };
  if (!std::all_of(frames.begin(), frames.end(), is_whole)) std::erase_if(frames, is_whole);
  out.outermost = TextOf(*std::max_element(frames.begin(), frames.end(), shorter));
  return out;
}

}  // namespace profgauge::analysis::breakdown
