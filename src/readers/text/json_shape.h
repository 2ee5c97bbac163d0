// What a JSON document is made of, only by its beginning: which keys it has, and how its events
// look. Nothing is checked: that is for whoever reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::readers {

struct JsonShape {
  bool is_object = false, is_list = false;
  /// Of the object, or of the first object of the list; the first 32, as they are written.
  std::vector<std::string_view> keys;
  /// The first three elements of the list, or of the object's list `traceEvents`, without blanks
  /// outside of texts.
  std::string events;

  bool Has(std::string_view key) const;
};

/// Of text that may be cut anywhere.
JsonShape ShapeOfJson(std::string_view head);

}  // namespace profgauge::readers
