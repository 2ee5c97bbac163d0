#include "render/svg/svg_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "render/shared/escape.h"
#include "render/svg/svg_text.h"

namespace profgauge::render {
namespace {

constexpr double kLeft = 90, kRight = 34, kTop = 10, kBottom = 26;
constexpr double kSmallestBlock = 1;  // In pixels, so that no block is invisible.

struct Frame {
  double first = 0, last = 0, low = 0, high = 0;
  double width = 0, height = 0;
  double X(double time) const { return kLeft + width * (time - first) / (last - first); }
  double Y(double address) const { return kTop + height * (high - address) / (high - low); }
};

// The frame has addresses from the lowest to the highest used one. REQUIRES: there is a block.
Frame FrameOf(const BlockChart& chart) {
  Frame frame;
  frame.width = chart.width - kLeft - kRight;
  frame.height = chart.height - kTop - kBottom;
  const Block& one = chart.blocks.front();
  std::int64_t low = one.address, high = one.address + one.bytes;
  for (const Block& block : chart.blocks) {
    low = std::min(low, block.address);
    high = std::max(high, block.address + block.bytes);
  }
  frame.first = static_cast<double>(chart.begin);
  frame.last = static_cast<double>(chart.end);
  frame.low = static_cast<double>(low);
  frame.high = static_cast<double>(high);
  return frame;
}

// Lines are at multiples of the step, because the lowest address is rarely a round number.
void DrawAxes(const BlockChart& chart, const Frame& frame, std::string& out) {
  const double step = SvgAxisStep(frame.high - frame.low);
  for (double at = std::ceil(frame.low / step) * step; at <= frame.high; at += step) {
    const double y = frame.Y(at);
    out += fmt::format(
        "<path class=\"grid\" stroke=\"#ccc\" d=\"M{} {}H{}\"/><text class=\"ink\" fill=\"#444\" "
        "x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        SvgNumber(kLeft), SvgNumber(y), SvgNumber(kLeft + frame.width), SvgNumber(kLeft - 6),
        SvgNumber(y + 4), EscapeHtml(FormatCount(std::llround(at))));
  }
  const double time_step = SvgAxisStep(frame.last - frame.first);
  for (double at = std::ceil(frame.first / time_step) * time_step; at <= frame.last;
       at += time_step) {
    out += fmt::format(
        "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        SvgNumber(frame.X(at)), chart.height - 6, EscapeHtml(FormatDuration(at)));
  }
}

void DrawBlock(const Block& block, const Frame& frame, std::string& out) {
  const double x = frame.X(static_cast<double>(block.start));
  const double right = frame.X(static_cast<double>(block.end));
  const double y = frame.Y(static_cast<double>(block.address + block.bytes));
  const double bottom = frame.Y(static_cast<double>(block.address));
  out += fmt::format(
      "<rect class=\"{}\" fill=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">"
      "<title>{}</title></rect>",
      block.paint.name, block.paint.fill, SvgNumber(x), SvgNumber(y),
      SvgNumber(std::max(kSmallestBlock, right - x)),
      SvgNumber(std::max(kSmallestBlock, bottom - y)), EscapeHtml(block.title));
}

}  // namespace

std::string SvgBlocks(const BlockChart& chart) {
  if (chart.blocks.empty()) return {};
  const Frame frame = FrameOf(chart);
  if (!(frame.last > frame.first) || !(frame.high > frame.low)) return {};
  std::string out = SvgOpen(chart.width, chart.height, chart.description, "chart");
  DrawAxes(chart, frame, out);
  out += "<g stroke=\"#000\" stroke-opacity=\".35\">";  // Separates neighbors.
  for (const Block& block : chart.blocks) DrawBlock(block, frame, out);
  return out + "</g></svg>";
}

}  // namespace profgauge::render
