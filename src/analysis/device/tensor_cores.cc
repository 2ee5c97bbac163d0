#include "analysis/device/tensor_cores.h"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/work_columns.h"
#include "analysis/classify/arguments.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/eligibility.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/tensor_cores.h"

namespace profgauge::analysis::device {
namespace {

// All of PyTorch's own operators are known: those not listed as matmuls are none.
bool IsKnownOp(std::string_view name) {
  const std::string_view op = classify::WithoutPythonModule(name);
  return op.size() != name.size() || op.starts_with("aten::") || op.starts_with("prim::") ||
         op.starts_with("c10d::");
}

}  // namespace

std::vector<classify::Tri> EligibleKernels(const Profile& profile,
                                           const classify::KernelClasses& classes) {
  const DeviceTable& device = profile.device;
  std::vector<classify::Tri> eligible(device.size(), classify::Tri::kNo);
  std::vector<std::int8_t> known(profile.strings.size(), -1);
  classify::DoubleWork doubles(profile);
  classify::VectorProducts vectors(profile);
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] != DeviceKind::kKernel || classes[i].collective) continue;
    if (classes[i].tensor_core == classify::Tri::kYes) {
      eligible[i] = classify::Tri::kYes;
      continue;
    }
    if (profile.IsWholeGraph(i) && classes[i].rule == 0) {
      eligible[i] = classify::Tri::kUnknown;
      continue;
    }
    if (doubles.HasNoCores(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    if (vectors.Has(device.op[i])) continue;
    // CANN splits a product into kernels named by type: casts, conversions of the layout, memsets.
    if (classify::RuleName(classes[i].rule) == "ascend_vector") continue;
    const bool multiplies = classify::IsEligibleKernel(classes[i], profile.Name(device.name[i]));
    const HostId op = device.op[i];
    if (!op.valid() || !profile.host.name[op.value].valid()) {
      eligible[i] = multiplies ? classify::Tri::kYes : classify::Tri::kUnknown;
      continue;
    }
    const StringId name = profile.host.name[op.value];
    std::int8_t& answer = known[name.value];
    if (answer < 0) {
      const std::string_view text = profile.Name(name);
      answer = static_cast<std::int8_t>(classify::IsEligibleOp(text) ? classify::Tri::kYes
                                        : IsKnownOp(text)            ? classify::Tri::kNo
                                                                     : classify::Tri::kUnknown);
    }
    const classify::Tri by_op = static_cast<classify::Tri>(answer);
    // A compiled function with any name exists for its matmuls.
    eligible[i] = multiplies                                                 ? classify::Tri::kYes
                  : by_op == classify::Tri::kUnknown && classes[i].rule != 0 ? classify::Tri::kNo
                                                                             : by_op;
  }
  return eligible;
}

namespace {

double Share(Ns part, Ns whole) { return static_cast<double>(part) / static_cast<double>(whole); }

// Splits the kernel time of the selected iterations by two questions: does the kernel use Tensor
// Cores, and could its operator?
//
//                  uses                   undecided             all of them
//   eligible       eligible_tensor_core   eligible_undecided    eligible
//   all kernels    tensor_core            undecided             kernels
//
// Kernels recognized neither by a rule nor by an operator are also `unknown`; graphs recorded as
// one event are only `unknown`.
TensorCoreTimes SumTimes(const iterations::RankContext& rank,
                         std::span<const classify::Tri> eligible) {
  const DeviceTable& device = rank.profile->device;
  TensorCoreTimes times;
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] != DeviceKind::kKernel) continue;
    if (!rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    const Ns time = device.duration[i];
    const classify::Tri uses = rank.classes[i].tensor_core;
    times.kernels += time;
    if (uses == classify::Tri::kUnknown && rank.profile->IsWholeGraph(i)) {
      times.unknown += time;
      times.whole_graphs += time;
      continue;
    }
    if (uses == classify::Tri::kYes) times.tensor_core += time;
    if (uses == classify::Tri::kUnknown) times.undecided += time;
    if (eligible[i] == classify::Tri::kUnknown && rank.classes[i].rule == 0) times.unknown += time;
    if (eligible[i] != classify::Tri::kYes) continue;
    times.eligible += time;
    if (uses == classify::Tri::kYes) times.eligible_tensor_core += time;
    if (uses == classify::Tri::kUnknown) times.eligible_undecided += time;
  }
  return times;
}

