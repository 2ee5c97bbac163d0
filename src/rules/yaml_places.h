// Where the bytes of a YAML scalar are in the file, although YAML folds lines, strips indentation
// and decodes escapes, and yaml-cpp reports only where a scalar starts.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/source_text.h"
#include "rules/yaml.h"

namespace profgauge {

/// Walks the source along with the decoded text. Exact for every byte that is not a blank; blanks
/// that folding made are placed at the end of their line.
std::vector<SourceText::Run> FindPlaces(std::string_view source, const YamlNode& node);

/// Whether the quoted scalar at `offset` ends before the file does (yaml-cpp accepts it if not).
/// True for blocks.
bool IsQuoteClosed(std::string_view source, std::size_t offset);

}  // namespace profgauge
