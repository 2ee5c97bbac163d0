#include "analysis/flops/op_call.h"

#include <algorithm>
#include <charconv>

#include "analysis/classify/arguments.h"
#include "base/python_literal.h"

namespace profgauge::analysis::flops {
namespace {

// The text of a value; empty if it is missing or not a text.
std::string TextOf(const PyValue* value) {
  return value != nullptr && value->is_text() ? value->text : std::string{};
}

// The integers of a list or tuple, or a single one.
std::vector<std::int64_t> WholeNumbers(const PyValue* value) {
  std::vector<std::int64_t> numbers;
  if (value == nullptr) return numbers;
  if (value->kind == PyValue::Kind::kInt) numbers.push_back(value->integer);
  for (const PyValue& item : value->items) {
    if (item.kind == PyValue::Kind::kInt) numbers.push_back(item.integer);
  }
  return numbers;
}

// Converts PyProf's dictionary of an argument. Missing keys leave fields empty.
OpArgument ArgumentOf(const PyValue& value) {
  OpArgument argument;
  argument.name = TextOf(value.Find("name"));
  argument.type = TextOf(value.Find("type"));
  argument.shape = WholeNumbers(value.Find("shape"));
  argument.dtype = TextOf(value.Find("dtype"));
  if (const PyValue* content = value.Find("value")) {
    argument.number = content->real;
    if (content->kind == PyValue::Kind::kInt) {
      argument.number = static_cast<double>(content->integer);
    }
    argument.text = TextOf(content);
    if (content->is_sequence()) argument.list = WholeNumbers(content);
  }
  return argument;
}

// Parses "[4, 8]"; none if an item is not a size. "[]" has no dimensions.
std::optional<std::vector<std::int64_t>> ShapeOf(std::string_view text) {
  std::vector<std::int64_t> shape;
  for (const std::string_view item : classify::SplitList(text)) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), size);
    if (error != std::errc{} || end != item.data() + item.size() || size < 0) return std::nullopt;
    shape.push_back(size);
  }
  return shape;
}

// Parses "True" and "false", as Python and C++ write them.
std::optional<double> TruthOf(std::string_view text) {
  if (text == "True" || text == "true") return 1;
  if (text == "False" || text == "false") return 0;
  return std::nullopt;
}

// Integers and bools of "[14, 14]", "(2,2)" or "[True, False]"; empty for other texts.
std::vector<std::int64_t> ListOf(std::string_view text) {
  std::vector<std::int64_t> list;
  const std::string in_brackets = "[" + std::string(text.substr(1, text.size() - 2)) + "]";
  for (const std::string_view item : classify::SplitList(in_brackets)) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
    if (const auto truth = TruthOf(item)) {
      number = *truth != 0 ? 1 : 0;
    } else if (error != std::errc{} || end != item.data() + item.size()) {
      return {};
    }
    list.push_back(number);
  }
  return list;
}

// Accepts brackets of Python and C++ (`(2,2)` in profiles of compiled models).
bool IsList(std::string_view text) {
  return text.size() >= 2 && ((text.front() == '[' && text.back() == ']') ||
                              (text.front() == '(' && text.back() == ')'));
}

// Parses non-tensor values as profilers write them: "1", "0.5", "True", "[14, 14]", "(2,2)".
OpArgument ValueOf(std::string_view text) {
  OpArgument argument;
  argument.type = "NoneType";
  argument.text = text;
  if (const auto truth = TruthOf(text)) {
    argument.type = "bool";
    argument.number = *truth;
  } else if (IsList(text)) {
    argument.type = "list";
    argument.list = ListOf(text);
  } else if (!text.empty() && text != "None") {
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), argument.number);
    argument.type = error == std::errc{} && end != text.data() ? "float" : "str";
  }
  return argument;
}

// An empty type is unknown: then bytes are unknown, but not operations.
OpArgument TensorOf(std::vector<std::int64_t> shape, std::string_view dtype) {
  OpArgument argument;
  argument.type = "tensor";
  argument.shape = std::move(shape);
  argument.dtype = dtype;
  return argument;
}

// True for "float", "c10::Half" and "long int"; false for "Scalar", "Int" and "TensorList".
bool IsElementType(std::string_view type) {
  return !type.empty() && !(type.front() >= 'A' && type.front() <= 'Z') &&
         classify::DtypeBytes(type) > 0;
}

