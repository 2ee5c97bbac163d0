// The structure of a JSON document, only by its beginning: its keys, and the look of its events.
// Nothing is checked: that is for the reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::readers {

struct JsonShape {
  bool is_object = false, is_list = false;
  /// Keys of the object, or of the first object of the list; the first 32, as they are written.
  std::vector<std::string_view> keys;
  /// The first three elements of the list, or of the object's list `traceEvents`, without blanks
  /// outside of texts.
  std::string events;

  bool Has(std::string_view key) const;
};

/// Examines text that may be cut anywhere.
/// For deciding which reader takes a file, by its first kilobytes. O(head).
JsonShape ShapeOfJson(std::string_view head);

}  // namespace profgauge::readers
