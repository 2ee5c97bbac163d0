// Maximum cost of rows of a rank's tables (analysis/catalog/row_exposure.h), kept in its summary
// with the rows by their contents, so that it is valid for the tables of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/catalog/output.h"
#include "analysis/catalog/row_exposure.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/iterations/context.h"
#include "model/summary/summary.h"

namespace profgauge::analysis::ranks {

/// The exposure of one table of a rank. Rows are named by their contents, so that ranks can be
/// joined.
struct KeptExposure {
  std::vector<std::string> keys;  ///< The contents of each row.
  catalog::Exposure exposure;     ///< Its rows are positions in `keys`.
  bool is_dropped = false;        ///< It had too many parts; the others are empty.
};
using KeptExposures = std::map<std::string, KeptExposure, std::less<>>;  ///< By table.

/// For the analysis of a single rank. Of a table with too many parts only that is kept: then its
/// rows' savings have no bound, and a remark of the run says so.
KeptExposures ExposuresOf(const Analysis& analysis);

/// Adds them to the summary. ReadExposures() gives the same back.
void WriteExposures(const KeptExposures& kept, Summary& summary);
/// Nothing when numbers are missing or out of range.
std::optional<KeptExposures> ReadExposures(const Summary& summary);

/// Sets the exposures of the tables in `out` which all of `ranks` (their numbers in tables) keep
/// whole. `kept_of(i)` reads those of ranks[i], once each, in order: a rank's keys and parts go
/// before the next one's come, since all of them would be as much again as the run's own. Its error
/// is the answer.
Status AddKeptExposures(std::span<const std::int64_t> ranks,
                        const std::function<Result<KeptExposures>(std::size_t)>& kept_of,
                        catalog::Output& out);

// Tables whose rows each belong to one rank: kept as they are, and joined for the run. Tables with
// a row for each event keep only the longest rows. The possible cost of rows is kept too.

/// The tables of one rank that the run joins row by row.
struct KeptTables {
  std::vector<Table> tables;                                  ///< Those that the rank has.
  std::map<std::string, std::string, std::less<>> absent;     ///< Why it has no others.
  std::map<std::string, std::int64_t, std::less<>> all_rows;  ///< Before they were cut, by id.
  /// Exposures of these tables and of others that the run makes anew; empty when read from a
  /// summary.
  KeptExposures exposures;
};

/// Begins the ids of remarks that name a table whose rows' savings have no bound.
inline constexpr std::string_view kUnboundRemark = "summary-bounds/";
/// Begins the ids of remarks that name a table of which rows were left out.
inline constexpr std::string_view kCutRemark = "summary-rows/";

/// `communication`: TimeFactsOf() the rank. REQUIRES: the rank has a timeline.
KeptTables TablesOf(const iterations::RankContext& rank, communication::RankFacts communication);

/// Adds them to the summary. ReadTables() gives the same back.
void WriteTables(const KeptTables& kept, Summary& summary);
/// Nothing when cells are missing. `strings`: the texts go there, those of many ranks once.
/// The column `rank` of the tables is 0 in all rows: TablePool::Add() writes the rank's number.
std::optional<KeptTables> ReadTables(const Summary& summary, std::shared_ptr<StringPool> strings);

/// The tables of many ranks, put together one rank after the other: of each its own go.
/// REQUIRES: tables come in the order of the ranks; rows of equal length keep that order.
class TablePool {
 public:
  /// `strings`: where the texts go, which is that of ReadTables().
  explicit TablePool(std::shared_ptr<StringPool> strings);
  TablePool(TablePool&&) noexcept;
  ~TablePool();
  /// `rank`: its number.
  void Add(std::int64_t rank, const KeptTables& tables);
  /// Adds the tables of all, with remarks where rows were left out. Once, at the end.
  void AddTables(catalog::Output& out) &&;

 private:
  struct OfRanks;
  std::vector<OfRanks> tables_;
};

}  // namespace profgauge::analysis::ranks
