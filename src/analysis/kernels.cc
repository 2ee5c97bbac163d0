#include "analysis/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/collective.h"
#include "analysis/device_spans.h"
#include "analysis/dtypes.h"
#include "analysis/tensor_cores.h"
#include "analysis/texts.h"
#include "analysis/utilization.h"

namespace profgauge {
namespace {

constexpr Ns kShortKernel = 10'000;  // 10 us: TraceLens.

// A mean weighted by time; calls of length 0 count only when there is nothing longer.
struct WeightedMean {
  double weighted = 0, weight = 0, plain = 0;
  std::int64_t count = 0;
  void Add(double value, Ns time) {
    weighted += value * static_cast<double>(time);
    weight += static_cast<double>(time);
    plain += value;
    ++count;
  }
  void AppendTo(Column& column) const {
    if (count == 0) return column.AddAbsent();
    column.AddReal(weight > 0 ? weighted / weight : plain / static_cast<double>(count));
  }
};

// What all kernel tables say of a group of calls.
struct KernelSums {
  std::int64_t calls = 0;
  Ns time = 0, min = std::numeric_limits<Ns>::max(), max = 0, exposed = 0;
  std::int64_t bytes = -1;
  WeightedMean blocks_per_sm, occupancy;
  Tri tensor_core = Tri::kNo;
  std::uint16_t rule = 0;
  bool collective = false;
};

// A row of kernels_by_op. Ids are of the output's pool.
struct Key {
  StringId name, op;
  std::uint32_t config = 0;
  std::uint32_t rank = 0;
  std::int32_t gpu = -1;
  friend bool operator==(const Key&, const Key&) = default;
  friend std::size_t hash_value(const Key& key) {
    std::size_t seed = key.name.value;
    for (const std::uint32_t part : {key.op.value, key.config, key.rank,
                                     static_cast<std::uint32_t>(key.gpu)}) {
      seed = (seed ^ part) * 0x9e3779b97f4a7c15ull;
      seed ^= seed >> 29;
    }
    return seed;
  }
};

struct OpRow {
  Key key;
  KernelSums sums;
  StringId dtype;
  Tri eligible = Tri::kUnknown;
};

struct IterationRow {
  std::uint32_t rank = 0, iteration = 0;
  StringId name;
  KernelSums sums;
};

// Launch properties by which rows are told apart: not what follows from them and the chip.
struct Properties {
  std::int32_t grid[3], block[3], registers;
  std::int64_t shared_memory;
  friend bool operator==(const Properties&, const Properties&) = default;
};

Properties PropertiesOf(const LaunchConfig& config) {
  return {{config.grid[0], config.grid[1], config.grid[2]},
          {config.block[0], config.block[1], config.block[2]},
          config.registers,
          config.shared_memory};
}

constexpr Properties kNoProperties = {{0, 0, 0}, {0, 0, 0}, -1, -1};

class Collector {
 public:
  explicit Collector(StringPool& pool) : pool_(pool) { configs_.push_back(kNoProperties); }

  void AddRank(const RankContext& rank, std::uint32_t position);

  std::vector<KernelSums> by_name;  // Parallel to `names`.
  std::vector<StringId> names;
  std::vector<OpRow> by_op;
  std::vector<IterationRow> by_iteration;
  Ns kernel_time = 0, short_time = 0;
  std::int64_t kernels_in_iterations = 0;
  bool any_op = false, any_shape_types = false;

  const Properties& properties(std::uint32_t config) const { return configs_[config]; }

 private:
  void AddRow(const RankContext& rank, std::size_t row, KernelSums call, StringId name);
  void AddToIteration(const RankContext& rank, std::size_t row, const KernelSums& call, StringId name);
  std::vector<std::uint32_t> MapConfigs(const Profile& profile);
  StringId DtypeOf(const Profile& profile, HostId op);

