// The form of a workbook's contents: styles of cells, a number format per unit, text that a cell
// can hold.
#pragma once

#include <xlsxwriter.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/rich_text.h"
#include "base/units.h"
#include "render/shared/looks.h"

namespace profgauge::render {

enum class XlsxStyle : std::uint8_t {
  kPlain,
  kTitle,
  kHeading,
  kBold,
  kWrap,  ///< Text of several lines, from the top of its cell.
  kMuted,
  kLink,
  kDate,
  kCount,
  kNumber,
  kMilliseconds,
  kPercent,
  kPoints,  ///< Differences of percentages.
  kAmount,
  kMegabytes,
  kGood,
  kBad,
  kWarn,
  kHead,
  kHeadRight,
  kHeadIndented,
  kIndented,  ///< Text after a number, with a space between them.
  kWrapIndented,
  kClipped,  ///< Text that stays in its cell.
  kFree,     ///< Text that may run over its neighbors and widens no column.
};

/// How a unit is written: times in ms, sizes in MB, work in GFLOP, rates in GB/s and TFLOP/s; the
/// rest as it is.
struct XlsxUnit {
  double factor = 1;
  std::string_view name;  ///< For the head of a column: "ms"; empty: none.
  XlsxStyle style = XlsxStyle::kPlain;
};
XlsxUnit XlsxUnitOf(Unit unit);

/// "#1a7f37" as the library takes it.
lxw_color_t XlsxColour(std::string_view fill);

/// For a state's word.
XlsxStyle XlsxStyleOf(Tone tone);

/// Writes `style` into a format of the library.
void SetUpFormat(lxw_format* format, XlsxStyle style);

/// Text with its Markdown taken out: code without its backticks, list items with "•".
std::string XlsxProse(std::string_view markdown);
/// The same of texts that have their parts, and of points of a list.
std::string XlsxProse(const RichText& parts);
std::string XlsxAdvice(const std::vector<RichText>& points);

/// Text that a cell can hold: valid UTF-8 and XML, at most 32 767 characters.
std::string XlsxText(std::string_view text);

/// "$B$7" with `column` and `row` counted from 0.
std::string XlsxAddress(std::size_t row, std::size_t column);

}  // namespace profgauge::render
