// The tables of SQL and `export tables`: fixed columns; rows are read in place.
//
//     RelationInfo       name and columns: fixed when the program is built
//       Relation         one per RelationInfo, in a Dataset
//         Part           one per run; for events one per rank
//           Rows         cells by (row, column), read in place or computed
//
// The schema follows only from the catalogs, so a statement can be checked before a profile is
// read. A table's rows come in parts: one per run, for events one per rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "base/value.h"

namespace profgauge::query {

/// Times are nanoseconds, shares 0 to 1, sizes bytes, rates per second.
struct ColumnInfo {
  std::string name;  ///< In SQL; differs from the id if that is a keyword.
  std::string id;    ///< In the catalog.
  Unit unit = Unit::kText;
  std::string title, doc;
  bool is_key = false;  ///< Together with the other keys it identifies a row.
};

/// kAnswer: rows made by another statement.
enum class Origin : std::uint8_t { kReport, kEvents, kHistory, kAnswer };
/// "report", "events", "history", "answer".
std::string_view OriginName(Origin origin);

struct RelationInfo {
  std::string name, title, doc;
  Origin origin = Origin::kReport;
  std::vector<ColumnInfo> columns;
  const ColumnInfo* Find(std::string_view column) const;
};

/// Returns all tables: those of the report, of the history, `tables`, `columns` and `queries`, then
/// the event tables. Made at the first call and unchanged afterwards: pointers into it stay valid.
std::span<const RelationInfo> Schema();
/// The index in Schema().
std::optional<std::size_t> FindRelation(std::string_view name);
/// True if the table describes the program, not a profile: tables, columns and saved queries.
bool DescribesItself(std::string_view table);
/// The name of a column in SQL, which differs from ids of the catalog that are keywords.
std::string_view SqlName(std::string_view table, std::string_view id);

/// Rows that can be read in any order. Columns are numbered as in the RelationInfo. At() REQUIRES:
/// row < size(), column < the number of columns.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual std::size_t size() const = 0;
  virtual Cell At(std::size_t row, std::size_t column) const = 0;
};

/// Rows stored as cells.
class MadeRows : public Rows {
 public:
  void Add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  std::size_t size() const override { return rows_.size(); }
  Cell At(std::size_t row, std::size_t column) const override { return rows_[row][column]; }

 private:
  std::vector<std::vector<Cell>> rows_;
};

/// Rows of one run, or of one rank's events. Ids of events are first_id, first_id + 1, …, so the
/// row of an id is known without a search.
struct Part {
  std::string run;                   ///< Its name; empty if there is only one run.
  std::optional<std::int64_t> rank;  ///< Only for events: the rank of all rows.
  std::int64_t first_id = 0;         ///< Only for events: the id of the first row.
  std::shared_ptr<const Rows> rows;
};

struct Relation {
  const RelationInfo* info = nullptr;
  std::vector<Part> parts;
  std::string absent_because;                         ///< Why there are no rows; may be empty.
  std::map<std::string, std::string> absent_columns;  ///< By name: why no row has a value.
  std::size_t size() const;
};

/// All tables, in the order of Schema().
class Dataset {
 public:
  Dataset();
  Relation& operator[](std::size_t place) { return relations_[place]; }
  const Relation& operator[](std::size_t place) const { return relations_[place]; }
  /// REQUIRES: the schema has it.
  Relation& Of(std::string_view name);
  std::size_t size() const { return relations_.size(); }
  std::span<const Relation> tables() const { return relations_; }
  /// Fills `tables` and `columns` from the others, and `queries` unless it has rows.
  void DescribeItself();

 private:
  std::vector<Relation> relations_;
};

/// Tables by their indices in Schema().
using Places = std::set<std::size_t>;

}  // namespace profgauge::query
