#include "gate/snapshot.h"

#include <gtest/gtest.h>

#include "gate/make_snapshot.h"

namespace profgauge {
namespace {

Snapshot SampleSnapshot() {
  Snapshot run;
  run.name = "resnet \"50\" </script>";
  run.source = "0123456789abcdef0123456789abcdef";
  run.format = "kineto";
  run.environment = {{"gpu", "Tesla V100"}, {"gpus", "1"}};
  run.iteration_times = {1'694'128'201'556, 9'007'199'254'740'993};  // Beyond a double's exactness.
  run.iteration_shares["breakdown.dataloader"] = {0.1, 1.0 / 3};
  run.metrics["gpu.idle.mean"] = 0.25;
  TimePart part;
  part.category = "other_kernel";
  part.op_type = "matmul";
  part.op = "aten::mm";
  part.shapes = "[[2, 3], [3, 4]]";
  part.kernel = "void gemm<float>(a, b)";
  part.position = 1;
  part.count = 7;
  part.time = 1'694'128'201'556;
  part.series = {1'694'128'201'556, 0};
  TimePart other;
  other.category = "other";
  other.time = 9'007'199'254'740'993;
  run.parts = {part, other};
  run.work.iterations = 2;
  run.work.has_gpu = true;
  run.work.kernels = {{"void gemm<float>(a, b)", 7, 1'694'128'201'556, 0, {1, 2}}};
  run.work.ops = {{"aten::mm", 3, 5, 9'007'199'254'740'993, {}}};
  return run;
}

TEST(Baseline, SurvivesTheRoundTripExactly) {
  const std::string text = WriteBaseline({SampleSnapshot(), SampleSnapshot()});
  const auto runs = ParseBaseline(text, "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(runs->front().iteration_times, SampleSnapshot().iteration_times);
  EXPECT_EQ(runs->front().parts[0].series, SampleSnapshot().parts[0].series);
  EXPECT_EQ(runs->front().work.ops[0].host_time, 9'007'199'254'740'993);
  EXPECT_EQ(runs->front().work.kernels[0].series, (std::vector<Ns>{1, 2}));
  EXPECT_EQ(runs->front().Environment("gpu"), "Tesla V100");
  EXPECT_EQ(runs->front().Environment("driver"), "");
  EXPECT_EQ(WriteBaseline(*runs), text);
}

// Boost's own parser is off by a bit in one number of ten.
TEST(Baseline, KeepsEveryBitOfNumbers) {
  Snapshot run = SampleSnapshot();
  for (int i = 1; i <= 1'000; ++i) run.metrics[std::to_string(i)] = i / 997.0;
  run.iteration_shares["breakdown.dataloader"] = {1.3774886967557707, 0.21190619240129938};
  const auto runs = ParseBaseline(WriteBaseline({run}), "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->front().metrics, run.metrics);
  EXPECT_EQ(runs->front().iteration_shares, run.iteration_shares);
}

// Readers of databases and of Neuron's JSON give names as they are.
TEST(Baseline, IsReadWhateverBytesNamesHave) {
  std::vector<Profile> ranks(1);
  ranks[0].facts = {{"cuda_driver_version", "5\xe2\x80"}};
  ranks[0].has_timeline = true;
  Attribution attribution;
  attribution.gpu_models = "V100\xff";
  attribution.iteration_times = {7};
  attribution.parts = {{"cpu", "t\x80", "o\x80", "s\x80", "k\x80", 0, 1, 7, {}}};
  attribution.work.iterations = 1;
  attribution.work.kernels = {{"k\x80", 1, 7, 0, {}}};
  attribution.work.ops = {{"o\x80", 1, 7, 0, {}}};
  const std::string text =
      WriteBaseline({MakeSnapshot("run\xc0", ranks, Analysis{}, std::move(attribution))});
  const auto runs = ParseBaseline(text, "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->front().name, "run\xef\xbf\xbd");
  EXPECT_EQ(runs->front().parts[0].kernel, "k\xef\xbf\xbd");
  EXPECT_EQ(WriteBaseline(*runs), text);
}

TEST(Baseline, KeepsTheNumbersOfDefinitionsAndReadsFilesWithoutAsOnes) {
  Snapshot run = SampleSnapshot();
  run.definitions["gpu.idle.mean"] = 3;
  std::string text = WriteBaseline({run});
  const auto runs = ParseBaseline(text, "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->front().DefinitionOf("gpu.idle.mean"), 3);
  EXPECT_EQ(runs->front().DefinitionOf("kernel.time"), 1);
  const auto erase = [&text](std::string_view part, std::string_view by) {
    const auto at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    text.replace(at, part.size(), by);
  };
  erase("\"definitions\":{\"gpu.idle.mean\":3},", "");
  erase("\"schema\":2", "\"schema\":1");
  const auto old = ParseBaseline(text, "old.json");
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ(old->front().DefinitionOf("gpu.idle.mean"), 1);
}

TEST(Baseline, KeepsWhichNumbersAreUncertain) {
  Snapshot run = SampleSnapshot();
  run.metrics["gpu.idle.mean"] = 0.25;
  run.uncertain = {"gpu.idle.mean"};
  const std::string text = WriteBaseline({run});
  const auto runs = ParseBaseline(text, "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->front().uncertain, run.uncertain);
  EXPECT_EQ(WriteBaseline({SampleSnapshot()}).find("uncertain"), std::string::npos);
  std::string other = text;
  const std::string_view list = "[\"gpu.idle.mean\"]";
  other.replace(other.find(list), list.size(), "[\"gpu.idle.max\"]");
  const auto refused = ParseBaseline(other, "base.json");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "expected ids of `metrics`");
  EXPECT_EQ(refused.error().where.path, "runs[0].uncertain");
}

struct Refusal {
  std::string text;
  std::string code, message, path;
};

std::string Replaced(std::string_view from, std::string_view to) {
  std::string text = WriteBaseline({SampleSnapshot()});
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Baseline, RefusesWhatItCannotTrust) {
  const Refusal refusals[] = {
      {"", "baseline/not-json", "the baseline is not valid JSON: incomplete JSON", ""},
      {WriteBaseline({SampleSnapshot()}).substr(0, 100), "baseline/not-json",
       "the baseline is not valid JSON: incomplete JSON", ""},
      {"{\"schemaVersion\": 1, \"traceEvents\": []}", "baseline/foreign",
       "this is not a baseline: expected a JSON object of kind `profgauge-baseline`", "kind"},
      {"[1, 2]", "baseline/foreign",
       "this is not a baseline: expected a JSON object of kind `profgauge-baseline`", "kind"},
      {Replaced("\"schema\":2", "\"schema\":3"), "baseline/newer",
       "the baseline has schema 3, this program knows up to 2", "schema"},
      {Replaced("\"schema\":2", "\"schema\":0"), "baseline/schema", "expected schema 1 or 2",
       "schema"},
      {Replaced("\"schema\":2", "\"schema\":\"1\""), "baseline/field", "expected a whole number",
       "schema"},
      {Replaced("9007199254740993]", "-1]"), "baseline/field", "expected whole nanoseconds",
       "runs[0].iteration_times"},
      {Replaced("9007199254740993]", "4611686018427387904]"), "baseline/field",
       "expected whole nanoseconds", "runs[0].iteration_times"},
      {Replaced("[1694128201556,9007199254740993]", "[2305843009213693952,2305843009213693952]"),
       "baseline/field", "expected iterations of less than 73 years", "runs[0].iteration_times"},
      {Replaced("1,7,1694128201556", "1,-7,1694128201556"), "baseline/field",
       "expected no negative number and no text", "runs[0].parts[0]"},
      {Replaced("[1,2,3,4,5,1,7,", "[1,2,3,4,99,1,7,"), "baseline/field",
       "expected an index into strings", "runs[0].parts[0]"},
      {Replaced("7,1694128201556", "7,1694128201557"), "baseline/sum",
       "the parts do not sum to the iteration times", "runs[0].parts"},
      {Replaced("\"work\":{\"iterations\":2", "\"work\":{\"iterations\":0"), "baseline/field",
       "expected at least one iteration", "runs[0].work.iterations"},
      {Replaced("7,1694128201556,0,[1,2]", "7,-1,0,[1,2]"), "baseline/field",
       "expected no negative number and no text", "runs[0].work.kernels"},
      {Replaced("\"gpu\":\"Tesla V100\"", "\"gpu\":[]"), "baseline/field", "expected text",
       "runs[0].environment.gpu"},
  };
  for (const Refusal& refusal : refusals) {
    const auto runs = ParseBaseline(refusal.text, "base.json");
    ASSERT_FALSE(runs) << refusal.text;
    EXPECT_EQ(runs.error().code, refusal.code);
    EXPECT_EQ(runs.error().message, refusal.message);
    EXPECT_EQ(runs.error().where.path, refusal.path);
    EXPECT_EQ(runs.error().where.file, "base.json");
    EXPECT_EQ(runs.error().kind, ErrorKind::kConfig);
  }
}

TEST(Baseline, ReadsFilesWithoutSumsOfWork) {
  Snapshot run = SampleSnapshot();
  run.work = {};
  const auto runs = ParseBaseline(WriteBaseline({run}), "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->front().work.iterations, 0);
}

// Wherever a file ends, it is refused; nothing of it is guessed.
TEST(Baseline, RefusesEveryTruncation) {
  const std::string text = WriteBaseline({SampleSnapshot()});
  for (std::size_t size = 0; size + 2 < text.size(); size += 7) {
    EXPECT_FALSE(ParseBaseline(text.substr(0, size), "base.json")) << size;
  }
}

TEST(Baseline, DeepNestingIsAnErrorNotACrash) {
  EXPECT_FALSE(ParseBaseline(std::string(1'000'000, '['), "base.json"));
}

}  // namespace
}  // namespace profgauge
