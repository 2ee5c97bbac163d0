#include "analysis/breakdown/run_attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/hashes.h"

namespace profgauge::analysis::breakdown {
namespace {

constexpr std::size_t kNotSlowest = WorkCollector::kNotSlowest;
// Parts below this share of the run are merged, so that a baseline needs only kilobytes.
constexpr double kSmallPart = 1.0 / 5000;

}  // namespace

RunAttribution::RunAttribution(std::vector<RunIteration> run, bool has_gpu)
    : run_(std::move(run)), work_(run_.size(), has_gpu) {
  const auto known = std::count_if(run_.begin(), run_.end(), [](const RunIteration& iteration) {
    return iteration.period.has_value();
  });
  // If few numbers jump, an iteration before a jump counts with its length instead of its period.
  // Otherwise one jump would hide all other periods.
  const bool fills_jumps = 2 * static_cast<std::size_t>(known) > run_.size();
  for (const RunIteration& iteration : run_) {
    out_.iteration_times.push_back(iteration.duration);
    out_.iteration_unobserved.push_back(iteration.unobserved);
    const bool is_last = out_.iteration_times.size() == run_.size();
    if (iteration.period || (fills_jumps && !is_last)) {
      out_.iteration_periods.push_back(iteration.period.value_or(iteration.duration));
    }
    observed_.push_back(iteration.duration - iteration.unobserved);
    whole_ += observed_.back();
  }
  const auto& hidden = out_.iteration_unobserved;
  if (std::all_of(hidden.begin(), hidden.end(), [](Ns time) { return time == 0; })) {
    out_.iteration_unobserved.clear();
  }
}

// Maps iterations of this rank to the run's. Here the run takes 1 and 3 of 0 to 4 from this rank:
//
//   iteration   0  1  2  3  4
//   of_run      -  1  -  3  -
//   next_own    1  1  3  3  5       5: none follows
RunAttribution::OwnPositions RunAttribution::PositionsOf(
    std::size_t rank, const iterations::Iterations& iterations) const {
  const std::size_t selected = iterations.selected().size();
  OwnPositions positions;
  positions.of_run.resize(selected, kNotSlowest);
  for (std::size_t i = 0; i < run_.size(); ++i) {
    if (run_[i].rank != rank) continue;
    positions.of_run[run_[i].iteration - iterations.first] = i;
    ++positions.own;
  }
  positions.next_own.resize(selected, selected);
  for (std::size_t i = selected; i-- > 0;) {
    const bool is_own = positions.of_run[i] != kNotSlowest;
    if (is_own) positions.next_own[i] = i;
    if (!is_own && i + 1 < selected) positions.next_own[i] = positions.next_own[i + 1];
  }
  return positions;
}

std::vector<bool> RunAttribution::OwnIterations(std::size_t rank,
                                                const iterations::Iterations& iterations) const {
  std::vector<bool> is_own;
  for (const std::size_t position : PositionsOf(rank, iterations).of_run) {
    is_own.push_back(position != kNotSlowest);
  }
  return is_own;
}

void RunAttribution::AddRank(std::size_t rank, const iterations::Iterations& iterations,
                             const AttributionFacts& facts) {
  const OwnPositions positions = PositionsOf(rank, iterations);
  for (const RankPart& part : facts.parts) AddPart(part, positions);
  work_.AddRank(facts.work, positions.of_run);
  AddSums(facts.work.sums, positions.of_run.size());
  AddShapes(facts.iteration_shapes);
  has_shapes_ = has_shapes_ || facts.has_shapes;
  for (const LaunchingOp& op : facts.launching) {
    shape_lines_.insert(fmt::format("{} {} {}\n", op.op, op.shapes, op.per_iteration));
  }
  gpu_models_.insert(facts.gpu_models.begin(), facts.gpu_models.end());
}

// Adds sums over all ranks by iteration; this requires equal positions on all ranks. If a rank's
// series was too long to store, the metric is dropped.
void RunAttribution::AddSums(const std::vector<NameWork>& sums, std::size_t iterations) {
  lacks_sums_ = lacks_sums_ || iterations != run_.size();
  for (const NameWork& sum : sums) {
    if (lacks_sums_) return;
    if (!sum.has_series) lost_sums_.insert(sum.name);
    std::vector<Ns>& values = out_.iteration_values[sum.name];
    values.resize(run_.size(), 0);
    for (const auto& [position, time] : sum.series) {
      values[static_cast<std::size_t>(position)] += time;
    }
  }
}

// REQUIRES: all ranks have the same selected iterations.
void RunAttribution::AddShapes(const std::vector<std::int64_t>& shapes) {
  lacks_iteration_shapes_ = lacks_iteration_shapes_ || shapes.size() != run_.size();
  if (lacks_iteration_shapes_) return;
  out_.iteration_shapes.resize(run_.size(), 0);
  for (std::size_t i = 0; i < run_.size(); ++i) {
    out_.iteration_shapes[i] += static_cast<std::uint64_t>(shapes[i]);
  }
}

// The number of events in iterations of the run. A span over several iterations counts once if any
// of them is the run's: next_own finds the first.
std::int64_t RunAttribution::CountOf(const RankPart& part, const OwnPositions& positions) {
  const auto is_own = [&](const PartCell& cell) {
    return positions.of_run[static_cast<std::size_t>(cell.iteration)] != kNotSlowest;
  };
  if (part.category == Category::kOther) {  // Counted by iteration with such time.
    return std::any_of(part.cells.begin(), part.cells.end(), is_own) ? positions.own : 0;
  }
  std::int64_t count = 0;
  for (const PartCell& cell : part.cells) count += is_own(cell) ? cell.count : 0;
  for (const PartSpan& span : part.spans) {
    const std::size_t own = positions.next_own[static_cast<std::size_t>(span.first)];
    count += own <= static_cast<std::size_t>(span.last) ? span.count : 0;
  }
  return count;
}

// Merges parts of equal names over ranks. Time counts only in the rank's own iterations.
void RunAttribution::AddPart(const RankPart& of_rank, const OwnPositions& positions) {
  const std::int64_t count = CountOf(of_rank, positions);
  if (count == 0) return;
  const std::string category(CategoryId(of_rank.category));
  Part& part =
      of_rank.is_folded
          ? folded_[{category, of_rank.op_type}]
          : parts_[{category, of_rank.op, of_rank.shapes, of_rank.kernel, of_rank.position}];
  part.sum.category = category;
  part.sum.op_type = of_rank.op_type;
  part.sum.op = of_rank.op;
  part.sum.shapes = of_rank.shapes;
  part.sum.kernel = of_rank.kernel;
  part.sum.position = of_rank.position;
  part.sum.count += count;
  for (const PartCell& cell : of_rank.cells) {
    const std::size_t position = positions.of_run[static_cast<std::size_t>(cell.iteration)];
    if (position == kNotSlowest || cell.time == 0) continue;
    part.points.emplace_back(position, cell.time);
    part.sum.time += cell.time;
  }
}

// Merges small parts by category and op type.
void RunAttribution::Fold() {
  const double least = kSmallPart * static_cast<double>(whole_);
  std::vector<Part> parts;
  for (auto& [names, part] : parts_) {
    if (static_cast<double>(part.sum.time) >= least || part.sum.category == "other") {
      parts.push_back(std::move(part));
      continue;
    }
    TimePart& rest = folded_[{part.sum.category, part.sum.op_type}].sum;
    rest.category = part.sum.category;
    rest.op_type = part.sum.op_type;
    rest.count += part.sum.count;
    rest.time += part.sum.time;
  }
  for (auto& [names, part] : folded_) {
    part.sum.kernel = "(smaller parts)";
    part.is_alone = false;
    parts.push_back(std::move(part));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.sum.time > b.sum.time; });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    TimePart& part = out_.parts.emplace_back(std::move(parts[i].sum));
    const bool is_large =
        static_cast<double>(part.time) >= kLeastWithSeries * static_cast<double>(whole_);
    // Merged parts do not have all points.
    if (is_large && i < kMostSeries && parts[i].is_alone)
      part.series = SeriesOf(parts[i].points, run_.size());
  }
}

