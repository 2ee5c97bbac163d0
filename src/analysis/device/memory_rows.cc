#include "analysis/device/memory_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <utility>
#include <vector>

namespace profgauge::analysis::device {

DeviceKey KeyOf(const MemoryTable& memory, std::size_t row) {
  const int type = memory.device_type[row];
  return {type, type == 0 ? -1 : memory.device[row]};
}

std::string DeviceName(const DeviceKey& key) {
  if (key.first == 0) return "CPU";
  // c10's types for CUDA, and for HIP as written by PyTorch for ROCm 6 and later.
  return key.first == 1 || key.first == 6
             ? fmt::format("GPU {}", key.second)
             : fmt::format("device {} of type {}", key.second, key.first);
}

std::uint32_t OpOf(const iterations::RankContext& rank, classify::NameMemo& is_range, HostId at) {
  const HostTable& host = rank.profile->host;
  while (at.valid()) {
    const std::uint32_t op = rank.tree.representative[at.value];
    if (op != flops::OpTree::kNone) return op;
    const bool transparent =
        host.kind[at.value] == HostKind::kAnnotation && !is_range(host.name[at.value]);
    if (!transparent) return flops::OpTree::kNone;
    at = host.parent[at.value];
  }
  return flops::OpTree::kNone;
}

namespace {

struct OpSums {
  std::int64_t increase = 0, self_increase = 0;
  std::int64_t allocations = 0, self_allocations = 0;
  std::int64_t allocated = 0, self_allocated = 0;
};

// Sums of one rank by device and operator name.
using NameSums = boost::unordered_flat_map<std::uint32_t, OpSums>;

// An event counts for its innermost operator (self) and for all operators around it. Framework
// ranges get no sums, but operators around them do.
std::map<DeviceKey, NameSums> SumByOp(const iterations::RankContext& rank) {
  const MemoryTable& memory = rank.profile->memory;
  const HostTable& host = rank.profile->host;
  classify::NameMemo is_range(*rank.profile, flops::IsFrameworkRange);
  std::map<DeviceKey, NameSums> result;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (!rank.iterations.SelectsHostTime(memory.time[i])) continue;
    const std::uint32_t op = OpOf(rank, is_range, memory.op[i]);
    if (op == flops::OpTree::kNone || is_range(host.name[op])) continue;
    NameSums& sums = result[KeyOf(memory, i)];
    const std::int64_t bytes = memory.bytes[i];
    OpSums& self = sums[host.name[op].value];
    self.self_increase += bytes;
    if (bytes > 0) {
      self.self_allocated += bytes;
      ++self.self_allocations;
    }
    for (std::uint32_t at = op; at != flops::OpTree::kNone; at = rank.tree.parent[at]) {
      if (is_range(host.name[at])) continue;
      OpSums& total = sums[host.name[at].value];
      total.increase += bytes;
      if (bytes <= 0) continue;
      total.allocated += bytes;
      ++total.allocations;
    }
  }
  return result;
}

// Counts all calls, including those that allocate nothing. So memory per call describes the
// operator, not only calls that missed the allocator's cache.
std::vector<std::int64_t> CallsByName(const iterations::RankContext& rank) {
  std::vector<std::int64_t> calls(rank.profile->strings.size(), 0);
  const HostTable& host = rank.profile->host;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const bool is_counted = rank.InTables(HostId{static_cast<std::uint32_t>(row)});
    if (is_counted && rank.tree.IsOp(row) && host.name[row].valid()) ++calls[host.name[row].value];
  }
  return calls;
}

}  // namespace

void AppendOps(const iterations::RankContext& rank, StringPool& pool,
               catalog::RowWriter<catalog::columns::kMemoryOps>& write) {
  const Profile& profile = *rank.profile;
  const std::vector<std::int64_t> calls = CallsByName(rank);
  for (const auto& [device, sums] : SumByOp(rank)) {
    std::vector<std::pair<std::uint32_t, OpSums>> rows(sums.begin(), sums.end());
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
      if (a.second.self_increase != b.second.self_increase) {
        return a.second.self_increase > b.second.self_increase;
      }
      return profile.Name(StringId{a.first}) < profile.Name(StringId{b.first});
    });
    for (const auto& [name, row] : rows) {
      write.Text("device"_col, DeviceName(device))
          .Integer("rank"_col, rank.rank)
          .Text("name"_col, pool.Intern(profile.Name(StringId{name})))
          .Integer("calls"_col, calls[name])
          .Integer("increase"_col, row.increase)
          .Integer("self_increase"_col, row.self_increase)
          .Integer("allocations"_col, row.allocations)
          .Integer("self_allocations"_col, row.self_allocations)
          .Integer("allocated"_col, row.allocated)
          .Integer("self_allocated"_col, row.self_allocated);
    }
  }
}

}  // namespace profgauge::analysis::device
