#include "readers/text/nvtx_text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/python_literal.h"
#include "model/known_names.h"

namespace profgauge::readers {
namespace {

// The patterns of kMarkerNames, in the same order; null for names that `starts` decides.
const std::vector<std::unique_ptr<RE2>>& MarkerPatterns() {
  static const std::vector<std::unique_ptr<RE2>> patterns = [] {
    std::vector<std::unique_ptr<RE2>> compiled;
    for (const MarkerName& name : kMarkerNames) {
      compiled.push_back(name.matches.empty() ? nullptr : std::make_unique<RE2>(name.matches));
    }
    return compiled;
  }();
  return patterns;
}

bool IsMarker(std::string_view text, std::string_view domain) {
  const auto& patterns = MarkerPatterns();
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const MarkerName& name = kMarkerNames[i];
    if (!name.domain.empty() && name.domain != domain) continue;
    if (!text.starts_with(name.starts)) continue;
    if (patterns[i] == nullptr || RE2::PartialMatch(text, *patterns[i])) return true;
  }
  return false;
}

// The text after `key` up to the end of its first bracket; empty if the bracket is not closed.
std::string_view BracketsAfter(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + key.size());
  int depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '[') ++depth;
    if (rest[i] == ']') --depth;
    if (depth == 0) return rest.substr(0, i + 1);
  }
  return {};
}

std::int64_t NumberAfter(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  std::int64_t value = -1;
  if (at == std::string_view::npos) return value;
  const char* begin = text.data() + at + key.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc{} ? value : -1;
}

// Parses "aten::conv2d, seq = 3, op_id = 7, sizes = [[1, 2]]"; names may contain commas.
// `find("Backward") < end` also finds autograd nodes without the engine's prefix.
RangeText ParseTorch(std::string_view text) {
  RangeText range;
  range.kind = RangeKind::kOp;
  std::size_t end = text.size();
  for (const std::string_view key : {", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "}) {
    end = std::min(end, text.find(key));
  }
  range.name = text.substr(0, end);
  range.sequence = NumberAfter(text, ", seq = ");
  range.input_shapes = BracketsAfter(text, ", sizes = ");
  constexpr std::string_view kBackward = "autograd::engine::evaluate_function: ";
  range.is_backward = range.name.starts_with(kBackward) || text.find("Backward") < end;
  return range;
}

bool IsTorchOp(std::string_view text) {
  for (const std::string_view prefix : {"aten::", "autograd::", "c10d::", "nccl:", "torch::"}) {
    if (text.starts_with(prefix)) return true;
  }
  return text.find(", seq = ") != std::string_view::npos ||
         text.find(", op_id = ") != std::string_view::npos;
}

}  // namespace

RangeText ParseRangeText(std::string_view text, std::string_view domain) {
  RangeText range;
  if (IsMarker(text, domain)) {
    range.kind = RangeKind::kIterationMarker;
    range.name = text;
    return range;
  }
  if (IsPyprofMarker(text)) return ParsePyprofMarker(text);
  if (domain == "tensorflow-core" && ParseTensorFlow(text, range)) return range;
  if (IsTorchOp(text)) return ParseTorch(text);
  if (domain == "TensorRT") range.kind = RangeKind::kOp;
  range.name = text;
  return range;
}

namespace {

std::string_view TextOf(const PyValue* value) {
  return value != nullptr && value->is_text() ? std::string_view(value->text) : std::string_view{};
}

std::string ShapeText(const PyValue* shape) {
  std::string text = "[";
  if (shape != nullptr) {
    // Some writers write a single dimension as 6 instead of (6,).
    if (shape->is_number()) text += fmt::format("{}", shape->integer);
    for (const PyValue& size : shape->items) {
      text += fmt::format("{}{}", text.size() > 1 ? ", " : "", size.integer);
    }
  }
  return text + "]";
}

/// The type of a tensor, or the type that PyTorch's profiler writes for other arguments.
std::string_view TypeText(const PyValue& argument) {
  const std::string_view type = TextOf(argument.Find("type"));
  if (type == "tensor" || type == "ndarray") return TextOf(argument.Find("dtype"));
  if (type == "int") return "Int";
  if (type == "float") return "Double";
  if (type == "bool") return "Bool";
  return "";
}

void AddArguments(const PyValue& arguments, RangeText& range) {
  if (arguments.items.empty()) return;
  range.input_shapes = "[";
  range.input_dtypes = "[";
  for (const PyValue& argument : arguments.items) {
    const char* comma = range.input_shapes.size() > 1 ? ", " : "";
    range.input_shapes += comma + ShapeText(argument.Find("shape"));
    range.input_dtypes += fmt::format("{}{}", comma, TypeText(argument));
  }
  range.input_shapes += "]";
  range.input_dtypes += "]";
}

// Converts ['a.py:3', 'b.py:9'], outermost first, to "b.py(9);a.py(3)", innermost first.
std::string StackOf(const PyValue& lines) {
  std::string stack;
  for (auto line = lines.items.rbegin(); line != lines.items.rend(); ++line) {
    const auto colon = line->text.rfind(':');
    if (!stack.empty()) stack += ';';
    if (colon == std::string::npos) {
      stack += line->text;
    } else {
      stack += line->text.substr(0, colon) + "(" + line->text.substr(colon + 1) + ")";
    }
  }
  return stack;
}

}  // namespace