// An argument with sizes and a known type is a tensor, even if its type is "Float".
bool IsTensor(const std::vector<std::int64_t>& shape, std::string_view type, bool no_types) {
  return IsElementType(type) || (!shape.empty() && (no_types || classify::DtypeBytes(type) > 0));
}

}  // namespace

std::optional<OpCall> CallOf(const Profile& profile, std::uint32_t row) {
  const HostTable& host = profile.host;
  return CallOf(CallText{profile.Name(host.name[row]), profile.Name(host.input_shapes[row]),
                         profile.Name(host.input_dtypes[row]),
                         profile.Name(host.concrete_inputs[row])});
}

// Kineto records three parallel lists, emit_nvtx only the first. A position without sizes and
// element type is a value:
//
//   shapes   [[4, 8], [], [[2], [2]]]           types    [float, Scalar, TensorList]
//   values   [, 1, ]                            call     tensor [4, 8], float 1, tensors [2], [2]
std::optional<OpCall> CallOf(const CallText& text) {
  if (text.values.starts_with("{'")) return ParseCall(text.values);
  if (text.shapes.empty()) return std::nullopt;
  const std::string_view name = text.name;
  const auto colons = name.rfind("::");
  OpCall call;
  if (colons != std::string_view::npos) call.module = name.substr(0, colons);
  call.op = colons == std::string_view::npos ? name : name.substr(colons + 2);
  const auto shapes = classify::OwnArguments(name, text.shapes, text.shapes);
  const auto types = classify::OwnArguments(name, text.shapes, text.dtypes);
  // Shapes may end with the last tensor, while values continue.
  const bool all_are_own = shapes.size() == classify::SplitList(text.shapes).size();
  const auto values = all_are_own ? classify::SplitList(text.values)
                                  : classify::OwnArguments(name, text.shapes, text.values);
  const auto add = [&call](OpArgument argument, std::size_t place) {
    argument.place = place;
    call.arguments.push_back(std::move(argument));
  };
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string_view type = i < types.size() ? types[i] : std::string_view{};
    const bool is_list = shapes[i].starts_with("[[");
    // Without types (emit_nvtx), every argument with a shape is a tensor.
    if (is_list) {
      for (const std::string_view item : classify::SplitList(shapes[i])) {
        if (auto shape = ShapeOf(item)) add(TensorOf(*shape, {}), i);
      }
    } else if (auto shape = ShapeOf(shapes[i]); shape && IsTensor(*shape, type, types.empty())) {
      add(TensorOf(std::move(*shape), classify::CanonicalDtype(type)), i);
    } else {
      add(ValueOf(i < values.size() ? values[i] : std::string_view{}), i);
    }
  }
  for (std::size_t i = shapes.size(); i < values.size(); ++i) add(ValueOf(values[i]), i);
  return call;
}

std::vector<const OpArgument*> OpCall::Tensors() const {
  std::vector<const OpArgument*> tensors;
  for (const OpArgument& argument : arguments) {
    if (argument.is_tensor()) tensors.push_back(&argument);
  }
  return tensors;
}

const OpArgument* OpCall::Find(std::string_view name, std::size_t position) const {
  for (const OpArgument& argument : arguments) {
    if (argument.name == name) return &argument;
  }
  if (position < arguments.size() && arguments[position].name.empty()) return &arguments[position];
  return nullptr;
}

std::optional<OpCall> ParseCall(std::string_view marker) {
  const auto parsed = ParsePythonLiteral(marker);
  if (!parsed) return std::nullopt;
  const PyValue* module = parsed->Find("mod");
  const PyValue* op = parsed->Find("op");
  const PyValue* arguments = parsed->Find("args");
  if (module == nullptr || op == nullptr || arguments == nullptr) return std::nullopt;
  OpCall call{TextOf(module), TextOf(op), {}};
  for (const PyValue& argument : arguments->items) call.arguments.push_back(ArgumentOf(argument));
  return call;
}

double Elements(const std::vector<std::int64_t>& shape) {
  double product = 1;
  for (const std::int64_t size : shape) product *= static_cast<double>(size);
  return product;
}

std::optional<std::vector<std::int64_t>> Broadcast(const std::vector<std::int64_t>& a,
                                                   const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

}  // namespace profgauge::analysis::flops
