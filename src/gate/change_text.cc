#include "gate/change_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/format.h"

namespace profgauge {
namespace {

// An interval of a factor of five says nothing more by its digits.
constexpr double kFarBelow = -0.8;
constexpr double kFarAbove = 4;
// Nor does a change from next to nothing, as of a baseline whose iterations are 1 ns.
constexpr double kBeyondDigits = 100;
// Digits after the point only where the interval is narrow enough for them to mean something.
constexpr double kWide = 0.25;
constexpr double kRough = 0.1;

std::string Digits(double distance, int decimals) {
  const bool is_beyond = distance > kBeyondDigits;
  return FormatNumber(std::min(distance, kBeyondDigits) * 100, is_beyond ? 0 : decimals);
}

std::string_view Over(double change) { return change > kBeyondDigits ? "over " : ""; }

std::string Signed(double change, int decimals) {
  const std::string digits = Digits(std::abs(change), decimals);
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return fmt::format("{}{}{}", Over(change), is_zero ? "" : change < 0 ? "−" : "+", digits);
}

std::string_view UnitWord(bool is_points) { return is_points ? "pp" : "%"; }

std::string WithUnit(const std::string& number, bool is_points) {
  return number + std::string(kNumberSpace) + std::string(UnitWord(is_points));
}

std::string End(double change, bool is_points, int decimals) {
  if (!is_points && change < kFarBelow) return "below −80";
  if (!is_points && change > kFarAbove) return "over +400";
  return Signed(change, decimals);
}

// Limits are people's numbers: "+5 %".
std::string LimitNumber(double change, bool is_points) {
  return (change < 0 ? "−" : "+") +
         WithUnit(fmt::format("{:.3g}", std::abs(change) * 100), is_points);
}

// A distance between runs: "30 %".
std::string Distance(double change, bool is_points) {
  const double distance = std::abs(change);
  return std::string(Over(distance)) +
         WithUnit(Digits(distance, distance < 0.1 ? 1 : 0), is_points);
}

std::string Range(std::size_t count) {
  return count == 1 ? "iteration 0 was" : fmt::format("iterations 0–{} were", count - 1);
}

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool IsRelativeShare(const ChangeContext& context) {
  return context.unit == Unit::kShare && context.whole > 0;
}

bool InPoints(const ChangeContext& context) {
  return context.unit == Unit::kShare && context.whole <= 0;
}

// The comparison with its changes in the unit in which they are said.
stats::Comparison AsSaid(stats::Comparison comparison, const ChangeContext& context) {
  if (!IsRelativeShare(context)) return comparison;
  for (double* change :
       {&comparison.shift, &comparison.low, &comparison.high, &comparison.all_iterations,
        &comparison.excluded, &comparison.noise, &comparison.assumed_noise}) {
    *change /= context.whole;
  }
  if (comparison.later_half) *comparison.later_half /= context.whole;
  return comparison;
}

class Sentence {
 public:
  Sentence(const stats::Comparison& comparison, const ChangeContext& context)
      : comparison_(AsSaid(comparison, context)),
        context_(context),
        limit_(IsRelativeShare(context) ? context.limit / context.whole : context.limit),
        is_points_(InPoints(context)) {}

  std::string Text() const {
    if (comparison_.slow.decides) return BySlowPart();
    if (comparison_.start.decides) return BySlowStart();
    switch (comparison_.change) {
      case stats::Change::kFail:
        return comparison_.by_size ? BySize() : Measured();
      case stats::Change::kInconclusive:
        return Open();
      case stats::Change::kPass:
      case stats::Change::kImproved:
        return Measured();
    }
    return Measured();
  }

 private:
  double Limit() const { return context_.increase_is_bad ? limit_ : -limit_; }

  std::string Interval() const {
    const int decimals = IsWide() ? 0 : 1;
    return fmt::format("[{}, {}]", End(comparison_.low, is_points_, decimals),
                       End(comparison_.high, is_points_, decimals));
  }

  bool IsWide() const { return comparison_.high - comparison_.low >= kWide; }

