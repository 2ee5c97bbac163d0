// Which kernels Triton compiled of matmuls in narrow types for XLA, by the HLO modules that
// a profile holds: the kernels' names ("gemm_fusion_dot_general_24") say neither.
//
// Message and field numbers: xla/service/hlo.proto and xla/xla_data.proto of
// github.com/openxla/xla.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace profgauge::readers::xla {

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
