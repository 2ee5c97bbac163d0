#include "analysis/classify/op_arguments.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "analysis/classify/dtypes.h"

namespace profgauge {
namespace {

// How many arguments an operator has, by its overloads and versions; the first is a tensor, or a
// list of tensors. 0: no other number.
struct Signature {
  std::string_view op;
  std::uint8_t counts[3];
};

constexpr Signature kSignatures[] = {
    {"mm", {2}},
    {"bmm", {2}},
    {"matmul", {2}},
    {"mv", {2}},
    {"dot", {2}},
    {"_int_mm", {2}},
    {"addmm", {5}},
    {"addmv", {5}},
    {"baddbmm", {5}},
    {"addbmm", {5}},
    {"linear", {3}},
    {"conv1d", {7}},
    {"conv2d", {7}},
    {"conv3d", {7}},
    {"conv_transpose1d", {8}},
    {"conv_transpose2d", {8}},
    {"conv_transpose3d", {8}},
    {"convolution", {9}},
    {"convolution_overrideable", {9}},
    {"_convolution", {13, 12}},
    {"cudnn_convolution", {9, 8}},
    {"convolution_backward", {11}},
    {"scaled_dot_product_attention", {8, 7, 6}},
    {"add", {3}},
    {"sub", {3}},
    {"rsub", {3}},
    {"mul", {2}},
    {"div", {2, 3}},
    {"pow", {2}},
    {"eq", {2}},
    {"ne", {2}},
    {"lt", {2}},
    {"le", {2}},
    {"gt", {2}},
    {"ge", {2}},
    {"maximum", {2}},
    {"minimum", {2}},
    {"where", {3}},
    {"abs", {1}},
    {"neg", {1}},
    {"exp", {1}},
    {"log", {1}},
    {"sqrt", {1}},
    {"rsqrt", {1}},
    {"sin", {1}},
    {"cos", {1}},
    {"erf", {1}},
    {"reciprocal", {1}},
    {"tanh", {1}},
    {"sigmoid", {1}},
    {"relu", {1}},
    {"silu", {1}},
    {"gelu", {2, 1}},
    {"clamp", {3}},
    {"clamp_min", {2}},
    {"clamp_max", {2}},
    {"hardtanh", {3}},
    {"leaky_relu", {2}},
    {"dropout", {3}},
    {"native_dropout", {3}},
    {"threshold_backward", {3}},
    {"layer_norm", {6}},
    {"native_layer_norm", {5}},
    {"batch_norm", {9}},
    {"native_batch_norm", {8}},
    {"cudnn_batch_norm", {8}},
    {"group_norm", {6}},
    {"softmax", {3}},
    {"_softmax", {3}},
    {"log_softmax", {3}},
    {"_log_softmax", {3}},
    {"sum", {2, 4}},
    {"mean", {2, 4}},
    {"contiguous", {2}},
    {"clone", {2}},
    {"copy_", {3}},
    {"fill_", {2}},
    {"zero_", {1}},
    {"cat", {2}},
    {"embedding", {5}},
    {"index_select", {3}},
};

const Signature* FindSignature(std::string_view op) {
  constexpr std::string_view kModule = "aten::";
  if (!op.starts_with(kModule)) return nullptr;
  op.remove_prefix(kModule.size());
  const auto find = [](std::string_view name) -> const Signature* {
    const auto* const found =
        std::find_if(std::begin(kSignatures), std::end(kSignatures),
                     [name](const Signature& signature) { return signature.op == name; });
    return found == std::end(kSignatures) ? nullptr : found;
  };
  const Signature* found = find(op);
  if (found == nullptr && op.ends_with('_')) found = find(op.substr(0, op.size() - 1));
  return found;
}

}  // namespace

std::size_t ForeignArguments(std::string_view op, std::string_view shapes) {
  const Signature* signature = FindSignature(op);
  if (signature == nullptr) return 0;
  const auto items = SplitList(shapes);
  const std::size_t most =
      *std::max_element(std::begin(signature->counts), std::end(signature->counts));
  if (items.size() <= most) return 0;
  for (const std::size_t count : signature->counts) {
    if (count > 0 && items[items.size() - count].size() > 2) return items.size() - count;
  }
  return 0;
}

std::vector<std::string_view> OwnArguments(std::string_view op, std::string_view shapes,
                                           std::string_view list) {
  auto items = SplitList(list);
  const std::size_t foreign = std::min(items.size(), ForeignArguments(op, shapes));
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(foreign));
  return items;
}

std::string_view FirstTensorDtypeOf(std::string_view op, std::string_view shapes,
                                    std::string_view dtypes) {
  if (ForeignArguments(op, shapes) == 0) return FirstTensorDtype(dtypes);
  for (const std::string_view item : OwnArguments(op, shapes, dtypes)) {
    // "Int", "Double" and "Bool" with a capital are scalars, not tensors.
    if (item.empty() || (item.front() >= 'A' && item.front() <= 'Z')) continue;
    if (DtypeBytes(item) > 0) return CanonicalDtype(item);
  }
  return {};
}

}  // namespace profgauge
