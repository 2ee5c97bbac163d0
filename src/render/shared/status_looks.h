// The look of states, in every output: a sign and a word for each, so that color is never the only
// sign, and colors with one meaning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "render/shared/paint.h"
#include "report/report.h"

namespace profgauge::render {

using report::State;

/// The meaning of a state for the reader.
enum class Tone : std::uint8_t { kMute, kGood, kBad, kWarn };

/// Colors of text and of its background, on light paper and on dark. `name` is the CSS class, and
/// "--" before it the variable of the style sheet.
struct ToneColours {
  std::string_view name, ink, wash, dark_ink, dark_wash;
};
/// By tone. Muted states have the colors of a page's lesser texts, `--soft` and `--raised`.
inline constexpr std::array<ToneColours, 4> kToneColours = {{
    {"mute", "#57606a", "#f7f8fa", "#a0a8b2", "#1c2026"},
    {"good", "#1a7f37", "#e6f4ea", "#56c271", "#14291a"},
    {"bad", "#b3151c", "#fdeceb", "#ff8f88", "#331a1b"},
    {"warn", "#8a5300", "#fff4e0", "#f0b357", "#2f2512"},
}};

constexpr const ToneColours& ColoursOf(Tone tone) {
  return kToneColours[static_cast<std::size_t>(tone)];
}

/// For shapes, e.g. in meters.
constexpr Paint PaintOf(Tone tone) { return {ColoursOf(tone).name, ColoursOf(tone).ink, "#fff"}; }

struct StatusLook {
  std::string_view sign, word;
  Tone tone = Tone::kMute;

  /// The CSS class.
  constexpr std::string_view name() const { return ColoursOf(tone).name; }
};
/// By state.
inline constexpr std::array<StatusLook, report::kStateNames.size()> kStatusLooks = {{
    {"•", "", Tone::kMute},
    {"✓", "pass", Tone::kGood},
    {"✗", "fail", Tone::kBad},
    {"?", "no verdict", Tone::kWarn},
    {"–", "not judged", Tone::kMute},
    {"✗", "error", Tone::kBad},
    {"▲", "warning", Tone::kWarn},
    {"ℹ", "info", Tone::kMute},
    {"▲", "low confidence", Tone::kWarn},
    {"?", "missing", Tone::kWarn},
    {"?", "undecided", Tone::kWarn},
    {"–", "skipped", Tone::kMute},
    {"–", "not applicable", Tone::kMute},
    {"–", "waived", Tone::kMute},
    {"?", "broken rule", Tone::kWarn},
    {"✓", "improved", Tone::kGood},
    {"?", "inconclusive", Tone::kWarn},
}};
constexpr const StatusLook& LookOf(State state) {
  return kStatusLooks[static_cast<std::size_t>(state)];
}

/// For problems that a reader found or repaired.
constexpr StatusLook LookOf(Severity severity) {
  switch (severity) {
    case Severity::kDataLoss:
      return {"✗", "data loss", Tone::kBad};
    case Severity::kRepaired:
      return {"▲", "repaired", Tone::kWarn};
    case Severity::kSkipped:
      return {"▲", "skipped", Tone::kWarn};
    case Severity::kInfo:
      break;
  }
  return LookOf(State::kInfo);
}

/// "FAIL", "PASS", "NO VERDICT", "NOT JUDGED".
std::string VerdictWord(State verdict);

}  // namespace profgauge::render
