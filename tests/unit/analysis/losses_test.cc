// Numbers that are withheld for a profile that lost work, and remarks on a profile of which a part
// is judged.
#include <functional>

#include "analysis/iterations/iterations.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

bool IsRemarked(const Analysis& analysis, std::string_view id) {
  return std::any_of(analysis.remarks.begin(), analysis.remarks.end(),
                     [&](const Remark& remark) { return remark.id == id; });
}

std::string IdOfNothing(const Analysis& analysis) {
  for (const std::string_view id : {"no-device-events", "no-kernels", "collectives-only"}) {
    if (IsRemarked(analysis, id)) return std::string(id);
  }
  return "";
}

TEST(Losses, RunsWithoutJudgeableWorkAreTold) {
  const auto id_of = [](auto&& fill) {
    TestProfile test;
    test.Step(0, {0, kMs});
    fill(test);
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    EXPECT_TRUE(analysis.has_value());
    return IdOfNothing(*analysis);
  };
  const auto backend = [&](std::string_view name) {
    return id_of([&](TestProfile& test) {
      test.Op("aten::mm", {10, 20});
      test.builder().distributed().backend = name;
    });
  };
  const auto op = [&](std::string_view name) {
    return id_of([&](TestProfile& test) { test.Op(name, {10, 20}); });
  };
  for (const char* name : {"nccl", "rccl", "hccl", "xccl"}) {
    EXPECT_EQ(backend(name), "no-device-events") << name;
    EXPECT_EQ(op(std::string(name) + ":all_reduce"), "no-device-events") << name;
  }
  for (const char* name : {"gloo", "mpi", "cpu:gloo,cuda:nccl", ""}) EXPECT_EQ(backend(name), "");
  EXPECT_EQ(op("aten::cudnn_convolution"), "no-device-events");
  EXPECT_EQ(op("aten::_scaled_dot_product_flash_attention"), "no-device-events");
  EXPECT_EQ(op("aten::_scaled_dot_product_flash_attention_for_cpu"), "");
  EXPECT_EQ(op("aten::mm"), "");
  EXPECT_EQ(id_of([](TestProfile& test) { test.LostLaunch({10, 20}); }), "no-device-events");
  EXPECT_EQ(id_of([](TestProfile& test) {
              test.Copy("cudaMemcpyAsync", {10, 20}, {30, 40});
            }),
            "no-kernels");
  EXPECT_EQ(id_of([](TestProfile& test) {
              DeviceRow row;
              row.start = 10;
              row.duration = 20;
              row.kind = DeviceKind::kKernel;
              row.name = test.builder().Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL()");
              test.builder().AddDevice(row);
            }),
            "collectives-only");
  EXPECT_EQ(id_of([](TestProfile& test) { test.Launch("k", {10, 20}, {30, 40}); }), "");
}

