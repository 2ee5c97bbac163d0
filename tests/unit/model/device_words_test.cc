// One table of words for devices; texts of profiles and users stay as they are.
#include "model/devices.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/profile_builder.h"

namespace profgauge {
namespace {

constexpr Accelerator kAll[] = {Accelerator::kUnknown, Accelerator::kNvidia, Accelerator::kAmd,
                                Accelerator::kNpu,     Accelerator::kNeuron, Accelerator::kTpu,
                                Accelerator::kIntel,   Accelerator::kMtia};

struct Row {
  Accelerator accelerator;
  std::string_view text, expected;
};
constexpr Row kRows[] = {
    {Accelerator::kNvidia, "{{ device.matrix_unit }}s of the {{ device.device }}",
     "Tensor Cores of the GPU"},
    {Accelerator::kAmd, "{{ device.matrix_unit }}s of the {{ device.device }}",
     "Matrix cores of the GPU"},
    {Accelerator::kUnknown, "No {{ device.device }}. {{ device.core }}s idle",
     "No device. Cores idle"},
    {Accelerator::kNpu, "A {{ device.device }} computes; a {{ device.core }} waits",
     "An NPU computes; an AI Core waits"},
    {Accelerator::kNvidia, "a {{ device.device }}, a {{ device.core }}", "a GPU, an SM"},
    {Accelerator::kNeuron, "a {{ device.device }}", "a NeuronCore"},
    {Accelerator::kMtia, "a {{ device.device }}", "an MTIA device"},
    {Accelerator::kNpu, "Data {{ device.device }}", "Data NPU"},
    {Accelerator::kNpu, "{{ device.nothing }} {{ metric }} {{ device.",
     "{{ device.nothing }} {{ metric }} {{ device."},
    {Accelerator::kAmd, "{{device.graph}}, {{  device.core  }}", "HIP graph, compute unit"},
    {Accelerator::kNeuron, "Kernels on {{ device.matrix_units }}", "Kernels on the tensor engine"},
    {Accelerator::kNvidia, "{{ device.matrix_unit_hyphened }}-eligible", "Tensor-core-eligible"},
    {Accelerator::kNvidia, "{{ device.operator_library }} is fast", "cuDNN is fast"},
    {Accelerator::kNeuron, "{{ device.operator_library }} is fast", "The compiler is fast"},
    {Accelerator::kNpu, "", ""},
};

TEST(DeviceWords, AreFilledIntoTexts) {
  for (const Row& row : kRows) {
    EXPECT_EQ(InDeviceWords(row.text, DeviceWordsOf(row.accelerator)), row.expected);
  }
}

TEST(DeviceWords, ThatAreNoneAreReported) {
  EXPECT_EQ(UnknownDeviceWords("a {{ device.core }} of {metric}"), std::vector<std::string_view>());
  EXPECT_EQ(UnknownDeviceWords("{{ metric }} of the {{ if(x, device.core, 'program') }}"),
            (std::vector<std::string_view>{"metric", "if(x, device.core, 'program')"}));
  EXPECT_EQ(UnknownDeviceWords("{{ device.cor }}, {{device.graph}}, {{ device. }}"),
            (std::vector<std::string_view>{"device.cor", "device."}));
}

TEST(DeviceWords, LeaveNamesAsTheyAre) {
  constexpr std::string_view kName = "my GPU warmup SM kernel on Tensor Cores, CUDA graph, NCCL";
  for (const Accelerator accelerator : kAll) {
    EXPECT_EQ(InDeviceWords(kName, DeviceWordsOf(accelerator)), kName);
  }
}

TEST(DeviceWords, EachAcceleratorHasEachWord) {
  for (const Accelerator accelerator : kAll) {
    const DeviceWords& words = DeviceWordsOf(accelerator);
    EXPECT_EQ(FindAccelerator(AcceleratorId(accelerator)), accelerator);
    for (const DeviceWord& word : DeviceWordCatalogue()) {
      EXPECT_TRUE(word.name.starts_with("device.") && !word.doc.empty());
      const bool may_be_empty =
          accelerator == Accelerator::kUnknown && word.name == "device.vendor";
      EXPECT_EQ((words.*(word.word)).empty(), may_be_empty) << word.name;
    }
  }
}

Profile ProfileOf(std::string_view gpu, std::string_view call, std::string_view told = "") {
  ProfileBuilder builder;
  builder.source().accelerator = told;
  if (!gpu.empty()) {
    Gpu device;
    device.id = 0;
    device.name = gpu;
    builder.AddGpu(device);
  }
  if (!call.empty()) {
    ApiRow row;
    row.name = builder.Intern(call);
    row.duration = 1;
    row.thread = builder.AddThread("1", "1");
    builder.AddApi(row);
  }
  auto profile = builder.Finish();
  EXPECT_TRUE(profile);
  return *std::move(profile);
}

TEST(DeviceWords, KnowAProfilesDevices) {
  const auto of = [](auto... arguments) {
    const Profile profile = ProfileOf(arguments...);
    return AcceleratorOf(std::span(&profile, 1));
  };
  EXPECT_EQ(of("AMD Instinct MI300X", ""), Accelerator::kAmd);
  EXPECT_EQ(of("Tesla V100-SXM2-16GB", "hipLaunchKernel"), Accelerator::kNvidia);
  EXPECT_EQ(of("", "hipLaunchKernel"), Accelerator::kAmd);
  EXPECT_EQ(of("", "cudaLaunchKernel"), Accelerator::kNvidia);
  EXPECT_EQ(of("", ""), Accelerator::kUnknown);
  EXPECT_EQ(of("", "cudaLaunchKernel", "npu"), Accelerator::kNpu);
  EXPECT_EQ(of("Ascend910B2", "", "nvidia"), Accelerator::kNpu);
  EXPECT_EQ(of("A100-SXM4-40GB", "", "nvidia"), Accelerator::kNvidia);
}

TEST(DeviceWords, NeutralForSeveralMakers) {
  std::vector<Profile> ranks;
  ranks.push_back(ProfileOf("AMD Instinct MI300X", ""));
  ranks.push_back(ProfileOf("NVIDIA H100", ""));
  EXPECT_EQ(AcceleratorOf(ranks), Accelerator::kUnknown);
}

}  // namespace
}  // namespace profgauge
