#include "analysis/context/markers.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "analysis/context/repeated_ranges.h"
#include "analysis/context/setup_calls.h"
#include "base/errors.h"

namespace profgauge {
namespace {

// Work that starts this soon after its launching call found nothing queued before it.
constexpr Ns kEmptyQueue = 50'000;

// Marks without a length last to the next one, as `dur` 0 or none says nothing of an iteration.
void LengthenMarks(const Profile& profile, Markers& markers) {
  std::vector<Marker>& found = markers.found;
  markers.last_is_open = !found.empty() && found.back().host.end <= found.back().host.start;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].host.end > found[i].host.start) continue;
    found[i].host.end = i + 1 < found.size() ? found[i + 1].host.start
                                             : std::max(found[i].host.start, profile.last);
  }
}

struct OfThread {
  std::vector<Marker> found;
  ThreadId thread;
};

// The outermost rows that `wanted` accepts of the thread that has most of them: a copy of the
// marker elsewhere would count it twice.
OfThread OfOneThread(const Profile& profile, const std::function<bool(std::size_t)>& wanted) {
  const HostTable& host = profile.host;
  OfThread best;
  std::vector<Marker> current;
  ThreadId thread;
  Ns covered = 0;
  const auto finish = [&] {
    if (current.size() > best.found.size()) best = {std::move(current), thread};
    current.clear();
  };
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (!wanted(row)) continue;
    const Span span = RowSpan(host, row);
    if (host.thread[row] != thread) {
      finish();
      thread = host.thread[row];
    } else if (!current.empty() && span.end <= covered) {
      continue;
    }
    current.push_back({span, host.name[row]});
    covered = span.end;
  }
  finish();
  return best;
}

// Whether the text of `id` satisfies `test`, asked once per distinct text.
class TextTest {
 public:
  TextTest(const Profile& profile, std::function<bool(std::string_view)> test)
      : profile_(profile), test_(std::move(test)), known_(profile.strings.size(), kUnknown) {}
  bool operator()(StringId id) {
    if (!id.valid()) return false;
    char& answer = known_[id.value];
    if (answer == kUnknown) answer = test_(profile_.strings[id]) ? kYes : kNo;
    return answer == kYes;
  }

 private:
  static constexpr char kUnknown = 0, kNo = 1, kYes = 2;
  const Profile& profile_;
  std::function<bool(std::string_view)> test_;
  std::vector<char> known_;
};

Result<Markers> MarkersByPattern(const Profile& profile, const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 regex(pattern, options);
  if (!regex.ok()) {
    return Fail(UsageError("analysis/bad-marker",
                           fmt::format("the iteration marker `{}` is not a regular expression: {}",
                                       pattern, regex.error()),
                           "see the RE2 syntax; quote the pattern in the shell"));
  }
  TextTest matches(profile, [&](std::string_view text) {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex);
  });
  OfThread of_thread =
      OfOneThread(profile, [&](std::size_t row) { return matches(profile.host.name[row]); });
  Markers markers{std::move(of_thread.found), {IterationsBy::kPattern, pattern}, of_thread.thread};
  LengthenMarks(profile, markers);
  if (markers.found.empty()) {
    Error error =
        UsageError("analysis/no-marker",
                   fmt::format("no host range matches the iteration marker `{}`", pattern));
    error.notes = RepeatedRangesHelp(profile, true);
    return Fail(std::move(error));
  }
  return markers;
}

// Ops whose name holds what was asked for ("aten::conv2d" for "conv2d"), the most frequent first.
std::vector<std::string> LikeNames(const Profile& profile, std::string_view name) {
  std::map<std::string_view, std::int64_t> counts;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    const std::string_view other = profile.Name(profile.host.name[row]);
    if (profile.host.kind[row] == HostKind::kOp && other.find(name) != other.npos) ++counts[other];
  }
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  for (const auto& [other, count] : counts) {
    if (count > 1) order.emplace_back(-count, other);
  }
  std::sort(order.begin(), order.end());
  constexpr std::size_t kMost = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
    list += fmt::format("{}`{}` ({} times)", i == 0 ? "" : ", ", order[i].second, -order[i].first);
  }
  if (list.empty()) return {};
  return {"help: ops of that name: " + list};
}

// An iteration runs from one start of the op to the next, so n starts make n - 1 iterations.
Result<Markers> MarkersByKeyOp(const Profile& profile, const std::string& name) {
  const StringId id = profile.strings.Find(name);
  OfThread of_thread;
  if (id.valid()) {
    of_thread = OfOneThread(profile, [&](std::size_t row) { return profile.host.name[row] == id; });
  }
  const std::vector<Marker>& starts = of_thread.found;
  if (starts.size() < 2) {
    Error error = UsageError(
        "analysis/no-key-op",
        fmt::format("the key op `{}` occurs {}; expected at least twice, an iteration runs from "
                    "one start to the next",
                    name, starts.empty() ? "nowhere" : "once"));
    error.notes = LikeNames(profile, name);
    for (std::string& line : RepeatedRangesHelp(profile, false)) {
      error.notes.push_back(std::move(line));
    }
    return Fail(std::move(error));
  }
  Markers markers{{}, {IterationsBy::kKeyOp, name}, of_thread.thread};
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    markers.found.push_back({{starts[i].host.start, starts[i + 1].host.start}, {}});
  }
  return markers;
}

