// Maximum cost of rows of a rank's tables (analysis/tables/exposure.h), kept in its summary
// with the rows by their contents, so that it is valid for the tables of a run.
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

/// The exposure of one table of a rank. Rows are named by their contents, so that ranks can be
/// joined.
struct KeptExposure {
  std::vector<std::string> keys;  ///< The contents of each row.
  Exposure exposure;              ///< Its rows are positions in `keys`.
};
using KeptExposures = std::map<std::string, KeptExposure, std::less<>>;  ///< By table.

/// For the analysis of a single rank. A table with too many parts is skipped: then its rows'
/// savings have no bound.
KeptExposures ExposuresOf(const Analysis& analysis);

/// Adds them to the summary. ReadExposures() gives the same back.
void WriteExposures(const KeptExposures& kept, Summary& summary);
/// Nothing when numbers are missing or out of range.
std::optional<KeptExposures> ReadExposures(const Summary& summary);

/// For one rank, by its number in tables.
struct RankExposures {
  std::int64_t rank = 0;
  KeptExposures kept;
};
/// Sets the exposures of the tables in `out` which all of `ranks` keep whole.
void AddKeptExposures(const std::vector<RankExposures>& ranks, Output& out);

}  // namespace profgauge
