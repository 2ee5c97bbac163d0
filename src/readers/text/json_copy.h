// A copy of a JSON document with only the parts that a list allows.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// The kept parts of a document. A path joins keys with `/`; lists add nothing to it.
struct JsonKeep {
  std::string_view format;  ///< The reader's name.
  /// Paths of scalars, and of lists of scalars, that stay with all that leads to them. A path that
  /// ends in `/` keeps everything below.
  std::vector<std::string> paths;
  /// The replacement of a kept text, by its path. "" for an element of a list omits it.
  std::function<std::string(std::string_view path, std::string_view text)> clean;
  /// All paths stay: `clean` alone decides.
  bool keeps_all = false;
  /// What becomes of a key of the outermost object. Empty: it stays.
  std::function<std::string(std::string_view key)> clean_key = {};
};

/// The document as it was without the rest: numbers digit by digit, one event on a line. Errors:
/// kInput "json/truncated", "json/invalid" with the byte.
/// Objects in lists stay even if nothing in them does, so that events keep their number:
///
///   document        {"events": [{"ts": 1, "user": "ann"}, {"user": "bob"}], "host": "x"}
///   of "events/ts"  {"events":[{"ts":1},{}]}, with a line end before each object
Result<std::string> CopyJson(ByteSource& source, const JsonKeep& keep);
/// The same of a text in a cell; empty where it is no JSON.
std::string CopyJsonText(std::string_view json, const JsonKeep& keep);

// Texts without the folders of the paths in them, for copies that are shared.

/// The text with every path cut to its part below site-packages, or to the file's name:
/// "/home/ann/x/site-packages/torch/nn/conv.py:443" is "torch/nn/conv.py:443", "pkg/net.py(3): f"
/// is "net.py(3): f". Names that only look like paths ("/module/conv2d", "aten::div/mul") stay.
std::string WithoutPaths(std::string_view text);

}  // namespace profgauge::readers
