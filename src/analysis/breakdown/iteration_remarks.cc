#include "analysis/breakdown/iteration_remarks.h"

#include "analysis/breakdown/run_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/markers.h"
#include "analysis/iterations/observed.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/iterations.h"
#include "knowledge/loss.h"
#include "model/lost_launches.h"

namespace profgauge::analysis::breakdown {
namespace {

// Iterations are the markers of one thread; another process has its own rate. A far slower process
// is not judged, so it gets a remark.
void RemarkProcesses(std::span<const IterationFacts> ranks, catalog::Output& out) {
  for (const IterationFacts& rank : ranks) {
    const MarkingProcesses& processes = rank.processes;
    if (processes.count < 2) continue;
    const std::string several =
        fmt::format("{} processes or threads mark iterations in one profile: those of one are used",
                    FormatCount(processes.count));
    if (processes.slower > knowledge::kIterationsPacesApart) {
      return out.AddRemark(
          std::string(iterations::kProcessesApart),
          fmt::format("{}; those of another take {:.1f} times as long; record each separately",
                      several, processes.slower));
    }
    return out.AddRemark("several-processes", several + "; record each separately");
  }
}

// Notes markers that are not iterations, or only parts of them.
void RemarkOtherMarkers(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  constexpr std::string_view kId = "other-markers", kHow = "--iteration-marker selects others";
  for (const iterations::RankContext& rank : ranks) {
    const IterationSource& source = rank.iterations.source;
    const bool has_families = source.by == IterationsBy::kMarkers && !source.detail.empty();
    if (has_families) {
      out.AddRemark(std::string(kId),
                    fmt::format("iterations are the markers {}; {}", source.detail, kHow));
    }
    if (!rank.iterations.nested.empty()) {
      out.AddRemark(std::string(kId),
                    fmt::format("markers {} around or inside the iterations are ignored; {}",
                                rank.iterations.nested, kHow));
    }
    if (has_families || !rank.iterations.nested.empty()) return;
  }
}

// The loss of the rank with the largest share of lost iterations, including those that only other
// ranks have. Shares are compared exactly, as integers.
LostIterations MostLost(std::span<const iterations::RankContext> ranks) {
  LostIterations most;
  for (const iterations::RankContext& rank : ranks) {
    const std::int64_t lost = rank.iterations.dropped_at_end;
    const auto common = static_cast<std::int64_t>(rank.iterations.all.size());
    const auto partial = static_cast<std::int64_t>(rank.iterations.partial.size());
    const std::int64_t all = common + std::max(lost, partial);
    if (lost * std::max<std::int64_t>(most.all, 1) > most.lost * all) most = {lost, all};
  }
  return most;
}

// A profile that stops may miss iterations in flight, which is only noted. If a quarter is missing,
// the profile has lost iterations.
void RemarkLost(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  const LostIterations most = MostLost(ranks);
  if (most.lost == 0) return;
  const std::string all = FormatCount(most.all), lost = FormatCount(most.lost);
  if (!AreFew(most)) {
    return out.AddRemark(
        std::string(iterations::kIterationsLost),
        fmt::format(
            "the last {} of {} iterations are excluded: they launched work that was not recorded",
            lost, all));
  }
  out.AddRemark(
      "incomplete-iterations",
      most.lost == 1
          ? fmt::format("the last of {} iterations is excluded: part of its work was not recorded",
                        all)
          : fmt::format(
                "the last {} of {} iterations are excluded: part of their work was not recorded",
                lost, all));
}

// Without markers, the work of launches at the end may be missing, too. A few are in flight when
// the profile stops.
void RemarkLaunchesAfter(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  LostIterations most;
  for (const iterations::RankContext& rank : ranks) {
    const iterations::Iterations& own = rank.iterations;
    const bool is_more = !IsMarked(rank) && own.launches_behind > most.lost;
    if (is_more) most = {own.launches_behind, own.launches_seen};
  }
  if (most.lost < knowledge::kLossLeastLaunchesOfNone || AreFew(most)) return;
  out.AddRemark(std::string(iterations::kIterationsLost),
                fmt::format("the work of the last {} of {} launches was not recorded",
                            FormatCount(most.lost), FormatCount(most.all)));
}

// Notes iterations that the profiler lost while it started.
void RemarkLostHead(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  LostIterations most;
  for (const iterations::RankContext& rank : ranks) {
    const iterations::Iterations& own = rank.iterations;
    if (own.dropped_at_start <= most.lost) continue;
    most = {own.dropped_at_start,
            own.dropped_at_start + static_cast<std::int64_t>(own.all.size()) + own.dropped_at_end};
  }
  if (most.lost == 0) return;
  out.AddRemark(
      AreFew(most) ? std::string(iterations::kIncompleteStart)
                   : std::string(iterations::kIterationsLost),
      most.lost == 1
          ? fmt::format("the first of {} iterations is excluded: part of its work was not recorded",
                        FormatCount(most.all))
          : fmt::format(
                "the first {} of {} iterations are excluded: part of their work was not recorded",
                FormatCount(most.lost), FormatCount(most.all)));
}

// A thread runs one iteration at a time, so overlapping markers have wrong times. A few are
// repaired and named; with many, the iteration time is unknown and the verdict undecided.
void RemarkDisplaced(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  iterations::MarkerFaults most;
  for (const iterations::RankContext& rank : ranks) {
    if (rank.iterations.marker_faults.count() > most.count()) most = rank.iterations.marker_faults;
  }
  if (most.count() == 0) return;
  std::string text;
  if (most.displaced > 0) {
    text = fmt::format("{} of {} iteration markers overlap others of their kind", most.displaced,
                       most.all);
  }
  if (most.open > 0) {
    text += fmt::format(
        "{}{} of {} iteration markers last over the next ones: each is taken to end "
        "where the next begins",
        text.empty() ? "" : ", and ", most.open, most.all);
  }
  const bool is_few = most.count() <= knowledge::kIterationsLostLittleShare.Of(most.all);
  if (!is_few) text += "; the iteration time is unknown";
  out.AddRemark(is_few ? "markers-mended" : std::string(iterations::kMarkersDisplaced),
                std::move(text));
}

// A profile that stops cuts the running iteration, which is no fault. Its work is not counted.
void RemarkUnfinished(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  const bool any = std::ranges::any_of(ranks, [](const iterations::RankContext& rank) {
    return rank.iterations.marker_faults.unfinished > 0;
  });
  if (!any) return;
  out.AddRemark("unfinished-iteration",
                "the last iteration was not finished when the profile ended; it is excluded");
}

void RemarkMarkersWithoutWork(std::span<const iterations::RankContext> ranks,
                              catalog::Output& out) {
  for (const iterations::RankContext& rank : ranks) {
    const std::string& family = rank.iterations.without_work;
    if (family.empty()) continue;
    return out.AddRemark(
        "markers-without-work",
        fmt::format("markers `{}` are ignored: ", family) +
            out.Told("nearly all {{ device.device }} work was launched outside of them"));
  }
}

// Ranks without work, whose run would be judged by the others. A rank counts only if a listed GPU
// or runtime calls show that it should have work.
void SetRanksWithoutWork(std::span<const iterations::RankContext> ranks,
                         std::span<const IterationFacts> facts, catalog::Output& out) {
  constexpr MetricId kId = metric::kProfileRanksWithoutWork;
  constexpr std::int64_t kMostNamed = 8;
  std::string list;
  std::int64_t without = 0, with = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    with += facts[i].has_device ? 1 : 0;
    const bool expects = facts[i].has_api || facts[i].gpus_listed > 0;
    if (facts[i].has_device || !expects || !ranks[i].profile->has_timeline) continue;
    if (++without <= kMostNamed) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", ranks[i].rank);
    }
    if (without == kMostNamed + 1) list += ", …";
  }
  if (with == 0) return out.SetAbsent(kId, out.Gap(Capability::kDeviceEvents));
  out.Set(kId, without);
  if (without == 0) return;
  const std::string nothing = out.Told(
      "there is no {{ device.device }} work, although a {{ device.device }} is listed or its "
      "runtime was called");
  out.AddRemark(std::string(iterations::kRanksWithoutWork),
                fmt::format("in the recording of {} of {} ranks ({}) {}", FormatCount(without),
                            FormatCount(static_cast<std::int64_t>(ranks.size())), list, nothing));
}

