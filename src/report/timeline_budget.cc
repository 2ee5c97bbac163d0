#include "report/timeline_budget.h"

#include "report/timeline_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/time_columns.h"
#include "base/format.h"
#include "base/numbers.h"
#include "model/neuron.h"
#include "model/tables.h"

namespace profgauge::report {
namespace {

// Durations are classified by magnitude, i.e. their first seven bits. So few events have the
// magnitude of the shortest kept duration.
constexpr std::size_t kBits = 7, kHalf = std::size_t{1} << (kBits - 1),
                      kMagnitudes = (65 - kBits) * kHalf;

// Below 128 each duration is its own magnitude; above, each doubling has 64:
//
//     duration     63    64   127   128, 129   200, 201   255    256 to 259
//     magnitude    63    64   127     128        164      191       192
std::size_t MagnitudeOf(Ns duration) {
  const auto value = static_cast<std::uint64_t>(std::max<Ns>(duration, 0));
  if (value < kHalf) return static_cast<std::size_t>(value);
  const std::size_t shift = static_cast<std::size_t>(std::bit_width(value)) - kBits;
  return shift * kHalf + static_cast<std::size_t>(value >> shift);
}

struct Kept {
  std::size_t total = 0;
  std::size_t lost = 0;
  Ns least = 0;  // Shorter ones are omitted; 0: all are kept.
};

// Keeps the longest durations that `visit` passes to its argument, in the same order each time.
// `keep` returns how many, given the total. Instead of sorting all, it uses two passes and a
// histogram: the first counts magnitudes, the second examines only the magnitude that contains the
// limit.
//
//     durations   9 9 8 7 7 7 2, at most 5      the fifth longest is 7: with its ties there are 6
//     kept        9 9 8                         so 7 is out: least is 8, lost 4
template <class Visit, class Keep>
Kept KeepLongest(Visit visit, Keep keep) {
  std::array<std::size_t, kMagnitudes> counts{};
  std::size_t total = 0;
  Ns longest = 0;
  visit([&](Ns duration) {
    ++counts[MagnitudeOf(duration)];
    ++total;
    longest = std::max(longest, duration);
  });
  const std::size_t most = keep(total);
  if (total <= most) return {total};
  if (most == 0) return {total, total, longest + 1};
  std::size_t magnitude = kMagnitudes - 1, longer = 0;
  for (; longer + counts[magnitude] < most; --magnitude) longer += counts[magnitude];
  std::vector<Ns> alike;
  visit([&](Ns duration) {
    if (MagnitudeOf(duration) == magnitude) alike.push_back(duration);
  });
  const auto last = alike.begin() + static_cast<std::ptrdiff_t>(most - longer - 1);
  std::nth_element(alike.begin(), last, alike.end(), std::greater<>());
  const Ns least = *last + 1;  // ties must not overrun the budget
  const auto kept = static_cast<std::size_t>(
      std::count_if(alike.begin(), last, [&](Ns duration) { return duration >= least; }));
  return {total, total - longer - kept, least};
}

// Calls `visit(duration)` for all events that device tracks may show.
template <class Visit>
void VisitDevice(const Profile& profile, Visit visit) {
  if (profile.neuron == nullptr) {
    for (const Ns duration : profile.device.duration) visit(duration);
    return;
  }
  for (const auto& row : profile.neuron->instructions) visit(row.duration);
  for (const auto& row : profile.neuron->packets) visit(row.duration);
}

// Calls `visit(start, duration)` for all events that host tracks may show.
template <class Visit>
void VisitHost(const Profile& profile, Visit visit) {
  const auto visit_rows = [&](const auto& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) visit(rows.start[i], rows.duration[i]);
  };
  visit_rows(profile.host), visit_rows(profile.api);
  visit_rows(profile.python), visit_rows(profile.os);
  if (profile.cpu == nullptr) return;
  for (const CpuSpan& span : profile.cpu->spans) visit(span.start, span.duration);
  for (const CpuSample& sample : profile.cpu->samples) visit(sample.time, Ns{0});
}

std::size_t CountHost(const Profile& profile) {
  return profile.host.size() + profile.api.size() + profile.python.size() + profile.os.size() +
         (profile.cpu == nullptr ? 0 : profile.cpu->spans.size() + profile.cpu->samples.size());
}

bool IsIn(const std::vector<Span>& spans, Ns time) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), time,
                                      [](Ns at, const Span& span) { return at < span.start; });
  return after != spans.begin() && time < std::prev(after)->end;
}