  StringPool& pool_;
  std::vector<Properties> configs_;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> name_rows_;
  boost::unordered_flat_map<Key, std::uint32_t> op_rows_;
  // Of the rank being added.
  std::uint32_t position_ = 0;
  std::vector<std::uint32_t> config_of_;
  std::vector<Tri> eligible_;
  std::vector<StringId> dtype_of_;
  Texts* texts_ = nullptr;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> iteration_rows_;
};

void AddCall(KernelSums& sums, const KernelSums& call, double blocks, double occupancy) {
  sums.calls += 1;
  sums.time += call.time;
  sums.min = std::min(sums.min, call.time);
  sums.max = std::max(sums.max, call.time);
  sums.exposed += call.exposed;
  if (call.bytes >= 0) sums.bytes = std::max<std::int64_t>(sums.bytes, 0) + call.bytes;
  if (blocks >= 0) sums.blocks_per_sm.Add(blocks, call.time);
  if (occupancy >= 0) sums.occupancy.Add(occupancy, call.time);
  // One certain call makes the row certain; else one undecided makes it undecided.
  if (call.tensor_core == Tri::kYes || sums.tensor_core == Tri::kNo) sums.tensor_core = call.tensor_core;
  if (sums.rule == 0) sums.rule = call.rule;
  sums.collective = sums.collective || call.collective;
}

void Collector::AddRank(const RankContext& rank, std::uint32_t position) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  position_ = position;
  config_of_ = MapConfigs(profile);
  eligible_ = EligibleKernels(profile, rank.classes);
  dtype_of_.assign(profile.strings.size(), {});
  iteration_rows_.clear();
  Texts texts(profile, pool_);
  texts_ = &texts;
  const std::vector<DeviceSpans> spans = CollectDeviceSpans(profile, rank.classes);
  const std::vector<Ns> exposed = ExposedTimes(profile, rank.classes, spans);
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] != DeviceKind::kKernel) continue;
    const DeviceId row{static_cast<std::uint32_t>(i)};
    KernelSums call;
    call.time = device.duration[i];
    call.exposed = exposed[i];
    call.tensor_core = rank.classes[i].tensor_core;
    call.rule = rank.classes[i].rule;
    call.collective = rank.classes[i].collective;
    if (device.collective[i].valid()) {
      call.bytes = CollectiveBytes(profile, profile.collectives[device.collective[i].value]);
    }
    const StringId name = texts(device.name[i]);
    AddToIteration(rank, i, call, name);
    if (rank.InTables(row)) AddRow(rank, i, call, name);
  }
  texts_ = nullptr;
}

void Collector::AddRow(const RankContext& rank, std::size_t row, KernelSums call, StringId name) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  kernel_time += call.time;
  if (call.time < kShortKernel) short_time += call.time;

  double blocks = -1, occupancy = -1;
  if (device.config[row].valid()) {
    occupancy = profile.launch_configs[device.config[row].value].occupancy;
    blocks = BlocksPerSm(profile, DeviceId{static_cast<std::uint32_t>(row)}).value_or(-1);
  }
  const auto [by_name_at, new_name] =
      name_rows_.try_emplace(name.value, static_cast<std::uint32_t>(names.size()));
  if (new_name) {
    names.push_back(name);
    by_name.emplace_back();
  }
  AddCall(by_name[by_name_at->second], call, blocks, occupancy);

  const HostId op = device.op[row];
  Key key;
  key.name = name;
  if (op.valid()) key.op = (*texts_)(profile.host.name[op.value]);
  key.config = device.config[row].valid() ? config_of_[device.config[row].value] : 0;
  key.rank = position_;
  key.gpu = device.gpu[row];
  const auto [at, new_row] = op_rows_.try_emplace(key, static_cast<std::uint32_t>(by_op.size()));
  if (new_row) {
    OpRow& added = by_op.emplace_back();
    added.key = key;
    added.dtype = DtypeOf(profile, op);
    added.eligible = eligible_[row];
  }
  OpRow& found = by_op[at->second];
  AddCall(found.sums, call, blocks, occupancy);
  if (eligible_[row] == Tri::kYes) found.eligible = Tri::kYes;
  if (op.valid()) {
    any_op = true;
    any_shape_types = any_shape_types || profile.host.input_dtypes[op.value].valid();
    if (found.dtype.valid() && found.dtype != DtypeOf(profile, op)) found.dtype = pool_.Intern("mixed");
  }
}

void Collector::AddToIteration(const RankContext& rank, std::size_t row, const KernelSums& call,
                               StringId name) {
  const std::uint32_t iteration = rank.iterations.of_device[row];
  if (iteration == Iterations::kNone || !rank.iterations.SelectsIteration(iteration)) return;
  ++kernels_in_iterations;
  const std::uint64_t key = (static_cast<std::uint64_t>(iteration) << 32) | name.value;
  const auto [at, is_new] =
      iteration_rows_.try_emplace(key, static_cast<std::uint32_t>(by_iteration.size()));
  if (is_new) by_iteration.push_back({position_, iteration, name, {}});
  AddCall(by_iteration[at->second].sums, call, -1, -1);
}

