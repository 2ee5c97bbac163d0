// What a template is checked against: its tags, and a report that has everything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"
#include "report/report.h"

namespace profgauge::render {

// The tags of a Mustache template, with their places: the input of CheckTemplate.

enum class TagKind : std::uint8_t { kText, kRaw, kSection, kInverted, kEnd, kPartial };

struct Tag {
  TagKind kind = TagKind::kText;
  std::string name;
  std::uint32_t line = 0, column = 0;  ///< Place of the name, 1-based, in bytes.
};

/// The tags of `text` in order, comments left out, sections balanced. `file` names it in errors.
/// Changed delimiters ({{=<% %>=}}) are not supported. Errors: kConfig "template/unclosed-tag",
/// "template/unbalanced-section", "template/unsupported-tag"; the first only.
Result<std::vector<Tag>> ScanTags(std::string_view text, const std::string& file);

/// An Error at `tag`.
Error TagError(std::string code, std::string message, const Tag& tag, const std::string& file);

// The report against which templates are checked.

/// A report with one of everything, so that every list of its view has an element.
const report::Report& SchemaReport();

}  // namespace profgauge::render
