// Reads device logs in JSON (amd-smi, rocm-smi) by content, because keys change in every release.
#include "readers/run_side/device_json.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cctype>
#include <utility>

#include "base/exact_json.h"
#include "base/text.h"
#include "readers/run_side/device_log.h"

namespace profgauge::readers {
namespace {

namespace json = boost::json;

std::string_view TextIn(const json::string& text) { return {text.data(), text.size()}; }

/// The value at the end of a path of keys; nullptr if it is missing.
const json::value* Member(const json::value& value, std::initializer_list<std::string_view> path) {
  const json::value* at = &value;
  for (const std::string_view key : path) {
    const auto* object = at->if_object();
    at = object == nullptr ? nullptr : object->if_contains({key.data(), key.size()});
    if (at == nullptr) return nullptr;
  }
  return at;
}

/// The number in 612, "612 W" and {"value": 612, "unit": "W"}.
std::optional<double> AmountOf(const json::value* value) {
  if (value == nullptr) return std::nullopt;
  if (const json::value* inner = Member(*value, {"value"})) return AmountOf(inner);
  if (value->is_number()) return value->to_number<double>();
  const auto* text = value->if_string();
  return text == nullptr ? std::nullopt : LeadingNumber(TextIn(*text));
}

void SetIf(std::string_view name, std::optional<double> value,
           std::map<std::string, double, std::less<>>& into) {
  if (value && *value > 0) into.emplace(name, *value);
}

std::int64_t IndexOf(std::optional<double> number) {
  return number && *number >= 0 && *number < kMostDeviceIndex ? static_cast<std::int64_t>(*number)
                                                              : -1;
}

/// The reason for lowered clocks, by a violation's name: the power cap for power, otherwise heat.
std::string_view ReasonOfViolation(std::string_view key) {
  if (key.starts_with("ppt")) return "ppt_power_cap";
  if (key.starts_with("prochot")) return "prochot_thermal";
  if (key.starts_with("socket_thermal")) return "socket_thermal";
  if (key.starts_with("vr_thermal")) return "vr_thermal";
  if (key.starts_with("hbm_thermal")) return "hbm_thermal";
  return "";
}

/// Adds violations like "ppt_violation_activity": {"value": 12, "unit": "%"}.
void AddViolations(const json::value& gpu, DeviceSample& sample) {
  const json::value* throttle = Member(gpu, {"throttle"});
  const auto* object = throttle == nullptr ? nullptr : throttle->if_object();
  if (object == nullptr) return;
  for (const auto& [key, value] : *object) {
    const std::string_view name(key.data(), key.size());
    const std::string_view reason = ReasonOfViolation(name);
    const auto share = AmountOf(&value);
    if (reason.empty() || !share || !name.ends_with("activity")) continue;
    sample.shares.emplace(reason, std::clamp(*share * 0.01, 0.0, 1.0));
  }
}

DeviceSample OfAmdSmi(const json::value& gpu) {
  DeviceSample sample;
  sample.index = IndexOf(AmountOf(Member(gpu, {"gpu"})));
  SetIf("sm_mhz", AmountOf(Member(gpu, {"clock", "gfx_0", "clk"})), sample.values);
  SetIf("sm_mhz", AmountOf(Member(gpu, {"clock", "gfx_0", "max_clk"})), sample.limits);
  SetIf("memory_mhz", AmountOf(Member(gpu, {"clock", "mem_0", "clk"})), sample.values);
  SetIf("watts", AmountOf(Member(gpu, {"power", "socket_power"})), sample.values);
  SetIf("celsius", AmountOf(Member(gpu, {"temperature", "hotspot"})), sample.values);
  const auto errors = AmountOf(Member(gpu, {"ecc", "total_uncorrectable_count"}));
  if (errors && *errors >= 0) sample.values.emplace("ecc_uncorrected", *errors);
  sample.use = AmountOf(Member(gpu, {"usage", "gfx_activity"}));
  AddViolations(gpu, sample);
  return sample;
}

/// Keys are phrases: "sclk clock speed:", "Current Socket Graphics Package Power (W)".
DeviceSample OfRocmSmi(std::string_view card, const json::object& values) {
  DeviceSample sample;
  sample.index = IndexOf(LeadingNumber(card.substr(4)));
  for (const auto& [key, value] : values) {
    std::string name(key.data(), key.size());
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto amount = AmountOf(&value);
    if (name.starts_with("sclk clock speed")) SetIf("sm_mhz", amount, sample.values);
    if (name.starts_with("mclk clock speed")) SetIf("memory_mhz", amount, sample.values);
    const bool is_power = name.ends_with("package power (w)");
    if (is_power && name.starts_with("max")) SetIf("watts", amount, sample.limits);
    if (is_power && !name.starts_with("max")) SetIf("watts", amount, sample.values);
    if (name == "temperature (sensor junction) (c)") SetIf("celsius", amount, sample.values);
    if (name == "gpu use (%)") sample.use = amount;
    const auto* text = value.if_string();
    if (name == "unique id" && text != nullptr) sample.uuid = Printable(TextIn(*text));
  }
  return sample;
}

/// amd-smi writes a list of devices or an object with "gpu_data", rocm-smi one key per card.
bool AddSamples(const json::value& value, std::vector<DeviceSample>& samples) {
  if (const json::value* inner = Member(value, {"gpu_data"})) return AddSamples(*inner, samples);
  if (const auto* list = value.if_array()) {
    for (const json::value& entry : *list) {
      if (entry.is_array() || Member(entry, {"gpu_data"}) != nullptr) {
        AddSamples(entry, samples);
      } else if (Member(entry, {"gpu"}) != nullptr) {
        samples.push_back(OfAmdSmi(entry));
      }
    }
  } else if (const auto* object = value.if_object()) {
    for (const auto& [key, card] : *object) {
      const std::string_view name(key.data(), key.size());
      if (name.starts_with("card") && card.is_object()) {
        samples.push_back(OfRocmSmi(name, card.get_object()));
      }
    }
  }
  return !samples.empty();
}

/// The end of the bracket at the begin of the text, or of the text if it is not closed. Ignores
/// brackets in strings, and quotes after a backslash.
std::size_t EndOfDocument(std::string_view text) {
  std::size_t depth = 0;
  bool is_in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_text) {
      if (c == '\\') ++i;
      if (c == '"') is_in_text = false;
    } else if (c == '"') {
      is_in_text = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && (depth == 0 || --depth == 0)) {
      return i + 1;
    }
  }
  return text.size();
}

}  // namespace

// Reads documents one after the other, also if the last one is cut:
//   {"gpu": …}            the tool was called once
//   {"gpu": …}            and again
//   {"gp                  and stopped while it wrote: the documents before it count
std::optional<std::vector<DeviceSample>> ReadDeviceJson(std::string_view text) {
  constexpr std::size_t kDepth = 32;
  json::parse_options options;
  options.max_depth = kDepth;
  std::vector<DeviceSample> samples;
  // If the tool is called every second, the log has a document for each call.
  for (text = Trim(text); !text.empty(); text = Trim(text)) {
    const std::string_view document = text.substr(0, EndOfDocument(text));
    json::error_code error;
    std::size_t parsed = 0;
    const json::value value = ParseExactJson(document, options, error, parsed);
    if (error) break;
    AddSamples(value, samples);
    text.remove_prefix(document.size());
  }
  return samples.empty() ? std::nullopt : std::optional(std::move(samples));
}

}  // namespace profgauge::readers