std::vector<std::uint32_t> Collector::MapConfigs(const Profile& profile) {
  std::vector<std::uint32_t> result;
  result.reserve(profile.launch_configs.size());
  boost::unordered_flat_map<std::string, std::uint32_t> known;
  const auto key_of = [](const Properties& p) {
    return fmt::format("{},{},{} {},{},{} {} {}", p.grid[0], p.grid[1], p.grid[2], p.block[0],
                       p.block[1], p.block[2], p.registers, p.shared_memory);
  };
  for (std::uint32_t i = 0; i < configs_.size(); ++i) known.emplace(key_of(configs_[i]), i);
  for (const LaunchConfig& config : profile.launch_configs) {
    const Properties properties = PropertiesOf(config);
    const auto [at, is_new] =
        known.try_emplace(key_of(properties), static_cast<std::uint32_t>(configs_.size()));
    if (is_new) configs_.push_back(properties);
    result.push_back(at->second);
  }
  return result;
}

StringId Collector::DtypeOf(const Profile& profile, HostId op) {
  if (!op.valid()) return {};
  const StringId types = profile.host.input_dtypes[op.value];
  if (!types.valid()) return {};
  StringId& known = dtype_of_[types.value];
  if (!known.valid()) known = pool_.Intern(FirstTensorDtype(profile.Name(types)));
  return pool_[known].empty() ? StringId{} : known;
}

// Indices of `rows`, longest time first; equal ones in the order of `name`, then of appearance.
template <class Rows, class TimeOf, class NameOf>
std::vector<std::uint32_t> ByTime(const Rows& rows, TimeOf time_of, NameOf name_of) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (time_of(a) != time_of(b)) return time_of(a) > time_of(b);
    return name_of(a) < name_of(b);
  });
  return order;
}

void AppendSums(Table& table, const KernelSums& sums, StringPool& pool) {
  table.Find("uses_tensor_core")->AddText(pool.Intern(TriName(sums.tensor_core)));
  table.Find("rule")->AddText(pool.Intern(RuleName(sums.rule)));
  table.Find("calls")->AddInteger(sums.calls);
  table.Find("time")->AddInteger(sums.time);
  table.Find("mean")->AddInteger(sums.time / sums.calls);
  table.Find("min")->AddInteger(sums.min);
  table.Find("max")->AddInteger(sums.max);
  sums.blocks_per_sm.AppendTo(*table.Find("blocks_per_sm"));
  sums.occupancy.AppendTo(*table.Find("occupancy"));
  table.Find("is_collective")->AddInteger(sums.collective ? 1 : 0);
  Column& exposed = *table.Find("exposed_time");
  if (sums.collective) exposed.AddInteger(sums.exposed); else exposed.AddAbsent();
  Column& bytes = *table.Find("bytes");
  if (sums.bytes >= 0) bytes.AddInteger(sums.bytes); else bytes.AddAbsent();
}

void AppendDimensions(Column& column, const std::int32_t (&size)[3], StringPool& pool) {
  if (size[0] <= 0) return column.AddAbsent();
  column.AddText(pool.Intern(fmt::format("[{}, {}, {}]", size[0], size[1], size[2])));
}

void FillKernels(const Collector& collected, Output& out) {
  Table& table = out.AddTable("kernels");
  StringPool& pool = out.strings();
  const auto order = ByTime(
      collected.names, [&](std::uint32_t i) { return collected.by_name[i].time; },
      [&](std::uint32_t i) { return pool[collected.names[i]]; });
  for (const std::uint32_t i : order) {
    table.Find("name")->AddText(collected.names[i]);
    AppendSums(table, collected.by_name[i], pool);
  }
}

void AppendOp(Table& table, const OpRow& row, StringPool& pool) {
  Column& op = *table.Find("op");
  Column& type = *table.Find("op_type");
  if (row.key.op.valid()) {
    op.AddText(row.key.op);
    type.AddText(pool.Intern(OpType(pool[row.key.op])));
  } else {
    op.AddAbsent();
    type.AddAbsent();
  }
  table.Find("dtype")->AddText(row.dtype);
  Column& eligible = *table.Find("tensor_core_eligible");
  if (row.eligible == Tri::kUnknown) eligible.AddAbsent();
  else eligible.AddInteger(row.eligible == Tri::kYes ? 1 : 0);
}

