#include "render/xlsx/xlsx_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/readable.h"
#include "base/text.h"
#include "render/shared/escape.h"

namespace profgauge::render {
namespace {

constexpr std::size_t kMostCharacters = 32'767;
// Nanoseconds where they are most of a number, else microseconds.
constexpr char kMillisecondDigits[] = "[<1]0.000###;#,##0.000";
// To the byte where two decimals would say little or nothing.
constexpr char kMegabyteDigits[] = "[=0]0;[<0.1]0.000###;#,##0.00";

// `_x0041_` in a cell means the character 41; a name that holds such text must not become another.
// ECMA-376, 22.9.2.19: ST_Xstring.
bool LooksEscaped(std::string_view text) {
  if (text.size() < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_') return false;
  return std::all_of(text.begin() + 2, text.begin() + 6, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

/// How the style writes numbers; nullptr: as any cell.
const char* DigitsOf(XlsxStyle style) {
  switch (style) {
    case XlsxStyle::kDate:
      return "yyyy-mm-dd";
    case XlsxStyle::kCount:
      return "#,##0";
    case XlsxStyle::kNumber:
      return "General";
    case XlsxStyle::kMilliseconds:
      return kMillisecondDigits;
    case XlsxStyle::kPercent:
      return "0.0%";
    case XlsxStyle::kPoints:
      return "#,##0.0\" points\"";
    case XlsxStyle::kAmount:
      return "#,##0.00";
    case XlsxStyle::kMegabytes:
      return kMegabyteDigits;
    default:
      return nullptr;
  }
}

}  // namespace

XlsxUnit XlsxUnitOf(Unit unit) {
  switch (unit) {
    case Unit::kTime:
      return {1e-6, "ms", XlsxStyle::kMilliseconds};
    case Unit::kBytes:
      return {1e-6, "MB", XlsxStyle::kMegabytes};
    case Unit::kBandwidth:
      return {1e-9, "GB/s", XlsxStyle::kAmount};
    case Unit::kFlops:
      return {1e-9, "GFLOP", XlsxStyle::kAmount};
    case Unit::kFlopRate:
      return {1e-12, "TFLOP/s", XlsxStyle::kAmount};
    case Unit::kShare:
      return {1, "", XlsxStyle::kPercent};
    case Unit::kCount:
      return {1, "", XlsxStyle::kCount};
    case Unit::kNumber:
      return {1, "", XlsxStyle::kNumber};
    case Unit::kText:
    case Unit::kBool:
      break;
  }
  return {};
}

lxw_color_t XlsxColour(std::string_view fill) {
  lxw_color_t colour = 0;
  std::from_chars(fill.data() + 1, fill.data() + fill.size(), colour, 16);
  return colour;
}

XlsxStyle XlsxStyleOf(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return XlsxStyle::kGood;
    case Tone::kBad:
      return XlsxStyle::kBad;
    case Tone::kWarn:
      return XlsxStyle::kWarn;
    case Tone::kMute:
      return XlsxStyle::kMuted;
  }
  return XlsxStyle::kMuted;
}

void SetUpFormat(lxw_format* format, XlsxStyle style) {
  format_set_align(format, LXW_ALIGN_VERTICAL_TOP);
  const auto fill = [&](lxw_color_t background, lxw_color_t text) {
    format_set_bg_color(format, background);
    format_set_font_color(format, text);
    format_set_bold(format);
  };
  const auto fill_of = [&](Tone tone) {
    fill(XlsxColour(ColoursOf(tone).wash), XlsxColour(ColoursOf(tone).ink));
  };
  if (const char* digits = DigitsOf(style); digits != nullptr) {
    format_set_num_format(format, digits);
  }
  switch (style) {
    case XlsxStyle::kTitle:
      format_set_bold(format), format_set_font_size(format, 16);
      break;
    case XlsxStyle::kHeading:
      format_set_bold(format), format_set_font_size(format, 12);
      break;
    case XlsxStyle::kBold:
      format_set_bold(format);
      break;
    case XlsxStyle::kWrap:
      format_set_text_wrap(format);
      break;
    case XlsxStyle::kMuted:
      format_set_font_color(format, 0x666666);
      break;
    case XlsxStyle::kLink:
      format_set_font_color(format, 0x0563C1), format_set_underline(format, LXW_UNDERLINE_SINGLE);
      break;
    case XlsxStyle::kGood:
      fill_of(Tone::kGood);
      break;
    case XlsxStyle::kBad:
      fill_of(Tone::kBad);
      break;
    case XlsxStyle::kWarn:
      fill_of(Tone::kWarn);
      break;
    case XlsxStyle::kHead:
    case XlsxStyle::kHeadRight:
    case XlsxStyle::kHeadIndented:
      fill(0xE3E8EE, 0x1F2937);
      format_set_bottom(format, LXW_BORDER_THIN);
      if (style == XlsxStyle::kHeadRight) format_set_align(format, LXW_ALIGN_RIGHT);
      if (style == XlsxStyle::kHeadIndented) format_set_indent(format, 1);
      break;
    case XlsxStyle::kWrapIndented:
      format_set_text_wrap(format);
      [[fallthrough]];
    case XlsxStyle::kIndented:
      format_set_indent(format, 1);
      break;
    case XlsxStyle::kClipped:
      format_set_align(format, LXW_ALIGN_FILL);
      break;
    default:  // Plain, free, and those that only have digits.
      break;
  }
}

// A character beyond U+FFFF counts as two, as a spreadsheet counts. `_x0041_` is escaped; control
// characters become U+FFFD, since XML 1.0 has no place for them.
std::string XlsxText(std::string_view text) {
  const bool is_plain =
      text.size() < kMostCharacters &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (is_plain && text.find("_x") == text.npos) return std::string(text);
  const std::string valid = Readable(text);
  std::string out;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < valid.size() && characters + 8 < kMostCharacters;) {
    const std::string_view rest = std::string_view(valid).substr(i);
    const std::size_t length = std::max<std::size_t>(1, Utf8Length(rest));
    const std::string_view character = rest.substr(0, length);
    const auto byte = static_cast<unsigned char>(character[0]);
    const bool is_bad = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f ||
                        character == "\ufffe" || character == "\uffff";
    if (LooksEscaped(rest)) {
      out += "_x005F_";
      characters += 7;
    } else {
      out += is_bad ? "\ufffd" : character;
      characters += length == 4 ? 2 : 1;
    }
    i += length;
    if (characters + 8 >= kMostCharacters && i < valid.size()) out += "…";
  }
  return out;
}

std::string XlsxProse(const RichText& parts) {
  std::string out;
  for (const TextPart& part : parts) out += part.text;
  return out;
}

std::string XlsxProse(std::string_view markdown) { return XlsxProse(PartsOf(Trim(markdown))); }

std::string XlsxAdvice(const std::vector<RichText>& points) {
  std::string out;
  for (const RichText& point : points) out += (out.empty() ? "• " : "\n• ") + XlsxProse(point);
  return out;
}

std::string XlsxAddress(std::size_t row, std::size_t column) {
  std::string letters;
  for (std::size_t n = column + 1; n > 0; n = (n - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (n - 1) % 26));
  }
  return fmt::format("${}${}", letters, row + 1);
}

}  // namespace profgauge::render
