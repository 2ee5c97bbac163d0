#include "report/code_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace profgauge::report {
namespace {

using ::testing::MatchesRegex;

std::string Hidden(std::string_view name, NameKind of = NameKind::kName) {
  CodeNames code("key");
  code.Learn(name);
  return code.Hide(name, of);
}

TEST(CodeNames, KeepsNamesOfFrameworksAndLibraries) {
  for (const std::string_view name :
       {"aten::mm", "aten::copy_", "c10d::allreduce_", "ProfilerStep#5", "cudaLaunchKernel",
        "Memcpy HtoD (Pinned -> Device)", "ampere_sgemm_128x64_nt", "Optimizer.step#SGD.step",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
        "void at::native::vectorized_elementwise_kernel<4, at::detail::Array<char*, 2> >(int)",
        "torch/nn/modules/linear.py(114): forward", "[64, 512] × [512, 512]", "nn.Module: 3"}) {
    EXPECT_EQ(Hidden(name), name);
  }
}

TEST(CodeNames, HidesEachOtherWordAndKeepsTheForm) {
  EXPECT_THAT(Hidden("/home/ann/quokka.py(3): wombat"),
              MatchesRegex("/.*/name_[0-9a-f]{8}/file_[0-9a-f]{8}\\.py\\(3\\): fn_[0-9a-f]{8}"));
  EXPECT_THAT(Hidden("void quokka::wombat<float, 4>(int)", NameKind::kKernel),
              MatchesRegex("void kernel_[0-9a-f]{8}::kernel_[0-9a-f]{8}<float, 4>\\(int\\)"));
  EXPECT_THAT(Hidden("at::native::run<quokka::Wombat>"),
              MatchesRegex("at::native::run<name_[0-9a-f]{8}::name_[0-9a-f]{8}>"));
  EXPECT_THAT(Hidden("кенгуру"), MatchesRegex("name_[0-9a-f]{8}"));
}

TEST(CodeNames, GivesOneNameForOneWordAndKey) {
  CodeNames code("key"), same("key"), other("another key");
  EXPECT_EQ(code.Hide("quokka.wombat"), code.Hide("quokka") + "." + code.Hide("wombat"));
  EXPECT_EQ(code.Hide("quokka"), same.Hide("quokka"));
  EXPECT_NE(code.Hide("quokka"), other.Hide("quokka"));
  const std::string once = code.Hide("quokka");
  EXPECT_EQ(code.Hide(once), once);
}

TEST(CodeNames, HidesInSentencesOnlyWordsThatWereHidden) {
  CodeNames code("key");
  const std::string name = code.Hide("quokka");
  EXPECT_EQ(code.InProse("quokka waits for wombat"), name + " waits for wombat");
}

TEST(CodeNames, KeepsSignsWhole) {
  CodeNames code("key");
  for (const std::string_view text :
       {"36.7\u202FMB at 1.31\u202FTB/s", "a\u202Fms", "— ≥ 5\u00A0%"}) {
    EXPECT_EQ(code.Hide(text), text);
    EXPECT_EQ(code.InProse(text), text);
  }
  EXPECT_EQ(code.Hide("1\u202Fquokka"), "1\u202F" + code.Hide("quokka"));
}

TEST(CodeNames, KeepsSentencesOfOursWhereverTheyStand) {
  CodeNames code("key");
  for (const std::string_view text :
       {"is cut into 2 tiles for 108 SMs, so that 98.1 % of them idle",
        "--iter-start=2 --iter-stop=6", "--iter-start"}) {
    EXPECT_EQ(code.Hide(text), text);
  }
  const std::string name = code.Hide("quokka");
  EXPECT_EQ(code.InProse("108 SMs wait for quokka"), "108 SMs wait for " + name);
}

TEST(CodeNames, KeepsWordsOfPublicNamesAndOfDevices) {
  CodeNames code("key");
  code.Learn("aten::quokka_");
  code.LearnWhole("Wombat 9000");
  EXPECT_EQ(code.Hide("quokka"), "quokka");
  EXPECT_EQ(code.Hide("Wombat"), "Wombat");
}

TEST(CodeNames, TakesTheSizesOutOfShapes) {
  EXPECT_EQ(WithoutShapes("[[64, 3], []] float"), "[[?, ?], []] float");
  EXPECT_EQ(WithoutShapes("N = 3137 of [64, 512] × [512]"), "N = ? of [?, ?] × [?]");
  EXPECT_EQ(WithoutShapes("128 × 64, events[name]"), "128 × 64, events[name]");
}

}  // namespace
}  // namespace profgauge::report
