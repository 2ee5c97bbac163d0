// Sums over concurrently running kernels, over time: one sweep in constant extra memory per kernel
// that runs, however many there are.
//
// Two kernels with the amounts 0.5 and 0.25, on two streams:
//
//   a      |------ 0.5 ------|
//   b               |---- 0.25 ----|
//   level  |  0.5   |  0.75  | 0.25|          three visits; between kernels one with 0
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

#include "base/interval.h"

namespace profgauge::analysis::context {

/// Calls `visit(from, to, level)` for each range between two moments at which a kernel starts or
/// ends, in order; `level` is the sum of the amounts that run in it, 0 where nothing does. `rows`
/// are reordered; `span_of(row)` is its time, `amount_of(row)` its amount. Rows that last no
/// time add nothing. Nothing is visited before the first start and after the last end. O(n log n);
/// O(n log k) for k that run together where rows are sorted already. Ties are broken by amount, so
/// that equal kernels give equal bits in whatever order they come.
template <class SpanOf, class AmountOf, class Visit>
void SweepKernels(std::vector<std::uint32_t>& rows, SpanOf span_of, AmountOf amount_of,
                  Visit visit) {
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    const Ns at_a = span_of(a).start;
    const Ns at_b = span_of(b).start;
    return at_a != at_b ? at_a < at_b : amount_of(a) < amount_of(b);
  };
  // Sorted already when there is one stream.
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) {
    std::stable_sort(rows.begin(), rows.end(), earlier);
  }
  /// A kernel that runs at the current moment, with its amount.
  struct Running {
    Ns end;
    double amount;
  };
  const auto ends_later = [](const Running& a, const Running& b) {
    return a.end != b.end ? a.end > b.end : a.amount < b.amount;
  };
  std::priority_queue<Running, std::vector<Running>, decltype(ends_later)> running(ends_later);
  double level = 0;
  Ns previous = 0;
  bool started = false;
  const auto move_to = [&](Ns at) {
    if (started && at > previous) visit(previous, at, level);
    previous = at;
    started = true;
  };
  const auto end_first = [&] {
    const Running first = running.top();
    running.pop();
    move_to(first.end);
    level = running.empty() ? 0 : level - first.amount;  // So that it stays small and exact.
  };
  for (const std::uint32_t row : rows) {
    const Span span = span_of(row);
    if (span.end <= span.start) continue;
    while (!running.empty() && running.top().end <= span.start) end_first();
    move_to(span.start);
    level += amount_of(row);
    running.push({span.end, amount_of(row)});
  }
  while (!running.empty()) end_first();
}

}  // namespace profgauge::analysis::context
