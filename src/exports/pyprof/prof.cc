#include "exports/pyprof/prof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "analysis/work/op_call.h"
#include "analysis/work/op_work.h"
#include "exports/pyprof/formulas.h"

namespace profgauge::exports::pyprof {
namespace {

// PyProf's order: if two formulas could apply, the earlier one does.
Row PyprofRow(const Kernel& kernel) {
  for (const auto formula :
       {LinearRow, CellRow, ConvolutionRow, PointwiseRow, ProductRow, OperatorRow}) {
    if (auto row = formula(kernel)) return std::move(*row);
  }
  return DefaultRow(kernel);
}

// A formula that fails leaves the defaults: PyProf would abort there, and a script that reads the
// rows expects one for each kernel.
ProfResult Published(Row row, const analysis::work::OpCall& call) {
  ProfResult result;
  if (row.failed) return result;
  result.module = call.module;
  result.op = row.op.empty() ? call.op : std::move(row.op);
  result.params = std::move(row.params);
  result.tensor_core = std::move(row.tensor_core);
  result.flops = PythonText(row.flops);
  result.bytes = PythonText(row.bytes);
  result.understood = true;
  return result;
}

// The tensors of a call as nv311 writes them, with types that it does not know as recorded.
std::string TensorTexts(const analysis::work::OpCall& call) {
  std::string text;
  for (const analysis::work::OpArgument* tensor : call.Tensors()) {
    const auto type = ElementTypeOf(tensor->dtype);
    text += fmt::format("{}{}{}", text.empty() ? "" : ";", BracketText(tensor->shape),
                        type ? type->name : std::string_view(tensor->dtype));
  }
  return text.empty() ? "-" : text;
}

// Our rule for markers, which are those of the forward call. A gradient's matmul costs as much as
// the forward one, so every kernel of a matmul that is one by its name has that work, forward and
// backward; other work is the first kernel's of a call.
ProfResult OurResult(const KernelRecord& record, const analysis::work::OpCall& call,
                     const analysis::classify::KernelClass& kernel) {
  ProfResult result;
  const auto work = analysis::work::WorkOf(call);
  result.params = TensorTexts(call);
  const bool eligible = (work && work->is_matrix) || analysis::classify::IsEligibleOp(call.op);
  const analysis::classify::Tri uses = kernel.tensor_core;
  result.tensor_core = uses == analysis::classify::Tri::kYes                  ? "1"
                       : uses == analysis::classify::Tri::kUnknown            ? "na"
                       : eligible && analysis::classify::IsMatrixRule(kernel) ? "0"
                                                                              : "-";
  if (!work) {
    result.flops = result.bytes = "na";
    return result;
  }
  result.understood = true;
  const bool counts =
      work->is_matrix ? analysis::classify::IsMatrixRule(kernel) : record.sub_seq == 0;
  if (!counts) return result;
  result.flops = PythonText({work->flops, false});
  result.bytes = work->bytes < 0 ? "na" : PythonText({work->bytes, false});
  return result;
}

}  // namespace

Prof::Prof(const Profile& profile, Dialect dialect)
    : profile_(profile),
      dialect_(dialect),
      classes_(analysis::classify::ClassifyDevice(profile)),
      works_(analysis::work::CountWork(profile, analysis::work::BuildOpTree(profile, classes_))),
      division_(profile, classes_, works_) {}

ProfResult Prof::operator()(const KernelRecord& record) const {
  const auto call =
      record.markers.empty() ? std::nullopt : analysis::work::ParseCall(record.markers.front());
  if (dialect_ == Dialect::kOurs) return Ours(record, call);
  if (!call) return {};
  Kernel kernel{record, *call, {0, 0, 0}, dialect_ == Dialect::kClassic};
  if (const LaunchConfigId config = profile_.device.config[record.row]; config.valid()) {
    const auto& grid = profile_.launch_configs[config.value].grid;
    std::copy(std::begin(grid), std::end(grid), std::begin(kernel.grid));
  }
  return Published(PyprofRow(kernel), *call);
}

// Without a marker, the recorded shapes of the operators around the launch: the outermost that is
// understood, as everywhere.
ProfResult Prof::Ours(const KernelRecord& record,
                      std::optional<analysis::work::OpCall> call) const {
  ProfResult result;
  const analysis::classify::KernelClass& kernel = classes_[record.row];
  for (HostId op = record.op; op.valid() && record.markers.empty();
       op = profile_.host.parent[op.value]) {
    if (profile_.host.kind[op.value] != HostKind::kOp) continue;
    auto around = analysis::work::CallOf(profile_, op.value);
    if (around && (analysis::work::WorkOf(*around) || !call)) call = std::move(around);
  }
  if (call) {
    result = OurResult(record, *call, kernel);
    if (record.markers.empty()) {
      DivideWork(record, result);
      return result;
    }
    result.module = call->module;
    result.op = call->op;
    return result;
  }
  result.flops = result.bytes = "na";
  if (kernel.tensor_core != analysis::classify::Tri::kUnknown) {
    result.tensor_core = kernel.tensor_core == analysis::classify::Tri::kYes ? "1"
                         : analysis::classify::IsMatrixRule(kernel)          ? "0"
                                                                             : "-";
  }
  return result;
}

void Prof::DivideWork(const KernelRecord& record, ProfResult& result) const {
  const analysis::context::KernelWork part = division_.Of(record.row);
  if (part.flops < 0) return;
  result.flops = PythonText({std::round(part.flops), false});
  result.bytes = part.bytes < 0 ? "na" : PythonText({std::round(part.bytes), false});
}

}  // namespace profgauge::exports::pyprof
