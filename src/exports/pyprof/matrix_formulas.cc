// Linear layers, recurrent cells and matmuls in PyProf's formulas.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "exports/pyprof/formulas.h"

namespace profgauge::exports::pyprof {
namespace {

using Shape = std::vector<std::int64_t>;

Row Failed() {
  Row row;
  row.failed = true;
  return row;
}

std::string UsesTensorCores(const Kernel& kernel) {
  return OnTensorCoreList(kernel.name()) ? "1" : "0";
}

double MatrixElements(double m, double n, double k) { return m * n + m * k + n * k; }

std::string Whole(double number) { return fmt::format("{:.0f}", number); }

// The leading sizes of a linear layer's input: a number when there is one, else the tuple.
std::string LeadingText(const Shape& leading) {
  return leading.size() == 1 ? fmt::format("{}", leading[0]) : TupleText(leading);
}

// gemmM and gemmN of a cell's backward product, from "…_128x64_…" and the grid.
std::optional<std::pair<double, double>> TileOf(std::string_view name) {
  for (auto at = name.find('x'); at != std::string_view::npos; at = name.find('x', at + 1)) {
    auto begin = at;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
    if (begin == at || begin == 0 || name[begin - 1] != '_') continue;
    double x = 0, y = 0;
    std::from_chars(name.data() + begin, name.data() + at, x);
    const auto [end, error] = std::from_chars(name.data() + at + 1, name.data() + name.size(), y);
    if (error == std::errc{}) return std::pair(x, y);
  }
  return std::nullopt;
}

}  // namespace

// Kernels of a linear layer, by their order in the backward pass: the first gives the gradient of
// the input, the second that of the weights; further ones have no work.
std::optional<Row> LinearRow(const Kernel& kernel) {
  if (kernel.call.op != "linear") return std::nullopt;
  const auto tensors = kernel.call.Tensors();
  if (kernel.call.module != "torch.nn.functional" || tensors.size() < 2) return Failed();
  const Shape& x = tensors[0]->shape;
  const Shape& w = tensors[1]->shape;
  const auto type = ElementTypeOf(tensors[0]->dtype);
  if (x.empty() || w.size() != 2 || !type) return Failed();
  const Shape leading(x.begin(), x.end() - 1);
  const double m = static_cast<double>(w[0]), k = static_cast<double>(w[1]);
  const double n = analysis::work::Elements(leading);
  Row row;
  if (ContainsAny(kernel.name(), {"gemm", "gemv", "dot_kernel", "splitKreduce_kernel",
                                  "reduce_1Block_kernel", "cutlass"})) {
    row.tensor_core = UsesTensorCores(kernel);
    const std::string many = LeadingText(leading);
    std::string sizes;
    bool counted = true;
    if (!kernel.record.backward) {
      sizes = fmt::format("M={},N={},K={}", w[0], many, w[1]);
    } else if (kernel.record.sub_seq == 0) {
      sizes = fmt::format("M={},N={},K={}", w[1], many, w[0]);
    } else if (kernel.record.sub_seq == 1) {
      sizes = fmt::format("M={},N={},K={}", w[1], w[0], many);
    } else {
      sizes = fmt::format("X={},W={}", TupleText(x), TupleText(w));
      counted = false;
    }
    row.params = fmt::format("{},{},", sizes, type->name);
    if (counted) {
      row.flops.value = 2 * m * n * k;
      row.bytes.value = m * n + m * k + n * k * type->bytes;  // PyProf's missing brackets.
    }
    return row;
  }
  if (ContainsAny(kernel.name(),
                  {"kernelReduceContigDim", "kernelReduceNoncontigDim_shared", "elementwise_kernel",
                   "reduce_kernel", "kernelPointwiseApply2", "2d_grouped_direct_kernel"})) {
    row.op = "bias";
    row.params = fmt::format("M={},N={},{},", w[0], LeadingText(leading), type->name);
    row.flops.value = m * n;
    row.bytes.value = 2 * m * n * type->bytes;
    return row;
  }
  return Failed();
}

// Forward, kernels come in threes: the product with the input, that with the hidden state, and the
// gates. Backward, the sizes are guessed from the tile in the kernel's name and its grid.
std::optional<Row> CellRow(const Kernel& kernel) {
  const std::string& cell = kernel.call.module;
  const double gates = cell == "LSTMCell" ? 4 : cell == "GRUCell" ? 3 : cell == "RNNCell" ? 1 : 0;
  if (kernel.call.op != "forward" || gates == 0) return std::nullopt;
  const auto tensors = kernel.call.Tensors();
  if (tensors.size() < 2 || tensors[0]->shape.size() != 2 || tensors[1]->shape.size() != 2) {
    return Failed();
  }
  const auto type = ElementTypeOf(tensors[0]->dtype);
  if (!type) return Failed();
  const auto b = static_cast<double>(tensors[0]->shape[0]);
  const auto x = static_cast<double>(tensors[0]->shape[1]);
  const auto h = static_cast<double>(tensors[1]->shape[1]);
  Row row;
  if (ContainsAny(kernel.name(), {"gemm"})) row.tensor_core = UsesTensorCores(kernel);
  const auto product = [&](const char* which, double m, double n, double k) {
    row.params =
        fmt::format("gemm={},M={},N={},K={},{},", which, Whole(m), Whole(n), Whole(k), type->name);
    row.flops.value = 2 * m * n * k;
    row.bytes.value = type->bytes * MatrixElements(m, n, k);
    return row;
  };
  if (!kernel.record.backward) {
    const std::int64_t step = kernel.record.sub_seq % 3;
    if (step == 0) return product("layer", gates * h, b, x);
    if (step == 1) return product("recur", gates * h, b, h);
    row.params =
        fmt::format("cell={},X={},H={},B={},{},", cell, Whole(x), Whole(h), Whole(b), type->name);
    row.bytes.value = type->bytes * (2 * gates * h * b + 3 * h * b);
    return row;
  }
  row.params =
      fmt::format("cell={},X={},H={},B={},{},", cell, Whole(x), Whole(h), Whole(b), type->name);
  const auto tile = TileOf(kernel.name());
  if (!ContainsAny(kernel.name(), {"gemm"}) || !tile) return row;
  const double m = tile->first * kernel.grid[0], n = tile->second * kernel.grid[1];
  if (kernel.name().find("_nn") != std::string::npos) {
    if (m == h) return product("recur", h, b, gates * h);
    if (m == x) return product("layer", x, b, gates * h);
  }
  if (kernel.name().find("_nt") != std::string::npos) {
    if (m == h) return product("recur", h, n, b);
    if (m == x) return product("layer", x, n, b);
  }
  return row;
}

namespace {

// addmm's first tensor is the sum's other part, and is not counted.
Row PlainProduct(const Kernel& kernel) {
  const std::string& op = kernel.call.op;
  const auto tensors = kernel.call.Tensors();
  const std::size_t first = op == "addmm" || op == "addmm_" ? 1 : 0;
  if (tensors.size() < first + 2) return Failed();
  const Shape& a = tensors[first]->shape;
  const Shape& b = tensors[first + 1]->shape;
  const auto type = ElementTypeOf(tensors[first]->dtype);
  const std::size_t rank = op == "bmm" ? 3 : 2;
  if (!type || a.size() != rank || b.size() != rank) return Failed();
  // M and N change places: cuBLAS sees the transposes.
  const auto m = static_cast<double>(b.back()), n = static_cast<double>(a[rank - 2]);
  const auto k = static_cast<double>(a.back());
  const double batch = op == "bmm" ? static_cast<double>(a[0]) : 1;
  Row row;
  row.tensor_core = UsesTensorCores(kernel);
  row.params =
      fmt::format("{}M={},N={},K={},{},", op == "bmm" ? fmt::format("B={},", a[0]) : std::string{},
                  b.back(), a[rank - 2], a.back(), type->name);
  row.flops.value = 2 * batch * m * n * k;
  row.bytes.value = batch * type->bytes * MatrixElements(m, n, k);
  return row;
}

// Vectors become matrices with one row or column; leading dimensions are broadcast.
Row MatmulRow(const Kernel& kernel) {
  const auto tensors = kernel.call.Tensors();
  if (tensors.size() != 2 || tensors[0]->dtype != tensors[1]->dtype) return Failed();
  Shape a = tensors[0]->shape, b = tensors[1]->shape;
  const auto type = ElementTypeOf(tensors[0]->dtype);
  if (!type || a.empty() || b.empty()) return Failed();
  Row row;
  row.params = fmt::format("A={},B={},{},", TupleText(a), TupleText(b), type->name);
  const std::string& name = kernel.name();
  const bool no_product = name == "kernelPointwiseApply2" || name == "reduce_1Block_kernel" ||
                          name == "elementwise_kernel";
  if (!no_product && name != "dot_kernel") row.tensor_core = UsesTensorCores(kernel);
  if (no_product) {
    row.bytes.value = 2 * type->bytes * analysis::work::Elements(a);
    return row;
  }
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const auto batch =
      analysis::work::Broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!batch || a.back() != b[b.size() - 2]) return Failed();
  const auto m = static_cast<double>(a[a.size() - 2]), n = static_cast<double>(b.back());
  const auto k = static_cast<double>(a.back());
  row.flops.value = 2 * analysis::work::Elements(*batch) * m * n * k;
  row.bytes.value = type->bytes * MatrixElements(m, n, k);  // PyProf forgets the batch.
  return row;
}

}  // namespace

std::optional<Row> ProductRow(const Kernel& kernel) {
  const std::string& op = kernel.call.op;
  if (op == "matmul" || op == "__matmul__") return MatmulRow(kernel);
  if (op == "addmm" || op == "addmm_" || op == "mm" || op == "bmm") return PlainProduct(kernel);
  return std::nullopt;
}

}  // namespace profgauge::exports::pyprof
