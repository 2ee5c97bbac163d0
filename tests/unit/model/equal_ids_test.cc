// Operators that all have one external id: each call still finds the one around it, and at once.
#include <gtest/gtest.h>

#include "model/profile_builder.h"

namespace profgauge {
namespace {

TEST(Link, EqualExternalIds) {
  constexpr int kOps = 200'000;  // Looked for in each other they would take minutes.
  ProfileBuilder builder;
  const ThreadId main = builder.AddThread("1", "1"), other = builder.AddThread("1", "2");
  for (int i = 0; i < kOps; ++i) {
    HostRow op;
    op.start = i * 100;
    op.duration = 90;
    op.name = builder.Intern(i % 2 == 0 ? "even" : "odd");
    op.kind = HostKind::kOp;
    op.thread = main;
    op.id = 7;
    builder.AddHost(op);
    ApiRow call;
    call.start = i * 100 + 10;
    call.duration = 5;
    call.name = builder.Intern("cudaLaunchKernel");
    call.kind = ApiKind::kLaunch;
    call.thread = i % 10 == 0 ? other : main;  // Of a thread that has no such operator.
    call.op_id = 7;
    builder.AddApi(call);
  }
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  for (std::uint32_t row = 0; row < profile->api.size(); ++row) {
    const HostId op = profile->api.op[row];
    if (profile->api.thread[row] == other) continue;
    ASSERT_TRUE(op.valid());
    ASSERT_EQ(profile->host.start[op.value], profile->api.start[row] - 10);
  }
}

}  // namespace
}  // namespace profgauge
