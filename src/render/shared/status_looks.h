// How states look, in every output: a sign and a word for each, so that colour is never alone, and
// colours with one meaning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "render/shared/paint.h"

namespace profgauge::render {

/// What a state means to who reads it.
enum class Tone : std::uint8_t { kMute, kGood, kBad, kWarn };

/// Of text and of what stands behind it, on light paper and on dark. `name` is the CSS class, and
/// "--" before it the variable of the style sheet.
struct ToneColours {
  std::string_view name, ink, wash, dark_ink, dark_wash;
};
/// By tone. What is mute has the colours of a page's lesser texts, `--soft` and `--raised`.
inline constexpr std::array<ToneColours, 4> kToneColours = {{
    {"mute", "#57606a", "#f7f8fa", "#a0a8b2", "#1c2026"},
    {"good", "#1a7f37", "#e6f4ea", "#56c271", "#14291a"},
    {"bad", "#b3151c", "#fdeceb", "#ff8f88", "#331a1b"},
    {"warn", "#8a5300", "#fff4e0", "#f0b357", "#2f2512"},
}};

constexpr const ToneColours& ColoursOf(Tone tone) {
  return kToneColours[static_cast<std::size_t>(tone)];
}

/// Of shapes, as in meters.
constexpr Paint PaintOf(Tone tone) { return {ColoursOf(tone).name, ColoursOf(tone).ink, "#fff"}; }

struct StatusLook {
  std::string_view status, sign, word;
  Tone tone = Tone::kMute;

  /// The CSS class.
  constexpr std::string_view name() const { return ColoursOf(tone).name; }
};
/// How a gate status, a finding's level or a verdict looks.
inline constexpr std::array<StatusLook, 18> kStatusLooks = {{
    {"pass", "✓", "pass", Tone::kGood},
    {"fail", "✗", "fail", Tone::kBad},
    {"error", "✗", "error", Tone::kBad},
    {"warn", "▲", "warning", Tone::kWarn},
    {"info", "ℹ", "info", Tone::kMute},
    {"low_confidence", "▲", "low confidence", Tone::kWarn},
    {"missing", "?", "missing", Tone::kWarn},
    {"open", "?", "open", Tone::kWarn},
    {"skipped", "–", "skipped", Tone::kMute},
    {"not_applicable", "–", "not applicable", Tone::kMute},
    {"no_verdict", "?", "no verdict", Tone::kWarn},
    {"not_judged", "–", "not judged", Tone::kMute},
    {"waived", "–", "waived", Tone::kMute},
    {"broken", "?", "broken rule", Tone::kWarn},
    {"data_loss", "✗", "data loss", Tone::kBad},
    {"repaired", "▲", "repaired", Tone::kWarn},
    {"skipped_rows", "▲", "skipped", Tone::kWarn},
    {"", "•", "", Tone::kMute},
}};

constexpr const StatusLook& LookOf(std::string_view status) {
  for (const StatusLook& look : kStatusLooks) {
    if (look.status == status) return look;
  }
  return kStatusLooks.back();
}

/// A status for people: "error", "warning", "low confidence", "not applicable", …; of what has no
/// look its own words.
std::string StatusWord(std::string_view status);

/// "FAIL", "PASS", "NO VERDICT", "NOT JUDGED".
std::string VerdictWord(std::string_view status);
/// "✗", "✓", "?", "–".
std::string_view VerdictSign(std::string_view status);

}  // namespace profgauge::render
