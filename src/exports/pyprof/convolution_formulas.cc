#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "exports/pyprof/formulas.h"

namespace profgauge::exports::pyprof {
namespace {

// Kernels of cuDNN that prepare or rearrange data: PyProf counts no work for them.
bool IsAuxiliary(std::string_view name) {
  return ContainsAny(
      name,
      {"nchwToNhwc", "nhwcToNchw", "OffsetsKernel", "generateWinogradTilesKernel",
       "winogradWgradData", "winogradWgradOutput", "winogradWgradDelta", "compute_gemm_pointers",
       "flip_filter", "fft2d_r2c_", "fft2d_c2r_", "fft1d_r2c", "fft1d_c2r", "scaleTensor_kernel"});
}

bool IsConvolution(std::string_view name) {
  return ContainsAny(
      name, {"_s884cudnn_", "_s1688cudnn_", "_scudnn_", "2d_grouped_direct_kernel",
             "cudnn::detail::implicit_convolve_sgemm", "cudnn::detail::dgrad2d_alg1_1",
             "cudnn::detail::wgrad_alg0_engine", "cudnn::detail::dgrad_engine",
             "dgrad_1x1_stride_2x2", "spatialDepthwiseConvolutionUpdateOutput", "winograd3x3Kernel",
             "_sgemm_", "fermiPlusCgemmLDS128_batched", "_gcgemm_"});
}

// Two sizes of a stride, padding or dilation, which may be one number; conv1d works on 1 x W.
struct Pair {
  double h, w;
};
Pair PairOf(const analysis::work::OpArgument* argument, double otherwise, bool is_1d,
            double outer) {
  std::vector<double> sizes;
  if (argument != nullptr && argument->is_number()) sizes = {argument->number};
  if (argument != nullptr) {
    for (const std::int64_t size : argument->list) sizes.push_back(static_cast<double>(size));
  }
  if (sizes.empty()) sizes = {otherwise};
  if (is_1d) return {outer, sizes[0]};
  return {sizes[0], sizes.size() > 1 ? sizes[1] : sizes[0]};
}

struct ConvolutionSizes {
  double n, c, h, w, k, r, s, p, q, g;
  Pair stride, padding, dilation;
};

std::optional<ConvolutionSizes> SizesOf(const analysis::work::OpCall& call) {
  const auto tensors = call.Tensors();
  if (tensors.size() < 2) return std::nullopt;
  const bool is_1d = call.op == "conv1d";
  auto x = tensors[0]->shape, w = tensors[1]->shape;
  const std::size_t rank = is_1d ? 3 : 4;
  if (x.size() != rank || w.size() != rank) return std::nullopt;
  if (is_1d) {
    x.insert(x.begin() + 2, 1);
    w.insert(w.begin() + 2, 1);
  }
  const auto size = [](std::int64_t number) { return static_cast<double>(number); };
  ConvolutionSizes sizes{size(x[0]), size(x[1]), size(x[2]), size(x[3]), size(w[0]),
                         size(w[2]), size(w[3]), 0,          0,          1,
                         {1, 1},     {0, 0},     {1, 1}};
  sizes.stride = PairOf(call.Find("stride", 3), 1, is_1d, 1);
  sizes.padding = PairOf(call.Find("padding", 4), 0, is_1d, 0);
  sizes.dilation = PairOf(call.Find("dilation", 5), 1, is_1d, 1);
  if (const analysis::work::OpArgument* groups = call.Find("groups", 6);
      groups != nullptr && groups->is_number()) {
    sizes.g = groups->number;
  }
  if (sizes.g < 1 || sizes.stride.h < 1 || sizes.stride.w < 1) return std::nullopt;
  const auto out = [](double in, double pad, double dilation, double filter, double step) {
    return std::floor(1 + (in + 2 * pad - ((filter - 1) * dilation + 1)) / step);
  };
  sizes.p = out(sizes.h, sizes.padding.h, sizes.dilation.h, sizes.r, sizes.stride.h);
  sizes.q = out(sizes.w, sizes.padding.w, sizes.dilation.w, sizes.s, sizes.stride.w);
  return sizes;
}

}  // namespace

// In PyProf's letters: N C H W input, K filters of C/g R S, output N K P Q, stride U V.
//
//   P = floor(1 + (H + 2 ph - ((R - 1) dh + 1)) / U)
//   FLOPs = 2 N K P Q C R S / g
//   bytes = b (N C H W + K C R S / g + N K P Q)
std::optional<Row> ConvolutionRow(const Kernel& kernel) {
  if (kernel.call.op != "conv1d" && kernel.call.op != "conv2d") return std::nullopt;
  Row row;
  const auto sizes = SizesOf(kernel.call);
  const auto tensors = kernel.call.Tensors();
  const auto type = sizes ? ElementTypeOf(tensors[0]->dtype) : std::nullopt;
  if (!type || kernel.call.module != "torch.nn.functional") {
    row.failed = true;
    return row;
  }
  auto [n, c, h, w, k, r, s, p, q, g, stride, padding, dilation] = *sizes;
  row.params = fmt::format(
      "N={},C={},H={},W={},K={},P={},Q={},R={},S={},ph={},pw={},U={},V={},dh={},dw={},g={},{},", n,
      c, h, w, k, p, q, r, s, padding.h, padding.w, stride.h, stride.w, dilation.h, dilation.w, g,
      type->name);
  const std::string& name = kernel.name();
  if (OnTensorCoreList(name)) row.tensor_core = "1";
  if (IsAuxiliary(name)) return row;
  if (name.find("calc_bias_diff") != std::string::npos) {
    row.flops.value = n * k * p * q;
    row.bytes.value = 2 * n * k * p * q * type->bytes;
    return row;
  }
  if (!IsConvolution(name)) return row;
  // Grouped convolutions run one kernel per group, except these two, which do all in one.
  const bool all_groups =
      ContainsAny(name, {"2d_grouped_direct_kernel", "spatialDepthwiseConvolutionUpdateOutput"});
  if (g > 1 && !all_groups) {
    c /= g;
    k /= g;
    g = 1;
  }
  row.flops = {2 * n * k * p * q * c * r * s / g, true};
  row.bytes = {type->bytes * (n * c * h * w + k * c * r * s / g + n * k * p * q), true};
  return row;
}

}  // namespace profgauge::exports::pyprof
