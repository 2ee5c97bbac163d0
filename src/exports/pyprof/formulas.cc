#include "exports/pyprof/formulas.h"

#include <fmt/format.h>

#include <array>

namespace profgauge::exports::pyprof {

// A float without a fraction gets ".0", as Python's str() writes it; "1e+20", "inf" and "nan" stay.
std::string PythonText(Number number) {
  if (!number.is_float) return fmt::format("{:.0f}", number.value);
  std::string text = fmt::format("{}", number.value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::optional<ElementType> ElementTypeOf(std::string_view dtype) {
  struct Entry {
    std::string_view dtype;
    ElementType type;
  };
  static constexpr std::array<Entry, 17> kTypes = {{
      {"uint8", {1, "uint8"}},
      {"int8", {1, "int8"}},
      {"byte", {1, "byte"}},
      {"char", {1, "char"}},
      {"bool", {1, "bool"}},
      {"float16", {2, "fp16"}},
      {"half", {2, "fp16"}},
      {"int16", {2, "int16"}},
      {"short", {2, "int16"}},
      {"float32", {4, "fp32"}},
      {"float", {4, "fp32"}},
      {"int32", {4, "int32"}},
      {"int", {4, "int32"}},
      {"int64", {8, "int64"}},
      {"long", {8, "int64"}},
      {"float64", {8, "fp64"}},
      {"double", {8, "fp64"}},
  }};
  for (const Entry& entry : kTypes) {
    if (entry.dtype == dtype) return entry.type;
  }
  return std::nullopt;
}

bool OnTensorCoreList(std::string_view short_name) {
  for (const std::string_view part :
       {"h884", "s884", "h1688", "s1688", "hmma", "i8816", "16816", "dgrad_1x1_stride_2x2",
        "first_layer_wgrad_kernel", "conv1x1", "conv2d_c1_k1", "direct_group", "xmma_implicit_gemm",
        "xmma_sparse_conv", "xmma_warp_specialized_implicit_gemm", "xmma_gemm", "xmma_sparse_gemm",
        "c1688"}) {
    if (short_name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string TupleText(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ","), shape.size() == 1 ? "," : "");
}

std::string BracketText(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

Row DefaultRow(const Kernel& kernel) {
  std::vector<std::string> shapes, types;
  for (const analysis::work::OpArgument* tensor : kernel.call.Tensors()) {
    shapes.push_back(TupleText(tensor->shape));
    types.push_back("'" + tensor->dtype + "'");
  }
  Row row;
  row.params = fmt::format("T=[{}],[{}]", fmt::join(shapes, ","), fmt::join(types, ","));
  return row;
}

}  // namespace profgauge::exports::pyprof
