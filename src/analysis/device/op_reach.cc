#include "analysis/device/op_reach.h"

#include <algorithm>

#include "knowledge/reach.h"
#include "model/device_words.h"

namespace profgauge {
namespace {

double UsualReach(std::string_view gpu_name) {
  switch (AcceleratorOfName(gpu_name)) {
    case Accelerator::kNvidia:
      return knowledge::kReachNvidia.value();
    case Accelerator::kAmd:
      return knowledge::kReachAmd.value();
    default:
      return knowledge::kReachOther.value();
  }
}

double Seconds(knowledge::Time time) { return static_cast<double>(time.ns()) / 1e9; }

}  // namespace

double BandwidthReach() { return knowledge::kReachBandwidth.value(); }

double LeastKernelTime(std::string_view gpu_name) {
  const bool is_amd = AcceleratorOfName(gpu_name) == Accelerator::kAmd;
  return Seconds(is_amd ? knowledge::kReachLeastAmd : knowledge::kReachLeastOther);
}

double ComputeReach(std::string_view gpu_name, std::span<const ReachedShare> products) {
  const double usual = UsualReach(gpu_name);
  std::int64_t shapes = 0;
  double best = 0;
  for (const ReachedShare& product : products) {
    if (!product.is_good || product.call_time < Seconds(knowledge::kReachLeastMatmul)) continue;
    ++shapes;
    best = std::max(best, product.share);
  }
  if (knowledge::kReachLeastShapes > shapes) return usual;
  return std::clamp(best, knowledge::kReachLeastOfUsual.value() * usual, 1.0);
}

}  // namespace profgauge
