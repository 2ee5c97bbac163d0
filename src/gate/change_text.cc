#include "gate/change_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/format.h"
#include "gate/constants.h"
#include "knowledge/gate.h"

namespace profgauge {
namespace {

// An interval of a factor of five says nothing more by its digits.
constexpr double kFarBelow = -knowledge::kGateShownDecrease.value();
constexpr double kFarAbove = knowledge::kGateShownIncrease.value();
// Nor does a change from next to nothing, as of a baseline whose iterations are 1 ns.
constexpr double kBeyondDigits = knowledge::kGateShownChange.value();
// Digits after the point only where the interval is narrow enough for them to mean something.
constexpr double kWide = knowledge::kGateWideInterval.value();
constexpr double kRough = knowledge::kGateRoughChange.value();
// The number of places of slow iterations that are named.
constexpr std::size_t kNamedPlaces = 3;
// A start that costs less than this share of the run costs nothing.
constexpr double kNoStart = knowledge::kGateNotedStart.value();

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
  if (!is_points && change < kFarBelow) return "below " + Signed(kFarBelow, 0);
  if (!is_points && change > kFarAbove) return "over " + Signed(kFarAbove, 0);
  return Signed(change, decimals);
}

// "+7.8 % [+3.1, +12.7]"
std::string ChangeAndInterval(double change, double low, double high, bool is_points) {
  const bool is_wide = high - low >= kWide;
  const bool is_rough = is_wide && std::abs(change) >= kRough;
  const int decimals = is_wide ? 0 : 1;
  return fmt::format("{} [{}, {}]", WithUnit(Signed(change, is_rough ? 0 : 1), is_points),
                     End(low, is_points, decimals), End(high, is_points, decimals));
}

// Limits are people's numbers: "+5 %".
std::string LimitNumber(double change, bool is_points) {
  return (change < 0 ? "−" : "+") +
         WithUnit(fmt::format("{:.3g}", std::abs(change) * 100), is_points);
}

// A distance between runs: "30 %".
std::string Distance(double change) {
  const double distance = std::abs(change);
  return std::string(Over(distance)) + WithUnit(Digits(distance, distance < 0.1 ? 1 : 0), false);
}

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "3.4 times as long"
std::string Times(double times) {
  return times < 10 ? fmt::format("{:.2g} times as long", times)
                    : fmt::format("{:.0f} times as long", std::min(times, 1e6));
}

// "2, 5, 8, …"
std::string PlacesText(const stats::SlowOnes& slow) {
  std::string text;
  for (std::size_t i = 0; i < slow.places.size(); ++i) {
    if (i == kNamedPlaces) return text + ", …";
    text += (i == 0 ? "" : ", ") + std::to_string(slow.places[i]);
  }
  return text;
}

std::string Placed(const stats::SlowOnes& slow, std::string_view more) {
  const std::string places = PlacesText(slow);
  if (places.empty()) return more.empty() ? "" : fmt::format(" ({})", more);
  return fmt::format(" ({}{}{})", places, more.empty() ? "" : ": ", more);
}

// "7 of 20 iterations take 3.4 times as long (2, 5, 8, …), 1 of 100 in the baseline"
std::string SlowText(const stats::Total& total) {
  if (total.current.count == 0) return "";
  return fmt::format(": {} of {} take {}{}, {} of {} in the baseline", total.current.count,
                     Counted(total.current.of, "iteration"), Times(total.current.times),
                     Placed(total.current, ""), total.base.count, total.base.of);
}

class Sentence {
 public:
  Sentence(const stats::Comparison& comparison, const ChangeContext& context)
      : comparison_(comparison), context_(context) {}

  std::string Text() const {
    if (comparison_.by == stats::DecidedBy::kOddCandidate) return OddRun();
    if (comparison_.by == stats::DecidedBy::kTotal) return ByTotal(*comparison_.total);
    switch (comparison_.change) {
      case stats::Change::kFail:
        return comparison_.by_size ? BySize() : Measured();
      case stats::Change::kInconclusive:
        return Undecided();
      case stats::Change::kPass:
      case stats::Change::kImproved:
        return Measured();
    }
    return Measured();
  }

 private:
  std::string Limit() const {
    return LimitNumber(context_.increase_is_bad ? context_.limit : -context_.limit, false);
  }

  std::string Number(double change) const {
    const bool is_wide = comparison_.high - comparison_.low >= kWide;
    return WithUnit(Signed(change, is_wide && std::abs(change) >= kRough ? 0 : 1), false);
  }

  std::string Shift() const {
    return ChangeAndInterval(comparison_.shift, comparison_.low, comparison_.high, false);
  }

