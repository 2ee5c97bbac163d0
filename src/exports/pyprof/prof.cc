#include "exports/pyprof/prof.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/work/op_call.h"
#include "analysis/work/op_work.h"

namespace profgauge::exports::pyprof {
namespace {

// A type's short name ("fp16"), as PyProf's tables have it; others, such as bfloat16, as recorded.
std::string_view TypeName(std::string_view dtype) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"float16", "fp16"}, {"half", "fp16"},    {"short", "int16"},
      {"float32", "fp32"}, {"float", "fp32"},   {"int", "int32"},
      {"long", "int64"},   {"float64", "fp64"}, {"double", "fp64"},
  };
  for (const auto& [name, shown] : kNames) {
    if (name == dtype) return shown;
  }
  return dtype;
}

// "[35,20]fp32;[]fp32"
std::string TensorTexts(const analysis::work::OpCall& call) {
  std::string text;
  for (const analysis::work::OpArgument* tensor : call.Tensors()) {
    text += fmt::format("{}[{}]{}", text.empty() ? "" : ";", fmt::join(tensor->shape, ","),
                        TypeName(tensor->dtype));
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
  result.flops = fmt::format("{:.0f}", work->flops);
  result.bytes = work->bytes < 0 ? "na" : fmt::format("{:.0f}", work->bytes);
  return result;
}

}  // namespace

Prof::Prof(const Profile& profile)
    : profile_(profile),
      classes_(analysis::classify::ClassifyDevice(profile)),
      works_(analysis::work::CountWork(profile, analysis::work::BuildOpTree(profile, classes_))),
      division_(profile, classes_, works_) {}

// Without a marker, the recorded shapes of the operators around the launch: the outermost that is
// understood, as everywhere.
ProfResult Prof::operator()(const KernelRecord& record) const {
  auto call =
      record.markers.empty() ? std::nullopt : analysis::work::ParseCall(record.markers.front());
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
  result.flops = fmt::format("{:.0f}", std::round(part.flops));
  result.bytes = part.bytes < 0 ? "na" : fmt::format("{:.0f}", std::round(part.bytes));
}

}  // namespace profgauge::exports::pyprof
