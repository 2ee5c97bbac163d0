#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "readers/load.h"

namespace profgauge::readers {
namespace {

using ::testing::HasSubstr;

class NetDictTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "net_" + std::to_string(::getpid()) + ".dict";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Result<Profile> Read(const std::string& text, const ReadOptions& options = {}) {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadProfile(path_, options);
  }

  // A kernel of a matmul, the `sub`-th of its sequence number.
  static std::string Line(int duration, int sub = 0, const std::string& direction = "fprop") {
    const std::string marker =
        direction == "fprop"
            ? R"(["{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3), 'dtype': 'float16'}, {'name': '', 'type': 'tensor', 'shape': (3, 4), 'dtype': 'float16'}]}"])"
            : "[]";
    return "{'kShortName': 'gemm', 'kDuration': " + std::to_string(duration) +
           ", 'layer': [], 'trace': ['a.py:1', 'b.py:2'], 'marker': " + marker +
           ", 'seqMarker': ['mm, seq = 5'], 'seqId': [5], 'subSeqId': " + std::to_string(sub) +
           ", 'dir': '" + direction +
           "', 'mod': ['torch'], 'op': ['mm'], 'tid': 9, 'device': 1, 'stream': 7, "
           "'grid': (2, 1, 1), 'block': (64, 1, 1), 'kLongName': 'void gemm<int>(int)'}\n";
  }

  std::string path_;
};

TEST_F(NetDictTest, AKernelPerLineWithItsCall) {
  const auto profile = Read(Line(100) + Line(50, 1) + "\n" + Line(30, 0, "bprop"));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->source.format, "pyprof");
  EXPECT_FALSE(profile->has_timeline);
  ASSERT_EQ(profile->device.size(), 3u);
  EXPECT_EQ(profile->Name(profile->device.name[0]), "void gemm<int>(int)");
  EXPECT_EQ(profile->device.gpu[0], 1);
  // The first two are one call, the third is its backward.
  ASSERT_EQ(profile->host.size(), 2u);
  EXPECT_EQ(profile->device.op[0], profile->device.op[1]);
  const std::uint32_t forward = profile->device.op[0].value, backward = profile->device.op[2].value;
  EXPECT_EQ(profile->Name(profile->host.name[forward]), "torch.mm");
  EXPECT_EQ(profile->Name(profile->host.input_shapes[forward]), "[[2, 3], [3, 4]]");
  EXPECT_EQ(profile->Name(profile->host.input_dtypes[forward]), "[float16, float16]");
  EXPECT_EQ(profile->Name(profile->host.call_stack[forward]), "b.py(2);a.py(1)");
  EXPECT_EQ(profile->host.forward[backward], HostId{forward});
  // A gradient has the arguments of the call that it belongs to, and its work is not that call's.
  EXPECT_EQ(profile->Name(profile->host.name[backward]), "mmBackward");
  EXPECT_EQ(profile->Name(profile->host.input_shapes[backward]), "[[2, 3], [3, 4]]");
  EXPECT_EQ(profile->Name(profile->host.input_dtypes[backward]), "[float16, float16]");
  ASSERT_EQ(profile->kernel_markers.size(), 3u);
  EXPECT_EQ(profile->kernel_markers[1].sub_seq, 1);
}

// linear calls matmul, then add_: one call of linear with two kernels, whose work counts once.
TEST_F(NetDictTest, PythonFunctionsOperatorsAreOneCall) {
  const auto line = [](const char* inner, int seq) {
    const std::string text =
        "{'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', "
        "'shape': (5, 8), 'dtype': 'float32'}, {'name': '', 'type': 'tensor', 'shape': (3, 8), "
        "'dtype': 'float32'}]}";
    return fmt::format(
        "{{'kShortName': 'k', 'kDuration': 10, 'trace': ['a.py:1'], 'marker': [\"{}\"], "
        "'seqId': [{}], 'subSeqId': 0, 'op': ['linear', '{}'], 'mod': ['torch.nn.functional', "
        "'Tensor'], 'dir': 'fprop'}}\n",
        text, seq, inner);
  };
  const auto profile =
      Read(line("matmul", 1) + line("add_", 2) + line("matmul", 3) + line("add_", 4));
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->device.size(), 4u);
  EXPECT_EQ(profile->host.size(), 2u);
  EXPECT_EQ(profile->device.op[0], profile->device.op[1]);
  EXPECT_EQ(profile->device.op[2], profile->device.op[3]);
  EXPECT_NE(profile->device.op[1], profile->device.op[2]);
}