  // ", total +1.6 %", with its own result if that differs.
  std::string TotalText() const {
    if (!context_.increase_is_bad) return "";
    if (!comparison_.total) return ", total not judged";
    const stats::Total& total = *comparison_.total;
    std::string text = ", total " + RelativeChange(total.change);
    if (total.limit != context_.limit) {
      text += fmt::format(" (limit {})", LimitNumber(total.limit, false));
    }
    if (total.chance && total.verdict == stats::TotalVerdict::kPass) {
      text += ", " + ChanceText(*total.chance);
    }
    return text + HiddenText(total);
  }

  // A stall of the baseline is no excuse for others, but a total does not distinguish them.
  static std::string HiddenText(const stats::Total& total) {
    if (total.base_hides <= stats::kFarLimits * total.limit) return "";
    return fmt::format(" (the baseline's is {} longer by {} of {} that take {}: record it again)",
                       WithUnit(Digits(total.base_hides, 0), false), total.base.count,
                       Counted(total.base.of, "iteration"), Times(total.base.times));
  }

  std::string Counts() const {
    const std::string pairs =
        comparison_.pairs > 0 ? Counted(comparison_.pairs, "pair") + "; " : "";
    return pairs + fmt::format("median {} → {}; n = {} of {}; baseline: {} in {}",
                               FormatValue(Value{comparison_.base.level}, context_.unit),
                               FormatValue(Value{comparison_.current.level}, context_.unit),
                               comparison_.current.used,
                               Counted(comparison_.current.iterations, "iteration"),
                               Counted(comparison_.base.used, "iteration"),
                               Counted(comparison_.base.kept, "run"));
  }

  std::string Measured() const {
    if (comparison_.change == stats::Change::kImproved) {
      return fmt::format("improved {}{}; {}", Shift(), TotalText(), Counts());
    }
    std::string text = fmt::format("{}{}, limit {}", Shift(), TotalText(), Limit());
    if (context_.increase_is_bad) {
      text += fmt::format("; {} {} in nine of ten{}",
                          comparison_.pairs > 0 ? "these pairs see" : "this baseline sees",
                          RelativeChange(comparison_.sees), SeesMore());
    }
    return text + "; " + Counts();
  }

  // "; with 30 iterations a run: +7.5 %", where that is much less.
  std::string SeesMore() const {
    const stats::Remedy& remedy = comparison_.sees_more;
    const std::string less = RelativeChange(comparison_.sees_then);
    switch (remedy.kind) {
      case stats::Remedy::Kind::kIterations:
        return fmt::format(", with {} iterations a run {}", remedy.count, less);
      case stats::Remedy::Kind::kBaselines:
        return fmt::format(", with {} baseline runs {}", remedy.count, less);
      default:
        return {};
    }
  }

  std::string BySize() const {
    return fmt::format(
        "{}: {} of {} are {} the baseline's typical one by more than {}, though the interval is "
        "wide",
        Shift(), comparison_.slower, Counted(comparison_.current.used, "iteration"),
        context_.increase_is_bad ? "over" : "under",
        WithUnit(fmt::format("{:.3g}", context_.limit * 100), false));
  }

  std::string ByTotal(const stats::Total& total) const {
    const std::string limit = LimitNumber(total.limit, false);
    const std::string typical = "The typical iteration is " + Shift();
    switch (total.verdict) {
      case stats::TotalVerdict::kFail:
        return fmt::format("total {}, limit {}{}; {}. {}", RelativeChange(total.change), limit,
                           SlowText(total), ChanceText(*total.chance), typical);
      case stats::TotalVerdict::kByChance:
        return fmt::format("total {}, limit {}{}; {}. {}", RelativeChange(total.change), limit,
                           SlowText(total), ChanceText(*total.chance), typical);
      case stats::TotalVerdict::kBySize:
        return fmt::format(
            "total {}, over three limits{}: too few iterations to separate the program from the "
            "host. Record a second run: profgauge check A B …",
            RelativeChange(total.change), BySome(total));
      case stats::TotalVerdict::kByStart:
        return ByStart(total);
      case stats::TotalVerdict::kPass:
        break;
    }
    return Measured();
  }

  static std::string BySome(const stats::Total& total) {
    if (total.current.count == 0) return "";
    return fmt::format(", by {} of {}{}", total.current.count,
                       Counted(total.current.of, "iteration"),
                       Placed(total.current, Times(total.current.times)));
  }