// Rows are sorted by GPU, so each GPU is checked once. True without any work, since it is unknown.
bool HasTensorCores(const iterations::RankContext& rank) {
  const auto& gpus = rank.profile->device.gpu;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (i > 0 && gpus[i] == gpus[i - 1]) continue;
    if (classify::MayHaveTensorCores(*rank.profile, rank.devices, gpus[i])) return true;
  }
  return gpus.empty();
}

bool Any(std::span<const TensorCoreFacts> facts, bool TensorCoreFacts::*has) {
  return std::any_of(facts.begin(), facts.end(),
                     [has](const TensorCoreFacts& rank) { return rank.*has; });
}

struct Bounded {
  Ns sure = 0, undecided = 0, whole = 0;
};

// Sets the share, which may be larger because of undecided kernels. With `is_range`, a limit
// between both values is undecided. `count_undecided`: by policy they use Tensor Cores.
void SetBounded(MetricId id, const Bounded& times, bool count_undecided, bool is_range,
                catalog::Output& out) {
  const double lower = Share(times.sure, times.whole);
  const double upper = Share(times.sure + times.undecided, times.whole);
  out.Set(id, count_undecided ? upper : lower);
  if (times.undecided == 0) return;
  if (count_undecided) {
    out.SetNote(id, "down to " + FormatShare(lower) +
                        out.Told(" if no undecided kernel uses {{ device.matrix_units }}"));
    return;
  }
  const std::string words =
      fmt::format("{} of kernels have unknown names, up to {}",
                  FormatDuration(static_cast<double>(times.undecided)), FormatShare(upper)) +
      out.Told(" if all of them use {{ device.matrix_units }}");
  if (is_range) return out.MayBe(id, upper, words);
  out.SetNote(id, words);
}

// Sets the effect of unknown graphs on a share: all of them may count, or none.
void SetWithGraphs(MetricId id, Ns part, Ns whole, const TensorCoreTimes& times,
                   catalog::Output& out) {
  if (times.whole_graphs == 0 || whole == 0) return;
  const double other = Share(part, whole);
  const bool is_more = other > AsNumber(out.ValueOf(id), 0);
  out.MayBe(id, other,
            fmt::format("{} to {}, as {}", is_more ? "up" : "down", FormatShare(other),
                        catalog::kWholeGraphs));
}

// A low eligible share cannot be claimed if too many kernels and their operators are unknown.
bool IsUnknown(const TensorCoreTimes& times) {
  return Share(times.eligible, times.kernels) < knowledge::kTensorCoresHardlyEligibleShare &&
         Share(times.unknown, times.kernels) > knowledge::kTensorCoresUnknownShare;
}

std::string WhyUnknown(const TensorCoreTimes& times) {
  const double graphs = Share(times.whole_graphs, times.kernels);
  if (graphs > knowledge::kTensorCoresUnknownShare) {
    return fmt::format("{} of the kernel time is in graphs, and {}", FormatShare(graphs),
                       catalog::kWholeGraphs);
  }
  return "neither the kernels nor the operators of " +
         FormatShare(Share(times.unknown, times.kernels)) + " of the kernel time are known by name";
}

// The share of cycles in which hardware counters saw active Tensor Cores; none if they were not
// sampled.
std::optional<double> MeasuredActive(std::span<const iterations::RankContext> ranks) {
  if (ranks.size() != 1) return std::nullopt;  // One device's counters do not show the others.
  for (const ReportedMetric& metric : ranks.front().profile->reported.metrics) {
    if (metric.id == metric::kGpuMeasuredTensorActive && !IsAbsent(metric.value))
      return AsNumber(metric.value, 0);
  }
  return std::nullopt;
}

// Whether undecided kernels use Tensor Cores, according to the counters:
//
//   active          kernels known to use them      the others
//   10 % or more    for less of the time           use them
//   1 % or less     any                            do not
//   else            any                            unknown
classify::Tri MeasuredUse(const TensorCoreTimes& times, std::optional<double> active) {
  if (!active || times.undecided == 0) return classify::Tri::kUnknown;
  if (*active <= knowledge::kTensorCoresMeasuredNone) return classify::Tri::kNo;
  const bool is_explained = *active <= Share(times.tensor_core, times.kernels);
  const bool uses = *active >= knowledge::kTensorCoresMeasuredUse && !is_explained;
  return uses ? classify::Tri::kYes : classify::Tri::kUnknown;
}

// The times with undecided kernels counted as measured.
TensorCoreTimes AsMeasured(TensorCoreTimes times, classify::Tri use) {
  if (use == classify::Tri::kUnknown) return times;
  if (use == classify::Tri::kYes) {
    times.tensor_core += times.undecided;
    times.eligible_tensor_core += times.eligible_undecided;
  }
  times.undecided = 0;
  times.eligible_undecided = 0;
  return times;
}

