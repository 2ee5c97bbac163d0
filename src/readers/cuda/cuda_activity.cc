#include "readers/cuda/cuda_activity.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "readers/text/names.h"
#include "readers/times.h"

namespace profgauge::readers {

std::vector<Wanted> JoinedColumns(std::initializer_list<std::span<const Wanted>> lists) {
  std::vector<Wanted> joined;
  for (const std::span<const Wanted> list : lists) {
    joined.insert(joined.end(), list.begin(), list.end());
  }
  return joined;
}

// Warps have 32 threads on all NVIDIA chips so far. Partly filled warps count as fractions.
LaunchConfig CudaLaunchConfig(const TableScan& scan, std::size_t first, std::int32_t sms) {
  LaunchConfig config;
  for (std::size_t i = 0; i < 3; ++i) {
    config.grid[i] = scan.Small(first + i, 0);
    config.block[i] = scan.Small(first + 3 + i, 0);
  }
  const std::size_t registers = first + 6, fixed = first + 7, dynamic = first + 8;
  config.registers = scan.Small(registers, -1);
  std::int64_t sum = 0;
  const bool fits = !__builtin_add_overflow(scan.Integer(fixed), scan.Integer(dynamic), &sum);
  if (fits && (scan.IsSet(fixed) || scan.IsSet(dynamic))) config.shared_memory = sum;
  const double blocks = static_cast<double>(config.grid[0]) * config.grid[1] * config.grid[2];
  const double threads = static_cast<double>(config.block[0]) * config.block[1] * config.block[2];
  // All are 0 (not recorded) if the columns are missing or empty.
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

// Only the host's memory matters: the driver stages copies from pageable memory, so they block.
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
  // The value is 600 in the driver, and in the runtime since CUDA 10.1; 34 in the runtime before.
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

namespace {

std::string WithoutVersion(std::string_view name) {
  static const RE2 suffix(R"((?:_v\d+|_ptsz|_ptds)+$)");
  std::string stripped(name);
  RE2::Replace(&stripped, suffix, "");
  return stripped;
}

}  // namespace

std::pair<StringId, ApiKind> AddApiName(std::string_view recorded, ProfileBuilder& builder) {
  const std::string name = recorded.empty() ? "(unnamed call)" : WithoutVersion(recorded);
  const StringId id = builder.Intern(name);
  if (name != recorded && !recorded.empty()) builder.AddApiSymbol(id, builder.Intern(recorded));
  return {id, ApiKindOf(name)};
}

CudaCopy CudaCopyOf(std::int64_t copy_kind) {
  switch (copy_kind) {
    case 1:
      return {CopyKind::kHostToDevice, "[CUDA memcpy Host-to-Device]"};
    case 2:
      return {CopyKind::kDeviceToHost, "[CUDA memcpy Device-to-Host]"};
    case 3:
      return {CopyKind::kHostToDevice, "[CUDA memcpy Host-to-Array]"};
    case 4:
      return {CopyKind::kDeviceToHost, "[CUDA memcpy Array-to-Host]"};
    case 5:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Array-to-Array]"};
    case 6:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Array-to-Device]"};
    case 7:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Device-to-Array]"};
    case 8:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Device-to-Device]"};
    case 9:
      return {CopyKind::kHostToHost, "[CUDA memcpy Host-to-Host]"};
    case 10:
      return {CopyKind::kPeerToPeer, "[CUDA memcpy Peer-to-Peer]"};
    case 11:
      return {CopyKind::kHostToDevice, "[CUDA memcpy Unified Host-to-Device]", true};
    case 12:
      return {CopyKind::kDeviceToHost, "[CUDA memcpy Unified Device-to-Host]", true};
    case 13:
      return {CopyKind::kDeviceToDevice, "[CUDA memcpy Unified Device-to-Device]", true};
    default:
      return {CopyKind::kUnknown, "[CUDA memcpy]"};
  }
}

// The name with "#" in place of each number: "step#12" gives "step#" (an existing "#" is not
// doubled), "iteration 12 of 90" gives "iteration # of #".
OpenMarkers::Series OpenMarkers::SeriesOf(const HostRow& row, std::string_view name) {
  std::string series;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      series += c;
    } else if (!series.ends_with('#')) {
      series += '#';
    }
  }
  return {row.thread.value, std::move(series)};
}

void OpenMarkers::AddStart(const HostRow& row, std::string_view name) {
  starts_[SeriesOf(row, name)].push_back(row.start);
}

void OpenMarkers::AddOpen(const HostRow& row, std::string_view name) {
  open_.emplace_back(row, SeriesOf(row, name));
}

void OpenMarkers::Finish(ProfileBuilder& builder) {
  for (auto& [series, starts] : starts_) std::sort(starts.begin(), starts.end());
  std::map<Series, std::size_t> without_end;
  for (const auto& [row, series] : open_) ++without_end[series];
  for (auto& [row, series] : open_) {
    const std::vector<Ns>& starts = starts_[series];
    const auto next = std::upper_bound(starts.begin(), starts.end(), row.start);
    if (next != starts.end()) {
      row.duration = std::min(row.duration, Between(row.start, *next));
    } else if (without_end[series] < starts.size()) {
      row.duration = 0;  // Other markers of the series have ends: this one was not finished.
    }
    builder.AddHost(row);
  }
}

}  // namespace profgauge::readers
