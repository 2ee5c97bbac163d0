// Runs statements on the examples, for the tests of queries.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/context.h"
#include "query/query.h"
#include "query/tables.h"
#include "readers/load.h"
#include "report/build_report.h"

namespace profgauge::query {

inline const std::string& ExamplesFolder() {
  static const std::string kFolder = std::string(PROFGAUGE_SOURCE_DIR) + "/examples/";
  return kFolder;
}

/// All tables of a profile.
struct Asked {
  explicit Asked(const std::string& path) {
    auto read = readers::ReadRun({path}, {});
    if (!read) throw std::runtime_error(read.error().message);
    ranks = *std::move(read);
    contexts = std::make_shared<const std::vector<analysis::iterations::RankContext>>(
        *analysis::iterations::BuildRankContexts(ranks, analysis::Selection{}));
    Places all;
    for (std::size_t i = 0; i < Schema().size(); ++i) all.insert(i);
    AddEvents("", contexts, 0, all, data);
    analysis = *analysis::Analyze(ranks, analysis::Selection{});
    report::BuildInput input;
    input.ranks = ranks;
    input.analysis = &analysis;
    AddReport("", std::make_shared<const report::Report>(report::BuildReport(input)), {}, data);
    data.DescribeItself();
  }

  std::vector<Profile> ranks;
  std::shared_ptr<const std::vector<analysis::iterations::RankContext>> contexts;
  analysis::Analysis analysis;
  Dataset data;
};

inline const Asked& Ddp() {
  static const auto& kDdp = *new Asked(ExamplesFolder() + "ddp");
  return kDdp;
}

inline std::string CellText(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  return IsAbsent(cell) ? "NULL" : std::string(TextOf(cell));
}

/// "1 a|2 b": the rows, or the code of the error in brackets.
inline std::string Answer(const std::string& sql, const Dataset& data,
                          std::chrono::milliseconds most = std::chrono::seconds(20),
                          const Parameters& parameters = {}) {
  auto query = Query::Prepare(sql, "", parameters, data);
  if (!query) return "[" + query.error().code + "]";
  query->Start(most);
  std::string out;
  std::vector<Cell> cells;
  while (true) {
    const auto more = query->Step();
    if (!more) return "[" + more.error().code + "]";
    if (!*more) return out;
    query->Read(cells);
    if (!out.empty()) out += '|';
    for (std::size_t i = 0; i < cells.size(); ++i) out += (i == 0 ? "" : " ") + CellText(cells[i]);
  }
}
inline std::string Answer(const std::string& sql) { return Answer(sql, Ddp().data); }

}  // namespace profgauge::query