void SetEfficiency(const TensorCoreTimes& times, std::span<const TensorCoreFacts> facts,
                   bool count_undecided, catalog::Output& out) {
  constexpr MetricId kId = metric::kTensorCoreEfficiency;
  if (!Any(facts, &TensorCoreFacts::any_tensor_cores))
    return out.SetAbsent(kId,
                         out.Told("no recorded {{ device.device }} has {{ device.matrix_units }}"));
  if (IsUnknown(times)) return out.SetAbsent(kId, WhyUnknown(times));
  if (times.eligible == 0) {
    if (times.whole_graphs > 0) return out.SetAbsent(kId, std::string(catalog::kWholeGraphs));
    return out.SetAbsent(
        kId, out.Told("no operator that could use {{ device.matrix_units }} launched a kernel"));
  }
  SetBounded(kId, {times.eligible_tensor_core, times.eligible_undecided, times.eligible},
             count_undecided, true, out);
  const Ns used = times.eligible_tensor_core + (count_undecided ? times.eligible_undecided : 0);
  const Ns all = times.eligible + times.whole_graphs;
  if (used > 0) SetWithGraphs(kId, used, all, times, out);
  // Matmuls in graphs could also increase it.
  if (used < times.eligible &&
      Share(times.whole_graphs, all) > knowledge::kTensorCoresUndecidedShare) {
    const Ns most = times.eligible_tensor_core + times.eligible_undecided + times.whole_graphs;
    out.MarkUncertain(kId,
                      fmt::format("up to {} by matmuls in graphs that were recorded as a whole",
                                  FormatShare(Share(most, all))));
  }
}

// Whether names of kernels cannot show the use of matrix units on this device. They can on NVIDIA,
// AMD, Ascend and TPUs, and if any kernel certainly uses these units.
bool IsOfUnknownMaker(const TensorCoreTimes& times, const catalog::Output& out) {
  using enum Accelerator;
  const bool is_unknown =
      out.accelerator() == kUnknown || out.accelerator() == kIntel || out.accelerator() == kMtia;
  return is_unknown && times.tensor_core == 0 && times.undecided > 0;
}

void SetMetrics(const TensorCoreTimes& times, std::span<const TensorCoreFacts> facts,
                bool count_undecided, catalog::Output& out) {
  if (times.kernels == 0) {
    const bool any = Any(facts, &TensorCoreFacts::has_device);
    const std::string reason = any ? "no kernel takes time" : out.Gap(Capability::kDeviceEvents);
    for (const MetricId id : {metric::kTensorCoreEfficiency, metric::kTensorCoreShare,
                              metric::kTensorCoreUnknownShare, metric::kTensorCoreEligibleShare}) {
      out.SetAbsent(id, reason);
    }
    return;
  }
  if (!count_undecided && IsOfUnknownMaker(times, out)) {
    const std::string why = out.Told(
        "no name of a kernel shows whether it uses the {{ device.matrix_units }} of this "
        "{{ device.device }}");
    out.SetAbsent(metric::kTensorCoreEfficiency, why);
    out.SetAbsent(metric::kTensorCoreShare, why);
  } else {
    SetEfficiency(times, facts, count_undecided, out);
    SetBounded(metric::kTensorCoreShare, {times.tensor_core, times.undecided, times.kernels},
               count_undecided, false, out);
    const Ns used = times.tensor_core + (count_undecided ? times.undecided : 0);
    SetWithGraphs(metric::kTensorCoreShare, used + times.whole_graphs, times.kernels, times, out);
  }
  out.Set(metric::kTensorCoreUnknownShare,
          Share(times.undecided + times.whole_graphs, times.kernels));
  constexpr MetricId kEligible = metric::kTensorCoreEligibleShare;
  if (IsUnknown(times)) return out.SetAbsent(kEligible, WhyUnknown(times));
  out.Set(kEligible, Share(times.eligible, times.kernels));
  SetWithGraphs(kEligible, times.eligible + times.whole_graphs, times.kernels, times, out);
}

// Notes that the counters decide the shares, or see more use than names explain.
void NoteMeasured(const TensorCoreTimes& times, classify::Tri use, double active,
                  catalog::Output& out) {
  const std::string measured =
      FormatShare(active) +
      out.Told(
          " of the {{ device.device }}'s active cycles issue to {{ device.matrix_units }} "
          "(measured)");
  if (use != classify::Tri::kUnknown) {
    for (const MetricId id : {metric::kTensorCoreEfficiency, metric::kTensorCoreShare}) {
      if (out.IsSet(id)) out.SetNote(id, measured);
    }
    return;
  }
  if (times.kernels == 0 || times.unknown == 0) return;
  const bool is_explained = active <= Share(times.tensor_core, times.kernels);
  if (active < knowledge::kTensorCoresMeasuredUse || is_explained) return;
  out.MayBe(metric::kTensorCoreShare, Share(times.tensor_core + times.unknown, times.kernels),
            measured);
}

