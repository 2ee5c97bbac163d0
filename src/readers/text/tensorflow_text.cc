#include "readers/text/tensorflow_text.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>

namespace profgauge::readers {
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

// The builds print bfloat16 as "bfloat32".
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

}  // namespace profgauge::readers