bool IsPyprofMarker(std::string_view text) {
  return text.starts_with("{'mod':") || text.starts_with("{'traceMarker':");
}

RangeText ParsePyprofMarker(std::string_view text) {
  RangeText range;
  range.name = text;
  const auto parsed = ParsePythonLiteral(text);
  if (!parsed) return range;
  range.dictionary = text;
  if (const PyValue* trace = parsed->Find("traceMarker")) {
    range.name = "traceMarker";
    range.call_stack = StackOf(*trace);
    return range;
  }
  range.name = TextOf(parsed->Find("mod"));
  const std::string_view op = TextOf(parsed->Find("op"));
  const PyValue* arguments = parsed->Find("args");
  if (op.empty()) return range;
  range.kind = RangeKind::kOp;
  range.name = fmt::format("{}{}{}", range.name, range.name.empty() ? "" : ".", op);
  if (arguments != nullptr) AddArguments(*arguments, range);
  return range;
}

void AddTexts(const RangeText& range, ProfileBuilder& builder, HostRow& row) {
  row.name = builder.Intern(range.name);
  const auto set = [&](StringId& id, const std::string& text) {
    if (!text.empty()) id = builder.Intern(text);
  };
  set(row.input_shapes, range.input_shapes);
  set(row.input_dtypes, range.input_dtypes);
  set(row.call_stack, range.call_stack);
  set(row.concrete_inputs, range.dictionary);
}

namespace {

std::string_view TextOf(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains({key.data(), key.size()});
  if (value == nullptr || !value->is_string()) return {};
  return {value->as_string().data(), value->as_string().size()};
}

std::string ShapeOf(const boost::json::value& argument) {
  std::string text = "[";
  const auto* object = argument.if_object();
  const auto* shape = object == nullptr ? nullptr : object->if_contains("shape");
  if (shape != nullptr && shape->is_array()) {
    for (const auto& size : shape->as_array()) {
      if (!size.is_int64()) continue;
      text += fmt::format("{}{}", text.size() > 1 ? ", " : "", size.as_int64());
    }
  }
  return text + "]";
}

// The supported builds print bfloat16 as "bfloat32".
std::string TypeOf(std::string_view type) {
  return std::string(type == "bfloat32" ? "bfloat16" : type);
}

bool ParseDetailed(std::string_view text, RangeText& range) {
  constexpr std::size_t kLongestDetails = 64 * 1024;
  if (text.size() > kLongestDetails) return false;
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse({text.data(), text.size()}, error);
  if (error || !parsed.is_object()) return false;
  const boost::json::object& op = parsed.as_object();
  if (TextOf(op, "op").empty()) return false;
  range.kind = RangeKind::kOp;
  range.name = TextOf(op, TextOf(op, "name").empty() ? "op" : "name");
  const auto* arguments = op.if_contains("args");
  if (arguments == nullptr || !arguments->is_array()) return true;
  std::string type;
  if (const auto* attributes = op.if_contains("attrs");
      attributes != nullptr && attributes->is_object()) {
    type = TypeOf(TextOf(attributes->as_object(), "T"));
  }
  for (const auto& argument : arguments->as_array()) {
    const char* comma = range.input_shapes.empty() ? "" : ", ";
    range.input_shapes += comma + ShapeOf(argument);
    range.input_dtypes += comma + type;
  }
  range.input_shapes = "[" + range.input_shapes + "]";
  range.input_dtypes = type.empty() ? "" : "[" + range.input_dtypes + "]";
  return true;
}

}  // namespace

bool ParseTensorFlow(std::string_view text, RangeText& range) {
  if (text.starts_with("{\"op\":")) return ParseDetailed(text, range);
  if (!text.starts_with("Op: ")) return false;
  range.kind = RangeKind::kOp;
  range.name = text.substr(4);
  return true;
}

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

// Keeps a "true", because ranges repeat the configuration and a switch may be on for a part.
void ModelConfig::Set(std::string_view name, std::string value) {
  if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return;
  std::string& known = settings_[std::string(name)];
  if (known != "true") known = std::move(value);
}

void ModelConfig::AddFacts(ProfileBuilder& builder) const {
  for (const auto& [name, value] : settings_) builder.AddFact("model_config." + name, value);
}

HostKind HostKindOf(RangeKind kind) {
  switch (kind) {
    case RangeKind::kOp:
      return HostKind::kOp;
    case RangeKind::kIterationMarker:
      return HostKind::kIterationMarker;
    case RangeKind::kAnnotation:
      return HostKind::kAnnotation;
  }
  return HostKind::kAnnotation;
}

}  // namespace profgauge::readers
