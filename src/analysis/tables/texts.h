// Strings of one profile in the output's pool, each interned once.
#pragma once

#include <vector>

#include "base/string_pool.h"
#include "model/profile.h"

namespace profgauge {

/// Moves texts from one pool to another, each once. O(1) for a known text.
class Texts {
 public:
  /// Both must outlive this.
  Texts(const Profile& profile, StringPool& pool)
      : profile_(profile), pool_(pool), known_(profile.strings.size()) {}

  /// The same text in the output's pool; invalid stays invalid.
  StringId operator()(StringId id) {
    if (!id.valid()) return {};
    StringId& known = known_[id.value];
    if (!known.valid()) known = pool_.Intern(profile_.Name(id));
    return known;
  }

 private:
  const Profile& profile_;
  StringPool& pool_;
  std::vector<StringId> known_;
};

}  // namespace profgauge
