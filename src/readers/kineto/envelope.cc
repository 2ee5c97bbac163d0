#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "readers/kineto/document.h"

namespace profgauge::readers::kineto {
namespace {

namespace json = boost::json;

/// What may be shown and compared. Everything else in the document may hold names of people, hosts
/// and paths, and stays out.
constexpr std::array<std::string_view, 16> kFacts = {
    "schemaVersion",       "displayTimeUnit",      "baseTimeNanoseconds", "record_shapes",
    "profile_memory",      "with_stack",           "with_flops",          "with_modules",
    "cupti_version",       "cuda_runtime_version", "cuda_driver_version", "roctracer_version",
    "rocprofiler_version", "hip_runtime_version",  "hip_driver_version",  "Framework",
};

std::string TextOf(const json::value& value) {
  if (const auto* text = value.if_string()) return std::string(text->data(), text->size());
  return json::serialize(value);
}

std::int64_t IntegerIn(const json::object& object, std::string_view key, std::int64_t otherwise) {
  const auto* value = object.if_contains(json::string_view(key.data(), key.size()));
  if (value == nullptr) return otherwise;
  if (const auto* number = value->if_int64()) return *number;
  if (const auto* number = value->if_uint64()) return static_cast<std::int64_t>(*number);
  if (const auto* text = value->if_string()) {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (failed == std::errc{} && end == text->data() + text->size()) return number;
  }
  return otherwise;
}

std::int32_t SmallIn(const json::object& object, std::string_view key) {
  const auto number = IntegerIn(object, key, -1);
  return number >= -1 && number < (std::int64_t{1} << 31) ? static_cast<std::int32_t>(number) : -1;
}

std::string TextIn(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(json::string_view(key.data(), key.size()));
  return value != nullptr && value->is_string() ? TextOf(*value) : std::string{};
}

void ReadDevices(const json::value& devices, ProfileBuilder& builder) {
  if (!devices.is_array()) return;
  for (const auto& device : devices.get_array()) {
    const auto* object = device.if_object();
    if (object == nullptr) continue;
    Gpu gpu;
    gpu.id = SmallIn(*object, "id");
    gpu.name = TextIn(*object, "name");
    gpu.compute_major = SmallIn(*object, "computeMajor");
    gpu.compute_minor = SmallIn(*object, "computeMinor");
    gpu.sms = SmallIn(*object, "numSms");
    gpu.memory = IntegerIn(*object, "totalGlobalMem", -1);
    gpu.max_threads_per_sm = SmallIn(*object, "maxThreadsPerMultiprocessor");
    gpu.warp_size = SmallIn(*object, "warpSize");
    builder.AddGpu(std::move(gpu));
  }
}

void ReadDistributed(const json::value& value, ProfileBuilder& builder) {
  const auto* object = value.if_object();
  if (object == nullptr) return;
  auto& info = builder.distributed();
  info.backend = TextIn(*object, "backend");
  info.rank = IntegerIn(*object, "rank", -1);
  info.world_size = IntegerIn(*object, "world_size", -1);
  if (const auto* version = object->if_contains("nccl_version")) {
    builder.AddFact("nccl_version", TextOf(*version));
  }
}

void ReadEntry(std::string_view key, const json::value& value, Envelope& envelope,
               ProfileBuilder& builder) {
  if (key == "deviceProperties") return ReadDevices(value, builder);
  if (key == "distributedInfo") return ReadDistributed(value, builder);
  if (std::find(kFacts.begin(), kFacts.end(), key) == kFacts.end()) return;
  if (key == "baseTimeNanoseconds" && (value.is_int64() || value.is_uint64())) {
    envelope.base_time = value.to_number<std::int64_t>();
    envelope.has_base_time = true;
  }
  if (!value.is_structured()) builder.AddFact(std::string(key), TextOf(value));
}

}  // namespace

Envelope ReadEnvelope(const std::string& text, ProfileBuilder& builder) {
  Envelope envelope;
  json::parse_options options;
  options.max_depth = 256;
  json::error_code code;
  const auto document = json::parse(text, code, {}, options);
  if (code || !document.is_object()) {
    builder.log().Add(Counter::metadata_unreadable);
    return envelope;
  }
  envelope.complete = true;
  for (const auto& [key, value] : document.get_object()) {
    ReadEntry(std::string_view(key.data(), key.size()), value, envelope, builder);
  }
  return envelope;
}

}  // namespace profgauge::readers::kineto
