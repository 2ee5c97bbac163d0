#include "gate/change_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>

#include "base/format.h"
#include "gate/change_numbers.h"
#include "gate/constants.h"
#include "gate/repeat.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

using change_numbers::ChangeAndInterval;
using change_numbers::ChangeNumber;
using change_numbers::Counted;
using change_numbers::Digits;
using change_numbers::LimitNumber;
using change_numbers::WithUnit;

// The limit of positions of slow iterations that are named.
constexpr std::size_t kNamedPlaces = 3;

std::string Factor(double times) {
  return times < 10 ? fmt::format("{:.2g}", times) : fmt::format("{:.0f}", std::min(times, 1e6));
}

// A factor: "3.4 times as long".
std::string Times(double times) { return Factor(times) + " times as long"; }

// The factors of slow iterations, because a mean would be that of none: "2.1 to 8.4 times as long".
std::string Times(const stats::SlowOnes& slow) {
  const std::string least = Factor(slow.least), most = Factor(slow.most);
  return fmt::format("{} times as long", least == most ? least : least + " to " + most);
}

// Positions of slow iterations: "2, 5, 8, …".
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

// "; 1 profile cannot rule out a slow machine: record again (2 profiles are needed)".
std::string AgainText(const stats::Comparison& comparison, double limit) {
  if (comparison.by == stats::DecidedBy::kOddCandidate) return {};  // It says what to do.
  const std::size_t runs = comparison.base.runs.size();
  switch (comparison.open) {
    case stats::Open::kLearning:
      return fmt::format("; against {} only changes over {} fail", Counted(runs, "baseline run"),
                         LimitNumber(stats::kFarLimits * limit, false));
    case stats::Open::kAgain:
      break;
    default:
      return {};
  }
  if (comparison.recordings >= comparison.needed) {
    return fmt::format("; {} do not confirm it: a baseline run is as slow, or a profile as fast",
                       Counted(comparison.recordings, "profile"));
  }
  return fmt::format("; {} cannot rule out a slow machine: record again ({} profiles are needed)",
                     Counted(comparison.recordings, "profile"), comparison.needed);
}

// Slow iterations: "7 of 20 iterations take 2.9 to 3.6 times as long (2, 5, …), 1 of 100 in the
// baseline".
std::string SlowText(const stats::Total& total) {
  if (total.current.count == 0) return "";
  return fmt::format(": {} of {} take {}{}, {} of {} in the baseline", total.current.count,
                     Counted(total.current.of, "iteration"), Times(total.current),
                     Placed(total.current, ""), total.base.count, total.base.of);
}

// The start: "the first 5 iterations".
std::string FirstOnes(const stats::Total& total) {
  return total.start == 1 ? "the first iteration"
                          : "the first " + Counted(total.start, "iteration");
}

std::string WithoutStart(const stats::Total& total) {
  return total.start == 0 ? std::string("without the baseline's start")
                          : "without " + FirstOnes(total);
}

// The total: "+1.6 %", or with a slow start "+225 %, without the first 5 iterations −0.1 %".
std::string AllText(const stats::Total& total) {
  if (!stats::HasStart(total)) return RelativeChange(total.change);
  return fmt::format("{}, {} {}", RelativeChange(total.all), WithoutStart(total),
                     RelativeChange(total.change));
}

// The total that exceeds three limits: that of all iterations, or else with only the excess start.
double FarTotal(const stats::Total& total) {
  return total.all > stats::kFarLimits * total.limit ? total.all : total.with_start;
}

class Sentence {
 public:
  Sentence(const stats::Comparison& comparison, const ChangeContext& context)
      : comparison_(comparison), context_(context) {}

  std::string Text() const { return Answer() + AgainText(comparison_, SignedLimit()); }

 private:
  double SignedLimit() const { return context_.increase_is_bad ? context_.limit : -context_.limit; }

