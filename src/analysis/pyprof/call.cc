#include "analysis/pyprof/call.h"

#include <algorithm>

#include "base/python_literal.h"

namespace profgauge::pyprof {
namespace {

std::string TextOf(const PyValue* value) {
  return value != nullptr && value->is_text() ? value->text : std::string{};
}

std::vector<std::int64_t> WholeNumbers(const PyValue* value) {
  std::vector<std::int64_t> numbers;
  if (value == nullptr) return numbers;
  if (value->kind == PyValue::Kind::kInt) numbers.push_back(value->integer);
  for (const PyValue& item : value->items) {
    if (item.kind == PyValue::Kind::kInt) numbers.push_back(item.integer);
  }
  return numbers;
}

Argument ArgumentOf(const PyValue& value) {
  Argument argument;
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

}  // namespace

std::vector<const Argument*> Call::Tensors() const {
  std::vector<const Argument*> tensors;
  for (const Argument& argument : arguments) {
    if (argument.is_tensor()) tensors.push_back(&argument);
  }
  return tensors;
}

const Argument* Call::Find(std::string_view name, std::size_t position) const {
  for (const Argument& argument : arguments) {
    if (argument.name == name) return &argument;
  }
  if (position < arguments.size() && arguments[position].name.empty()) return &arguments[position];
  return nullptr;
}

std::optional<Call> ParseCall(std::string_view marker) {
  const auto parsed = ParsePythonLiteral(marker);
  if (!parsed) return std::nullopt;
  const PyValue* module = parsed->Find("mod");
  const PyValue* op = parsed->Find("op");
  const PyValue* arguments = parsed->Find("args");
  if (module == nullptr || op == nullptr || arguments == nullptr) return std::nullopt;
  Call call{TextOf(module), TextOf(op), {}};
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

}  // namespace profgauge::pyprof
