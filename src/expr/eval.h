// Evaluation over columns. Total: whatever the data, there is a value or absence with its reason.
//
// Absence: an operation on an absent value is absent, so is a division by zero or a result out of
// range; `and` and `or` are absent only when the other side does not decide; `not` of absent is
// absent; `known` never is. Aggregates skip rows whose value is absent and count them; when no
// value is left but rows were there, they are absent. Sums over no rows are 0, counts too; mean,
// median, min, max and percentile over no rows are absent.
//
// Numbers are doubles: sums of whole nanoseconds are exact up to 2^53 (104 days).
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

/// Where one field gets its data.
struct Source {
  static constexpr RowId kNoRow = kNoIndex;

  // A row field: a column, which may belong to another table reached through `rows_of`.
  const Column* column = nullptr;               ///< nullptr: absent in every row.
  const StringPool* strings = nullptr;          ///< Only for a text column.
  const std::vector<RowId>* rows_of = nullptr;  ///< Row of `column` for each row; kNoRow: absent.

  // A group field: one value.
  Value value;

  std::string absent_because;  ///< Why column or value are absent.
};

/// One Source per slot of the schema. A slot after the end is absent.
using Data = std::vector<Source>;

struct Outcome {
  Value value;                     ///< bool, double or string; monostate: absent, because…
  std::string absent_because;      ///< "`kernel.op` is absent: kineto has no …"
  std::string absent_field;        ///< The field that is to blame, if one is: "kernel.op".
  std::uint64_t rows_skipped = 0;  ///< Rows that aggregates left out for an absent value.
};

/// Group context: `rows` are the group's rows.
/// REQUIRES: a program of group context; row numbers are in range of the rows' table. O(nodes ×
/// rows) where it has aggregates, else O(nodes).
Outcome Evaluate(const Program& program, const Data& data, std::span<const RowId> rows);
/// Row context.
Outcome EvaluateRow(const Program& program, const Data& data, RowId row);
/// A group-context program without rows; `lookup` gives the value of a field by its name.
Outcome EvaluateCondition(const Program& program,
                          const std::function<Value(std::string_view)>& lookup);

struct Filtered {
  std::vector<RowId> rows;      ///< Those where the condition is true, in order.
  std::uint64_t unknown = 0;    ///< Dropped because the condition is absent there.
  std::string unknown_because;  ///< Reason in the first of them,
  std::string unknown_field;    ///< and the field to blame.
};
/// Row context; the program is a condition.
/// Rows for which the condition is unknown are dropped and counted, so that a caller can say that
/// a rule could not look at all of them.
Filtered Filter(const Program& condition, const Data& data, std::span<const RowId> rows);

/// Row context; numbers or truth values (0, 1) for each of `rows`; NaN: absent.
/// REQUIRES: the program's type is not text.
std::vector<double> EvaluateNumbers(const Program& program, const Data& data,
                                    std::span<const RowId> rows);

/// The rows in the order of `order`, absent last; equal ones keep their order. Only the first
/// `limit` are given.
/// O(rows log limit).
std::vector<RowId> Sorted(const Program& order, const Data& data, std::span<const RowId> rows,
                          std::size_t limit);

}  // namespace profgauge::expr
