// Names of the parts of a device: an SM of NVIDIA is a compute unit of AMD and an AI Core of an
// NPU. Our texts (catalog, rules, reasons) write them as `{{ device.core }}`, which is resolved
// where a sentence is made and before any recorded name joins it, so that a kernel called `my GPU
// warmup SM kernel` keeps its name on every device.
//
// Add a device: a row in kWords, a sign by which recordings of it are known. Add a word: a field, a
// line in DeviceWordCatalogue(), a column in kWords.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// Whose devices a profile is of. kUnknown: nothing shows, or they are of several makers.
enum class Accelerator : std::uint8_t { kUnknown, kNvidia, kAmd, kNpu, kNeuron, kTpu, kIntel };

/// "nvidia", "amd", "npu", "neuron", "tpu", "intel"; empty for kUnknown.
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
std::string InDeviceWords(std::string_view text, const DeviceWords& words);

/// Each `{{ device.… }}` in `text` that is no such word, in the order of the text.
std::vector<std::string_view> UnknownDeviceWords(std::string_view text);

/// As documentation and listings say it, which are of no profile: of NVIDIA's GPUs.
std::string InGeneralWords(std::string_view text);

}  // namespace profgauge
