// Readings of devices as the tools of their makers log them, and whose they are.
#include "readers/run_side/device_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

std::vector<RunDevice> Devices(std::string_view text) {
  auto devices = ReadDeviceLog(text);
  EXPECT_TRUE(devices.has_value()) << text;
  return devices ? *std::move(devices) : std::vector<RunDevice>();
}

double MedianOf(const RunDevice& device, std::string_view name) {
  const auto found = device.conditions.find(name);
  return found == device.conditions.end() ? std::nan("") : found->second.median;
}

double ShareOf(const RunDevice& device, std::string_view reason) {
  const auto found = device.reasons.find(reason);
  return found == device.reasons.end() ? 0 : found->second;
}

constexpr std::string_view kQuery =
    "timestamp, index, uuid, clocks.current.sm [MHz], clocks.max.sm [MHz], power.draw [W], "
    "power.draw.instant [W], power.limit [W], temperature.gpu, clocks_event_reasons.active\n"
    "2026/01/02 03:04:05.000, 0, GPU-a, 210 MHz, 1980 MHz, 80 W, 75.0 W, 700.00 W, 40, 0x1\n"
    "2026/01/02 03:04:06.000, 0, GPU-a, 1980 MHz, 1980 MHz, 500 W, 510.0 W, 700.00 W, 60, 0x0\n"
    "2026/01/02 03:04:07.000, 0, GPU-a, 1200 MHz, 1980 MHz, 600 W, 699.0 W, 700.00 W, 80, 0x4\n"
    "2026/01/02 03:04:08.000, 0, GPU-a, 1200 MHz, 1980 MHz, 600 W, 699.0 W, 700.00 W, 81, 0x44\n"
    "2026/01/02 03:04:05.000, 1, GPU-b, [N/A], 1980 MHz, [N/A], [N/A], 700.00 W, 33, 0x0\n";

TEST(DeviceLog, NvidiaSmiQuery) {
  const std::vector<RunDevice> devices = Devices(kQuery);
  ASSERT_EQ(devices.size(), 2u);
  const RunDevice& device = devices[0];
  EXPECT_EQ(device.id, 0);
  EXPECT_EQ(device.uuid, "GPU-a");
  // While it idles its clock drops: that sample does not count.
  EXPECT_EQ(MedianOf(device, "sm_mhz"), 1200);
  EXPECT_EQ(device.conditions.at("sm_mhz").most, 1980);
  EXPECT_EQ(device.conditions.at("sm_mhz").limit, 1980);
  EXPECT_EQ(MedianOf(device, "watts"), 699);  // The instant, not the average.
  EXPECT_EQ(device.conditions.at("watts").limit, 700);
  EXPECT_EQ(device.conditions.at("celsius").most, 81);
  EXPECT_DOUBLE_EQ(ShareOf(device, "sw_power_cap"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(ShareOf(device, "hw_thermal"), 1.0 / 3);
  EXPECT_TRUE(std::isnan(MedianOf(devices[1], "sm_mhz")));
  EXPECT_EQ(MedianOf(devices[1], "celsius"), 33);
}

TEST(DeviceLog, MemoryErrorsAreCounted) {
  const RunDevice device =
      Devices(
          "index, uuid, clocks.sm [MHz], ecc.errors.uncorrected.volatile.total\n"
          "0, GPU-a, 1500, 0\n0, GPU-a, 1400, 2\n0, GPU-a, 1400, 2\n")
          .at(0);
  EXPECT_EQ(device.conditions.at("ecc_uncorrected").most, 2);
  EXPECT_FALSE(Devices("index, clocks.sm [MHz], ecc.errors.uncorrected.volatile.total\n"
                       "0, 1500, [N/A]\n")
                   .at(0)
                   .conditions.contains("ecc_uncorrected"));
  EXPECT_EQ(Devices("DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"GPU-a\"} 1500\n"
                    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{gpu=\"0\",UUID=\"GPU-a\"} 1\n")
                .at(0)
                .conditions.at("ecc_uncorrected")
                .most,
            1);
  EXPECT_EQ(MedianOf(Devices(R"([{"gpu": 0, "clock": {"gfx_0": {"clk": "1500 MHz"}},
                                 "ecc": {"total_uncorrectable_count": 3}}])")
                         .at(0),
                     "ecc_uncorrected"),
            3);
}

// One of them is the run's own.
TEST(DeviceLog, ProcessesAtOneTime) {
  const std::vector<RunDevice> devices = Devices(
      "timestamp, gpu_uuid, pid, used_gpu_memory [MiB]\n"
      "2026/01/02 03:04:05.000, GPU-a, 100, 4000 MiB\n"
      "2026/01/02 03:04:05.000, GPU-b, 101, 4000 MiB\n"
      "2026/01/02 03:04:06.000, GPU-a, 100, 4000 MiB\n"
      "2026/01/02 03:04:06.000, GPU-a, 200, 500 MiB\n"
      "2026/01/02 03:04:06.000, GPU-a, 200, 500 MiB\n"
      "2026/01/02 03:04:06.000, GPU-b, 101, 4000 MiB\n"
      "2026/01/02 03:04:07.000, GPU-a, 300, 500 MiB\n"
      "2026/01/02 03:04:07.000, GPU-a, 100, 500 MiB\n");
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].uuid, "GPU-a");
  EXPECT_EQ(devices[0].conditions.at("other_processes").most, 1);
  EXPECT_EQ(devices[1].conditions.at("other_processes").most, 0);
}

