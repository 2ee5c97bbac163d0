// Devices: the words for their parts, their makers, and properties that profiles do not state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

// Names of the parts of a device: an SM of NVIDIA is a compute unit of AMD and an AI Core of an
// NPU. Our texts (catalog, rules, reasons) write them as `{{ device.core }}`, which is resolved
// where a sentence is made and before any recorded name joins it, so that a kernel called `my GPU
// warmup SM kernel` keeps its name on every device.
//
// Add a device: a row in kWords, a sign by which recordings of it are known. Add a word: a field, a
// line in DeviceWordCatalogue(), a column in kWords.

/// Whose devices a profile is of. kUnknown: nothing shows, or they are of several makers.
enum class Accelerator : std::uint8_t {
  kUnknown,
  kNvidia,
  kAmd,
  kNpu,
  kNeuron,
  kTpu,
  kIntel,
  kMtia
};

/// "nvidia", "amd", "npu", "neuron", "tpu", "intel", "mtia"; empty for kUnknown.
std::string_view AcceleratorId(Accelerator accelerator);
/// kUnknown for any other id.
Accelerator FindAccelerator(std::string_view id);

/// By a device's name; kUnknown if the name does not show it.
Accelerator AcceleratorOfName(std::string_view name);
/// By the devices' names, else by Source::accelerator, else by the runtime that was called.
Accelerator AcceleratorOf(std::span<const Profile> ranks);

/// In the singular unless stated otherwise; a following "s" makes the plural.
struct DeviceWords {
  std::string_view device;                ///< "GPU", "NPU", "NeuronCore"
  std::string_view matrix_unit;           ///< "Tensor Core", "cube unit"
  std::string_view matrix_units;          ///< "Tensor Cores", "the tensor engine"
  std::string_view matrix_unit_hyphened;  ///< "tensor-core", before "-eligible"
  std::string_view matrix_pipe;           ///< "tensor pipe", "matrix pipe"
  std::string_view vector_unit;           ///< "CUDA core", "vector unit"
  std::string_view core;                  ///< "SM", "compute unit"
  std::string_view multiprocessor;        ///< The core in full: "streaming multiprocessor"
  std::string_view graph;                 ///< "CUDA graph"
  std::string_view collective_library;    ///< "NCCL"
  std::string_view operator_library;      ///< "cuDNN", "MIOpen"
  std::string_view fast_fp32;             ///< FP32 at the matrix units' rate: "TF32", "HF32"
  std::string_view visible_devices;       ///< "CUDA_VISIBLE_DEVICES"
  std::string_view alloc_conf;            ///< "PYTORCH_CUDA_ALLOC_CONF"
  std::string_view synchronize;           ///< "torch.cuda.synchronize()"
  std::string_view torch;                 ///< Its module of PyTorch: "cuda", "npu"
  std::string_view vendor;                ///< AcceleratorId(): for advice that only one vendor has.
};
const DeviceWords& DeviceWordsOf(Accelerator accelerator);

struct DeviceWord {
  std::string_view name;  ///< "device.matrix_unit"
  std::string_view doc;
  std::string_view DeviceWords::*word;
};
/// Every word, for expressions and for documentation.
std::span<const DeviceWord> DeviceWordCatalogue();

/// `text` with each `{{ device.* }}` in these words: with a capital where a sentence starts, and
/// "an" for an "a" before a vowel. Everything else stays as it is.
/// For texts of ours only, before recorded names are put in. An unknown word stays as written.
std::string InDeviceWords(std::string_view text, const DeviceWords& words);

/// Each `{{ device.… }}` in `text` that is no such word, in the order of the text.
std::vector<std::string_view> UnknownDeviceWords(std::string_view text);

/// As documentation and listings say it, which are of no profile: of NVIDIA's GPUs.
std::string InGeneralWords(std::string_view text);

// Properties of chips that a project knows but its profiles do not state: legacy traces name a
// GPU without its memory. Recorded values always win.

/// Peak rates of a chip.
struct DevicePeaks {
  /// Dense operations per second by element type: float64 and float32 of the vector units, and of
  /// the matrix units (float64_matrix, float32_matrix); tf32, float16, bfloat16, float8, int8.
  std::map<std::string, double, std::less<>> flop_rate;
  double memory_bandwidth = -1;  ///< Bytes per second; -1 unknown.
};

struct KnownDevice {
  /// Glob over the recorded name. "*" also fits GPUs of which nothing at all was recorded.
  std::string match;
  /// Known properties; the id has no meaning.
  Gpu properties;
  DevicePeaks peaks = {};
};

/// The GPUs of `profile`; properties that the profile does not state come from the first of
/// `known` that matches and has them. GPUs that have events and are not listed come last, when
/// some property of them is known.
std::vector<Gpu> CompleteGpus(const Profile& profile, std::span<const KnownDevice> known);

// Whose a device is, by the signs of makers in names of devices: rules/knowledge/names.yaml.

/// Whose device has this name; kUnknown: of a maker whose words no one has listed; nothing: the
/// name has no maker's sign.
std::optional<Accelerator> MakerOf(std::string_view name);

}  // namespace profgauge
