#include "analysis/iterations/kernel_work.h"

namespace profgauge::analysis::iterations {

WorkDivision::WorkDivision(const Profile& profile, const classify::KernelClasses& classes,
                           const flops::OpWorks& works)
    : profile_(profile), classes_(classes), works_(works), times_(profile.host.size()) {
  const DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const std::uint32_t op = Counted(row);
    if (op == flops::OpWorks::kNone) continue;
    times_[op].all += device.duration[row];
    if (classify::IsMatrixRule(classes[row])) times_[op].matrix += device.duration[row];
  }
}

std::uint32_t WorkDivision::Counted(std::size_t row) const {
  const DeviceTable& device = profile_.device;
  const HostId op = device.op[row];
  return device.kind[row] == DeviceKind::kKernel && op.valid() && !classes_[row].collective
             ? works_.counted_in[op.value]
             : flops::OpWorks::kNone;
}

// A kernel's share is its time divided by the time of all kernels of the operator that share its
// work. Unknown bytes stay unknown; the FLOPs of a helper kernel are 0.
KernelWork WorkDivision::Of(std::size_t row) const {
  KernelWork part;
  const std::uint32_t op = Counted(row);
  if (op == flops::OpWorks::kNone) return part;
  const flops::OpWork& work = *works_.Find(op);
  const bool by_matrix = work.is_matrix && times_[op].matrix > 0;
  const Ns whole = by_matrix ? times_[op].matrix : times_[op].all;
  const bool takes_part = !by_matrix || classify::IsMatrixRule(classes_[row]);
  const double share =
      whole > 0 && takes_part
          ? static_cast<double>(profile_.device.duration[row]) / static_cast<double>(whole)
          : 0;
  part.flops = work.flops * share;
  if (work.bytes >= 0) part.bytes = work.bytes * share;
  return part;
}

}  // namespace profgauge::analysis::iterations
