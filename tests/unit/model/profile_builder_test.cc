// Sorting and linking, shown on a handful of rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "built_rows.h"
#include "model/profile_builder.h"

namespace profgauge {
namespace {

using ::testing::ElementsAre;

TEST(ProfileBuilder, SortsRowsAndFindsParents) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  const auto other = builder.AddThread("1", "11");
  builder.AddHost(Op(builder, "inner", 2'000, 100, main));
  builder.AddHost(Op(builder, "elsewhere", 1'500, 900, other));
  builder.AddHost(Op(builder, "outer", 2'000, 500, main));
  builder.AddHost(Op(builder, "next", 2'500, 5, main));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  // The thread whose first event begins first comes first.
  EXPECT_THAT(profile->host.start, ElementsAre(0, 500, 500, 1'000));
  EXPECT_THAT(profile->host.parent, ElementsAre(kNoHost, kNoHost, HostId{1}, kNoHost));
  EXPECT_EQ(profile->origin_ns, 1'500);
  EXPECT_EQ(profile->last, 1'005);
}

// Of two ranges of one time the one with the lower number is around the other.
TEST(ProfileBuilder, OrderOfEqualRowsIsNotTheFiles) {
  for (const bool outer_first : {true, false}) {
    ProfileBuilder builder;
    const auto main = builder.AddThread("1", "10");
    HostRow outer = Op(builder, "outer", 0, 100, main), inner = Op(builder, "inner", 0, 100, main);
    outer.id = 3, inner.id = 4;
    builder.AddHost(outer_first ? outer : inner);
    builder.AddHost(outer_first ? inner : outer);
    const auto profile = builder.Finish();
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->Name(profile->host.name[0]), "outer");
    EXPECT_THAT(profile->host.parent, ElementsAre(kNoHost, HostId{0}));
  }
}

// Links look rows up by their thread.
TEST(ProfileBuilder, RefusesRowsWithoutAThread) {
  using Add = void (*)(ProfileBuilder&, ThreadId);
  constexpr Add kAdds[] = {
      [](ProfileBuilder& builder, ThreadId at) { builder.AddHost(Op(builder, "a", 5, 1, at)); },
      [](ProfileBuilder& builder, ThreadId at) { builder.AddApi(Launch(builder, 5, 1, at, 1)); },
      [](ProfileBuilder& builder, ThreadId at) { builder.AddMemory({.time = 5, .thread = at}); },
      [](ProfileBuilder& builder, ThreadId at) { builder.AddFlow({.id = 1, .thread = at}); },
      [](ProfileBuilder& builder, ThreadId at) {
        CpuSpan span;
        span.duration = 1;
        span.thread = at;
        span.core = 0;
        builder.AddCpuSpan(span);
      },
  };
  for (const Add add : kAdds) {
    for (const ThreadId missing : {ThreadId{}, ThreadId{1}}) {
      ProfileBuilder builder;
      add(builder, builder.AddThread("1", "1"));
      ASSERT_TRUE(builder.Finish());
      ProfileBuilder broken;
      broken.AddHost(Op(broken, "outer", 0, 10, broken.AddThread("1", "1")));
      add(broken, missing);
      const auto refused = broken.Finish();
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, "model/invariant");
    }
  }
}

TEST(ProfileBuilder, DoubledEventsCountOnce) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  for (int copy = 0; copy < 2; ++copy) {
    // Two ranges that begin and end together: their copies come after both.
    builder.AddHost(Op(builder, "outer", 0, 300, thread, 1));
    builder.AddHost(Op(builder, "inner", 0, 300, thread, 2));
    for (int i = 0; i < 3; ++i) {
      builder.AddApi(Launch(builder, i * 100, 10, thread, i + 1, 2));
      builder.AddDevice(Kernel(builder, i * 100 + 50, i + 1));
    }
  }
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->device.start, ElementsAre(50, 150, 250));
  EXPECT_THAT(profile->device.launch, ElementsAre(ApiId{0}, ApiId{1}, ApiId{2}));
  EXPECT_THAT(profile->api.start, ElementsAre(0, 100, 200));
  EXPECT_THAT(profile->host.parent, ElementsAre(kNoHost, HostId{0}));
  EXPECT_THAT(profile->facts, ElementsAre(std::pair<std::string, std::string>(
                                  "events recorded twice", "3 of the device; each counts once")));
}

// Rows without numbers are copies if all else is equal; of length 0 where others are copies.
TEST(ProfileBuilder, DoubledEventsWithoutNumbersCountOnce) {
  for (const bool has_device : {true, false}) {
    ProfileBuilder builder;
    const auto thread = builder.AddThread("1", "1");
    for (int copy = 0; copy < 2; ++copy) {
      builder.AddHost(Op(builder, "op", 0, 300, thread));
      for (int i = 0; i < 3 && has_device; ++i) {
        DeviceRow row = Kernel(builder, i * 100 + 50, -1);
        if (i == 2) row.duration = 0;
        builder.AddDevice(row);
      }
    }
    const auto profile = builder.Finish();
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->device.size(), has_device ? 3U : 0U);
    EXPECT_EQ(profile->host.size(), 1U);
    EXPECT_EQ(profile->facts.front().first, "events recorded twice");
  }
}

// Kernels of one graph launch share its correlation and, where clocks are coarse, their times.
TEST(ProfileBuilder, SimilarEventsAreNotDoubled) {
  ProfileBuilder builder;
  builder.AddDevice(Kernel(builder, 50, 1));
  builder.AddDevice(Kernel(builder, 60, 1));
  builder.AddDevice(Kernel(builder, 50, 2));
  DeviceRow other = Kernel(builder, 50, 1);
  other.stream = 8;
  builder.AddDevice(other);
  for (int i = 0; i < 2; ++i) {
    DeviceRow nothing = Kernel(builder, 90, 3);
    nothing.duration = 0;
    builder.AddDevice(nothing);
  }
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->device.size(), 6U);
  EXPECT_TRUE(profile->facts.empty());
}

TEST(ProfileBuilder, CountsRangesThatOverlapWithoutNesting) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "a", 0, 100, thread));
  builder.AddHost(Op(builder, "b", 50, 100, thread));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->host.parent, ElementsAre(kNoHost, HostId{0}));
  EXPECT_EQ(profile->log[Counter::ranges_overlapping], 1u);
}

// Iterations are marked one after the other; rounding makes them overlap by a nanosecond.
TEST(ProfileBuilder, ANeighborIsNoChild) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "step 1", 0, 100'001, thread));
  builder.AddHost(Op(builder, "step 2", 100'000, 100'000, thread));
  builder.AddHost(Op(builder, "at its end", 199'999, 1, thread));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->host.parent, ElementsAre(kNoHost, kNoHost, HostId{1}));
  EXPECT_EQ(profile->log[Counter::ranges_overlapping], 0u);
}

TEST(ProfileBuilder, LinksKernelToInnermostOp) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "outer", 0, 100'000, thread));
  builder.AddHost(Op(builder, "inner", 10'000, 20'000, thread));
  builder.AddApi(Launch(builder, 12'000, 3'000, thread, 1));
  builder.AddApi(Launch(builder, 50'000, 3'000, thread, 2));
  builder.AddApi(Launch(builder, 200'000, 3'000, thread, 3));
  for (int i = 1; i <= 4; ++i) builder.AddDevice(Kernel(builder, 300'000 + i * 100, i));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(OpsOf(*profile), ElementsAre("inner", "outer", "-", "-"));
  EXPECT_EQ(profile->log[Counter::kernels_without_op], 1u);
  EXPECT_EQ(profile->log[Counter::kernels_without_launch], 1u);
}

// In traces with whole microseconds neighbors touch; only the id shows which of them launched.
std::vector<std::int64_t> LaunchStarts(const Profile& profile) {
  std::vector<std::int64_t> starts;
  for (const ApiId call : profile.device.launch) {
    starts.push_back(call.valid() ? profile.api.start[call.value] : -1);
  }
  return starts;
}

TEST(ProfileBuilder, RepeatedCorrelationsAreTakenInOrder) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  for (const Ns start : {0, 100, 200}) {
    builder.AddApi(Launch(builder, start, 10, main, 7));
    builder.AddApi(Launch(builder, start + 2, 5, main, 7));  // The driver's call inside.
  }
  // The second starts when the third call is made already.
  for (const Ns start : {20, 210, 300}) builder.AddDevice(Kernel(builder, start, 7));
  EXPECT_EQ(LaunchStarts(*builder.Finish()), (std::vector<std::int64_t>{0, 100, 200}));
}

TEST(ProfileBuilder, LastCallBeforeWorkLaunchedIt) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  for (const Ns start : {100, 200, 300}) builder.AddApi(Launch(builder, start, 10, main, 7));
  for (const Ns start : {50, 220}) builder.AddDevice(Kernel(builder, start, 7));
  EXPECT_EQ(LaunchStarts(*builder.Finish()),
            (std::vector<std::int64_t>{-1, 150}));  // Part of 200: counted from the first event.
}

TEST(ProfileBuilder, IdDecidesBetweenTouchingRanges) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "outer", 100'000, 100'000, thread, 2));
  builder.AddHost(Op(builder, "inner", 120'000, 70'000, thread, 4));
  builder.AddApi(Launch(builder, 120'000, 0, thread, 1, 2));
  builder.AddApi(Launch(builder, 190'000, 0, thread, 2, 4));
  builder.AddApi(Launch(builder, 190'000, 0, thread, 3));
  for (int i = 1; i <= 3; ++i) builder.AddDevice(Kernel(builder, 300'000 + i * 100, i));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(OpsOf(*profile), ElementsAre("outer", "inner", "outer"));
}

// PyTorch 1.12 to 2.2: ids name ops that did not launch (kineto#843).
TEST(ProfileBuilder, IdOfUnrelatedOpIsIgnored) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  const auto other = builder.AddThread("1", "2");
  builder.AddHost(Op(builder, "early", 0, 10'000, thread, 7));
  builder.AddHost(Op(builder, "true", 20'000, 10'000, thread, 8));
  builder.AddHost(Op(builder, "elsewhere", 20'000, 10'000, other, 9));
  builder.AddApi(Launch(builder, 22'000, 1'000, thread, 1, 7));
  builder.AddApi(Launch(builder, 24'000, 1'000, thread, 2, 9));
  for (int i = 1; i <= 2; ++i) builder.AddDevice(Kernel(builder, 300'000 + i * 100, i));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(OpsOf(*profile), ElementsAre("true", "true"));
  EXPECT_EQ(profile->log[Counter::ids_not_containing_launch], 2u);
}

TEST(ProfileBuilder, AnnotationsAreNoOps) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "op", 0, 100'000, thread));
  auto note = Op(builder, "note", 10'000, 50'000, thread);
  note.kind = HostKind::kAnnotation;
  builder.AddHost(note);
  builder.AddApi(Launch(builder, 20'000, 1'000, thread, 1));
  builder.AddDevice(Kernel(builder, 300'000, 1));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->api.op[0], HostId{1});
  EXPECT_THAT(OpsOf(*profile), ElementsAre("op"));
}

TEST(ProfileBuilder, BackwardFollowsArrowsThenSequenceNumbers) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "1");
  const auto back = builder.AddThread("1", "2");
  auto wrapper = Op(builder, "aten::linear", 0, 100, main);
  auto forward = Op(builder, "aten::addmm", 10, 50, main);
  forward.sequence = 5;
  auto arrow_target = Op(builder, "AddmmBackward0", 500, 50, back);
  arrow_target.sequence = 4;  // The arrow wins.
  arrow_target.backward = true;
  auto by_number = Op(builder, "evaluate_function: AddmmBackward0", 600, 50, back);
  by_number.sequence = 5;
  by_number.backward = true;
  for (const auto& row : {wrapper, forward, arrow_target, by_number}) builder.AddHost(row);
  builder.AddFlow({.id = 1, .thread = back, .time = 500, .forward = false});
  builder.AddFlow({.id = 1, .thread = main, .time = 0, .forward = true});
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->host.forward, ElementsAre(kNoHost, kNoHost, HostId{0}, HostId{1}));
}

TEST(ProfileBuilder, MemoryEventsBelongToInnermostRange) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "outer", 0, 100, thread));
  builder.AddHost(Op(builder, "inner", 20, 10, thread));
  builder.AddMemory({.time = 50, .thread = thread, .bytes = -4});
  builder.AddMemory({.time = 25, .thread = thread, .bytes = 4});
  builder.AddMemory({.time = 500, .thread = thread, .bytes = 4});
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->memory.time, ElementsAre(25, 50, 500));
  EXPECT_THAT(profile->memory.op, ElementsAre(HostId{1}, HostId{0}, kNoHost));
}

TEST(ProfileBuilder, NamesThreadsAndPoolsLaunches) {
  ProfileBuilder builder;
  builder.NameProcess("12", "python");
  const auto thread = builder.AddThread("12", "34");
  builder.NameThread("12", "34", "main");
  EXPECT_EQ(builder.AddThread("12", "34"), thread);
  LaunchConfig config;
  config.registers = 32;
  EXPECT_EQ(builder.AddLaunchConfig(config), builder.AddLaunchConfig(config));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->threads[0].process, "pid 12 python");
  EXPECT_EQ(profile->threads[0].name, "main");
  EXPECT_EQ(profile->threads[0].tid, 34);
  EXPECT_EQ(profile->launch_configs.size(), 1u);
}

// PyProf's markers carry a stack and are around the operator that was called with it.
TEST(ProfileBuilder, OperatorsTakeSurroundingMarkersStack) {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  const auto add = [&](const char* name, HostKind kind, Ns start, Ns duration, const char* stack) {
    HostRow row;
    row.start = start;
    row.duration = duration;
    row.name = builder.Intern(name);
    row.kind = kind;
    row.thread = thread;
    if (stack != nullptr) row.call_stack = builder.Intern(stack);
    builder.AddHost(row);
  };
  add("traceMarker", HostKind::kAnnotation, 0, 100, "train.py(3)");
  add("linear", HostKind::kOp, 10, 80, nullptr);
  add("addmm", HostKind::kOp, 20, 50, nullptr);
  add("relu", HostKind::kOp, 75, 10, "own.py(1)");
  add("alone", HostKind::kOp, 200, 10, nullptr);
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  std::vector<std::string> stacks;
  for (const StringId stack : profile->host.call_stack.values())
    stacks.emplace_back(profile->Name(stack));
  EXPECT_EQ(stacks, (std::vector<std::string>{"train.py(3)", "train.py(3)", "train.py(3)",
                                              "own.py(1)", ""}));
}

// ROCm's runtime copies and sets with its own kernels.
TEST(ProfileBuilder, RuntimesCopyKernelsAreCopies) {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  const auto add = [&](std::string_view call, std::string_view work, Ns at, DeviceKind kind) {
    ApiRow api = Launch(builder, at, 10, thread, at);
    api.name = builder.Intern(call);
    builder.AddApi(api);
    DeviceRow row = Kernel(builder, at + 20, at);
    row.name = builder.Intern(work);
    row.kind = kind;
    builder.AddDevice(row);
  };
  add("hipMemcpyDtoDAsync", "__amd_rocclr_copyBuffer.kd", 100, DeviceKind::kKernel);
  add("hipMemcpyWithStream", "__amd_rocclr_copyBufferAligned", 200, DeviceKind::kKernel);
  add("hipMemsetAsync", "__amd_rocclr_fillBufferAligned.kd", 300, DeviceKind::kKernel);
  add("hipLaunchKernel", "copyBuffer", 400, DeviceKind::kKernel);
  // The profile has the copy of this call as well: its kernel is no second one.
  add("hipMemcpyAsync", "__amd_rocclr_copyBuffer", 500, DeviceKind::kKernel);
  DeviceRow copy = Kernel(builder, 540, 500);
  copy.kind = DeviceKind::kMemcpy;
  copy.copy = CopyKind::kDeviceToDevice;
  builder.AddDevice(copy);
  auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  using enum DeviceKind;
  EXPECT_THAT(profile->device.kind,
              ElementsAre(kMemcpy, kMemcpy, kMemset, kKernel, kKernel, kMemcpy));
  EXPECT_THAT(profile->device.copy.values(),
              ElementsAre(CopyKind::kDeviceToDevice, CopyKind::kUnknown, CopyKind::kNone,
                          CopyKind::kNone, CopyKind::kNone, CopyKind::kDeviceToDevice));
}

}  // namespace
}  // namespace profgauge
