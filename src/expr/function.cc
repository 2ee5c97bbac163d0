#include "expr/function.h"

namespace profgauge::expr {
namespace {

using enum FunctionId;
constexpr int kMany = 16;

constexpr Function kFunctions[] = {
    {kSum, "sum", "(x [, condition])", 1, 2, true, "Sum over the rows; 0 over no rows."},
    {kMean, "mean", "(x [, condition])", 1, 2, true, "Arithmetic mean; absent over no rows."},
    {kMedian, "median", "(x [, condition])", 1, 2, true,
     "Middle value, or the mean of the two middle ones."},
    {kMin, "min", "(x [, condition])", 1, 2, true, "Smallest value."},
    {kMax, "max", "(x [, condition])", 1, 2, true, "Largest value."},
    {kCount, "count", "([condition])", 0, 1, true,
     "Number of rows, or of those where the condition is true."},
    {kPercentile, "percentile", "(x, p [, condition])", 2, 3, true,
     "The p-th percentile (0 to 100), interpolated linearly between neighbors."},
    {kAny, "any", "(condition)", 1, 1, true, "Whether the condition is true for some row."},
    {kAll, "all", "(condition)", 1, 1, true,
     "Whether it is true for every row; true over no rows."},
    {kDistinct, "distinct", "(x [, condition])", 1, 2, true, "Number of different values."},
    {kAtMax, "at_max", "(x, y [, condition])", 2, 3, true,
     "x in the row where y is largest; of equal ones the first."},
    {kAbs, "abs", "(x)", 1, 1, false, "x without its sign."},
    {kCeil, "ceil", "(x)", 1, 1, false, "The next whole number, upwards."},
    {kFloor, "floor", "(x)", 1, 1, false, "The next whole number, downwards."},
    {kLeast, "least", "(a, b, …)", 2, kMany, false, "The smallest of its arguments."},
    {kGreatest, "greatest", "(a, b, …)", 2, kMany, false, "The largest of its arguments."},
    {kIf, "if", "(condition, a, b)", 3, 3, false, "a when the condition is true, b when false."},
    {kKnown, "known", "(x)", 1, 1, false, "Whether x is not absent; never absent itself."},
    {kGreatestKnown, "greatest_known", "(a, b, …)", 1, kMany, false,
     "The largest of its arguments that are known; absent only where all are."},
    {kPlural, "plural", "(n, one [, many])", 2, 3, false,
     "`3 kernels`: the number and the word that fits it; without `many` with an `s`."},
};

}  // namespace

std::span<const Function> Functions() { return kFunctions; }

const Function* FindFunction(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace profgauge::expr
