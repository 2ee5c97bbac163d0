// Which markers are iterations, where several threads or families of names mark something.
#include "analysis/iterations/marker_choice.h"

#include <fmt/format.h>

#include "analysis/iterations/markers.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

void Mark(TestProfile& test, const std::string& name, At at, ThreadId thread = {}) {
  test.Host(HostKind::kIterationMarker, name, at, thread);
}

std::vector<std::string> NamesOf(const Profile& profile, const iterations::ChosenMarkers& chosen) {
  std::vector<std::string> names;
  for (const iterations::Marker& marker : chosen.found)
    names.emplace_back(profile.Name(marker.name));
  return names;
}

using Names = std::vector<std::string>;

// A worker that loads batches marks more of them, and launches nothing.
TEST(MarkerChoice, TheThreadThatLaunchesCounts) {
  TestProfile test;
  const ThreadId worker = test.Thread(7);
  for (int i = 0; i < 2; ++i) {
    const Ns at = i * 1000;
    Mark(test, "step " + std::to_string(i), {at, at + 900});
    test.Launch("k", {at + 10, at + 20}, {at + 30, at + 500});
  }
  for (int i = 0; i < 4; ++i) {
    Mark(test, "batch " + std::to_string(i), {i * 450, i * 450 + 400}, worker);
  }
  const Profile profile = test.Finish();
  EXPECT_EQ(NamesOf(profile, iterations::ChooseMarkers(profile)), (Names{"step 0", "step 1"}));
}

TEST(MarkerChoice, TrainingCountsNotTheEvaluationBetween) {
  TestProfile test;
  for (int i = 0; i < 3; ++i) {
    const Ns at = i * 1000;
    Mark(test, "train " + std::to_string(i), {at, at + 600});
    Mark(test, "eval " + std::to_string(2 * i), {at + 600, at + 700});
    Mark(test, "eval " + std::to_string(2 * i + 1), {at + 700, at + 800});
  }
  const Profile profile = test.Finish();
  EXPECT_EQ(NamesOf(profile, iterations::ChooseMarkers(profile)),
            (Names{"train 0", "train 1", "train 2"}));
  EXPECT_EQ(iterations::FindMarkers(profile, {})->source.Text(),
            "iteration markers `train #`, not `eval #`");
}

