// The XLA compiler's data about each HLO op of a TPU: FLOPs and bytes per execution. Summed over
// all executions, they place each op on the roofline.
//
//   intensity = FLOPs / bytes;  achieved = FLOPs / time;  peak from the device's plane
//   compute time = FLOPs / peak FLOP/s;  memory time = bytes / peak bandwidth, both in seconds
//   bound: the longer of the two;  share of the roofline = the longer / time
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

/// Sums the ops of a plane.
class OpSums {
 public:
  /// Sets the peak rates of the device's plane; 0 unknown.
  void SetPeaks(double flops, double bandwidth);
  /// Notes that the device runs an op from `start` to `end`.
  void Extend(std::int32_t device, Ns start, Ns end);
  /// Adds one execution of an op that contains no other op. For a loop, only the ops in its body
  /// are added. A negative number means unknown.
  void Add(StringId name, Ns duration, double flops, double bytes);
  /// Reports roofline, achieved FLOP/s and share of the peak, as numbers of the file. Reports
  /// nothing if no op has FLOPs. The metrics cover the time from the first to the last op of each
  /// device, summed over the devices, so idle time lowers them. An op's bytes are absent if one of
  /// its executions has none.
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
  boost::unordered_flat_map<std::uint32_t, Sum> ops_;  ///< By the id of the op's name.
  std::map<std::int32_t, Extent> devices_;
  double peak_flops_ = 0, peak_bandwidth_ = 0;
};

// Finds the kernels that Triton compiled for XLA from matmuls in narrow types, by the HLO modules
// in a profile. The kernels' names ("gemm_fusion_dot_general_24") show neither matmul nor type.
//
//   HloProto 1 module ── 3 computations { 5 id, 2 instructions }
//   instruction "gemm_fusion.24": opcode fusion, config with "triton", calls computation 7
//   computation 7: dot of bf16 and bf16 ──> kernel "gemm_fusion_24" is a matmul
//
// Narrow types have at most 16 bits, so Tensor Cores compute them. Message and field numbers:
// xla/service/hlo.proto and xla/xla_data.proto of github.com/openxla/xla.

/// Copies an HloProto with only the fields that HloProducts reads. `name` renames its instructions,
/// and must do so in the same way as for kernels.
std::string HloModulesOnly(std::string_view hlo_proto,
                           const std::function<std::string(std::string_view)>& name);

/// First collects the modules of a profile, then answers questions by kernel name.
class HloProducts {
 public:
  /// Adds an HloProto. Any other message adds nothing.
  void AddModule(std::string_view hlo_proto);

  /// True if the kernel is a fusion that Triton compiled, with a matmul whose operands have at most
  /// 16 bits. If several modules have a fusion of that name, this must be true of all of them.
  bool Has(std::string_view kernel_name) const;

 private:
  /// Enables lookups without copying the name, because there are millions.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };
  /// By a kernel's name, whether its fusion is a matmul in a narrow type.
  boost::unordered_flat_map<std::string, bool, Hash, std::equal_to<>> is_product_;
};

}  // namespace profgauge::readers::xla
