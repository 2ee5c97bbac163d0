#include "readers/cuda/cuda_activity.h"

#include <fmt/format.h>

namespace profgauge::readers {

LaunchConfig CudaLaunchConfig(const TableScan& scan, std::size_t first, std::int32_t sms) {
  LaunchConfig config;
  for (std::size_t i = 0; i < 3; ++i) {
    config.grid[i] = static_cast<std::int32_t>(scan.Integer(first + i));
    config.block[i] = static_cast<std::int32_t>(scan.Integer(first + 3 + i));
  }
  const std::size_t registers = first + 6, fixed = first + 7, dynamic = first + 8;
  config.registers = static_cast<std::int32_t>(scan.Integer(registers, -1));
  if (scan.IsSet(fixed) || scan.IsSet(dynamic)) {
    config.shared_memory = scan.Integer(fixed) + scan.Integer(dynamic);
  }
  const double blocks = static_cast<double>(config.grid[0]) * config.grid[1] * config.grid[2];
  const double threads = static_cast<double>(config.block[0]) * config.block[1] * config.block[2];
  // Without the columns, or with nothing in them, all are 0: not recorded.
  if (sms > 0 && blocks > 0 && threads > 0) {
    config.blocks_per_sm = blocks / sms;
    config.warps_per_sm = config.blocks_per_sm * threads / 32;
  }
  return config;
}

std::string_view CudaSyncName(std::int64_t type) {
  switch (type) {
    case 1:
      return "Event Sync";
    case 2:
      return "Stream Wait Event";
    case 3:
      return "Stream Sync";
    case 4:
      return "Context Sync";
    default:
      return "Sync";
  }
}

HostMemory CudaHostMemory(CopyKind kind, std::int64_t source, std::int64_t destination,
                          std::int64_t pageable) {
  if (kind != CopyKind::kHostToDevice && kind != CopyKind::kDeviceToHost) {
    return HostMemory::kUnknown;
  }
  const std::int64_t host = kind == CopyKind::kHostToDevice ? source : destination;
  if (host == pageable) return HostMemory::kPageable;
  return host == pageable + 1 ? HostMemory::kPinned : HostMemory::kUnknown;
}

bool CudaCallFailed(std::string_view name, std::int64_t return_value) {
  if (return_value == 0) return false;
  // 600 since CUDA 10.1 and in the driver always; 34 in the runtime before.
  const bool not_ready = return_value == 600 || return_value == 34;
  const bool is_query =
      name.find("EventQuery") != name.npos || name.find("StreamQuery") != name.npos;
  return !(is_query && not_ready);
}

void TableLoss::Tell(std::string_view table) const {
  const std::uint64_t bad = log_[Counter::events_bad_time] - bad_;
  const std::uint64_t all = bad + log_[Counter::events_read] - read_;
  if (bad == 0 || bad * 2 < all) return;
  log_.AddAt(Counter::rows_unusable, fmt::format("{} of {} {}", bad, all, table));
}

}  // namespace profgauge::readers
