// Work of matmuls.
#include <algorithm>
#include <iterator>

#include "analysis/classify/arguments.h"
#include "analysis/work/op_shape.h"
#include "base/whole.h"

namespace profgauge::analysis::work {
namespace {

using Shape = std::vector<std::int64_t>;

double Size(const Shape& shape, std::size_t from_end) {
  return static_cast<double>(shape[shape.size() - 1 - from_end]);
}

// `out_bytes`: of one element of the result. Bytes are unknown, -1, if either is.
OpWork Product(double batch, double m, double n, double k, double input_bytes, double out_bytes) {
  OpWork work;
  work.is_matrix = true;
  work.flops = 2 * batch * m * n * k;
  if (input_bytes >= 0 && out_bytes >= 0) work.bytes = input_bytes + batch * m * n * out_bytes;
  return work;
}

// a [.., M, K] times b [.., K, N], vectors included.
std::optional<OpWork> BroadcastProduct(const OpArgument& x, const OpArgument& y) {
  const auto sizes = SizesOfProduct(x.shape, y.shape);
  if (!sizes) return std::nullopt;
  return Product(sizes->batch, sizes->m, sizes->n, sizes->k, BytesOf({&x, &y}), ElementBytes(x));
}

// The addend of a matmul, which is read once more. Its additions are not counted.
void AddBias(const OpArgument& bias, OpWork& work) {
  const double bytes = BytesOf({&bias});
  work.bytes = work.bytes < 0 || bytes < 0 ? -1 : work.bytes + bytes;
}

// Numbers of c10::ScalarType.
double ScalarTypeBytes(std::int64_t type) {
  constexpr double kBytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2};
  if (type >= 0 && type < std::ssize(kBytes)) return kBytes[type];
  return type >= 23 && type <= 26 ? 1 : -1;  // The FP8 types.
}

// The result's element, which is seldom that of the factors. Among the arguments after them only
// the type is a number: (…, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum), in
// older versions (…, bias, out_dtype, …). Without a number the factors' type was asked for, or
// values were not recorded and the bias, else BF16, which every caller has taken, is the guess.
double ScaledResultBytes(const OpCall& call, const OpArgument& factor) {
  bool values_recorded = false;
  const OpArgument* bias = nullptr;
  for (std::size_t i = 2; i < call.arguments.size(); ++i) {
    const OpArgument& argument = call.arguments[i];
    if (argument.type == "float") return ScalarTypeBytes(WithoutFraction(argument.number, -1));
    values_recorded = values_recorded || argument.type == "bool";
    if (argument.is_tensor() && argument.shape.size() == 1 &&
        classify::DtypeBytes(argument.dtype) == 2) {
      bias = &argument;
    }
  }
  if (values_recorded) return ElementBytes(factor);
  return bias != nullptr ? ElementBytes(*bias) : 2;
}

// Products whose result has another type than their factors.
std::optional<OpWork> MixedProduct(const OpCall& call,
                                   const std::vector<const OpArgument*>& tensors) {
  if (tensors.size() < 2) return std::nullopt;
  auto work = BroadcastProduct(*tensors[0], *tensors[1]);
  if (!work || work->bytes < 0) return work;
  const double each = call.op == "_int_mm" ? 4 : ScaledResultBytes(call, *tensors[0]);
  const double inputs = BytesOf({tensors[0], tensors[1]});
  work->bytes = each > 0 ? inputs + (work->bytes - inputs) / ElementBytes(*tensors[0]) * each : -1;
  return work;
}

}  // namespace

std::optional<OpWork> ProductWork(const OpCall& call) {
  std::string_view op = call.op;
  if (op.ends_with('_') && !op.starts_with("__")) op.remove_suffix(1);
  const auto tensors = call.Tensors();
  const auto is = [op](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), op) != names.end();
  };
  if (is({"_scaled_mm", "_int_mm"})) return MixedProduct(call, tensors);
  if (is({"mm", "bmm", "matmul", "__matmul__", "mv", "dot"})) {
    if (tensors.size() < 2) return std::nullopt;
    return BroadcastProduct(*tensors[0], *tensors[1]);
  }
  if (is({"addmm", "baddbmm", "addbmm", "addmv", "_addmm_activation"})) {
    if (tensors.size() < 3) return std::nullopt;
    auto work = BroadcastProduct(*tensors[1], *tensors[2]);
    if (work) AddBias(*tensors[0], *work);
    return work;
  }
  if (is({"linear"})) {
    if (tensors.size() < 2 || tensors[0]->shape.empty() || tensors[1]->shape.size() != 2) {
      return std::nullopt;
    }
    const Shape& x = tensors[0]->shape;
    const double k = Size(x, 0), n = static_cast<double>(tensors[1]->shape[0]);
    if (Size(tensors[1]->shape, 0) != k || k <= 0) return std::nullopt;
    OpWork work = Product(1, Elements(x) / k, n, k, BytesOf({tensors[0], tensors[1]}),
                          ElementBytes(*tensors[0]));
    if (tensors.size() > 2) AddBias(*tensors[2], work);
    return work;
  }
  return std::nullopt;
}

}  // namespace profgauge::analysis::work
