// Makes valid JSON of a value that a careless writer broke, if its meaning is clear.
//
// Repaired: quotes and backslashes that are not escaped, raw control characters, bytes that are not
// UTF-8, halves of surrogate pairs, NaN, inf, N/A and other words in place of a value, commas too
// many. Valid text comes out as it went in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/import_log.h"

namespace profgauge::readers::kineto {

/// The repaired value and the repairs, which go to the import log.
struct Mended {
  std::string text;              ///< Only the value.
  std::size_t end = 0;           ///< Bytes of the input that it was.
  std::vector<Counter> repairs;  ///< One for each repair made.
};

/// The object or list at the start of `text`. Empty when it does not end within `text`, or when it
/// is not clear how it was meant. Linear in the length of `text`.
std::optional<Mended> Mend(std::string_view text);

}  // namespace profgauge::readers::kineto
