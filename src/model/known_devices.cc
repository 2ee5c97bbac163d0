#include "model/known_devices.h"

#include <cstdint>
#include <set>
#include <utility>

#include "base/text.h"

namespace profgauge {
namespace {

/// GPUs that have events, in order.
std::set<std::int32_t> UsedGpus(const Profile& profile) {
  std::set<std::int32_t> used(profile.device.gpu.begin(), profile.device.gpu.end());
  for (std::size_t i = 0; i < profile.memory.size(); ++i) {
    if (profile.memory.device_type[i] != 0) used.insert(profile.memory.device[i]);
  }
  used.erase(used.begin(), used.lower_bound(0));
  return used;
}

template <class T>
void Give(const T& known, T& target) {
  if (target < 0) target = known;
}

void Complete(const Gpu& known, Gpu& gpu) {
  if (gpu.name.empty()) gpu.name = known.name;
  if (gpu.compute_major < 0) {
    gpu.compute_major = known.compute_major;
    gpu.compute_minor = known.compute_minor;
  }
  Give(known.sms, gpu.sms);
  Give(known.memory, gpu.memory);
  Give(known.max_threads_per_sm, gpu.max_threads_per_sm);
  Give(known.warp_size, gpu.warp_size);
}

/// Whether anything fits.
bool Complete(std::span<const KnownDevice> known, Gpu& gpu) {
  const std::string recorded = gpu.name;
  bool fits = false;
  for (const KnownDevice& device : known) {
    if (!GlobMatch(device.match, recorded)) continue;
    Complete(device.properties, gpu);
    fits = true;
  }
  return fits;
}

}  // namespace

std::vector<Gpu> CompleteGpus(const Profile& profile, std::span<const KnownDevice> known) {
  std::vector<Gpu> gpus = profile.gpus;
  if (known.empty()) return gpus;
  std::set<std::int32_t> unlisted = UsedGpus(profile);
  for (Gpu& gpu : gpus) {
    unlisted.erase(gpu.id);
    Complete(known, gpu);
  }
  for (const std::int32_t id : unlisted) {
    Gpu gpu;
    gpu.id = id;
    if (Complete(known, gpu)) gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace profgauge