TEST(DeviceLog, WithoutUnitsAndByOlderNames) {
  const RunDevice device = Devices(
                               "index, clocks.sm [MHz], clocks_throttle_reasons.sw_power_cap, "
                               "clocks_throttle_reasons.hw_thermal_slowdown\n"
                               "3, 1500, Active, Not Active\n3, 1400, Not Active, Not Active\n")
                               .at(0);
  EXPECT_EQ(device.id, 3);
  EXPECT_EQ(MedianOf(device, "sm_mhz"), 1450);
  EXPECT_EQ(ShareOf(device, "sw_power_cap"), 0.5);
  EXPECT_EQ(ShareOf(device, "hw_thermal"), 0);
}

// The growth of counters needs no sampling.
TEST(DeviceLog, CountersBeatSamples) {
  const RunDevice device =
      Devices(
          "timestamp, index, clocks.sm [MHz], clocks_event_reasons.active, "
          "clocks_event_reasons_counters.sw_power_cap [us]\n"
          "2026/12/31 23:59:59.000, 0, 1980 MHz, 0x0000000000000004, 1000000 us\n"
          "2027/01/01 00:00:09.000, 0, 1980 MHz, 0x0000000000000000, 3500000 us\n")
          .at(0);
  EXPECT_DOUBLE_EQ(ShareOf(device, "sw_power_cap"), 0.25);
}

// `sm` is utilization there, `pclk` the clock.
TEST(DeviceLog, NvidiaSmiDmon) {
  const std::string rows =
      "# gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk\n"
      "# Idx      W      C      C      %      %    MHz    MHz\n"
      "    0    512     61     70     99     45   2619   1980\n"
      "    0     90     50      -      0      0   2619    345\n"
      "# gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk\n"
      "# Idx      W      C      C      %      %    MHz    MHz\n"
      "    1    300     61     70     99     45   2619   1700\n";
  const std::vector<RunDevice> devices = Devices(rows);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(MedianOf(devices[0], "sm_mhz"), 1980);  // Without the idle sample.
  EXPECT_EQ(MedianOf(devices[0], "memory_mhz"), 2619);
  EXPECT_FALSE(devices[0].knows_reasons);
  EXPECT_EQ(MedianOf(devices[1], "watts"), 300);
  const RunDevice dated = Devices(
                              "#Date, Time, gpu, pwr, pclk\n#YYYYMMDD, HH:MM:SS, Idx, W, MHz\n"
                              "20260102, 03:04:05, 2, 400, 1900\n")
                              .at(0);
  EXPECT_EQ(dated.id, 2);
  EXPECT_EQ(MedianOf(dated, "sm_mhz"), 1900);
}

TEST(DeviceLog, Dcgm) {
  const RunDevice device = Devices(
                               "#Entity   SMCLK       MMCLK       POWER       TMPTR       DVCCL\n"
                               "ID\n"
                               "GPU 4     1980        2619        512.345     61          0\n"
                               "GPU 4     1200        2619        699.345     N/A         4\n")
                               .at(0);
  EXPECT_EQ(device.id, 4);
  EXPECT_EQ(MedianOf(device, "sm_mhz"), 1590);
  EXPECT_EQ(MedianOf(device, "celsius"), 61);
  EXPECT_EQ(ShareOf(device, "sw_power_cap"), 0.5);
  const RunDevice scraped =
      Devices(
          "# HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).\n"
          "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"GPU-a\",modelName=\"NVIDIA H100\"} 1980\n"
          "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-a\"} 500.5\n"
          "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"GPU-a\"} 1000\n")
          .at(0);
  EXPECT_EQ(scraped.uuid, "GPU-a");
  EXPECT_EQ(MedianOf(scraped, "sm_mhz"), 1490);
  EXPECT_EQ(MedianOf(scraped, "watts"), 500.5);
}

