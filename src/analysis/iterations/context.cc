#include "analysis/iterations/context.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "analysis/flops/matrix_by_rate.h"
#include "analysis/flops/op_gradients.h"
#include "analysis/iterations/observed.h"
#include "analysis/iterations/utilization.h"
#include "base/errors.h"
#include "base/parallel.h"

namespace profgauge::analysis::iterations {

Result<std::vector<RankContext>> BuildRankContexts(std::span<const Profile> profiles,
                                                   const Selection& selection,
                                                   const IterationsOfRun& run) {
  PROFGAUGE_TRY(std::vector<RankContext> ranks, FindRankContexts(profiles, selection, run));
  MeasureContexts(ranks, [] {});
  return ranks;
}

// Three parts write different members and run in parallel: a profile may have tens of millions of
// rows, and each part walks over them.
void MeasureContexts(std::span<RankContext> ranks, const std::function<void()>& beside) {
  const auto follow_ops = [&] {
    for (RankContext& rank : ranks) {
      rank.tree = flops::BuildOpTree(*rank.profile, rank.classes);
      rank.works = flops::CountWork(*rank.profile, rank.tree);
      flops::AddGradientWork(*rank.profile, rank.tree, rank.classes, rank.works);
    }
  };
  const auto measure_gpus = [&] {
    for (RankContext& rank : ranks) {
      rank.unobserved = UnobservedParts(*rank.profile, rank.iterations);
      rank.captured = Length(CaptureParts(*rank.profile, rank.iterations));
      rank.gpus = MeasureGpus(*rank.profile, rank.devices, rank.window(), rank.unobserved,
                              rank.iterations.selected(), rank.captured);
    }
  };
  const std::function<void()> parts[] = {follow_ops, beside, measure_gpus};  // The longest first.
  ForEachAtOnce(std::size(parts), [&](std::size_t i) { parts[i](); });
  // This follows the parts, because they read the classes.
  for (RankContext& rank : ranks) {
    if (flops::DecideByRate(*rank.profile, rank.devices, rank.knowledge.devices, rank.works,
                            rank.classes)) {
      rank.tree = flops::BuildOpTree(*rank.profile, rank.classes);
    }
  }
}

// Iterations need all ranks together, and classes only one rank: both are found in parallel. Only
// the selected ranks are classified.
Result<std::vector<RankContext>> FindRankContexts(std::span<const Profile> profiles,
                                                  const Selection& selection,
                                                  const IterationsOfRun& run) {
  const auto rank_of = [&](std::size_t i) {
    const std::int64_t recorded = profiles[i].distributed.rank;
    return recorded >= 0 ? recorded : static_cast<std::int64_t>(i);
  };
  const auto is_selected = [&](std::size_t i) {
    return selection.rank < 0 || rank_of(i) == selection.rank;
  };
  std::optional<Result<std::vector<Iterations>>> iterations;
  std::vector<classify::KernelClasses> classes(profiles.size());
  ForEachAtOnce(1 + profiles.size(), [&](std::size_t i) {
    if (i == 0) {
      iterations.emplace(FindIterations(profiles, selection, run));
    } else if (is_selected(i - 1)) {
      classes[i - 1] = classify::ClassifyDevice(profiles[i - 1], selection.knowledge);
    }
  });
  if (!*iterations) return Fail(std::move(*iterations).error());
  std::vector<RankContext> ranks;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (!is_selected(i)) continue;
    const Profile& profile = profiles[i];
    RankContext rank;
    rank.profile = &profile;
    rank.rank = rank_of(i);
    rank.iterations = std::move((**iterations)[i]);
    rank.classes = std::move(classes[i]);
    rank.knowledge = selection.knowledge;
    rank.devices = CompleteGpus(profile, selection.knowledge.devices);
    // Sorted by id, so that lookups are fast for any number of GPUs.
    std::stable_sort(rank.devices.begin(), rank.devices.end(),
                     [](const Gpu& a, const Gpu& b) { return a.id < b.id; });
    ranks.push_back(std::move(rank));
  }
  if (ranks.empty()) {
    return Fail(UsageError("analysis/no-rank",
                           "the run has no rank " + std::to_string(selection.rank),
                           "`profgauge inspect` lists the ranks of a run"));
  }
  return ranks;
}

struct ExposedColumns::Columns {
  struct Column {
    std::once_flag is_made;
    OptionalColumn<Ns> times;
  };
  std::array<Column, 2> of;  // By classify::Exposable.
};

ExposedColumns::ExposedColumns() : columns_(std::make_shared<Columns>()) {}

const OptionalColumn<Ns>& ExposedColumns::Of(const RankContext& rank,
                                             classify::Exposable wanted) const {
  Columns::Column& column = columns_->of[static_cast<std::size_t>(wanted)];
  std::call_once(column.is_made, [&] {
    column.times = classify::ExposedTimes(*rank.profile, rank.classes, wanted,
                                          UncountedParts(rank.unobserved, rank.iterations));
  });
  return column.times;
}

bool HasShapes(const RankContext& rank) {
  return std::ranges::any_of(rank.profile->host.input_shapes.values(),
                             [](StringId shapes) { return shapes.valid(); });
}

}  // namespace profgauge::analysis::iterations