// Selects spans in their order, which together have at most `most` events. A span that does not fit
// is skipped; a later, shorter one may fit.
std::vector<Span> SpansWithin(const Profile& profile, const std::vector<Span>& around,
                              std::size_t most) {
  std::vector<Ns> starts;  // Starts of candidates only; sorting all is slow.
  const std::vector<Span> wanted = Merge(around);
  VisitHost(profile, [&](Ns start, Ns) {
    if (IsIn(wanted, start)) starts.push_back(start);
  });
  std::sort(starts.begin(), starts.end());
  const auto held = [&](const std::vector<Span>& spans) {
    std::size_t count = 0;
    for (const Span& span : spans) {
      count += static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), span.end) -
                                        std::lower_bound(starts.begin(), starts.end(), span.start));
    }
    return count;
  };
  std::vector<Span> kept;
  for (const Span& span : around) {
    std::vector<Span> more = kept;
    more.push_back(span);
    more = Merge(std::move(more));
    if (held(more) <= most) kept = std::move(more);
  }
  return kept;
}

// The median iteration time; 0 for fewer than two iterations.
Ns IterationLength(const Report& report) {
  const Table* table = FindTableById(report, "iterations");
  const Column* duration =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kIterations>(table, "duration"_col);
  if (duration == nullptr || table->rows() < 2) return 0;
  std::vector<double> lengths;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    lengths.push_back(AsNumber(table->At(row, *duration), 0));
  }
  return static_cast<Ns>(Median(std::move(lengths)));
}

}  // namespace

bool TimelineCut::KeepsHost(Ns start, Ns duration) const {
  return duration >= host || IsIn(around, start);
}

TimelineCut CutTimeline(const Profile& profile, std::size_t budget,
                        const std::vector<Span>& around) {
  TimelineCut cut;
  const Kept device = KeepLongest([&](auto visit) { VisitDevice(profile, visit); },
                                  [&](std::size_t) { return budget; });
  cut.device = device.least;
  cut.device_lost = device.lost;
  const std::size_t rest = budget - std::min(budget, device.total);
  const std::size_t host = CountHost(profile);
  if (host <= rest) return cut;
  cut.around = SpansWithin(profile, around, rest / 2);
  const Kept others = KeepLongest(
      [&](auto visit) {
        VisitHost(profile, [&](Ns start, Ns duration) {
          if (!IsIn(cut.around, start)) visit(duration);
        });
      },
      [&](std::size_t total) { return rest - (host - total); });
  cut.host = others.least;
  cut.host_lost = others.lost;
  return cut;
}

std::string LeftOutText(const std::vector<TimelineCut>& cuts) {
  std::size_t device = 0, host = 0, around = 0;
  Ns device_least = 0, host_least = 0;
  for (const TimelineCut& cut : cuts) {
    device += cut.device_lost;
    host += cut.host_lost;
    around += cut.around.size();
    device_least = std::max(device_least, cut.device);
    host_least = std::max(host_least, cut.host);
  }
  const auto part = [](std::size_t count, std::string_view what, Ns least) {
    return fmt::format("{} {} shorter than {}", FormatCount(static_cast<std::int64_t>(count)), what,
                       FormatDuration(static_cast<double>(least)));
  };
  std::string out;
  if (device > 0) out = part(device, "device events", device_least);
  if (host > 0) {
    out += (out.empty() ? "" : ", ") + part(host, "host events", host_least);
    if (around > 0) out += " (kept near findings)";
  }
  return out;
}

std::vector<Span> SpansAroundFindings(const Report& report, std::int64_t rank) {
  const Ns margin = IterationLength(report);
  std::vector<Span> out;
  for (const Finding& finding : report.findings) {
    for (const auto& row : finding.evidence) {
      const auto when = FindInterval(finding, row);
      if (!when || (when->rank >= 0 && when->rank != rank)) continue;
      out.push_back({when->start - margin, when->end + margin});
    }
  }
  return out;
}

}  // namespace profgauge::report