// REQUIRES: parts are not folded yet, because folding moves them and drops points.
void RunAttribution::SetShares() {
  std::map<std::string, std::vector<double>, std::less<>> times;
  for (const Category category : BreakdownCategories()) {
    times[std::string(CategoryId(category))].resize(run_.size(), 0);
  }
  const auto add = [&](const Part& part) {
    std::vector<double>& of_category = times[part.sum.category];
    for (const auto& [position, time] : part.points) {
      of_category[position] += static_cast<double>(time);
    }
  };
  for (const auto& [names, part] : parts_) add(part);
  for (const auto& [names, part] : folded_) add(part);
  for (auto& [category, shares] : times) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const auto whole = static_cast<double>(observed_[i]);
      shares[i] = whole > 0 ? shares[i] / whole : 0;
    }
    out_.iteration_shares["breakdown." + category] = std::move(shares);
  }
}

Attribution RunAttribution::Take() {
  SetShares();
  Fold();
  if (lacks_iteration_shapes_) out_.iteration_shapes.clear();
  if (lacks_sums_) out_.iteration_values.clear();
  for (const std::string& name : lost_sums_) out_.iteration_values.erase(name);
  if (has_shapes_) {
    ContentHash hash;
    for (const std::string& line : shape_lines_) hash.Add(line);
    out_.shape_signature = hash.Hex();
  }
  for (const std::string& model : gpu_models_) {
    out_.gpu_models += (out_.gpu_models.empty() ? "" : ", ") + model;
  }
  out_.work = work_.Take(whole_);
  return std::move(out_);
}

}  // namespace profgauge::analysis::breakdown
