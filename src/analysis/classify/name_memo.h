// Properties of a profile's names, computed once for each: millions of rows have hundreds of names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge::analysis::classify {

/// A yes or no by name. The question is asked once for each name of the profile, when a row first
/// needs it. It is not safe for several threads. For questions that keep something: TextTest
/// (iterations/markers.h).
class NameMemo {
 public:
  /// Keeps a reference. `tells` must answer a name the same each time. One byte per name.
  NameMemo(const Profile& profile, bool (*tells)(std::string_view))
      : profile_(profile), tells_(tells), known_(profile.strings.size(), kNotYet) {}

  /// False where there is no name.
  bool operator()(StringId name) {
    if (!name.valid()) return false;
    std::int8_t& known = known_[name.value];
    if (known == kNotYet) known = tells_(profile_.strings[name]) ? 1 : 0;
    return known == 1;
  }
  /// For the row's name; false where there is no row.
  bool operator()(HostId row) { return row.valid() && (*this)(profile_.host.name[row.value]); }

 private:
  static constexpr std::int8_t kNotYet = -1;
  const Profile& profile_;
  bool (*tells_)(std::string_view);
  std::vector<std::int8_t> known_;
};

}  // namespace profgauge::analysis::classify