// Names the first setup call and the part of the profile excluded because of it. Returns whether
// there was any.
bool RemarkSetup(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  for (const iterations::RankContext& rank : ranks) {
    const std::vector<bool> before = iterations::CallsBeforeWindow(*rank.profile, rank.iterations);
    const auto first = std::find(before.begin(), before.end(), true);
    if (first == before.end()) continue;
    const auto call = static_cast<std::size_t>(first - before.begin());
    const Ns begin =
        std::min(rank.iterations.all.front().host.start, rank.profile->api.start[call]);
    const Ns left_out = rank.iterations.window.start - begin;
    if (left_out <= 0) continue;
    out.AddRemark(
        "set-up",
        fmt::format(
            "the first {} are excluded: the host sets up the device in them (calls such as {})",
            FormatDuration(static_cast<double>(left_out)),
            rank.profile->Name(rank.profile->api.name[call])));
    return true;
  }
  return false;
}

// Whether an operator or device work overlaps that time. Annotations do not count: a range around
// the whole program would make every part look busy.
bool HasOperatorOrWork(const Profile& profile, Span time) {
  const auto touches = [time](Ns start, Ns duration) {
    return start < time.end && start + std::max<Ns>(duration, 0) > time.start;
  };
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    if (profile.host.kind[row] != HostKind::kOp) continue;
    if (touches(profile.host.start[row], profile.host.duration[row])) return true;
  }
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    if (touches(profile.device.start[row], profile.device.duration[row])) return true;
  }
  return false;
}

