// Why an eligible operator does not use Tensor Cores: its data type, its shape, or an unknown
// reason. kernel_class.h decides by name whether a kernel uses them; this header judges operators
// by their names and inputs.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "model/profile.h"

namespace profgauge::analysis::classify {

/// Why an eligible operator does or does not use Tensor Cores.
enum class EligibilityVerdict : std::uint8_t {
  kUsing,           ///< At least one of its kernels uses Tensor Cores.
  kEligibleDtype,   ///< No Tensor Core for the type on this chip, or (FP32) switched off.
  kEligibleShape,   ///< A dimension is not a multiple of 16 bytes.
  kEligibleUnused,  ///< Type and shape are suitable, but none is used.
  kUnknown,         ///< Type or kernels are uncertain.
};
/// "using", "eligible_dtype", "eligible_shape", "eligible_unused", "unknown".
std::string_view EligibilityName(EligibilityVerdict verdict);

/// A dimension that is not aligned.
struct Misaligned {
  std::string_view dimension;  ///< "K", "N", "C_in", "C_out", "head".
  std::int64_t size = 0;
  std::int64_t aligned = 0;  ///< The next multiple.
  double overhead() const { return static_cast<double>(aligned) / static_cast<double>(size) - 1; }
};

/// The number of elements to which K and N (C_in and C_out) should be aligned: 16 bytes; for FP4 32
/// elements. 0 if the type has no Tensor Cores. REQUIRES: a canonical name (arguments.h). Source:
/// NVIDIA's "Matrix Multiplication Background User's Guide".
std::int64_t AlignmentOf(std::string_view dtype);

/// Whether the GPU has Tensor Cores for this input type (FP32 counts as TF32), by its compute
/// capability. Unknown for an unknown capability or type, and for all AMD chips.
Tri HasTensorCoresFor(std::string_view dtype, const Gpu& gpu);

/// The operator in the name of a Python function: "linear" for "torch.nn.functional.linear",
/// "matmul" for "Tensor.matmul". Other names stay unchanged.
std::string_view WithoutPythonModule(std::string_view op_name);

/// The number of elements that a kernel of CUTLASS or cuBLAS loads together, by its name: 1 for
/// "…_tn_align1"; 0 if the name does not contain it.
std::int64_t AlignmentInName(std::string_view kernel_name);

/// Returns the first inner dimension of the operator that is not aligned, from shapes in canonical
/// text. None if all are, or if the operator or its shapes are not understood. `read_at_once`: the
/// minimum AlignmentInName() of its kernels. If that is less than a full load although the inner
/// dimensions are aligned, the first factor is transposed, with rows of length M.
///
///   aten::mm of float16 [256, 1000] by [1000, 50]     K = 1000 is 125 × 8; N = 50 is not: 56
std::optional<Misaligned> FindMisaligned(std::string_view op_name, std::string_view shapes,
                                         std::string_view dtype, std::int64_t read_at_once = 0);

/// Whether the operator is a matmul or a convolution, by its name; attention is neither.
bool IsProduct(std::string_view op_name);

/// Whether shapes show a product for which matrix units are useless: rows, columns or inner
/// dimension are 1 (matrix by vector, memory-bound), or a convolution has one channel per group
/// (depthwise). False if shapes are not recorded or not understood.
bool IsVectorProduct(std::string_view op_name, std::string_view shapes);

/// Returns the verdict on the calls of one operator with these inputs. `uses`: the verdict on all
/// of its kernels. `is_nvidia`: whether the profile is of NVIDIA, since its format may not name the
/// chip. If no kernel uses Tensor Cores, the type is checked before the shape.
EligibilityVerdict JudgeEligibility(std::string_view op_name, std::string_view shapes,
                                    std::string_view dtype, Tri uses, const Gpu& gpu,
                                    bool is_nvidia = false);

// Matmuls in double precision: few chips have Tensor Cores for these.

/// Decides which operators and kernels compute in FP64 although no GPU of the profile has Tensor
/// Cores for it (V100, T4, all consumer chips), so that they could not use any. Always false if
/// GPUs or their compute capabilities are not recorded.
class DoubleWork {
 public:
  explicit DoubleWork(const Profile& profile);

  /// Decided by the type of the operator's first tensor, if types were recorded.
  bool HasNoCores(HostId op);
  /// Decided by its operator, or by its name (dgemm, zgemm).
  bool HasNoCores(DeviceId work);

 private:
  const Profile& profile_;
  bool applies_ = false;
  std::vector<std::int8_t> known_;    // By string id of types: -1 not computed.
  std::vector<std::int8_t> by_name_;  // By string id of a kernel's name.
};

// Products for which matrix units are useless: matrix by vector, depthwise convolutions.

/// Decides which operators compute such products (IsVectorProduct), cached by name and shapes.
/// Tensor Cores would not help them, even if other calls of the same name could use them.
class VectorProducts {
 public:
  /// Keeps a reference.
  explicit VectorProducts(const Profile& profile) : profile_(profile) {}

  bool Has(HostId op);

 private:
  const Profile& profile_;
  boost::unordered_flat_map<std::pair<std::uint32_t, std::uint32_t>, bool> known_;
};

}  // namespace profgauge::analysis::classify
