// Numbers and labels of an event's fields, as rows hold them.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "readers/kineto/raw_event.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::kineto {

/// The field as a whole number; `otherwise` if it is missing or no whole number.
inline std::int64_t IntegerOr(const RawEvent& event, Field field, std::int64_t otherwise) {
  if (!event.Has(field)) return otherwise;
  return ParseInteger(event.Text(field)).value_or(otherwise);
}

/// The field as a real number; `otherwise` if it is missing or no number.
inline double RealOr(const RawEvent& event, Field field, double otherwise) {
  if (!event.Has(field)) return otherwise;
  return ParseReal(event.Text(field)).value_or(otherwise);
}

/// The value in 32 bits; `otherwise` if it does not fit.
inline std::int32_t Narrow(std::int64_t value, std::int32_t otherwise) {
  const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                    value <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(value) : otherwise;
}

/// For the process "[TP00] 0" in a file merged from several ranks' (SGLang's profile merger) the
/// first part; empty if processes are not labeled so. If a label is not recognized, ids
/// and devices of several traces must be distinguished by their processes.
inline std::string_view LabelOf(std::string_view process) {
  if (!process.starts_with('[')) return {};
  const auto end = process.find("] ");
  const bool is_label =
      end != process.npos && ParseInteger(process.substr(end + 2)).value_or(-1) >= 0;
  return is_label ? process.substr(0, end + 1) : std::string_view{};
}

}  // namespace profgauge::readers::kineto
