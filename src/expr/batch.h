// Evaluates many rows at a time: numbers and Booleans of a subtree for up to kBatchRows rows.
// Internal to evaluation.
//
// Absent is NaN here. Memory is allocated once per subtree, not per row. Text tests are cached per
// distinct text, so a regular expression over a million launches runs once per kernel name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/cell.h"

namespace profgauge::expr {

inline constexpr std::size_t kBatchRows = 1024;

/// One register of at most kBatchRows numbers per node. For `kernel.mean > 5 us and kernel.calls >
/// 10`:
///
///   rows        0    1    2         filled by
///   mean        4e3  9e3  NaN       Load
///   5 us        5e3  5e3  5e3       the constructor: it does not vary
///   >           0    1    NaN       Step, one loop
///   calls       ...                 and so on, in the order of the nodes
///
/// A node's loop runs over all rows of the batch before the next node's loop: no branch on the kind
/// of the node for each row, and the numbers stay in a core's cache.
class Batch {
 public:
  /// Evaluates the subtree that ends in `last`, over about `total_rows` rows in total. Program and
  /// data must outlive it. Results for texts are cached only if the pool has at most eight times as
  /// many texts as rows are expected; otherwise, setup would cost more than it saves. REQUIRES: the
  /// subtree's value is not text.
  Batch(const Program& program, const Data& data, NodeId last, std::size_t total_rows);

  /// The value in each of `rows` (at most kBatchRows); valid until the next call.
  std::span<const double> Run(std::span<const RowId> rows);

 private:
  /// Results of a text test so far, by text id of `leaf`: unknown, false or true. The last entry is
  /// for an absent text.
  struct Memo {
    NodeId node;
    NodeId leaf;
    std::vector<std::int8_t> seen;
  };

  std::vector<double>& Register(NodeId id) { return registers_[id - first_]; }
  const double* Numbers(NodeId id) const { return registers_[id - first_].data(); }
  void Step(NodeId id, std::span<const RowId> rows);
  void Load(NodeId id, std::span<const RowId> rows);
  void TextStep(NodeId id, std::span<const RowId> rows);
  /// The only field of a text test that varies; nullopt if there are several.
  std::optional<NodeId> OnlyLeaf(NodeId id) const;
  /// Loads the cells of a text test in one row.
  void LoadText(NodeId id, RowId row);
  void TextByMemo(NodeId id, std::span<const RowId> rows, Memo& memo);
  void Membership(NodeId id, std::size_t count);
  void Arithmetic(NodeId id, std::size_t count);
  void CallStep(NodeId id, std::span<const RowId> rows);
  bool IsText(NodeId id) const { return program_.info()[id].type.kind == Kind::kText; }

  const Program& program_;
  const Data& data_;
  NodeId first_, last_;
  std::vector<std::vector<double>> registers_;  ///< For nodes that are numbers or Booleans.
  std::vector<Cell> cells_;                     ///< Cells of constant nodes, and of single rows.
  std::vector<Memo> memos_;
};

}  // namespace profgauge::expr