TEST(DeviceLog, Amd) {
  const std::string metric =
      R"([{"gpu": 0, "power": {"socket_power": {"value": 612, "unit": "W"}}, "clock": {"gfx_0":
      {"clk": {"value": 1700, "unit": "MHz"}, "max_clk": {"value": 2100, "unit": "MHz"}}, "mem_0":
      {"clk": {"value": 1300, "unit": "MHz"}}}, "temperature": {"hotspot": {"value": "N/A"}},
      "throttle": {"ppt_violation_activity": {"value": 12, "unit": "%"},
      "hbm_thermal_violation_activity": "N/A"}}])";
  for (const std::string& text : {metric, R"({"gpu_data": )" + metric + "}", metric + metric}) {
    const RunDevice device = Devices(text).at(0);
    EXPECT_EQ(MedianOf(device, "sm_mhz"), 1700);
    EXPECT_EQ(device.conditions.at("sm_mhz").limit, 2100);
    EXPECT_EQ(MedianOf(device, "memory_mhz"), 1300);
    EXPECT_EQ(MedianOf(device, "watts"), 612);
    EXPECT_FALSE(device.conditions.contains("celsius"));
    EXPECT_DOUBLE_EQ(ShareOf(device, "ppt_power_cap"), 0.12);
  }
  const RunDevice monitor = Devices(
                                "GPU  POWER  GPU_T  MEM_T  GFX_CLK  GFX%\n"
                                "  1  612 W  61 °C  N/A    1700 MHz  99 %\n")
                                .at(0);
  EXPECT_EQ(monitor.id, 1);
  EXPECT_EQ(MedianOf(monitor, "sm_mhz"), 1700);
  EXPECT_EQ(MedianOf(monitor, "celsius"), 61);
  const RunDevice csv = Devices(
                            "timestamp,gpu,power_usage,hotspot_temperature,gfx_clk,mem_clock\n"
                            "1767323045,0,612,61,1700,1300\n")
                            .at(0);
  EXPECT_EQ(MedianOf(csv, "memory_mhz"), 1300);
  const RunDevice rocm =
      Devices(R"x({"card3": {"sclk clock speed:": "(1700Mhz)", "mclk clock speed:": "(1300Mhz)",
              "Average Graphics Package Power (W)": "612.0", "Unique ID": "0x123",
              "Max Graphics Package Power (W)": "750.0", "GPU use (%)": "99"}, "system": {}})x")
          .at(0);
  EXPECT_EQ(rocm.id, 3);
  EXPECT_EQ(rocm.uuid, "0x123");
  EXPECT_EQ(MedianOf(rocm, "watts"), 612);
  EXPECT_EQ(rocm.conditions.at("watts").limit, 750);
}

TEST(DeviceLog, Zeus) {
  const RunDevice device =
      Devices("timestamp,gpu_index,power_mw\n1767323045.0,2,512000\n1767323045.1,2,514000\n").at(0);
  EXPECT_EQ(device.id, 2);
  EXPECT_EQ(MedianOf(device, "watts"), 513);
}

TEST(DeviceLog, OthersAreRefused) {
  for (const std::string_view text :
       {"", "\n\n", "{}", "[1, 2]", "{\"card0\": {}}", "step,time_ms\n1,2\n", "[{\"gpu\": {",
        "#\n#\n", "GPU POWER\n", "index, clocks.sm [MHz]\n0, [N/A]\n",
        "index, clocks.sm [MHz]\n0, 1e300\n", "index, clocks.sm [MHz]\n0, -5\n",
        "DCGM_FI_DEV_SM_CLOCK}{ 1"}) {
    const auto devices = ReadDeviceLog(text);
    ASSERT_FALSE(devices.has_value()) << text;
    EXPECT_EQ(devices.error().code, "conditions/no-readings");
  }
}

