#include "render/shared/status_looks.h"

#include <algorithm>

namespace profgauge::render {
namespace {

/// A report without a verdict was not judged.
const StatusLook& LookOfVerdict(std::string_view status) {
  const bool is_one = status == "pass" || status == "fail" || status == "no_verdict";
  return LookOf(is_one ? status : "not_judged");
}

}  // namespace

std::string StatusWord(std::string_view status) {
  const StatusLook& look = LookOf(status);
  if (!look.word.empty()) return std::string(look.word);
  std::string word(status);
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

std::string VerdictWord(std::string_view status) {
  std::string word(LookOfVerdict(status).word);
  for (char& c : word) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return word;
}

std::string_view VerdictSign(std::string_view status) { return LookOfVerdict(status).sign; }

}  // namespace profgauge::render
