// How states look: a sign and a word for each, so that colour is never alone.
#pragma once

#include <array>
#include <string_view>

namespace profgauge::render::html {

struct StatusLook {
  std::string_view status, sign, word, name;  ///< `name` is the CSS class.
};
/// How a gate status, a finding's level or a verdict looks.
inline constexpr std::array<StatusLook, 18> kStatusLooks = {{
    {"pass", "✓", "pass", "good"},
    {"fail", "✗", "fail", "bad"},
    {"error", "✗", "error", "bad"},
    {"warn", "▲", "warning", "warn"},
    {"info", "ℹ", "info", "mute"},
    {"low_confidence", "▲", "low confidence", "warn"},
    {"missing", "?", "missing", "warn"},
    {"open", "?", "open", "warn"},
    {"skipped", "–", "skipped", "mute"},
    {"not_applicable", "–", "not applicable", "mute"},
    {"no_verdict", "?", "no verdict", "warn"},
    {"not_judged", "–", "not judged", "mute"},
    {"waived", "–", "waived", "mute"},
    {"broken", "?", "broken rule", "warn"},
    {"data_loss", "✗", "data loss", "bad"},
    {"repaired", "▲", "repaired", "warn"},
    {"skipped_rows", "▲", "skipped", "warn"},
    {"", "•", "", "mute"},
}};

constexpr const StatusLook& LookOf(std::string_view status) {
  for (const StatusLook& look : kStatusLooks) {
    if (look.status == status) return look;
  }
  return kStatusLooks.back();
}

}  // namespace profgauge::render::html
