#include "render/shared/gzip.h"

#include "base/gzip.h"

namespace profgauge::render {

std::string Gzip(const std::string& bytes) {
  // A page without a timeline has a budget of kilobytes.
  constexpr std::size_t kLittle = 1'000'000;
  return profgauge::Gzip(bytes, bytes.size() < kLittle ? Effort::kSmallest : Effort::kSmall);
}

}  // namespace profgauge::render
