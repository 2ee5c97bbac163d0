// The strip of the first screen: the breakdown of iterations laid out in time.
#include "render/html/view_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/whole.h"
#include "render/html/view.h"
#include "render/html/view_first.h"
#include "render/shared/escape.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/svg/svg_coverage.h"
#include "report/labels.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;
using report::Strip;

// Categories from the bottom up. Among idle ones, waiting for other ranks comes first.
constexpr Category kWorking[] = {Category::kTensorCoreKernel, Category::kOtherKernel,
                                 Category::kCommunication, Category::kMemcpy, Category::kMemset};
constexpr Category kIdling[] = {Category::kWait,       Category::kCommunication, Category::kRuntime,
                                Category::kDataLoader, Category::kCpu,           Category::kOther};

// The size of the picture in a page without a timeline, which must stay small.
constexpr std::size_t kBytesForMail = 8'000;

// Most lines between two ranks, because more would hide each other.
constexpr std::size_t kMostJoins = 60;

std::string ShareText(double share) { return FormatValue(Value(share), Unit::kShare); }

Ns TimeOf(const Strip::Window& window, Category category) {
  Ns time = 0;
  for (const auto& column : window.columns) time += column[static_cast<std::size_t>(category)];
  return time;
}

Ns ObservedTime(const Strip::Window& window) {
  Ns time = 0;
  for (const auto& column : window.columns) {
    time += std::accumulate(column.begin(), column.end(), Ns{0});
  }
  return time;
}

std::string_view TitleOf(Category category) {
  return category == Category::kWait ? "Waiting for other ranks" : InfoOf(category).title;
}

CoverageLane LaneOf(const Report& report, const Strip::Window& window,
                    std::span<const Category> categories, bool communicates) {
  CoverageLane lane;
  const auto observed = static_cast<double>(std::max<Ns>(1, ObservedTime(window)));
  const double column =
      static_cast<double>(window.length) / static_cast<double>(window.columns.size());
  for (const Category category : categories) {
    if (category == Category::kCommunication && !communicates) continue;
    const double share = static_cast<double>(TimeOf(window, category)) / observed;
    if (!(share > 0)) continue;
    lane.share += share;
    lane.title += fmt::format("{}{} {}", lane.title.empty() ? "" : ", ",
                              report::TextFor(report.profile, TitleOf(category)), ShareText(share));
    CoveragePart& part = lane.parts.emplace_back();
    part.paint = PaintIn(report, category);
    part.hatched = category == Category::kWait;
    for (const auto& parts : window.columns) {
      part.heights.push_back(static_cast<double>(parts[static_cast<std::size_t>(category)]) /
                             column);
    }
  }
  return lane;
}

std::string NameOf(const Report& report, const Strip& strip, const Strip::Window& window) {
  if (strip.of_ranks) return fmt::format("{}: rank {}", window.role, window.rank);
  const std::string rank =
      report.profile.ranks > 1 ? fmt::format(", rank {}", window.rank) : std::string();
  if (window.role.empty()) return rank.empty() ? "" : rank.substr(2);
  return fmt::format("{}: {}{}", window.role, window.iteration, rank);
}

// The word for the device. For a rank with several devices, the lane shows the time in which any of
// them works. Keeps the placeholder, because a sentence may need a capital letter.
std::string DeviceOf(const Report& report, const Strip& strip) {
  const std::string device = "{{ device.device }}";
  const bool has_several = std::ranges::any_of(strip.windows, [&](const Strip::Window& window) {
    return std::ranges::count(report.profile.devices, window.rank, &report::Device::rank) > 1;
  });
  return has_several ? "any " + device : device;
}

CoverageRow RowOf(const Report& report, const Strip& strip, const Strip::Window& window) {
  CoverageRow row;
  row.name = NameOf(report, strip, window);
  row.rank = window.rank;
  row.begin = window.begin;
  row.length = window.length;
  row.blank = window.unobserved;
  row.upper = LaneOf(report, window, kWorking, !window.host_communicates);
  row.lower = LaneOf(report, window, kIdling, window.host_communicates);
  row.upper.id = "gpu";
  row.lower.id = "idle";
  row.upper.number = ShareText(row.upper.share);
  const std::string device = DeviceOf(report, strip);
  if (!strip.knows_waits) {
    row.upper.label = report::TextFor(report.profile, device + " busy");
    row.lower.label = device.starts_with("any ") ? "all idle because" : "idle because";
    row.lower.number = ShareText(row.lower.share) + " idle";
    return row;
  }
  const double waits = static_cast<double>(TimeOf(window, Category::kWait)) /
                       static_cast<double>(std::max<Ns>(1, ObservedTime(window)));
  row.upper.label = report::TextFor(report.profile, device + " works");
  row.lower.label = "or waits for";
  row.lower.number = fmt::format("waits {}", ShareText(waits));
  return row;
}

