#include "readers/text/model_config.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

namespace profgauge::readers {
namespace {

constexpr std::string_view kNames[] = {
    "num_workers", "pin_memory",    "cudnn_benchmark_disabled",    "detect_anomaly",
    "gradcheck",   "gradgradcheck", "autograd_set_detect_anomaly", "autograd_profile",
    "emit_nvtx",   "amp_enabled"};

}  // namespace

void ModelConfig::Add(std::string_view text) {
  constexpr std::size_t kLongestConfig = 4096;
  if (!text.starts_with("{\"model_config\"") || text.size() > kLongestConfig) return;
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse({text.data(), text.size()}, error);
  if (error || !parsed.is_object()) return;
  const boost::json::value* config = parsed.as_object().if_contains("model_config");
  if (config == nullptr || !config->is_object()) return;
  for (const auto& [key, value] : config->as_object()) {
    const std::string_view name(key.data(), key.size());
    if (value.is_bool()) Set(name, value.as_bool() ? "true" : "false");
    if (value.is_int64()) Set(name, std::to_string(value.as_int64()));
  }
}

void ModelConfig::Set(std::string_view name, std::string value) {
  if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return;
  std::string& known = settings_[std::string(name)];
  if (known != "true") known = std::move(value);
}

void ModelConfig::AddFacts(ProfileBuilder& builder) const {
  for (const auto& [name, value] : settings_) builder.AddFact("model_config." + name, value);
}

}  // namespace profgauge::readers
