// Devices: the names of their parts, their makers, and properties that profiles do not record.
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
// NPU. Our texts (catalog, rules, reasons) write them as `{{ device.core }}`. The placeholder is
// replaced when a sentence is made, before any recorded name is inserted, so that a kernel called
// `my GPU warmup SM kernel` keeps its name on every device.
//
// To add a device: add a row to kWords and a sign by which its profiles are recognized. To add a
// word: add a field, a line in DeviceWordCatalogue() and a column in kWords.

/// The maker of a profile's devices. kUnknown: nothing shows it, or there are several makers.
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
/// Returns kUnknown for any other id.
Accelerator FindAccelerator(std::string_view id);

/// Finds the maker by a device's name; kUnknown if the name does not show it.
Accelerator AcceleratorOfName(std::string_view name);
/// Finds the maker by the devices' names, else by Source::accelerator, else by the runtime calls.
Accelerator AcceleratorOf(std::span<const Profile> ranks);

/// Words in the singular unless stated otherwise; a following "s" makes the plural.
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
  std::string_view torch;                 ///< The PyTorch module of the device: "cuda", "npu".
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

/// Returns `text` with each `{{ device.* }}` replaced by its word: capitalized where a sentence
/// starts, and with "an" instead of "a" before a vowel. The rest, and unknown placeholders, stay.
/// For texts of ours only, before recorded names are inserted.
std::string InDeviceWords(std::string_view text, const DeviceWords& words);

/// Finds each `{{ … }}` in `text` that is no known word, in the order of the text: nothing else is
/// filled into titles and heads.
std::vector<std::string_view> UnknownDeviceWords(std::string_view text);

/// Replaces placeholders by the words for NVIDIA's GPUs, for documentation, which has no profile.
std::string InGeneralWords(std::string_view text);

// Properties of chips that a project's configuration states because its profiles do not: legacy
// traces name a GPU without its memory. Recorded values take precedence.

/// Peak rates of a chip.
struct DevicePeaks {
  /// Dense operations per second by element type: float64 and float32 of the vector units;
  /// float64_matrix, float32_matrix, tf32, float16, bfloat16, float8 and int8 of the matrix units.
  std::map<std::string, double, std::less<>> flop_rate;
  double memory_bandwidth = -1;  ///< Bytes per second; -1 unknown.
};

struct KnownDevice {
  /// Glob over the recorded name. "*" also fits GPUs of which nothing at all was recorded.
  std::string match;
  /// The known properties; `id` is not used.
  Gpu properties;
  DevicePeaks peaks = {};
};

/// Returns the GPUs of `profile`. A property that the profile does not state comes from the first
/// row of `known` that matches and has it. GPUs that have events but are not listed come last, if
/// any property of them is known.
std::vector<Gpu> CompleteGpus(const Profile& profile, std::span<const KnownDevice> known);

// The maker of a device, by the makers' signs in device names: rules/knowledge/names.yaml.

/// Finds the maker of a device by its name. kUnknown: a maker for which kWords has no row. nullopt:
/// the name has no maker's sign.
std::optional<Accelerator> MakerOf(std::string_view name);

}  // namespace profgauge