class DeviceLogAttach : public ::testing::Test {
 protected:
  std::string Write(const std::string& text) const {
    const fs::path path = fs::path(::testing::TempDir()) / "device_log.csv";
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  static Profile OfDevice(std::int32_t number) {
    Profile profile;
    profile.device.gpu = {number};
    profile.device.start = {0};
    return profile;
  }
};

constexpr std::string_view kTwoDevices =
    "index, uuid, clocks.sm [MHz]\n0, GPU-a, 1000\n1, GPU-b, 1100\n";

TEST_F(DeviceLogAttach, ByUuidElseByNumber) {
  std::vector<Profile> profiles;
  profiles.push_back(OfDevice(0));
  auto side = std::make_shared<RunSide>();
  side->document.emplace().devices.push_back({.id = 0, .uuid = "b"});
  profiles[0].run_side = side;
  const std::string file = Write(std::string(kTwoDevices));
  ASSERT_TRUE(AttachDeviceLogs(profiles, {file}, true));
  ASSERT_EQ(profiles[0].run_side->logged.size(), 1u);
  EXPECT_EQ(profiles[0].run_side->logged[0].uuid, "GPU-b");

  profiles[0].run_side = nullptr;
  profiles.push_back(OfDevice(1));
  ASSERT_TRUE(AttachDeviceLogs(profiles, {file}, true));
  EXPECT_EQ(profiles[0].run_side->logged.at(0).uuid, "GPU-a");
  EXPECT_EQ(profiles[1].run_side->logged.at(0).uuid, "GPU-b");
  EXPECT_EQ(DevicesOf(*profiles[1].run_side).front().uuid, "GPU-b");
}

TEST_F(DeviceLogAttach, AmbiguousDeviceZeroIsNotMatched) {
  std::vector<Profile> profiles;
  profiles.push_back(OfDevice(0));
  profiles.push_back(OfDevice(0));
  ASSERT_TRUE(AttachDeviceLogs(profiles, {Write(std::string(kTwoDevices))}, true));
  for (const Profile& profile : profiles) {
    EXPECT_TRUE(profile.run_side->logged.empty());
    ASSERT_EQ(profile.run_side->problems.size(), 1u);
    EXPECT_EQ(profile.run_side->problems[0].code, "conditions/other-device");
  }
}

// The log of one device is no other's: not of a stated UUID, of the other ranks, of one of many.
TEST_F(DeviceLogAttach, LogOfAnotherDeviceIsNobodys) {
  const std::string file = Write("index, uuid, clocks.sm [MHz]\n3, GPU-a, 1000\n");
  const auto devices = [&file](std::vector<Profile> profiles, bool are_all) {
    EXPECT_TRUE(AttachDeviceLogs(profiles, {file}, are_all));
    std::vector<std::size_t> found;
    for (const Profile& profile : profiles) found.push_back(profile.run_side->logged.size());
    return found;
  };
  using Found = std::vector<std::size_t>;
  const auto with_uuid = [](const std::string& uuid) {
    std::vector<Profile> profiles;
    profiles.push_back(OfDevice(3));
    auto side = std::make_shared<RunSide>();
    side->document.emplace().devices.push_back({.id = 3, .uuid = uuid});
    profiles[0].run_side = side;
    return profiles;
  };
  EXPECT_EQ(devices(with_uuid("b"), true), Found({0}));
  EXPECT_EQ(devices(with_uuid("a"), false), Found({1}));
  std::vector<Profile> ranks;
  for (const int device : {0, 1, 2, 3}) ranks.push_back(OfDevice(device));
  EXPECT_EQ(devices(std::move(ranks), true), Found({0, 0, 0, 1}));
  const auto alone = [](std::int64_t world) {
    std::vector<Profile> profiles;
    profiles.push_back(OfDevice(0));
    profiles[0].distributed.world_size = world;
    return profiles;
  };
  EXPECT_EQ(devices(alone(-1), true), Found({1}));
  EXPECT_EQ(devices(alone(-1), false), Found({0}));
  EXPECT_EQ(devices(alone(8), true), Found({0}));
}

TEST_F(DeviceLogAttach, TheOnlyOneIsEverybodys) {
  std::vector<Profile> profiles;
  profiles.push_back(OfDevice(5));
  ASSERT_TRUE(AttachDeviceLogs(profiles, {Write("index, clocks.sm [MHz]\n0, 1000\n")}, true));
  EXPECT_EQ(profiles[0].run_side->logged.size(), 1u);
  ASSERT_TRUE(AttachDeviceLogs(profiles, {}, true));
  const auto missing = AttachDeviceLogs(profiles, {"/nonexistent/log"}, true);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, "conditions/unreadable");
}

}  // namespace
}  // namespace profgauge::readers
