// DLProf's own reports of a profile, against those computed from the profile's events.
#include "exports/dlprof/dlprof_csv.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "readers/load.h"

namespace profgauge::exports::dlprof {
namespace {

std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The first block reports the machine, in words of the tool that wrote it.
std::string WithoutSystem(const std::string& text) { return text.substr(text.find("\n\n")); }

TEST(DlprofCsv, SevenFilesEqualDlprofsBytes) {
  const std::string data = std::string(PROFGAUGE_SHARED_DIR) + "/data/";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared profiles";
  const auto profile =
      readers::ReadProfile(data + "nsight-systems/dlprof_dummynet_wrelu_nsys.sqlite", {});
  ASSERT_TRUE(profile) << profile.error().message;
  const auto report = analysis::dlprof::dlprof::Compute(*profile, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->ops.size(), 36u);
  EXPECT_EQ(report->launches.size(), 59u);
  EXPECT_EQ(report->summary.wall, 2'840'562'182);
  EXPECT_EQ(report->summary.breakdown.other_kernel, 578'300);
  EXPECT_EQ(report->summary.breakdown.memory, 66'690);
  EXPECT_EQ(report->summary.breakdown.cpu, 2'246'014'294);
  EXPECT_EQ(report->summary.breakdown.other, 593'902'898);
  const auto texts = DlprofCsvTexts(*profile, *report, {});
  ASSERT_EQ(texts.size(), kDlprofFiles.size());
  for (std::size_t i = 0; i + 1 < texts.size(); ++i) {
    SCOPED_TRACE(kDlprofFiles[i]);
    const std::string theirs =
        FileText(data + "dlprof/dummynet_wrelu/" + std::string(kDlprofFiles[i]));
    ASSERT_FALSE(theirs.empty());
    if (i == 0) {
      EXPECT_EQ(WithoutSystem(texts[i]), WithoutSystem(theirs));
    } else {
      EXPECT_EQ(texts[i], theirs);
    }
  }
}

// The rows of a database give the reports that DLProf wrote with it.
TEST(DlprofCsv, DatabaseGivesFilesBesideIt) {
  const std::string data = std::string(PROFGAUGE_SHARED_DIR) + "/data/dlprof/";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared profiles";
  for (const std::string folder : {"dummynet_wrelu/", "dummynet_norelu/"}) {
    const auto profile = readers::ReadProfile(data + folder + "dlprof_dldb_1.sqlite", {});
    ASSERT_TRUE(profile) << profile.error().message;
    const auto report = analysis::dlprof::dlprof::Compute(*profile, {});
    ASSERT_TRUE(report) << report.error().message;
    const auto texts = DlprofCsvTexts(*profile, *report, {});
    for (std::size_t i = 0; i + 1 < texts.size(); ++i) {
      SCOPED_TRACE(folder + std::string(kDlprofFiles[i]));
      const std::string theirs = FileText(data + folder + std::string(kDlprofFiles[i]));
      const bool summary = i == 0;
      EXPECT_EQ(summary ? WithoutSystem(texts[i]) : texts[i],
                summary ? WithoutSystem(theirs) : theirs);
    }
  }
}

TEST(ShortKernelName, IsOnlyTheFunctionName) {
  using analysis::dlprof::dlprof::ShortKernelName;
  EXPECT_EQ(ShortKernelName("volta_sgemm_128x64"), "volta_sgemm_128x64");
  EXPECT_EQ(ShortKernelName("cudnn::gemm::offsets(cudnn::gemm::Params)"), "offsets");
  EXPECT_EQ(ShortKernelName("void at::native::<unnamed>::pool<float, float>(int, const T1 *)"),
            "pool");
  EXPECT_EQ(ShortKernelName("void (anonymous namespace)::f<g<1>, h()>(float*)"), "f");
  EXPECT_EQ(ShortKernelName("void a::b<c::d>::e<1>(int)"), "e");
  EXPECT_EQ(ShortKernelName(""), "");
  EXPECT_EQ(ShortKernelName("f<"), "f");
}

}  // namespace
}  // namespace profgauge::exports::dlprof
