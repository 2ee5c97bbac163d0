#include "model/device_words.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>

namespace profgauge {
namespace {

constexpr std::array<DeviceWords, 7> kWords = {{
    {"device", "matrix unit", "vector unit", "core", "device graph", "the collective library",
     "the variable that names the visible devices", "the allocator's settings", "synchronize()",
     ""},
    {"GPU", "Tensor Core", "CUDA core", "SM", "CUDA graph", "NCCL", "CUDA_VISIBLE_DEVICES",
     "PYTORCH_CUDA_ALLOC_CONF", "torch.cuda.synchronize()", "nvidia"},
    {"GPU", "matrix core", "vector unit", "compute unit", "HIP graph", "RCCL",
     "HIP_VISIBLE_DEVICES", "PYTORCH_HIP_ALLOC_CONF", "torch.cuda.synchronize()", "amd"},
    {"NPU", "cube unit", "vector unit", "AI Core", "NPU graph", "HCCL", "ASCEND_RT_VISIBLE_DEVICES",
     "PYTORCH_NPU_ALLOC_CONF", "torch.npu.synchronize()", "npu"},
    {"NeuronCore", "tensor engine", "other engine", "engine", "graph", "Neuron's collectives",
     "NEURON_RT_VISIBLE_CORES", "the allocator's settings", "xm.mark_step()", "neuron"},
    {"TPU", "matrix unit", "vector unit", "core", "graph", "XLA's collectives", "TPU_VISIBLE_CHIPS",
     "XLA_PYTHON_CLIENT_MEM_FRACTION", "block_until_ready()", "tpu"},
    {"GPU", "matrix engine", "vector engine", "Xe core", "graph", "oneCCL", "ZE_AFFINITY_MASK",
     "the allocator's settings", "torch.xpu.synchronize()", "intel"},
}};

constexpr std::array<DeviceWord, 10> kCatalogue = {{
    {"device.device", "What the device is: GPU, NPU, NeuronCore, TPU.", &DeviceWords::device},
    {"device.matrix_unit", "Its unit for matrix products: Tensor Core, matrix core, cube unit.",
     &DeviceWords::matrix_unit},
    {"device.vector_unit", "Its unit for all else: CUDA core, vector unit.",
     &DeviceWords::vector_unit},
    {"device.core", "What it has many of: SM, compute unit, AI Core.", &DeviceWords::core},
    {"device.graph", "Launches recorded once and replayed: CUDA graph, HIP graph.",
     &DeviceWords::graph},
    {"device.collective_library", "Its library for collectives: NCCL, RCCL, HCCL.",
     &DeviceWords::collective_library},
    {"device.visible_devices", "The environment variable that hides devices from a process.",
     &DeviceWords::visible_devices},
    {"device.alloc_conf", "The environment variable for the framework's allocator.",
     &DeviceWords::alloc_conf},
    {"device.synchronize", "The call that waits for the device.", &DeviceWords::synchronize},
    {"device.vendor", "Whose it is: nvidia, amd, npu, neuron, tpu, intel; empty: unknown, several.",
     &DeviceWords::vendor},
}};

// Formats of a tool that knows one maker's devices alone.
constexpr std::pair<std::string_view, Accelerator> kFormats[] = {
    {"ascend", Accelerator::kNpu},    {"neuron", Accelerator::kNeuron},
    {"rocprofv3", Accelerator::kAmd}, {"nsight_systems", Accelerator::kNvidia},
    {"nvprof", Accelerator::kNvidia}, {"pyprof", Accelerator::kNvidia},
    {"dlprof", Accelerator::kNvidia}};

// What a device's name says of its maker.
std::optional<Accelerator> AcceleratorOfName(std::string_view name) {
  constexpr std::pair<std::string_view, Accelerator> kSigns[] = {
      {"NeuronCore", Accelerator::kNeuron}, {"Ascend", Accelerator::kNpu},
      {"TPU", Accelerator::kTpu},           {"AMD", Accelerator::kAmd},
      {"Radeon", Accelerator::kAmd},        {"Instinct", Accelerator::kAmd},
      {"gfx", Accelerator::kAmd},           {"Intel", Accelerator::kIntel},
      {"NVIDIA", Accelerator::kNvidia},     {"Tesla", Accelerator::kNvidia},
      {"GeForce", Accelerator::kNvidia},    {"Quadro", Accelerator::kNvidia}};
  for (const auto& [sign, accelerator] : kSigns) {
    if (name.find(sign) != name.npos) return accelerator;
  }
  return std::nullopt;
}

std::optional<Accelerator> AcceleratorOfCalls(const Profile& profile) {
  for (const StringId name : profile.api.name) {
    const std::string_view text = profile.Name(name);
    if (text.starts_with("hip")) return Accelerator::kAmd;
    if (text.starts_with("cuda") || text.starts_with("cuLaunch")) return Accelerator::kNvidia;
  }
  return std::nullopt;
}

bool StartsASentence(std::string_view before) {
  return before.empty() || before.ends_with(". ") || before.ends_with("- ") ||
         before.ends_with('\n');
}

bool StartsWithAVowelsSound(std::string_view word) {
  // Said letter by letter: an NPU, an SM.
  if (word.starts_with("NPU") || word.starts_with("SM")) return true;
  constexpr std::string_view kVowels = "AEIOaeio";
  return !word.empty() && kVowels.find(word.front()) != std::string_view::npos;
}

bool EndsWithTheArticleA(std::string_view before) {
  if (!before.ends_with(" a ") && !before.ends_with(" A ")) return before == "A " || before == "a ";
  return true;
}

const DeviceWord* FindWord(std::string_view name) {
  for (const DeviceWord& word : kCatalogue) {
    if (word.name == name) return &word;
  }
  return nullptr;
}

void Append(std::string_view word, std::string& out) {
  if (EndsWithTheArticleA(out) && StartsWithAVowelsSound(word)) out.insert(out.size() - 1, "n");
  const bool capital = StartsASentence(out);
  const std::size_t begin = out.size();
  out += word;
  if (capital && begin < out.size()) {
    out[begin] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[begin])));
  }
}

}  // namespace

