#include "analysis/classify/host_work.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>

namespace profgauge::analysis::classify {
namespace {

constexpr std::size_t kKinds = std::size(kHostWork);

constexpr std::string_view kLibraryStarts[] = {
#include "knowledge/library_files.inc"
};
constexpr std::array<std::string_view, 4> kLibraryParts = {"site-packages/", "dist-packages/",
                                                           "/lib/python", "/lib64/python"};

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

bool IsLibrary(std::string_view name) {
  const auto starts = [name](std::string_view start) { return name.starts_with(start); };
  const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  return std::ranges::any_of(kLibraryStarts, starts) ||
         std::any_of(kLibraryParts.begin(), kLibraryParts.end(), has);
}

std::string_view UsersFunction(std::string_view stack) {
  const std::string_view innermost = stack.substr(0, stack.find(';'));
  while (!stack.empty()) {
    const std::size_t end = std::min(stack.find(';'), stack.size());
    const std::string_view function = stack.substr(0, end);
    if (!function.empty() && !IsLibrary(function)) return function;
    stack.remove_prefix(std::min(end + 1, stack.size()));
  }
  return innermost;
}

}  // namespace profgauge::analysis::classify
