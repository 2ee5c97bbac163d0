#include "analysis/classify/eligibility.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/classify/arguments.h"
#include "base/text.h"

namespace profgauge::analysis::classify {
namespace {

using Shape = std::vector<std::int64_t>;

// One shape for each of the operator's own arguments; empty for values and lists of tensors.
std::vector<Shape> ParseShapes(std::string_view op, std::string_view text) {
  std::vector<Shape> shapes;
  for (const std::string_view item : OwnArguments(op, text, text)) {
    Shape& shape = shapes.emplace_back();
    for (const std::string_view number : SplitList(item)) {
      std::int64_t size = 0;
      const auto parsed = std::from_chars(number.data(), number.data() + number.size(), size);
      if (parsed.ec != std::errc{} || parsed.ptr != number.data() + number.size() || size < 0) {
        shape.clear();  // A list of tensors, or not a shape.
        break;
      }
      shape.push_back(size);
    }
  }
  return shapes;
}

// A dimension that a kernel loads contiguously, with its name for users.
struct Inner {
  std::string_view name;
  std::int64_t size;
};

// Input positions of the factors of a matmul: a [.., M, K] times b.
struct Factors {
  std::size_t a, b;
  bool b_transposed;  // b is [N, K].
};

// Finds the factors by the operator's name, of PyTorch's dispatcher or a Python function. The
// addend of addmm comes first; torch.nn.functional.linear has a transposed weight.
std::optional<Factors> FactorsOf(std::string_view name) {
  const std::string_view op = WithoutPythonModule(name);
  if (Contains(op, "addmm") || Contains(op, "addbmm") || Contains(op, "baddbmm")) {
    return Factors{1, 2, false};
  }
  if (op == "aten::linear" || op == "linear") return Factors{0, 1, true};
  if (op.ends_with("::mm") || op.ends_with("::bmm") || op.ends_with("::matmul") ||
      op.ends_with("_mm") || op == "mm" || op == "bmm" || op == "matmul" || op == "__matmul__") {
    return Factors{0, 1, false};
  }
  return std::nullopt;
}

// K and N. M is only loaded contiguously if `a` is transposed, which shapes do not show.
std::vector<Inner> InnerOfProduct(const Factors& factors, const std::vector<Shape>& shapes) {
  if (shapes.size() <= std::max(factors.a, factors.b)) return {};
  const Shape& a = shapes[factors.a];
  const Shape& b = shapes[factors.b];
  if (a.empty() || b.size() < 2) return {};  // Tensor Cores do not help vectors.
  const std::int64_t n = factors.b_transposed ? b[b.size() - 2] : b.back();
  return {{"K", a.back()}, {"N", n}};
}

// A convolution's weight is [C_out, C_in / groups, kernel…] (reversed if transposed), and its
// activations are [batch, channels, space…]. The order of inputs differs between operators.
std::vector<Inner> InnerOfConvolution(std::string_view op, const std::vector<Shape>& shapes) {
  const auto at = [&](std::size_t i) { return i < shapes.size() ? shapes[i] : Shape{}; };
  Shape weight;
  if (op.ends_with("backward_weight")) {
    // Inputs are gradient and input; the weight itself is not given.
    const Shape gradient = at(1), input = at(2);
    if (gradient.size() < 3 || input.size() < 3) return {};
    return {{"C_in", input[1]}, {"C_out", gradient[1]}};
  }
  weight = Contains(op, "backward") ? at(2) : at(1);
  if (weight.size() < 3) return {};
  const bool transposed = Contains(op, "transpose");
  const std::int64_t out = transposed ? weight[1] : weight[0];
  const std::int64_t in = transposed ? weight[0] : weight[1];
  return {{"C_in", in}, {"C_out", out}};
}

// Whether rows, columns or inner size are 1, e.g. when one sequence is decoded. Such a product is
// always memory-bound.
bool IsVectorByMatrix(const Factors& factors, const std::vector<Shape>& shapes) {
  if (shapes.size() <= std::max(factors.a, factors.b)) return false;
  const Shape& a = shapes[factors.a];
  const Shape& b = shapes[factors.b];
  if (a.size() < 2 || b.size() < 2) return false;
  // A batch of rows by one matrix is a single matmul of all rows.
  std::int64_t rows = a[a.size() - 2];
  if (std::all_of(b.begin(), b.end() - 2, [](std::int64_t size) { return size == 1; })) {
    for (std::size_t i = 0; i + 2 < a.size(); ++i) {
      if (a[i] != 1) rows = std::max<std::int64_t>(rows, a[i]);
    }
  }
  const std::int64_t columns = factors.b_transposed ? b[b.size() - 2] : b.back();
  return rows == 1 || columns == 1 || a.back() == 1;
}

// Whether a convolution has one input channel per group, and more than one group. False for
// transposed convolutions and gradients of one input, whose arguments differ.
bool IsDepthwise(std::string_view op, const std::vector<Shape>& shapes) {
  if (Contains(op, "transpose") || op.ends_with("backward_weight") ||
      op.ends_with("backward_input")) {
    return false;
  }
  const std::size_t input = Contains(op, "backward") ? 1 : 0;
  if (shapes.size() < input + 2) return false;
  const Shape& activations = shapes[input];
  const Shape& weight = shapes[input + 1];
  return activations.size() >= 3 && weight.size() == activations.size() && weight[1] == 1 &&
         activations[1] > 1;
}

// Empty for other kinds of operators.
std::vector<Inner> InnerDimensions(std::string_view op, const std::vector<Shape>& shapes) {
  if (Contains(op, "conv")) return InnerOfConvolution(op, shapes);
  if (Contains(op, "attention")) {
    const std::size_t query = Contains(op, "backward") ? 1 : 0;
    if (shapes.size() <= query || shapes[query].size() < 3) return {};
    return {{"head", shapes[query].back()}};
  }
  if (const auto factors = FactorsOf(op)) return InnerOfProduct(*factors, shapes);
  return {};
}

// 10 * major + minor: 80 for an A100. -1: unknown.
int ComputeCapability(const Gpu& gpu) {
  return gpu.compute_major < 0 ? -1 : gpu.compute_major * 10 + std::max(0, gpu.compute_minor);
}

// By wavefronts of 64 or the name, since AMD chips record gfx versions as compute capability.
bool IsAmd(const Gpu& gpu) {
  return gpu.warp_size == 64 || Contains(gpu.name, "AMD") || Contains(gpu.name, "Instinct") ||
         Contains(gpu.name, "Radeon");
}

}  // namespace

std::string_view WithoutPythonModule(std::string_view op_name) {
  const bool is_python = op_name.starts_with("torch.") || op_name.starts_with("Tensor.");
  const auto dot = op_name.rfind('.');
  return is_python && dot + 1 < op_name.size() ? op_name.substr(dot + 1) : op_name;
}

std::string_view EligibilityName(EligibilityVerdict verdict) {
  switch (verdict) {
    case EligibilityVerdict::kUsing:
      return "using";
    case EligibilityVerdict::kEligibleDtype:
      return "eligible_dtype";
    case EligibilityVerdict::kEligibleShape:
      return "eligible_shape";
    case EligibilityVerdict::kEligibleUnused:
      return "eligible_unused";
    case EligibilityVerdict::kUnknown:
      break;
  }
  return "unknown";
}

std::int64_t AlignmentOf(std::string_view dtype) {
  if (dtype.starts_with("float4")) return 32;
  if (dtype.starts_with("float8") || dtype == "int8" || dtype == "uint8") return 16;
  if (dtype == "float16" || dtype == "bfloat16") return 8;
  if (dtype == "float32") return 4;
  return dtype == "float64" ? 2 : 0;
}

Tri HasTensorCoresFor(std::string_view dtype, const Gpu& gpu) {
  const int capability = ComputeCapability(gpu);
  if (capability < 0 || IsAmd(gpu) || dtype.empty()) return Tri::kUnknown;
  const auto from = [&](int least) { return capability >= least ? Tri::kYes : Tri::kNo; };
  if (Contains(gpu.name, "GTX 16")) return Tri::kNo;
  if (dtype == "float16") return from(70);
  if (dtype == "bfloat16" || dtype == "float32") return from(80);
  if (dtype == "int8" || dtype == "uint8") return from(72);
  if (dtype.starts_with("float8")) return from(89);
  if (dtype.starts_with("float4")) return from(100);
  // FP64: only on data-center chips.
  if (dtype == "float64") {
    return capability == 80 || capability == 90 || (capability >= 100 && capability < 110)
               ? Tri::kYes
               : Tri::kNo;
  }
  return Tri::kNo;
}

// "cutlass_80_tensorop_s1688gemm_128x128_32x3_tn_align4" loads 4 elements together.
std::int64_t AlignmentInName(std::string_view kernel_name) {
  constexpr std::string_view kWord = "_align";
  const std::size_t at = kernel_name.find(kWord);
  if (at == kernel_name.npos) return 0;
  const std::string_view rest = kernel_name.substr(at + kWord.size());
  std::int64_t elements = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), elements);
  return elements;
}

