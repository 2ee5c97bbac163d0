// References of a file's rows that are missing: names, layers, symbols, agents, strings. Each is
// read without it, or refused; no missing row is looked up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "model/neuron.h"
#include "model/profile_builder.h"
#include "readers/kineto/kineto_reader.h"
#include "readers/neuron/neuron_reader.h"
#include "readers/rocprofv3/rocprofv3_reader.h"

namespace profgauge::readers {
namespace {

Result<std::vector<Profile>> ReadText(const Reader& reader, const std::string& text) {
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(text)));
  return reader.ReadRanks(*source, {});
}

TEST(References, MissingNameIsEmpty) {
  ProfileBuilder builder;
  EXPECT_EQ(builder.Name(StringId{}), "");
  EXPECT_EQ(builder.Name(builder.Intern("mm")), "mm");
}

TEST(References, SkipsUnnamedNeuronLayers) {
  const auto ranks = ReadText(*readers::MakeNeuronReader(), R"({
    "layer_summary": [{"start": 1, "end": 5, "duration": 4, "parent_name": "sg00"},
                      {"start": 1, "end": 5, "duration": 4, "name": "a", "parent_name": "b"},
                      {"start": 1, "end": 5, "duration": 4, "name": "b", "parent_name": "a"}],
    "instruction": [{"id": 1, "timestamp": 1, "duration": 4, "subgroup": "Tensor",
                     "opcode": "MATMUL"}],
    "summary": [{"total_time": 0.000001}]})");
  ASSERT_TRUE(ranks) << ranks.error().message;
  const Profile& profile = ranks->front();
  EXPECT_EQ(profile.log[Counter::events_unreadable], 1u);
  std::vector<std::string> paths;
  for (const profgauge::neuron::Layer& layer : profile.neuron->layers) {
    paths.emplace_back(profile.Name(layer.path));
  }
  EXPECT_THAT(paths, ::testing::ElementsAre("b/a", "a/b"));
}

TEST(References, Rocprofv3KernelsWithoutSymbol) {
  const auto ranks = ReadText(*readers::MakeRocprofv3Reader(), R"({"rocprofiler-sdk-tool": [{
    "metadata": {"pid": 7}, "agents": [], "kernel_symbols": [],
    "strings": {"buffer_records": []},
    "buffer_records": {
      "kernel_dispatch": [{"kind": 99, "operation": 99, "start_timestamp": 10, "end_timestamp": 20,
        "correlation_id": {"internal": 5, "external": 0},
        "dispatch_info": {"kernel_id": 12, "agent_id": {"handle": 3}, "queue_id": {"handle": 1}}}],
      "hip_api": [{"kind": -1, "operation": 7, "start_timestamp": 1, "end_timestamp": 2,
        "correlation_id": {"internal": 6, "external": 0}, "thread_id": 7}],
      "marker_api": [{"kind": 99, "operation": 1, "start_timestamp": 1, "end_timestamp": 2,
        "correlation_id": {"internal": 900, "external": 0}, "thread_id": 7}]}}]})");
  ASSERT_TRUE(ranks) << ranks.error().message;
  EXPECT_EQ(ranks->front().device.size(), 1u);
}

// Notes beside profiles are no truncated ones: a list of events has objects with times.
TEST(References, AListOfNumbersIsNoTrace) {
  const auto sniff = [](const std::string& text) {
    return readers::MakeKinetoReader()->Sniff(std::as_bytes(std::span(text)));
  };
  EXPECT_EQ(sniff("[03]\n"), Match::kNo);
  EXPECT_EQ(sniff("[\"a\"]"), Match::kNo);
  EXPECT_EQ(sniff("[ {\"a\": 1}]"), Match::kNo);
  EXPECT_EQ(sniff("[ {\"ts\": 1}]"), Match::kNo);
  EXPECT_EQ(sniff("["), Match::kNo);
  EXPECT_EQ(sniff("[ {\"ph\": \"X\", \"ts\": 1}]"), Match::kYes);
  EXPECT_EQ(sniff("{\"schemaVersion\": 1, \"tr"), Match::kYes);
  EXPECT_EQ(sniff("{\"name\": \"package\"}"), Match::kNo);
}

TEST(References, EventsOfKinetoThatNameNothing) {
  const auto ranks = ReadText(*readers::MakeKinetoReader(), R"({"traceEvents": [
    {"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "ts": 10, "dur": 5,
     "args": {"correlation": 77, "External id": 99, "device": 0, "stream": 7}},
    {"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "args": {"External id": 3}},
    {"ph": "X", "cat": "cuda_runtime", "pid": 1, "tid": 1, "ts": 2, "dur": 1,
     "args": {"correlation": 78, "External id": 98}},
    {"ph": "X", "cat": "python_function", "pid": 1, "tid": 1, "ts": 1, "dur": 5,
     "args": {"Python id": 1, "Python parent id": 55, "Python module id": 66}},
    {"ph": "f", "cat": "fwdbwd", "id": 4, "pid": 9, "tid": 9, "ts": 3},
    {"ph": "M", "name": "thread_name", "pid": 5, "tid": 6, "args": {"name": "nobody"}}]})");
  ASSERT_TRUE(ranks) << ranks.error().message;
  const Profile& profile = ranks->front();
  ASSERT_EQ(profile.device.size(), 1u);
  EXPECT_FALSE(profile.device.launch[0].valid());
  EXPECT_FALSE(profile.device.op[0].valid());
}

}  // namespace
}  // namespace profgauge::readers
