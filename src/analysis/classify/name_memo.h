// Properties of a profile's names, computed once per name: millions of rows have hundreds of names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge::analysis::classify {

/// A property of names, computed when a row first needs it. Not thread-safe. For functions with
/// state, use TextTest (iterations/markers.h).
class NameMemo {
 public:
  /// Keeps a reference. `tells` must be a pure function. Needs one byte per name.
  NameMemo(const Profile& profile, bool (*tells)(std::string_view))
      : profile_(profile), tells_(tells), known_(profile.strings.size(), kNotYet) {}

  /// False without a name.
  bool operator()(StringId name) {
    if (!name.valid()) return false;
    std::int8_t& known = known_[name.value];
    if (known == kNotYet) known = tells_(profile_.strings[name]) ? 1 : 0;
    return known == 1;
  }
  /// For the row's name; false without a row.
  bool operator()(HostId row) { return row.valid() && (*this)(profile_.host.name[row.value]); }

 private:
  static constexpr std::int8_t kNotYet = -1;
  const Profile& profile_;
  bool (*tells_)(std::string_view);
  std::vector<std::int8_t> known_;
};

}  // namespace profgauge::analysis::classify
