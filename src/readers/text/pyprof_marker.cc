#include "readers/text/pyprof_marker.h"

#include <fmt/format.h>

#include "base/python_literal.h"

namespace profgauge::readers {
namespace {

std::string_view TextOf(const PyValue* value) {
  return value != nullptr && value->is_text() ? std::string_view(value->text) : std::string_view{};
}

std::string ShapeText(const PyValue* shape) {
  std::string text = "[";
  if (shape != nullptr) {
    // One dimension is written (6,) or, by some, 6.
    if (shape->is_number()) text += fmt::format("{}", shape->integer);
    for (const PyValue& size : shape->items) {
      text += fmt::format("{}{}", text.size() > 1 ? ", " : "", size.integer);
    }
  }
  return text + "]";
}

/// Tensors by their type, other arguments as PyTorch's profiler writes scalars.
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

// ['a.py:3', 'b.py:9'], outermost first, as "b.py(9);a.py(3)", innermost first.
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

}  // namespace profgauge::readers
