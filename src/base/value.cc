#include "base/value.h"

namespace profgauge {

double AsNumber(const Value& value, double otherwise) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return otherwise;
}

}  // namespace profgauge
