// The program's side of gate_procedure.py: comparisons a line from standard input, the gate's
// answer to each to standard output. That file has the format.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/breakdown/warmup.h"
#include "gate/change.h"

namespace {

using profgauge::gate::stats::Change;
using profgauge::gate::stats::Comparison;
using profgauge::gate::stats::Series;

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

std::vector<Series> SideOf(const std::string& text) {
  std::vector<Series> side;
  for (const std::string& run : Split(text, '/')) {
    std::istringstream in(run);
    Series& series = side.emplace_back();
    for (double time = 0; in >> time;) series.values.push_back(time);
    series.warmup = profgauge::analysis::breakdown::FindWarmup(series.values);
  }
  return side;
}

std::string VerdictOf(const Comparison& result) {
  if (result.change == Change::kInconclusive && result.over_limit) {
    return result.recordings < result.needed ? "again" : "open";
  }
  return std::string(profgauge::gate::stats::ChangeName(result.change));
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::vector<std::string> parts = Split(line, '|');
    if (parts.size() != 3) {
      fmt::print(stderr, "expected three parts: {}\n", line);
      return 1;
    }
    profgauge::gate::stats::CompareOptions options;
    int is_certain = 0;
    std::istringstream(parts[0]) >> options.limit >> options.noise_floor >> is_certain >>
        options.absolute_floor;
    options.total_limit = options.limit;
    if (is_certain != 0) options.strictness = profgauge::gate::stats::Strictness::kCertain;
    const Comparison result =
        profgauge::gate::stats::Compare(SideOf(parts[1]), SideOf(parts[2]), options);
    fmt::print(
        "verdict={} shift={:.17g} low={:.17g} high={:.17g} total={:.17g} total_clipped={:.17g} "
        "all={:.17g} chance={:.17g} sees={:.17g}\n",
        VerdictOf(result), result.shift, result.low, result.high, result.total->change,
        result.total->clipped, result.total->with_start, result.total->chance.value_or(-1),
        result.sees);
  }
}
