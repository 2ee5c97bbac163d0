#include "analysis/device/tensor_cores.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <string>
#include <tuple>

#include "analysis/classify/device_spans.h"
#include "analysis/classify/eligibility.h"
#include "analysis/classify/op_arguments.h"
#include "base/format.h"

namespace profgauge {
namespace {

// Above this share of undecided time, efficiency as a lower bound says little.
constexpr double kMuchUndecided = 0.2;

// GPU time of kernels.
struct TensorCoreTimes {
  Ns kernels = 0, tensor_core = 0, undecided = 0;
  Ns eligible = 0, eligible_tensor_core = 0, eligible_undecided = 0;
};

double Share(Ns part, Ns whole) { return static_cast<double>(part) / static_cast<double>(whole); }

TensorCoreTimes SumTimes(const RankContext& rank, std::span<const Tri> eligible) {
  const DeviceTable& device = rank.profile->device;
  TensorCoreTimes times;
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] != DeviceKind::kKernel) continue;
    if (!rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    const Ns time = device.duration[i];
    const Tri uses = rank.classes[i].tensor_core;
    times.kernels += time;
    if (uses == Tri::kYes) times.tensor_core += time;
    if (uses == Tri::kUnknown) times.undecided += time;
    if (eligible[i] != Tri::kYes) continue;
    times.eligible += time;
    if (uses == Tri::kYes) times.eligible_tensor_core += time;
    if (uses == Tri::kUnknown) times.eligible_undecided += time;
  }
  return times;
}

bool AnyTensorCores(std::span<const RankContext> ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const RankContext& rank) {
    const auto& gpus = rank.profile->device.gpu;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (i > 0 && gpus[i] == gpus[i - 1]) continue;
      if (MayHaveTensorCores(*rank.profile, rank.devices, gpus[i])) return true;
    }
    return gpus.empty();
  });
}

struct Bounded {
  Ns sure = 0, undecided = 0, whole = 0;
};

// The share with a note on what undecided kernels leave open. `count_undecided`: they count.
void SetBounded(std::string_view id, const Bounded& times, bool count_undecided, Output& out,
                bool uncertain = false) {
  const double lower = Share(times.sure, times.whole);
  const double upper = Share(times.sure + times.undecided, times.whole);
  out.Set(id, count_undecided ? upper : lower);
  if (times.undecided == 0) return;
  out.SetNote(id,
              count_undecided
                  ? "down to " + FormatShare(lower) + " if no undecided kernel uses Tensor Cores"
                  : "up to " + FormatShare(upper) + " if all undecided kernels use Tensor Cores",
              uncertain);
}

void SetEfficiency(const TensorCoreTimes& times, std::span<const RankContext> ranks, Output& out) {
  constexpr std::string_view kId = "tensor_core.efficiency";
  if (!AnyTensorCores(ranks))
    return out.SetAbsent(kId, "no GPU of this recording has Tensor Cores");
  if (times.eligible == 0) {
    return out.SetAbsent(kId, "no operator that could use Tensor Cores launched a kernel");
  }
  SetBounded(kId, {times.eligible_tensor_core, times.eligible_undecided, times.eligible},
             ranks.front().knowledge.undecided_use_tensor_cores, out,
             Share(times.eligible_undecided, times.eligible) > kMuchUndecided);
}

void SetMetrics(const TensorCoreTimes& times, std::span<const RankContext> ranks, Output& out) {
  if (times.kernels == 0) {
    const bool any = std::any_of(ranks.begin(), ranks.end(),
                                 [](const RankContext& rank) { return rank.has_device(); });
    const std::string reason = any ? "no kernel takes time" : out.Gap(Capability::kDeviceEvents);
    for (const char* id : {"tensor_core.efficiency", "tensor_core.share",
                           "tensor_core.unknown_share", "tensor_core.eligible_share"}) {
      out.SetAbsent(id, reason);
    }
    return;
  }
  SetEfficiency(times, ranks, out);
  SetBounded("tensor_core.share", {times.tensor_core, times.undecided, times.kernels},
             ranks.front().knowledge.undecided_use_tensor_cores, out);
  out.Set("tensor_core.unknown_share", Share(times.undecided, times.kernels));
  out.Set("tensor_core.eligible_share", Share(times.eligible, times.kernels));
}

