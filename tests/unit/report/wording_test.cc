#include "report/wording.h"

#include <gtest/gtest.h>

namespace profgauge::report {
namespace {

struct Row {
  std::string_view accelerator, text, expected;
};
constexpr Row kRows[] = {
    {"nvidia", "Tensor Cores of the GPU", "Tensor Cores of the GPU"},
    {"", "Tensor Cores of the GPU", "Tensor Cores of the GPU"},
    {"amd", "Tensor Cores of the GPU", "Matrix cores of the GPU"},
    {"amd", "the GPU's Tensor Core. Tensor Cores idle", "the GPU's matrix core. Matrix cores idle"},
    {"amd", "Capture it in a CUDA graph", "Capture it in a HIP graph"},
    {"npu", "A GPU computes; the GPUs wait", "An NPU computes; the NPUs wait"},
    {"npu", "Remove `torch.cuda.synchronize()`", "Remove `torch.npu.synchronize()`"},
    {"npu", "`cuda.synchronize()`", "`npu.synchronize()`"},
    {"neuron", "Lowest GPU utilization", "Lowest NeuronCore utilization"},
    {"tpu", "move it to the GPU (for example with DALI) or not", "move it to the TPU or not"},
    // Parts of longer words are none of ours.
    {"neuron", "gpu.idle.mean, GPU_TIME, MYGPU, SMALL", "gpu.idle.mean, GPU_TIME, MYGPU, SMALL"},
    {"npu", "", ""},
};

TEST(Wording, TellsTextsInTheWordsOfTheDevice) {
  for (const Row& row : kRows) {
    EXPECT_EQ(Reworded(row.text, row.accelerator), row.expected) << row.accelerator;
  }
}

TEST(Wording, LeavesNamesAndIdsAlone) {
  Report report;
  report.profile.accelerator = "npu";
  report.metrics.push_back({});
  report.metrics[0].id = "gpu.utilization.mean";
  report.metrics[0].title = "GPU utilization";
  report.findings.push_back({});
  report.findings[0].rule = "gpu/idle";
  report.findings[0].docs = "profgauge rules explain gpu/idle";
  report.findings[0].title = "The GPU idles";
  report.findings[0].evidence_heads = {"GPU"};
  report.findings[0].evidence = {{Value(std::string("GPU_kernel on GPU 0"))}};
  Reword(report);
  EXPECT_EQ(report.metrics[0].id, "gpu.utilization.mean");
  EXPECT_EQ(report.metrics[0].title, "NPU utilization");
  EXPECT_EQ(report.findings[0].rule, "gpu/idle");
  EXPECT_EQ(report.findings[0].title, "The NPU idles");
  EXPECT_EQ(report.findings[0].evidence_heads[0], "NPU");
  EXPECT_EQ(report.findings[0].evidence[0][0], Value(std::string("GPU_kernel on GPU 0")));
}

// Each accelerator's report of a kernel with such a name, in a sentence of ours and in a user's.
TEST(Wording, LeavesRecordedNamesAndUsersTextsAlone) {
  const std::string kernel = "my GPU warmup SM kernel";
  const std::string title = "Our GPU warms its SM and Tensor Cores up";
  for (const std::string_view accelerator :
       {"nvidia", "amd", "npu", "neuron", "tpu", "intel", ""}) {
    Report report;
    report.profile.accelerator = accelerator;
    Table table("kernels", "kernel_name", "Kernels", std::make_shared<StringPool>());
    table.AddColumn({"name", "Kernel", Unit::kText, ""}).AddText(table.strings().Intern(kernel));
    report.tables.push_back(std::move(table));
    report.findings.resize(2);
    report.findings[0].docs = "profgauge rules explain kernels/short";
    report.findings[0].message = "On the GPU `" + kernel + "` fills no SM";
    report.findings[1].title = title;
    report.findings[1].message = "The GPU runs " + kernel;
    report.findings[1].advice = "Warm the GPU";
    report.verdict.reasons = {"own/warmup: " + title};
    Reword(report);
    const auto word = [&](std::string_view text) { return Reworded(text, accelerator); };
    EXPECT_EQ(report.findings[0].message, word("On the GPU `") + kernel + word("` fills no SM"));
    EXPECT_EQ(report.findings[1].title, title);
    EXPECT_EQ(report.findings[1].message, "The GPU runs " + kernel);
    EXPECT_EQ(report.findings[1].advice, "Warm the GPU");
    EXPECT_EQ(report.verdict.reasons[0], "own/warmup: " + title);
    const Table& kernels = report.tables[0];
    EXPECT_EQ(kernels.At(0, "name"), Value(kernel));
  }
}

}  // namespace
}  // namespace profgauge::report