// Checks K, N, M. Returns the first misaligned one, though others may also need padding.
std::optional<Misaligned> FindMisaligned(std::string_view op_name, std::string_view shapes,
                                         std::string_view dtype, std::int64_t read_at_once) {
  const std::int64_t alignment = AlignmentOf(dtype);
  if (alignment == 0) return std::nullopt;
  const std::vector<Shape> parsed = ParseShapes(op_name, shapes);
  std::vector<Inner> dimensions = InnerDimensions(op_name, parsed);
  if (read_at_once > 0 && read_at_once < alignment) {
    const auto factors = FactorsOf(op_name);
    if (factors && factors->a < parsed.size() && parsed[factors->a].size() >= 2) {
      const Shape& a = parsed[factors->a];
      dimensions.push_back({"M", a[a.size() - 2]});
    }
  }
  for (const Inner& inner : dimensions) {
    if (inner.size <= 0 || inner.size % alignment == 0) continue;
    const std::int64_t aligned = (inner.size / alignment + 1) * alignment;
    return Misaligned{inner.name, inner.size, aligned};
  }
  return std::nullopt;
}

bool IsProduct(std::string_view op_name) {
  return FactorsOf(op_name).has_value() || Contains(WithoutPythonModule(op_name), "conv");
}

bool IsVectorProduct(std::string_view op_name, std::string_view shapes) {
  const auto factors = FactorsOf(op_name);
  const bool convolves = Contains(op_name, "conv");
  if (!factors && !convolves) return false;
  const std::vector<Shape> parsed = ParseShapes(op_name, shapes);
  return convolves ? IsDepthwise(op_name, parsed) : IsVectorByMatrix(*factors, parsed);
}

