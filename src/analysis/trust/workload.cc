#include "analysis/trust/workload.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analysis/classify/name_memo.h"
#include "analysis/flops/op_tree.h"
#include "analysis/iterations/derived_markers.h"
#include "base/interval.h"
#include "knowledge/workload.h"

namespace profgauge::analysis::trust {
namespace {

enum class SignIn : std::uint8_t { kHost, kKernel };
using enum SignIn;

struct WorkloadSign {
  std::string_view id;
  SignIn where = kHost;
  std::string_view pattern;
};
constexpr WorkloadSign kWorkloadSigns[] = {
#include "knowledge/workload_signs.inc"
};
constexpr std::size_t kSigns = std::size(kWorkloadSigns);
using SignSet = std::uint32_t;
static_assert(kSigns <= 32);

constexpr SignSet SetOf(std::string_view id) {
  for (std::size_t i = 0; i < kSigns; ++i) {
    if (kWorkloadSigns[i].id == id) return SignSet{1} << i;
  }
  return 0;  // The assertion below rejects it.
}
constexpr SignSet kBackward = SetOf("backward"), kBackwardKernel = SetOf("backward_kernel"),
                  kOptimizer = SetOf("optimizer"), kOptimizerKernel = SetOf("optimizer_kernel"),
                  kEngine = SetOf("engine"), kCacheKernel = SetOf("cache_kernel"),
                  kDecodeKernel = SetOf("decode_kernel"), kPrefillKernel = SetOf("prefill_kernel"),
                  kDiffusion = SetOf("diffusion"), kOperator = SetOf("operator"),
                  kImages = SetOf("images");
static_assert(kBackward && kBackwardKernel && kOptimizer && kOptimizerKernel && kEngine &&
              kCacheKernel && kDecodeKernel && kPrefillKernel && kDiffusion && kOperator &&
              kImages);

// Compiled at the first use, once per process.
const std::array<std::unique_ptr<RE2>, kSigns>& CompiledSigns() {
  static const auto compiled = [] {
    std::array<std::unique_ptr<RE2>, kSigns> all;
    for (std::size_t i = 0; i < kSigns; ++i) {
      all[i] = std::make_unique<RE2>(kWorkloadSigns[i].pattern);
    }
    return all;
  }();
  return compiled;
}

// Returns one bit for each pattern of the table that the name matches.
SignSet SignsOf(std::string_view name, SignIn where) {
  SignSet found = 0;
  for (std::size_t i = 0; i < kSigns; ++i) {
    if (kWorkloadSigns[i].where == where && RE2::PartialMatch(name, *CompiledSigns()[i])) {
      found |= SignSet{1} << i;
    }
  }
  return found;
}

// Counts the rows of one kind by name.
class NameCounts {
 public:
  explicit NameCounts(const Profile& profile)
      : profile_(profile), counts_(profile.strings.size(), 0) {}
  void Add(StringId name) {
    if (name.valid()) ++counts_[name.value];
  }
  /// The signs of all their names.
  SignSet Signs(SignIn where) const {
    SignSet found = 0;
    for (std::uint32_t id = 0; id < counts_.size(); ++id) {
      if (counts_[id] > 0) found |= SignsOf(profile_.strings[StringId{id}], where);
    }
    return found;
  }
  /// Whether any name with these signs occurs at least `least` times.
  bool Repeats(SignSet signs, SignIn where, std::int64_t least) const {
    for (std::uint32_t id = 0; id < counts_.size(); ++id) {
      if (counts_[id] < least) continue;
      if ((SignsOf(profile_.strings[StringId{id}], where) & signs) != 0) return true;
    }
    return false;
  }

 private:
  const Profile& profile_;
  std::vector<std::int64_t> counts_;
};

struct Launches {
  std::int64_t all = 0, captured = 0;
};

// Counts launches; one is captured if its thread has an open graph capture.
Launches LaunchesOf(const Profile& profile) {
  const ApiTable& api = profile.api;
  Launches launches;
  bool captures = false;
  for (std::size_t call = 0; call < api.size(); ++call) {
    if (call > 0 && api.thread[call] != api.thread[call - 1]) captures = false;
    const std::string_view name = profile.Name(api.name[call]);
    if (name.find("BeginCapture") != name.npos) captures = true;
    if (name.find("EndCapture") != name.npos) captures = false;
    if (api.kind[call] != ApiKind::kLaunch) continue;
    ++launches.all;
    if (captures) ++launches.captured;
  }
  return launches;
}

std::int64_t CountKernels(const DeviceTable& device) {
  return std::count(device.kind.begin(), device.kind.end(), DeviceKind::kKernel);
}

// Whether a few operators launch nearly all kernels, and these take nearly all of the time.
bool IsBenchmark(const Profile& profile) {
  struct Work {
    std::int64_t kernels = 0;
    Ns time = 0;
  };
  std::map<std::uint32_t, Work> by_op;
  Work all;
  const DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel) continue;
    ++all.kernels;
    all.time += device.duration[row];
    if (!device.op[row].valid()) continue;
    Work& work = by_op[profile.host.name[device.op[row].value].value];
    ++work.kernels;
    work.time += device.duration[row];
  }
  std::vector<Work> ops;
  for (const auto& [name, work] : by_op) ops.push_back(work);
  std::sort(ops.begin(), ops.end(), [](const Work& a, const Work& b) { return a.time > b.time; });
  Work most;
  for (std::size_t i = 0; i < ops.size() && i < knowledge::kWorkloadBenchmarkOperators; ++i) {
    most.kernels += ops[i].kernels;
    most.time += ops[i].time;
  }
  return most.time >= knowledge::kWorkloadBenchmarkShare.Of(all.time) &&
         most.kernels >= knowledge::kWorkloadBenchmarkShare.Of(all.kernels);
}

