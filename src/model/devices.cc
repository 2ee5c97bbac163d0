#include "model/devices.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"

namespace profgauge {
namespace {

// In the order of Accelerator.
constexpr DeviceWords kWords[] = {
#include "knowledge/words.inc"
};
static_assert(std::size(kWords) == static_cast<std::size_t>(Accelerator::kMtia) + 1);

constexpr std::array<DeviceWord, 17> kCatalogue = {{
    {"device.device", "Device: GPU, NPU, NeuronCore, TPU.", &DeviceWords::device},
    {"device.matrix_unit", "Its unit for matmuls: Tensor Core, matrix core, cube unit.",
     &DeviceWords::matrix_unit},
    {"device.matrix_units", "Several of them: Tensor Cores, cube units; the tensor engine.",
     &DeviceWords::matrix_units},
    {"device.matrix_unit_hyphened", "Before a hyphen, e.g. tensor-core-eligible.",
     &DeviceWords::matrix_unit_hyphened},
    {"device.matrix_pipe", "Their pipe in hardware counters: tensor pipe, matrix pipe.",
     &DeviceWords::matrix_pipe},
    {"device.vector_unit", "Its unit for all else: CUDA core, vector unit.",
     &DeviceWords::vector_unit},
    {"device.core", "Its repeated unit: SM, compute unit, AI Core.", &DeviceWords::core},
    {"device.multiprocessor", "The same in full: streaming multiprocessor, compute unit.",
     &DeviceWords::multiprocessor},
    {"device.graph", "Launches recorded once and replayed: CUDA graph, HIP graph.",
     &DeviceWords::graph},
    {"device.collective_library", "Its library for collectives: NCCL, RCCL, HCCL.",
     &DeviceWords::collective_library},
    {"device.operator_library", "Its library for convolutions: cuDNN, MIOpen, CANN, oneDNN.",
     &DeviceWords::operator_library},
    {"device.fast_fp32", "FP32 at the speed of its matrix units: TF32, HF32.",
     &DeviceWords::fast_fp32},
    {"device.visible_devices", "The environment variable that hides devices from a process.",
     &DeviceWords::visible_devices},
    {"device.alloc_conf", "The environment variable for the framework's allocator.",
     &DeviceWords::alloc_conf},
    {"device.synchronize", "The call that waits for the device.", &DeviceWords::synchronize},
    {"device.torch", "Its module of PyTorch: cuda, npu, xpu, xla.", &DeviceWords::torch},
    {"device.vendor",
     "Whose devices these are: nvidia, amd, npu, neuron, tpu, intel, mtia; empty: unknown, "
     "several.",
     &DeviceWords::vendor},
}};

struct VendorSign {
  std::string_view sign;
  Accelerator maker = Accelerator::kUnknown;
};

// Matches "zeCommandListAppendLaunchKernel", and "urEnqueueKernelLaunch" of the layer above it.
bool IsOfLevelZero(std::string_view call) {
  const bool has_prefix = call.starts_with("ze") || call.starts_with("ur");
  return has_prefix && call.size() > 2 && call[2] >= 'A' && call[2] <= 'Z';
}

std::optional<Accelerator> AcceleratorOfCalls(const Profile& profile) {
  for (const StringId name : profile.api.name) {
    const std::string_view text = profile.Name(name);
    if (text.starts_with("hip")) return Accelerator::kAmd;
    if (text.starts_with("cuda") || text.starts_with("cuLaunch")) return Accelerator::kNvidia;
    if (IsOfLevelZero(text)) return Accelerator::kIntel;
  }
  return std::nullopt;
}

bool StartsASentence(std::string_view before) {
  return before.empty() || before.ends_with(". ") || before.ends_with("- ") ||
         before.ends_with('\n');
}

bool StartsWithAVowelsSound(std::string_view word) {
  // Abbreviations that begin with a vowel sound: an NPU, an SM, an XPU.
  for (const std::string_view said : {"MTIA", "NPU", "SM", "XPU"}) {
    if (word.starts_with(said)) return true;
  }
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

// A `{{ device.… }}` in a text.
struct Hole {
  std::size_t begin, end;
  std::string_view name;
};

std::optional<Hole> FirstHole(std::string_view text, std::string_view prefix = "device.") {
  for (std::size_t at = text.find("{{"); at != text.npos; at = text.find("{{", at + 2)) {
    const std::size_t close = text.find("}}", at);
    if (close == text.npos) break;
    std::string_view name = text.substr(at + 2, close - at - 2);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name.starts_with(prefix)) return Hole{at, close + 2, name};
  }
  return std::nullopt;
}

// Names are not capitalized: cuDNN, oneDNN.
bool IsName(std::string_view word) {
  word = word.substr(0, word.find(' '));
  return std::any_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isupper(c) != 0; });
}

