// Attribution of a rank's time as columns: every column is written and read here.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "analysis/summary/columns.h"
#include "analysis/time/rank_attribution.h"

namespace profgauge::analysis::summary {
namespace {

void Exchange(Columns& columns, time::RankPart& part) {
  columns.Enum("part.category", part.category, kBreakdownCategories);
  columns.Text("part.op_type", part.op_type);
  columns.Text("part.op", part.op);
  columns.Text("part.shapes", part.shapes);
  columns.Text("part.kernel", part.kernel);
  columns.Number("part.position", part.position);
  columns.Number("part.is_folded", part.is_folded);
  Inner(columns, "part.cells", "cell.time", part.cells, [&](time::PartCell& cell) {
    columns.Number("cell.iteration", cell.iteration);
    columns.Number("cell.count", cell.count);
    columns.Number("cell.time", cell.time);
  });
  Inner(columns, "part.spans", "part.span.count", part.spans, [&](time::PartSpan& span) {
    columns.Number("part.span.first", span.first);
    columns.Number("part.span.last", span.last);
    columns.Number("part.span.count", span.count);
  });
}

void Exchange(Columns& columns, const std::string& column, std::vector<time::NameWork>& names) {
  List(columns, column + ".count", names, [&](time::NameWork& work) {
    columns.Text(column + ".name", work.name);
    columns.Number(column + ".count", work.count);
    columns.Number(column + ".gpu_time", work.gpu_time);
    columns.Number(column + ".host_time", work.host_time);
    columns.Number(column + ".has_series", work.has_series);
    Inner(columns, column + ".series", column + ".series.time", work.series,
          [&](std::pair<std::int64_t, Ns>& point) {
            columns.Number(column + ".series.iteration", point.first);
            columns.Number(column + ".series.time", point.second);
          });
  });
}

/// Every position is one of an iteration.
/// Positions index lists of iterations later, so one out of range would read past their end.
bool Agrees(const time::AttributionFacts& facts, std::size_t iterations) {
  const auto is_one = [&](std::int64_t iteration) {
    return iteration >= 0 && static_cast<std::size_t>(iteration) < iterations;
  };
  const auto part_agrees = [&](const time::RankPart& part) {
    return std::all_of(part.cells.begin(), part.cells.end(),
                       [&](const time::PartCell& cell) { return is_one(cell.iteration); }) &&
           std::all_of(part.spans.begin(), part.spans.end(), [&](const time::PartSpan& span) {
             return is_one(span.first) && is_one(span.last);
           });
  };
  const auto work_agrees = [&](const time::NameWork& work) {
    return std::all_of(work.series.begin(), work.series.end(),
                       [&](const auto& point) { return is_one(point.first); });
  };
  const std::size_t shapes = facts.iteration_shapes.size();
  const time::RankWork& work = facts.work;
  const auto all_agree = [&](const std::vector<time::NameWork>* names) {
    return std::all_of(names->begin(), names->end(), work_agrees);
  };
  const auto all = {&work.kernels, &work.ops, &work.collectives, &work.modules, &work.sums};
  return (shapes == 0 || shapes == iterations) &&
         std::all_of(facts.parts.begin(), facts.parts.end(), part_agrees) &&
         std::all_of(all.begin(), all.end(), all_agree);
}

}  // namespace

void ExchangeTime(Columns& columns, time::AttributionFacts& facts) {
  List(columns, "part.category", facts.parts,
       [&](time::RankPart& part) { Exchange(columns, part); });
  List(columns, "launching.per_iteration", facts.launching, [&](time::LaunchingOp& op) {
    columns.Text("launching.op", op.op);
    columns.Text("launching.shapes", op.shapes);
    columns.Number("launching.per_iteration", op.per_iteration);
  });
  columns.Number("launching.has_shapes", facts.has_shapes);
  List(columns, "iteration.shapes", facts.iteration_shapes,
       [&](std::int64_t& shapes) { columns.Number("iteration.shapes", shapes); });
  columns.Number("work.has_gpu", facts.work.has_gpu);
  Exchange(columns, "work.kernel", facts.work.kernels);
  Exchange(columns, "work.op", facts.work.ops);
  Exchange(columns, "work.collective", facts.work.collectives);
  Exchange(columns, "work.module", facts.work.modules);
  Exchange(columns, "work.sum", facts.work.sums);
  List(columns, "gpu_models", facts.gpu_models, [&](std::string& model) {
    std::int64_t one = 1;
    columns.Number("gpu_models", one);
    columns.Text("gpu_model", model);
  });
}

std::optional<time::AttributionFacts> ReadAttribution(const Summary& summary,
                                                      std::size_t iterations) {
  time::AttributionFacts facts;
  StringPool strings;  // No text of these is a view.
  Columns columns = Columns::Reading(summary, strings);
  ExchangeTime(columns, facts);
  if (!columns.ok() || !Agrees(facts, iterations)) return std::nullopt;
  return facts;
}

}  // namespace profgauge::analysis::summary
