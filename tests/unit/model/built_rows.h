// Rows for a ProfileBuilder, in a few words.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile_builder.h"

namespace profgauge {

inline constexpr HostId kNoHost{};

inline HostRow Op(ProfileBuilder& builder, std::string_view name, Ns start, Ns duration,
                  ThreadId thread, std::int64_t id = -1) {
  HostRow row;
  row.start = start;
  row.duration = duration;
  row.name = builder.Intern(name);
  row.thread = thread;
  row.id = id;
  return row;
}

inline ApiRow Launch(ProfileBuilder& builder, Ns start, Ns duration, ThreadId thread,
                     std::int64_t correlation, std::int64_t op_id = -1) {
  ApiRow row;
  row.start = start;
  row.duration = duration;
  row.name = builder.Intern("cudaLaunchKernel");
  row.kind = ApiKind::kLaunch;
  row.thread = thread;
  row.correlation = correlation;
  row.op_id = op_id;
  return row;
}

inline DeviceRow Kernel(ProfileBuilder& builder, Ns start, std::int64_t correlation) {
  DeviceRow row;
  row.start = start;
  row.duration = 10;
  row.name = builder.Intern("kernel");
  row.gpu = 0;
  row.stream = 7;
  row.correlation = correlation;
  return row;
}

inline std::vector<std::string_view> OpsOf(const Profile& profile) {
  std::vector<std::string_view> names;
  for (const auto op : profile.device.op) {
    names.push_back(op.valid() ? profile.Name(profile.host.name[op.value]) : "-");
  }
  return names;
}

}  // namespace profgauge
