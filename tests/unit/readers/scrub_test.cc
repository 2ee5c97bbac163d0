#include "readers/nsight_systems/nsight_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/sqlite.h"
#include "nsight_tables.h"
#include "readers/load.h"
#include "readers/text/json_copy.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;
using readers::ScrubExport;
using readers::WithoutPaths;

std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void ExpectSameReport(const Profile& a, const Profile& b) {
  EXPECT_EQ(a.device.size(), b.device.size());
  EXPECT_EQ(a.device.start, b.device.start);
  EXPECT_THAT(a.device.duration,
              ::testing::ElementsAreArray(b.device.duration.begin(), b.device.duration.end()));
  EXPECT_EQ(a.api.start, b.api.start);
  EXPECT_EQ(a.host.start, b.host.start);
  EXPECT_EQ(a.os.start, b.os.start);
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.span_end, b.span_end);
  EXPECT_EQ(a.facts, b.facts);
  EXPECT_EQ(a.gpus.size(), b.gpus.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
    const auto counter = static_cast<Counter>(i);
    EXPECT_EQ(a.log[counter], b.log[counter]) << InfoOf(counter).name;
  }
}

class ScrubTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("scrub_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    in_ = (folder_ / "in.sqlite").string();
    out_ = (folder_ / "out.sqlite").string();
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& sql) const {
    auto database = sqlite::Database::Open(in_, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    const Status status = database->Execute(sql);
    EXPECT_TRUE(status) << status.error().message;
  }
  fs::path folder_;
  std::string in_, out_;
};

TEST_F(ScrubTest, KeepsOnlyReportData) {
  using namespace nsight_tables;
  Write(std::string(kStringIds) + kNamedKernels + kRuntimeCalls + kNvtxTexts + kCaptureMetadata +
        kDiagnostics + R"(
    insert into StringIds values (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'secret thread');
    create table ThreadNames (nameId integer, globalTid integer);
    insert into ThreadNames values (3, 117440513);
    alter table CUPTI_ACTIVITY_KIND_KERNEL add column secretColumn text;
    insert into CUPTI_ACTIVITY_KIND_KERNEL values (300, 400, 0, 7, 1, 117440512, 1, 'secret');
    insert into CUPTI_ACTIVITY_KIND_RUNTIME values (210, 220, 117440513, 1, 2, 0);
    alter table NVTX_EVENTS add column jsonText text;
    insert into NVTX_EVENTS values (200, 260, 59,
      '{''traceMarker'': [''/home/secret/site-packages/torch/nn/conv.py:3'']}', 117440513, 'secret'),
      (100, 500, 59, 'step 0', 117440513, null);
    insert into META_DATA_CAPTURE values ('PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN=secret'),
      ('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'Graph');
    create table TARGET_INFO_SYSTEM_ENV (name text, value text);
    insert into TARGET_INFO_SYSTEM_ENV values ('HostName', 'secret'), ('CpuDescription', 'a CPU');
    insert into DIAGNOSTIC_EVENT values (2, 'No NVTX events collected. in /home/secret', null),
      (3, 'cannot open /home/secret/x', null),
      (2, 'Not all CUDA events might have been collected.', 134217728);
    create table ProcessStreams (contentId text); insert into ProcessStreams values ('secret');)");
  const std::string before = FileText(in_);
  const auto done = ScrubExport(in_, out_);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->tables_left_out, 2);
  EXPECT_EQ(done->texts_changed, 1);
  EXPECT_EQ(FileText(in_), before);
  EXPECT_EQ(FileText(out_).find("secret"), std::string::npos);
  EXPECT_NE(FileText(out_).find("torch/nn/conv.py:3"), std::string::npos);
  auto original = ReadProfile(in_, {});
  auto copy = ReadProfile(out_, {});
  ASSERT_TRUE(original) << original.error().message;
  ASSERT_TRUE(copy) << copy.error().message;
  ExpectSameReport(*original, *copy);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(ScrubTest, NeverOverwritesKnowsOneFormat) {
  Write("create table recipes (x integer)");
  EXPECT_EQ(ScrubExport(in_, out_).error().code, "scrub/not-an-export");
  EXPECT_EQ(ScrubExport(in_, in_).error().code, "output/exists");
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ScrubTest, NamesItsFormatForOtherFiles) {
  for (const char* text : {R"({"traceEvents": []})", "\x1f\x8b\x08", ""}) {
    std::ofstream(in_, std::ios::binary | std::ios::trunc) << text;
    const auto refused = ScrubExport(in_, out_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "scrub/not-an-export") << text;
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("export of Nsight Systems"));
  }
  EXPECT_NE(ScrubExport(in_ + "x", out_).error().code, "scrub/not-an-export");
  EXPECT_FALSE(fs::exists(out_));
}

TEST(WithoutPaths, CutsPathsAndLeavesNames) {
  constexpr std::pair<const char*, const char*> kRows[] = {
      {"/home/ann/x/site-packages/torch/nn/conv.py:443", "torch/nn/conv.py:443"},
      {"['/home/ann/train.py:3', 'net.py:9']", "['train.py:3', 'net.py:9']"},
      {"/module/net::forward/conv2d", "/module/net::forward/conv2d"},
      {"dense/MatMul", "dense/MatMul"},
      {"load /mnt/share/ann/set.bin now", "load set.bin now"},
      {"C:\\Users\\ann\\run.txt", "run.txt"},
      {"lambda at /srv/ann/kernels/add.cu", "lambda at add.cu"},
      {"/conv1/Conv", "/conv1/Conv"},
      {"torch/utils/_device.py(100): __torch_function__", "_device.py(100): __torch_function__"},
      {"a/b.py(1): f;moca/lib/profile.py(53): run", "b.py(1): f;profile.py(53): run"},
      {"in /home/me/pkg/a.py(3): f, then", "in a.py(3): f, then"},
      {"file=/home/me/set.bin", "file=set.bin"},
      {"file:///home/me/set.bin", "file:set.bin"},
      {"D:/home/ann/net.py(3): f", "net.py(3): f"},
      {"pkg\\sub\\net.py(3): f", "net.py(3): f"},
      {"./src/net.py(3): f", "net.py(3): f"},
      {"../../home/ann/set.bin", "set.bin"},
      {"-I/home/ann/inc -DX", "inc -DX"},
      {"aten::div/mul", "aten::div/mul"},
      {"input/data/read", "input/data/read"},
      {"gs://bucket/home/ann/set.bin", "gs:set.bin"},
      {"", ""}};
  for (const auto& [text, clean] : kRows) EXPECT_EQ(WithoutPaths(text), clean);
}

TEST(ScrubReal, TheCopyGivesTheSameReport) {
  const std::string data = std::string(PROFGAUGE_SHARED_DIR) + "/data/nsight-systems";
  if (!fs::exists(data)) GTEST_SKIP() << "no shared profiles";
  const std::string out = ::testing::TempDir() + "scrubbed_" + std::to_string(::getpid());
  for (const auto& entry : fs::directory_iterator(data)) {
    SCOPED_TRACE(entry.path().string());
    const auto original = ReadProfile(entry.path().string(), {});
    const auto done = ScrubExport(entry.path().string(), out);
    ASSERT_TRUE(done) << done.error().message;
    const auto copy = ReadProfile(out, {});
    fs::remove(out);
    ASSERT_EQ(original.has_value(), copy.has_value());
    if (original) ExpectSameReport(*original, *copy);
  }
}

}  // namespace
}  // namespace profgauge::readers