  static std::string ByStart(const stats::Total& total) {
    const std::string start = total.base_start < kNoStart
                                  ? "nothing"
                                  : WithUnit(Digits(total.base_start, 0), false) + " of its total";
    return fmt::format(
        "total {} with the first {} ({}; the baseline's start costs {}): skip them with "
        "iterations.warmup, or find their cause",
        RelativeChange(total.with_start), Counted(total.start, "iteration"),
        Times(total.start_times), start);
  }

  std::string OddRun() const {
    const std::vector<stats::RunUse>& runs = comparison_.current.runs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].left_out != stats::LeftOut::kOdd || runs[i].from_others <= 0) continue;
      return fmt::format(
          "candidate run {} of {} takes {} as the others. Record it again. Without it {}, limit {}",
          i + 1, runs.size(), Times(1 + runs[i].from_others), Shift(),
          LimitNumber(context_.limit, false));
    }
    return "one of the candidate runs takes longer from start to start. Record it again. The "
           "typical iteration is " +
           Shift();
  }

  bool IsOver(double reading) const {
    if (context_.increase_is_bad) return reading > context_.limit;
    return reading < -context_.limit;
  }

  // The reading that is within the limit, where the interval by itself would have failed the run.
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
            "; runs vary too much for more iterations to help: about {} baseline runs would decide "
            "it",
            comparison_.remedy.count);
      case Kind::kPairs:
        return fmt::format("; about {} pairs would decide it", comparison_.remedy.count);
      case Kind::kNothing:
        return "; runs vary too much: record more candidate runs, or widen the limit";
      case Kind::kNone:
        return {};
    }
    return {};
  }

  std::string Undecided() const {
    if (const auto other = OtherReading()) {
      return fmt::format("undecided: {}{}, but {}: not over the limit {} throughout", Shift(),
                         TotalText(), *other, Limit());
    }
    if (comparison_.over_limit) {
      return fmt::format("undecided, probably {}: {}{}, limit {}{}",
                         context_.increase_is_bad ? "slower" : "lower", Shift(), TotalText(),
                         Limit(), Remedy());
    }
    return fmt::format("inconclusive: {}{} is within the limit {}, but {} cannot be excluded{}",
                       Shift(), TotalText(), Limit(), LimitNumber(comparison_.excluded, false),
                       Remedy());
  }

  const stats::Comparison& comparison_;
  const ChangeContext& context_;
};

void DescribeSide(const stats::SideUse& side, const std::vector<std::string>& names,
                  const std::vector<stats::Series>& series, std::string_view word,
                  std::vector<std::string>& out) {
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    const stats::RunUse& run = side.runs[i];
    if (run.left_out == stats::LeftOut::kHalfWarmup) {
      const std::size_t warmup = series[i].warmup;
      out.push_back(
          fmt::format("run {} is excluded: half of it ({}) is warm-up", names[i],
                      warmup == 1 ? "iteration 0" : fmt::format("iterations 0–{}", warmup - 1)));
    }
    if (run.left_out != stats::LeftOut::kOdd) continue;
    std::size_t odd = 0;
    for (const stats::RunUse& other : side.runs) odd += other.left_out == stats::LeftOut::kOdd;
    out.push_back(
        fmt::format("run {} is excluded: its typical iteration is {} {} than that of the "
                    "{} others",
                    names[i], Distance(run.from_others), run.from_others < 0 ? "faster" : "slower",
                    side.runs.size() - odd));
  }
  if (side.apart > 0) {
    out.push_back(fmt::format(
        "the {} {} runs differ by {}; smaller changes cannot be detected. Record {}",
        side.runs.size(), word, Distance(side.apart), side.runs.size() == 2 ? "a third" : "more"));
  }
}

// The end of every sentence that has a limit on a total, share or tail.
std::string WithChance(std::string text, const std::optional<double>& chance) {
  return chance ? text + "; " + ChanceText(*chance) : text;
}

}  // namespace

std::string IntervalEnd(double change, bool is_points) {
  return WithUnit(End(change, is_points, 1), is_points);
}

std::string ChanceText(double chance) {
  constexpr double kThousand = 1000, kHundred = 100;
  if (chance < 1 / kThousand) return "by chance in under 1 of 1000";
  if (chance < 1 / kHundred) return fmt::format("by chance in {:.0f} of 1000", chance * kThousand);
  return fmt::format("by chance in {:.0f} of 100", chance * kHundred);
}

std::string ChangeWithInterval(double change, double low, double high) {
  return ChangeAndInterval(change, low, high, false);
}

std::string RelativeChange(double change) {
  return WithUnit(Signed(change, std::abs(change) < kWide ? 1 : 0), false);
}

