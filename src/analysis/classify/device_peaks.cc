#include "analysis/classify/device_peaks.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace profgauge::analysis::classify {
namespace {

/// In TFLOP/s and GB/s; 0: the chip has no such unit, or its value is not published.
struct Row {
  /// RE2 that must match the whole name without words of manufacturer and family. A partial match
  /// is wrong: an RTX A1000 is no A100, a laptop's 4090 no 4090, a slice no chip.
  std::string_view name;
  double half = 0, bfloat16 = 0, tf32 = 0;
  double float32 = 0, float32_matrix = 0;  ///< Matrix: AMD's matrix cores.
  double float64 = 0, float64_matrix = 0;
  double float8 = 0, int8 = 0;
  double bandwidth = 0;
  std::string_view source;  ///< The manufacturer's document, to check the numbers.
};

constexpr Row kRows[] = {
#include "knowledge/peaks.inc"
};

// Converts to operations and bytes per second; a rate of 0 is omitted, i.e. unknown.
DevicePeaks PeaksOfRow(const Row& row) {
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

struct LinkRow {
  std::string_view name;  ///< Like in Row.
  double bus = 0;         ///< GB/s.
  std::int64_t peers = 0;
  std::string_view source;
};

constexpr LinkRow kLinkRows[] = {
#include "knowledge/links.inc"
};

// The first row whose pattern matches the whole name without the maker's words; nullptr if none.
template <const auto& kTable>
auto FindRow(std::string_view name) -> decltype(&kTable[0]) {
  static const std::vector<std::unique_ptr<RE2>> names = [] {
    std::vector<std::unique_ptr<RE2>> compiled;
    for (const auto& row : kTable) compiled.push_back(std::make_unique<RE2>(row.name));
    return compiled;
  }();
  for (const std::string_view word : {"NVIDIA ", "AMD ", "Tesla ", "GeForce "}) {
    if (name.starts_with(word)) name.remove_prefix(word.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (RE2::FullMatch(name, *names[i])) return &kTable[i];
  }
  return nullptr;
}

}  // namespace

std::optional<DevicePeaks> PeaksOf(const Gpu& gpu, std::span<const KnownDevice> known) {
  DevicePeaks peaks;
  if (const Row* row = FindRow<kRows>(gpu.name)) peaks = PeaksOfRow(*row);
  // In reverse, so that a project's first entry with a value overwrites later ones.
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

std::optional<Links> LinksOf(const Gpu& gpu) {
  const LinkRow* row = FindRow<kLinkRows>(gpu.name);
  if (row == nullptr) return std::nullopt;
  return Links{row->bus * 1e9, row->peers};
}

double Links::BusOf(std::int64_t devices) const {
  if (peers <= 0) return bus;
  const auto used = static_cast<double>(std::min(devices - 1, peers));
  return bus * used / static_cast<double>(peers);
}

}  // namespace profgauge::analysis::classify