// One row of tensor_core_ops.
struct OpRow {
  const EligibleOp* op = nullptr;  // From the first rank with it.
  std::size_t rank = 0;            // That rank's position.
  std::int64_t calls = 0;
  Ns time = 0, tensor_core_time = 0;
  classify::Tri uses = classify::Tri::kNo;
  std::int64_t read_at_once = 0;
  std::vector<std::pair<std::size_t, const EligibleOp*>> parts;  // The counted parts, by rank.
};

// The smaller of two numbers, of which 0 is unknown.
std::int64_t Least(std::int64_t a, std::int64_t b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

// Collects the eligible operators of one rank by name, shapes and types. A call is one host row, so
// it counts once even if it has several kernels.
std::vector<EligibleOp> CollectOps(const iterations::RankContext& rank,
                                   std::span<const classify::Tri> eligible) {
  std::vector<EligibleOp> rows;
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  const HostTable& host = profile.host;
  boost::unordered_flat_map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> row_of(host.size(), kNoIndex);
  std::vector<std::int64_t> at_once(profile.strings.size(), -1);  // By name; filled on demand.
  for (std::size_t i = 0; i < device.size(); ++i) {
    const HostId op = device.op[i];
    if (eligible[i] != classify::Tri::kYes || !op.valid()) continue;
    if (!rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    std::uint32_t& at = row_of[op.value];
    if (at == kNoIndex) {  // First kernel of this call.
      const StringId ids[] = {host.name[op.value], host.input_shapes[op.value],
                              host.input_dtypes[op.value]};
      std::string key;
      for (const StringId id : ids) key.append(reinterpret_cast<const char*>(&id.value), 4);
      const auto [found, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(rows.size()));
      if (is_new) {
        EligibleOp& op_row = rows.emplace_back();
        op_row.name = profile.Name(ids[0]);
        op_row.shapes = profile.Name(ids[1]);
        op_row.dtypes = profile.Name(ids[2]);
        op_row.gpu = device.gpu[i];
      }
      at = found->second;
      ++rows[at].calls;
    }
    EligibleOp& row = rows[at];
    const classify::Tri uses = rank.classes[i].tensor_core;
    row.time += device.duration[i];
    row.work.push_back(static_cast<std::uint32_t>(i));
    if (uses == classify::Tri::kYes) row.tensor_core_time += device.duration[i];
    if (uses == classify::Tri::kYes || row.uses == classify::Tri::kNo) row.uses = uses;
    const StringId kernel = device.name[i];
    if (!kernel.valid()) continue;
    if (at_once[kernel.value] < 0)
      at_once[kernel.value] = classify::AlignmentInName(profile.Name(kernel));
    row.read_at_once = Least(row.read_at_once, at_once[kernel.value]);
  }
  return rows;
}

Gpu GpuOf(const iterations::RankContext& rank, std::int32_t id) {
  if (const Gpu* gpu = classify::FindGpu(rank.devices, id)) return *gpu;
  return rank.devices.empty() ? Gpu{} : rank.devices.front();
}

void AppendRow(const OpRow& row, const iterations::RankContext& rank, bool is_nvidia,
               catalog::RowWriter<catalog::columns::kTensorCoreOps>& write) {
  const std::string_view name = row.op->name;
  const std::string_view shapes = row.op->shapes;
  const std::string_view dtype = classify::FirstTensorDtypeOf(name, shapes, row.op->dtypes);
  const classify::EligibilityVerdict verdict = classify::JudgeEligibility(
      name, shapes, dtype, row.uses, GpuOf(rank, row.op->gpu), is_nvidia);
  write.Text("name"_col, name)
      .Text("input_shapes"_col, shapes)
      .Text("dtype"_col, dtype)
      .Text("verdict"_col, classify::EligibilityName(verdict))
      .Integer("calls"_col, row.calls)
      .Integer("time"_col, row.time)
      .Integer("tensor_core_time"_col, row.tensor_core_time);
  if (const auto misaligned = classify::FindMisaligned(name, shapes, dtype, row.read_at_once)) {
    write.Text("dimension"_col, misaligned->dimension)
        .Integer("size"_col, misaligned->size)
        .Integer("aligned_size"_col, misaligned->aligned)
        .Real("padding_overhead"_col, misaligned->overhead());
  } else {
    write.Absent("dimension"_col, "size"_col, "aligned_size"_col, "padding_overhead"_col);
  }
}

// Merges the rows that several ranks share, and sorts by time, longest first.
std::vector<OpRow> PoolRows(std::span<const TensorCoreFacts> facts) {
  const auto key = [](const EligibleOp& op) { return std::tie(op.name, op.shapes, op.dtypes); };
  std::vector<std::pair<std::size_t, const EligibleOp*>> ops;
  for (std::size_t rank = 0; rank < facts.size(); ++rank) {
    for (const EligibleOp& op : facts[rank].ops) ops.emplace_back(rank, &op);
  }
  std::stable_sort(ops.begin(), ops.end(),
                   [&](const auto& a, const auto& b) { return key(*a.second) < key(*b.second); });
  std::vector<OpRow> pooled;
  for (const auto& [rank, op] : ops) {
    if (pooled.empty() || key(*pooled.back().op) != key(*op)) {
      OpRow& row = pooled.emplace_back();
      row.op = op;
      row.rank = rank;
      row.uses = op->uses;
    }
    OpRow& row = pooled.back();
    row.calls += op->calls;
    row.time += op->time;
    row.tensor_core_time += op->tensor_core_time;
    row.read_at_once = Least(row.read_at_once, op->read_at_once);
    row.parts.emplace_back(rank, op);
    if (op->uses == classify::Tri::kYes || row.uses == classify::Tri::kNo) row.uses = op->uses;
  }
  std::stable_sort(pooled.begin(), pooled.end(),
                   [](const OpRow& a, const OpRow& b) { return a.time > b.time; });
  return pooled;
}

// Records which row counts each kernel.
void LinkRows(const std::vector<OpRow>& rows, std::span<const TensorCoreFacts> facts,
              catalog::Output& out) {
  for (std::size_t rank = 0; rank < facts.size(); ++rank) {
    out.RowsOfDevice("tensor_core_ops", rank)
        .assign(facts[rank].device_rows, catalog::Output::kNoRow);
  }
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    for (const auto& [rank, op] : rows[row].parts) {
      std::vector<std::uint32_t>& row_of = out.RowsOfDevice("tensor_core_ops", rank);
      for (const std::uint32_t work : op->work) row_of[work] = row;
    }
  }
}

}  // namespace

