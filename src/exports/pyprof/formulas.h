// PyProf's formulas, exactly: with its operator-precedence bugs, its lists of kernel names
// and its gaps. Each returns nothing for ops of other formulas; `Row::failed` marks inputs that
// make PyProf abort. Definition: NVIDIA/PyProf 3.11 and, where `classic`, pyprof2 of 2020.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/work/op_call.h"
#include "exports/pyprof/record.h"

namespace profgauge::exports::pyprof {

/// A number that remembers whether Python's arithmetic made it a float.
struct Number {
  double value = 0;
  bool is_float = false;
};
/// "12", "12.0"; a float as short as its value allows.
std::string PythonText(Number number);

/// The cells that a formula makes for one kernel.
struct Row {
  std::string op;  ///< Empty: the call's.
  std::string params;
  std::string tensor_core = "-";
  Number flops, bytes;
  bool failed = false;
};

/// The input of the formulas.
struct Kernel {
  const KernelRecord& record;
  const analysis::work::OpCall& call;
  std::int32_t grid[3] = {0, 0, 0};
  bool classic = false;
  const std::string& name() const { return record.short_name; }
};

std::optional<Row> LinearRow(const Kernel& kernel);
std::optional<Row> CellRow(const Kernel& kernel);  ///< RNN cells.
std::optional<Row> ConvolutionRow(const Kernel& kernel);
std::optional<Row> PointwiseRow(const Kernel& kernel);
std::optional<Row> ProductRow(const Kernel& kernel);   ///< matmul, mm, bmm, addmm.
std::optional<Row> OperatorRow(const Kernel& kernel);  ///< All others that are known.
Row DefaultRow(const Kernel& kernel);

/// Bytes and short name ("fp16") of an element type as PyProf knows them; nothing for bfloat16.
struct ElementType {
  double bytes = 0;
  std::string_view name;
};
std::optional<ElementType> ElementTypeOf(std::string_view dtype);

/// Whether a short kernel name is on PyProf's list of Tensor Core kernels.
bool OnTensorCoreList(std::string_view short_name);

std::string TupleText(const std::vector<std::int64_t>& shape);    ///< "(35,20)", "(35,)"
std::string BracketText(const std::vector<std::int64_t>& shape);  ///< "[35,20]"

}  // namespace profgauge::exports::pyprof
