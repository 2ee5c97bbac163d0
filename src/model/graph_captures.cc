#include "model/graph_captures.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"

namespace profgauge {
namespace {

constexpr std::uint32_t kNoCall = ~std::uint32_t{0};

}  // namespace

bool IsGraphLaunch(std::string_view call) { return Contains(call, "GraphLaunch"); }

std::vector<CapturedWork> CapturedWorkOf(const Profile& capture) {
  const DeviceTable& device = capture.device;
  std::vector<CapturedWork> work;
  std::vector<std::pair<Ns, std::uint32_t>> order;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const ApiId call = device.launch[row];
    if (!call.valid() || IsGraphLaunch(capture.Name(capture.api.name[call.value]))) continue;
    order.emplace_back(capture.api.start[call.value], row);
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return std::tuple(a.first, device.start[a.second], a.second) <
           std::tuple(b.first, device.start[b.second], b.second);
  });
  std::vector<bool> has_kernel(capture.api.size(), false);
  for (const auto& [at, row] : order) {
    // A launch that names its kernel, whose run was recorded as well: counts once.
    const bool is_kernel = device.kind[row] == DeviceKind::kKernel;
    if (is_kernel && has_kernel[device.launch[row].value]) continue;
    has_kernel[device.launch[row].value] = is_kernel;
    const DeviceKind kind = device.kind[row];
    const LaunchConfigId config = device.config[row];
    CapturedWork& one = work.emplace_back();
    one.at = at;
    one.call = device.launch[row];
    one.kind = kind;
    one.op = device.op[row];
    if (kind == DeviceKind::kKernel) one.name = device.name[row];
    if (config.valid()) one.config = &capture.launch_configs[config.value];
  }
  return work;
}

ModuleCalls::ModuleCalls(const Profile& profile)
    : python_(profile.python),
      by_thread_(profile.threads.size()),
      outer_(profile.python.size(), kNoCall) {
  const auto end_of = [&](std::uint32_t row) { return python_.start[row] + python_.duration[row]; };
  std::vector<std::uint32_t> open;
  ThreadId thread;
  for (std::uint32_t row = 0; row < python_.size(); ++row) {
    if (python_.module_id[row] < 0 || !python_.thread[row].valid()) continue;
    if (!(python_.thread[row] == thread)) open.clear();
    thread = python_.thread[row];
    while (!open.empty() && end_of(open.back()) <= python_.start[row]) open.pop_back();
    if (!open.empty()) outer_[row] = open.back();
    open.push_back(row);
    by_thread_[thread.value].push_back(row);
  }
}

// Follows the parents of the last module that began by `at`; skips modules that have ended.
std::vector<std::uint32_t> ModuleCalls::Around(ThreadId thread, Ns at) const {
  std::vector<std::uint32_t> around;
  if (!thread.valid() || thread.value >= by_thread_.size()) return around;
  const auto& rows = by_thread_[thread.value];
  const auto behind = std::upper_bound(rows.begin(), rows.end(), at, [&](Ns time, std::uint32_t r) {
    return time < python_.start[r];
  });
  if (behind == rows.begin()) return around;
  for (std::uint32_t row = *(behind - 1); row != kNoCall; row = outer_[row]) {
    if (at < python_.start[row] + python_.duration[row]) around.push_back(row);
  }
  std::reverse(around.begin(), around.end());
  return around;
}

}  // namespace profgauge
