#include "analysis/context/older_work.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace profgauge {

bool BeginsWithOlderWork(const DeviceTable& device) {
  Ns first_launched = std::numeric_limits<Ns>::max();
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.launch[row].valid()) first_launched = std::min(first_launched, device.start[row]);
  }
  for (std::size_t row = 0; row < device.size();) {  // Stream by stream.
    const std::int32_t gpu = device.gpu[row];
    const auto stream = device.stream[row];
    bool has_launch = false, has_lost = false, is_late = false;
    for (; row < device.size() && device.gpu[row] == gpu && device.stream[row] == stream; ++row) {
      has_launch = has_launch || device.launch[row].valid();
      if (device.launch[row].valid()) continue;
      has_lost = has_lost || has_launch;
      is_late = is_late || device.start[row] > first_launched;
    }
    if (has_lost || (is_late && !has_launch)) return false;
  }
  return true;
}

}  // namespace profgauge
