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
#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "analysis/iterations/context.h"
#include "base/interval.h"

namespace profgauge::analysis::iterations {

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

// Each kernel's part of the work of the operator that launched it. Only time is known of a kernel;
// operations and bytes follow from the shapes of its operator (flops/op_work.h).
//
// aten::addmm of 100 FLOPs launched three kernels: a transposition of 2 us, and a matmul in two
// kernels of 6 and 4 us by their names. The matmul's get 60 and 40, the transposition 0.

/// The part of one kernel. All kernels of an operator add up to its work.
struct KernelWork {
  double flops = -1, bytes = -1;  ///< -1 unknown.
};

/// The work of an operator is divided among its kernels by their time: that of a product,
/// convolution or attention among the kernels whose name speaks of one, where there are such, so
/// that helpers have none. The parts add up to the operator's work. Operators inside of a counted
/// one share its work. Collectives have none. O(n) to make, O(1) to ask.
class WorkDivision {
 public:
  /// Keeps references to all of them.
  WorkDivision(const Profile& profile, const classify::KernelClasses& classes,
               const flops::OpWorks& works);
  explicit WorkDivision(const RankContext& rank)
      : WorkDivision(*rank.profile, rank.classes, rank.works) {}
  /// -1 where no operator is known, its work is not, or the row is no kernel. REQUIRES: a row of
  /// the device table.
  KernelWork Of(std::size_t device_row) const;

 private:
  /// The counted operator that launched a kernel, or OpWorks::kNone.
  std::uint32_t Counted(std::size_t device_row) const;

  // Times of the kernels of one counted operator.
  struct Times {
    Ns all = 0, matrix = 0;
  };
  const Profile& profile_;
  const classify::KernelClasses& classes_;
  const flops::OpWorks& works_;
  std::vector<Times> times_;  // By row of HostTable.
};

}  // namespace profgauge::analysis::iterations
