// Evaluates one value at a time: the reference semantics of every operation. Internal to
// evaluation; the batches of batch.h must give the same results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/eval.h"

namespace profgauge::expr {

/// A value. It is valid as long as the data and the program: `text` points into a pool, a value, a
/// literal or `joined`.
struct Cell {
  enum class State : std::uint8_t { kAbsent, kNumber, kText };
  State state = State::kAbsent;
  double number = 0;  ///< Booleans are 0 and 1.
  std::string_view text;
  std::shared_ptr<const std::string> joined;  ///< Owns `text` if an operation made it.
  NodeId origin = 0;  ///< For an absent cell: the node where it became absent.

  static Cell Number(double number, NodeId id);  ///< Absent unless finite.
  static Cell Text(std::string_view text);
  static Cell Made(std::string text);
  static Cell Absent(NodeId origin);
  bool absent() const { return state == State::kAbsent; }
};

/// The source of a field node; nullptr if `data` has none.
const Source* SourceOf(const NodeInfo& info, const Data& data);

/// Finds, for each row, the row of a source's column. Data that is equal for all rows is looked up
/// once.
class RowFinder {
 public:
  explicit RowFinder(const Source& source)
      : rows_of_(source.rows_of),
        size_(source.column == nullptr || !source.column->absent_because().empty()
                  ? 0
                  : source.column->size()) {}

  /// False if there is none, also if the whole column is absent.
  bool Find(RowId row, RowId& found) const {
    found = row;
    if (rows_of_ != nullptr) {
      found = row < rows_of_->size() ? (*rows_of_)[row] : Source::kNoRow;
    }
    return found < size_;
  }

 private:
  const std::vector<RowId>* rows_of_;
  std::size_t size_;
};

/// The value of a field in `row` (ignored for group fields).
Cell LoadField(const Program& program, const Data& data, NodeId id, RowId row);
/// The value of any node except fields and aggregates, from the cells of its children.
Cell Apply(const Program& program, NodeId id, const std::vector<Cell>& cells);
/// `contains`, `matches`, `==`… on two texts.
bool TestTexts(const Program& program, NodeId id, std::string_view a, std::string_view b);

/// Evaluates nodes [first, last] for one row, outside of aggregates. `cells` has a place per node.
/// REQUIRES: `first` is the first node of the subtree of `last`, or cells before it are filled.
void EvaluateCells(const Program& program, const Data& data, NodeId first, NodeId last, RowId row,
                   std::vector<Cell>& cells);

// Aggregates over the rows of a group. Internal to evaluation.

/// Evaluates the aggregate call `id` over `rows`. Adds the number of rows with an absent value,
/// which are skipped, to `skipped`.
Cell Aggregate(const Program& program, const Data& data, NodeId id, std::span<const RowId> rows,
               std::uint64_t& skipped);

}  // namespace profgauge::expr
