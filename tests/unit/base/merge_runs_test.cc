#include "base/merge_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace profgauge {
namespace {

// Against a sort, of tables with many runs and with few, of many starts and of few.
TEST(MergeRuns, RandomTablesComeSorted) {
  std::mt19937 random(5);
  const auto below = [&random](int end) { return static_cast<int>(random() % end); };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<Ns>> tables(below(4));
    const int starts = 1 + below(50), jump = 1 + below(20);
    std::vector<std::tuple<Ns, std::uint32_t, std::uint32_t>> expected;
    for (std::uint32_t source = 0; source < tables.size(); ++source) {
      std::vector<Ns>& table = tables[source];
      table.resize(below(60));
      Ns at = 0;
      for (Ns& start : table) {
        at = below(jump) == 0 ? below(starts) : at + below(3);
        start = at;
      }
      for (std::uint32_t row = 0; row < table.size(); ++row) {
        expected.emplace_back(table[row], row, source);
      }
    }
    std::sort(expected.begin(), expected.end());
    std::vector<RowRun> runs;
    for (std::uint32_t source = 0; source < tables.size(); ++source) {
      AddRuns(tables[source], source, 0, static_cast<std::uint32_t>(tables[source].size()), runs);
    }
    decltype(expected) found;
    const auto start_of = [&](std::uint32_t source, std::uint32_t row) {
      return tables[source][row];
    };
    MergeRuns(std::move(runs), start_of, [&](std::uint32_t source, std::uint32_t row) {
      found.emplace_back(start_of(source, row), row, source);
    });
    ASSERT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace profgauge
