// Ids of a document, made unique among several.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render::html {

/// `html` with `prefix` before every id and every reference to one: id, for, aria-labelledby and
/// similar ones, and links within the document. Texts, scripts and data stay as they are.
std::string ScopeIds(std::string_view html, std::string_view prefix);

}  // namespace profgauge::render::html
