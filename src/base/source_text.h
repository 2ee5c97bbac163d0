// A text taken out of a file, that still knows where each of its bytes stood there.
//
// YAML folds lines, strips indentation and decodes escapes, so byte 30 of an expression is not
// column 30 of any line. Errors inside expressions and templates point at the file through this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profgauge/error.h"

namespace profgauge {

struct SourceText {
  /// From `offset` in the text on, bytes correspond one to one to the file from line:column on.
  struct Run {
    std::size_t offset = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  std::string text;
  std::string file;
  std::vector<Run> runs;  ///< By offset; the first is at 0. Empty: the place is unknown.

  /// Location of byte `offset` of the text. `length` bytes are underlined, at most to the end of
  /// that line. Offsets after the end give the place after the last byte.
  Where At(std::size_t offset, std::size_t length = 0) const;
  /// The whole text.
  Where All() const { return At(0, text.size()); }

  bool empty() const { return text.empty(); }
};

}  // namespace profgauge