// Ten steps of one launch each, except for those from `from` on up to `to`.
TestProfile StepsWithout(int from, int to) {
  TestProfile test;
  for (int i = 0; i < 10; ++i) {
    const Ns at = i * 1'000'000;
    test.Step(i, {at, at + 1'000'000});
    if (i >= from && i < to) continue;
    test.Launch("k", {at + 10, at + 20}, {at + 30, at + 900'000});
  }
  return test;
}

TEST(Losses, LaunchlessIterationsMakeIdleUndecided) {
  struct Case {
    int from, to;
    bool is_lost;
  };
  for (const Case& of : {Case{0, 0, false}, Case{4, 5, false}, Case{3, 6, true}}) {
    const auto analysis = Analyze(OneRank(StepsWithout(of.from, of.to).Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(IsRemarked(*analysis, "iterations-lost"), of.is_lost);
    EXPECT_EQ(analysis->Find("gpu.idle.mean")->low_confidence, of.is_lost);
    EXPECT_EQ(analysis->Find("gpu.idle_cause.host_wait")->low_confidence, of.is_lost);
    EXPECT_FALSE(analysis->Find("iteration.time.mean")->low_confidence);
  }
}

// Steps of ten launches each; those of some steps have no work.
Profile StepsWithLostWork(int steps, const std::function<bool(int step, int launch)>& is_lost) {
  TestProfile test;
  for (int i = 0; i < steps; ++i) {
    const Ns at = i * kMs;
    test.Step(i, {at, at + kMs});
    for (int k = 0; k < 10; ++k) {
      const Ns call = at + k * 90'000;
      test.Op("aten::mm", {call, call + 9'000});
      if (is_lost(i, k)) {
        test.LostLaunch({call + 1'000, call + 6'000});
      } else {
        test.Launch("k", {call + 1'000, call + 6'000}, {call + 8'000, call + 80'000});
      }
    }
  }
  return test.Finish();
}

// A kernel that is there, but was left out for its times, was recorded.
TEST(Losses, KernelsAreCalledUsable) {
  const Profile profile = StepsWithLostWork(20, [](int, int launch) { return launch == 5; });
  const auto analysis = Analyze(std::span(&profile, 1), {});
  ASSERT_TRUE(analysis.has_value());
  const auto& checks = analysis->certificate.checks;
  const auto lost = std::ranges::find(checks, "kernels-lost", &CertificateCheck::id);
  ASSERT_NE(lost, checks.end());
  EXPECT_EQ(lost->text.substr(0, lost->text.find(';')), "20 of 200 launches have no usable kernel");
}

// Iterations that the profiler loses while it starts (kineto#996): the first steps are no
// iterations.
TEST(Losses, SkipsLeadingIterationsWithoutWork) {
  struct Case {
    int lost_steps, lost_launches, dropped;
  };
  for (const Case& of :
       {Case{0, 0, 0}, Case{1, 10, 1}, Case{1, 3, 1}, Case{1, 2, 0}, Case{3, 10, 3}}) {
    const Profile profile = StepsWithLostWork(20, [&of](int step, int launch) {
      return step < of.lost_steps && launch < of.lost_launches;
    });
    const auto found = iterations::FindIterations(profile, {});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->dropped_at_start, of.dropped);
    EXPECT_EQ(found->all.front().name, std::to_string(of.dropped));
    const auto analysis = Analyze(std::span(&profile, 1), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(analysis->iterations_total, 20);
    EXPECT_EQ(analysis->iterations_selected, 20 - of.dropped);
    EXPECT_EQ(IsRemarked(*analysis, "incomplete-start"), of.dropped > 0);
  }
}

// One that does less has fewer operators and launches, and all of its launches ran.
TEST(Losses, ALeadingIterationThatDoesLessStays) {
  TestProfile test;
  for (int i = 0; i < 8; ++i) {
    const Ns at = i * kMs;
    test.Step(i, {at, at + kMs});
    for (int k = 0; k < (i == 0 ? 3 : 9); ++k) {
      const Ns call = at + k * 90'000;
      test.Op("aten::mm", {call, call + 9'000});
      test.Launch("k", {call + 1'000, call + 6'000}, {call + 8'000, call + 80'000});
    }
  }
  EXPECT_EQ(iterations::FindIterations(test.Finish(), {})->dropped_at_start, 0);
}

// However small its share of all launches.
TEST(Losses, IterationWithoutRunLaunchesIsLost) {
  for (const bool is_lost : {false, true}) {
    const Profile profile =
        StepsWithLostWork(200, [is_lost](int step, int) { return is_lost && step == 77; });
    const auto analysis = Analyze(std::span(&profile, 1), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(IsRemarked(*analysis, "iterations-lost"), is_lost);
  }
}

// Without markers, too. Those that were queued behind recorded work may have been in flight.
TEST(Losses, WorkOfTheLastLaunchesIsMissing) {
  struct Case {
    int lost;
    Ns apart;
    bool is_lost;
  };
  for (const Case& of :
       {Case{0, 100'000, false}, {15, 100'000, false}, {60, 100'000, true}, {60, 1'000, false}}) {
    TestProfile test;
    for (int k = 0; k < 100; ++k) {
      const Ns call = k * of.apart, work = k * 100'000 + 10'000;
      if (k < 100 - of.lost) {
        test.Launch("k" + std::to_string(k * k), {call, call + 500}, {work, work + 60'000});
      } else {
        test.LostLaunch({call, call + 500});
      }
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(IsRemarked(*analysis, "iterations-lost"), of.is_lost) << of.lost << " " << of.apart;
  }
}

// Markers are written when they begin, so the last may be longer than the recording.
TEST(Losses, AProfileEndsInsideAnIteration) {
  for (const int steps : {1, 12}) {
    for (const Ns kept : {kMs, kMs - 120'000, kMs / 2}) {
      TestProfile test;
      for (int i = 0; i < steps; ++i) {
        const Ns at = i * kMs;
        test.Step(i, {at, at + kMs});
        for (int k = 0; k < 50; ++k) {
          const Ns call = at + k * 20'000;
          if (i + 1 == steps && k * 20'000 >= kept) break;
          test.Launch("k", {call, call + 5'000}, {call + 5'000, call + 19'000});
        }
      }
      const auto analysis = Analyze(OneRank(test.Finish()), {});
      ASSERT_TRUE(analysis.has_value());
      EXPECT_EQ(IsRemarked(*analysis, "iterations-lost"), steps == 1 && kept == kMs / 2);
      const bool is_cut = steps > 1 && kept < kMs;
      EXPECT_EQ(IsRemarked(*analysis, "incomplete-iterations"), is_cut) << steps << " " << kept;
      EXPECT_EQ(analysis->iterations_selected, steps - (is_cut ? 1 : 0));
    }
  }
}

// From a hundredth on the verdict knows how far idle time may be lost work, from a twentieth on the
// profile is incomplete.
TEST(Losses, LostLaunchesBoundIdleTime) {
  struct Case {
    int one_of;
    bool is_bound, is_loss;
  };
  for (const Case& of : {Case{1000, false, false}, Case{50, true, false}, Case{16, true, true}}) {
    int count = 0;
    const Profile profile =
        StepsWithLostWork(100, [&](int, int) { return ++count % of.one_of == 0; });
    EXPECT_EQ(profile.log.HasDataLoss(), of.is_loss);
    const auto analysis = Analyze(std::span(&profile, 1), {});
    ASSERT_TRUE(analysis.has_value());
    const Metric& idle = *analysis->Find("gpu.idle.mean");
    EXPECT_EQ(idle.may_be.has_value(), of.is_bound);
    if (!of.is_bound) continue;
    const double all = AsNumber(idle.value, -1);
    EXPECT_NEAR(*idle.may_be, all - (1 - all) / (of.one_of - 1), 0.01);
  }
}

// Work belongs to the iteration in which it runs when its launch is unknown.
TEST(Losses, UnlaunchedWorkBelongsByTime) {
  std::vector<double> times;
  for (const bool is_linked : {true, false}) {
    TestProfile test;
    for (int i = 0; i < 4; ++i) {
      const Ns at = i * kMs;
      test.Step(i, {at, at + kMs});
      test.Launch("k", {at, at + 5'000}, {at + 10'000, at + 600'000});
      const At work = {at + 620'000, at + 900'000};
      if (is_linked) {
        test.Launch("ncclDevKernel_AllReduce", {at + 6'000, at + 9'000}, work, {},
                    DeviceKind::kKernel, 0, 20);
      } else {
        test.Work("ncclDevKernel_AllReduce", work, DeviceKind::kKernel, 0, 20);
      }
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    times.push_back(NumberOf(*analysis, "profile.kernel_time"));
    EXPECT_EQ(NumberOf(*analysis, "coverage.outside_share"), 0);
    EXPECT_NEAR(NumberOf(*analysis, "iteration.time.mean"), 1e6, 1);
  }
  EXPECT_EQ(times[0], times[1]);
}

TEST(Losses, OverlappingMarkersMakeRunUndecided) {
  for (const int back : {0, 5}) {
    TestProfile test;
    for (int i = 0; i < 12; ++i) {
      const Ns at = (i < 6 ? i : i - back) * kMs;
      test.Step(i, {at, at + 980'000});
      test.Launch("k", {at, at + 5'000}, {i * kMs + 10'000, i * kMs + 900'000});
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(IsRemarked(*analysis, "markers-displaced"), back > 0);
  }
}

// Two lost events of a million change no idle time that anybody would look at. A single one is the
// statement of a profiler that does not count them.
TEST(Losses, ManyLostEventsMakeIdleUndecided) {
  for (const std::uint64_t lost : {0U, 1U, 2U, 100U}) {
    TestProfile test = StepsWithout(0, 0);
    Profile profile = test.Finish();
    profile.log.Add(Counter::events_read, 10'000);
    profile.log.Add(Counter::events_dropped, lost);
    const auto analysis = Analyze(OneRank(std::move(profile)), {});
    ASSERT_TRUE(analysis.has_value());
    const bool is_open = lost == 1 || lost == 100;
    EXPECT_EQ(analysis->Find("gpu.idle.mean")->low_confidence, is_open);
    // The work that lost kernels would have hidden, too.
    for (const std::string_view id :
         {"breakdown.runtime", "breakdown.memcpy", "breakdown.communication"}) {
      EXPECT_EQ(analysis->Find(id)->low_confidence, is_open) << id;
    }
  }
}

// A tool that was not asked for copies: the device seems to wait while it copies.
TEST(Losses, UnrecordedCopiesMakeIdleUndecided) {
  Profile profile = StepsWithout(0, 0).Finish();
  profile.log.Add(Counter::copies_not_recorded, 20);
  const auto analysis = Analyze(OneRank(std::move(profile)), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_TRUE(analysis->Find("gpu.idle.mean")->low_confidence);
  EXPECT_TRUE(IsAbsent(analysis->Find("memcpy.h2d.bytes_per_iteration")->value));
  const Metric& copies = *analysis->Find("breakdown.memcpy");
  ASSERT_TRUE(copies.may_be.has_value());
  EXPECT_DOUBLE_EQ(*copies.may_be, AsNumber(analysis->Find("gpu.idle.mean")->value, -1));
}

// That no kernel communicates or uses Tensor Cores is no finding where they have no names.
TEST(Losses, UnnamedKernelsAreUnknown) {
  for (const bool is_lost : {false, true}) {
    TestProfile test;
    for (int i = 0; i < 10; ++i) {
      const Ns at = i * 1'000'000;
      test.Step(i, {at, at + 1'000'000});
      test.Launch("ampere_sgemm_64x64_nn", {at + 10, at + 20}, {at + 30, at + 800'000});
      test.Launch(is_lost ? "" : "ncclDevKernel_AllReduce_Sum_f32_RING_LL", {at + 30, at + 40},
                  {at + 800'000, at + 950'000});
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    for (const std::string_view id :
         {"communication.exposed_share", "breakdown.communication", "breakdown.communication.time",
          "breakdown.tensor_core_kernel", "tensor_core.share",
          "tensor_core.kernels_per_iteration"}) {
      EXPECT_EQ(IsAbsent(analysis->Find(id)->value), is_lost) << id;
    }
    EXPECT_EQ(analysis->Find("breakdown.other_kernel")->low_confidence, is_lost);
    if (!is_lost) continue;
    EXPECT_EQ(analysis->Find("communication.exposed_share")->absent_because,
              "10 kernels have no name in the profile, so their kind is unknown");
    const Table& kernels = *analysis->FindTable("kernels");
    EXPECT_EQ(TextAt(kernels, 1, "uses_tensor_core"), "unknown");
  }
}

// Work launched outside of markers, e.g. by a thread that dispatches later, is not lost.
TEST(Losses, OutsideWorkCompensatesEmptyMarkers) {
  TestProfile test = StepsWithout(3, 6);
  for (int i = 0; i < 3; ++i) {
    const Ns at = 11'000'000 + i * 1'000'000;
    test.Launch("k", {at + 10, at + 20}, {at + 30, at + 900'000});
  }
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_FALSE(IsRemarked(*analysis, "iterations-lost"));
}

// Without numbers nothing shows which iterations are missing on a rank.
TEST(Losses, UnequalUnnumberedIterationsAreUndecided) {
  for (const int second : {12, 4}) {
    std::vector<Profile> ranks;
    for (const int count : {12, second}) {
      TestProfile test;
      for (int i = 0; i < count; ++i) {
        const Ns at = i * 1'000'000;
        test.Host(HostKind::kIterationMarker, "run_training_batch", {at, at + 1'000'000});
        test.Launch("k", {at + 10, at + 20}, {at + 30, at + 900'000});
      }
      ranks.push_back(test.Finish());
    }
    const auto analysis = Analyze(ranks, {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(IsRemarked(*analysis, "iterations-partial"), second == 4);
  }
}

TEST(Losses, ReportsUnjudgedParts) {
  for (const Ns before : {Ns{0}, Ns{5'000'000}, Ns{100'000'000'000'000'000}}) {
    TestProfile test;
    test.Host(HostKind::kAnnotation, "compile", {0, 10});
    test.Op("aten::mm", {before, before + 100'000'000});
    test.Launch("k", {before + 1, before + 2}, {before + 3, before + 100'000'000});
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(IsRemarked(*analysis, "window"), before > 0);
  }
}

}  // namespace
}  // namespace profgauge::analysis
