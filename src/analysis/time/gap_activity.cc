#include "analysis/time/gap_activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace profgauge {
namespace {

constexpr std::uint32_t kNone = 0xffff'ffff;

// Profilers cut the search path off, so the standard library's files stand there bare.
constexpr std::array<std::string_view, 27> kLibraryStarts = {"<",
                                                             "torch/",
                                                             "torchvision/",
                                                             "torch_npu/",
                                                             "numpy/",
                                                             "scipy/",
                                                             "skimage/",
                                                             "sklearn/",
                                                             "pandas/",
                                                             "cv2/",
                                                             "threading.py",
                                                             "runpy.py",
                                                             "queue.py",
                                                             "selectors.py",
                                                             "contextlib.py",
                                                             "socket.py",
                                                             "subprocess.py",
                                                             "concurrent/",
                                                             "asyncio/",
                                                             "multiprocessing/",
                                                             "importlib/",
                                                             "logging/",
                                                             "functools.py",
                                                             "tempfile.py",
                                                             "weakref.py",
                                                             "PIL/",
                                                             "copy.py"};
constexpr std::array<std::string_view, 4> kLibraryParts = {"site-packages/", "dist-packages/",
                                                           "/lib/python", "/lib64/python"};

bool IsLibrary(std::string_view name) {
  const auto starts = [name](std::string_view start) { return name.starts_with(start); };
  const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  return std::any_of(kLibraryStarts.begin(), kLibraryStarts.end(), starts) ||
         std::any_of(kLibraryParts.begin(), kLibraryParts.end(), has);
}

bool NamesFile(std::string_view text) { return text.find(".py") != text.npos; }

// The innermost function of the user's own files in a call stack; else the innermost.
std::string_view UsersFunction(std::string_view stack) {
  const std::string_view innermost = stack.substr(0, stack.find(';'));
  while (!stack.empty()) {
    const std::size_t end = std::min(stack.find(';'), stack.size());
    const std::string_view function = stack.substr(0, end);
    if (!function.empty() && !IsLibrary(function)) return function;
    stack.remove_prefix(std::min(end + 1, stack.size()));
  }
  return innermost;
}

// More than half: so whatever covers a gap in this sense runs in its middle.
bool CoversMost(Span time, Span gap) {
  const Ns both = std::min(time.end, gap.end) - std::max(time.start, gap.start);
  return both * 2 > gap.length();
}

// The last row of `thread` that starts by `at`, in a table sorted by thread and start; kNone before
// the first.
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

template <class Table>
Span SpanOf(const Table& table, std::uint32_t row) {
  return {table.start[row], table.start[row] + std::max<Ns>(table.duration[row], 0)};
}

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

}  // namespace

GapActivities::GapActivities(const RankContext& rank)
    : rank_(rank), python_parent_(ParentsOf(rank.profile->python)) {}

void GapActivities::AddPython(ThreadId thread, Span gap, std::vector<Frame>& frames) const {
  const PythonTable& python = rank_.profile->python;
  const Ns middle = gap.start + gap.length() / 2;
  for (std::uint32_t row = LastStarted(python, thread, middle); row != kNone;
       row = python_parent_[row]) {
    const Span time = SpanOf(python, row);
    const std::string_view name = rank_.profile->Name(python.name[row]);
    if (name.empty() || !CoversMost(time, gap)) continue;
    frames.push_back({time, std::string(name), !IsLibrary(name), NamesFile(name)});
  }
}

void GapActivities::AddRanges(ThreadId thread, Span gap, std::vector<Frame>& frames) const {
  const Profile& profile = *rank_.profile;
  const HostTable& host = profile.host;
  const Ns middle = gap.start + gap.length() / 2;
  for (HostId row{LastStarted(host, thread, middle)}; row.valid(); row = host.parent[row.value]) {
    const HostKind kind = host.kind[row.value];
    if (kind == HostKind::kIterationMarker || kind == HostKind::kOverhead) continue;
    const Span time = SpanOf(host, row.value);
    const std::string_view name = profile.Name(host.name[row.value]);
    if (name.empty() || !CoversMost(time, gap)) continue;
    Frame frame{time, std::string(name), true, false};
    const std::string_view stack = profile.Name(host.call_stack[row.value]);
    if (const std::string_view function = UsersFunction(stack); !function.empty()) {
      frame.text += fmt::format(" ({})", function);
      frame.has_file = NamesFile(function);
    }
    frames.push_back(std::move(frame));
  }
}

void GapActivities::AddFrames(ThreadId thread, Span gap, std::vector<Frame>& frames) const {
  AddPython(thread, gap, frames);
  AddRanges(thread, gap, frames);
}

GapActivity GapActivities::Of(Span gap, ThreadId launching) const {
  std::vector<Frame> frames;
  if (launching.valid()) AddFrames(launching, gap, frames);
  const auto has_file = [](const Frame& frame) { return frame.is_users && frame.has_file; };
  if (std::none_of(frames.begin(), frames.end(), has_file)) {
    // A thread of the framework, as autograd's, has no functions of its own: the program's stand
    // elsewhere.
    const bool any = !frames.empty();
    for (std::uint32_t i = 0; i < rank_.profile->threads.size(); ++i) {
      if (ThreadId{i} == launching) continue;
      std::vector<Frame> others;
      AddFrames(ThreadId{i}, gap, others);
      if (any) std::erase_if(others, [&](const Frame& frame) { return !has_file(frame); });
      frames.insert(frames.end(), others.begin(), others.end());
      if (!others.empty()) break;
    }
  }
  if (std::any_of(frames.begin(), frames.end(), [](const Frame& f) { return f.is_users; })) {
    std::erase_if(frames, [](const Frame& frame) { return !frame.is_users; });
  }
  if (frames.empty()) return {};
  const auto shorter = [](const Frame& a, const Frame& b) {
    return a.time.length() < b.time.length();
  };
  GapActivity out;
  out.innermost = std::min_element(frames.begin(), frames.end(), shorter)->text;
  const Span window = rank_.window();
  const auto is_whole = [window](const Frame& frame) {
    return frame.time.start <= window.start && frame.time.end >= window.end;
  };
  if (!std::all_of(frames.begin(), frames.end(), is_whole)) std::erase_if(frames, is_whole);
  out.outermost = std::max_element(frames.begin(), frames.end(), shorter)->text;
  return out;
}

}  // namespace profgauge
