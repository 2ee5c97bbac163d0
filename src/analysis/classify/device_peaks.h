// Peak rates of chips: dense operations per second by element type, and memory bandwidth.
//
// Built in are the numbers of the makers' data sheets, without sparsity, at boost clocks, for the
// accumulation that training uses (FP32); every row names its document. A project adds or corrects
// chips in the file that its policy names under `devices`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/devices.h"
#include "model/tables.h"

namespace profgauge::analysis::classify {

/// Nothing when neither `known` nor the built-in table has the chip. `known` has priority, its
/// first entries before later ones; missing values come from the table. Chips are recognized by
/// their whole name as recorded, entries of `known` by a pattern with `*`. Rates are per second.
std::optional<DevicePeaks> PeaksOf(const Gpu& gpu, std::span<const KnownDevice> known);

/// Operations per second for matmuls of `dtype` (canonical), or for other work when `is_matrix`
/// is false, which runs on the vector units; 0 if unknown. Matmuls run at the matrix units'
/// rate of their type; FP32 ones that were seen on NVIDIA's Tensor Cores run as TF32. Other work of
/// any type but float64 runs at the rate of float32. A multiply-add is two operations.
double FlopPeak(const DevicePeaks& peaks, std::string_view dtype, bool is_matrix,
                bool on_tensor_cores);

/// What the links between the devices of one machine reach, as the list `links` of
/// rules/knowledge/devices.yaml says.
struct Links {
  double bus = -1;         ///< Bus bandwidth of all links, bytes per second; -1 unknown.
  std::int64_t peers = 0;  ///< The links lead to as many single devices; 0: to a switch.

  /// Bus bandwidth between so many devices, at least two, of one machine.
  double BusOf(std::int64_t devices) const;
};

/// Nothing when the list does not have the chip.
std::optional<Links> LinksOf(const Gpu& gpu);

}  // namespace profgauge::analysis::classify
