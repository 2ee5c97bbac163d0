#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/classify/arguments.h"
#include "analysis/classify/kernel_class.h"
#include "analysis/dlprof/instances.h"
#include "analysis/dlprof/iterations.h"
#include "analysis/dlprof/report.h"
#include "analysis/dlprof/summary.h"
#include "analysis/dlprof/texts.h"
#include "base/errors.h"

namespace profgauge::analysis::dlprof::dlprof {
namespace {

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Makes one pass for each step, in the order of Run(). Until TakeInOrder(), ops are numbered by
// their first calls; then ops without selected calls are dropped, and all indices are updated.
class Computation {
 public:
  Computation(const Profile& profile, const Instances& instances, std::vector<Span> iterations)
      : profile_(profile),
        instances_(instances),
        classes_(classify::ClassifyDevice(profile)),
        iterations_(std::move(iterations)) {}

  Status Select(const Selection& selection) {
    const auto count = static_cast<std::int64_t>(iterations_.size());
    first_ = std::max({selection.start, selection.warmup, std::int64_t{0}});
    last_ = selection.stop < 0 ? count - 1 : std::min(selection.stop, count - 1);
    if (first_ <= last_) return {};
    return Fail(UsageError("analysis/empty-selection",
                           fmt::format("no iteration is selected: the profile has {}", count),
                           "iterations count from 0"));
  }

  /// REQUIRES: first < last; `last` is exclusive.
  void Select(std::size_t first, std::size_t last) {
    first_ = static_cast<std::int64_t>(first);
    last_ = static_cast<std::int64_t>(last) - 1;
  }

  Report Run() {
    PlaceInIterations();
    GroupIntoOps();
    LinkDevice();
    Measure();
    AddLaunches();
    AddGroups();
    AddTypes();
    AddTensorCores();
    Report report = TakeInOrder();
    report.summary = Summarize(profile_, classes_, Facts());
    FillSummary(report);
    return report;
  }

 private:
  static constexpr std::int64_t kOutside = -1;

  bool Selected(std::size_t instance) const {
    return iteration_[instance] >= first_ && iteration_[instance] <= last_;
  }
  SelectedTime Facts() const {
    SelectedTime facts;
    facts.window = {iterations_[static_cast<std::size_t>(first_)].start,
                    iterations_[static_cast<std::size_t>(last_)].end};
    for (std::size_t i = 0; i < instances_.all.size(); ++i) {
      if (Selected(i)) facts.cpu.push_back(instances_.all[i].time);
    }
    for (std::uint32_t row = 0; row < profile_.device.size(); ++row) {
      const std::uint32_t instance = instances_.of_device[row];
      if (Selected(instance)) facts.device.push_back(row);
    }
    return facts;
  }

  // Uses the start of the call; calls before the first iteration are outside.
  void PlaceInIterations() {
    iteration_.assign(instances_.all.size(), kOutside);
    for (std::size_t i = 0; i < instances_.all.size(); ++i) {
      const Ns start = instances_.all[i].time.start;
      const auto after =
          std::upper_bound(iterations_.begin(), iterations_.end(), start,
                           [](Ns time, const Span& span) { return time < span.start; });
      if (after != iterations_.begin()) iteration_[i] = after - iterations_.begin() - 1;
    }
  }

  // The n-th call of a name within an iteration is the same op in every iteration.
  void GroupIntoOps() {
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::int64_t>;
    std::map<Key, std::size_t> known;
    std::map<std::string_view, std::int64_t> of_type;
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::int64_t> seen;
    std::int64_t current = kOutside;
    op_of_.assign(instances_.all.size(), 0);
    for (std::size_t i = 0; i < instances_.all.size(); ++i) {
      const Instance& instance = instances_.all[i];
      if (iteration_[i] != current) seen.clear();
      current = iteration_[i];
      const std::int64_t turn =
          instance.orphan() ? 0 : seen[{instance.name, instance.type, instance.direction}]++;
      const auto [at, is_new] = known.try_emplace(
          Key{instance.name, instance.type, instance.direction, turn}, ops_.size());
      op_of_[i] = at->second;
      if (is_new) AddOp(instance, ++of_type[instance.type]);
    }
  }

