#include "render/shared/categories.h"

#include <cstddef>

#include "report/device_text.h"

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

}  // namespace profgauge::render
