// Sums amounts over the kernels that run concurrently, at each moment. One sweep over time, with
// constant extra memory per running kernel.
//
// Example: two kernels with the amounts 0.5 and 0.25, on two streams:
//
//   a      |------ 0.5 ------|
//   b               |---- 0.25 ----|
//   level  |  0.5   |  0.75  | 0.25|          three visits; time between kernels has level 0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "analysis/iterations/context.h"
#include "base/interval.h"

namespace profgauge::analysis::iterations {

/// Calls `visit(from, to, level)`, in order, for each range between two times at which a kernel
/// starts or ends. `level` is the sum of the amounts that run in it, 0 if none does. `rows` are
/// reordered; `span_of(row)` and `amount_of(row)` are its time and amount. Rows without duration
/// are ignored. Time before the first start and after the last end is not visited. O(n log n); O(n
/// log k) for k concurrent rows if rows are already sorted. Ties are broken by amount, so that the
/// sums of equal kernels are bit-identical in any order.
template <class SpanOf, class AmountOf, class Visit>
void SweepKernels(std::vector<std::uint32_t>& rows, SpanOf span_of, AmountOf amount_of,
                  Visit visit) {
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    const Ns at_a = span_of(a).start;
    const Ns at_b = span_of(b).start;
    return at_a != at_b ? at_a < at_b : amount_of(a) < amount_of(b);
  };
  // Already sorted if there is one stream.
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) {
    std::stable_sort(rows.begin(), rows.end(), earlier);
  }
  /// A kernel that is currently running, with its amount.
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
    level = running.empty() ? 0 : level - first.amount;  // This avoids accumulated rounding errors.
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

// Each kernel's share of the work of the operator that launched it. Profiles record only the time
// of a kernel; operations and bytes follow from the shapes of its operator (flops/op_work.h).
//
// Example: aten::addmm with 100 FLOPs launched a transposition of 2 us and, according to their
// names, two matmul kernels of 6 and 4 us. The matmul kernels get 60 and 40, the transposition 0.

/// The share of one kernel. All kernels of an operator add up to its work.
struct KernelWork {
  double flops = -1, bytes = -1;  ///< -1 unknown.
};

/// Divides the work of an operator among its kernels by their time. The work of a matmul,
/// convolution or attention goes only to kernels with a matching name, if there are any, so that
/// helper kernels get none. The shares add up to the operator's work. Operators inside of a counted
/// one share its work. Collectives have none. O(n) to build, O(1) per query.
class WorkDivision {
 public:
  /// Keeps references to all arguments.
  WorkDivision(const Profile& profile, const classify::KernelClasses& classes,
               const flops::OpWorks& works);
  explicit WorkDivision(const RankContext& rank)
      : WorkDivision(*rank.profile, rank.classes, rank.works) {}
  /// -1 if the operator or its work is unknown, or the row is not a kernel. REQUIRES: a row of the
  /// device table.
  KernelWork Of(std::size_t device_row) const;

 private:
  /// The counted operator that launched a kernel, or OpWorks::kNone.
  std::uint32_t Counted(std::size_t device_row) const;

  // Summed times of the kernels of one counted operator.
  struct Times {
    Ns all = 0, matrix = 0;
  };
  const Profile& profile_;
  const classify::KernelClasses& classes_;
  const flops::OpWorks& works_;
  std::vector<Times> times_;  // By row of HostTable.
};

}  // namespace profgauge::analysis::iterations
