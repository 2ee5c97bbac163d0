// Rows of the operator tables: the calls of each rank are grouped, then added over ranks.
//
//   RankOps -> GroupOps -> rows of one rank ------------------------------------> PooledOps
//                                \-> OpSumsFrom -> OpFacts (a summary) -> OpRowsFrom -/
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/classify/name_memo.h"
#include "analysis/iterations/context.h"
#include "analysis/iterations/idle_walk.h"
#include "analysis/ops/op_tables.h"

namespace profgauge::analysis::ops {

/// A text common to all calls of a row; none if they differ.
struct CommonText {
  StringId text;
  bool seen = false;
  bool mixed = false;
  void Add(StringId other) {
    if (!seen) {
      text = other;
      seen = true;
    } else if (other != text) {
      mixed = true;
    }
  }
  void Add(const CommonText& others) {
    if (!others.seen) return;
    Add(others.text);
    mixed = mixed || others.mixed;
  }
  StringId get() const { return mixed ? StringId{} : text; }
};

/// The text for a set of OpDirection bits; "mixed" for several.
std::string_view DirectionText(std::uint8_t directions);

/// Whether rows of the host table are operators: neither framework ranges ("Optimizer.step") nor
/// Python functions. The context must outlive it.
class OperatorTest {
 public:
  explicit OperatorTest(const iterations::RankContext& rank)
      : rank_(rank), is_range_(*rank.profile, flops::IsFrameworkRange) {}
  bool operator()(std::uint32_t row) {
    const HostTable& host = rank_.profile->host;
    return host.kind[row] == HostKind::kOp && rank_.tree.IsOp(row) && host.name[row].valid() &&
           !is_range_(host.name[row]);
  }

 private:
  const iterations::RankContext& rank_;
  classify::NameMemo is_range_;
};

/// By row of the outer call, the number of calls of the same name in it, whose time it includes.
boost::unordered_flat_map<std::uint32_t, std::int64_t> CallsInside(
    const iterations::RankContext& rank);

/// One row of an operator table.
struct OpRow {
  StringId name;    ///< In the output's texts, like all texts here.
  StringId second;  ///< Shapes or call stack, if the table has one.
  OpSums sums;
  CommonText dtypes, call_stack;
  std::uint8_t directions = 0;  ///< Bit per OpDirection.
  std::int64_t operators = 0;   ///< Number of operators; only in op_types.
};

/// A deque grows without a second copy of rows, which are large.
using OpRows = std::deque<OpRow>;

/// The property that separates rows besides the operator's name.
enum class OpGrouping : std::uint8_t { kName, kShapes, kStack };

/// The operators of one rank that the tables show. The context must outlive it.
struct RankOps {
  explicit RankOps(const iterations::RankContext& of);
  bool IsRecomputed(std::uint32_t row) const { return knows_recomputed && recomputed[row]; }

  const iterations::RankContext& rank;
  std::vector<std::uint32_t> rows;  ///< In the host table.
  iterations::OpGpuUse gpu_use;
  bool knows_recomputed;
  std::vector<bool> recomputed = {};  ///< By row of the host table.
};

/// Whether any call of any rank has shapes or a call stack. REQUIRES: not kName.
bool HasSecond(std::span<const iterations::RankContext> ranks, OpGrouping grouping);

/// Groups the operators in each of these ways, in the order of `by`, with one pass over the calls.
/// Texts go to `strings`. O(n) over the operators. Rows are in the order of their first calls. A
/// row without a second text has an invalid one.
std::vector<OpRows> GroupOps(const RankOps& ops, std::span<const OpGrouping> by,
                             StringPool& strings);

/// Position of a row by its name and second text.
using OpPlaces = boost::unordered_flat_map<std::uint64_t, std::uint32_t>;

/// Adds up the operators of several ranks. It always adds sums of ranks, so that events and
/// summaries give equal results.
struct PooledOps {
  OpRows rows;
  OpPlaces places;  ///< Empty while there is one rank.

  /// REQUIRES: no two rows of `more` have the same name and second text.
  void Add(OpRows more);
};

/// Returns one row for each type of operator, i.e. OpType() of the name. If operators of one type
/// are nested, host_total includes the inner time twice. Frees each operator once it is added: with
/// as many types as operators, both lists would be most of the memory.
OpRows GroupOpTypes(OpRows ops, StringPool& strings);

/// Sorts by device time, then host time, largest first; then by name, so that the order is
/// reproducible.
void SortOps(OpRows& rows, const StringPool& strings);

/// Converts rows to the form of a summary, and back.
std::vector<OpNameSum> OpSumsFrom(const OpRows& rows, const StringPool& strings);
OpRows OpRowsFrom(const std::vector<OpNameSum>& sums, StringPool& strings);

}  // namespace profgauge::analysis::ops
