// The trace that `--write trace` writes is read back as the profile that it was made of.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "readers/load.h"
#include "render/trace/chrome_trace.h"
#include "report/timeline.h"

namespace profgauge {
namespace {

// Times from the first event; and the name of the operator that launched it.
using Work = std::tuple<Ns, Ns, std::string, std::int64_t, std::int64_t, std::int64_t, std::string>;

std::vector<Work> WorkOf(const Profile& profile) {
  const DeviceTable& device = profile.device;
  std::vector<Work> out;
  for (std::size_t i = 0; i < device.size(); ++i) {
    const HostId op = device.op[i];
    out.emplace_back(device.start[i] - profile.first, device.duration[i],
                     std::string(profile.Name(device.name[i])), device.gpu[i], device.stream[i],
                     device.bytes[i],
                     op.valid() ? std::string(profile.Name(profile.host.name[op.value])) : "");
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Call = std::tuple<Ns, Ns, std::string, std::string>;
std::vector<Call> CallsOf(const Profile& profile) {
  std::vector<Call> out;
  const HostTable& host = profile.host;
  for (std::size_t i = 0; i < host.size(); ++i) {
    out.emplace_back(host.start[i] - profile.first, host.duration[i],
                     std::string(profile.Name(host.name[i])),
                     std::string(profile.Name(host.input_shapes[i])));
  }
  const ApiTable& api = profile.api;
  for (std::size_t i = 0; i < api.size(); ++i) {
    out.emplace_back(api.start[i] - profile.first, api.duration[i],
                     std::string(profile.Name(api.name[i])), "");
  }
  std::sort(out.begin(), out.end());
  return out;
}

Profile AgainOf(const Profile& profile) {
  report::Report report;
  report::TimelineOptions options;
  options.mode = report::TimelineOptions::Mode::kFull;
  report.timeline = report::BuildTimeline({&profile, 1}, report, options);
  const std::string path =
      ::testing::TempDir() + "round_trip_" + std::to_string(::getpid()) + ".json";
  std::ofstream(path, std::ios::binary) << render::RenderChromeTrace(report);
  auto again = readers::ReadProfile(path, {});
  std::filesystem::remove(path);
  EXPECT_TRUE(again) << again.error().message;
  return *std::move(again);
}

TEST(EmittedTrace, ReadBackAsTheSameProfile) {
  const auto profile =
      readers::ReadProfile(PROFGAUGE_SOURCE_DIR "/examples/slow.pt.trace.json.gz", {});
  ASSERT_TRUE(profile);
  const Profile again = AgainOf(*profile);
  EXPECT_GT(WorkOf(*profile).size(), 100u);
  EXPECT_EQ(WorkOf(again), WorkOf(*profile));
  EXPECT_GT(CallsOf(*profile).size(), 100u);
  EXPECT_EQ(CallsOf(again), CallsOf(*profile));
}

// Waiting for a semaphore is no work there either.
TEST(EmittedTrace, NeuronCoreHasItsWork) {
  const auto profile =
      readers::ReadProfile(PROFGAUGE_CASES_DIR "/neuron/trn2_two_cores/input.json", {});
  ASSERT_TRUE(profile);
  const auto sums = [](const Profile& of) {
    std::map<std::string, std::pair<std::int64_t, Ns>> out;
    for (std::size_t i = 0; i < of.device.size(); ++i) {
      auto& [count, time] = out[std::string(of.Name(of.device.name[i]))];
      ++count, time += of.device.duration[i];
    }
    return out;
  };
  const Profile again = AgainOf(*profile);
  auto expected = sums(*profile);
  const auto found = sums(again);
  EXPECT_EQ(found.count("EVENT_SEMAPHORE"), 0u);
  for (const auto& [name, sum] : expected) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_EQ(found.at(name), sum) << name;
  }
}

}  // namespace
}  // namespace profgauge
