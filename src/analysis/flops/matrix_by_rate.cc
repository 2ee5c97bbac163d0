#include "analysis/flops/matrix_by_rate.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/classify/device_peaks.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/tensor_core_rules.h"
#include "base/text.h"
#include "knowledge/tensor_cores.h"

namespace profgauge::analysis::flops {
namespace {

using classify::Tri;

// The kernels of one call of an operator with known work.
struct Call {
  Ns time = 0;
  StringId open;  // Its only undecided kernel name.
  std::int32_t gpu = -1;
  bool is_decided = false;  // Excluded: several names or GPUs, or matrix units.
};

struct Rate {
  double least = 0, most = 0;  // Maximum FLOPs of vector and of matrix units.
  double flops = 0;
};

bool IsOpen(const Profile& profile, std::size_t row, const classify::KernelClass& verdict) {
  return verdict.tensor_core == Tri::kUnknown && !verdict.collective &&
         verdict.rule < classify::kFirstOwnRule && profile.device.name[row].valid() &&
         !profile.IsWholeGraph(row);
}

using Calls = boost::unordered_flat_map<std::uint32_t, Call>;

Calls CollectCalls(const Profile& profile, const OpWorks& works,
                   const classify::KernelClasses& classes) {
  const DeviceTable& device = profile.device;
  Calls calls;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel || !device.op[row].valid()) continue;
    const std::uint32_t op = works.counted_in[device.op[row].value];
    if (op == OpWorks::kNone || !works.Find(op)->is_matrix) continue;
    Call& call = calls[op];
    const bool is_first = call.gpu < 0;
    call.time += device.duration[row];
    if (is_first) call.gpu = device.gpu[row];
    call.is_decided =
        call.is_decided || call.gpu != device.gpu[row] || classes[row].tensor_core == Tri::kYes;
    if (!IsOpen(profile, row, classes[row])) continue;
    call.is_decided = call.is_decided || (call.open.valid() && call.open != device.name[row]);
    call.open = device.name[row];
  }
  return calls;
}

}  // namespace

bool DecideByRate(const Profile& profile, std::span<const Gpu> gpus,
                  std::span<const KnownDevice> known, const OpWorks& works,
                  classify::KernelClasses& classes) {
  const DeviceTable& device = profile.device;
  bool any = false;
  for (std::size_t row = 0; row < device.size() && !any; ++row) {
    any = device.kind[row] == DeviceKind::kKernel && IsOpen(profile, row, classes[row]);
  }
  if (!any) return false;

  using Key = std::pair<std::int32_t, std::uint32_t>;  // GPU and kernel name.
  std::map<Key, Rate> rates;
  std::map<std::int32_t, std::optional<DevicePeaks>> peaks_of;
  for (const auto& [op, call] : CollectCalls(profile, works, classes)) {
    const OpWork& work = *works.Find(op);
    if (call.is_decided || !call.open.valid() || call.time <= 0 || work.dtype.empty()) continue;
    if (Contains(profile.Name(profile.host.name[op]), "conv")) continue;
    const auto [peaks, is_new] = peaks_of.try_emplace(call.gpu);
    const Gpu* gpu = is_new ? classify::FindGpu(gpus, call.gpu) : nullptr;
    if (gpu != nullptr) peaks->second = classify::PeaksOf(*gpu, known);
    if (!peaks->second) continue;
    const bool is_wide = work.dtype == "float32" || work.dtype == "float64";
    const double vector = classify::FlopPeak(*peaks->second, work.dtype, false, false) *
                          (is_wide ? 1 : knowledge::kTensorCoresVectorSpeed.as<int>());
    const double matrix = classify::FlopPeak(*peaks->second, work.dtype, true, true);
    if (vector <= 0 || matrix <= vector) continue;
    Rate& rate = rates[{call.gpu, call.open.value}];
    const double seconds = static_cast<double>(call.time) * 1e-9;
    rate.flops += work.flops;
    rate.least += vector * seconds;
    rate.most += matrix * seconds;
  }
  std::erase_if(rates, [](const auto& entry) {
    return entry.second.flops <= entry.second.least || entry.second.flops > entry.second.most;
  });
  if (rates.empty()) return false;

  classify::KernelClasses decided;
  decided.Reserve(classes.size());
  for (std::size_t row = 0; row < classes.size(); ++row) {
    classify::KernelClass verdict = classes[row];
    if (device.kind[row] == DeviceKind::kKernel && IsOpen(profile, row, verdict) &&
        rates.contains({device.gpu[row], device.name[row].value})) {
      verdict = classify::FasterThanVectorUnits();
    }
    decided.Add(verdict);
  }
  classes = std::move(decided);
  return true;
}

}  // namespace profgauge::analysis::flops
