#include "analysis/work/device_peaks.h"

#include "base/text.h"

namespace profgauge {
namespace {

/// In TFLOP/s and GB/s; 0: the chip has no such unit. `half` is for float16, and for bfloat16 where
/// the chip has it.
struct Row {
  std::string_view match;
  double half, tf32, float32, float64, float8, bandwidth;
  bool has_bfloat16;
};

// Sources: NVIDIA's data sheets and architecture white papers of the chips named (V100, T4, A100,
// A10, A30, A40, RTX A6000, L4, L40, L40S, H100, H200, GH200, B200, GeForce RTX 20, 30, 40 and 50),
// AMD's data sheets of Instinct MI210, MI250X, MI300A, MI300X and MI325X. The first match counts.
constexpr Row kRows[] = {
    {"*B200*", 2250, 1125, 75, 37, 4500, 8000, true},
    {"*GH200*", 989.4, 494.7, 66.9, 66.9, 1978.9, 4000, true},
    {"*H200*", 989.4, 494.7, 66.9, 66.9, 1978.9, 4800, true},
    {"*H100 NVL*", 835.5, 417.5, 60, 60, 1671, 3938, true},
    {"*H100 PCIe*", 756, 378, 51.2, 51.2, 1513, 2039, true},
    {"*H100*", 989.4, 494.7, 66.9, 66.9, 1978.9, 3352, true},
    {"*A100*SXM*80*", 312, 156, 19.5, 19.5, 0, 2039, true},
    {"*A100*PCIE*80*", 312, 156, 19.5, 19.5, 0, 1935, true},
    {"*A100*PCIe*80*", 312, 156, 19.5, 19.5, 0, 1935, true},
    {"*A100*", 312, 156, 19.5, 19.5, 0, 1555, true},
    {"*A10G*", 70, 35, 31.5, 0.49, 0, 600, true},
    {"*A10", 125, 62.5, 31.2, 0.49, 0, 600, true},
    {"*A30*", 165, 82, 10.3, 10.3, 0, 933, true},
    {"*A40*", 149.7, 74.8, 37.4, 0.58, 0, 696, true},
    {"*RTX A6000*", 154.8, 77.4, 38.7, 0.6, 0, 768, true},
    {"*L40S*", 362, 183, 91.6, 1.4, 733, 864, true},
    {"*L40*", 181, 90.5, 90.5, 1.4, 362, 864, true},
    {"*L4", 121, 60, 30.3, 0.47, 242, 300, true},
    {"*V100S*", 130, 0, 16.4, 8.2, 0, 1134, false},
    {"*V100*PCI*", 112, 0, 14, 7, 0, 900, false},
    {"*V100*", 125, 0, 15.7, 7.8, 0, 900, false},
    {"*P100*", 21.2, 0, 10.6, 5.3, 0, 732, false},
    {"*T4*", 65, 0, 8.1, 0.25, 0, 320, false},
    {"*TITAN RTX*", 130.5, 0, 16.3, 0.51, 0, 672, false},
    {"*RTX 2080 Ti*", 56.9, 0, 14.2, 0.44, 0, 616, false},
    {"*RTX 3080*", 59.5, 29.8, 29.8, 0.46, 0, 760, true},
    {"*RTX 3090*", 71, 35.6, 35.6, 0.56, 0, 936, true},
    {"*RTX 4090*", 165.2, 82.6, 82.6, 1.3, 330.3, 1008, true},
    {"*RTX 5090*", 209.5, 104.8, 104.8, 1.6, 419, 1792, true},
    {"*MI325X*", 1307.4, 653.7, 163.4, 163.4, 2614.9, 6000, true},
    {"*MI300X*", 1307.4, 653.7, 163.4, 163.4, 2614.9, 5325, true},
    {"*MI300A*", 980.6, 490.3, 122.6, 122.6, 1961.2, 5300, true},
    {"*MI250X*", 383, 0, 95.7, 95.7, 0, 3277, true},
    {"*MI210*", 181, 0, 45.3, 45.3, 0, 1638, true},
};

DevicePeaks PeaksOf(const Row& row) {
  DevicePeaks peaks;
  const auto set = [&](const char* dtype, double tera) {
    if (tera > 0) peaks.flop_rate[dtype] = tera * 1e12;
  };
  set("float16", row.half);
  if (row.has_bfloat16) set("bfloat16", row.half);
  set("tf32", row.tf32);
  set("float32", row.float32);
  set("float64", row.float64);
  set("float8", row.float8);
  peaks.memory_bandwidth = row.bandwidth * 1e9;
  return peaks;
}

}  // namespace

std::optional<DevicePeaks> PeaksOf(const Gpu& gpu, std::span<const KnownDevice> known) {
  DevicePeaks peaks;
  for (const Row& row : kRows) {
    if (gpu.name.empty() || !GlobMatch(row.match, gpu.name)) continue;
    peaks = PeaksOf(row);
    break;
  }
  // The first of a project's entries that says a number has the last word on it.
  for (auto device = known.rbegin(); device != known.rend(); ++device) {
    if (!GlobMatch(device->match, gpu.name)) continue;
    for (const auto& [dtype, rate] : device->peaks.flop_rate) peaks.flop_rate[dtype] = rate;
    if (device->peaks.memory_bandwidth > 0) {
      peaks.memory_bandwidth = device->peaks.memory_bandwidth;
    }
  }
  if (peaks.flop_rate.empty() && peaks.memory_bandwidth <= 0) return std::nullopt;
  return peaks;
}

double FlopPeak(const DevicePeaks& peaks, std::string_view dtype, bool is_matrix,
                bool on_tensor_cores) {
  const auto rate = [&](std::string_view name) {
    const auto found = peaks.flop_rate.find(name);
    return found == peaks.flop_rate.end() ? 0.0 : found->second;
  };
  if (!is_matrix) return rate(dtype == "float64" ? "float64" : "float32");
  if (dtype.starts_with("float8")) return rate("float8");
  if (dtype == "float32" && on_tensor_cores && rate("tf32") > 0) return rate("tf32");
  return rate(dtype);
}

}  // namespace profgauge
