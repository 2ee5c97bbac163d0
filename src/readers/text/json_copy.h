// Copies a JSON document, but only the parts that a list allows.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// The parts of a document to copy. A path joins keys with `/`; lists add nothing to it.
struct JsonKeep {
  std::string_view format;  ///< The reader's name.
  /// Paths of scalars, and of lists of scalars, to copy; their parents are copied with them. A path
  /// that ends in `/` copies everything below it.
  std::vector<std::string> paths;
  /// Returns the copy of a text at a path. If a list's element becomes "", it is dropped.
  std::function<std::string(std::string_view path, std::string_view text)> clean;
  /// All paths are copied; only `clean` decides about texts.
  bool keeps_all = false;
  /// Returns the copy of a key of the outermost object. If not set, keys stay.
  std::function<std::string(std::string_view key)> clean_key = {};
};

/// The document with only the kept parts: numbers digit by digit, one event per line. Objects in
/// lists stay even if they become empty, so that events keep their numbers. Errors: kInput
/// "json/truncated", "json/invalid" with the byte.
///
///   document        {"events": [{"ts": 1, "user": "ann"}, {"user": "bob"}], "host": "x"}
///   of "events/ts"  {"events":[{"ts":1},{}]}, with a line end before each object
Result<std::string> CopyJson(ByteSource& source, const JsonKeep& keep);
/// Like CopyJson(), for a text in a cell; empty if it is not JSON.
std::string CopyJsonText(std::string_view json, const JsonKeep& keep);

// Cuts folders off the paths in texts, for copies that are shared.

/// The text with every path cut to its part below site-packages, or to the file's name:
/// "/home/ann/x/site-packages/torch/nn/conv.py:443" is "torch/nn/conv.py:443", "pkg/net.py(3): f"
/// is "net.py(3): f". Names that only look like paths ("/module/conv2d", "aten::div/mul") stay.
std::string WithoutPaths(std::string_view text);

}  // namespace profgauge::readers
