#include "analysis/kernel_work.h"

namespace profgauge {

WorkDivision::WorkDivision(const RankContext& rank)
    : rank_(rank), times_(rank.profile->host.size()) {
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const std::uint32_t op = Counted(row);
    if (op == OpWorks::kNone) continue;
    times_[op].all += device.duration[row];
    if (IsMatrixRule(rank.classes[row])) times_[op].matrix += device.duration[row];
  }
}

std::uint32_t WorkDivision::Counted(std::size_t row) const {
  const DeviceTable& device = rank_.profile->device;
  const HostId op = device.op[row];
  return device.kind[row] == DeviceKind::kKernel && op.valid() && !rank_.classes[row].collective
             ? rank_.works.counted_in[op.value]
             : OpWorks::kNone;
}

KernelWork WorkDivision::Of(std::size_t row) const {
  KernelWork part;
  const std::uint32_t op = Counted(row);
  if (op == OpWorks::kNone) return part;
  const OpWork& work = *rank_.works.Find(op);
  const bool by_matrix = work.is_matrix && times_[op].matrix > 0;
  const Ns whole = by_matrix ? times_[op].matrix : times_[op].all;
  const bool takes_part = !by_matrix || IsMatrixRule(rank_.classes[row]);
  const double share = whole > 0 && takes_part
                           ? static_cast<double>(rank_.profile->device.duration[row]) /
                                 static_cast<double>(whole)
                           : 0;
  part.flops = work.flops * share;
  if (work.bytes >= 0) part.bytes = work.bytes * share;
  return part;
}

}  // namespace profgauge
