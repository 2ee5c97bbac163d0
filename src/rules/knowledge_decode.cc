#include "rules/knowledge_decode.h"

#include "rules/policy_decode.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace profgauge::rules {
namespace {

constexpr std::int64_t kLargestSize = std::numeric_limits<std::int32_t>::max();

constexpr Decoder::Word<analysis::classify::Tri> kVerdicts[] = {
    {"yes", analysis::classify::Tri::kYes},
    {"no", analysis::classify::Tri::kNo},
    {"unknown", analysis::classify::Tri::kUnknown}};

/// The value of `communication`: no, yes (the kernel's name shows the kind), or a kind.
struct Communication {
  analysis::classify::Tri is = analysis::classify::Tri::kUnknown;
  analysis::classify::CollectiveKind kind = analysis::classify::CollectiveKind::kOther;
};

std::vector<Decoder::Word<Communication>> CommunicationWords() {
  std::vector<Decoder::Word<Communication>> words = {
      {"yes", {analysis::classify::Tri::kYes, analysis::classify::CollectiveKind::kOther}},
      {"no", {analysis::classify::Tri::kNo, analysis::classify::CollectiveKind::kOther}}};
  for (std::size_t k = 0; k < analysis::classify::kCollectiveKinds; ++k) {
    const auto kind = static_cast<analysis::classify::CollectiveKind>(k);
    if (kind != analysis::classify::CollectiveKind::kOther)
      words.push_back(
          {analysis::classify::CollectiveKindId(kind), {analysis::classify::Tri::kYes, kind}});
  }
  return words;
}

/// Reads a regular expression that RE2 accepts.
void Pattern(Decoder& decoder, const YamlNode& node, std::string_view what, std::string& out) {
  const auto text = decoder.Text(node, what);
  if (!text) return;
  out = *text;
  re2::RE2::Options options;
  options.set_log_errors(false);
  if (const re2::RE2 pattern(out, options); !pattern.ok()) {
    decoder
        .Add(node, "policy/pattern",
             fmt::format("`{}`: `{}` is no regular expression: {}", what, PrintableShort(out, 40),
                         Printable(pattern.error())))
        .notes.emplace_back("help: the syntax is RE2's; write patterns in single quotes");
  }
}

void DecodeName(Decoder& decoder, const YamlNode& node,
                std::vector<analysis::classify::KernelNameRule>& out) {
  analysis::classify::KernelNameRule rule;
  bool says_anything = false;
  const auto words = CommunicationWords();
  const Decoder::Key kKeys[] = {
      {"id", [&](const YamlNode& n) { rule.id = decoder.Text(n, "id").value_or(""); }, true},
      {"matches", [&](const YamlNode& n) { Pattern(decoder, n, "matches", rule.matches); }, true},
      {"except", [&](const YamlNode& n) { Pattern(decoder, n, "except", rule.except); }},
      {"uses_tensor_core",
       [&](const YamlNode& n) {
         says_anything = true;
         rule.tensor_core = decoder.OneOf<analysis::classify::Tri>(n, "uses_tensor_core", kVerdicts)
                                .value_or(analysis::classify::Tri::kUnknown);
       }},
      {"communication",
       [&](const YamlNode& n) {
         says_anything = true;
         const auto said = decoder.OneOf<Communication>(n, "communication", words);
         if (said) std::tie(rule.communication, rule.kind) = std::tie(said->is, said->kind);
       }},
  };
  decoder.Map(node, "a name rule", kKeys);
  if (!says_anything && node.kind == YamlNode::Kind::kMap) {
    decoder.Add(node, "policy/says-nothing",
                "a name rule needs the key `uses_tensor_core` or `communication`");
  }
  out.push_back(std::move(rule));
}

/// Reads a compute capability: "8.0", "12.1".
void Capability(Decoder& decoder, const YamlNode& node, Gpu& gpu) {
  const auto text = decoder.Text(node, "compute_capability");
  if (!text) return;
  const char* const end = text->data() + text->size();
  std::int32_t major = -1, minor = -1;
  const auto dot = std::from_chars(text->data(), end, major);
  const bool has_dot = dot.ec == std::errc() && dot.ptr != end && *dot.ptr == '.';
  if (has_dot) {
    const auto last = std::from_chars(dot.ptr + 1, end, minor);
    if (last.ec != std::errc() || last.ptr != end) minor = -1;
  }
  if (major < 0 || minor < 0 || major > 99 || minor > 9) {
    decoder.Add(node, "policy/capability",
                fmt::format("`compute_capability`: expected two numbers such as `8.0`, found `{}`",
                            PrintableShort(*text, 40)));
    return;
  }
  gpu.compute_major = major;
  gpu.compute_minor = minor;
}

/// Reads peak rates: {float16: 989 TFLOP/s, …}
void Peaks(Decoder& decoder, const YamlNode& node, DevicePeaks& peaks) {
  std::vector<Decoder::Key> keys;
  for (const std::string_view dtype : {"float64", "float64_matrix", "float32", "float32_matrix",
                                       "tf32", "float16", "bfloat16", "float8", "int8"}) {
    keys.push_back({dtype, [&decoder, &peaks, dtype](const YamlNode& n) {
                      const auto rate = decoder.NumberOf(n, dtype, Unit::kFlopRate);
                      if (rate && *rate > 0) peaks.flop_rate[std::string(dtype)] = *rate;
                    }});
  }
  decoder.Map(node, "`peak`", keys);
}

void DecodeDevice(Decoder& decoder, const YamlNode& node, std::vector<KnownDevice>& out) {
  KnownDevice device;
  Gpu& gpu = device.properties;
  const auto count = [&](std::string_view name, std::int32_t& target) {
    return Decoder::Key{name, [&decoder, &target, name](const YamlNode& n) {
                          if (const auto value = decoder.Integer(n, name, 1, kLargestSize)) {
                            target = static_cast<std::int32_t>(*value);
                          }
                        }};
  };
  const Decoder::Key kKeys[] = {
      {"match", [&](const YamlNode& n) { device.match = decoder.Text(n, "match").value_or(""); },
       true},
      {"name", [&](const YamlNode& n) { gpu.name = decoder.Text(n, "name").value_or(""); }},
      {"compute_capability", [&](const YamlNode& n) { Capability(decoder, n, gpu); }},
      count("sms", gpu.sms),
      {"memory",
       [&](const YamlNode& n) {
         const auto bytes = decoder.NumberOf(n, "memory", Unit::kBytes);
         if (bytes && *bytes > 0 && *bytes < 1e18) gpu.memory = static_cast<std::int64_t>(*bytes);
       }},
      count("max_threads_per_sm", gpu.max_threads_per_sm),
      count("warp_size", gpu.warp_size),
      {"memory_bandwidth",
       [&](const YamlNode& n) {
         const auto rate = decoder.NumberOf(n, "memory_bandwidth", Unit::kBandwidth);
         if (rate && *rate > 0) device.peaks.memory_bandwidth = *rate;
       }},
      {"peak", [&](const YamlNode& n) { Peaks(decoder, n, device.peaks); }},
  };
  decoder.Map(node, "a device", kKeys);
  out.push_back(std::move(device));
}

/// Reads a document with `schema` and one list.
void DecodeList(Decoder& decoder, std::string_view what, std::string_view key,
                const std::function<void(const YamlNode&)>& decode) {
  const Decoder::Key kKeys[] = {
      {"schema", [&](const YamlNode& n) { decoder.Schema(n); }, true},
      {key, [&](const YamlNode& n) { decoder.EachItem(n, fmt::format("`{}`", key), decode); },
       true},
  };
  decoder.Map(decoder.document().root, what, kKeys);
}

}  // namespace

void DecodeKernelNames(Decoder& decoder, std::vector<analysis::classify::KernelNameRule>& out) {
  DecodeList(decoder, "a file of kernel names", "names",
             [&](const YamlNode& item) { DecodeName(decoder, item, out); });
}

void DecodeDevices(Decoder& decoder, std::vector<KnownDevice>& out) {
  DecodeList(decoder, "a file of devices", "devices",
             [&](const YamlNode& item) { DecodeDevice(decoder, item, out); });
}

}  // namespace profgauge::rules
