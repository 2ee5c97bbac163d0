// The reason why an eligible operator does not use Tensor Cores: its data type, its shape, or
// nothing that the profile shows. Whether a kernel uses them is decided by its name
// (kernel_class.h); this header speaks of operators, by their names and inputs.
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
  kEligibleDtype,   ///< The type has no Tensor Core on this chip, or (FP32) has them switched off.
  kEligibleShape,   ///< A dimension is not a multiple of 16 bytes.
  kEligibleUnused,  ///< Type and shape are fine, and still none is used.
  kUnknown,         ///< Type or kernels are too uncertain.
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

/// Elements to which K and N (C_in and C_out) should be aligned: 16 bytes of the type; FP4 32
/// elements. 0 when the type has no Tensor Cores at all. REQUIRES: a canonical name (arguments.h).
/// Source: NVIDIA's "Matrix Multiplication Background User's Guide".
std::int64_t AlignmentOf(std::string_view dtype);

/// Whether a chip of compute capability major.minor has Tensor Cores for this input type (FP32
/// counts as TF32). Unknown capability or type: unknown, and so is every chip of AMD.
Tri HasTensorCoresFor(std::string_view dtype, const Gpu& gpu);

/// The operator that a Python function is called after: "linear" of "torch.nn.functional.linear",
/// "matmul" of "Tensor.matmul". Other names stay.
std::string_view WithoutPythonModule(std::string_view op_name);

/// Elements that a kernel of CUTLASS or cuBLAS reads together, by its name: 1 of
/// "…_tn_align1"; 0 where the name does not show it.
std::int64_t AlignmentInName(std::string_view kernel_name);

/// The first of the operator's inner dimensions that is not aligned, from shapes in canonical text;
/// empty when all are, or when the operator or its shapes are not understood. `read_at_once`: the
/// least that its kernels say (AlignmentInName). Where that is less than a whole load though the
/// inner dimensions are aligned, the first factor is a transposed one, whose rows M are.
///
///   aten::mm of float16 [256, 1000] by [1000, 50]     K = 1000 is 125 × 8; N = 50 is not: 56
std::optional<Misaligned> FindMisaligned(std::string_view op_name, std::string_view shapes,
                                         std::string_view dtype, std::int64_t read_at_once = 0);

/// Whether the operator is a matmul or a convolution, by its name; attention is neither.
bool IsProduct(std::string_view op_name);

/// Whether shapes report a product that matrix units have nothing to do in: one of rows, columns
/// and inner dimension is 1 (a matrix by a vector, bound by memory), or a convolution has one
/// channel a group (depthwise). False where shapes are not recorded or not understood.
bool IsVectorProduct(std::string_view op_name, std::string_view shapes);

/// Verdict on the calls of one operator with these inputs. `uses`: of its kernels together.
/// `is_nvidia`: of the profile, whose format may not name the chip. The type is asked before the
/// shape, and both only where no kernel uses Tensor Cores: padding does not help FP64.
EligibilityVerdict JudgeEligibility(std::string_view op_name, std::string_view shapes,
                                    std::string_view dtype, Tri uses, const Gpu& gpu,
                                    bool is_nvidia = false);

// Matmuls in double precision, which few chips have Tensor Cores for.

/// Which operators and kernels compute in FP64 although no GPU of the profile has Tensor Cores
/// for that (V100, T4, all consumer chips): they could not use any. For GPUs that are not recorded,
/// or whose compute capability is not, nothing is.
class DoubleWork {
 public:
  explicit DoubleWork(const Profile& profile);

  /// By the type of the operator's first tensor, where types were recorded.
  bool HasNoCores(HostId op);
  /// By its operator, or by its name (dgemm, zgemm).
  bool HasNoCores(DeviceId work);

 private:
  const Profile& profile_;
  bool applies_ = false;
  std::vector<std::int8_t> known_;    // By the text of types: -1 not asked yet.
  std::vector<std::int8_t> by_name_;  // By that of a kernel's name.
};

// Products with nothing to do for matrix units: matrices by vectors, depthwise convolutions.

/// Which operators compute them (IsVectorProduct), asked once for each name with the same shapes.
/// They could use no Tensor Core to any effect, whatever others of their name could.
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
