// Evaluates programs over columns. Never fails: the result is a value, or absent with a reason.
//
// Rules of absence: an operation on an absent value is absent, and so are a division by zero and a
// result out of range. `and` and `or` are absent only if the other side does not decide. `not` of
// absent is absent; `known` is never absent. Aggregates skip and count rows whose value is absent;
// if there were rows but no value is left, they are absent. Over no rows, sums and counts are 0;
// mean, median, min, max and percentile are absent.
//
// Numbers are doubles: sums of integer nanoseconds are exact up to 2^53 (104 days).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.h"
#include "base/string_pool.h"
#include "base/table.h"
#include "base/value.h"
#include "expr/program.h"

namespace profgauge::expr {

using RowId = std::uint32_t;

/// The data of one field.
struct Source {
  static constexpr RowId kNoRow = kNoIndex;

  // For a row field: a column, which may belong to another table, found through `rows_of`.
  const Column* column = nullptr;               ///< nullptr: absent in every row.
  const StringPool* strings = nullptr;          ///< Only for a text column.
  const std::vector<RowId>* rows_of = nullptr;  ///< Row of `column` for each row; kNoRow: absent.

  // For a group field: one value.
  Value value;

  std::string absent_because;  ///< Why the column or value is absent.
};

/// One Source per slot of the schema. Slots beyond the end are absent.
using Data = std::vector<Source>;

struct Outcome {
  Value value;                     ///< bool, double or string; monostate: absent.
  std::string absent_because;      ///< "`kernel.op` is absent: kineto has no …"
  std::string absent_field;        ///< The field that caused the absence, if any: "kernel.op".
  std::uint64_t rows_skipped = 0;  ///< Rows that aggregates skipped because a value was absent.
};

/// Evaluates in group context; `rows` are the group's rows. O(nodes × rows) if the program has
/// aggregates, else O(nodes). REQUIRES: a program of group context; row numbers are in range of the
/// rows' table.
Outcome Evaluate(const Program& program, const Data& data, std::span<const RowId> rows);
/// Evaluates in row context.
Outcome EvaluateRow(const Program& program, const Data& data, RowId row);
/// Evaluates a group-context program without rows; `lookup` returns the value of a field by its
/// name.
Outcome EvaluateCondition(const Program& program,
                          const std::function<Value(std::string_view)>& lookup);

struct Filtered {
  std::vector<RowId> rows;      ///< Rows for which the condition is true, in order.
  std::uint64_t unknown = 0;    ///< Rows dropped because the condition is absent.
  std::string unknown_because;  ///< The reason for the first of these rows,
  std::string unknown_field;    ///< and the field that caused it.
};
/// Returns the rows for which a condition is true. Rows for which it is unknown are dropped and
/// counted, so that a caller can report that a rule could not check all rows.
Filtered Filter(const Program& condition, const Data& data, std::span<const RowId> rows);

/// Evaluates numbers or Booleans (0, 1) for each of `rows`, in row context; NaN: absent. REQUIRES:
/// the program's type is not text.
std::vector<double> EvaluateNumbers(const Program& program, const Data& data,
                                    std::span<const RowId> rows);

/// Returns the first `limit` rows in the order of `order`, absent values last; equal ones keep
/// their order. O(rows log limit).
std::vector<RowId> Sorted(const Program& order, const Data& data, std::span<const RowId> rows,
                          std::size_t limit);

}  // namespace profgauge::expr
