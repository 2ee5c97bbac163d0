// The parts of a document that may be shown and kept.
#include <algorithm>
#include <array>

#include "readers/run_side/document.h"

namespace profgauge::readers {
namespace {

constexpr std::size_t kMostRevision = 64;

constexpr std::array<std::string_view, 6> kVariables = {
    "CUDA_LAUNCH_BLOCKING",    "CUDA_DEVICE_MAX_CONNECTIONS",
    "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF",
    "OMP_NUM_THREADS",         "XLA_FLAGS"};
// TF_ is Terraform's as well (TF_TOKEN_*, TF_VAR_* hold secrets): of TensorFlow's some prefixes.
constexpr std::array<std::string_view, 14> kPrefixes = {
    "NCCL_",   "TORCH_NCCL_",      "HSA_",      "HIP_",       "NEURON_RT_", "TORCHINDUCTOR_",
    "TF_XLA_", "TF_GPU_",          "TF_CUDNN_", "TF_ENABLE_", "TF_FORCE_",  "TF_NUM_",
    "TF_CPP_", "TF_DETERMINISTIC_"};
constexpr std::array<std::string_view, 7> kSecrets = {"TOKEN",      "SECRET", "PASSW",  "KEY",
                                                      "CREDENTIAL", "AUTH",   "TF_VAR_"};

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool IsVariableLetter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

// A leading slash, a blank or a colon would be a path, a sentence or an address.
bool IsRevision(std::string_view text) {
  if (text.empty() || text.size() > kMostRevision || !IsLetterOrDigit(text.front())) return false;
  return std::ranges::all_of(text, [](char c) {
    return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '/' || c == '+' || c == '-';
  });
}

bool IsSharedVariable(std::string_view name) {
  if (!std::ranges::all_of(name, IsVariableLetter)) return false;
  const auto holds = [&](std::string_view word) { return name.find(word) != name.npos; };
  if (std::ranges::any_of(kSecrets, holds)) return false;
  if (std::ranges::find(kVariables, name) != kVariables.end()) return true;
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
    return name.size() > prefix.size() && name.starts_with(prefix);
  });
}

}  // namespace profgauge::readers