// `dur` -1, none, or a range that never ended: all are of no length.
TEST(MarkerChoice, LastMarkerWithoutEndIsUnfinished) {
  for (const bool is_pattern : {false, true}) {
    TestProfile test;
    for (int i = 0; i < 12; ++i) {
      const Ns at = i * kMs;
      // One in the middle lasts to the next.
      Mark(test, "step " + std::to_string(i), {at, i == 11 || i == 5 ? at : at + kMs});
      test.Launch("k", {at + 10, at + 20}, {at + 30, at + 900'000});
    }
    const Profile profile = test.Finish();
    Selection selection;
    if (is_pattern) selection.iteration_marker = "step";
    const auto analysis = Analyze(std::span(&profile, 1), selection);
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(analysis->iterations_selected, 11);
    EXPECT_EQ(analysis->iterations_total, 12);
    EXPECT_EQ(analysis->remarks.front().id, "unfinished-iteration");
    EXPECT_EQ(AsNumber(analysis->Find("iteration.time.max")->value, 0), kMs);
  }
}

TEST(MarkerChoice, MarkersWithoutWorkMarkNothing) {
  TestProfile test;
  Mark(test, "ProfilerStep#3", {0, 7'000});
  for (int i = 0; i < 100; ++i) {
    const Ns at = 10'000 + i * 10'000;
    test.Op("op " + std::to_string(i), {at, at + 3'000});
    test.Launch("k" + std::to_string(i), {at + 10, at + 20}, {at + 30, at + 9'000});
  }
  const Profile profile = test.Finish();
  const auto analysis = Analyze(std::span(&profile, 1), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(analysis->iteration_source.by, IterationsBy::kUndivided);
  EXPECT_LT(AsNumber(analysis->Find("gpu.idle.mean")->value, 1), 0.11);
  const auto told = std::ranges::find(analysis->remarks, "markers-without-work", &Remark::id);
  ASSERT_NE(told, analysis->remarks.end());
  EXPECT_NE(told->text.find("`ProfilerStep#`"), std::string::npos);
}

TEST(MarkerChoice, NumberedPhasesAreOneIteration) {
  TestProfile test;
  for (int i = 0; i < 3; ++i) {
    const Ns at = i * 1000;
    const std::string step = "iter" + std::to_string(i);
    if (i > 0) Mark(test, step + "_forward", {at, at + 300});  // Recorded from the middle of one.
    Mark(test, step + "_backward", {at + 310, at + 800});
    if (i < 2) Mark(test, step + "_optimizer", {at + 810, at + 900});
  }
  const Profile profile = test.Finish();
  const iterations::ChosenMarkers chosen = iterations::ChooseMarkers(profile);
  ASSERT_EQ(chosen.found.size(), 3U);
  EXPECT_EQ(chosen.families, "");
  // Times count from the first event.
  EXPECT_EQ(chosen.found[1].host.length(), 900);
  EXPECT_EQ(chosen.found[2].host.length(), 800);
}

// Parts of an iteration, whatever is between the number and their names; the last one is cut.
TEST(MarkerChoice, NumberedPartsAreOneIteration) {
  struct Case {
    const char* prefix;
    std::vector<std::string> parts;
  };
  for (const Case& of : {Case{"iter ", {" fwd", " bwd", " opt"}}, Case{"step ", {"/fwd", "/bwd"}},
                         Case{"batch ", {"", " (backward)"}}}) {
    TestProfile test;
    std::size_t marked = 0;
    for (Ns i = 0; i < 4; ++i) {
      for (std::size_t part = 0; part < of.parts.size(); ++part) {
        const Ns at = i * 1000 + static_cast<Ns>(part) * 300;
        if (++marked == 4 * of.parts.size()) break;
        // Numbers start over.
        Mark(test, of.prefix + std::to_string(i % 2) + of.parts[part], {at, at + 250});
      }
    }
    const Profile profile = test.Finish();
    const iterations::ChosenMarkers chosen = iterations::ChooseMarkers(profile);
    ASSERT_EQ(chosen.found.size(), 4U) << of.prefix;
    EXPECT_EQ(chosen.found[1].host.length(), static_cast<Ns>(of.parts.size()) * 300 - 50);
    EXPECT_EQ(chosen.families, "");
  }
}

// An evaluation once in a while is no part, and steps of an epoch are not one.
TEST(MarkerChoice, EqualNumbersMayBeSeveralIterations) {
  TestProfile test;
  for (int i = 0; i < 6; ++i) {
    const Ns at = i * 1000;
    Mark(test, fmt::format("batch 0 step {}", i), {at, at + 500});
    if (i == 3) Mark(test, "batch 0 evaluation", {at + 500, at + 900});
  }
  EXPECT_EQ(iterations::ChooseMarkers(test.Finish()).found.size(), 7U);
}

TEST(MarkerChoice, AlternatingNamesAreOneIteration) {
  TestProfile test;
  for (Ns i = 0; i < 3; ++i) {
    const Ns at = i * 1000;
    Mark(test, "step1_forward", {at, at + 300});
    Mark(test, "step2_backward", {at + 310, at + 800});
    Mark(test, "step3_update", {at + 810, at + 900});
  }
  const Profile profile = test.Finish();
  const iterations::ChosenMarkers chosen = iterations::ChooseMarkers(profile);
  ASSERT_EQ(chosen.found.size(), 3U);
  EXPECT_EQ(chosen.found[2].host, (Span{2000, 2900}));
}

// Micro-batches or phases inside of steps; batches of an epoch, which go on counting, are none.
TEST(MarkerChoice, EqualInnerNamesAreParts) {
  for (const std::string inner : {"batch {}", "step {1} phase {0}"}) {
    TestProfile test;
    for (int i = 0; i < 3; ++i) {
      const Ns at = i * 1000;
      Mark(test, "iteration " + std::to_string(i), {at, at + 950});
      for (int k = 0; k < 3; ++k) {
        Mark(test, fmt::format(fmt::runtime(inner), k, i), {at + k * 300, at + k * 300 + 250});
      }
    }
    const Profile profile = test.Finish();
    const iterations::ChosenMarkers chosen = iterations::ChooseMarkers(profile);
    EXPECT_EQ(NamesOf(profile, chosen), (Names{"iteration 0", "iteration 1", "iteration 2"}));
    EXPECT_EQ(chosen.nested, inner[0] == 'b' ? "`batch #`" : "`step #`");
  }
  TestProfile test;
  for (int i = 0; i < 6; ++i) {
    if (i % 3 == 0) Mark(test, "iteration " + std::to_string(i / 3), {i * 300, i * 300 + 900});
    Mark(test, "batch " + std::to_string(i), {i * 300, i * 300 + 250});
  }
  const Profile profile = test.Finish();
  EXPECT_EQ(iterations::ChooseMarkers(profile).found.size(), 6U);
  EXPECT_EQ(iterations::ChooseMarkers(profile).nested, "`iteration #`");
}

// Steps of fewer micro-batches than others are steps, too: the last of an epoch, or by tokens.
TEST(MarkerChoice, PartsOfSomeMayBeFewer) {
  TestProfile test;
  for (int i = 0; i < 4; ++i) {
    const Ns at = i * 1000;
    Mark(test, "step " + std::to_string(i), {at, at + 950});
    for (int k = 0; k < (i == 2 ? 2 : 3); ++k) {
      Mark(test, "batch " + std::to_string(k), {at + k * 300, at + k * 300 + 250});
    }
  }
  const Profile profile = test.Finish();
  EXPECT_EQ(NamesOf(profile, iterations::ChooseMarkers(profile)),
            (Names{"step 0", "step 1", "step 2", "step 3"}));
}

// The same names without a marker around them, the first step from its middle on.
TEST(MarkerChoice, CountedPartsAreOneIteration) {
  TestProfile test;
  for (int i = 0; i < 4; ++i) {
    for (int k = i == 0 ? 1 : 0; k < (i == 2 ? 2 : 3); ++k) {
      const Ns at = i * 1000 + k * 300;
      Mark(test, fmt::format("step {} mb {}", i + 7, k), {at, at + 250});
    }
  }
  const Profile profile = test.Finish();
  const iterations::ChosenMarkers chosen = iterations::ChooseMarkers(profile);
  ASSERT_EQ(chosen.found.size(), 4U);
  EXPECT_EQ(chosen.found[1].host.length(), 850);
  EXPECT_EQ(chosen.found[2].host.length(), 550);
}

// Iterations of a measurement over sizes of batches, and those that count on.
TEST(MarkerChoice, CountedIterationsAreNotParts) {
  TestProfile sizes, going_on;
  for (int i = 0; i < 9; ++i) {
    const Ns at = i * 1000;
    Mark(sizes, fmt::format("batch {} iter {}", 8 << (i / 3), i % 3), {at, at + 900});
    Mark(going_on, fmt::format("iteration {} batch {}", i / 3, i), {at, at + 900});
  }
  EXPECT_EQ(iterations::ChooseMarkers(sizes.Finish()).found.size(), 9U);
  EXPECT_EQ(iterations::ChooseMarkers(going_on.Finish()).found.size(), 9U);
}

// Numbers of phases, whatever is after them, and an optimizer that runs every other time.
TEST(MarkerChoice, TurnsBeginWhereNumbersStartOver) {
  TestProfile test;
  for (Ns i = 0; i < 4; ++i) {
    const Ns at = i * 1000;
    Mark(test, "Step 1: forward", {at, at + 300});
    Mark(test, "Step 2: backward", {at + 310, at + 800});
    if (i % 2 == 1) Mark(test, "Step 3: update", {at + 810, at + 900});
  }
  const iterations::ChosenMarkers chosen = iterations::ChooseMarkers(test.Finish());
  ASSERT_EQ(chosen.found.size(), 4U);
  EXPECT_EQ(chosen.found[2].host, (Span{2000, 2800}));
  EXPECT_EQ(chosen.found[3].host, (Span{3000, 3900}));
}

TEST(MarkerChoice, SingleMarkersAreNoPhases) {
  TestProfile test;
  Mark(test, "warm 0", {0, 100});
  Mark(test, "train 1", {200, 500});
  const Profile profile = test.Finish();
  EXPECT_EQ(NamesOf(profile, iterations::ChooseMarkers(profile)), (Names{"train 1"}));
}

// The text after the number does not make a family.
TEST(MarkerChoice, TrailingWordsAreNoFamily) {
  TestProfile test;
  Mark(test, "step 1, loss 0.5", {0, 100});
  Mark(test, "step 2, loss nan", {100, 200});
  Mark(test, "step 3 (lr=1e-5)", {200, 300});
  const Profile profile = test.Finish();
  EXPECT_EQ(iterations::ChooseMarkers(profile).found.size(), 3U);
}

// The profiler's stop closed it: it ends where the next begins, whatever chooses the markers.
TEST(MarkerChoice, UnclosedMarkerEndsAtNextBegin) {
  TestProfile test;
  for (int i = 0; i < 12; ++i) Mark(test, fmt::format("step {}", i), {i * 100, i * 100 + 90});
  Mark(test, "step 12", {1200, 9000});
  for (int i = 13; i < 24; ++i) Mark(test, fmt::format("step {}", i), {i * 100, i * 100 + 90});
  test.Op("end", {8990, 9000});
  const Profile profile = test.Finish();
  Selection by_pattern;
  by_pattern.iteration_marker = "^step";
  for (const Selection& selection : {Selection{}, by_pattern}) {
    const iterations::Markers markers = *iterations::FindMarkers(profile, selection);
    ASSERT_EQ(markers.found.size(), 24u);
    EXPECT_EQ(markers.found[12].host, (Span{1200, 1300}));
    EXPECT_EQ(markers.faults.open, 1);
    EXPECT_EQ(markers.faults.displaced, 0);
    EXPECT_EQ(markers.faults.all, 24);
  }
}

// A clock that was set back: markers are in others, or overlap them.
TEST(MarkerChoice, MarkersThatOverlapAreCounted) {
  for (const int back : {500, 530}) {
    TestProfile test;
    for (int i = 0; i < 12; ++i) {
      const Ns at = i * 100 - (i < 6 ? 0 : back);
      Mark(test, fmt::format("step {}", i), {at + 30, at + 120});
    }
    test.Op("begin", {0, 10});
    const iterations::MarkerFaults faults = iterations::FindMarkers(test.Finish(), {})->faults;
    EXPECT_EQ(faults.all, 12) << back;
    EXPECT_GE(faults.displaced, 5) << back;
  }
}

TEST(MarkerChoice, MarkersInOrderHaveNoFaults) {
  TestProfile test;
  for (int i = 0; i < 4; ++i) {
    Mark(test, fmt::format("epoch {}", i), {i * 1000, i * 1000 + 1000});
    for (int j = 0; j < 8; ++j) {
      const Ns at = i * 1000 + j * 100;
      Mark(test, fmt::format("batch {}", j), {at, at + 100});
      Mark(test, fmt::format("batch {}", j), {at, at + 100});  // Recorded twice.
    }
  }
  EXPECT_EQ(iterations::FindMarkers(test.Finish(), {})->faults.count(), 0);
}

TEST(MarkerChoice, NothingMarked) {
  TestProfile test;
  test.Op("aten::add", {0, 10});
  EXPECT_TRUE(iterations::ChooseMarkers(test.Finish()).found.empty());
}

}  // namespace
}  // namespace profgauge::analysis
