// Peak rates of chips: dense operations per second by element type, and memory bandwidth.
//
// Built-in values are from manufacturers' data sheets: without sparsity, at boost clocks, for FP32
// accumulation like in training; every row names its document. Projects add or correct chips in the
// file named under `devices` in their policy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/devices.h"
#include "model/tables.h"

namespace profgauge::analysis::classify {

/// Returns the peaks of a chip; none if neither `known` nor the built-in table has it. Values of
/// `known` have priority, earlier entries first; missing values come from the table. The table
/// matches the whole recorded name, `known` uses patterns with `*`. Rates are per second.
std::optional<DevicePeaks> PeaksOf(const Gpu& gpu, std::span<const KnownDevice> known);

/// Returns operations per second for matmuls of `dtype` (canonical); if `is_matrix` is false, for
/// other work, which runs on the vector units. 0 if unknown. Matmuls have the rate of the matrix
/// units for their type, and NVIDIA's FP32 matmuls `on_tensor_cores` that of TF32. Other work has
/// the rate of float32, or float64 for that type. A multiply-add is two operations.
double FlopPeak(const DevicePeaks& peaks, std::string_view dtype, bool is_matrix,
                bool on_tensor_cores);

/// The bandwidth of the links between the devices of one machine, from the list `links` in
/// rules/knowledge/devices.yaml.
struct Links {
  double bus = -1;         ///< Bus bandwidth of all links, bytes per second; -1 unknown.
  std::int64_t peers = 0;  ///< Number of directly linked devices; 0: a switch.

  /// Bus bandwidth between `devices` devices of one machine (at least two).
  double BusOf(std::int64_t devices) const;
};

/// None if the list does not contain the chip.
std::optional<Links> LinksOf(const Gpu& gpu);

}  // namespace profgauge::analysis::classify
