// The structure of a JSON document, as its beginning shows it: its keys, and the form of its
// events. Nothing is validated; readers do that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::readers {

struct JsonShape {
  bool is_object = false, is_list = false;
  /// Keys of the object, or of the list's first object: the first 32, as written.
  std::vector<std::string_view> keys;
  /// The first three elements of the list, or of the object's list `traceEvents`, without blanks
  /// outside of texts.
  std::string events;

  bool Has(std::string_view key) const;
};

/// Examines text that may be cut anywhere, to decide which reader gets a file. O(head).
JsonShape ShapeOfJson(std::string_view head);

}  // namespace profgauge::readers