  std::string Number(double change) const {
    const bool is_rough = IsWide() && std::abs(change) >= kRough;
    return WithUnit(Signed(change, is_rough ? 0 : 1), is_points_);
  }

  std::string ChangeAndInterval() const { return Number(comparison_.shift) + " " + Interval(); }

  std::string Counts() const {
    return fmt::format("{} of {}, {} of {}", comparison_.current.used,
                       Counted(comparison_.current.iterations, "iteration"),
                       Counted(comparison_.base.kept, "run"), comparison_.base.used);
  }

  std::string Measured() const {
    return fmt::format("{}, limit {}; median {} → {}; {}", ChangeAndInterval(),
                       LimitNumber(Limit(), is_points_),
                       FormatValue(Value{comparison_.base.level}, context_.unit),
                       FormatValue(Value{comparison_.current.level}, context_.unit), Counts());
  }

  std::string BySize() const {
    return fmt::format(
        "{}: the interval {} is wide, but {} of {} are {} the baseline's typical one by more than "
        "{}",
        Number(comparison_.shift), Interval(), comparison_.slower,
        Counted(comparison_.current.used, "iteration"), context_.increase_is_bad ? "over" : "under",
        WithUnit(fmt::format("{:.3g}", limit_ * 100), is_points_));
  }

  std::string BySlowPart() const {
    const std::string exit = context_.judges && comparison_.over_limit ? "; exit 3" : "";
    return fmt::format(
        "{} on average, though the typical iteration changes by {}: {} of {} are over the "
        "baseline's typical one by more than {}, {} of {} in the baseline{}{}",
        Number(comparison_.slow.mean), Number(comparison_.shift), comparison_.slow.current,
        Counted(comparison_.current.used, "iteration"),
        WithUnit(fmt::format("{:.3g}", comparison_.slow.bound * 100), is_points_),
        comparison_.slow.base, comparison_.base.used,
        comparison_.slow.at_end       ? "; they are the last ones in a row"
        : comparison_.slow.longer > 0 ? fmt::format(", and the typical one of them takes {} longer",
                                                    Distance(comparison_.slow.longer, is_points_))
                                      : "",
        exit);
  }

  std::string BySlowStart() const {
    return fmt::format(
        "{} with all iterations, {} without the {} at the start that look like warm-up: the "
        "baseline has none such; `iterations.warmup` skips what is known to warm up{}",
        Number(comparison_.start.mean), Number(comparison_.shift),
        Counted(comparison_.start.iterations, "iteration"), context_.judges ? "; exit 3" : "");
  }

  bool IsOver(double reading) const {
    if (context_.increase_is_bad) return reading > limit_;
    const bool adds_up = context_.unit == Unit::kShare;
    const double bound = adds_up ? -limit_ : -limit_ / (1 + limit_);
    return reading < bound;
  }

  // The reading that is not over the limit, where the interval alone would have failed the run.
  std::optional<std::string> OtherReading() const {
    const bool excludes_zero =
        context_.increase_is_bad ? comparison_.low > 0 : comparison_.high < 0;
    if (!comparison_.over_limit || !excludes_zero) return std::nullopt;
    if (comparison_.later_half && !IsOver(*comparison_.later_half)) {
      return Number(*comparison_.later_half) + " in the later half";
    }
    if (!IsOver(comparison_.all_iterations)) {
      return Number(comparison_.all_iterations) + " with all iterations";
    }
    return std::nullopt;
  }

  std::string Remedy() const {
    using Kind = stats::Remedy::Kind;
    switch (comparison_.remedy.kind) {
      case Kind::kIterations:
        return fmt::format("; about {} iterations a run would decide it", comparison_.remedy.count);
      case Kind::kBaselines:
        return fmt::format(
            "; runs differ too much for more iterations to help: about {} baseline runs would "
            "decide it",
            comparison_.remedy.count);
      case Kind::kNothing:
        return "; runs differ too much to decide it: record several candidate runs, or widen the "
               "limit";
      case Kind::kNone:
        return {};
    }
    return {};
  }

