// Questions of tests about a written document.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <regex>
#include <string>
#include <string_view>

#include "render/shared/renderer.h"
#include "report/report.h"

namespace profgauge::render::testing {

inline std::string Page(const report::Report& report) { return RenderHtml(report); }

inline std::size_t CountOf(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// With plain spaces, so that expectations can be typed.
inline std::string Plain(std::string text) {
  return std::regex_replace(text, std::regex("\u202f"), " ");
}

}  // namespace profgauge::render::testing
