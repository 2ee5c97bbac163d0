// What files of times hold besides steps: benchmarks and the results of load tests.
#include <algorithm>
#include <cmath>

#include "analysis/recording/unrecorded.h"
#include "analysis/tables/reported_columns.h"
#include "analysis/tables/row_writer.h"
#include "analysis/time/iteration_stats.h"
#include "model/run_side.h"

namespace profgauge::analysis::recording {

void AddSideResults(std::span<const context::RankContext> ranks, tables::Output& out) {
  if (std::all_of(ranks.begin(), ranks.end(),
                  [](const context::RankContext& rank) { return IsOfTimes(*rank.profile); })) {
    out.AddRemark(
        "times-only",
        "Times only. No profile was recorded, so this says whether the run is slower, not "
        "why: record one and pass both, `profgauge check PROFILE --step-times FILE`");
  }
  bool has_benchmarks = false;
  for (const context::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    has_benchmarks |= !side->benchmarks.empty();
    if (!side->load_test) continue;
    for (const auto& [id, value] : side->load_test->metrics) {
      if (SpecOf(id).unit == Unit::kTime) {
        out.Set(id, static_cast<std::int64_t>(std::llround(value)));
      } else {
        out.Set(id, value);
      }
    }
  }
  if (!has_benchmarks) return;
  tables::RowWriter<tables::columns::kBenchmarks> write(out.AddTable("benchmarks"));
  for (const context::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    for (const NamedTimes& benchmark : side->benchmarks) {
      const time::SeriesStats stats = time::Describe(benchmark.lengths);
      write.Text("name"_col, benchmark.name)
          .Integer("runs"_col, static_cast<std::int64_t>(benchmark.lengths.size()))
          .Integer("median"_col, std::llround(stats.median))
          .Real("robust_cv"_col, stats.robust_cv);
    }
  }
}

}  // namespace profgauge::analysis::recording
