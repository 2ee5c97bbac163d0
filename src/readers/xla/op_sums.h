// The XLA compiler's data about each HLO op of a TPU: FLOPs and bytes of one execution. Summed up
// over the executions they place every op on the roofline.
//
//   intensity = FLOPs / bytes;  achieved = FLOPs / time;  peak from the device's plane
//   compute roof = FLOPs / peak FLOP/s;  memory roof = bytes / peak bandwidth, both in seconds
//   bound: the longer of the two;  share of the roof = the longer / time
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "model/profile_builder.h"

namespace profgauge::readers::xla {

/// Adds up the ops of a plane.
class OpSums {
 public:
  /// Peak rates by the device's plane; 0 unknown.
  void SetPeaks(double flops, double bandwidth);
  /// The device executes something from `start` to `end`.
  void Extend(std::int32_t device, Ns start, Ns end);
  /// One execution of an op that has no other inside of it: those of its body count. Negative
  /// numbers are unknown.
  void Add(StringId name, Ns duration, double flops, double bytes);
  /// Roofline, achieved FLOP/s and share of the peak, as the file states them. Nothing when no op
  /// has FLOPs. The metrics are over the time from the first to the last op of each device, added
  /// up over the devices, so idle time lowers them. Bytes are absent of an op if one execution has
  /// none.
  void Report(ProfileBuilder& builder) const;

 private:
  struct Sum {
    std::int64_t calls = 0;
    Ns time = 0;
    double flops = 0, bytes = 0;
    bool knows_bytes = true;
  };
  struct Extent {
    Ns first = 0, last = 0;
  };
  boost::unordered_flat_map<std::uint32_t, Sum> ops_;  ///< By the id of the name.
  std::map<std::int32_t, Extent> devices_;
  double peak_flops_ = 0, peak_bandwidth_ = 0;
};

// Which kernels Triton compiled of matmuls in narrow types for XLA, by the HLO modules that
// a profile holds: the kernels' names ("gemm_fusion_dot_general_24") say neither.
//
//   HloProto 1 module ── 3 computations { 5 id, 2 instructions }
//   instruction "gemm_fusion.24": opcode fusion, config with "triton", calls computation 7
//   computation 7: dot of bf16 and bf16 ──> kernel "gemm_fusion_24" is a product
//
// Narrow types have at most 16 bits: Tensor Cores compute them. Message and field numbers:
// xla/service/hlo.proto and xla/xla_data.proto of github.com/openxla/xla.

/// An HloProto with the fields that HloProducts reads, and names of instructions as of kernels,
/// made by `name`.
std::string HloModulesOnly(std::string_view hlo_proto,
                           const std::function<std::string(std::string_view)>& name);

/// Collects the modules of a profile; then answers by kernel name.
class HloProducts {
 public:
  /// An HloProto. Any other message gives nothing.
  void AddModule(std::string_view hlo_proto);

  /// Whether the kernel is of a fusion that Triton compiled, with a product whose operands have at
  /// most 16 bits. Where modules have several of one name, all of them must be.
  bool Has(std::string_view kernel_name) const;

 private:
  /// Kernels are asked for by the million: without a copy of the name.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };
  /// By the fusion's kernel name.
  boost::unordered_flat_map<std::string, bool, Hash, std::equal_to<>> is_product_;
};

}  // namespace profgauge::readers::xla