// Notes the judged part of a profile without iterations, unless it is nearly the whole profile.
void RemarkWindow(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  for (const iterations::RankContext& rank : ranks) {
    const Profile& profile = *rank.profile;
    if (IsMarked(rank) || !profile.has_timeline || profile.neuron != nullptr) continue;
    const Ns recorded = profile.last - profile.first;
    const Span window = rank.window();
    const Ns judged = window.length();
    const Ns left_out = recorded - judged;
    if (left_out < knowledge::kIterationsRemarkLeast ||
        left_out < knowledge::kIterationsRemarkShare.WholeOf(recorded))
      continue;
    std::string why;
    const auto is_empty = [&](Span time) {
      return time.length() >= knowledge::kIterationsRemarkLeast &&
             !HasOperatorOrWork(profile, time);
    };
    const auto add = [&](Span time, std::string_view busy, std::string_view empty) {
      if (time.length() < knowledge::kIterationsRemarkLeast) return;
      why += why.empty() ? "" : "; ";
      why += out.Told(std::string(is_empty(time) ? empty : busy));
    };
    const auto& launches = profile.device.launch;
    const bool has_launches =
        std::any_of(launches.begin(), launches.end(), [](ApiId id) { return id.valid(); });
    const Span before = {profile.first, window.start}, after = {window.end, profile.last};
    if (is_empty(before) && is_empty(after)) {
      why = "no operator or device work was recorded before and after that";
    } else {
      add(before,
          has_launches
              ? "before that, the {{ device.device }} finished earlier work"
              : "before that, the host paused, and {{ device.device }} activity is unknown",
          "no operator or device work was recorded before that");
      add(after, "after that, only the host was active",
          "no operator or device work was recorded after that");
    }
    if (why.empty()) continue;
    out.AddRemark("window",
                  fmt::format("judged: {} of {}; {}", FormatDuration(static_cast<double>(judged)),
                              FormatDuration(static_cast<double>(recorded)), why));
    return;
  }
}

// If a rank has less than three quarters, ranks did not only start or end at different times.
void RemarkPartial(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::span<const std::string> partial;  // Partial iterations are equal on all ranks.
  LostIterations most;
  for (const iterations::RankContext& rank : ranks) {
    if (rank.iterations.partial.empty()) continue;
    partial = rank.iterations.partial;
    most.lost = std::max(most.lost, rank.iterations.lacking);
    most.all = static_cast<std::int64_t>(partial.size() + rank.iterations.all.size());
  }
  if (partial.empty()) return;
  std::string list;
  for (const std::string& name : partial) {
    list += fmt::format("{}#{}", list.empty() ? "" : ", ", name);
  }
  out.AddRemark(AreFew(most) ? "partial-iterations" : std::string(iterations::kIterationsPartial),
                fmt::format("{} excluded because not every rank recorded {}: {}",
                            partial.size() == 1 ? "an iteration is" : "some iterations are",
                            partial.size() == 1 ? "it" : "them", list));
}