std::string DescribeChange(const stats::Comparison& comparison, const ChangeContext& context) {
  std::string text = Sentence(comparison, context).Text();
  if (comparison.assumed_noise > 0 && comparison.change != stats::Change::kPass) {
    text += fmt::format("; one iteration has no measurable noise: {} is assumed",
                        WithUnit(fmt::format("{:.3g}", comparison.assumed_noise * 100), false));
  }
  if (comparison.limit_below_noise) {
    text += fmt::format("; the limit is below the noise between runs ({}), expect false alarms",
                        FormatShare(comparison.noise));
  }
  return text;
}

std::string DescribeMean(const stats::Comparison& comparison, const ChangeContext& context) {
  const stats::Total& total = *comparison.total;
  std::string text = fmt::format("mean {}, limit {}{}",
                                 ChangeAndInterval(total.change, total.low, total.high, false),
                                 LimitNumber(context.limit, false), SlowText(total));
  if (total.verdict == stats::TotalVerdict::kBySize) text += "; over three limits";
  if (total.verdict == stats::TotalVerdict::kByStart) {
    text += fmt::format("; {} with the first {}", RelativeChange(total.with_start),
                        Counted(total.start, "iteration"));
  }
  return WithChance(std::move(text), total.chance);
}

std::string DescribeShare(const stats::ShareComparison& comparison, const ChangeContext& context) {
  const bool is_points = context.whole <= 0;
  const double whole = is_points ? 1 : context.whole;
  const double limit = (context.increase_is_bad ? context.limit : -context.limit) / whole;
  std::string text =
      fmt::format("{} → {} of the time, {}, limit {}", FormatShare(comparison.base),
                  FormatShare(comparison.current),
                  ChangeAndInterval((comparison.current - comparison.base) / whole,
                                    comparison.low / whole, comparison.high / whole, is_points),
                  LimitNumber(limit, is_points));
  if (comparison.change == stats::Change::kImproved) text = "improved: " + text;
  return WithChance(std::move(text), comparison.chance);
}

std::string DescribeSparse(const stats::ShareComparison& comparison, const ChangeContext& context) {
  const auto time = [&](double value) { return FormatValue(Value{value}, context.unit); };
  std::string change;
  if (context.whole > 0) {
    const auto part = [&](double value) { return value / context.whole; };
    change = fmt::format(", {}, limit {}",
                         ChangeAndInterval(part(comparison.current - comparison.base),
                                           part(comparison.low), part(comparison.high), false),
                         LimitNumber(part(context.limit), false));
  }
  std::string text = fmt::format("{} → {} per iteration{}", time(comparison.base),
                                 time(comparison.current), change);
  if (comparison.change == stats::Change::kImproved) text = "improved: " + text;
  return WithChance(std::move(text), comparison.chance);
}

std::string DescribeTail(const stats::TailComparison& comparison, const ChangeContext& context) {
  const double change = comparison.base > 0 ? comparison.current / comparison.base - 1 : 0;
  std::string text =
      fmt::format("{}, limit {}", RelativeChange(change), LimitNumber(context.limit, false));
  if (change <= context.limit) return text;
  return text + fmt::format(": {} of {} over {:.3g} × the baseline's value, {} of {} there; {}",
                            comparison.current_over, Counted(comparison.current_of, "iteration"),
                            1 + context.limit, comparison.base_over, comparison.base_of,
                            ChanceText(comparison.chance));
}

std::string DescribeValue(const stats::ValueComparison& comparison, const ChangeContext& context,
                          std::size_t baseline_runs) {
  const double limit = context.increase_is_bad ? context.limit : -context.limit;
  return fmt::format(
      "{}{}, limit {}; noise {}", comparison.change == stats::Change::kImproved ? "improved: " : "",
      ChangeAndInterval(comparison.shift, comparison.low, comparison.high, false),
      LimitNumber(limit, false),
      baseline_runs > 1 ? fmt::format("from {} baseline runs", baseline_runs) : "assumed");
}

std::vector<std::string> DescribeRuns(const stats::Comparison& comparison,
                                      const std::vector<std::string>& base_names,
                                      const std::vector<std::string>& current_names,
                                      const std::vector<stats::Series>& base,
                                      const std::vector<stats::Series>& current) {
  std::vector<std::string> out;
  DescribeSide(comparison.base, base_names, base, "baseline", out);
  DescribeSide(comparison.current, current_names, current, "candidate", out);
  return out;
}

std::string DescribeWarmup(std::string_view run, std::size_t warmup) {
  return fmt::format("{} of run {} {} excluded as warm-up",
                     warmup == 1 ? "iteration 0" : fmt::format("iterations 0–{}", warmup - 1), run,
                     warmup == 1 ? "is" : "are");
}

}  // namespace profgauge
