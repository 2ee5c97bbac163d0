#include "readers/run_side/document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace profgauge::readers {
namespace {

std::string CodeOfDocument(std::string_view text) {
  const RunReading reading = ReadRunDocument(text);
  EXPECT_NE(reading.document.has_value(), reading.problems.size() > 0) << text;
  return reading.problems.empty() ? "" : reading.problems.front().code;
}

TEST(RunDocument, ReadsIterationsMarksAndWork) {
  const RunReading reading = ReadRunDocument(
      R"({"schema":1,"clock":"device_event","warmup":10,"segments":[{"first":10,"ns":[5,6]},)"
      R"({"first":20,"ns":[7]}],"marks":[[11,11,"checkpoint"]],"recorded":[[12,14]],)"
      R"("per_step":{"samples":128},"rank":3,"world_size":8,"commit":"abc/1.2",)"
      R"("devices":[{"id":0,"uuid":"GPU-1","sm_mhz":{"median":1980},"ecc_uncorrected":0,)"
      R"("other_processes":2,"reasons":{"sw_power_cap":0.02}}],)"
      R"("versions":{"torch":"2.11.0"},"other":1})");
  ASSERT_TRUE(reading.document.has_value());
  const RunDocument& document = *reading.document;
  EXPECT_EQ(document.clock, StepClock::kDeviceEvent);
  ASSERT_EQ(document.segments.size(), 2u);
  EXPECT_EQ(document.segments[1].first, 20);
  EXPECT_EQ(document.segments[0].lengths, (std::vector<Ns>{5, 6}));
  ASSERT_EQ(document.marks.size(), 1u);
  EXPECT_EQ(document.marks[0].word, "checkpoint");
  EXPECT_EQ(document.recorded.at(0).last, 14);
  EXPECT_EQ(document.work.at("samples"), 128);
  EXPECT_EQ(document.rank, 3);
  EXPECT_EQ(document.commit, "abc/1.2");
  EXPECT_EQ(document.devices.at(0).reasons.at("sw_power_cap"), 0.02);
  EXPECT_EQ(document.devices.at(0).conditions.at("sm_mhz").median, 1980);
  EXPECT_EQ(document.devices.at(0).conditions.at("ecc_uncorrected").most, 0);
  EXPECT_EQ(document.devices.at(0).conditions.at("other_processes").most, 2);
  EXPECT_EQ(document.unknown_keys, 1);
}

TEST(RunDocument, LeavesOutUnusableFields) {
  for (const char* text :
       {"", "[]", "\"{/\"schema/\":1}\"", R"({"segments":[]})", R"({"schema":1})",
        R"({"schema":1,"segments":[]})", R"({"schema":"1","segments":[]})",
        R"({"schema":1,"segments":[{"first":3,"ns":[]}],"windows":[[2,2,57]]})",
        R"({"schema":1,"segments":[{"first":0,"ns":[27.8]}]})",
        R"({"schema":1,"segments":[{"first":0,"ns":[NaN]}]})",
        R"({"schema":1,"segments":[{"first":0,"ns":["27"]}]})",
        R"({"schema":1,"segments":[{"first":"0","ns":[27]}]})",
        R"({"schema":1,"segments":[{"first":-1,"ns":[27]}]})",
        R"({"schema":1,"segments":[{"first":0,"ns":[0,0,5]}]})",
        R"({"schema":1,"segments":[{"first":0,"ns":[9223372036854775807,5]}]})",
        R"({"schema":1,"segments":[{"first":0,"ns":[5,5,5]},{"first":2,"ns":[5]}]})",
        R"({"schema":1,"clock":"sundial","segments":[{"first":0,"ns":[5]}]})",
        R"({"schema":1,"segments":[{"first":0,"ns":[5]}],"marks":[[3,1,"eval"]]})",
        R"({"schema":1,"segments":[{"first":0,"ns":[5)"}) {
    EXPECT_EQ(CodeOfDocument(text), "run/unreadable") << text;
  }
  EXPECT_EQ(CodeOfDocument(R"({"schema":2,"segments":[]})"), "run/newer");
  EXPECT_EQ(CodeOfDocument(R"({"schema":1,"segments":)" + std::string(40, '[') +
                           std::string(40, ']') + "}"),
            "run/too-large");
  EXPECT_EQ(CodeOfDocument(std::string(kMostRunBytes + 1, ' ')), "run/too-large");
}

TEST(RunDocument, AMillionStepsAreRead) {
  std::string text = R"({"schema":1,"segments":[{"first":0,"ns":[5)";
  for (int i = 1; i < 1'000'000; ++i) text += ",5";
  const RunReading reading = ReadRunDocument(text + R"(]}],"windows":[[999990,10,50]]})");
  ASSERT_TRUE(reading.document.has_value());
  EXPECT_EQ(reading.document->segments.at(0).lengths.size(), 1'000'000u);
  EXPECT_TRUE(reading.problems.empty());
}

TEST(RunDocument, ATwiceGivenKeyCountsLast) {
  const RunReading reading = ReadRunDocument(
      R"({"schema":1,"segments":[{"first":0,"ns":[1]}],"segments":[{"first":5,"ns":[2]}]})");
  ASSERT_TRUE(reading.document.has_value());
  EXPECT_EQ(reading.document->segments.at(0).first, 5);
}

TEST(RunDocument, WindowsCountWhereIterationsDisagree) {
  std::string lengths = "10";
  for (int i = 1; i < 20; ++i) lengths += ",10";
  const auto read = [&](const std::string& window) {
    return ReadRunDocument(R"({"schema":1,"segments":[{"first":0,"ns":[)" + lengths +
                           R"(]}],"windows":[[0,20,)" + window + "]]}");
  };
  EXPECT_TRUE(read("205").problems.empty());
  const RunReading reading = read("900");
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_EQ(reading.problems[0].code, "run/windows-disagree");
  ASSERT_TRUE(reading.document.has_value());
  EXPECT_TRUE(reading.document->segments.empty());
  EXPECT_EQ(reading.document->batches.at(0).length, 900);
}

TEST(RunDocument, ShowsNoNamesPathsOrSecrets) {
  const RunReading reading = ReadRunDocument(
      R"({"schema":1,"segments":[{"first":0,"ns":[5]}],"commit":"/home/ann/x","job":"run-7",)"
      R"("env":{"USER":"ann","AWS_SECRET_ACCESS_KEY":"x","TF_TOKEN_app":"x","TF_VAR_password":"x",)"
      R"("NCCL_AUTH_KEY":"x","NCCL_DEBUG":"INFO","TF_XLA_FLAGS":"--tf_xla_auto_jit=2",)"
      R"("CUDA_LAUNCH_BLOCKING":"0"}})");
  ASSERT_TRUE(reading.document.has_value());
  EXPECT_EQ(reading.document->commit, "");
  EXPECT_EQ(reading.document->job, "run-7");
  ASSERT_EQ(reading.document->environment.size(), 3u);
  EXPECT_EQ(reading.document->environment[0].first, "NCCL_DEBUG");
  EXPECT_EQ(reading.document->environment[1].first, "TF_XLA_FLAGS");
  EXPECT_EQ(reading.document->left_out, 6);
}

TEST(RunDocument, DecodesMarks) {
  EXPECT_EQ(DecodeRunMark("profgauge.run:eyJzY2hlbWEiOjF9"), "{\"schema\":1}");
  EXPECT_EQ(DecodeBase64Url("_-8"), "\xff\xef");
  EXPECT_EQ(DecodeRunMark("profgauge.run:a b"), std::nullopt);
  EXPECT_EQ(DecodeRunMark("other"), std::nullopt);
}

TEST(RunDocument, IsKnownByItsName) {
  EXPECT_TRUE(IsRunDocumentName("run.json"));
  EXPECT_TRUE(IsRunDocumentName("rank-3.run.json"));
  EXPECT_FALSE(IsRunDocumentName("rerun.json"));
}

// What a document has too much of is counted where it is left out.
TEST(RunDocument, CountsWhatItLeavesOut) {
  std::string env, versions, options, reasons;
  for (int i = 0; i < 70; ++i) {
    env += fmt::format(R"({}"NCCL_{}":"1")", i == 0 ? "" : ",", i);
    versions += fmt::format(R"({}"v{}":"1")", i == 0 ? "" : ",", i);
    options += fmt::format(R"({}"o{}")", i == 0 ? "" : ",", i);
    reasons += fmt::format(R"({}"r{}":0.1)", i == 0 ? "" : ",", i);
  }
  const RunReading reading = ReadRunDocument(fmt::format(
      R"({{"schema":1,"segments":[{{"first":0,"ns":[5]}}],"env":{{{}}},"versions":{{{}}},)"
      R"("profiler":{{"options":[{}]}},"per_step":{{"a b":1}},)"
      R"("devices":[{{"name":"{}","reasons":{{{}}}}}]}})",
      env, versions, options, std::string(129, 'x'), reasons));
  ASSERT_TRUE(reading.document.has_value()) << reading.problems.at(0).text;
  EXPECT_EQ(reading.document->environment.size(), 64U);
  EXPECT_EQ(reading.document->versions.size(), 64U);
  EXPECT_EQ(reading.document->profiler_options.size(), 16U);
  EXPECT_EQ(reading.document->devices.at(0).reasons.size(), 32U);
  EXPECT_EQ(reading.document->left_out, 6 + 6 + 54 + 1 + 1 + 38);
}

}  // namespace
}  // namespace profgauge::readers
