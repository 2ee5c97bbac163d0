#include "analysis/classify/host_work.h"

#include <re2/re2.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <memory>

namespace profgauge::analysis::classify {
namespace {

constexpr std::size_t kKinds = std::size(kHostWork);

// The compiled patterns of kHostWork, in the same order.
const std::array<std::unique_ptr<RE2>, kKinds>& CompiledHostWork() {
  static const auto compiled = [] {
    std::array<std::unique_ptr<RE2>, kKinds> all;
    for (std::size_t i = 0; i < kKinds; ++i) all[i] = std::make_unique<RE2>(kHostWork[i].pattern);
    return all;
  }();
  return compiled;
}

}  // namespace

const HostWork* HostWorkOf(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto& compiled = CompiledHostWork();
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (RE2::PartialMatch(name, *compiled[i])) return &kHostWork[i];
  }
  return nullptr;
}

}  // namespace profgauge::analysis::classify
