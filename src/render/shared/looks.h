// The look of all outputs: colors, signs and words.
#pragma once

#include <array>
#include <boost/json/array.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/report.h"

namespace profgauge::render {

// Colors of charts.

/// A color with a fixed meaning. `name` is the CSS class.
struct Paint {
  std::string_view name;
  std::string_view fill;  ///< "#009E73"
  std::string_view ink;   ///< Text on top of it: "#000" or "#fff".
};

/// Colors for series without a meaning, which shapes and words distinguish as well. No category has
/// one of these colors, and all are visible on light and dark background.
inline constexpr std::array<Paint, 8> kNeutralPaints = {{
    {"s-1", "#4477AA", "#fff"},
    {"s-2", "#EE6677", "#000"},
    {"s-3", "#228833", "#fff"},
    {"s-4", "#AA9922", "#000"},
    {"s-5", "#33A3C4", "#000"},
    {"s-6", "#AA3377", "#fff"},
    {"s-7", "#888888", "#000"},
    {"s-8", "#EE7733", "#000"},
}};

// The colors of categories in all outputs. They are pale, so that only the cause in the headline
// has a strong color. Parts of the breakdown have a contrast of 3 : 1 on light and dark background.
// Ids, words and order are those of model/category.h. The timeline's script uses these colors, too.

/// `paint.name` is the CSS class. With "--" before it, it is the variable of the style sheet.
struct CategoryColours {
  Paint paint;
  std::string_view dark_fill;
};

/// The colors of each category, in the order of Category.
inline constexpr std::array<CategoryColours, kAllCategories> kCategoryColours = {{
    {{"k-tc", "#4D6579", "#fff"}, "#A9BDD0"},
    {{"k-kn", "#7089A0", "#000"}, "#7A93AB"},
    {{"k-co", "#7C6F94", "#fff"}, "#A596C2"},
    {{"k-cp", "#3F4C59", "#fff"}, "#C3CDD8"},
    {{"k-ms", "#5B6673", "#fff"}, "#9AA7B4"},
    {{"k-rt", "#6F6857", "#fff"}, "#B0A891"},
    {{"k-dl", "#8F7560", "#000"}, "#AD937B"},
    {{"k-hc", "#8C8672", "#000"}, "#8F8876"},
    {{"k-ot", "#8D949C", "#000"}, "#727A83"},
    {{"k-an", "#D9D2F0", "#000"}, "#D9D2F0"},
    {{"k-py", "#CFE3D6", "#000"}, "#CFE3D6"},
    {{"k-wt", "#8580A8", "#000"}, "#8580A8"},
}};

constexpr const Paint& PaintOf(Category category) {
  return kCategoryColours[static_cast<std::size_t>(category)].paint;
}

/// The color of the cause that the headline names, whatever its category, and of saved time.
inline constexpr CategoryColours kCauseColours = {{"cause", "#D9480F", "#000"}, "#FF7A3D"};
inline constexpr CategoryColours kSavedColours = {{"saved", "#1F8A58", "#000"}, "#47B383"};
/// The color of the cause, with the class of this category for legends.
Paint CausePaintOf(Category category);

/// The color of idle time, which is no category.
inline constexpr CategoryColours kIdleColours = {{"k-id", "#E3E3E3", "#000"}, "#3A3F46"};
inline constexpr const Paint& kIdlePaint = kIdleColours.paint;

/// The categories for the timeline's script, in order: [id, title, [fill, ink], name of the
/// variable]. Titles use the words for `accelerator`.
boost::json::array CategoriesForScript(std::string_view accelerator);

// The look of states in all outputs. Each has a sign and a word, so that color is never the only
// distinction.

using report::State;

/// What a state means to the reader.
enum class Tone : std::uint8_t { kMute, kGood, kBad, kWarn };

/// The colors of text and its background, light and dark. `name` is the CSS class. With "--" before
/// it, it is the variable of the style sheet.
struct ToneColours {
  std::string_view name, ink, wash, dark_ink, dark_wash;
};
/// The colors of each tone. Muted states have a page's secondary colors, `--soft` and `--raised`.
inline constexpr std::array<ToneColours, 4> kToneColours = {{
    {"mute", "#57606a", "#f7f8fa", "#a0a8b2", "#1c2026"},
    {"good", "#1a7f37", "#e6f4ea", "#56c271", "#14291a"},
    {"bad", "#b3151c", "#fdeceb", "#ff8f88", "#331a1b"},
    {"warn", "#8a5300", "#fff4e0", "#f0b357", "#2f2512"},
}};

constexpr const ToneColours& ColoursOf(Tone tone) {
  return kToneColours[static_cast<std::size_t>(tone)];
}

/// The color of a tone for shapes, e.g. of meters.
constexpr Paint PaintOf(Tone tone) { return {ColoursOf(tone).name, ColoursOf(tone).ink, "#fff"}; }

struct StatusLook {
  std::string_view sign, word;
  Tone tone = Tone::kMute;

  /// The CSS class of the state's tone.
  constexpr std::string_view name() const { return ColoursOf(tone).name; }
};
/// The look of each state, in the order of report::State.
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
    {"?", "caution", Tone::kMute},
    {"✓", "measured", Tone::kGood},
    {"–", "not found", Tone::kMute},
    {"–", "covered", Tone::kMute},
    {"✓", "accepted", Tone::kMute},
}};
constexpr const StatusLook& LookOf(State state) {
  return kStatusLooks[static_cast<std::size_t>(state)];
}

/// The look of a problem that a reader of profiles found or repaired.
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

/// "FAIL", "PASS", "NO VERDICT", "NOT JUDGED". Only for the head of an output, because tables use
/// the words of kStatusLooks.
std::string VerdictWord(State verdict);

// Inserts the colors of the lists above into a style sheet.

/// Replaces comments of a style sheet by colors. "/* categories */", "/* states */" and both with
/// "dark" become variables; "/* classes of categories */" becomes rules for colors that differ in
/// dark mode. A sheet without such comments stays unchanged.
std::string WithColours(std::string css);

}  // namespace profgauge::render
