#include "gate/snapshot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gate/make_snapshot.h"

namespace profgauge::gate {
namespace {

namespace json = boost::json;

Snapshot SampleSnapshot() {
  Snapshot run;
  run.name = "resnet \"50\" </script>";
  run.source = "0123456789abcdef0123456789abcdef";
  run.format = "kineto";
  run.environment = {{"gpu", "Tesla V100"}, {"gpus", "1"}};
  run.iteration_times = {1'694'128'201'556, 9'007'199'254'740'993};  // Beyond a double's exactness.
  run.iteration_shares["breakdown.dataloader"] = {0.1, 1.0 / 3};
  run.metrics["gpu.idle.mean"] = 0.25;
  analysis::breakdown::TimePart part;
  part.category = "other_kernel";
  part.op_type = "matmul";
  part.op = "aten::mm";
  part.shapes = "[[2, 3], [3, 4]]";
  part.kernel = "void gemm<float>(a, b)";
  part.position = 1;
  part.count = 7;
  part.time = 1'694'128'201'556;
  part.series = {1'694'128'201'556, 0};
  analysis::breakdown::TimePart other;
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

TEST(Baseline, KeepsFactsBesideTheTimes) {
  Snapshot run = SampleSnapshot();
  run.iteration_values = {{"profile.kernel_time", {9'007'199'254'740'993, 0}}};
  run.iteration_values.begin()->second.resize(run.iteration_times.size());
  run.samples = 128;
  run.work.collectives = {{"all_reduce of 8", 2, 7, 0, {}}};
  run.work.modules = {{"Net_0/Linear_1", 2, 8, 0, {}}};
  run.work.benchmarks = {{"BM_a", 2, 9'000, 0, {4'000, 5'000}}};
  run.answered = 400;
  run.answered_tokens = 51'200;
  const std::string text = WriteBaseline({run});
  const auto runs = ParseBaseline(text, "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->front().iteration_values, run.iteration_values);
  EXPECT_EQ(runs->front().samples, 128);
  EXPECT_EQ(runs->front().work.collectives.at(0).name, "all_reduce of 8");
  EXPECT_EQ(runs->front().work.modules.at(0).gpu_time, 8);
  EXPECT_EQ(runs->front().work.benchmarks.at(0).series, (std::vector<Ns>{4'000, 5'000}));
  EXPECT_EQ(runs->front().answered, 400);
  EXPECT_EQ(runs->front().answered_tokens, 51'200);
  EXPECT_EQ(WriteBaseline(*runs), text);
  run.iteration_values.begin()->second.push_back(1);
  EXPECT_EQ(ParseBaseline(WriteBaseline({run}), "b").error().code, "baseline/field");
}

// Boost's own parser is off by a bit in one number of ten.
TEST(Baseline, KeepsTheWorkOfRanks) {
  Snapshot run = SampleSnapshot();
  run.ranks = {{0, 1'000, 900}, {1, 1'200, 1'100}};
  const auto runs = ParseBaseline(WriteBaseline({run}), "b.json");
  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_EQ(runs->front().ranks.size(), 2U);
  EXPECT_EQ(runs->front().ranks[1].rank, 1);
  EXPECT_EQ(runs->front().ranks[1].own, 1'200);
  EXPECT_EQ(runs->front().ranks[1].computing, 1'100);
  std::string text = WriteBaseline({run});
  text.replace(text.find("[1,1200,1100]"), 13, "[1,-1200,900]");
  const auto wrong = ParseBaseline(text, "b.json");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where.path, "runs[0].ranks");
}

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
  analysis::breakdown::Attribution attribution;
  attribution.gpu_models = "V100\xff";
  attribution.iteration_times = {7};
  attribution.parts = {{"cpu", "t\x80", "o\x80", "s\x80", "k\x80", 0, 1, 7, {}}};
  attribution.work.iterations = 1;
  attribution.work.kernels = {{"k\x80", 1, 7, 0, {}}};
  attribution.work.ops = {{"o\x80", 1, 7, 0, {}}};
  const std::string text =
      WriteBaseline({MakeSnapshot("run\xc0", ranks, analysis::Analysis{}, std::move(attribution))});
  const auto runs = ParseBaseline(text, "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->front().name, "run\xef\xbf\xbd");
  EXPECT_EQ(runs->front().parts[0].kernel, "k\xef\xbf\xbd");
  EXPECT_EQ(WriteBaseline(*runs), text);
}

TEST(Baseline, KeepsDefinitionsAndReadsFilesWithoutAsOnes) {
  Snapshot run = SampleSnapshot();
  run.definitions["gpu.idle.mean"] = 3;
  std::string text = WriteBaseline({run});
  const auto runs = ParseBaseline(text, "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->front().DefinitionOf("gpu.idle.mean"), 3);
  EXPECT_EQ(runs->front().DefinitionOf("kernel.time"), 1);
  const std::string_view definitions = "\"definitions\":{\"gpu.idle.mean\":3},";
  const auto at = text.find(definitions);
  ASSERT_NE(at, std::string::npos);
  text.erase(at, definitions.size());
  const auto without = ParseBaseline(text, "base.json");
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_EQ(without->front().DefinitionOf("gpu.idle.mean"), 1);
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

TEST(Baseline, RefusesUntrustedFiles) {
  const Refusal refusals[] = {
      {"", "baseline/not-json", "the baseline is not valid JSON: incomplete JSON", ""},
      {WriteBaseline({SampleSnapshot()}).substr(0, 100), "baseline/not-json",
       "the baseline is not valid JSON: incomplete JSON", ""},
      {"{\"schemaVersion\": 1, \"traceEvents\": []}", "baseline/foreign",
       "this is not a baseline: expected a JSON object of kind `profgauge-baseline`", "kind"},
      {"[1, 2]", "baseline/foreign",
       "this is not a baseline: expected a JSON object of kind `profgauge-baseline`", "kind"},
      {Replaced("\"schema\":3", "\"schema\":4"), "baseline/newer",
       "the baseline has schema 4, expected schema 3", "schema"},
      {Replaced("\"schema\":3", "\"schema\":0"), "baseline/old",
       "the baseline has schema 0, expected schema 3", "schema"},
      {Replaced("\"schema\":3", "\"schema\":2"), "baseline/old",
       "the baseline has schema 2, expected schema 3", "schema"},
      {Replaced("\"schema\":3", "\"schema\":\"1\""), "baseline/field", "expected a whole number",
       "schema"},
      {Replaced("9007199254740993]", "-1]"), "baseline/field", "expected whole nanoseconds",
       "runs[0].iteration_times"},
      {Replaced("9007199254740993]", "4611686018427387904]"), "baseline/field",
       "expected whole nanoseconds", "runs[0].iteration_times"},
      {Replaced("[1694128201556,9007199254740993]", "[2305843009213693952,2305843009213693952]"),
       "baseline/field", "expected iterations of less than 73 years", "runs[0].iteration_times"},
      {Replaced("1,7,1694128201556", "1,-7,1694128201556"), "baseline/field",
       "expected a number of 0 or more", "runs[0].parts[0]"},
      {Replaced("[1,2,3,4,5,1,7,", "[1,2,3,4,99,1,7,"), "baseline/field",
       "expected an index into strings", "runs[0].parts[0]"},
      {Replaced("7,1694128201556", "7,1694128201557"), "baseline/sum",
       "the parts do not sum to the iteration times", "runs[0].parts"},
      {Replaced("\"work\":{\"iterations\":2", "\"work\":{\"iterations\":0"), "baseline/field",
       "expected at least one iteration", "runs[0].work.iterations"},
      {Replaced("7,1694128201556,0,[1,2]", "7,-1,0,[1,2]"), "baseline/field",
       "expected a number of 0 or more", "runs[0].work.kernels"},
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

json::object& RunOf(json::value& document) { return document.at("runs").at(0).as_object(); }

// The error of the document after `change`: "PATH: MESSAGE", or nothing if it is read.
std::string SaidOf(const Snapshot& run, const std::function<void(json::value&)>& change) {
  json::value document = json::parse(WriteBaseline({run}));
  change(document);
  const auto runs = ParseBaseline(json::serialize(document), "base.json");
  return runs ? "" : runs.error().where.path + ": " + runs.error().message;
}

TEST(Baseline, RefusesARunWithoutAField) {
  constexpr std::pair<std::string_view, std::string_view> kFields[] = {
      {"name", "text"},
      {"source", "text"},
      {"format", "text"},
      {"environment", "an object"},
      {"iteration_times", "a list"},
      {"iteration_shares", "an object"},
      {"metrics", "an object"},
      {"strings", "a list"},
      {"parts", "a list"},
  };
  for (const auto& [field, kind] : kFields) {
    const std::string said = fmt::format("runs[0].{}: expected {}", field, kind);
    EXPECT_EQ(SaidOf(SampleSnapshot(), [&, name = field](auto& d) { RunOf(d).erase(name); }), said);
    EXPECT_EQ(SaidOf(SampleSnapshot(), [&, name = field](auto& d) { RunOf(d)[name] = true; }),
              said);
  }
  Snapshot run = SampleSnapshot();
  run.iteration_unobserved = {0, 0};
  run.iteration_periods = {7};
  run.uncertain = {"gpu.idle.mean"};
  for (const auto& [field, kind] : {std::pair{"iteration_unobserved", "a list"},
                                    {"iteration_periods", "a list"},
                                    {"definitions", "an object"},
                                    {"uncertain", "a list"},
                                    {"work", "an object"}}) {
    EXPECT_EQ(SaidOf(run, [&, name = field](auto& d) { RunOf(d).erase(name); }), "") << field;
    EXPECT_EQ(SaidOf(run, [&, name = field](auto& d) { RunOf(d)[name] = true; }),
              fmt::format("runs[0].{}: expected {}", field, kind));
  }
  for (const auto& [field, kind] : {std::pair{"iterations", "a whole number"},
                                    {"has_gpu", "true or false"},
                                    {"kernels", "a list"},
                                    {"ops", "a list"}}) {
    const std::string said = fmt::format("runs[0].work.{}: expected {}", field, kind);
    EXPECT_EQ(SaidOf(run, [&, name = field](auto& d) { RunOf(d)["work"].as_object().erase(name); }),
              said);
    EXPECT_EQ(SaidOf(run, [&, name = field](auto& d) { RunOf(d)["work"].as_object()[name] = "x"; }),
              said);
  }
}

TEST(Baseline, RefusesADocumentWithoutRuns) {
  const auto said = [](json::value runs) {
    return SaidOf(SampleSnapshot(), [&](auto& d) { d.as_object()["runs"] = runs; });
  };
  EXPECT_EQ(said(json::array()), "runs: expected a list of at least one run");
  EXPECT_EQ(said("x"), "runs: expected a list of at least one run");
  EXPECT_EQ(said(json::array{1}), "runs[0]: expected an object");
  EXPECT_EQ(SaidOf(SampleSnapshot(), [](auto& d) { d.as_object().erase("runs"); }),
            "runs: expected a list of at least one run");
  EXPECT_EQ(SaidOf(SampleSnapshot(), [](auto& d) { d.as_object().erase("schema"); }),
            "schema: expected a whole number");
  EXPECT_EQ(SaidOf(SampleSnapshot(), [](auto& d) { d.as_object()["kind"] = "another"; }),
            "kind: this is not a baseline: expected a JSON object of kind `profgauge-baseline`");
  const auto second = ParseBaseline(
      [] {
        json::value d = json::parse(WriteBaseline({SampleSnapshot(), SampleSnapshot()}));
        d.at("runs").at(1).as_object().erase("name");
        return json::serialize(d);
      }(),
      "base.json");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().where.path, "runs[1].name");
}

// Every number of a list, one by one.
TEST(Baseline, RefusesNumbersThatCannotBe) {
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  struct List {
    std::string_view path;
    std::size_t names, numbers;
    std::string_view sizes;
  };
  const List kLists[] = {{"parts[0]", 5, 8, "expected a list of 8 numbers and maybe a series"},
                         {"work.kernels", 1, 4, "expected lists of 4 numbers and maybe a series"}};
  for (const List& list : kLists) {
    const bool is_part = list.names == 5;
    const auto said = [&](const std::function<void(json::value&)>& change) {
      return SaidOf(SampleSnapshot(), [&](json::value& d) {
        json::object& run = RunOf(d);
        change(is_part ? run["parts"].at(0) : run["work"].at("kernels").at(0));
      });
    };
    const std::string place = fmt::format("runs[0].{}: ", list.path);
    for (std::size_t i = 0; i < list.numbers; ++i) {
      EXPECT_EQ(said([&](auto& v) { v.at(i) = -1; }), place + "expected a number of 0 or more")
          << i;
      EXPECT_EQ(said([&](auto& v) { v.at(i) = "x"; }), place + "expected a number of 0 or more");
      EXPECT_EQ(said([&](auto& v) { v.at(i) = kMost + 1; }),
                place + "expected a number of 0 or more");
    }
    for (std::size_t i = 0; i < list.names; ++i) {
      EXPECT_EQ(said([&](auto& v) { v.at(i) = 7; }), place + "expected an index into strings") << i;
      EXPECT_EQ(said([&](auto& v) { v.at(i) = 6; }), "") << i;
    }
    EXPECT_EQ(said([](auto& v) { v = "x"; }), place + std::string(list.sizes));
    EXPECT_EQ(said([&](auto& v) { v.as_array().resize(list.numbers - 1); }),
              place + std::string(list.sizes));
    EXPECT_EQ(said([&](auto& v) { v.as_array().resize(list.numbers); }), "");
    EXPECT_EQ(said([&](auto& v) { v.as_array().push_back(1); }), place + std::string(list.sizes));
    EXPECT_EQ(said([&](auto& v) { v.at(list.numbers) = 1; }), place + "expected a list");
    EXPECT_EQ(said([&](auto& v) { v.at(list.numbers) = json::array({json::value(-1)}); }),
              place + "expected whole nanoseconds");
  }
  Snapshot run = SampleSnapshot();
  run.parts.clear();
  EXPECT_EQ(SaidOf(run, [](auto& d) { RunOf(d)["strings"].at(1) = 1; }),
            "runs[0].work.kernels: expected an index into strings");
  EXPECT_EQ(SaidOf(SampleSnapshot(), [](auto& d) { RunOf(d)["strings"].at(6) = 1; }),
            "runs[0].parts[1]: expected an index into strings");
}

TEST(Baseline, RefusesSharesAndMetricsThatAreNone) {
  const auto share = [](json::value value) {
    return SaidOf(SampleSnapshot(),
                  [&](auto& d) { RunOf(d)["iteration_shares"].as_object()["a"] = value; });
  };
  EXPECT_EQ(share({1, 0.5}), "");
  EXPECT_EQ(share({1}), "runs[0].iteration_shares.a: expected one number for each iteration");
  EXPECT_EQ(share({1, 2, 3}), "runs[0].iteration_shares.a: expected one number for each iteration");
  EXPECT_EQ(share("x"), "runs[0].iteration_shares.a: expected one number for each iteration");
  EXPECT_EQ(share({1, "x"}), "runs[0].iteration_shares.a: expected a number");
  EXPECT_EQ(SaidOf(SampleSnapshot(), [](auto& d) { RunOf(d)["metrics"].as_object()["a"] = "x"; }),
            "runs[0].metrics.a: expected a number");
  const auto definition = [](json::value number) {
    return SaidOf(SampleSnapshot(),
                  [&](auto& d) { RunOf(d)["definitions"].as_object()["a"] = number; });
  };
  EXPECT_EQ(definition(1), "");
  EXPECT_EQ(definition(1'000'000), "");
  EXPECT_EQ(definition("x"), "runs[0].definitions.a: expected a number");
  for (const double number : {0.0, -1.0, 1.5, 1'000'001.0}) {
    EXPECT_EQ(definition(number), "runs[0].definitions.a: expected a whole number from 1 on")
        << number;
  }
}

// The parts explain the times as recorded, or as observed.
TEST(Baseline, PartsSumToObservedTimes) {
  struct Row {
    std::vector<Ns> times, unobserved, parts;
    std::string_view said;
  };
  constexpr std::string_view kSum = "runs[0].parts: the parts do not sum to the iteration times";
  constexpr Ns kMost = Ns{1} << 61;
  const Row kRows[] = {
      {{100, 50}, {}, {150}, ""},
      {{100, 50}, {}, {100, 50}, ""},
      {{100, 50}, {}, {149}, kSum},
      {{100, 50}, {}, {151}, kSum},
      {{100, 50}, {}, {151, 0}, kSum},
      {{100, 50}, {}, {200, 150}, kSum},
      {{100, 50}, {}, {150, 1}, kSum},
      {{100, 50}, {10, 50}, {90, 61}, kSum},
      {{100, 50}, {}, {150, kMost, kMost, kMost, kMost, kMost, kMost, kMost, kMost}, kSum},
      {{100, 50}, {}, {}, ""},
      {{100, 50}, {10, 50}, {150}, ""},
      {{100, 50}, {10, 50}, {90}, ""},
      {{100, 50}, {10, 50}, {91}, kSum},
      {{100, 50},
       {10, 51},
       {150},
       "runs[0].iteration_unobserved: expected no more than the "
       "iteration's length"},
      {{100, 50},
       {101, 0},
       {150},
       "runs[0].iteration_unobserved: expected no more than the "
       "iteration's length"},
      {{100, 50},
       {10},
       {150},
       "runs[0].iteration_unobserved: expected one time for each "
       "iteration"},
      {{}, {}, {}, "runs[0].iteration_times: expected at least one iteration"},
      {{kMost}, {}, {}, ""},
      {{kMost, 0}, {}, {}, ""},
      {{kMost, 1}, {}, {}, "runs[0].iteration_times: expected iterations of less than 73 years"},
  };
  for (const Row& row : kRows) {
    Snapshot run = SampleSnapshot();
    run.iteration_times = row.times;
    run.iteration_unobserved = row.unobserved;
    run.iteration_shares.clear();
    run.parts.clear();
    for (const Ns time : row.parts) run.parts.emplace_back().time = time;
    EXPECT_EQ(SaidOf(run, [](auto&) {}), row.said);
  }
  Snapshot run = SampleSnapshot();
  run.iteration_unobserved = {1, 0};
  run.iteration_periods = {5, 6};
  run.parts.clear();
  const auto runs = ParseBaseline(WriteBaseline({run}), "base.json");
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->front().iteration_unobserved, run.iteration_unobserved);
  EXPECT_EQ(runs->front().iteration_periods, run.iteration_periods);
  run.iteration_periods = {-1};
  EXPECT_EQ(SaidOf(run, [](auto&) {}), "runs[0].iteration_periods: expected whole nanoseconds");
}

// Every part is read as it was written; the list of strings has each once.
TEST(Baseline, WritesEachFieldAsTheFormatSays) {
  Snapshot run = SampleSnapshot();
  run.definitions = {{"gpu.idle.mean", 1}};
  json::value document = json::parse(WriteBaseline({run}));
  EXPECT_EQ(document.at("schema"), 3);
  const json::object& written = RunOf(document);
  EXPECT_EQ(json::serialize(written.at("strings")),
            R"x(["","other_kernel","matmul","aten::mm","[[2, 3], [3, 4]]",)x"
            R"x("void gemm<float>(a, b)","other"])x");
  EXPECT_EQ(json::serialize(written.at("parts")),
            "[[1,2,3,4,5,1,7,1694128201556,[1694128201556,0]],[6,0,0,0,0,0,0,9007199254740993]]");
  EXPECT_EQ(json::serialize(written.at("work")),
            R"({"iterations":2,"has_gpu":true,"kernels":[[5,7,1694128201556,0,[1,2]]],)"
            R"("ops":[[3,3,5,9007199254740993]]})");
  EXPECT_TRUE(written.at("definitions").as_object().empty());
  for (const char* optional : {"uncertain", "iteration_unobserved", "iteration_periods"}) {
    EXPECT_FALSE(written.contains(optional)) << optional;
  }
  run.work.iterations = 1;
  EXPECT_NE(WriteBaseline({run}).find("\"work\""), std::string::npos);
  run.work.iterations = 0;
  EXPECT_EQ(WriteBaseline({run}).find("\"work\""), std::string::npos);
}

TEST(Snapshot, TimesAreObservedTimes) {
  Snapshot run;
  run.iteration_times = {100, 50, 70};
  EXPECT_EQ(ObservedTimes(run), (std::vector<double>{100, 50, 70}));
  EXPECT_EQ(MedianIteration(run), 70);
  run.iteration_unobserved = {10, 50, 60};
  EXPECT_EQ(ObservedTimes(run), (std::vector<double>{90, 0, 10}));
  EXPECT_EQ(MedianIteration(run), 10);
  run.iteration_unobserved = {10, 50, 70};
  EXPECT_FALSE(IsTimed(run));
  EXPECT_EQ(MedianIteration(run), std::nullopt);
  run.iteration_unobserved = {99, 49, 69};
  EXPECT_EQ(MedianIteration(run), 1);
}

}  // namespace
}  // namespace profgauge::gate
