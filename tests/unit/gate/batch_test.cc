// Smaller batches, and limits on the time of a sample.
#include "gate/circumstances.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "held_limits.h"

namespace profgauge::gate {
namespace {

using testing::Amount;
using testing::Compared;
using testing::On;
using testing::WithMetric;
using testing::Words;

constexpr Amount kTwentieth{0.05, true};

struct Call {
  std::string op, shapes;
  int share = 1;
};

// Calls that share the time of all iterations.
Snapshot Calling(const std::vector<Call>& calls, double level = 1) {
  Snapshot run = WithMetric("x", {}, level);
  analysis::breakdown::TimePart whole = run.parts.front();
  run.parts.clear();
  int shares = 0;
  for (const Call& call : calls) shares += call.share;
  for (const Call& call : calls) {
    analysis::breakdown::TimePart part = whole;
    part.op = call.op;
    part.shapes = call.shapes;
    part.time = whole.time * call.share / shares;
    run.parts.push_back(part);
  }
  return run;
}

TEST(SamplesRatio, IsTheMatmulsScaledDimension) {
  struct Row {
    std::vector<Call> base, run;
    std::optional<double> ratio;
  };
  const std::string convolution = "aten::cudnn_convolution", product = "aten::mm";
  const Row kRows[] = {
      {{{convolution, "[[64, 3, 224, 224], [64, 3, 7, 7]]"}},
       {{convolution, "[[32, 3, 224, 224], [64, 3, 7, 7]]"}},
       0.5},
      // For the gradient of a weight the batch is the inner dimension.
      {{{product, "[[64, 1024], [1024, 512]]"}, {product, "[[1024, 64], [64, 512]]"}},
       {{product, "[[96, 1024], [1024, 512]]"}, {product, "[[1024, 96], [96, 512]]"}},
       1.5},
      {{{product, "[[64, 1024], [1024, 512]]"}}, {{product, "[[64, 1024], [1024, 512]]"}}, 1},
      // A narrower model has other weights in both dimensions.
      {{{product, "[[64, 1024], [1024, 1024]]"}}, {{product, "[[64, 512], [512, 512]]"}}, {}},
      // Two thirds of the time are as before.
      {{{product, "[[64, 8], [8, 8]]", 2}, {product, "[[16, 9], [9, 9]]", 1}},
       {{product, "[[64, 8], [8, 8]]", 2}, {product, "[[8, 9], [9, 9]]", 1}},
       {}},
      // Other operators say nothing of samples.
      {{{"aten::add", "[[64, 8], [64, 8]]"}}, {{"aten::add", "[[32, 8], [32, 8]]"}}, {}},
      {{{product, ""}}, {{product, ""}}, {}},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(SamplesRatio(Calling(row.base), Calling(row.run)), row.ratio)
        << row.run.front().shapes;
  }
  Snapshot base = Calling({{product, "[[64, 8], [8, 8]]"}}), run = base;
  base.samples = 128;
  run.samples = 32;
  EXPECT_EQ(SamplesRatio(base, run), 0.25);
}

TEST(CompareRuns, OfAnotherBatchNothingIsCompared) {
  const Snapshot whole = Calling({{"aten::mm", "[[64, 8], [8, 8]]"}});
  const Snapshot half = Calling({{"aten::mm", "[[32, 8], [8, 8]]"}}, 0.6);
  rules::BaselineLimit limit = On("iteration.time.median", kTwentieth);
  const MetricComparison smaller = Compared({whole}, {half}, limit);
  EXPECT_EQ(Words(smaller), "inconclusive over");
  EXPECT_NE(smaller.reason.find("of the baseline's samples"), std::string::npos) << smaller.reason;
  EXPECT_NE(smaller.reason.find("[baseline/other-inputs]"), std::string::npos);
  EXPECT_EQ(Words(Compared({whole}, {Calling({{"aten::mm", "[[32, 8], [8, 8]]"}}, 1.2)}, limit)),
            "inconclusive over");
  EXPECT_EQ(Words(Compared({half}, {whole}, limit)), "inconclusive over");

  // 0.6 of the time for half of the samples.
  limit.per_sample = true;
  const MetricComparison slower = Compared({whole}, {half}, limit);
  EXPECT_EQ(Words(slower), "fail");
  EXPECT_NEAR(slower.shift, 0.2, 0.01);
  EXPECT_NE(slower.reason.find("per sample"), std::string::npos) << slower.reason;
  EXPECT_EQ(Words(Compared({half}, {whole}, limit)), "improved");
  EXPECT_TRUE(slower.is_per_sample);
  // With the work accepted, a smaller batch is not faster either.
  rules::PolicyBaseline policy;
  policy.limits = {On("iteration.time.median", kTwentieth)};
  const RunComparison accepted =
      CompareRuns(std::vector{whole}, std::vector{half}, &policy, ComparePurpose::kJudge, true);
  EXPECT_TRUE(accepted.work.by_sample);
  EXPECT_NEAR(accepted.metrics.front().shift, 0.2, 0.01);
  // A limit per sample compares times, so nothing says that they are not compared.
  policy.limits = {limit};
  const RunComparison by_sample = CompareRuns(std::vector{whole}, std::vector{half}, &policy);
  EXPECT_FALSE(LeavesOpen(by_sample.work));
  const MetricComparison unknown = Compared({Calling({{"aten::mm", ""}})}, {half}, limit);
  EXPECT_EQ(Words(unknown), "missing");
  EXPECT_NE(unknown.reason.find("needs the samples of an iteration"), std::string::npos);
}

}  // namespace
}  // namespace profgauge::gate
