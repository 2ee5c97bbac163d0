#include "render/shared/categories.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "report/device_text.h"

namespace profgauge::render {
namespace {

std::vector<CategoryColours> AllColours() {
  std::vector<CategoryColours> all(kCategoryColours.begin(), kCategoryColours.end());
  all.push_back(kIdleColours);
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

std::string Classes() {
  std::string out;
  for (const CategoryColours& colours : AllColours()) {
    if (!Differs(colours)) continue;
    const std::string_view name = colours.paint.name;
    out += fmt::format("{}.{} {{ fill: var(--{}); }}", out.empty() ? "" : " ", name, name);
  }
  return out;
}

void Replace(std::string& text, std::string_view what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
}

}  // namespace

std::string WithCategoryColours(std::string css) {
  Replace(css, "/* categories */", Variables(false));
  Replace(css, "/* dark categories */", Variables(true));
  Replace(css, "/* classes of categories */", Classes());
  return css;
}

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

}  // namespace profgauge::render
