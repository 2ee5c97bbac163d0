// Exposures of a rank's tables: the maximum cost of their rows (analysis/catalog/row_exposure.h). A
// summary identifies rows by their contents, so that the exposures fit the tables of a run.
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

/// The exposure of one table of a rank. Rows are identified by their contents, so that ranks can be
/// combined.
struct KeptExposure {
  std::vector<std::string> keys;  ///< The contents of each row.
  catalog::Exposure exposure;     ///< Its rows are positions in `keys`.
  bool is_dropped = false;        ///< It had too many parts; the others are empty.
};
using KeptExposures = std::map<std::string, KeptExposure, std::less<>>;  ///< By table.

/// Returns the exposures of the tables of a single rank. If one has too many parts, only
/// `is_dropped` is stored: the savings of its rows are then unbounded, and a remark says so.
KeptExposures ExposuresOf(const Analysis& analysis);

/// Adds them to the summary. ReadExposures() is the inverse.
void WriteExposures(const KeptExposures& kept, Summary& summary);
/// None if numbers are missing or out of range.
std::optional<KeptExposures> ReadExposures(const Summary& summary);

/// Sets the exposures of those tables in `out` that all of `ranks` (their numbers in tables) have
/// completely. `kept_of(i)` reads the exposures of ranks[i], once each and in order: the data of a
/// rank is freed before the next is read, because all of it would double the memory. Returns the
/// first error of kept_of.
Status AddKeptExposures(std::span<const std::int64_t> ranks,
                        const std::function<Result<KeptExposures>(std::size_t)>& kept_of,
                        catalog::Output& out);

// Tables whose rows belong to one rank each. They are stored per rank, and concatenated for the
// run. Tables with a row per event keep only the longest rows. Exposures of rows are also stored.

/// The tables of one rank that the run concatenates.
struct KeptTables {
  std::vector<Table> tables;                                  ///< Tables that the rank has.
  std::map<std::string, std::string, std::less<>> absent;     ///< Why others are missing.
  std::map<std::string, std::int64_t, std::less<>> all_rows;  ///< Rows before cutting, by table id.
  /// Exposures of these tables, and of others that the run computes; empty if read from a summary.
  KeptExposures exposures;
};

/// Begins the ids of remarks that name a table whose rows' savings have no bound.
inline constexpr std::string_view kUnboundRemark = "summary-bounds/";
/// Begins the ids of remarks that name a table of which rows were left out.
inline constexpr std::string_view kCutRemark = "summary-rows/";

/// `communication`: TimeFactsOf() for the rank. REQUIRES: the rank has a timeline.
KeptTables TablesOf(const iterations::RankContext& rank, communication::RankFacts communication);

/// Adds them to the summary. ReadTables() is the inverse.
void WriteTables(const KeptTables& kept, Summary& summary);
/// Reads the tables. None if cells are missing. `strings`: the pool for texts, shared by many
/// ranks. The column `rank` is 0 in all rows; TablePool::Add() writes the rank's number.
std::optional<KeptTables> ReadTables(const Summary& summary, std::shared_ptr<StringPool> strings);

/// Concatenates the tables of many ranks one after another; each rank's tables can be freed after
/// Add(). REQUIRES: ranks come in order; rows of equal length keep that order.
class TablePool {
 public:
  /// `strings`: the pool for texts, the same as for ReadTables().
  explicit TablePool(std::shared_ptr<StringPool> strings);
  TablePool(TablePool&&) noexcept;
  ~TablePool();
  /// `rank`: the rank number.
  void Add(std::int64_t rank, const KeptTables& tables);
  /// Adds all tables, with remarks on omitted rows. Call it once, at the end.
  void AddTables(catalog::Output& out) &&;

 private:
  struct OfRanks;
  std::vector<OfRanks> tables_;
};

}  // namespace profgauge::analysis::ranks
