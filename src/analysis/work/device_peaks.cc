#include "analysis/work/device_peaks.h"

#include <re2/re2.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace profgauge {
namespace {

/// In TFLOP/s and GB/s; 0: the chip has no such unit, or its maker does not say.
struct Row {
  /// RE2 over the whole name without its maker's and family's words. Nothing matches by part of a
  /// name: an RTX A1000 is no A100, a 4090 of a laptop no 4090, and a slice of a chip no chip.
  std::string_view name;
  double half, bfloat16, tf32;
  double float32, float32_matrix;  ///< Matrix: of AMD's matrix cores.
  double float64, float64_matrix;
  double float8, int8;
  double bandwidth;
  std::string_view source;  ///< The maker's document, for who checks the numbers.
};

constexpr Row kRows[] = {
    // NVIDIA's data centre chips.
    {"B200", 2250, 2250, 1125, 75, 0, 37, 37, 4500, 4500, 8000, "NVIDIA DGX B200 data sheet / 8"},
    {"GB200", 2500, 2500, 1250, 80, 0, 40, 40, 5000, 5000, 8000,
     "NVIDIA GB200 NVL72 data sheet / 72"},
    {"B300 SXM6 AC", 2250, 2250, 1125, 75, 0, 1.25, 1.25, 4500, 150, 8000,
     "NVIDIA HGX B300 specifications / 8"},
    {"GB300", 2500, 2500, 1250, 80, 0, 1.3, 1.3, 5000, 165, 8000,
     "NVIDIA GB300 NVL72 data sheet / 72"},
    {"GH200 480GB", 989.4, 989.4, 494.7, 66.9, 0, 33.5, 66.9, 1978.9, 1978.9, 4000,
     "NVIDIA GH200 data sheet"},
    {"GH200 144G HBM3e", 989.4, 989.4, 494.7, 66.9, 0, 33.5, 66.9, 1978.9, 1978.9, 4900,
     "NVIDIA GH200 data sheet"},
    {"H200", 989.4, 989.4, 494.7, 66.9, 0, 33.5, 66.9, 1978.9, 1978.9, 4800,
     "NVIDIA H200 data sheet"},
    {"H200 NVL", 835.5, 835.5, 417.5, 60, 0, 30, 60, 1670.5, 1670.5, 4800,
     "NVIDIA H200 data sheet"},
    {"H100 80GB HBM3|H100[ -]SXM5.*", 989.4, 989.4, 494.7, 66.9, 0, 33.5, 66.9, 1978.9, 1978.9,
     3352, "NVIDIA H100 data sheet, Hopper white paper"},
    {"H100 NVL", 835.5, 835.5, 417.5, 60, 0, 30, 60, 1670.5, 1670.5, 3938,
     "NVIDIA H100 data sheet"},
    {"H100 PCIe|H100-PCIE-80GB", 756, 756, 378, 51.2, 0, 25.6, 51.2, 1513, 1513, 2039,
     "NVIDIA H100 PCIe data sheet, Hopper white paper"},
    {"H800", 989.4, 989.4, 494.7, 66.9, 0, 1, 1, 1978.9, 1978.9, 3352, "NVIDIA H800 data sheet"},
    {"H20", 148, 148, 74, 44, 0, 1, 1, 296, 296, 4000, "NVIDIA HGX H20 specifications / 8"},
    {"A800-SXM4-80GB", 312, 312, 156, 19.5, 0, 9.7, 19.5, 0, 624, 2039, "NVIDIA A800 data sheet"},
    {"L20", 119.5, 119.5, 59.8, 59.8, 0, 0, 0, 239, 239, 864, "NVIDIA L20 data sheet"},
    {"A100-SXM4?-80GB", 312, 312, 156, 19.5, 0, 9.7, 19.5, 0, 624, 2039, "NVIDIA A100 data sheet"},
    {"A100 80GB PCIe|A100-PCIE-80GB", 312, 312, 156, 19.5, 0, 9.7, 19.5, 0, 624, 1935,
     "NVIDIA A100 data sheet"},
    {"A100-(?:SXM4?|PCIE|PCIe)-40GB", 312, 312, 156, 19.5, 0, 9.7, 19.5, 0, 624, 1555,
     "NVIDIA A100 40GB data sheet"},
    {"A100", 312, 312, 156, 19.5, 0, 9.7, 19.5, 0, 624, 0,
     "NVIDIA A100 data sheet; the name does not tell which memory"},
    {"A30", 165, 165, 82, 10.3, 0, 5.2, 10.3, 0, 330, 933, "NVIDIA A30 data sheet"},
    {"A40", 149.7, 149.7, 74.8, 37.4, 0, 0.58, 0, 0, 299.3, 696, "NVIDIA A40 data sheet"},
    {"A10", 125, 125, 62.5, 31.2, 0, 0.49, 0, 0, 250, 600, "NVIDIA A10 data sheet"},
    {"A10G", 70, 70, 35, 31.5, 0, 0.49, 0, 0, 140, 600, "NVIDIA A10G data sheet"},
    {"A16", 17.9, 17.9, 9, 4.5, 0, 0, 0, 0, 35.9, 200, "NVIDIA A16 data sheet / 4"},
    {"A2", 18, 18, 9, 4.5, 0, 0, 0, 0, 36, 200, "NVIDIA A2 data sheet"},
    {"L40S", 362, 362, 183, 91.6, 0, 1.4, 0, 733, 733, 864, "NVIDIA L40S data sheet"},
    {"L40", 181, 181, 90.5, 90.5, 0, 1.4, 0, 362, 362, 864, "NVIDIA L40 data sheet"},
    {"L4", 121, 121, 60, 30.3, 0, 0.47, 0, 242.5, 242.5, 300, "NVIDIA L4 data sheet"},
    {"V100S-PCIE-32GB", 130, 0, 0, 16.4, 0, 8.2, 0, 0, 0, 1134, "NVIDIA V100 data sheet"},
    {"V100-PCIE-(?:16|32)GB", 112, 0, 0, 14, 0, 7, 0, 0, 0, 900, "NVIDIA V100 data sheet"},
    {"V100|V100-(?:SXM[23]|DGXS)-(?:16|32)GB(?:-LS|-H)?", 125, 0, 0, 15.7, 0, 7.8, 0, 0, 0, 900,
     "NVIDIA V100 data sheet"},
    {"P100-SXM2-16GB", 21.2, 0, 0, 10.6, 0, 5.3, 0, 0, 0, 732, "NVIDIA P100 data sheet"},
    {"P100-PCIE-16GB", 18.7, 0, 0, 9.3, 0, 4.7, 0, 0, 0, 732, "NVIDIA P100 data sheet"},
    {"T4", 65, 0, 0, 8.1, 0, 0.25, 0, 0, 130, 320, "NVIDIA T4 product brief"},

    // NVIDIA's workstation and consumer cards: with FP32 accumulation.
    {"RTX 6000 Ada Generation", 364.2, 364.2, 182.1, 91.1, 0, 1.4, 0, 728.5, 728.5, 960,
     "NVIDIA Ada architecture white paper"},
    {"RTX 5000 Ada Generation", 261.2, 261.2, 130.6, 65.3, 0, 1.02, 0, 522.4, 522.4, 576,
     "NVIDIA RTX 5000 Ada data sheet"},
    {"RTX 4500 Ada Generation", 158.4, 158.4, 79.2, 39.6, 0, 0.62, 0, 316.8, 316.8, 432,
     "NVIDIA RTX 4500 Ada data sheet"},
    {"RTX 4000 Ada Generation", 106.8, 106.8, 53.4, 26.7, 0, 0.42, 0, 213.6, 213.6, 360,
     "NVIDIA RTX 4000 Ada data sheet"},
    {"RTX PRO 6000 Blackwell Workstation Edition", 503.8, 503.8, 251.9, 126, 0, 1.97, 0, 1007.6,
     1007.6, 1792,
     "NVIDIA RTX PRO 6000 Blackwell data sheet, RTX Blackwell PRO architecture white paper"},
    {"RTX A6000", 154.8, 154.8, 77.4, 38.7, 0, 0.6, 0, 0, 309.7, 768,
     "NVIDIA GA102 architecture white paper"},
    {"RTX A5500", 136.4, 136.4, 68.2, 34.1, 0, 0.53, 0, 0, 272.8, 768,
     "NVIDIA RTX A5500 data sheet"},
    {"RTX A5000", 111.1, 111.1, 55.6, 27.8, 0, 0.43, 0, 0, 222.2, 768,
     "NVIDIA RTX A5000 data sheet"},
    {"RTX A4500", 94.6, 94.6, 47.3, 23.7, 0, 0.37, 0, 0, 189.2, 640, "NVIDIA RTX A4500 data sheet"},
    {"RTX A4000", 76.7, 76.7, 38.3, 19.2, 0, 0.3, 0, 0, 153.4, 448, "NVIDIA RTX A4000 data sheet"},
    {"RTX A2000(?: 12GB)?", 31.9, 31.9, 16, 8, 0, 0.12, 0, 0, 63.9, 288,
     "NVIDIA RTX A2000 data sheet"},
    {"RTX A1000", 26.9, 26.9, 13.4, 6.7, 0, 0.1, 0, 0, 53.8, 192, "NVIDIA RTX A1000 data sheet"},
    {"Quadro RTX [68]000|TITAN RTX", 130.5, 0, 0, 16.3, 0, 0.51, 0, 0, 261, 672,
     "NVIDIA Turing architecture white paper"},
    {"RTX 2060", 25.8, 0, 0, 6.5, 0, 0.2, 0, 0, 103.2, 336,
     "NVIDIA Turing architecture white paper"},
    {"RTX 2070", 31.5, 0, 0, 7.9, 0, 0.25, 0, 0, 126, 448,
     "NVIDIA Turing architecture white paper, Founders Edition"},
    {"RTX 2080", 42.4, 0, 0, 10.6, 0, 0.33, 0, 0, 169.6, 448,
     "NVIDIA Turing architecture white paper, Founders Edition"},
    {"RTX 2080 SUPER", 44.6, 0, 0, 11.2, 0, 0.35, 0, 0, 178.4, 496,
     "NVIDIA specifications: cores and boost clock, rates of TU10x"},
    {"Quadro RTX 4000", 57, 0, 0, 7.1, 0, 0.22, 0, 0, 114, 416,
     "NVIDIA Quadro RTX 4000 data sheet"},
    {"Quadro RTX 5000", 89.2, 0, 0, 11.2, 0, 0.35, 0, 0, 178.4, 448,
     "NVIDIA Turing architecture white paper"},
    {"RTX 2080 Ti", 56.9, 0, 0, 14.2, 0, 0.44, 0, 0, 227.7, 616,
     "NVIDIA Turing architecture white paper, Founders Edition"},
    {"RTX 3060", 25.4, 25.4, 12.7, 12.7, 0, 0.2, 0, 0, 101.6, 360,
     "NVIDIA specifications: cores and boost clock, rates of GA10x"},
    {"RTX 3060 Ti", 32.4, 32.4, 16.2, 16.2, 0, 0.25, 0, 0, 129.6, 448,
     "NVIDIA specifications: cores and boost clock, rates of GA10x"},
    {"RTX 3070", 40.6, 40.6, 20.3, 20.3, 0, 0.32, 0, 0, 162.6, 448,
     "NVIDIA GA102 architecture white paper"},
    {"RTX 3070 Ti", 43.4, 43.4, 21.7, 21.7, 0, 0.34, 0, 0, 173.6, 608,
     "NVIDIA specifications: cores and boost clock, rates of GA10x"},
    {"RTX 3080", 59.5, 59.5, 29.8, 29.8, 0, 0.46, 0, 0, 238, 760,
     "NVIDIA GA102 architecture white paper"},
    {"RTX 3080 Ti", 68.2, 68.2, 34.1, 34.1, 0, 0.53, 0, 0, 272.8, 912,
     "NVIDIA specifications: cores and boost clock, rates of GA10x"},
    {"RTX 3090", 71, 71, 35.6, 35.6, 0, 0.56, 0, 0, 284, 936,
     "NVIDIA GA102 architecture white paper"},
    {"RTX 3090 Ti", 80, 80, 40, 40, 0, 0.62, 0, 0, 320, 1008,
     "NVIDIA specifications: cores and boost clock, rates of GA10x"},
    {"RTX 4060", 30.2, 30.2, 15.1, 15.1, 0, 0.24, 0, 60.4, 120.8, 272,
     "NVIDIA specifications: cores and boost clock, rates of AD10x"},
    {"RTX 4060 Ti", 44.2, 44.2, 22.1, 22.1, 0, 0.35, 0, 88.4, 176.8, 288,
     "NVIDIA specifications: cores and boost clock, rates of AD10x"},
    {"RTX 4070", 58.2, 58.2, 29.1, 29.1, 0, 0.45, 0, 116.4, 232.8, 504,
     "NVIDIA specifications: cores and boost clock, rates of AD10x"},
    {"RTX 4070 SUPER", 71, 71, 35.5, 35.5, 0, 0.55, 0, 142, 284, 504,
     "NVIDIA specifications: cores and boost clock, rates of AD10x"},
    {"RTX 4070 Ti", 80.2, 80.2, 40.1, 40.1, 0, 0.63, 0, 160.4, 320.8, 504,
     "NVIDIA specifications: cores and boost clock, rates of AD10x"},
    {"RTX 4070 Ti SUPER", 88.2, 88.2, 44.1, 44.1, 0, 0.69, 0, 176.4, 352.8, 672,
     "NVIDIA specifications: cores and boost clock, rates of AD10x"},
    {"RTX 4080", 97.5, 97.5, 48.7, 48.7, 0, 0.76, 0, 194.9, 389.9, 717,
     "NVIDIA Ada architecture white paper"},
    {"RTX 4080 SUPER", 104.4, 104.4, 52.2, 52.2, 0, 0.82, 0, 208.8, 417.6, 736,
     "NVIDIA specifications: cores and boost clock, rates of AD10x"},
    {"RTX 4090", 165.2, 165.2, 82.6, 82.6, 0, 1.3, 0, 330.3, 660.6, 1008,
     "NVIDIA Ada architecture white paper"},
    {"RTX 5060", 38.4, 38.4, 19.2, 19.2, 0, 0.3, 0, 76.8, 153.6, 448,
     "NVIDIA specifications: cores and boost clock, rates of GB20x"},
    {"RTX 5060 Ti", 47.4, 47.4, 23.7, 23.7, 0, 0.37, 0, 94.8, 189.6, 448,
     "NVIDIA specifications: cores and boost clock, rates of GB20x"},
    {"RTX 5070", 61.8, 61.8, 30.9, 30.9, 0, 0.48, 0, 123.6, 247.2, 672,
     "NVIDIA specifications: cores and boost clock, rates of GB20x"},
    {"RTX 5070 Ti", 87.8, 87.8, 43.9, 43.9, 0, 0.69, 0, 175.6, 351.2, 896,
     "NVIDIA specifications: cores and boost clock, rates of GB20x"},
    {"RTX 5080", 112.6, 112.6, 56.3, 56.3, 0, 0.88, 0, 225.1, 450.2, 960,
     "NVIDIA RTX Blackwell architecture white paper"},
    {"RTX 5090", 209.5, 209.5, 104.8, 104.8, 0, 1.6, 0, 419, 838, 1792,
     "NVIDIA RTX Blackwell architecture white paper"},

    // AMD. A package of two dies is two devices: each has half. FP32 products run at the matrix
    // cores' FP32 rate; XF32 is another type, which frameworks do not use by themselves.
    {"Instinct MI355X(?: .*)?", 2516.6, 2516.6, 0, 157.3, 157.3, 78.6, 78.6, 5033.2, 5033.2, 8000,
     "AMD Instinct MI355X data sheet"},
    {"Instinct MI350X(?: .*)?", 2306.9, 2306.9, 0, 144.2, 144.2, 72.1, 72.1, 4613.7, 4613.7, 8000,
     "AMD Instinct MI350X data sheet"},
    {"Instinct MI325X(?: .*)?", 1307.4, 1307.4, 0, 163.4, 163.4, 81.7, 163.4, 2614.9, 2614.9, 6000,
     "AMD Instinct MI325X data sheet"},
    {"Instinct MI300X(?: .*)?", 1307.4, 1307.4, 0, 163.4, 163.4, 81.7, 163.4, 2614.9, 2614.9, 5325,
     "AMD Instinct MI300X data sheet"},
    {"Instinct MI300A(?: .*)?", 980.6, 980.6, 0, 122.6, 122.6, 61.3, 122.6, 1961.2, 1961.2, 5300,
     "AMD Instinct MI300A data sheet"},
    {"Instinct MI250X(?: ?/ ?MI250)?", 191.5, 191.5, 0, 23.95, 47.85, 23.95, 47.85, 0, 191.5,
     1638.4, "AMD Instinct MI250X data sheet / 2"},
    {"Instinct MI250", 181, 181, 0, 22.6, 45.3, 22.6, 45.3, 0, 181, 1638.4,
     "AMD Instinct MI250 data sheet / 2"},
    {"Instinct MI210", 181, 181, 0, 22.6, 45.3, 22.6, 45.3, 0, 181, 1638.4,
     "AMD Instinct MI210 data sheet"},
    {"Instinct MI100", 184.6, 92.3, 0, 23.1, 46.1, 11.5, 0, 0, 184.6, 1228.8,
     "AMD Instinct MI100 data sheet"},
    {"Radeon RX 7900 XTX", 122.8, 122.8, 0, 61.4, 0, 1.9, 0, 0, 122.8, 960,
     "AMD Radeon RX 7900 XTX specifications"},
};

DevicePeaks PeaksOf(const Row& row) {
  DevicePeaks peaks;
  const auto set = [&](const char* dtype, double tera) {
    if (tera > 0) peaks.flop_rate[dtype] = tera * 1e12;
  };
  set("float16", row.half);
  set("bfloat16", row.bfloat16);
  set("tf32", row.tf32);
  set("float32", row.float32);
  set("float32_matrix", row.float32_matrix);
  set("float64", row.float64);
  set("float64_matrix", row.float64_matrix);
  set("float8", row.float8);
  set("int8", row.int8);
  if (row.bandwidth > 0) peaks.memory_bandwidth = row.bandwidth * 1e9;
  return peaks;
}

const Row* FindRow(std::string_view name) {
  static const std::vector<std::unique_ptr<RE2>> names = [] {
    std::vector<std::unique_ptr<RE2>> compiled;
    for (const Row& row : kRows) compiled.push_back(std::make_unique<RE2>(row.name));
    return compiled;
  }();
  for (const std::string_view word : {"NVIDIA ", "AMD ", "Tesla ", "GeForce "}) {
    if (name.starts_with(word)) name.remove_prefix(word.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (RE2::FullMatch(name, *names[i])) return &kRows[i];
  }
  return nullptr;
}

}  // namespace

std::optional<DevicePeaks> PeaksOf(const Gpu& gpu, std::span<const KnownDevice> known) {
  DevicePeaks peaks;
  if (const Row* row = FindRow(gpu.name)) peaks = PeaksOf(*row);
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
  if (dtype == "uint8") return rate("int8");
  if (dtype == "float32" && on_tensor_cores && rate("tf32") > 0) return rate("tf32");
  const double matrix = rate(std::string(dtype) + "_matrix");
  return matrix > 0 ? matrix : rate(dtype);
}

}  // namespace profgauge