// Without markers, one iteration over all host activity: ops, and the calls that launched work
// outside of any op (CUDA graphs). Annotations alone are no activity; a trace without host events
// is measured over its device events.
Span WholeExtent(const Profile& profile) {
  // A device profile of Neuron says itself how long the execution took.
  if (profile.neuron != nullptr && profile.span_end > profile.span_start) {
    return {profile.span_start, profile.span_end};
  }
  std::optional<Span> extent;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    const HostKind kind = profile.host.kind[row];
    if (kind != HostKind::kOp && kind != HostKind::kPython) continue;
    Extend(extent, profile.host.start[row], profile.host.duration[row]);
  }
  for (const ApiId launch : profile.device.launch) {
    if (!launch.valid()) continue;
    Extend(extent, profile.api.start[launch.value], profile.api.duration[launch.value]);
  }
  if (extent) return *extent;
  for (std::size_t row = 0; row < profile.python.size(); ++row) {
    Extend(extent, profile.python.start[row], profile.python.duration[row]);
  }
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    Extend(extent, profile.host.start[row], profile.host.duration[row]);
  }
  if (extent) return *extent;
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    Extend(extent, profile.device.start[row], profile.device.duration[row]);
  }
  if (extent) return *extent;
  for (std::size_t row = 0; row < profile.api.size(); ++row) {
    Extend(extent, profile.api.start[row], profile.api.duration[row]);
  }
  return extent.value_or(Span{});
}

// Whether the recording ends with launches whose work it does not have: it stopped in flight.
bool StopsInFlight(const Profile& profile) {
  std::vector<bool> ran(profile.api.size(), false);
  Ns last = std::numeric_limits<Ns>::min();
  for (const ApiId launch : profile.device.launch) {
    if (!launch.valid()) continue;
    ran[launch.value] = true;
    last = std::max(last, profile.api.start[launch.value]);
  }
  bool in_flight = false;
  for (std::size_t call = 0; call < profile.api.size(); ++call) {
    // What is captured into a graph does not run: its launches say nothing.
    if (profile.Name(profile.api.name[call]).find("BeginCapture") != std::string_view::npos)
      return false;
    in_flight |=
        profile.api.kind[call] == ApiKind::kLaunch && !ran[call] && profile.api.start[call] > last;
  }
  return in_flight;
}

}  // namespace

Result<Markers> FindMarkers(const Profile& profile, const Selection& selection) {
  if (selection.range) {
    const Span range = *selection.range;
    const Ns end = std::max(profile.last, profile.span_end);
    if (range.end <= range.start || range.start >= end) {
      return Fail(UsageError(
          "analysis/empty-range",
          fmt::format("the range from {} to {} ns holds nothing, the recording "
                      "is {} ns long",
                      range.start, range.end, end),
          "times count from the start of the recording; `profgauge inspect` shows its length"));
    }
    return Markers{{{{range.start, std::min(range.end, end)}, {}}}, {IterationsBy::kRange}, {}};
  }
  if (!selection.iteration_marker.empty()) {
    return MarkersByPattern(profile, selection.iteration_marker);
  }
  if (!selection.key_op.empty()) return MarkersByKeyOp(profile, selection.key_op);
  ChosenMarkers chosen = ChooseMarkers(profile);
  Markers markers{
      std::move(chosen.found), {IterationsBy::kMarkers, std::move(chosen.families)}, chosen.thread};
  markers.nested = std::move(chosen.nested);
  LengthenMarks(profile, markers);
  if (markers.found.empty()) {
    return Markers{{{WholeExtent(profile), {}}}, {IterationsBy::kUndivided}, {}};
  }
  if (profile.Name(markers.found.front().name).starts_with(kProfilerStep)) {
    markers.source = {IterationsBy::kProfilerSteps};
  }
  return markers;
}

Observable FindObservable(const Profile& profile, Span extent) {
  const DeviceTable& device = profile.device;
  if (device.size() == 0 || !profile.has_timeline || profile.neuron != nullptr) return {extent};
  Ns first = std::numeric_limits<Ns>::max();
  Ns last = std::numeric_limits<Ns>::min();
  for (std::size_t row = 0; row < device.size(); ++row) {
    first = std::min(first, device.start[row]);
    last = std::max(last, device.start[row] + std::max<Ns>(device.duration[row], 0));
  }
  Ns queued = std::min(extent.start, first);  // Since when the first event could have started.
  bool found_empty_queue = false;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (device.start[row] != first || !launch.valid()) continue;
    const Ns returned = profile.api.start[launch.value] + profile.api.duration[launch.value];
    found_empty_queue |= first <= returned + kEmptyQueue;
    queued = std::max(queued, returned);
  }
  Observable found;
  found.window = {found_empty_queue ? std::min(extent.start, first) : first,
                  std::max(extent.end, last)};
  if (!found_empty_queue) found.backlog = std::max<Ns>(0, first - queued);
  // Nor does what the process does begin before its device is set up.
  const SetupTimes setup(profile);
  for (const auto& [call, time] : setup.calls()) {
    found.window.start = std::max(found.window.start, profile.api.start[call] + time);
  }
  if (StopsInFlight(profile)) found.window.end = last;
  return found;
}

void Extend(std::optional<Span>& extent, Ns start, Ns duration) {
  const Span span{start, start + std::max<Ns>(duration, 0)};
  if (!extent) {
    extent = span;
  } else {
    extent->start = std::min(extent->start, span.start);
    extent->end = std::max(extent->end, span.end);
  }
}

}  // namespace profgauge
