#include "analysis/classify/dtypes.h"

#include <cstddef>

#include "base/text.h"

namespace profgauge {
namespace {

struct Dtype {
  std::string_view written;
  std::string_view canonical;
  double bytes;
};

constexpr Dtype kDtypes[] = {
    {"float", "float32", 4},
    {"float32", "float32", 4},
    {"fp32", "float32", 4},
    {"c10::half", "float16", 2},
    {"half", "float16", 2},
    {"float16", "float16", 2},
    {"fp16", "float16", 2},
    {"c10::bfloat16", "bfloat16", 2},
    {"bfloat16", "bfloat16", 2},
    {"bf16", "bfloat16", 2},
    {"double", "float64", 8},
    {"float64", "float64", 8},
    {"fp64", "float64", 8},
    {"c10::float8_e4m3fn", "float8_e4m3fn", 1},
    {"float8_e4m3fn", "float8_e4m3fn", 1},
    {"c10::float8_e5m2", "float8_e5m2", 1},
    {"float8_e5m2", "float8_e5m2", 1},
    {"c10::float8_e4m3fnuz", "float8_e4m3fnuz", 1},
    {"float8_e4m3fnuz", "float8_e4m3fnuz", 1},
    {"c10::float8_e5m2fnuz", "float8_e5m2fnuz", 1},
    {"float8_e5m2fnuz", "float8_e5m2fnuz", 1},
    {"c10::float8_e8m0fnu", "float8_e8m0fnu", 1},
    {"float8_e8m0fnu", "float8_e8m0fnu", 1},
    {"c10::float4_e2m1fn_x2", "float4_e2m1", 1},
    {"float4_e2m1fn_x2", "float4_e2m1", 1},
    {"signed char", "int8", 1},
    {"int8", "int8", 1},
    {"unsigned char", "uint8", 1},
    {"uint8", "uint8", 1},
    {"char", "int8", 1},
    {"byte", "uint8", 1},
    {"bytes", "", 1},  // Sizes in bytes, of a type that is not recorded.
    {"c10::qint8", "qint8", 1},
    {"c10::quint8", "quint8", 1},
    {"bool", "bool", 1},
    {"short", "int16", 2},
    {"int16", "int16", 2},
    {"int", "int32", 4},
    {"int32", "int32", 4},
    {"unsigned int", "uint32", 4},
    {"long", "int64", 8},
    {"long int", "int64", 8},
    {"int64", "int64", 8},
    {"unsigned long", "uint64", 8},
    {"c10::complex<float>", "complex64", 8},
    {"complexfloat", "complex64", 8},
    {"complex64", "complex64", 8},
    {"c10::complex<double>", "complex128", 16},
    {"complexdouble", "complex128", 16},
    {"complex128", "complex128", 16},
};

bool EqualIgnoringCase(std::string_view lower, std::string_view text) {
  if (lower.size() != text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c =
        text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

const Dtype* FindDtype(std::string_view text) {
  for (const Dtype& dtype : kDtypes) {
    if (EqualIgnoringCase(dtype.written, text)) return &dtype;
  }
  return nullptr;
}

}  // namespace

std::string_view CanonicalDtype(std::string_view dtype) {
  const Dtype* found = FindDtype(dtype);
  return found == nullptr ? dtype : found->canonical;
}

double DtypeBytes(std::string_view dtype) {
  const Dtype* found = FindDtype(dtype);
  return found == nullptr ? 0 : found->bytes;
}

std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> items;
  text = Trim(text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return items;
  text = text.substr(1, text.size() - 2);
  if (Trim(text).empty()) return items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth <= 0)) {
      items.push_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
      continue;
    }
    if (text[i] == '[' || text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == ']' || text[i] == '>' || text[i] == ')') --depth;
  }
  return items;
}

std::string_view FirstTensorDtype(std::string_view input_dtypes) {
  for (const std::string_view item : SplitList(input_dtypes)) {
    // "Int", "Double" and "Bool" with a capital are scalars, not tensors.
    if (item.empty() || (item.front() >= 'A' && item.front() <= 'Z')) continue;
    if (const Dtype* found = FindDtype(item)) return found->canonical;
  }
  return {};
}

}  // namespace profgauge
