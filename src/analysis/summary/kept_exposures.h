// What rows of a rank's tables can cost at most (analysis/tables/exposure.h), kept in its summary
// with the rows by what they represent, so that it holds in the tables of a run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/tables/exposure.h"
#include "analysis/tables/output.h"
#include "model/summary/summary.h"

namespace profgauge {

struct KeptExposure {
  std::vector<std::string> keys;  ///< What each row represents.
  Exposure exposure;              ///< Its rows are positions in `keys`.
};
using KeptExposures = std::map<std::string, KeptExposure, std::less<>>;  ///< By table.

/// Of the analysis only of one rank. A table of too many parts is left out: then nothing bounds
/// what its rows can gain.
KeptExposures ExposuresOf(const Analysis& analysis);

void WriteExposures(const KeptExposures& kept, Summary& summary);
/// Nothing when numbers are missing or out of range.
std::optional<KeptExposures> ReadExposures(const Summary& summary);

/// Of one rank, by the number that tables know it by.
struct RankExposures {
  std::int64_t rank = 0;
  KeptExposures kept;
};
/// Sets the exposures of the tables in `out` which all of `ranks` keep whole.
void AddKeptExposures(const std::vector<RankExposures>& ranks, Output& out);

}  // namespace profgauge
