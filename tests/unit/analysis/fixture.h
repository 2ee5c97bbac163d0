// A profile in a few lines: the events of a test, in nanoseconds from the profile's start.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "model/profile_builder.h"

namespace profgauge::analysis {

inline constexpr Ns kMs = 1'000'000;

/// A range from `start` to `end`; tests read easier with ends than with durations.
struct At {
  Ns start = 0, end = 0;
  Ns duration() const { return end - start; }
};

class TestProfile {
 public:
  TestProfile() : main_(builder_.AddThread("1", "1")) {}

  ThreadId main() const { return main_; }
  ThreadId Thread(int tid) { return builder_.AddThread("1", std::to_string(tid)); }
  ProfileBuilder& builder() { return builder_; }

  void Host(HostKind kind, std::string_view name, At at, ThreadId thread = {},
            std::string_view shapes = {}, std::string_view stack = {}) {
    HostRow row;
    row.start = at.start;
    row.duration = at.duration();
    row.name = builder_.Intern(name);
    row.kind = kind;
    row.thread = thread.valid() ? thread : main_;
    if (!shapes.empty()) row.input_shapes = builder_.Intern(shapes);
    if (!stack.empty()) row.call_stack = builder_.Intern(stack);
    builder_.AddHost(row);
  }
  void Op(std::string_view name, At at, ThreadId thread = {}) {
    Host(HostKind::kOp, name, at, thread);
  }
  void Step(int number, At at) {
    Host(HostKind::kIterationMarker, "ProfilerStep#" + std::to_string(number), at);
  }
  void Call(std::string_view name, ApiKind kind, At at, ThreadId thread = {}) {
    AddCall(name, kind, at, thread, -1);
  }
  /// A runtime call and the device work that it launches. Default: a kernel on stream 7 of GPU 0.
  void Launch(std::string_view work, At call, At device, ThreadId thread = {},
              DeviceKind kind = DeviceKind::kKernel, std::int32_t gpu = 0,
              std::int64_t stream = 7) {
    ++correlation_;
    AddCall("cudaLaunchKernel", ApiKind::kLaunch, call, thread, correlation_);
    AddWork(work, device, kind, gpu, stream, correlation_, {});
  }
  /// A call that launches work which the profile does not have.
  void LostLaunch(At call) {
    AddCall("cudaLaunchKernel", ApiKind::kLaunch, call, {}, ++correlation_);
  }
  /// A call that copies, and its copy.
  void Copy(std::string_view call, At call_at, At device_at, CopyKind kind = CopyKind::kNone,
            HostMemory memory = HostMemory::kUnknown, std::int64_t bytes = -1) {
    AddCall(call, ApiKind::kMemcpy, call_at, {}, ++correlation_);
    CopyAlone(device_at, kind, memory, bytes, correlation_);
  }
  /// A copy on stream 7 of GPU 0, of a call that was not recorded.
  void CopyAlone(At at, CopyKind kind, HostMemory memory, std::int64_t bytes,
                 std::int64_t correlation = -1) {
    DeviceRow row;
    row.start = at.start;
    row.duration = at.duration();
    row.name = builder_.Intern("Memcpy");
    row.kind = DeviceKind::kMemcpy;
    row.gpu = 0;
    row.stream = 7;
    row.copy = kind;
    row.host_memory = memory;
    row.bytes = bytes;
    row.correlation = correlation;
    builder_.AddDevice(row);
  }
  /// Device work whose launch is not recorded.
  void Work(std::string_view work, At device, DeviceKind kind = DeviceKind::kKernel,
            std::int32_t gpu = 0, std::int64_t stream = 7, LaunchConfig config = {}) {
    AddWork(work, device, kind, gpu, stream, -1, config);
  }

  /// REQUIRES: something starts at 0, so that the test's times are the model's.
  Profile Finish() {
    auto profile = builder_.Finish();
    EXPECT_TRUE(profile.has_value()) << (profile ? "" : profile.error().message);
    return std::move(*profile);
  }

 private:
  void AddCall(std::string_view name, ApiKind kind, At at, ThreadId thread,
               std::int64_t correlation) {
    ApiRow row;
    row.start = at.start;
    row.duration = at.duration();
    row.name = builder_.Intern(name);
    row.kind = kind;
    row.thread = thread.valid() ? thread : main_;
    row.correlation = correlation;
    builder_.AddApi(row);
  }
  void AddWork(std::string_view work, At at, DeviceKind kind, std::int32_t gpu, std::int64_t stream,
               std::int64_t correlation, const LaunchConfig& config) {
    DeviceRow row;
    row.start = at.start;
    row.duration = at.duration();
    row.name = builder_.Intern(work);
    row.kind = kind;
    row.gpu = gpu;
    row.stream = stream;
    row.correlation = correlation;
    if (config != LaunchConfig{}) row.config = builder_.AddLaunchConfig(config);
    builder_.AddDevice(row);
  }

  ProfileBuilder builder_;
  ThreadId main_;
  std::int64_t correlation_ = 0;
};

inline std::vector<Profile> OneRank(Profile profile) {
  std::vector<Profile> ranks;
  ranks.push_back(std::move(profile));
  return ranks;
}

/// The analysis of a run of one rank, with a project's knowledge.
inline Analysis AnalyzeOne(const Profile& profile, classify::Knowledge knowledge = {}) {
  Selection selection;
  selection.knowledge = std::move(knowledge);
  auto analysis = Analyze(std::span(&profile, 1), selection);
  EXPECT_TRUE(analysis);
  return std::move(*analysis);
}

/// The metric's number; a failure of the test when it is absent.
inline double NumberOf(const Analysis& analysis, std::string_view id) {
  const Metric* metric = analysis.Find(id);
  if (metric == nullptr || IsAbsent(metric->value)) {
    ADD_FAILURE() << id << " is absent: " << (metric == nullptr ? "" : metric->absent_because);
    return 0;
  }
  return AsNumber(metric->value, 0);
}

}  // namespace profgauge::analysis