  std::string Answer() const {
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

  std::string Limit() const { return LimitNumber(SignedLimit(), false); }

  std::string Number(double change) const {
    return ChangeNumber(change, comparison_.low, comparison_.high, false);
  }

  std::string Shift() const {
    return ChangeAndInterval(comparison_.shift, comparison_.low, comparison_.high, false);
  }

  // The total as a clause: ", total +1.6 %", with its own result if that differs.
  std::string TotalText() const {
    if (!context_.increase_is_bad) return "";
    if (!comparison_.total) return ", total not judged";
    const stats::Total& total = *comparison_.total;
    std::string text = ", total " + AllText(total);
    if (total.limit != context_.limit) {
      text += fmt::format(" (limit {})", LimitNumber(total.limit, false));
    }
    if (total.chance && total.verdict == stats::TotalVerdict::kPass) {
      text += ", " + ChanceText(*total.chance);
    }
    return text + HiddenText(total);
  }

  // Baseline stalls do not excuse others, but a total does not distinguish them.
  static std::string HiddenText(const stats::Total& total) {
    if (total.base_hides <= stats::kFarLimits * total.limit) return "";
    return fmt::format(" (the baseline's is {} longer by {} of {} that take {}: record it again)",
                       WithUnit(Digits(total.base_hides, 0), false), total.base.count,
                       Counted(total.base.of, "iteration"), Times(total.base));
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
    if (context_.increase_is_bad && comparison_.sees > 0) {
      text += fmt::format("; finds {} in nine of ten{}{}", RelativeChange(comparison_.sees),
                          WithProfiles(), SeesMore());
    }
    return text + "; " + Counts();
  }

  // The number of profiles that a failure within three limits needs: ", with up to 2 profiles".
  std::string WithProfiles() const {
    if (comparison_.pairs > 0) return {};
    const std::optional<std::size_t> needed = stats::NeededRecordings(comparison_.base.runs.size());
    if (!needed || *needed <= comparison_.recordings) return {};
    return fmt::format(", with up to {} profiles", *needed);
  }

  // The effect of more data, if it is large: "; with 30 iterations a run: +7.5 %".
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
        return fmt::format("total {}, over three limits{}", RelativeChange(FarTotal(total)),
                           BySome(total));
      case stats::TotalVerdict::kByStart:
        return ByStart(total);
      case stats::TotalVerdict::kPass:
        break;
    }
    return Measured();
  }

  // Names slow iterations: "iteration 5 takes". Positions only if the first profile has all.
  static std::string WhichTake(const stats::SlowOnes& slow) {
    const bool is_one = slow.count == 1;
    if (slow.places.size() != slow.count) {
      return is_one ? "an iteration takes" : fmt::format("{} iterations take", slow.count);
    }
    return fmt::format("{} {} {}", is_one ? "iteration" : "iterations", PlacesText(slow),
                       is_one ? "takes" : "take");
  }

  // Reports slow iterations with the next step: ": iteration 5 takes 4.1 times as long (1 of 12,
  // none of 36 in the baseline). Find the cause; if it was the machine, record again".
  static std::string BySome(const stats::Total& total) {
    const stats::SlowOnes& slow = total.current;
    if (slow.count == 0) return ". Record again: one of the profiles may be slower than the others";
    return fmt::format(
        ": {} {} ({} of {}, {} of {} in the baseline). Find the cause; if it was the machine, "
        "record again",
        WhichTake(slow), Times(slow), slow.count, slow.of,
        total.base.count == 0 ? "none" : std::to_string(total.base.count), total.base.of);
  }

  static std::string ByStart(const stats::Total& total) {
    const std::string start = total.base_start < stats::kNoStart
                                  ? "nothing"
                                  : WithUnit(Digits(total.base_start, 0), false) + " of its total";
    return fmt::format(
        "total {} with {} ({}{}; the baseline's start costs {}), {} without. Find the "
        "cause: compiling, cache, data",
        RelativeChange(FarTotal(total)), FirstOnes(total), total.start > 1 ? "on average " : "",
        Times(total.start_times), start, RelativeChange(total.change));
  }

  std::string OddRun() const {
    const std::vector<stats::RunUse>& runs = comparison_.current.runs;
    for (const stats::RunUse& run : runs) {
      if (run.left_out != stats::LeftOut::kOdd || run.from_others <= 0) continue;
      // The note names the run, because its number in this list would mean nothing to the reader.
      return fmt::format(
          "one of {} candidate runs takes {} as the others. Record it again. Without it {}, limit "
          "{}",
          runs.size(), Times(1 + run.from_others), Shift(), LimitNumber(context_.limit, false));
    }
    return "one of the candidate runs takes longer from start to start. Record it again. The "
           "typical iteration is " +
           Shift();
  }

  bool IsOver(double reading) const {
    if (context_.increase_is_bad) return reading > context_.limit;
    return reading < -context_.limit;
  }

  // Names the estimate that is within the limit, if only this one prevented a failure.
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
    if (comparison_.open == stats::Open::kTooFew) return NotExcluded();
    if (const auto other = OtherReading()) {
      return fmt::format("undecided: {}{}, but {}: not over the limit {} throughout", Shift(),
                         TotalText(), *other, Limit());
    }
    if (comparison_.over_limit) {
      return fmt::format("undecided, probably {}: {}{}, limit {}{}",
                         context_.increase_is_bad ? "slower" : "lower", Shift(), TotalText(),
                         Limit(), Remedy());
    }
    return NotExcluded();
  }

  std::string NotExcluded() const {
    return fmt::format("inconclusive: {}{} is within the limit {}, but {} cannot be excluded{}",
                       Shift(), TotalText(), Limit(), LimitNumber(comparison_.excluded, false),
                       Remedy());
  }

  const stats::Comparison& comparison_;
  const ChangeContext& context_;
};

