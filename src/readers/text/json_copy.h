// A copy of a JSON document that keeps what a list allows and nothing else.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// What stays of a document. A path joins keys with `/`; lists add nothing to it.
struct JsonKeep {
  std::string_view format;  ///< The reader's name.
  /// Paths of scalars, and of lists of scalars, that stay with all that leads to them. A path that
  /// ends in `/` keeps everything below.
  std::vector<std::string> paths;
  /// What becomes of a text that stays, by its path. "" for an element of a list leaves it out.
  std::function<std::string(std::string_view path, std::string_view text)> clean;
};

/// The document as it was without the rest: numbers digit by digit, one event on a line. Errors:
/// kInput "json/truncated", "json/invalid" with the byte.
Result<std::string> CopyJson(ByteSource& source, const JsonKeep& keep);

}  // namespace profgauge::readers
