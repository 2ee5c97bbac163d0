// One value at a time: the reference semantics of every operation. Internal to evaluation; the
// batches of batch.h must agree with it.
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

/// Valid as long as the data and the program: `text` points into a pool, a value, a literal or
/// `joined`.
struct Cell {
  enum class State : std::uint8_t { kAbsent, kNumber, kText };
  State state = State::kAbsent;
  double number = 0;  ///< Truth values are 0 and 1.
  std::string_view text;
  std::shared_ptr<const std::string> joined;  ///< Owns `text` where an operation made it.
  NodeId origin = 0;  ///< For an absent cell: the node where it became absent.

  static Cell Number(double number, NodeId id);  ///< Absent unless finite.
  static Cell Text(std::string_view text);
  static Cell Made(std::string text);
  static Cell Absent(NodeId origin);
  bool absent() const { return state == State::kAbsent; }
};

/// The source of a field node; nullptr when `data` has none.
const Source* SourceOf(const NodeInfo& info, const Data& data);

/// Finds the rows of a source's column that belong to rows: what is the same for all is looked at
/// once.
class RowFinder {
 public:
  explicit RowFinder(const Source& source)
      : rows_of_(source.rows_of),
        size_(source.column == nullptr || !source.column->absent_because().empty()
                  ? 0
                  : source.column->size()) {}

  /// False when there is none; also for a column that is absent as a whole.
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

/// A field in `row` (ignored for group fields).
Cell LoadField(const Program& program, const Data& data, NodeId id, RowId row);
/// Any node but fields and aggregates, over the cells of its children.
Cell Apply(const Program& program, NodeId id, const std::vector<Cell>& cells);
/// `contains`, `matches`, `==`… on two texts.
bool TestTexts(const Program& program, NodeId id, std::string_view a, std::string_view b);

/// Nodes [first, last] for one row, outside of aggregates. `cells` has a place for every node.
/// REQUIRES: `first` is the first node of the subtree of `last`, or cells before it are filled.
void EvaluateCells(const Program& program, const Data& data, NodeId first, NodeId last, RowId row,
                   std::vector<Cell>& cells);

// Aggregates over the rows of a group. Internal to evaluation.

/// The aggregate call `id` over `rows`. Adds rows that were left out for an absent value to
/// `skipped`.
Cell Aggregate(const Program& program, const Data& data, NodeId id, std::span<const RowId> rows,
               std::uint64_t& skipped);

}  // namespace profgauge::expr
