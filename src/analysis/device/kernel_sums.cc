#include "analysis/device/kernel_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/classify/arguments.h"
#include "analysis/classify/collective.h"
#include "analysis/classify/device_spans.h"
#include "analysis/device/tensor_cores.h"
#include "analysis/iterations/kernel_work.h"
#include "analysis/iterations/observed.h"
#include "analysis/iterations/utilization.h"

namespace profgauge::analysis::device {
namespace {

LaunchProperties PropertiesOf(const LaunchConfig& config) {
  return {{config.grid[0], config.grid[1], config.grid[2]},
          {config.block[0], config.block[1], config.block[2]},
          config.registers,
          config.shared_memory};
}

constexpr LaunchProperties kNoProperties = {{0, 0, 0}, {0, 0, 0}, -1, -1};

// The verdict of a row with another call: yes has priority over unknown, and unknown over no:
//
//   row \ call   no        yes    unknown
//   no           no        yes    unknown
//   unknown      unknown   yes    unknown
//   yes          yes       yes    yes
classify::Tri Surest(classify::Tri row, classify::Tri call) {
  return call == classify::Tri::kYes || row == classify::Tri::kNo ? call : row;
}

// Adds the share of the device that the kernel can use, if known.
void AddUse(const iterations::RankContext& rank, std::size_t row, KernelSums& call) {
  const Profile& profile = *rank.profile;
  const LaunchConfigId config = profile.device.config[row];
  if (!config.valid()) return;
  const auto blocks =
      iterations::BlocksPerSm(profile, rank.devices, DeviceId{static_cast<std::uint32_t>(row)});
  if (blocks && *blocks >= 0) call.blocks_per_sm.Add(*blocks, call.time);
  const double occupancy = profile.launch_configs[config.value].occupancy;
  if (occupancy >= 0) call.occupancy.Add(occupancy, call.time);
}

}  // namespace

// Adds `others`, in which -1 is unknown. A sum becomes known with the first call that has a value,
// and only includes such calls.
void Join(KernelSums& sums, const KernelSums& others) {
  sums.calls += others.calls;
  sums.time += others.time;
  sums.min = std::min(sums.min, others.min);
  sums.max = std::max(sums.max, others.max);
  sums.exposed += others.exposed;
  sums.outside += others.outside;
  sums.outside_calls += others.outside_calls;
  if (others.work_flops >= 0) sums.work_flops = std::max(sums.work_flops, 0.0) + others.work_flops;
  if (others.work_bytes >= 0) sums.work_bytes = std::max(sums.work_bytes, 0.0) + others.work_bytes;
  if (others.bytes >= 0) sums.bytes = std::max<std::int64_t>(sums.bytes, 0) + others.bytes;
  sums.blocks_per_sm.Add(others.blocks_per_sm);
  sums.occupancy.Add(others.occupancy);
  sums.tensor_core = Surest(sums.tensor_core, others.tensor_core);
  if (sums.rule == 0) sums.rule = others.rule;
  sums.collective = sums.collective || others.collective;
}

KernelCollector::KernelCollector(StringPool& pool, bool by_iteration)
    : pool_(pool), adds_by_iteration_(by_iteration) {
  configs_.push_back(kNoProperties);
}

void KernelCollector::AddRank(const iterations::RankContext& rank, std::uint32_t position) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  position_ = position;
  op_row_of.emplace_back(device.size(), kNoRow);
  config_of_ = MapConfigs(profile);
  eligible_ = EligibleKernels(profile, rank.classes);
  dtype_of_.assign(profile.strings.size(), {});
  iteration_rows_.clear();
  names_.clear();
  name_rows_.clear();
  KernelFacts& of_rank = facts.emplace_back();
  of_rank.iterations = static_cast<std::int64_t>(rank.iterations.selected().size());
  of_rank.is_launched = profile.Has(Capability::kLaunchLinks);
  of_rank.has_device = rank.has_device();
  catalog::Texts texts(profile, pool_);
  texts_ = &texts;
  const iterations::WorkDivision division(rank);
  const OptionalColumn<Ns>& exposed = rank.ExposedOf(classify::Exposable::kCollectives);
  // Makes one pass: expensive values are computed once per call, and added to up to three sums, by
  // name, by operator and by iteration.
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] != DeviceKind::kKernel) continue;
    const DeviceId row{static_cast<std::uint32_t>(i)};
    KernelSums call;
    call.calls = 1;
    call.time = call.min = call.max = device.duration[i];
    AddUse(rank, i, call);
    call.exposed = exposed[i];
    const iterations::KernelWork work = division.Of(i);
    call.work_flops = work.flops;
    call.work_bytes = work.bytes;
    call.tensor_core = rank.classes[i].tensor_core;
    call.rule = rank.classes[i].rule;
    call.collective = rank.classes[i].collective;
    if (device.collective[i].valid()) {
      call.bytes =
          classify::CollectiveBytes(profile, profile.collectives[device.collective[i].value]);
    }
    const StringId name = texts(device.name[i]);
    if (rank.iterations.SelectsIteration(rank.iterations.of_device[i])) {
      ++of_rank.kernels_in_iterations;
      if (adds_by_iteration_) AddToIteration(rank, i, call, name);
    }
    if (!rank.InIterations(row)) {
      call.outside = call.time;
      call.outside_calls = 1;
    } else {
      of_rank.kernel_time += call.time;
      if (call.time < rank.knowledge.thresholds.kernels_short) of_rank.short_time += call.time;
      AddToOp(rank, i, call, name);
    }
    if (rank.InTables(row)) AddToName(rank, i, call, name);
  }
  for (KernelNameSum& name : names_) name.rule = classify::RuleName(name.sums.rule, rank.knowledge);
  of_rank.names = std::move(names_);
  texts_ = nullptr;
}