// Lines between the starts of a collective on neighboring rows, by the table's common clock. Each
// part of the axis keeps only its line with the longest delay. `left_out`: lines are missing.
std::vector<CoverageJoin> JoinsOf(const Table& calls, const Strip& strip, bool& left_out) {
  using Place = std::pair<std::size_t, Ns>;  // The row, and the part of the axis.
  std::map<Place, CoverageJoin> joins;
  std::map<std::int64_t, Ns> above, here;
  std::size_t row_of = 0, seen = 0;
  const Ns each = strip.length / kMostJoins + 1;
  left_out = false;
  for (std::size_t row = 0; row < calls.rows(); ++row) {
    if (FormatValue(calls.At(row, "name"), Unit::kText) == "iteration") {
      above = std::exchange(here, {});
      row_of = seen++;
      continue;
    }
    const std::int64_t call = AsWhole(calls.At(row, "call"), -1);
    if (call < 0 || seen > strip.windows.size()) continue;
    const Ns start = AsWhole(calls.At(row, "start"), 0);
    here[call] = start;
    const auto found = above.find(call);
    if (found == above.end()) continue;
    const CoverageJoin join{row_of - 1, found->second, start};
    const auto [place, is_first] = joins.try_emplace({join.row, join.from / each}, join);
    if (is_first) continue;
    left_out = true;
    CoverageJoin& other = place->second;
    if (std::abs(join.to - join.from) > std::abs(other.to - other.from)) other = join;
  }
  std::vector<CoverageJoin> out;
  for (const auto& [place, join] : joins) out.push_back(join);
  return out;
}

std::string TitleOf(const Strip& strip) {
  const std::string& iteration = strip.windows.front().iteration;
  if (strip.of_ranks) {
    return fmt::format(
        "{} rank, iteration {}",
        strip.windows.size() > 2 ? "Latest, median and earliest" : "Latest and earliest",
        iteration);
  }
  return strip.windows.size() > 1 ? "Slowest and typical iteration" : "The iteration";
}

std::string NoteOf(const Report& report, const Strip& strip, bool left_out) {
  const std::string device = DeviceOf(report, strip);
  std::string note = fmt::format("Height: share of the time in which {}{} {}. Below: {}.",
                                 device.starts_with("any ") ? "" : "the ", device,
                                 strip.knows_waits ? "works" : "is busy",
                                 strip.knows_waits ? "the rest of the time" : "why it is idle");
  if (strip.of_ranks) {
    note += " Lines connect one collective on two ranks";
    note += left_out ? fmt::format(", at most {} of them.", kMostJoins) : ".";
  }
  const bool has_blanks = std::ranges::any_of(
      strip.windows, [](const Strip::Window& window) { return !window.unobserved.empty(); });
  if (has_blanks) note += " Blank: not observed.";
  return report::TextFor(report.profile, note);
}

}  // namespace

boost::json::object StripView(const Report& report) {
  const Strip& strip = report.strip;
  json::object view{
      {"known", !strip.windows.empty()},
      {"chart", MakeMarkup("")},
      {"title", ""},
      {"note", ""},
      {"numbers", MakeMarkup("")},
      {"waits", false},
      {"swatch_waiting", MakeMarkup(SvgSwatch(PaintIn(report, Category::kWait), true))}};
  if (strip.windows.empty()) return view;
  CoverageChart chart;
  chart.length = strip.length;
  chart.columns = static_cast<int>(Strip::kColumns);
  if (report.timeline.empty()) chart.most_bytes = kBytesForMail;
  std::string numbers;  // Texts below a narrow picture.
  const std::string title = TitleOf(strip);
  chart.description = title + ":";
  for (const Strip::Window& window : strip.windows) {
    CoverageRow row = RowOf(report, strip, window);
    chart.description += fmt::format("{} {} {} {}", chart.rows.empty() ? "" : ",", row.name,
                                     row.upper.label, row.upper.number);
    numbers +=
        fmt::format("<div>{}{}{} {}, {}</div>", EscapeHtml(row.name), row.name.empty() ? "" : ": ",
                    row.upper.label, row.upper.number, row.lower.number);
    chart.rows.push_back(std::move(row));
  }
  const Table* calls = FindTable(report, "rank_calls");
  bool left_out = false;
  if (strip.of_ranks && calls != nullptr) chart.joins = JoinsOf(*calls, strip, left_out);
  view["title"] = title;
  view["note"] = NoteOf(report, strip, left_out);
  view["waits"] = strip.knows_waits;
  view["numbers"] = MakeMarkup(std::move(numbers));
  view["chart"] = MakeMarkup(SvgCoverage(chart));
  return view;
}

}  // namespace profgauge::render::html