void Append(std::string_view word, std::string& out) {
  if (EndsWithTheArticleA(out) && StartsWithAVowelsSound(word)) out.insert(out.size() - 1, "n");
  const bool capital = StartsASentence(out) && !IsName(word);
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
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    if (kWords[i].vendor == id) return static_cast<Accelerator>(i);
  }
  return Accelerator::kUnknown;
}

std::optional<Accelerator> MakerOf(std::string_view name) {
  using enum Accelerator;
  static constexpr VendorSign kSigns[] = {
#include "knowledge/vendors.inc"
  };
  for (const auto& [sign, maker] : kSigns) {
    if (name.find(sign) != name.npos) return maker;
  }
  return std::nullopt;
}

Accelerator AcceleratorOfName(std::string_view name) {
  return MakerOf(name).value_or(Accelerator::kUnknown);
}

// Uses names first, because they are from this run. Two makers in one run have no common words.
Accelerator AcceleratorOf(std::span<const Profile> ranks) {
  std::optional<Accelerator> found;
  for (const Profile& profile : ranks) {
    for (const Gpu& gpu : profile.gpus) {
      const auto named = MakerOf(gpu.name);
      if (named == Accelerator::kUnknown) continue;
      if (named && found.value_or(*named) != *named) return Accelerator::kUnknown;
      if (named) found = named;
    }
  }
  if (found) return *found;
  if (ranks.empty()) return Accelerator::kUnknown;
  for (const Profile& profile : ranks) {
    const Accelerator told = FindAccelerator(profile.source.accelerator);
    if (told != Accelerator::kUnknown) return told;
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

std::string InGeneralWords(std::string_view text) {
  return InDeviceWords(text, DeviceWordsOf(Accelerator::kNvidia));
}

std::string InDeviceWords(std::string_view text, const DeviceWords& words) {
  std::string out;
  while (const std::optional<Hole> hole = FirstHole(text)) {
    out += text.substr(0, hole->begin);
    if (const DeviceWord* word = FindWord(hole->name)) {
      Append(words.*(word->word), out);
    } else {
      out += text.substr(hole->begin, hole->end - hole->begin);
    }
    text.remove_prefix(hole->end);
  }
  return out.append(text);
}

std::vector<std::string_view> UnknownDeviceWords(std::string_view text) {
  std::vector<std::string_view> unknown;
  while (const std::optional<Hole> hole = FirstHole(text, {})) {
    if (FindWord(hole->name) == nullptr) unknown.push_back(hole->name);
    text.remove_prefix(hole->end);
  }
  return unknown;
}

namespace {

/// The GPUs that have events, in order.
std::set<std::int32_t> UsedGpus(const Profile& profile) {
  std::set<std::int32_t> used(profile.device.gpu.begin(), profile.device.gpu.end());
  for (std::size_t i = 0; i < profile.memory.size(); ++i) {
    if (profile.memory.device_type[i] != 0) used.insert(profile.memory.device[i]);
  }
  used.erase(used.begin(), used.lower_bound(0));
  return used;
}

template <class T>
void Give(const T& known, T& target) {
  if (target < 0) target = known;
}

void Complete(const Gpu& known, Gpu& gpu) {
  if (gpu.name.empty()) gpu.name = known.name;
  if (gpu.compute_major < 0) {
    gpu.compute_major = known.compute_major;
    gpu.compute_minor = known.compute_minor;
  }
  Give(known.sms, gpu.sms);
  Give(known.memory, gpu.memory);
  Give(known.max_threads_per_sm, gpu.max_threads_per_sm);
  Give(known.warp_size, gpu.warp_size);
}

/// Completes `gpu`; returns true if a known device matches.
bool Complete(std::span<const KnownDevice> known, Gpu& gpu) {
  const std::string recorded = gpu.name;
  bool fits = false;
  for (const KnownDevice& device : known) {
    if (!GlobMatch(device.match, recorded)) continue;
    Complete(device.properties, gpu);
    fits = true;
  }
  return fits;
}

}  // namespace

std::vector<Gpu> CompleteGpus(const Profile& profile, std::span<const KnownDevice> known) {
  std::vector<Gpu> gpus = profile.gpus;
  if (known.empty()) return gpus;
  std::set<std::int32_t> unlisted = UsedGpus(profile);
  for (Gpu& gpu : gpus) {
    unlisted.erase(gpu.id);
    Complete(known, gpu);
  }
  for (const std::int32_t id : unlisted) {
    Gpu gpu;
    gpu.id = id;
    if (Complete(known, gpu)) gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace profgauge