TensorCoreFacts TensorCoreFactsOf(const iterations::RankContext& rank) {
  const std::vector<classify::Tri> eligible = EligibleKernels(*rank.profile, rank.classes);
  TensorCoreFacts facts;
  facts.times = SumTimes(rank, eligible);
  facts.any_tensor_cores = HasTensorCores(rank);
  facts.has_device = rank.has_device();
  facts.ops = CollectOps(rank, eligible);
  facts.device_rows = rank.profile->device.size();
  return facts;
}

void AddTensorCores(std::span<const iterations::RankContext> ranks,
                    std::span<const TensorCoreFacts> facts, catalog::Output& out) {
  TensorCoreTimes times;
  for (const TensorCoreFacts& rank : facts) {
    times.kernels += rank.times.kernels;
    times.tensor_core += rank.times.tensor_core;
    times.undecided += rank.times.undecided;
    times.eligible += rank.times.eligible;
    times.eligible_tensor_core += rank.times.eligible_tensor_core;
    times.eligible_undecided += rank.times.eligible_undecided;
    times.unknown += rank.times.unknown;
    times.whole_graphs += rank.times.whole_graphs;
  }
  const std::optional<double> active = MeasuredActive(ranks);
  const classify::Tri use = MeasuredUse(times, active);
  SetMetrics(AsMeasured(times, use), facts, ranks.front().knowledge.undecided_use_tensor_cores,
             out);
  if (active) NoteMeasured(times, use, *active, out);
  const std::vector<OpRow> rows = PoolRows(facts);
  if (rows.empty()) {
    out.SetTableAbsent("tensor_core_ops",
                       out.Told("no operator that could use {{ device.matrix_units }} is known to "
                                "have launched a kernel"));
    return;
  }
  catalog::RowWriter<catalog::columns::kTensorCoreOps> write(out.AddTable("tensor_core_ops"));
  const bool is_nvidia = out.accelerator() == Accelerator::kNvidia;
  for (const OpRow& row : rows) AppendRow(row, ranks[row.rank], is_nvidia, write);
  LinkRows(rows, facts, out);
}

}  // namespace profgauge::analysis::device