  std::string Open() const {
    const std::string exit = context_.judges && comparison_.over_limit ? "; exit 3" : "";
    if (const auto other = OtherReading()) {
      return fmt::format("{}, but {}: not over the limit throughout{}", Number(comparison_.shift),
                         *other, exit);
    }
    if (comparison_.over_limit) {
      const std::string_view word = context_.unit == Unit::kShare ? "worse"
                                    : context_.increase_is_bad    ? "slower"
                                                                  : "lower";
      return fmt::format("probably {}: {}{}{}", word, ChangeAndInterval(), exit, Remedy());
    }
    return fmt::format("{}: within the limit, but {} cannot be excluded{}", ChangeAndInterval(),
                       LimitNumber(comparison_.excluded, is_points_), Remedy());
  }

  stats::Comparison comparison_;
  const ChangeContext& context_;
  double limit_;
  bool is_points_;
};

void DescribeSide(const stats::SideUse& side, const std::vector<std::string>& names,
                  const std::vector<stats::Series>& series, std::string_view word, bool is_points,
                  std::vector<std::string>& out) {
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    const stats::RunUse& run = side.runs[i];
    if (run.left_out == stats::LeftOut::kHalfWarmup) {
      const std::size_t warmup = series[i].warmup;
      out.push_back(
          fmt::format("run {} was left out: half of it ({}) is warm-up", names[i],
                      warmup == 1 ? "iteration 0" : fmt::format("iterations 0–{}", warmup - 1)));
    }
    if (run.left_out != stats::LeftOut::kOdd) continue;
    const std::string_view direction = is_points ? (run.from_others < 0 ? "below" : "above")
                                       : run.from_others < 0 ? "faster than"
                                                             : "slower than";
    std::size_t odd = 0;
    for (const stats::RunUse& other : side.runs) odd += other.left_out == stats::LeftOut::kOdd;
    out.push_back(fmt::format(
        "run {} was left out: its typical iteration is {} {} that of the {} "
        "others",
        names[i], Distance(run.from_others, is_points), direction, side.runs.size() - odd));
  }
  if (side.apart > 0) {
    out.push_back(
        fmt::format("the {} {} runs differ by {}: no change below that can be certain; record {}",
                    side.runs.size(), word, Distance(side.apart, is_points),
                    side.runs.size() == 2 ? "a third" : "more"));
  }
}

}  // namespace

std::string IntervalEnd(double change, bool is_points) {
  return WithUnit(End(change, is_points, 1), is_points);
}

std::string DescribeChange(const stats::Comparison& comparison, const ChangeContext& context) {
  std::string text = Sentence(comparison, context).Text();
  const stats::Comparison said = AsSaid(comparison, context);
  if (said.assumed_noise > 0 && comparison.change != stats::Change::kPass) {
    const bool is_points = InPoints(context);
    text += fmt::format("; one iteration says nothing of its noise: {} assumed",
                        WithUnit(fmt::format("{:.3g}", said.assumed_noise * 100), is_points));
  }
  if (comparison.limit_below_noise) {
    text += fmt::format("; the limit is below the noise between runs ({}), expect false alarms",
                        FormatShare(said.noise));
  }
  return text;
}

std::vector<std::string> DescribeRuns(const stats::Comparison& comparison,
                                      const std::vector<std::string>& base_names,
                                      const std::vector<std::string>& current_names,
                                      const std::vector<stats::Series>& base,
                                      const std::vector<stats::Series>& current, Unit unit) {
  std::vector<std::string> out;
  const bool is_points = unit == Unit::kShare;
  DescribeSide(comparison.base, base_names, base, "baseline", is_points, out);
  DescribeSide(comparison.current, current_names, current, "candidate", is_points, out);
  return out;
}

std::string DescribeWarmup(std::string_view run, std::size_t warmup) {
  return fmt::format("{} left out as warm-up of run {}", Range(warmup), run);
}

}  // namespace profgauge