std::string_view AcceleratorId(Accelerator accelerator) {
  return DeviceWordsOf(accelerator).vendor;
}

Accelerator FindAccelerator(std::string_view id) {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i].vendor == id) return static_cast<Accelerator>(i);
  }
  return Accelerator::kUnknown;
}

Accelerator AcceleratorOf(std::span<const Profile> ranks) {
  std::optional<Accelerator> found;
  for (const Profile& profile : ranks) {
    for (const Gpu& gpu : profile.gpus) {
      const auto named = AcceleratorOfName(gpu.name);
      if (named && found.value_or(*named) != *named) return Accelerator::kUnknown;
      if (named) found = named;
    }
  }
  if (found) return *found;
  if (ranks.empty()) return Accelerator::kUnknown;
  for (const auto& [format, accelerator] : kFormats) {
    if (ranks.front().source.format == format) return accelerator;
  }
  for (const Profile& profile : ranks) {
    if (const auto called = AcceleratorOfCalls(profile)) return *called;
  }
  return Accelerator::kUnknown;
}

const DeviceWords& DeviceWordsOf(Accelerator accelerator) {
  return kWords[static_cast<std::size_t>(accelerator)];
}

std::span<const DeviceWord> DeviceWordCatalogue() { return kCatalogue; }

std::string InDeviceWords(std::string_view text, const DeviceWords& words) {
  constexpr std::string_view kOpen = "{{ device.", kClose = " }}";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find(kOpen, at);
    const std::size_t close =
        open == text.npos ? text.npos : text.find(kClose, open + kOpen.size());
    if (close == text.npos) return out += text.substr(at);
    const std::string_view name = text.substr(open + 3, close - open - 3);
    const DeviceWord* word = FindWord(name);
    out += text.substr(at, open - at);
    at = close + kClose.size();
    if (word == nullptr) {
      out += text.substr(open, at - open);
    } else {
      Append(words.*(word->word), out);
    }
  }
  return out;
}

}  // namespace profgauge