  void AddOp(const Instance& instance, std::int64_t number) {
    Op op;
    op.id = fmt::format("{}_{}", Upper(instance.type), number);
    op.name = instance.name;
    op.type = instance.type;
    op.direction = instance.direction;
    op.stack = instance.stack;
    op.unassociated = instance.unassociated;
    op.eligible = !op.unassociated && classify::IsEligibleOp(op.type);
    if (instance.host != kNoInstance) {
      const HostTable& host = profile_.host;
      const std::string_view shapes = profile_.Name(host.input_shapes[instance.host]);
      op.data_type = classify::FirstTensorDtypeOf(profile_.Name(host.name[instance.host]), shapes,
                                                  profile_.Name(host.input_dtypes[instance.host]));
      op.input_shapes = InputShapesText(op.type, shapes);
      op.output_shapes = OutputShapesText(op.type, shapes);
    }
    ops_.push_back(std::move(op));
  }

  // An op that ever ran on Tensor Cores is eligible, for any type.
  void LinkDevice() {
    device_of_.resize(instances_.all.size());
    calls_of_.resize(instances_.all.size());
    for (std::uint32_t row = 0; row < profile_.device.size(); ++row) {
      const std::uint32_t instance = instances_.of_device[row];
      device_of_[instance].push_back(row);
      if (classes_[row].tensor_core == classify::Tri::kYes) {
        ops_[op_of_[instance]].uses_tensor_cores = true;
        ops_[op_of_[instance]].eligible = true;
      }
    }
    const ApiTable& api = profile_.api;
    for (std::uint32_t row = 0; row < api.size(); ++row) {
      calls_of_[instances_.of_api[row]].push_back(
          {api.start[row], api.start[row] + api.duration[row]});
    }
  }

  // Measures the four times of each selected call. Example: a call of 10 whose runtime calls take
  // 4, with two kernels of 3 and 2 that begin 6 apart:
  //
  //   host     |----[launch]--[launch]|      cpu 10, overhead 10 - 4 = 6
  //   device        |---|   |--|             gpu 3 + 2 = 5, idle 6 + 2 - 5 = 3
  void Measure() {
    const DeviceTable& device = profile_.device;
    measured_.resize(instances_.all.size());
    for (std::size_t i = 0; i < instances_.all.size(); ++i) {
      if (!Selected(i)) continue;
      Measured& m = measured_[i];
      std::vector<Span> work;
      for (const std::uint32_t row : device_of_[i]) {
        work.push_back({device.start[row], device.start[row] + device.duration[row]});
      }
      work = Merge(std::move(work));
      m.cpu = instances_.all[i].time.length();
      m.gpu = Length(work);
      m.overhead = m.cpu - Length(Merge(std::move(calls_of_[i])));
      m.idle = work.empty() ? 0 : work.back().end - work.front().start - m.gpu;
      Op& op = ops_[op_of_[i]];
      ++op.calls;
      Add(m, op.times);
    }
  }

  struct Measured {
    Ns cpu = 0, gpu = 0, overhead = 0, idle = 0;
  };
  static void Add(const Measured& m, Times& times) {
    times.cpu.Add(m.cpu);
    times.gpu.Add(m.gpu);
    times.overhead.Add(m.overhead);
    times.idle.Add(m.idle);
  }

