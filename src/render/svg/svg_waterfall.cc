// The waterfall chart: a bar for the base, one for each category that changed, hung where the one
// before ends, and one for the current run. Sign, arrow and place show the direction; color only
// repeats it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "render/shared/change.h"
#include "render/shared/escape.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

constexpr double kWidth = 900, kRow = 30, kBar = 18, kLeft = 210, kRight = 120, kTop = 8;
constexpr std::size_t kNameCharacters = 26;

// Position of a time. Small changes of a long iteration would be invisible on an axis from 0.
class Scale {
 public:
  explicit Scale(const std::vector<ChangeBar>& bars) {
    double low = 1e300, high = 0;
    for (const ChangeBar& bar : bars) {
      high = std::max({high, static_cast<double>(bar.from), static_cast<double>(bar.to)});
      low = std::min(low, static_cast<double>(bar.to));
      if (!bar.is_total) low = std::min(low, static_cast<double>(bar.from));
    }
    constexpr double kLeastRange = 0.25, kRoom = 0.4;
    if (high > 0 && high - low < kLeastRange * high) start_ = low - kRoom * (high - low);
    end_ = std::max(high, start_ + 1);
  }
  double At(double time) const {
    const double share = (std::max(time, start_) - start_) / (end_ - start_);
    return kLeft + share * (kWidth - kLeft - kRight);
  }
  double start() const { return start_; }

 private:
  double start_ = 0, end_ = 1;
};

std::string Number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string LabelOf(const ChangeBar& bar) {
  if (bar.is_total) return FormatDuration(static_cast<double>(bar.to));
  return (bar.to > bar.from ? "▲ " : "▼ ") + DeltaText(bar.to - bar.from);
}

std::string DrawBar(const ChangeBar& bar, const Scale& scale, double y) {
  const auto from = static_cast<double>(bar.is_total ? 0 : std::min(bar.from, bar.to));
  const auto to = static_cast<double>(std::max(bar.from, bar.to));
  const double x = scale.At(from);
  const double width = std::max(1.0, scale.At(to) - x);
  const std::string_view name = bar.is_total ? "k-ot" : bar.to > bar.from ? "k-up" : "k-dn";
  const std::string_view fill = bar.is_total        ? "#B3B3B3"
                                : bar.to > bar.from ? "#D55E00"
                                                    : "#0072B2";
  return fmt::format(
      "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
      "<rect class=\"{}\" fill=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">"
      "<title>{}: {}</title></rect>"
      "<text class=\"halo\" fill=\"#222\" x=\"{}\" y=\"{}\">{}</text>",
      Number(kLeft - 8), Number(y + 14), EscapeHtml(ElideMiddle(bar.title, kNameCharacters)), name,
      fill, Number(x), Number(y), Number(width), Number(kBar), EscapeHtml(bar.title), LabelOf(bar),
      Number(x + width + 6), Number(y + 14), LabelOf(bar));
}

}  // namespace

// A thin line leads from the end of each bar to the next one, which begins there:
//
//   before      |================|
//   data loader             |####|   ▼
//   kernels                 |##|     ▲
//   after       |==============|
std::string SvgWaterfall(const report::Comparison& comparison) {
  const std::vector<ChangeBar> bars = WaterfallBars(comparison);
  if (bars.size() < 3) return {};
  const Scale scale(bars);
  const double foot = scale.start() > 0 ? 20 : 0;
  const double height = kTop + kRow * static_cast<double>(bars.size()) + foot;
  std::string description =
      fmt::format("Waterfall from {} to {}", LabelOf(bars.front()), LabelOf(bars.back()));
  for (std::size_t i = 1; i + 1 < bars.size(); ++i) {
    description += fmt::format("; {} {}", bars[i].title, DeltaText(bars[i].to - bars[i].from));
  }
  std::string out = fmt::format(
      "<svg class=\"chart\" role=\"img\" aria-label=\"{0}\" width=\"{1}\" height=\"{2}\" "
      "viewBox=\"0 0 {1} {2}\" font-family=\"system-ui,sans-serif\" font-size=\"12\">",
      EscapeHtml(description), Number(kWidth), Number(height));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = kTop + kRow * static_cast<double>(i);
    if (i + 1 < bars.size()) {
      out += fmt::format("<path class=\"grid\" stroke=\"#999\" d=\"M{} {}V{}\"/>",
                         Number(scale.At(static_cast<double>(bars[i].to))), Number(y + kBar),
                         Number(y + kRow));
    }
    out += DrawBar(bars[i], scale, y);
  }
  if (scale.start() > 0) {
    out += fmt::format(
        "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\">the axis begins at {}, not at "
        "0</text>",
        Number(kLeft), Number(height - 6), FormatDuration(scale.start()));
  }
  return out + "</svg>";
}

}  // namespace profgauge::render
