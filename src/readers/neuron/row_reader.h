// Rows of a table read without a general JSON parser, which stays the only authority on
// valid: a row is read here when it is an object of plain keys and values as below, which no JSON
// parser refuses. All others are left to it.
//
// A value is read when it is a number of at most json_scan::kMaxNumber digits and a small exponent,
// a string of printable ASCII whose escapes are of one letter, true, false, null, or a list or
// object of such values.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "readers/neuron/record.h"
#include "readers/neuron/row_log.h"

namespace profgauge::readers::neuron {

/// The fast path. It keeps no state between rows except memory.
class RowReader {
 public:
  RowReader();
  ~RowReader();

  /// Reads the row at the start of `text` into `log`, between its BeginRow() and EndRow(); its
  /// length, or 0 when the JSON parser must look or the row reaches to the end of `text`: `log` is
  /// then as it was. Texts are of `text` or of the log.
  std::size_t Read(std::string_view text, RowLog& log);

 private:
  class Values;
  class Keys;
  class Reals;
  std::unique_ptr<Keys> keys_;
  std::unique_ptr<Reals> reals_;
};

}  // namespace profgauge::readers::neuron