  void AddLaunches() {
    const DeviceTable& device = profile_.device;
    for (std::size_t i = 0; i < instances_.all.size(); ++i) {
      if (!Selected(i)) continue;
      for (const std::uint32_t row : device_of_[i]) {
        if (device.kind[row] != DeviceKind::kKernel) continue;
        Launch launch;
        launch.iteration = iteration_[i];
        launch.op = op_of_[i];
        launch.long_name = profile_.Name(device.name[row]);
        launch.name = ShortKernelName(launch.long_name);
        launch.row = row;
        launch.uses_tensor_cores = classes_[row].tensor_core == classify::Tri::kYes;
        if (const ApiId call = device.launch[row]; call.valid()) {
          launch.api_start = profile_.api.start[call.value];
          launch.api_time = profile_.api.duration[call.value];
        }
        launches_.push_back(std::move(launch));
      }
    }
    std::sort(launches_.begin(), launches_.end(), [&](const Launch& a, const Launch& b) {
      const auto key = [&](const Launch& l) {
        return std::tie(l.iteration, ops_[l.op].name, ops_[l.op].id, l.name, device.start[l.row],
                        l.row);
      };
      return key(a) < key(b);
    });
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::size_t>;
    std::map<Key, KernelSum> sums;
    for (const Launch& launch : launches_) {
      const Op& op = ops_[launch.op];
      KernelSum& sum = sums[{op.name, op.id, launch.name, launch.op}];
      sum.op = launch.op;
      sum.name = launch.name;
      sum.uses_tensor_cores = sum.uses_tensor_cores || launch.uses_tensor_cores;
      sum.gpu.Add(device.duration[launch.row]);
      sum.api.Add(launch.api_time);
    }
    for (auto& [key, sum] : sums) kernels_.push_back(std::move(sum));
  }

  // All folders above an op, from "/" down; a name without a path is only in the root.
  static std::vector<std::string> FoldersOf(const Instance& instance) {
    std::vector<std::string> folders = {"_CompleteModel_"};
    if (instance.unassociated) return folders;
    const std::string& name = instance.name;
    folders.emplace_back("/");
    for (std::size_t at = name.find('/', 1); at != std::string::npos; at = name.find('/', at + 1)) {
      folders.push_back(name.substr(0, at + 1));
    }
    return folders;
  }

  // Group times are per iteration, not per call, since DLProf's extremes are over iterations.
  void AddGroups() {
    struct Sums {
      std::map<std::int64_t, Measured> of_iteration;
      std::int64_t calls = 0;
      std::set<std::size_t> ops;
    };
    std::map<std::string, Sums> groups;
    for (std::size_t i = 0; i < instances_.all.size(); ++i) {
      if (!Selected(i)) continue;
      for (const std::string& folder : FoldersOf(instances_.all[i])) {
        Sums& sums = groups[folder];
        Measured& m = sums.of_iteration[iteration_[i]];
        m.cpu += measured_[i].cpu;
        m.gpu += measured_[i].gpu;
        m.overhead += measured_[i].overhead;
        m.idle += measured_[i].idle;
        ++sums.calls;
        sums.ops.insert(op_of_[i]);
      }
    }
    for (const auto& [name, sums] : groups) {
      Group group;
      group.name = name;
      group.calls = sums.calls;
      for (const std::size_t op : sums.ops) {
        group.eligible_ops += ops_[op].eligible ? 1 : 0;
        group.tensor_core_ops += ops_[op].uses_tensor_cores ? 1 : 0;
      }
      for (const auto& [iteration, m] : sums.of_iteration) Add(m, group.times);
      groups_.push_back(std::move(group));
    }
  }

  void AddTypes() {
    std::map<std::string, OpType> types;
    std::map<std::string, std::set<std::size_t>> ops;
    for (std::size_t i = 0; i < instances_.all.size(); ++i) {
      if (!Selected(i)) continue;
      const std::string& name = ops_[op_of_[i]].type;
      OpType& type = types[name];
      type.name = name;
      ++type.calls;
      ops[name].insert(op_of_[i]);
      Add(measured_[i], type.times);
    }
    for (auto& [name, type] : types) {
      type.ops = static_cast<std::int64_t>(ops[name].size());
      types_.push_back(std::move(type));
    }
  }

