// FoldSmall(): parts of a rank small enough to keep, whatever its profile had.
#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/time/rank_attribution.h"

namespace profgauge::analysis::time {
namespace {

constexpr std::size_t kMostCells = 20'000;

// Numbers that a part keeps in a summary, in cells.
std::size_t SizeOf(const RankPart& part) { return part.cells.size() + part.spans.size(); }

Ns TimeOf(const RankPart& part) {
  Ns time = 0;
  for (const PartCell& cell : part.cells) time += cell.time;
  return time;
}

/// Adds a part to one that represents several. Spans with different ends stay apart: the ends say
/// in which iterations an event took part, so that the run counts it once.
void FoldInto(RankPart& into, const RankPart& part) {
  std::map<std::int64_t, PartCell> cells;
  for (const RankPart* of : {&std::as_const(into), &part}) {
    for (const PartCell& cell : of->cells) {
      PartCell& sum = cells[cell.iteration];
      sum.iteration = cell.iteration;
      sum.count += cell.count;
      sum.time += cell.time;
    }
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> spans;
  for (const RankPart* of : {&std::as_const(into), &part}) {
    for (const PartSpan& span : of->spans) spans[{span.first, span.last}] += span.count;
  }
  into.cells.clear();
  for (const auto& [iteration, cell] : cells) into.cells.push_back(cell);
  into.spans.clear();
  for (const auto& [ends, count] : spans) into.spans.push_back({ends.first, ends.second, count});
}

// The largest by time stay, as many as there is room for; from the first that does not fit on all
// are folded, so that which ones stay is a question of one limit. `other` has no name to lose.
//
//   parts by time    9 000 cells | 8 000 | 5 000 | 100 ...      room for 20 000
//   kept             9 000       | 8 000 |                      the third does not fit, so it and
//   folded                               | 5 000 | 100 ...      all after it become one by op type
void FoldParts(std::vector<RankPart>& parts) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Ns> times;
  for (const RankPart& part : parts) times.push_back(TimeOf(part));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  std::size_t room = kMostCells;
  std::vector<bool> is_kept(parts.size(), false);
  for (const std::size_t index : order) {
    if (SizeOf(parts[index]) > room) break;
    room -= SizeOf(parts[index]);
    is_kept[index] = true;
  }
  std::vector<RankPart> kept;
  std::map<std::pair<Category, std::string>, RankPart> folded;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_kept[i] || parts[i].category == Category::kOther) {
      kept.push_back(std::move(parts[i]));
      continue;
    }
    RankPart& into = folded[{parts[i].category, parts[i].op_type}];
    into.category = parts[i].category;
    into.op_type = parts[i].op_type;
    into.is_folded = true;
    FoldInto(into, parts[i]);
  }
  for (auto& [names, part] : folded) kept.push_back(std::move(part));
  parts = std::move(kept);
}

}  // namespace

void FoldSmall(AttributionFacts& facts) {
  FoldParts(facts.parts);
  for (std::vector<NameWork>* names : {&facts.work.kernels, &facts.work.ops, &facts.work.sums,
                                       &facts.work.collectives, &facts.work.modules}) {
    DropSmallSeries(kMostCells / 2, *names);
  }
}

}  // namespace profgauge::analysis::time