// A row of a rank's device table.
struct DeviceWork {
  std::uint32_t rank = 0, row = 0;
};

// One row of tensor_core_ops. Texts are the profile's own.
struct OpRow {
  const RankContext* rank = nullptr;
  StringId name, shapes, dtypes;
  std::int32_t gpu = -1;
  std::int64_t calls = 0;
  Ns time = 0, tensor_core_time = 0;
  Tri uses = Tri::kNo;
  std::vector<DeviceWork> work;  // What it counts.
};

// Eligible operators of one rank by name, shapes and types, as the device rows name them.
void CollectOps(const RankContext& rank, std::uint32_t position, std::span<const Tri> eligible,
                std::vector<OpRow>& rows) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  const HostTable& host = profile.host;
  boost::unordered_flat_map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> row_of(host.size(), 0xffff'ffff);
  for (std::size_t i = 0; i < device.size(); ++i) {
    const HostId op = device.op[i];
    if (eligible[i] != Tri::kYes || !op.valid()) continue;
    if (!rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    std::uint32_t& at = row_of[op.value];
    if (at == 0xffff'ffff) {  // First kernel of this call.
      const StringId ids[] = {host.name[op.value], host.input_shapes[op.value],
                              host.input_dtypes[op.value]};
      std::string key;
      for (const StringId id : ids) key.append(reinterpret_cast<const char*>(&id.value), 4);
      const auto [found, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(rows.size()));
      if (is_new)
        rows.push_back({&rank, ids[0], ids[1], ids[2], device.gpu[i], 0, 0, 0, Tri::kNo, {}});
      at = found->second;
      ++rows[at].calls;
    }
    OpRow& row = rows[at];
    const Tri uses = rank.classes[i].tensor_core;
    row.time += device.duration[i];
    row.work.push_back({position, static_cast<std::uint32_t>(i)});
    if (uses == Tri::kYes) row.tensor_core_time += device.duration[i];
    if (uses == Tri::kYes || row.uses == Tri::kNo) row.uses = uses;
  }
}

Gpu GpuOf(const RankContext& rank, std::int32_t id) {
  if (const Gpu* gpu = FindGpu(rank.devices, id)) return *gpu;
  return rank.devices.empty() ? Gpu{} : rank.devices.front();
}

void AppendRow(const OpRow& row, Table& table, StringPool& pool) {
  const std::string_view name = row.rank->profile->Name(row.name);
  const std::string_view shapes = row.rank->profile->Name(row.shapes);
  const std::string_view dtype =
      FirstTensorDtypeOf(name, shapes, row.rank->profile->Name(row.dtypes));
  const EligibilityVerdict verdict =
      JudgeEligibility(name, shapes, dtype, row.uses, GpuOf(*row.rank, row.gpu));
  const auto text = [&](const char* column, std::string_view value) {
    if (value.empty())
      table.Find(column)->AddAbsent();
    else
      table.Find(column)->AddText(pool.Intern(value));
  };
  text("name", name);
  text("input_shapes", shapes);
  text("dtype", dtype);
  text("verdict", EligibilityName(verdict));
  table.Find("calls")->AddInteger(row.calls);
  table.Find("time")->AddInteger(row.time);
  table.Find("tensor_core_time")->AddInteger(row.tensor_core_time);
  if (const auto misaligned = FindMisaligned(name, shapes, dtype)) {
    text("dimension", misaligned->dimension);
    table.Find("size")->AddInteger(misaligned->size);
    table.Find("aligned_size")->AddInteger(misaligned->aligned);
    table.Find("padding_overhead")->AddReal(misaligned->overhead());
  } else {
    for (const char* column : {"dimension", "size", "aligned_size", "padding_overhead"}) {
      table.Find(column)->AddAbsent();
    }
  }
}

// Adds up the rows that several ranks share, and brings the longest to the front.
std::vector<OpRow> PoolRows(std::vector<OpRow> rows) {
  const auto key = [](const OpRow& row) {
    return std::tuple(row.rank->profile->Name(row.name), row.rank->profile->Name(row.shapes),
                      row.rank->profile->Name(row.dtypes));
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const OpRow& a, const OpRow& b) { return key(a) < key(b); });
  std::vector<OpRow> pooled;
  for (const OpRow& row : rows) {
    if (pooled.empty() || key(pooled.back()) != key(row)) {
      pooled.push_back(row);
      continue;
    }
    OpRow& last = pooled.back();
    last.calls += row.calls;
    last.time += row.time;
    last.tensor_core_time += row.tensor_core_time;
    last.work.insert(last.work.end(), row.work.begin(), row.work.end());
    if (row.uses == Tri::kYes || last.uses == Tri::kNo) last.uses = row.uses;
  }
  std::stable_sort(pooled.begin(), pooled.end(),
                   [](const OpRow& a, const OpRow& b) { return a.time > b.time; });
  return pooled;
}

}  // namespace