  void AddTensorCores() {
    std::map<std::size_t, TensorCoreOp> found;
    for (std::size_t op = 0; op < ops_.size(); ++op) {
      if (ops_[op].eligible && ops_[op].calls > 0) found[op].op = op;
    }
    for (const KernelSum& sum : kernels_) {  // In the order of their names.
      const auto at = found.find(sum.op);
      if (at == found.end()) continue;
      TensorCoreOp& op = at->second;
      (sum.uses_tensor_cores ? op.tensor_core_time : op.other_time) += sum.gpu.sum;
      (sum.uses_tensor_cores ? op.tensor_core_kernels : op.other_kernels).push_back(sum.name);
    }
    for (auto& [op, sums] : found) tensor_.push_back(std::move(sums));
  }

  // Sorts ops by id, drops those without selected calls, and updates all indices.
  Report TakeInOrder() {
    std::vector<std::size_t> order;
    for (std::size_t op = 0; op < ops_.size(); ++op) {
      if (ops_[op].calls > 0) order.push_back(op);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(ops_[a].id, a) < std::tie(ops_[b].id, b);
    });
    Report report;
    std::vector<std::size_t> position(ops_.size(), 0);
    for (const std::size_t op : order) {
      position[op] = report.ops.size();
      report.ops.push_back(ops_[op]);
    }
    report.launches = std::move(launches_);
    report.kernels = std::move(kernels_);
    report.tensor = std::move(tensor_);
    for (Launch& launch : report.launches) launch.op = position[launch.op];
    for (KernelSum& kernel : report.kernels) kernel.op = position[kernel.op];
    for (TensorCoreOp& op : report.tensor) op.op = position[op.op];
    std::sort(report.tensor.begin(), report.tensor.end(),
              [](const TensorCoreOp& a, const TensorCoreOp& b) { return a.op < b.op; });
    report.groups = std::move(groups_);
    report.types = std::move(types_);
    report.iterations = iterations_;
    return report;
  }

  void FillSummary(Report& report) const {
    Summary& summary = report.summary;
    summary.iterations = static_cast<std::int64_t>(iterations_.size());
    summary.start = first_;
    summary.stop = last_;
    summary.aggregated = last_ - first_ + 1;
    const auto count = static_cast<double>(summary.aggregated);
    summary.mean_iteration = static_cast<double>(summary.wall) / count;
    double squares = 0;
    for (std::int64_t i = first_; i <= last_; ++i) {
      const auto length = static_cast<double>(iterations_[static_cast<std::size_t>(i)].length());
      squares += (length - summary.mean_iteration) * (length - summary.mean_iteration);
    }
    summary.stddev_iteration = std::sqrt(squares / count);
    AddOpShares(report);
    AddKernelShares(report, profile_);
  }

  const Profile& profile_;
  const Instances& instances_;
  classify::KernelClasses classes_;
  std::vector<Span> iterations_;
  std::int64_t first_ = 0, last_ = 0;
  std::vector<std::int64_t> iteration_;  // By instance.
  std::vector<std::size_t> op_of_;       // By instance.
  std::vector<std::vector<std::uint32_t>> device_of_;
  std::vector<std::vector<Span>> calls_of_;
  std::vector<Measured> measured_;
  std::vector<Op> ops_;
  std::vector<Launch> launches_;
  std::vector<KernelSum> kernels_;
  std::vector<Group> groups_;
  std::vector<OpType> types_;
  std::vector<TensorCoreOp> tensor_;
};

}  // namespace

Result<Report> Compute(const Profile& profile, const Selection& selection) {
  const Instances instances = FindInstances(profile);
  PROFGAUGE_TRY(std::vector<Span> iterations, IterationsOf(profile, instances, selection));
  Computation computation(profile, instances, std::move(iterations));
  PROFGAUGE_CHECK(computation.Select(selection));
  return computation.Run();
}

Report ComputeSelected(const Profile& profile, const iterations::Iterations& iterations) {
  const Instances instances = FindInstances(profile);
  Computation computation(profile, instances, IterationsOf(profile, instances, iterations));
  computation.Select(iterations.first, iterations.last);
  return computation.Run();
}

}  // namespace profgauge::analysis::dlprof::dlprof
