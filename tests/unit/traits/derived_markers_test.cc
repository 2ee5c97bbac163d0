// Iterations of profiles without markers: found where they are certain, and not guessed elsewhere.
#include "analysis/iterations/derived_markers.h"
#include "analysis/iterations/iteration_ways.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../analysis/fixture.h"
#include "../analysis/oracle.h"
#include "analysis/iterations/iterations.h"
#include "analysis/iterations/markers.h"
#include "analysis/iterations/repetition.h"
#include "base/numbers.h"

namespace profgauge {
namespace {

using Tokens = std::vector<std::uint32_t>;

Tokens Times(const Tokens& part, std::size_t count) {
  Tokens all;
  for (std::size_t i = 0; i < count; ++i) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Tokens Counted(std::uint32_t first, std::uint32_t count) {
  Tokens all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

void ExpectPeriod(const Tokens& tokens, std::size_t first, std::size_t length, std::size_t count) {
  const analysis::iterations::Period found = analysis::iterations::FindPeriod(tokens);
  EXPECT_EQ(found.first, first);
  EXPECT_EQ(found.length, length);
  EXPECT_EQ(found.count, count);
}

TEST(Repetition, TheShortestPeriodOfTheWhole) {
  ExpectPeriod(Times(Counted(0, 8), 3), 0, 8, 3);
  ExpectPeriod(Times(Counted(0, 7), 3), 0, 0, 0);      // Too short.
  ExpectPeriod(Times(Counted(0, 8), 2), 0, 0, 0);      // Too few,
  ExpectPeriod(Times(Counted(0, 100), 2), 0, 100, 2);  // except for long ones.
  ExpectPeriod(Times(Counted(0, 99), 2), 0, 0, 0);
  ExpectPeriod({}, 0, 0, 0);
}

TEST(Repetition, NoMismatchIsTolerated) {
  Tokens tokens = Times(Counted(0, 8), 10);
  tokens[40] = 99;
  ExpectPeriod(tokens, 0, 0, 0);
}

TEST(Repetition, AfterAWarmUp) {
  Tokens tokens = Counted(100, 8);
  const Tokens rest = Times(Counted(0, 8), 4);
  tokens.insert(tokens.end(), rest.begin(), rest.end());
  ExpectPeriod(tokens, 8, 8, 4);  // 80 % of all.
  Tokens longer = Counted(100, 16);
  longer.insert(longer.end(), rest.begin(), rest.end());
  ExpectPeriod(longer, 0, 0, 0);  // 67 %.
}

constexpr Ns kStep = 100'000;  // Length of an iteration of nine kernels.

// Iterations of nine kernels of a training loop, the first of which is `at`; `close` is called
// after the last kernel of each.
template <class Close>
analysis::TestProfile Loop(int iterations, Close close) {
  analysis::TestProfile test;
  test.Op("aten::empty", {0, 10});
  for (int i = 0; i < iterations; ++i) {
    const Ns at = i * kStep + 100;
    for (int k = 0; k < 9; ++k) {
      const Ns call = at + k * 10'000;
      test.Launch("kernel" + std::to_string(k), {call, call + 1'000}, {call + 2'000, call + 8'000});
    }
    close(test, i, Span{at + 82'000, at + 90'000});
  }
  return test;
}

void CallOptimizer(analysis::TestProfile& test, int /*iteration*/, Span time) {
  test.Host(HostKind::kAnnotation, "Optimizer.step#AdamW.step", {time.start, time.end});
}

std::vector<analysis::iterations::Iteration> IterationsOf(analysis::TestProfile test,
                                                          std::string* source = nullptr) {
  const Profile profile = test.Finish();
  const auto found = analysis::iterations::FindIterations(profile, {});
  EXPECT_TRUE(found.has_value());
  if (source != nullptr) *source = found->source.Text();
  return found->all;
}

TEST(DerivedMarkers, FromOptimizerStepToOptimizerStep) {
  std::string source;
  const auto all = IterationsOf(Loop(4, CallOptimizer), &source);
  EXPECT_EQ(source, "optimizer steps Optimizer.step#AdamW.step");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].host, (Span{0, 90'100}));
  EXPECT_EQ(all[1].host, (Span{90'100, 190'100}));
  for (const analysis::iterations::Iteration& iteration : all)
    EXPECT_EQ(iteration.device_events, 9);
}

TEST(DerivedMarkers, TwoOptimizerStepsAreTooFew) {
  std::string source;
  EXPECT_EQ(IterationsOf(Loop(2, CallOptimizer), &source).size(), 1u);
  EXPECT_EQ(source, "whole profile");
}

// Work launched before the first step of the optimizer is less than an iteration: a set-up.
TEST(DerivedMarkers, AnIncompleteStartIsNoIteration) {
  analysis::TestProfile test = Loop(4, [](analysis::TestProfile& loop, int i, Span time) {
    if (i > 0) CallOptimizer(loop, i, time);
  });
  EXPECT_EQ(IterationsOf(std::move(test)).size(), 3u) << "the first has twice the work";
  analysis::TestProfile little;
  little.Op("aten::empty", {0, 10});
  little.Launch("setup", {20, 30}, {40, 50});
  CallOptimizer(little, 0, {60, 90});
  for (int i = 0; i < 4; ++i) {
    const Ns at = i * kStep + 100;
    for (int k = 0; k < 9; ++k) {
      const Ns call = at + k * 10'000;
      little.Launch("kernel", {call, call + 1'000}, {call + 2'000, call + 8'000});
    }
    CallOptimizer(little, i, {at + 92'000, at + 95'000});
  }
  const auto all = IterationsOf(std::move(little));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].host.start, 90);
}

TEST(DerivedMarkers, BetweenLoaderCallsInTraining) {
  const auto load = [](analysis::TestProfile& test, int /*iteration*/, Span time) {
    test.Host(HostKind::kAnnotation, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
              {time.start + 5'000, time.end});
  };
  analysis::TestProfile training = Loop(4, load);
  training.Op("autograd::engine::evaluate_function: MmBackward0", {20, 30});
  std::string source;
  EXPECT_EQ(IterationsOf(std::move(training), &source).size(), 4u);
  EXPECT_EQ(source,
            "data loader calls enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  // Without training the same loop is found by its repetition.
  EXPECT_EQ(IterationsOf(Loop(4, load), &source).size(), 4u);
  EXPECT_EQ(source,
            "repetition of 9 launches, by enumerate(DataLoader)#"
            "_SingleProcessDataLoaderIter.__next__");
}

// Layers repeat, too, and users open ranges around them.
TEST(DerivedMarkers, RepetitionWithoutAWitnessIsNoIteration) {
  const auto mine = [](analysis::TestProfile& test, int i, Span time) {
    test.Host(HostKind::kAnnotation, "layer " + std::to_string(i), {time.start, time.end});
  };
  std::string source;
  EXPECT_EQ(IterationsOf(Loop(6, mine), &source).size(), 1u);
  EXPECT_EQ(source, "whole profile");
}

// The witness must occur once in each period: layers within one forward have none.
TEST(DerivedMarkers, AWitnessOfSomePeriodsIsNone) {
  const auto every_third = [](analysis::TestProfile& test, int i, Span time) {
    if (i % 3 != 0) return;
    test.Host(HostKind::kAnnotation, "DistributedDataParallel.forward", {time.start, time.end});
  };
  EXPECT_EQ(IterationsOf(Loop(6, every_third)).size(), 1u);
}

TEST(DerivedMarkers, OneLaunchOfAGraphIsAWitness) {
  analysis::TestProfile test;
  test.Op("aten::empty", {0, 10});
  for (int i = 0; i < 4; ++i) {
    const Ns at = i * kStep + 100;
    for (int k = 0; k < 8; ++k) {
      const Ns call = at + k * 10'000;
      test.Launch("kernel" + std::to_string(k), {call, call + 1'000}, {call + 2'000, call + 8'000});
    }
    ApiRow graph;
    graph.start = at + 82'000;
    graph.duration = 1'000;
    graph.name = test.builder().Intern("cudaGraphLaunch");
    graph.kind = ApiKind::kLaunch;
    graph.thread = test.main();
    graph.correlation = 1'000 + i;
    test.builder().AddApi(graph);
    for (int k = 0; k < 3; ++k) {
      DeviceRow row;
      row.start = at + 84'000 + k * 1'000;
      row.duration = 500;
      row.name = test.builder().Intern("in_graph");
      row.kind = DeviceKind::kKernel;
      row.gpu = 0;
      row.stream = 7;
      row.correlation = 1'000 + i;
      test.builder().AddDevice(row);
    }
  }
  std::string source;
  EXPECT_EQ(IterationsOf(std::move(test), &source).size(), 3u);
  EXPECT_EQ(source, "repetition of 9 launches, by cudaGraphLaunch");
}

// The phase with most time of an engine's steps counts; others are skipped, and named.
TEST(DerivedMarkers, PhasesOfAServingEngine) {
  analysis::TestProfile test;
  for (int i = 0; i < 6; ++i) {
    const bool prefills = i == 0 || i == 3;
    const Ns at = i * kStep;
    test.Host(HostKind::kAnnotation,
              prefills ? "execute_512_context_1(512)_generation_0(0)"
                       : "execute_8_context_0(0)_generation_8(8)",
              {at, at + 90'000});
    test.Launch("kernel", {at + 1'000, at + 2'000}, {at + 3'000, at + 80'000});
  }
  const Profile profile = test.Finish();
  const auto found = analysis::iterations::FindIterations(profile, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->all.size(), 4u);
  EXPECT_EQ(found->source.Text(), "iteration markers `decode` of vLLM, not `prefill`");
  EXPECT_EQ(analysis::iterations::PhaseOf(found->source), "decode");
  analysis::Selection prefill;
  prefill.iteration_marker = analysis::iterations::MarkerPatternOfPhase("prefill");
  const auto others = analysis::iterations::FindIterations(profile, prefill);
  ASSERT_TRUE(others.has_value());
  EXPECT_EQ(others->all.size(), 2u);
  EXPECT_EQ(analysis::iterations::MarkerPatternOfPhase("nonsense"), "");
}

TEST(DerivedMarkers, StepNamesShowPhase) {
  const std::pair<const char*, const char*> kNames[] = {
      {"execute_context_2(2048)_generation_0(0)", "prefill"},
      {"execute_4_context_1(8155)_generation_37(37)", "mixed"},
      {"step[DECODE bs=32]", "decode"},
      {"step[EXTEND bs=1 toks=512]", "prefill"},
      {"decode[bs=4 tok=4]", "decode"},
      {"execute_diffusion_1_1024x1024", "diffusion"},
      {"[pl][profile][Strategy]SingleDeviceStrategy.validation_step", "evaluation"}};
  for (const auto& [name, phase] : kNames) {
    analysis::TestProfile test;
    for (int i = 0; i < 2; ++i) {
      test.Host(HostKind::kAnnotation, name, {i * kStep, i * kStep + 90'000});
      test.Launch("kernel", {i * kStep + 10, i * kStep + 20}, {i * kStep + 30, i * kStep + 80});
    }
    EXPECT_EQ(
        analysis::iterations::PhaseOf(analysis::iterations::EngineSteps(test.Finish()).source),
        phase)
        << name;
  }
  for (const char* name : {"capture_8_decode", "execute_context", "step[", "decode", "Prefiller"}) {
    analysis::TestProfile test;
    for (int i = 0; i < 2; ++i) {
      test.Host(HostKind::kAnnotation, name, {i * kStep, i * kStep + 90'000});
    }
    EXPECT_TRUE(analysis::iterations::EngineSteps(test.Finish()).found.empty()) << name;
  }
}

TEST(DerivedMarkers, RecordedMarkersGoFirst) {
  analysis::TestProfile test = Loop(4, CallOptimizer);
  test.Step(7, {0, 200'100});
  test.Step(8, {200'100, 400'100});
  std::string source;
  EXPECT_EQ(IterationsOf(std::move(test), &source).size(), 2u);
  EXPECT_EQ(source, "ProfilerStep#N");
}

TEST(DerivedMarkers, SourcesReadBackFromTheirTexts) {
  for (const IterationSource& source :
       {IterationSource{IterationsBy::kOptimizer, "Optimizer.step#SGD.step"},
        IterationSource{IterationsBy::kLoader, "enumerate(DataLoader)#x"},
        IterationSource{IterationsBy::kRepetition, "of 42 launches, by cudaGraphLaunch"}}) {
    EXPECT_EQ(ParseIterationSource(source.Text()), source);
  }
}

TEST(DerivedMarkers, NamesUncertainCandidates) {
  const auto candidates = [](analysis::TestProfile test) {
    return analysis::iterations::IterationCandidates(test.Finish());
  };
  const auto few = candidates(Loop(2, CallOptimizer));
  ASSERT_EQ(few.size(), 1u);
  EXPECT_EQ(few[0].text, "2 × Optimizer.step#AdamW.step, equal work in 1");
  EXPECT_EQ(few[0].pattern, "^Optimizer\\.step#");
  const auto layers = candidates(Loop(6, [](analysis::TestProfile&, int, Span) {}));
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].text,
            "6 × 9 kernels in the same order: layers or iterations, nothing recorded says which");
  EXPECT_EQ(layers[0].pattern, "");
}

TEST(IterationWays, NameTheChosenOneAndWhyNot) {
  const auto ways_of = [](analysis::TestProfile test) {
    const Profile profile = test.Finish();
    std::string text;
    for (const analysis::iterations::IterationWay& way : analysis::iterations::IterationWays(
             profile, *analysis::iterations::FindIterations(profile, {}))) {
      text += fmt::format("{}{}: {}; {}\n", way.chosen ? "* " : "", way.way, way.found, way.reason);
    }
    return text;
  };
  EXPECT_EQ(ways_of(Loop(4, CallOptimizer)),
            "recorded markers: ; no range has the name of a marker\n"
            "steps of an engine: ; no engine's names twice\n"
            "* optimizer step: 4 × Optimizer.step#AdamW.step, equal work in 3; chosen: the first "
            "way that holds\n"
            "repetition: 4 × 9 kernels in the same order, each with one Optimizer.step#AdamW.step; "
            "not needed: an earlier way holds\n");
  EXPECT_EQ(ways_of(Loop(2, CallOptimizer)),
            "recorded markers: ; no range has the name of a marker\n"
            "steps of an engine: ; no engine's names twice\n"
            "optimizer step: 2 × Optimizer.step#AdamW.step, equal work in 1; too few\n"
            "* undivided: 1; chosen: nothing divides it\n");
  analysis::TestProfile marked = Loop(4, CallOptimizer);
  marked.Step(7, {0, 200'100});
  marked.Step(8, {200'100, 400'100});
  const std::string of_marked = ways_of(std::move(marked));
  EXPECT_TRUE(
      of_marked.starts_with("* recorded markers: 2 × ProfilerStep#; chosen: ProfilerStep#N\n"))
      << of_marked;
  EXPECT_EQ(of_marked.find("* ", 2), std::string::npos) << of_marked;
}

// From the start of each to that of the next: marks may leave time between them out.
Ns UsualPeriod(const analysis::iterations::Iterations& iterations) {
  std::vector<Ns> periods;
  for (std::size_t i = 0; i + 1 < iterations.all.size(); ++i) {
    periods.push_back(iterations.all[i + 1].host.start - iterations.all[i].host.start);
  }
  return periods.empty() ? 0 : Median(periods);
}

Ns UsualLength(const analysis::iterations::Iterations& iterations) {
  std::vector<Ns> lengths;
  for (const analysis::iterations::Iteration& iteration : iterations.all)
    lengths.push_back(iteration.time.length());
  return Median(lengths);
}

double Apart(Ns a, Ns b) {
  return std::abs(static_cast<double>(a - b)) / static_cast<double>(std::max<Ns>(b, 1));
}

// As if the profiler's step() had not been called: the same iterations, or none.
TEST(DerivedMarkers, FindsHiddenMarkersOrNone) {
  if (!std::filesystem::exists(std::string(PROFGAUGE_SHARED_DIR) + "/data")) {
    GTEST_SKIP() << "needs ../shared/data";
  }
  std::size_t accepted = 0, abstained = 0;
  for (const std::string& path : analysis::AllRecordings()) {
    auto profile = readers::ReadProfile(path, {});
    if (!profile || !profile->has_timeline) continue;
    const auto marked = analysis::iterations::FindIterations(*profile, {});
    if (!marked || marked->source.by != IterationsBy::kProfilerSteps) continue;
    for (HostKind& kind : profile->host.kind) {
      if (kind == HostKind::kIterationMarker) kind = HostKind::kAnnotation;
    }
    const auto hidden = analysis::iterations::FindIterations(*profile, {});
    ASSERT_TRUE(hidden.has_value()) << path;
    if (hidden->source.by == IterationsBy::kUndivided) {
      ++abstained;
      continue;
    }
    ++accepted;
    SCOPED_TRACE(path + ": " + hidden->source.Text());
    if (marked->all.size() == 1) continue;  // One mark around several batches says nothing.
    const auto apart = static_cast<std::ptrdiff_t>(hidden->all.size()) -
                       static_cast<std::ptrdiff_t>(marked->all.size());
    EXPECT_LE(std::abs(apart), 1) << hidden->all.size() << " instead of " << marked->all.size();
    if (marked->all.size() < 3) continue;
    EXPECT_LE(std::min(Apart(UsualPeriod(*hidden), UsualPeriod(*marked)),
                       Apart(UsualLength(*hidden), UsualLength(*marked))),
              0.01);
  }
  RecordProperty("accepted", static_cast<int>(accepted));
  RecordProperty("abstained", static_cast<int>(abstained));
  std::cout << accepted << " found again, " << abstained << " abstained\n";
}

}  // namespace
}  // namespace profgauge
