#include "analysis/kernel_work.h"

namespace profgauge {
namespace {

// Times of the kernels of one counted operator.
struct Times {
  Ns all = 0, matrix = 0;
};

}  // namespace

std::vector<KernelWork> DivideWork(const RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  std::vector<KernelWork> parts(device.size());
  std::vector<Times> times(rank.profile->host.size());
  const auto counted = [&](std::size_t row) {
    const HostId op = device.op[row];
    return device.kind[row] == DeviceKind::kKernel && op.valid() && !rank.classes[row].collective
               ? rank.works.counted_in[op.value]
               : OpWorks::kNone;
  };
  for (std::size_t row = 0; row < device.size(); ++row) {
    const std::uint32_t op = counted(row);
    if (op == OpWorks::kNone) continue;
    times[op].all += device.duration[row];
    if (IsMatrixRule(rank.classes[row])) times[op].matrix += device.duration[row];
  }
  for (std::size_t row = 0; row < device.size(); ++row) {
    const std::uint32_t op = counted(row);
    if (op == OpWorks::kNone) continue;
    const OpWork& work = *rank.works.Find(op);
    const bool by_matrix = work.is_matrix && times[op].matrix > 0;
    const Ns whole = by_matrix ? times[op].matrix : times[op].all;
    const bool takes_part = !by_matrix || IsMatrixRule(rank.classes[row]);
    const double share = whole > 0 && takes_part ? static_cast<double>(device.duration[row]) /
                                                       static_cast<double>(whole)
                                                 : 0;
    parts[row].flops = work.flops * share;
    if (work.bytes >= 0) parts[row].bytes = work.bytes * share;
  }
  return parts;
}

}  // namespace profgauge
