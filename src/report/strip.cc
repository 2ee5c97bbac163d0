#include "report/strip.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/breakdown/laid_out.h"
#include "analysis/classify/kernel_class.h"
#include "analysis/communication/rank_tables.h"
#include "base/format.h"
#include "base/whole.h"

namespace profgauge::report {
namespace {

/// A window before its layout. `own` is on the clock of its rank.
struct Chosen {
  Strip::Window window;
  Span own;
  std::size_t calls = 0;
  std::vector<Span> waits;  ///< On the clock of the rank.
};

std::int64_t WholeAt(const Table& table, std::size_t row, std::string_view column) {
  return AsWhole(table.At(row, column), -1);
}

const analysis::RankTime* TimeOf(std::span<const analysis::RankTime> times, std::int64_t rank) {
  const auto found = std::ranges::find(times, rank, &analysis::RankTime::rank);
  return found == times.end() ? nullptr : &*found;
}

// Numbers ranks like BuildTimeline().
const Profile* ProfileOf(std::span<const Profile> ranks, std::int64_t rank) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t recorded = ranks[i].distributed.rank;
    if ((recorded >= 0 ? recorded : static_cast<std::int64_t>(i)) == rank) return &ranks[i];
  }
  return nullptr;
}

// Chooses ranks from `rank_calls`, where the row of an iteration precedes those of its calls.
// Starts there are on the run's clock, which in one iteration differs from the rank's by a
// constant: the distance of a call from the start of its iteration is the same on both.
std::vector<Chosen> ChooseRanks(const Table& calls, std::span<const analysis::RankTime> times) {
  std::vector<Chosen> chosen;
  for (std::size_t row = 0; row < calls.rows(); ++row) {
    const auto at = [&](std::string_view column) { return WholeAt(calls, row, column); };
    const Ns start = at("start");
    if (FormatValue(calls.At(row, "name"), Unit::kText) != "iteration") {
      if (chosen.empty()) continue;
      ++chosen.back().calls;
      if (!(at("waiting") > 0)) continue;
      const Ns own = chosen.back().own.start + start - chosen.back().window.begin;
      chosen.back().waits.push_back({own, own + at("waiting")});
      continue;
    }
    const analysis::RankTime* time = TimeOf(times, at("rank"));
    if (time == nullptr) return {};
    const auto own =
        std::ranges::find(time->iterations, at("step"), &std::pair<std::int64_t, Span>::first);
    if (own == time->iterations.end()) return {};
    Chosen& one = chosen.emplace_back();
    one.window.role = FormatValue(calls.At(row, "role"), Unit::kText);
    one.window.iteration = FormatValue(calls.At(row, "step"), Unit::kCount);
    one.window.rank = at("rank");
    one.window.begin = start;
    one.own = own->second;
  }
  return chosen;
}

Chosen ChooseIteration(const Table& iterations, std::size_t row, std::string_view role) {
  Chosen one;
  const Value name = iterations.At(row, "name");
  one.window.role = role;
  one.window.iteration = IsAbsent(name) ? FormatValue(iterations.At(row, "index"), Unit::kCount)
                                        : FormatValue(name, Unit::kText);
  one.window.rank = std::max<std::int64_t>(0, WholeAt(iterations, row, "rank"));
  one.own.start = WholeAt(iterations, row, "start");
  one.own.end = one.own.start + WholeAt(iterations, row, "duration");
  return one;
}

// The slowest iteration, and the one nearest to the median.
std::vector<Chosen> ChooseIterations(const Table& iterations) {
  std::vector<std::pair<std::int64_t, std::size_t>> lengths;
  for (std::size_t row = 0; row < iterations.rows(); ++row) {
    // If several are equally long, the first.
    const Ns observed =
        WholeAt(iterations, row, "duration") - WholeAt(iterations, row, "unobserved");
    lengths.emplace_back(observed, iterations.rows() - row);
  }
  if (lengths.empty()) return {};
  std::ranges::sort(lengths);
  const auto row_of = [&](const auto& length) { return iterations.rows() - length.second; };
  if (lengths.size() == 1) return {ChooseIteration(iterations, 0, "")};
  const std::size_t slowest = row_of(lengths.back());
  const std::size_t typical = row_of(lengths[(lengths.size() - 1) / 2]);
  return {ChooseIteration(iterations, slowest, "slowest"),
          ChooseIteration(iterations, typical, "typical")};
}

}  // namespace

Strip BuildStrip(std::span<const Profile> ranks, std::span<const analysis::RankTime> times,
                 const analysis::classify::Knowledge& knowledge, const Report& report) {
  Strip strip;
  const Table* calls = FindTableById(report, "rank_calls");
  const Table* iterations = FindTableById(report, "iterations");
  if (Breakdown(report).empty()) return strip;
  std::vector<Chosen> chosen;
  if (calls != nullptr) chosen = ChooseRanks(*calls, times);
  strip.of_ranks = !chosen.empty();
  // Calls beyond the table's last row may wait, too.
  strip.knows_waits = strip.of_ranks && std::ranges::none_of(chosen, [](const Chosen& one) {
                        return one.calls >= analysis::communication::kCallsShown;
                      });
  if (chosen.empty() && iterations != nullptr) chosen = ChooseIterations(*iterations);
  for (const Chosen& one : chosen) {
    const Profile* profile = ProfileOf(ranks, one.window.rank);
    const bool is_drawn = profile != nullptr && profile->has_timeline &&
                          profile->device.size() > 0 && one.own.length() > 0 &&
                          TimeOf(times, one.window.rank) != nullptr;
    if (!is_drawn) return {};
    strip.length = std::max(strip.length, one.window.begin + one.own.length());
  }
  for (Chosen& one : chosen) {
    Strip::Window& window = one.window;
    window.length = one.own.length();
    const double share = static_cast<double>(window.length) / static_cast<double>(strip.length);
    const auto columns = static_cast<Ns>(share * Strip::kColumns + 0.5);
    const std::vector<Span> unobserved = Clip(TimeOf(times, window.rank)->unobserved, one.own);
    const std::vector<Span> waits =
        strip.knows_waits ? Merge(std::move(one.waits)) : std::vector<Span>();
    const Profile& profile = *ProfileOf(ranks, window.rank);
    const analysis::classify::KernelClasses classes =
        analysis::classify::ClassifyDevice(profile, knowledge);
    window.host_communicates = true;
    for (std::size_t row = 0; row < profile.device.size() && window.host_communicates; ++row) {
      window.host_communicates = !classes[row].collective;
    }
    window.columns = analysis::breakdown::LayOut(
        profile, classes,
        {one.own, static_cast<std::size_t>(std::clamp<Ns>(columns, 1, window.length)), unobserved,
         waits});
    for (const Span span : unobserved) {
      window.unobserved.push_back(
          {span.start - one.own.start + window.begin, span.end - one.own.start + window.begin});
    }
    strip.windows.push_back(std::move(window));
  }
  return strip;
}

}  // namespace profgauge::report
