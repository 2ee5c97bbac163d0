#include "rules/catalogue_words.h"

#include <algorithm>
#include <array>

#include "model/idle_cause.h"
#include "model/known_names.h"
#include "rules/rule_schema.h"

namespace profgauge::rules {
namespace {

using expr::Enumeration;
using expr::EnumValue;

/// Values whose table cells contain the id itself.
template <std::size_t N>
constexpr std::array<EnumValue, N> Plain(const std::string_view (&ids)[N]) {
  std::array<EnumValue, N> values;
  for (std::size_t i = 0; i < N; ++i) values[i] = {ids[i], ids[i]};
  return values;
}

constexpr auto kCausesValues = [] {
  std::array<EnumValue, kIdleCauses> values;
  for (std::size_t i = 0; i < kIdleCauses; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    values[i] = {IdleCauseId(cause), InfoOf(cause).title};
  }
  return values;
}();
constexpr auto kHostWorkValues = [] {
  std::array<EnumValue, std::size(kHostWork) + 2> values;
  for (std::size_t i = 0; i < std::size(kHostWork); ++i) {
    values[i] = {kHostWork[i].id, kHostWork[i].title};
  }
  values[std::size(kHostWork)] = {kUnnamedHostWork.id, kUnnamedHostWork.title};
  values[std::size(kHostWork) + 1] = {kUnknownHostWork.id, kUnknownHostWork.title};
  return values;
}();
constexpr auto kCopyKindsValues = Plain({"h2d", "d2h", "d2d", "p2p", "h2h", "unknown", "memset"});
constexpr auto kHostMemoryValues = Plain({"pageable", "pinned", "managed", "unknown"});
constexpr auto kCallKindsValues = Plain({"launch", "memcpy", "memset", "sync", "memory", "other"});
constexpr auto kLaunchKindsValues = Plain({"kernel", "memcpy", "memset"});
constexpr auto kUsesValues = Plain({"yes", "no", "unknown"});
constexpr auto kDirectionsValues = Plain({"forward", "backward", "optimizer", "mixed"});
constexpr auto kVerdictsValues =
    Plain({"using", "eligible_dtype", "eligible_shape", "eligible_unused", "unknown"});
constexpr auto kRooflineBoundsValues = Plain({"compute", "memory"});
constexpr auto kOpKindsValues =
    Plain({"product", "convolution", "attention", "experts", "elementwise", "reduction"});
constexpr auto kTraitsValues =
    Plain({"none", "experts", "few tiles", "partial tiles", "unaligned loads", "skinny",
           "short attention", "padded heads", "large heads", "slow attention", "slow convolution",
           "slow elementwise"});
constexpr auto kCollectivesValues =
    Plain({"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "all_to_allv", "broadcast",
           "reduce", "send_recv", "gather", "scatter", "barrier", "other"});
/// Types in the spelling of CanonicalDtype().
constexpr auto kDtypesValues =
    Plain({"float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2",
           "float4_e2m1", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint8", "bool",
           "complex64", "complex128", "mixed"});
constexpr auto kBackendsValues = Plain({"nccl", "gloo", "mpi", "ucc", "hccl", "xccl", "ccl"});
constexpr auto kIterationsByValues = Plain(
    {"marker", "key_op", "optimizer", "loader", "repetition", "range", "whole_profile", "none"});
constexpr auto kRolesValues = Plain({"latest", "median", "earliest"});
constexpr auto kEnginesValues = Plain({"tensor", "vector", "scalar", "gpsimd", "sync", "other"});
constexpr auto kQueueTypesValues = Plain(
    {"instruction", "input", "output", "data", "software_dynamic", "hardware_dynamic", "unknown"});
constexpr auto kFormatsValues =
    Plain({"kineto", "ascend", "xla", "nsight_systems", "nvprof", "rocprofv3", "neuron", "dlprof",
           "pyprof", "summary", "unknown"});
constexpr auto kWorkloadsValues = Plain({"capture", "training", "decode", "prefill", "mixed",
                                         "diffusion", "inference", "benchmark", "unknown"});
constexpr auto kFrameworksValues =
    Plain({"pytorch", "tensorflow", "xla", "tensorrt", "none", "unknown"});
/// For a device of an unknown vendor, the table cell is empty.
constexpr EnumValue kVendorsValues[] = {{"nvidia", "nvidia"}, {"amd", "amd"}, {"npu", "npu"},
                                        {"neuron", "neuron"}, {"tpu", "tpu"}, {"intel", "intel"},
                                        {"mtia", "mtia"},     {"unknown", ""}};

struct KnownColumn {
  std::string_view name;
  Enumeration values;
};
/// Columns and facts with known values. Open ones may have others, which profilers write.
constexpr KnownColumn kKnown[] = {
    {"gap.cause", {kCausesValues}},
    {"gap.category", {kHostWorkValues}},
    {"memcpy.kind", {kCopyKindsValues}},
    {"memcpy.host_memory", {kHostMemoryValues}},
    {"api_call.kind", {kCallKindsValues}},
    {"launch.kind", {kLaunchKindsValues}},
    {"kernel.uses_tensor_core", {kUsesValues}},
    {"launch.uses_tensor_core", {kUsesValues}},
    {"op.uses_tensor_core", {kUsesValues}},
    {"op_shape.uses_tensor_core", {kUsesValues}},
    {"op.direction", {kDirectionsValues}},
    {"op_shape.direction", {kDirectionsValues}},
    {"tensor_core_op.verdict", {kVerdictsValues}},
    {"roofline_op.bound", {kRooflineBoundsValues}},
    {"roofline_op.kind", {kOpKindsValues}},
    {"roofline_op.trait", {kTraitsValues}},
    {"collective.name", {kCollectivesValues, true}},
    {"kernel.dtype", {kDtypesValues, true}},
    {"tensor_core_op.dtype", {kDtypesValues, true}},
    {"roofline_op.dtype", {kDtypesValues, true}},
    {"collective.dtype", {kDtypesValues, true}},
    {"cc_op.dtype", {kDtypesValues, true}},
    {"rank_call.role", {kRolesValues}},
    {"engine.name", {kEnginesValues}},
    {"wait.engine", {kEnginesValues}},
    {"dma_queue.type", {kQueueTypesValues}},
    {"profile.format", {kFormatsValues, true}},
    {"profile.backend", {kBackendsValues, true}},
    {"profile.iterations_by", {kIterationsByValues}},
    {"profile.framework", {kFrameworksValues}},
    {"profile.workload", {kWorkloadsValues}},
    {"device.vendor", {kVendorsValues}},
};

/// Columns with names of kernels, operators, calls and other code.
constexpr std::string_view kCodeColumns[] = {
    "api_call.name",
    "collective.name",
    "gap.after",
    "gap.before",
    "gap.doing",
    "gap.op",
    "gap.within",
    "kernel.name",
    "kernel.op",
    "op.name",
    "op_shape.input_shapes",
    "op_shape.name",
    "process_group.name",
    "roofline_op.input_shapes",
    "roofline_op.kernel",
    "roofline_op.name",
    "tensor.name",
    "tensor_core_op.name",
    "wait.opcode",
    "wait.source",
};

bool IsWork(const ColumnSpec* column) {
  return column != nullptr && (column->unit == Unit::kTime || column->unit == Unit::kCount ||
                               column->unit == Unit::kBytes || column->unit == Unit::kFlops);
}

bool IsOfHost(std::string_view name) {
  constexpr std::string_view kOfOps[] = {
      "op.calls",       "op.outside_host",       "op.outside_calls",
      "op_shape.calls", "op_shape.outside_host", "op_shape.outside_calls"};
  return name.starts_with("api_call.") || name.starts_with("op.host_") ||
         name.starts_with("op_shape.host_") ||
         std::find(std::begin(kOfOps), std::end(kOfOps), name) != std::end(kOfOps);
}

}  // namespace

const Enumeration* KnownValuesOf(std::string_view name) {
  const auto found = std::find_if(std::begin(kKnown), std::end(kKnown),
                                  [name](const KnownColumn& known) { return known.name == name; });
  return found == std::end(kKnown) ? nullptr : &found->values;
}

std::string_view FindByValues(const std::vector<std::string>& ids) {
  for (const KnownColumn& known : kKnown) {
    const bool has_all = std::ranges::all_of(ids, [&known](const std::string& id) {
      return std::ranges::any_of(known.values.values,
                                 [&id](const EnumValue& value) { return value.id == id; });
    });
    if (has_all) return known.name;
  }
  return {};
}

std::string CellOfValue(std::string_view name, const std::string& id) {
  const Enumeration* values = KnownValuesOf(name);
  if (values == nullptr) return id;
  for (const EnumValue& value : values->values) {
    if (value.id == id) return std::string(value.cell);
  }
  return id;
}

const ColumnSpec* FindRowColumn(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const analysis::TableSpec* table = FindTableByRow(name.substr(0, dot));
  if (table == nullptr) return nullptr;
  for (const ColumnSpec& column : table->columns) {
    if (column.id == name.substr(dot + 1)) return &column;
  }
  return nullptr;
}

bool IsCodeColumn(std::string_view name) {
  return std::find(std::begin(kCodeColumns), std::end(kCodeColumns), name) !=
         std::end(kCodeColumns);
}

bool IsHostWork(std::string_view name) { return IsOfHost(name) && IsWork(FindRowColumn(name)); }

bool IsDeviceWork(std::string_view name) { return !IsOfHost(name) && IsWork(FindRowColumn(name)); }

}  // namespace profgauge::rules
