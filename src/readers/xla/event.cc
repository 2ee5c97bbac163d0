// Stats of events by their names, and planes of devices.

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "readers/xla/timeline.h"

namespace profgauge::readers::xla {
namespace {

/// The number at the beginning of "3 [77]"; -1 when there is none.
std::int32_t LeadingNumber(std::string_view text) {
  std::int32_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::max(number, -1);
}

}  // namespace

// The names are those of tsl's xplane_schema.h and of arguments in trace.json. They are so few that
// a linear search is fast enough.
std::span<const Event::Stat> Event::Stats() {
  static constexpr std::array<Stat, 18> kStats = {{
      {"correlation_id", &Event::correlation_id},
      {"kernel_details", &Event::kernel_details},
      {"memcpy_details", &Event::memcpy_details},
      {"memset_details", &Event::memset_details},
      {"hlo_op", &Event::hlo_op},
      {"hlo_module", &Event::hlo_module},
      {"hlo_category", &Event::hlo_category},
      {"tf_op", &Event::tf_op},
      {"name", &Event::scope},
      {"step_num", &Event::step_num},
      {"v", &Event::v},
      {"source", &Event::source},
      {"allocator_name", &Event::allocator_name},
      {"bytes_allocated", &Event::bytes_allocated},
      {"allocation_bytes", &Event::allocation_bytes},
      {"addr", &Event::addr},
      {"flops", &Event::flops},
      {"bytes_accessed", &Event::bytes_accessed},
  }};
  return kStats;
}

std::string_view Event::*Event::StatNamed(std::string_view name) {
  for (const Stat& stat : Stats()) {
    if (stat.name == name) return stat.member;
  }
  return nullptr;
}

// tsl's kTpuPlaneRegex and kSparseCorePlaneRegex: "/device:TPU:([0-9]*)$",
// "/device:TPU:[0-9]+ SparseCore ([0-9]+)$". Planes of other processes go on with " [PID]".
std::int32_t TrailingNumber(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  std::int32_t number = -1;
  std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}

//   "/device:GPU:0"                         0
//   "host1 /device:TPU:3 SparseCore 1"      3, unit 1; the host's name is XProf's
//   "/device:TPU:0 [77]"                    0; 77 is another process
//   "/device:CUSTOM:..."                    no device
std::optional<DevicePlane> DevicePlaneOf(std::string_view plane) {
  constexpr std::string_view kDevice = "/device:", kUnit = " SparseCore ";
  const auto at = plane.find(kDevice);
  if (at == plane.npos) return std::nullopt;
  DevicePlane device;
  device.name = plane.substr(at);
  if (device.name.starts_with("/device:CUSTOM")) return std::nullopt;
  std::string_view own = device.name;
  if (const auto unit = own.find(kUnit); unit != own.npos && device.is_tpu()) {
    device.sparse_core = std::max(LeadingNumber(own.substr(unit + kUnit.size())), 0);
    own = own.substr(0, unit);
  }
  const auto colon = own.find(':', kDevice.size());
  device.number = colon == own.npos ? TrailingNumber(own) : LeadingNumber(own.substr(colon + 1));
  return device;
}

}  // namespace profgauge::readers::xla