// Decides by the first that applies: kernels use them or are undecided, chip or type is unknown,
// type or shape is unsuitable; otherwise unused, or unknown without shapes.
EligibilityVerdict JudgeEligibility(std::string_view op_name, std::string_view shapes,
                                    std::string_view dtype, Tri uses, const Gpu& gpu,
                                    bool is_nvidia) {
  if (uses == Tri::kYes) return EligibilityVerdict::kUsing;
  if (uses == Tri::kUnknown) return EligibilityVerdict::kUnknown;
  const Tri has = HasTensorCoresFor(dtype, gpu);
  // Older chips have none for FP32, newer ones have them switched off: the verdict is the same.
  const bool is_either = is_nvidia && dtype == "float32" && gpu.name.empty();
  if (has == Tri::kUnknown && !is_either) return EligibilityVerdict::kUnknown;
  // FP32 on CUDA cores of a chip with TF32: TF32 is switched off.
  if (has != Tri::kYes || dtype == "float32") return EligibilityVerdict::kEligibleDtype;
  if (FindMisaligned(op_name, shapes, dtype)) return EligibilityVerdict::kEligibleShape;
  return shapes.empty() ? EligibilityVerdict::kUnknown : EligibilityVerdict::kEligibleUnused;
}

DoubleWork::DoubleWork(const Profile& profile) : profile_(profile) {
  const auto& gpus = profile.gpus;
  applies_ = !gpus.empty() && std::all_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) {
    return HasTensorCoresFor("float64", gpu) == Tri::kNo;
  });
  if (applies_) known_.assign(profile.strings.size(), -1);
  by_name_ = known_;
}

// FP64 (also complex) if no chip has Tensor Cores for it.
bool DoubleWork::HasNoCores(HostId op) {
  if (!applies_ || !op.valid()) return false;
  const HostTable& host = profile_.host;
  const StringId dtypes = host.input_dtypes[op.value];
  if (!dtypes.valid()) return false;
  std::int8_t& known = known_[dtypes.value];
  if (known < 0) {
    const std::string_view first =
        FirstTensorDtypeOf(profile_.Name(host.name[op.value]),
                           profile_.Name(host.input_shapes[op.value]), profile_.Name(dtypes));
    known = first == "float64" || first == "complex128" ? 1 : 0;
  }
  return known == 1;
}

// Names of cuBLAS kernels contain the type: dgemm and zgemm. For other kernels the operator
// decides.
bool DoubleWork::HasNoCores(DeviceId work) {
  if (!applies_) return false;
  const StringId id = profile_.device.name[work.value];
  if (id.valid() && by_name_[id.value] < 0) {
    const std::string_view name = profile_.Name(id);
    const bool says_so = name.find("dgemm") != name.npos || name.find("zgemm") != name.npos;
    by_name_[id.value] = says_so ? 1 : 0;
  }
  return (id.valid() && by_name_[id.value] == 1) || HasNoCores(profile_.device.op[work.value]);
}

bool VectorProducts::Has(HostId op) {
  if (!op.valid()) return false;
  const StringId name = profile_.host.name[op.value];
  const StringId shapes = profile_.host.input_shapes[op.value];
  if (!name.valid() || !shapes.valid()) return false;
  const auto [known, is_new] = known_.try_emplace({name.value, shapes.value}, false);
  if (is_new) known->second = IsVectorProduct(profile_.Name(name), profile_.Name(shapes));
  return known->second;
}

}  // namespace profgauge::analysis::classify
