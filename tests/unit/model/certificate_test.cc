// Faults that a profile shows, on a handful of rows with known truth.
#include "model/certificate.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "built_rows.h"
#include "model/profile_builder.h"

namespace profgauge {
namespace {

constexpr Ns kUs = 1'000;

// The host waits for a copy after every ten kernels. The device's clock is `ahead`, and gains
// `drift` with each wait.
Profile WithWaits(Ns ahead, Ns drift = 0) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  int id = 0;
  for (int i = 0; i < 20; ++i) {
    const Ns at = i * 2000 * kUs;
    const Ns off = ahead + i * drift;
    for (int k = 0; k < 10; ++k) {
      builder.AddApi(Launch(builder, at + k * 10 * kUs, 5 * kUs, main, ++id));
      DeviceRow kernel = Kernel(builder, at + 10 * kUs + k * 150 * kUs + off, id);
      kernel.duration = 150 * kUs;
      builder.AddDevice(kernel);
    }
    ApiRow call = Launch(builder, at + 110 * kUs, 5 * kUs, main, ++id);
    call.kind = ApiKind::kMemcpy;
    builder.AddApi(call);
    DeviceRow copy = Kernel(builder, at + 1510 * kUs + off, id);
    copy.kind = DeviceKind::kMemcpy;
    copy.copy = CopyKind::kDeviceToHost;
    builder.AddDevice(copy);
    ApiRow wait = Launch(builder, at + 120 * kUs, 1400 * kUs, main, -1);
    wait.name = builder.Intern("cudaStreamSynchronize");
    wait.kind = ApiKind::kSync;
    builder.AddApi(wait);
  }
  return *builder.Finish();
}

TEST(Certificate, ReportsWorkAfterItsWait) {
  EXPECT_EQ(FactOf(WithWaits(0), kDeviceClock), "");
  EXPECT_EQ(FactOf(WithWaits(300 * kUs), kDeviceClock), "");
  EXPECT_NE(FactOf(WithWaits(5000 * kUs), kDeviceClock).find(" ahead of the host's"),
            std::string::npos);
  EXPECT_NE(FactOf(WithWaits(0, 200 * kUs), kDeviceClock), "");
}

// Kernels of these lengths, one after another.
Profile WithLengths(const std::vector<Ns>& lengths, int repaired = 0, Ns apart = 10 * kUs) {
  ProfileBuilder builder;
  builder.log().Add(Counter::events_negative_dur, static_cast<std::uint64_t>(repaired));
  Ns at = 10 * kUs;
  for (const Ns length : lengths) {
    DeviceRow kernel = Kernel(builder, at, -1);
    kernel.duration = length;
    builder.AddDevice(kernel);
    at += apart;
  }
  return *builder.Finish();
}

TEST(Certificate, NamesResolutionTooCoarseForKernels) {
  EXPECT_EQ(FactOf(WithLengths({0, kUs, 2 * kUs, kUs}), kTimeResolution),
            "1 us; 1 of 4 kernels have no length");
  EXPECT_EQ(FactOf(WithLengths({kUs, kUs, 2 * kUs}), kTimeResolution), "");
  EXPECT_EQ(FactOf(WithLengths({0, kUs, 1'500}), kTimeResolution), "");
  // A length that was repaired, and starts of another resolution.
  EXPECT_EQ(FactOf(WithLengths({0, kUs, 2 * kUs, kUs}, 1), kTimeResolution), "");
  EXPECT_EQ(FactOf(WithLengths({0, kUs, 2 * kUs, kUs}, 0, 10'100), kTimeResolution), "");
}

// Ten iterations of three kernels and a collective; the works of `lost` collectives are missing.
Profile WithCollectives(int lost, bool captured = false) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  const auto call = [&](const char* name, Ns at) {
    ApiRow row = Launch(builder, at, 1, main, -1);
    row.name = builder.Intern(name);
    row.kind = ApiKind::kOther;
    builder.AddApi(row);
  };
  int id = 0;
  for (int i = 0; i < 10; ++i) {
    const Ns at = i * 1000 * kUs;
    builder.AddHost(Op(builder, "nccl:all_reduce", at + 500 * kUs, 50 * kUs, main));
    if (captured && i < lost) call("cudaStreamBeginCapture", at + 490 * kUs);
    for (const Ns offset : {0, 100, 200, 510}) {
      const bool is_lost = offset == 510 && i < lost;
      builder.AddApi(Launch(builder, at + offset * kUs, 5 * kUs, main, ++id));
      if (!is_lost) builder.AddDevice(Kernel(builder, at + offset * kUs + 10 * kUs, id));
    }
    if (captured && i < lost) call("cudaStreamEndCapture", at + 560 * kUs);
  }
  return *builder.Finish();
}

TEST(Certificate, ReportsCollectivesWithoutWork) {
  EXPECT_EQ(FactOf(WithCollectives(0), kCollectivesLost), "");
  EXPECT_EQ(FactOf(WithCollectives(2), kCollectivesLost), "");
  EXPECT_EQ(FactOf(WithCollectives(5), kCollectivesLost), "5 of 9 launches");
  EXPECT_EQ(FactOf(WithCollectives(5, true), kCollectivesLost), "");
}

TEST(Certificate, EveryColumnOfRangesIsAsLong) {
  for (const std::string_view column : {"none", "domain", "style"}) {
    ProfileBuilder builder;
    builder.AddHost(Op(builder, "a", 0, 10, builder.AddThread("1", "1")));
    Profile profile = *builder.Finish();
    if (column == "domain") profile.host.domain = OptionalColumn<StringId>();
    if (column == "style") profile.host.style = OptionalColumn<RangeStyle>();
    const Status status = CheckInvariants(profile);
    ASSERT_EQ(status.has_value(), column == "none") << column;
    if (status) continue;
    EXPECT_EQ(status.error().message, "the profile's host table breaks its promises");
  }
}

}  // namespace
}  // namespace profgauge