// Decided by attention kernels; a server with neither known kind counts as prefill.
std::string_view ServingKind(SignSet kernels) {
  const bool decodes = (kernels & kDecodeKernel) != 0, prefills = (kernels & kPrefillKernel) != 0;
  return decodes && prefills ? "mixed" : decodes ? "decode" : "prefill";
}

std::string_view KindOf(const Profile& profile, const NameCounts& frames, const Launches& launches,
                        bool in_graphs) {
  const HostTable& host = profile.host;
  NameCounts works(profile);
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    if (profile.device.kind[row] == DeviceKind::kKernel) works.Add(profile.device.name[row]);
  }
  if (launches.captured > 0 && 2 * launches.captured >= launches.all) return "capture";
  if (CountKernels(profile.device) == 0) return {};
  const SignSet on_host = frames.Signs(kHost), kernels = works.Signs(kKernel);
  const bool is_linked = std::any_of(host.forward.begin(), host.forward.end(),
                                     [](HostId forward) { return forward.valid(); });
  if (is_linked || (on_host & (kBackward | kOptimizer)) != 0) return "training";
  // Operators of graphs are not recorded, so the remaining ones prove nothing about the run.
  const bool has_operators = (on_host & kOperator) != 0 && !in_graphs;
  if (!has_operators && (kernels & kBackwardKernel) != 0 && (kernels & kOptimizerKernel) != 0) {
    return "training";
  }
  const std::string_view phase = iterations::PhaseOf(iterations::EngineSteps(profile).source);
  if (!phase.empty() && phase != "evaluation") return phase;
  const int serves = ((on_host & kEngine) != 0) + ((kernels & kCacheKernel) != 0) +
                     ((kernels & kDecodeKernel) != 0);
  if (serves >= 2) return ServingKind(kernels);
  if ((on_host & kDiffusion) != 0 &&
      frames.Repeats(kDiffusion, kHost, knowledge::kWorkloadDiffusionRepeats.value())) {
    return "diffusion";
  }
  if (!has_operators) return {};
  return IsBenchmark(profile) ? "benchmark" : "inference";
}

// Image functions call each other (those of `PIL/`), so their times are merged by thread.
void AddImageWork(const Profile& profile, Workload& out) {
  classify::NameMemo is_image(
      profile, [](std::string_view name) { return (SignsOf(name, kHost) & kImages) != 0; });
  std::map<std::uint32_t, std::vector<Span>> by_thread;
  std::map<std::uint32_t, Ns> by_name;
  const auto add = [&](const auto& table) {
    for (std::size_t row = 0; row < table.name.size(); ++row) {
      const StringId name = table.name[row];
      if (!name.valid() || !is_image(name)) continue;
      const Ns start = table.start[row];
      by_thread[table.thread[row].value].push_back({start, start + table.duration[row]});
      by_name[name.value] += table.duration[row];
    }
  };
  add(profile.python);
  add(profile.host);
  Ns most = -1;
  for (const auto& [name, time] : by_name) {
    if (time <= most) continue;
    most = time;
    out.image_work = profile.strings[StringId{name}];
  }
  for (auto& [thread, spans] : by_thread) out.image_time += Length(Merge(std::move(spans)));
}

}  // namespace

Workload WorkloadOf(const Profile& profile) {
  Workload found;
  NameCounts frames(profile);
  for (const StringId name : profile.host.name) frames.Add(name);
  for (const StringId name : profile.python.name) frames.Add(name);
  const Launches launches = LaunchesOf(profile);
  found.in_graphs = launches.all > 0 && CountKernels(profile.device) >=
                                            knowledge::kWorkloadGraphKernels.value() * launches.all;
  found.kind = KindOf(profile, frames, launches, found.in_graphs);
  classify::NameMemo loads(profile, flops::IsDataLoaderRange);
  found.loads_data = std::any_of(profile.host.name.begin(), profile.host.name.end(),
                                 [&](StringId name) { return loads(name); });
  if (found.loads_data) AddImageWork(profile, found);
  return found;
}

}  // namespace profgauge::analysis::trust