// The second matmul of a Python function has a sequence number of its own, by which its gradient is
// found, with that matmul's arguments.
TEST_F(NetDictTest, GradientsOfCallsWithinAFunctionHaveTheirArguments) {
  const auto line = [](const char* direction, const char* op, const char* markers, int seq) {
    return fmt::format(
        "{{'kShortName': 'k', 'kDuration': 10, 'trace': [{}], 'marker': [{}], 'seqId': [{}], "
        "'altSeqId': [], 'seqMarker': ['bmm, seq = 0'], 'subSeqId': 0, 'op': ['{}'], 'mod': "
        "['na'], 'dir': '{}'}}\n",
        direction[0] == 'f' ? "'model.py:7'" : "", markers, seq, op, direction);
  };
  const std::string around = R"("{'mod': 'F', 'op': 'attention', 'args': []}", )";
  const auto bmm = [&around](int columns) {
    return around + fmt::format(
                        "\"{{'mod': 'torch', 'op': 'bmm', 'args': [{{'name': '', 'type': 'tensor', "
                        "'shape': (4, 5, 8), 'dtype': 'float16'}}, {{'name': '', 'type': 'tensor', "
                        "'shape': (4, 8, {}), 'dtype': 'float16'}}]}}\"",
                        columns);
  };
  const auto profile =
      Read(line("fprop", "bmm", bmm(5).c_str(), 86) + line("fprop", "bmm", bmm(6).c_str(), 90) +
           line("bprop", "Bmm", "", 90) + line("bprop", "Bmm", "", 86));
  ASSERT_TRUE(profile) << profile.error().message;
  std::vector<std::string> gradients;
  for (std::size_t row = 0; row < profile->host.size(); ++row) {
    if (profile->Name(profile->host.name[row]) != "bmmBackward") continue;
    gradients.push_back(fmt::format("{} {}", profile->Name(profile->host.input_shapes[row]),
                                    profile->Name(profile->host.call_stack[row])));
  }
  EXPECT_THAT(gradients, ::testing::ElementsAre("[[4, 5, 8], [4, 8, 6]] model.py(7)",
                                                "[[4, 5, 8], [4, 8, 5]] model.py(7)"));
}

// Without gradients the sequence number does not change: PyProf counts on from call to call.
TEST_F(NetDictTest, SeparatesCallsOfOneSequenceNumber) {
  const auto line = [](const char* op, int size, int sub) {
    const std::string text = fmt::format(
        "{{'mod': 'Tensor', 'op': '{}', 'args': [{{'name': '', 'type': 'tensor', 'shape': ({},), "
        "'dtype': 'float32'}}]}}",
        op, size);
    return fmt::format(
        "{{'kShortName': 'k', 'kDuration': 10, 'trace': ['clip.py:32'], 'marker': [\"{}\"], "
        "'seqId': [130], 'subSeqId': {}, 'op': ['{}'], 'mod': ['Tensor'], 'dir': 'fprop'}}\n",
        text, sub, op);
  };
  const auto profile = Read(line("norm", 600, 0) + line("norm", 200, 1) + line("norm", 200, 2) +
                            line("norm", 35, 3) + line("mul_", 600, 0) + line("mul_", 600, 1));
  ASSERT_TRUE(profile) << profile.error().message;
  std::vector<std::string> calls;
  for (std::size_t row = 0; row < profile->host.size(); ++row) {
    calls.push_back(fmt::format("{} {}", profile->Name(profile->host.name[row]),
                                profile->Name(profile->host.input_shapes[row])));
  }
  // The last may have moved the number on: two kernels of one call.
  EXPECT_THAT(calls, ::testing::ElementsAre("Tensor.norm [[600]]", "Tensor.norm [[200]]",
                                            "Tensor.norm [[200]]", "Tensor.norm [[35]]",
                                            "Tensor.mul_ [[600]]"));
}

