// Iteration markers whose end was not recorded. One lasts to the next of its name, numbers aside,
// on its thread: a marker without an end when the capture ends is the last one, and if a profiler
// lost all ends, each would otherwise hold all that follow it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/profile_builder.h"

namespace profgauge::readers {

/// Collects all markers of a file, and closes those without an end.
class OpenMarkers {
 public:
  /// A marker, with or without an end. `name`: as the program wrote it.
  void AddStart(const HostRow& row, std::string_view name);
  /// A marker without an end; its length is used if no marker of its name follows.
  void AddOpen(const HostRow& row, std::string_view name);
  /// Adds those without an end to the builder. REQUIRES: AddStart() of all markers.
  void Finish(ProfileBuilder& builder);

 private:
  using Series = std::pair<std::uint32_t, std::string>;  ///< Thread, and name without numbers.
  static Series SeriesOf(const HostRow& row, std::string_view name);

  std::map<Series, std::vector<Ns>> starts_;
  std::vector<std::pair<HostRow, Series>> open_;
};

}  // namespace profgauge::readers