void KernelCollector::AddToName(const iterations::RankContext& rank, std::size_t row,
                                const KernelSums& call, StringId name) {
  const auto [at, is_new] =
      name_rows_.try_emplace(name.value, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back({rank.profile->Name(rank.profile->device.name[row]), {}, {}});
  Join(names_[at->second].sums, call);
}

void KernelCollector::AddToOp(const iterations::RankContext& rank, std::size_t row,
                              const KernelSums& call, StringId name) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  const HostId op = device.op[row];
  KernelKey key;
  key.name = name;
  if (op.valid()) key.op = (*texts_)(profile.host.name[op.value]);
  key.config = device.config[row].valid() ? config_of_[device.config[row].value] : 0;
  key.rank = position_;
  key.gpu = device.gpu[row];
  const auto [at, new_row] = op_rows_.try_emplace(key, static_cast<std::uint32_t>(by_op.size()));
  if (new_row) {
    KernelOpRow& added = by_op.emplace_back();
    added.key = key;
    added.eligible = eligible_[row];
  }
  op_row_of.back()[row] = at->second;
  KernelOpRow& found = by_op[at->second];
  Join(found.sums, call);
  if (eligible_[row] == classify::Tri::kYes) found.eligible = classify::Tri::kYes;
  if (op.valid()) {
    any_op = true;
    any_shape_types = any_shape_types || profile.host.input_dtypes[op.value].valid();
    AddDtype(DtypeOf(profile, op), found);
  }
}

// Calls without a type are ignored: the row has the type of the others.
void KernelCollector::AddDtype(StringId dtype, KernelOpRow& row) {
  if (!dtype.valid() || dtype == row.dtype) return;
  row.dtype = row.dtype.valid() ? pool_.Intern("mixed") : dtype;
}

void KernelCollector::AddToIteration(const iterations::RankContext& rank, std::size_t row,
                                     const KernelSums& call, StringId name) {
  const std::uint32_t iteration = rank.iterations.of_device[row];
  const std::uint64_t key = (static_cast<std::uint64_t>(iteration) << 32) | name.value;
  const auto [at, is_new] =
      iteration_rows_.try_emplace(key, static_cast<std::uint32_t>(by_iteration.size()));
  if (is_new) by_iteration.push_back({position_, iteration, name, {}, 0, 0});
  KernelIterationRow& sums = by_iteration[at->second];
  sums.tensor_core = Surest(sums.tensor_core, call.tensor_core);
  ++sums.calls;
  sums.time += call.time;
}

// Maps launch properties of the profile to those of the run: configs that differ only in derived
// values (occupancy, blocks per SM) are merged.
std::vector<std::uint32_t> KernelCollector::MapConfigs(const Profile& profile) {
  std::vector<std::uint32_t> result;
  result.reserve(profile.launch_configs.size());
  boost::unordered_flat_map<std::string, std::uint32_t> known;
  const auto key_of = [](const LaunchProperties& p) {
    return fmt::format("{},{},{} {},{},{} {} {}", p.grid[0], p.grid[1], p.grid[2], p.block[0],
                       p.block[1], p.block[2], p.registers, p.shared_memory);
  };
  for (std::uint32_t i = 0; i < configs_.size(); ++i) known.emplace(key_of(configs_[i]), i);
  for (const LaunchConfig& config : profile.launch_configs) {
    const LaunchProperties properties = PropertiesOf(config);
    const auto [at, is_new] =
        known.try_emplace(key_of(properties), static_cast<std::uint32_t>(configs_.size()));
    if (is_new) configs_.push_back(properties);
    result.push_back(at->second);
  }
  return result;
}

// Returns the type of an operator's first tensor, cached by the text of types. If a caller's
// arguments precede the tensor, the text is not sufficient, and each call is examined.
StringId KernelCollector::DtypeOf(const Profile& profile, HostId op) {
  if (!op.valid()) return {};
  const StringId types = profile.host.input_dtypes[op.value];
  if (!types.valid()) return {};
  const std::string_view name = profile.Name(profile.host.name[op.value]);
  const std::string_view shapes = profile.Name(profile.host.input_shapes[op.value]);
  if (classify::ForeignArguments(name, shapes) > 0) {
    const std::string_view dtype = classify::FirstTensorDtypeOf(name, shapes, profile.Name(types));
    return dtype.empty() ? StringId{} : pool_.Intern(dtype);
  }
  StringId& known = dtype_of_[types.value];
  if (!known.valid()) known = pool_.Intern(classify::FirstTensorDtype(profile.Name(types)));
  return pool_[known].empty() ? StringId{} : known;
}

}  // namespace profgauge::analysis::device
