#include "analysis/breakdown/laid_out.h"

#include <algorithm>

#include "analysis/breakdown/breakdown.h"

namespace profgauge::analysis::breakdown {
namespace {

std::vector<Span> ColumnsOf(const LaidOutPart& part) {
  const auto count = static_cast<Ns>(part.columns);
  // Length times columns may exceed 64 bits.
  const Ns each = part.time.length() / count, rest = part.time.length() % count;
  const auto edge = [&](Ns i) { return part.time.start + each * i + rest * i / count; };
  std::vector<Span> columns;
  for (Ns i = 0; i < count; ++i) columns.push_back({edge(i), edge(i + 1)});
  return columns;
}

}  // namespace

std::vector<LaidOutColumn> LayOut(const Profile& profile, const classify::KernelClasses& classes,
                                  const LaidOutPart& part) {
  const std::vector<Span> columns = ColumnsOf(part);
  BreakdownSums sums(columns, part.unobserved);
  SpanCollector communicating;
  const auto add = [&](Span stretch, CategorySet active) {
    sums.Add(stretch, active);
    if (FirstOf(active) == Category::kCommunication) {
      communicating.Add(stretch.start, stretch.length());
    }
  };
  VisitCategories(profile, classes, add, part.time);
  const std::vector<Span> waiting =
      Subtract(Intersect(communicating.Take(), part.waits), part.unobserved);
  const std::vector<Breakdown> parts = sums.Take();
  std::vector<LaidOutColumn> out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    LaidOutColumn& column = out.emplace_back();
    std::ranges::copy(parts[i], column.begin());
    const Ns waits = OverlapLength(std::span(&columns[i], 1), Near(waiting, columns[i]));
    column[static_cast<std::size_t>(Category::kCommunication)] -= waits;
    column[static_cast<std::size_t>(Category::kWait)] += waits;
  }
  return out;
}

}  // namespace profgauge::analysis::breakdown
