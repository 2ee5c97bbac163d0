#include "analysis/context/markers.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "analysis/context/derived_markers.h"
#include "analysis/context/iteration_ways.h"
#include "analysis/context/text_test.h"
#include "base/errors.h"
#include "knowledge/iterations.h"
#include "knowledge/launches.h"

namespace profgauge::analysis::context {
namespace {

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

// The markers of one thread, with their faults.
struct OfThread {
  std::vector<Marker> found;
  ThreadId thread;
  MarkerFaults faults;
};

// The outermost of `all`, which are of one thread, by start. Of operators that begin iterations
// only the starts matter (`needs_ends` is false).
OfThread OutermostOf(const Profile& profile, std::vector<Marker> all, ThreadId thread,
                     bool needs_ends) {
  OfThread of{{}, thread, {}};
  of.faults.all = static_cast<std::int64_t>(all.size());
  if (needs_ends) of.faults.unfinished = EndMarkersWithoutLength(profile, all).empty() ? 0 : 1;
  of.faults.open = EndOpenMarkers(profile, all);
  for (const Marker& marker : all) {
    if (of.found.empty() || marker.host.end > of.found.back().host.end) of.found.push_back(marker);
  }
  of.faults.displaced = CountDisplaced(profile, of.found, all);
  return of;
}

// The outermost rows that `wanted` accepts of the thread that has most of them: a copy of the
// marker elsewhere would count it twice. Rows are sorted by thread.
OfThread OfOneThread(const Profile& profile, const std::function<bool(std::size_t)>& wanted,
                     bool needs_ends) {
  const HostTable& host = profile.host;
  OfThread best;
  std::vector<Marker> current;
  ThreadId thread;
  const auto finish = [&] {
    OfThread of = OutermostOf(profile, std::move(current), thread, needs_ends);
    if (of.found.size() > best.found.size()) best = std::move(of);
    current.clear();
  };
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (!wanted(row)) continue;
    if (host.thread[row] != thread) {
      finish();
      thread = host.thread[row];
    }
    current.push_back({RowSpan(host, row), host.name[row]});
  }
  finish();
  return best;
}

// The user's own marker. No family or number is asked for: all that matches is one kind.
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
  OfThread of_thread = OfOneThread(
      profile, [&](std::size_t row) { return matches(profile.host.name[row]); }, true);
  Markers markers{std::move(of_thread.found), {IterationsBy::kPattern, pattern}, of_thread.thread};
  markers.faults = of_thread.faults;
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

// Ops whose name contains the given one ("aten::conv2d" for "conv2d"), the most frequent first.
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
  constexpr std::size_t kLikeNamesListed = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(order.size(), kLikeNamesListed); ++i) {
    list += fmt::format("{}`{}` ({} times)", i == 0 ? "" : ", ", order[i].second, -order[i].first);
  }
  if (list.empty()) return {};
  return {"help: operators of that name: " + list};
}

// An iteration runs from one start of the op to the next, so n starts make n - 1 iterations.
Result<Markers> MarkersByKeyOp(const Profile& profile, const std::string& name) {
  const StringId id = profile.strings.Find(name);
  OfThread of_thread;
  if (id.valid()) {
    of_thread = OfOneThread(
        profile, [&](std::size_t row) { return profile.host.name[row] == id; }, false);
  }
  const std::vector<Marker>& starts = of_thread.found;
  if (starts.size() < 2) {
    Error error = UsageError(
        "analysis/no-key-op",
        fmt::format(
            "the key operator `{}` occurs {}; expected at least twice, an iteration runs from "
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
// outside of any op (CUDA graphs). Annotations do not count as activity; a trace without host
// events is measured over its device events.
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
  for (std::size_t call = 0; call < profile.api.size(); ++call) {
    if (profile.api.kind[call] != ApiKind::kLaunch) continue;
    Extend(extent, profile.api.start[call], profile.api.duration[call]);
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

// Without recorded markers: by other events, else the whole.
Markers UnmarkedParts(const Profile& profile) {
  const Span extent = WholeExtent(profile);
  DerivedMarkers derived = DeriveMarkers(profile, extent);
  if (!derived.found.empty()) {
    return Markers{std::move(derived.found), std::move(derived.source), derived.thread};
  }
  return Markers{{{extent, {}}}, {IterationsBy::kUndivided}, {}};
}

}  // namespace

// The order of ways is that of the header. A range is clipped to the profile; one that begins after
// its end is an error.
Result<Markers> FindMarkers(const Profile& profile, const Selection& selection,
                            bool without_recorded) {
  if (selection.range) {
    const Span range = *selection.range;
    const Ns end = std::max(profile.last, profile.span_end);
    if (range.end <= range.start || range.start >= end) {
      return Fail(UsageError(
          "analysis/empty-range",
          fmt::format("the range from {} to {} ns is empty, the profile is {} ns long", range.start,
                      range.end, end),
          "times count from the start of the profile; `profgauge inspect` shows its length"));
    }
    return Markers{{{{range.start, std::min(range.end, end)}, {}}}, {IterationsBy::kRange}, {}};
  }
  if (!selection.iteration_marker.empty()) {
    return MarkersByPattern(profile, selection.iteration_marker);
  }
  if (!selection.key_op.empty()) return MarkersByKeyOp(profile, selection.key_op);
  if (without_recorded) return UnmarkedParts(profile);
  ChosenMarkers chosen = ChooseMarkers(profile);
  Markers markers{
      std::move(chosen.found), {IterationsBy::kMarkers, std::move(chosen.families)}, chosen.thread};
  markers.nested = std::move(chosen.nested);
  markers.faults = chosen.faults;
  LengthenMarks(profile, markers);
  if (markers.found.size() < 2) {
    DerivedMarkers derived = markers.found.empty() ? DerivedMarkers{} : EngineSteps(profile);
    if (!derived.found.empty()) {
      return Markers{std::move(derived.found), std::move(derived.source), derived.thread};
    }
  }
  if (markers.found.empty()) return UnmarkedParts(profile);
  if (profile.Name(markers.found.front().name).starts_with(kProfilerStep)) {
    markers.source = {IterationsBy::kProfilerSteps};
  }
  return markers;
}

// The union of both, with the time between them.
void Extend(std::optional<Span>& extent, Ns start, Ns duration) {
  const Span span{start, start + std::max<Ns>(duration, 0)};
  if (!extent) {
    extent = span;
  } else {
    extent->start = std::min(extent->start, span.start);
    extent->end = std::max(extent->end, span.end);
  }
}

}  // namespace profgauge::analysis::context