// True for a share whose limit is in points.
bool IsInPoints(const ChangeContext& context) {
  return context.unit == Unit::kShare && context.whole <= 0;
}

// Adds the probability by chance to a sentence about a total, share or tail.
std::string WithChance(std::string text, const std::optional<double>& chance) {
  return chance ? text + "; " + ChanceText(*chance) : text;
}

}  // namespace

std::string DescribeChange(const stats::Comparison& comparison, const ChangeContext& context) {
  std::string text = Sentence(comparison, context).Text();
  if (comparison.assumed_noise > 0 && comparison.change != stats::Change::kPass) {
    text += fmt::format("; one iteration has no measurable noise: {} is assumed",
                        WithUnit(fmt::format("{:.3g}", comparison.assumed_noise * 100), false));
  }
  if (comparison.limit_below_noise) {
    text += fmt::format(
        "; the limit is under three times the noise between runs ({}), expect false alarms",
        FormatShare(comparison.noise));
  }
  return text;
}

std::string DescribeMean(const stats::Comparison& comparison, const ChangeContext& context) {
  const stats::Total& total = *comparison.total;
  const std::string mean = ChangeAndInterval(total.change, total.low, total.high, false);
  std::string text = fmt::format(
      "mean {}, limit {}{}",
      stats::HasStart(total)
          ? fmt::format("{}, {} {}", RelativeChange(total.all), WithoutStart(total), mean)
          : mean,
      LimitNumber(context.limit, false), SlowText(total));
  if (total.verdict == stats::TotalVerdict::kBySize) text += "; over three limits";
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
  const bool is_points = IsInPoints(context);
  const double unit = is_points ? comparison.base : 1;
  std::string text = fmt::format(
      "{}, limit {}", ChangeNumber(change * unit, change * unit, change * unit, is_points),
      LimitNumber(context.limit * unit, is_points));
  if (change <= context.limit) return text;
  return text + fmt::format(": {} of {} over {:.3g} × the baseline's value, {} of {} there; {}",
                            comparison.current_over, Counted(comparison.current_of, "iteration"),
                            1 + context.limit, comparison.base_over, comparison.base_of,
                            ChanceText(comparison.chance));
}

std::string DescribeValue(const stats::ValueComparison& comparison, const ChangeContext& context,
                          std::size_t baseline_runs) {
  const double limit = context.increase_is_bad ? context.limit : -context.limit;
  const bool is_points = IsInPoints(context);
  return fmt::format(
      "{}{}, limit {}; noise {}", comparison.change == stats::Change::kImproved ? "improved: " : "",
      ChangeAndInterval(comparison.shift, comparison.low, comparison.high, is_points),
      LimitNumber(limit, is_points),
      baseline_runs > 1 ? fmt::format("from {} baseline runs", baseline_runs) : "assumed");
}

// Sentences about the data that a comparison excluded: outlier runs and warm-up.

namespace {

using change_numbers::Distance;

void DescribeSide(const stats::SideUse& side, const std::vector<std::string>& names,
                  const std::vector<stats::Series>& series, std::string_view word,
                  std::vector<std::string>& out) {
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    const stats::RunUse& run = side.runs[i];
    if (run.left_out == stats::LeftOut::kHalfWarmup) {
      const std::size_t warmup = series[i].warmup;
      out.push_back(
          fmt::format("run {} is excluded: half of it ({}) is slower than the rest", names[i],
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

}  // namespace

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

std::string DescribeWarmup(const std::vector<stats::Series>& runs,
                           const std::vector<std::string>& names, std::string_view word) {
  std::size_t least = 0, most = 0, with = 0, last = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t warmup = runs[i].warmup;
    if (warmup == 0) continue;
    least = with == 0 ? warmup : std::min(least, warmup);
    most = std::max(most, warmup);
    last = i;
    ++with;
  }
  if (with == 0) return {};
  const std::string which = least < most ? fmt::format("the first {} to {} iterations", least, most)
                            : most == 1  ? std::string("iteration 0")
                                         : fmt::format("iterations 0–{}", most - 1);
  const bool is_one = most == 1 && with == 1;
  const std::string whose = with == 1 ? fmt::format("{} run {}", word, names[last])
                                      : fmt::format("{} {} runs", with, word);
  return fmt::format("{} of {} {} slower than the rest: the typical iteration excludes {}", which,
                     whose, is_one ? "is" : "are", is_one ? "it" : "them");
}

}  // namespace profgauge::gate
