#include "render/shared/status_looks.h"

namespace profgauge::render {

std::string VerdictWord(State verdict) {
  std::string word(LookOf(verdict).word);
  for (char& c : word) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return word;
}

}  // namespace profgauge::render
