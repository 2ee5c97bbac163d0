#include "gate/pairing.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "analysis/classify/kernel_name.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

constexpr std::string_view kDigits = "0123456789", kHexDigits = "0123456789abcdefABCDEF";

// "{lambda(float)#2}" of GCC and NVCC, "'lambda0'" of Clang: the length at the start, or 0.
std::size_t LambdaAt(std::string_view text) {
  if (text.starts_with("{lambda")) {
    const std::size_t end = text.find('}');
    return end == text.npos ? 0 : end + 1;
  }
  if (!text.starts_with("'lambda")) return 0;
  const std::size_t end = text.find('\'', 1);
  return end == text.npos ? 0 : end + 1;
}

std::string WithoutLambdaNumbers(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (const std::size_t length = LambdaAt(text)) {
      out += "{lambda}";
      text.remove_prefix(length);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

// Reads template arguments, from after their '<'; `rest` becomes the text after their '>'. Nothing
// where brackets do not match, as with operators.
std::optional<std::string> Arguments(std::string_view& rest);  // NOLINT(misc-no-recursion)

// Up to the end of an argument, or of the text at the outermost level.
std::optional<std::string> Argument(std::string_view& rest, bool is_outermost) {  // NOLINT
  std::string out;
  int brackets = 0;
  while (!rest.empty()) {
    const char c = rest.front();
    if (brackets == 0 && !is_outermost && (c == ',' || c == '>')) return out;
    rest.remove_prefix(1);
    out += c;
    brackets += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != '<') continue;
    auto arguments = Arguments(rest);
    if (!arguments) return std::nullopt;
    out += *arguments + ">";
  }
  return is_outermost ? std::optional(out) : std::nullopt;
}

// A pointer type, not one in the signature of a function that the argument is of.
bool HoldsPointer(std::string_view argument) {
  int brackets = 0;
  for (const char c : argument) {
    brackets += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == '*' && brackets == 0) return true;
  }
  return false;
}

// Argument by argument; recursion is as deep as templates are nested:
//
//     f<4, g<char*>, h(int*)>      4        kept
//                                  g<char*> left out: a pointer, outside of a signature
//                                  h(int*)  kept: the pointer is in a signature
std::optional<std::string> Arguments(std::string_view& rest) {  // NOLINT(misc-no-recursion)
  std::string out;
  while (true) {
    const std::string_view from = rest;
    auto argument = Argument(rest, false);
    if (!argument) return std::nullopt;
    if (!HoldsPointer(from.substr(0, from.size() - rest.size()))) {
      while (argument->ends_with(' ')) argument->pop_back();
      while (argument->starts_with(' ')) argument->erase(0, 1);
      out += (out.empty() ? "" : ", ") + *argument;
    }
    const bool is_last = rest.front() == '>';
    rest.remove_prefix(1);
    if (is_last) return out;
  }
}

// "bf16bf16" has only hexadecimal digits, too.
bool AreTypes(std::string_view word) {
  while (!word.empty()) {
    if (word.front() == 'b') word.remove_prefix(1);
    const bool is_type =
        word.starts_with("f16") || word.starts_with("f32") || word.starts_with("f64");
    if (!is_type) return false;
    word.remove_prefix(3);
  }
  return true;
}

bool IsHash(std::string_view word) {
  return word.size() >= knowledge::kGateHashLength.as<std::size_t>() &&
         word.find_first_not_of(kHexDigits) == word.npos &&
         word.find_first_of(kDigits) != word.npos && !AreTypes(word);
}

std::string WithoutHashes(std::string_view text) {
  const auto is_of_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string out;
  while (!text.empty()) {
    std::size_t length = 0;
    while (length < text.size() && is_of_word(text[length])) ++length;
    const std::string_view word = text.substr(0, length);
    out += IsHash(word) ? std::string_view("#") : word;
    text.remove_prefix(length);
    if (text.empty()) break;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

// "triton_poi_fused_add_12", "loop_add_fusion.3": the name lists the fused operators, and the
// number counts all earlier fusions.
std::string_view WithoutCounter(std::string_view name) {
  if (!name.starts_with("triton_") && name.find("fusion") == name.npos) return name;
  const std::size_t last = name.find_last_not_of(kDigits);
  if (last == name.npos || last + 1 == name.size()) return name;
  if (name[last] != '_' && name[last] != '.') return name;
  return name.substr(0, last);
}

}  // namespace

std::string CanonicalKernel(std::string_view name) {
  std::string key =
      WithoutLambdaNumbers(analysis::classify::WithoutArguments(WithoutCounter(name)));
  std::string_view rest = key;
  if (auto argument = Argument(rest, true)) key = *std::move(argument);
  return WithoutHashes(key);
}

}  // namespace profgauge::gate