void FillKernelsByOp(const Collector& collected, std::span<const RankContext> ranks, Output& out) {
  Table& table = out.AddTable("kernels_by_op");
  StringPool& pool = out.strings();
  const auto order = ByTime(
      collected.by_op, [&](std::uint32_t i) { return collected.by_op[i].sums.time; },
      [&](std::uint32_t i) { return pool[collected.by_op[i].key.name]; });
  for (const std::uint32_t i : order) {
    const OpRow& row = collected.by_op[i];
    const Properties& properties = collected.properties(row.key.config);
    table.Find("name")->AddText(row.key.name);
    AppendOp(table, row, pool);
    table.Find("rank")->AddInteger(ranks[row.key.rank].rank);
    Column& gpu = *table.Find("gpu");
    if (row.key.gpu >= 0) gpu.AddInteger(row.key.gpu); else gpu.AddAbsent();
    AppendDimensions(*table.Find("grid"), properties.grid, pool);
    AppendDimensions(*table.Find("block"), properties.block, pool);
    Column& registers = *table.Find("registers");
    if (properties.registers >= 0) registers.AddInteger(properties.registers); else registers.AddAbsent();
    Column& shared = *table.Find("shared_memory");
    if (properties.shared_memory >= 0) shared.AddInteger(properties.shared_memory);
    else shared.AddAbsent();
    AppendSums(table, row.sums, pool);
  }
  if (!collected.any_op) {
    for (const char* column : {"op", "op_type"}) {
      table.Find(column)->MarkAbsent(CapabilityGap(Capability::kLaunchLinks));
    }
  }
  if (!collected.any_shape_types) table.Find("dtype")->MarkAbsent(CapabilityGap(Capability::kShapes));
}

void FillKernelsByIteration(const Collector& collected, std::span<const RankContext> ranks,
                            Output& out) {
  Table& table = out.AddTable("kernels_by_iteration");
  StringPool& pool = out.strings();
  auto rows = collected.by_iteration;
  std::stable_sort(rows.begin(), rows.end(), [&](const IterationRow& a, const IterationRow& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.iteration != b.iteration) return a.iteration < b.iteration;
    if (a.sums.time != b.sums.time) return a.sums.time > b.sums.time;
    return pool[a.name] < pool[b.name];
  });
  for (const IterationRow& row : rows) {
    table.Find("iteration")->AddInteger(row.iteration);
    table.Find("rank")->AddInteger(ranks[row.rank].rank);
    table.Find("name")->AddText(row.name);
    table.Find("uses_tensor_core")->AddText(pool.Intern(TriName(row.sums.tensor_core)));
    table.Find("calls")->AddInteger(row.sums.calls);
    table.Find("time")->AddInteger(row.sums.time);
  }
}

void SetMetrics(const Collector& collected, std::span<const RankContext> ranks, Output& out) {
  out.Set("profile.kernel_time", collected.kernel_time);
  if (collected.kernel_time > 0) {
    out.Set("kernel.short_share", static_cast<double>(collected.short_time) /
                                      static_cast<double>(collected.kernel_time));
  } else {
    out.SetAbsent("kernel.short_share", "no kernel takes time");
  }
  std::size_t iterations = 0;
  for (const RankContext& rank : ranks) iterations += rank.iterations.selected().size();
  if (iterations > 0) {
    out.Set("kernel.count_per_iteration", static_cast<double>(collected.kernels_in_iterations) /
                                              static_cast<double>(iterations));
  }
}

}  // namespace

void AddKernels(std::span<const RankContext> ranks, Output& out) {
  Collector collected(out.strings());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    collected.AddRank(ranks[i], static_cast<std::uint32_t>(i));
  }
  if (collected.names.empty()) {
    const std::string reason = CapabilityGap(Capability::kDeviceEvents);
    for (const char* table : {"kernels", "kernels_by_op", "kernels_by_iteration"}) {
      out.SetTableAbsent(table, reason);
    }
    for (const char* id : {"profile.kernel_time", "kernel.short_share", "kernel.count_per_iteration"}) {
      out.SetAbsent(id, reason);
    }
    return;
  }
  FillKernels(collected, out);
  FillKernelsByOp(collected, ranks, out);
  FillKernelsByIteration(collected, ranks, out);
  SetMetrics(collected, ranks, out);
}

}  // namespace profgauge
