#include "render/shared/looks.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "report/labels.h"

namespace profgauge::render {

boost::json::array CategoriesForScript(std::string_view accelerator) {
  boost::json::array out;
  for (std::size_t i = 0; i < kAllCategories; ++i) {
    const Paint& paint = kCategoryColours[i].paint;
    out.push_back(boost::json::array{kCategoryInfo[i].id,
                                     report::TextFor(accelerator, kCategoryInfo[i].title),
                                     boost::json::array{paint.fill, paint.ink}, paint.name});
  }
  return out;
}

Paint CausePaintOf(Category category) {
  static constexpr std::array<std::string_view, kAllCategories> kNames = {
      "k-tc cause", "k-kn cause", "k-co cause", "k-cp cause", "k-ms cause", "k-rt cause",
      "k-dl cause", "k-hc cause", "k-ot cause", "k-an cause", "k-py cause", "k-wt cause"};
  Paint paint = kCauseColours.paint;
  paint.name = kNames[static_cast<std::size_t>(category)];
  return paint;
}

std::string VerdictWord(State verdict) {
  std::string word(LookOf(verdict).word);
  for (char& c : word) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return word;
}

namespace {

std::vector<CategoryColours> AllColours() {
  std::vector<CategoryColours> all(kCategoryColours.begin(), kCategoryColours.end());
  for (const CategoryColours& more : {kIdleColours, kCauseColours, kSavedColours}) {
    all.push_back(more);
  }
  return all;
}

bool Differs(const CategoryColours& colours) { return colours.dark_fill != colours.paint.fill; }

std::string Variables(bool dark) {
  std::string out;
  for (const CategoryColours& colours : AllColours()) {
    if (dark && !Differs(colours)) continue;
    out += fmt::format("{}--{}: {};", out.empty() ? "" : " ", colours.paint.name,
                       dark ? colours.dark_fill : colours.paint.fill);
  }
  return out;
}

// Rules for colors that differ in dark mode. Other colors are attributes of their shapes.
std::string Classes() {
  std::string out;
  for (const CategoryColours& colours : AllColours()) {
    if (!Differs(colours)) continue;
    const std::string_view name = colours.paint.name;
    out += fmt::format("{}.{} {{ fill: var(--{}); }}", out.empty() ? "" : " ", name, name);
  }
  return out;
}

std::string StateVariables(bool dark) {
  std::string inks, washes;
  for (const ToneColours& tone : kToneColours) {
    if (tone.name == ColoursOf(Tone::kMute).name) continue;
    inks += fmt::format("--{}: {}; ", tone.name, dark ? tone.dark_ink : tone.ink);
    washes += fmt::format("{}--{}-wash: {};", washes.empty() ? "" : " ", tone.name,
                          dark ? tone.dark_wash : tone.wash);
  }
  return inks + washes;
}

// Replaces the first match. A user's style sheet that has none stays unchanged.
void Replace(std::string& text, std::string_view what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
}

}  // namespace

std::string WithColours(std::string css) {
  Replace(css, "/* categories */", Variables(false));
  Replace(css, "/* dark categories */", Variables(true));
  Replace(css, "/* classes of categories */", Classes());
  Replace(css, "/* states */", StateVariables(false));
  Replace(css, "/* dark states */", StateVariables(true));
  return css;
}

}  // namespace profgauge::render