std::vector<Tri> EligibleKernels(const Profile& profile, std::span<const KernelClass> classes) {
  const DeviceTable& device = profile.device;
  std::vector<Tri> eligible(device.size(), Tri::kNo);
  std::vector<std::int8_t> known(profile.strings.size(), -1);
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] != DeviceKind::kKernel || classes[i].collective) continue;
    if (classes[i].tensor_core == Tri::kYes) {
      eligible[i] = Tri::kYes;
      continue;
    }
    const HostId op = device.op[i];
    if (!op.valid() || !profile.host.name[op.value].valid()) {
      eligible[i] = IsMatrixRule(classes[i]) ? Tri::kYes : Tri::kUnknown;
      continue;
    }
    const StringId name = profile.host.name[op.value];
    std::int8_t& answer = known[name.value];
    if (answer < 0) answer = IsEligibleOp(profile.Name(name)) ? 1 : 0;
    eligible[i] = answer == 1 ? Tri::kYes : Tri::kNo;
  }
  return eligible;
}

void AddTensorCores(std::span<const RankContext> ranks, Output& out) {
  TensorCoreTimes times;
  std::vector<OpRow> rows;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    const RankContext& rank = ranks[i];
    const std::vector<Tri> eligible = EligibleKernels(*rank.profile, rank.classes);
    const TensorCoreTimes of_rank = SumTimes(rank, eligible);
    times.kernels += of_rank.kernels;
    times.tensor_core += of_rank.tensor_core;
    times.undecided += of_rank.undecided;
    times.eligible += of_rank.eligible;
    times.eligible_tensor_core += of_rank.eligible_tensor_core;
    times.eligible_undecided += of_rank.eligible_undecided;
    CollectOps(rank, i, eligible, rows);
  }
  SetMetrics(times, ranks, out);
  if (rows.empty()) {
    out.SetTableAbsent(
        "tensor_core_ops",
        "no operator that could use Tensor Cores is known to have launched a kernel");
    return;
  }
  Table& table = out.AddTable("tensor_core_ops");
  const std::vector<OpRow> pooled = PoolRows(std::move(rows));
  for (const OpRow& row : pooled) AppendRow(row, table, out.strings());
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    out.RowsOfDevice("tensor_core_ops", i).assign(ranks[i].profile->device.size(), Output::kNoRow);
  }
  for (std::uint32_t row = 0; row < pooled.size(); ++row) {
    for (const DeviceWork& work : pooled[row].work) {
      out.RowsOfDevice("tensor_core_ops", work.rank)[work.row] = row;
    }
  }
}

}  // namespace profgauge