TEST_F(NetDictTest, CountsBadLinesWithPlace) {
  std::string text;
  for (int i = 0; i < 9; ++i) text += Line(10);
  const auto profile = Read(text + "{'kShortName': open('/etc/passwd')}\n");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->log[Counter::events_unreadable], 1u);
  EXPECT_THAT(profile->log.Examples(Counter::events_unreadable),
              ::testing::ElementsAre("line 10: expected a value at column 16"));
}

TEST_F(NetDictTest, ManyBadLinesAreNoProfile) {
  const auto profile = Read(Line(10) + "{'kShortName': 3}\n");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, "pyprof/bad-lines");
  EXPECT_EQ(profile.error().message,
            "1 of 2 lines are not kernels of PyProf, the first in line 2: expected a text for "
            "`kShortName`");
}

TEST_F(NetDictTest, RequiredKeysAndDirections) {
  const std::string start = "{'kShortName': 'k', 'kDuration': 1";
  EXPECT_THAT(Read(start + "}").error().message, HasSubstr("expected the key `op`"));
  EXPECT_THAT(Read(start + ", 'op': [], 'mod': [], 'dir': 'sideways'}").error().message,
              HasSubstr("expected `fprop` or `bprop` for `dir`"));
  EXPECT_THAT(Read("{'kShortName': 'k', 'kDuration': -1, 'op': [], 'mod': [], 'dir': 'fprop'}")
                  .error()
                  .message,
              HasSubstr("expected a duration of 0 or more"));
  EXPECT_TRUE(Read(start + ", 'op': [], 'mod': [], 'dir': 'fprop'}"));
}

TEST_F(NetDictTest, ALineWithoutEndIsRefused) {
  const auto profile = Read("{'kShortName': '" + std::string(17 << 20, 'x'));
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, "pyprof/line-too-long");
}

TEST_F(NetDictTest, ALineThatIsCutIsLoss) {
  const std::string whole = Line(10) + Line(20);
  const std::string cut = whole.substr(0, whole.size() - 30);
  const auto refused = Read(cut);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "pyprof/truncated");
  EXPECT_THAT(refused.error().message, HasSubstr("ends inside line 2"));
  ReadOptions options;
  options.allow_incomplete = true;
  const auto taken = Read(cut, options);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->device.size(), 1u);
  EXPECT_EQ(taken->log[Counter::truncated], 1u);
  EXPECT_TRUE(Read(whole.substr(0, whole.size() - 1)));  // The line end by itself shows nothing.
}

TEST_F(NetDictTest, AByteOrderMarkIsNoText) {
  const auto profile = Read("\xEF\xBB\xBF" + Line(10));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->device.size(), 1u);
  EXPECT_EQ(profile->log[Counter::events_unreadable], 0u);
}

TEST_F(NetDictTest, ReadsRealFiles) {
  const std::string folder = PROFGAUGE_SHARED_DIR "/data/pyprof/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no real files here";
  const auto real = ReadProfile(folder + "josiahdavis_profiling-lm.net.dict", {});
  ASSERT_TRUE(real) << real.error().message;
  EXPECT_EQ(real->device.size(), 160u);
  EXPECT_EQ(ReadProfile(folder + "disintroduct_RFL.net.dict", {}).error().code, "input/zip");
}

}  // namespace
}  // namespace profgauge::readers
