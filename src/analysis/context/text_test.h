// A question about texts of a profile, of which most occur in many rows.
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/profile.h"

namespace profgauge::analysis::context {

/// Whether the text of `id` satisfies `test`, asked once per distinct text. For tests that keep
/// something, e.g. a compiled pattern; NameMemo (classify/name_memo.h) takes a plain function. Not
/// safe for several threads. `profile` must outlive this.
class TextTest {
 public:
  TextTest(const Profile& profile, std::function<bool(std::string_view)> test)
      : profile_(profile), test_(std::move(test)), known_(profile.strings.size(), kUnknown) {}
  bool operator()(StringId id) {
    if (!id.valid()) return false;
    char& answer = known_[id.value];
    if (answer == kUnknown) answer = test_(profile_.strings[id]) ? kYes : kNo;
    return answer == kYes;
  }

 private:
  static constexpr char kUnknown = 0, kNo = 1, kYes = 2;
  const Profile& profile_;
  std::function<bool(std::string_view)> test_;
  std::vector<char> known_;
};

}  // namespace profgauge::analysis::context