// Without numbers, positions identify iterations, which requires equal counts on all ranks.
void RemarkUnlikeCounts(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
  for (const iterations::RankContext& rank : ranks) {
    if (!IsMarked(rank) || rank.iterations.has_numbers) continue;
    const auto count = static_cast<std::int64_t>(rank.iterations.all.size());
    least = std::min(least, count);
    most = std::max(most, count);
  }
  if (most == 0 || AreFew({most - least, most})) return;
  out.AddRemark(
      std::string(iterations::kIterationsPartial),
      fmt::format(
          "ranks have different numbers of iterations ({} and {}), and iterations are not numbered",
          FormatCount(least), FormatCount(most)));
}

void RemarkWithoutMarkers(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  const auto marked = std::count_if(ranks.begin(), ranks.end(), IsMarked);
  if (marked == 0 || marked == static_cast<std::ptrdiff_t>(ranks.size())) return;
  const auto without = std::find_if_not(ranks.begin(), ranks.end(), IsMarked);
  out.AddRemark(
      std::string(iterations::kRanksWithoutMarkers),
      fmt::format("{} of {} ranks have no iteration markers (the first is {}), so iteration times "
                  "are those of the other ranks; {}",
                  FormatCount(static_cast<std::int64_t>(ranks.size()) - marked),
                  FormatCount(static_cast<std::int64_t>(ranks.size())), without->rank,
                  out.HowToRecord(Capability::kIterationMarkers, "put a marker around each")));
}

}  // namespace

LostIterations MostLostInside(std::span<const iterations::RankContext> ranks) {
  LostIterations most;
  for (const iterations::RankContext& rank : ranks) {
    const auto count = static_cast<std::int64_t>(rank.iterations.all.size());
    if (rank.iterations.lost > most.lost) most = {rank.iterations.lost, count};
  }
  return most;
}

// A rank without any launches has not lost iterations: its launches, or its device, were not
// recorded at all.
LostIterations MostWithoutLaunches(std::span<const iterations::RankContext> ranks) {
  LostIterations most;
  for (const iterations::RankContext& rank : ranks) {
    const std::vector<iterations::Iteration>& all = rank.iterations.all;
    if (!IsMarked(rank) || rank.iterations.source.by == IterationsBy::kRange) continue;
    const std::int64_t without =
        std::count_if(all.begin(), all.end(),
                      [](const iterations::Iteration& each) { return each.device_events == 0; });
    const auto count = static_cast<std::int64_t>(all.size());
    if (without == count) continue;  // No launch was recorded at all.
    if (without * std::max<std::int64_t>(most.all, 1) > most.lost * count) most = {without, count};
  }
  return most;
}

bool AreFew(const LostIterations& of) {
  return of.lost < knowledge::kIterationsLostLeast ||
         of.lost < knowledge::kIterationsLostShare.Of(of.all);
}

bool IsMarked(const iterations::RankContext& rank) {
  return rank.iterations.source.by != IterationsBy::kUndivided;
}

void AddIterationRemarks(std::span<const iterations::RankContext> ranks,
                         std::span<const IterationFacts> facts, catalog::Output& out) {
  RemarkProcesses(facts, out);
  RemarkOtherMarkers(ranks, out);
  RemarkLost(ranks, out);
  RemarkLaunchesAfter(ranks, out);
  RemarkLostHead(ranks, out);
  RemarkDisplaced(ranks, out);
  RemarkUnfinished(ranks, out);
  RemarkMarkersWithoutWork(ranks, out);
  SetRanksWithoutWork(ranks, facts, out);
  RemarkWithoutMarkers(ranks, out);
  if (!RemarkSetup(ranks, out)) RemarkWindow(ranks, out);
  RemarkPartial(ranks, out);
  RemarkUnlikeCounts(ranks, out);
}

}  // namespace profgauge::analysis::breakdown
