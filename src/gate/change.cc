#include "gate/change.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "gate/constants.h"
#include "gate/estimate.h"
#include "gate/repeat.h"
#include "gate/sides.h"
#include "gate/statistics.h"

namespace profgauge::gate::stats {
namespace {

// True if a change fails by its size, whatever the interval: nearly every iteration shows it, so a
// wide interval from a few noisy iterations must not leave it undecided. It needs kLargeLimits
// limits, kLargeNoises standard deviations between runs, and 90 % of the iterations over the limit
// (80 % beyond three limits). With `certain`, it needs twice the limits and always 90 %.
bool FailsBySize(const Side& base, const Side& current, const Estimate& estimate,
                 const Limits& limits, double share_slower) {
  if (std::min(ShortestOf(base), ShortestOf(current)) < kLeastBySize) return false;
  const double least = estimate.Least();
  const double large = (limits.is_certain ? 2 : 1) * kLargeLimits * limits.limit;
  if (least <= std::max(large, kLargeNoises * std::sqrt(estimate.between))) return false;
  const bool is_far = least > limits.far && !limits.is_certain;
  return share_slower >= (is_far ? kManyIterations : kMostIterations) - 1e-9;
}

// True for equal runs, i.e. the same profile or a copy. A file may lose the last digit of a number.
bool IsSame(const Series& a, const Series& b) {
  return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](double x, double y) { return IsRounding(x, y); });
}

bool AreSame(std::span<const Series> a, std::span<const Series> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), IsSame);
}

bool HasSingle(const Side& base, const Side& current) {
  return std::min(ShortestOf(base), ShortestOf(current)) == 1;
}

// True if a candidate run was excluded as an outlier because it is slower.
bool IsOddSlow(const Side& side) {
  return std::any_of(side.uses.begin(), side.uses.end(), [](const RunUse& use) {
    return use.left_out == LeftOut::kOdd && use.from_others > 0;
  });
}

// One comparison. The constructor computes it, and Decide() judges the typical iteration
// (Verdict()), the least absolute change, outlier runs, and the total. The most severe answer
// counts. A mean is judged only by the total.
class Judge {
 public:
  Judge(std::span<const Series> baselines, std::span<const Series> candidates,
        const CompareOptions& options, const TotalSeries& totals, const EarlierSeries& earlier)
      : options_(options),
        limits_(MakeLimits(options)),
        base_(MakeSide(baselines, options, limits_)),
        current_(MakeSide(candidates, options, limits_)),
        estimate_(MakeEstimate(base_, current_, options.noise_floor)),
        earlier_(earlier) {
    out_.base = UseOf(base_, baselines);
    out_.current = UseOf(current_, candidates);
    out_.slower = CountSlower(base_, current_, limits_.limit);
    Show();
    out_.change = Verdict();
    const bool is_over = estimate_.shift > limits_.limit;
    const bool is_beyond = IsBeyondFloor(out_, options.absolute_floor);
    if (is_over && out_.change != Change::kPass && !is_beyond) out_.change = Change::kPass;
    if (options.total_limit && options.lower_is_better) JudgeTotalOf(totals);
  }

  Comparison Decide(bool is_same) {
    out_.recordings = current_.runs.size();
    if (is_same) {
      out_.change = Change::kPass;
      out_.by_size = false;
      out_.shift = 0;
      return out_;
    }
    if (options_.is_mean) {
      DecideMean(*out_.total);
    } else {
      DecideTypical();
    }
    if (options_.must_repeat) AskForRecordings();
    return out_;
  }

 private:
  void DecideTypical() {
    const bool is_over = estimate_.shift > limits_.limit;
    if (out_.change == Change::kInconclusive) {
      out_.over_limit = is_over;
      out_.remedy = ToRecord(
          FindRemedy(estimate_, Room() / estimate_.quantile, IterationsARun(), base_, current_));
    }
    if (out_.change == Change::kInconclusive && is_over) out_.open = Open::kUncertain;
    if (out_.change != Change::kFail && IsOddSlow(current_)) {
      LeaveOpen(DecidedBy::kOddCandidate, Open::kAgain);
    }
    if (out_.total) AddTotal(*out_.total);
    if (!IsTooFew()) return;
    LeaveOpen(DecidedBy::kTypical, Open::kTooFew);
    out_.excluded = Shown(limits_.too_far);
    out_.remedy =
        ToRecord(FindRemedy(estimate_, (limits_.too_far - estimate_.shift) / kTooFewErrors,
                            IterationsARun(), base_, current_));
  }

  // True if a change of four limits could easily look like this. That is neither a pass nor a mere
  // warning; only `on_inconclusive: pass` accepts it.
  bool IsTooFew() const {
    if (!options_.must_repeat) return false;
    const bool is_within =
        out_.change == Change::kPass || (out_.change == Change::kInconclusive && !out_.over_limit);
    const bool counts =
        estimate_.shift <= limits_.limit || IsBeyondFloor(out_, options_.absolute_floor);
    return is_within && counts &&
           estimate_.shift + kTooFewErrors * estimate_.Error() > limits_.too_far;
  }

  // Sets the number of profiles that decide. A failure is final only beyond three limits.
  void AskForRecordings() {
    const bool fails = out_.change == Change::kFail;
    if (!fails && out_.open == Open::kNo) return;
    out_.needed = kRecordingsForDoubt;
    if (!fails) return;
    const bool by_total = out_.by == DecidedBy::kTotal;
    if (by_total ? is_total_far_ : estimate_.shift > limits_.far) {
      out_.needed = 0;
      return;
    }
    const std::optional<std::size_t> needed = NeededRecordings(base_.runs.size());
    if (needed) out_.needed = by_total ? std::max(*needed, kRecordingsForDoubt) : *needed;
    if (!by_total) NoteRepeats(base_, current_, Judged::kTypical, limits_.limit, earlier_.runs);
    out_.recordings += slow_before_;
    if (needed && out_.recordings >= out_.needed && is_repeated_) return;
    LeaveOpen(out_.by, needed ? Open::kAgain : Open::kLearning);
  }

  // If the typical iteration fails, the probability of the total is not needed or computed.
  void JudgeTotalOf(const TotalSeries& totals) {
    const TotalOptions total{*options_.total_limit, options_.absolute_floor, limits_.is_certain,
                             options_.is_mean, !options_.is_mean && out_.change == Change::kFail};
    if (totals.base.empty() || totals.current.empty()) {
      out_.total = JudgeTotal(base_, current_, estimate_, total);
      NoteTotal(base_, current_, earlier_.runs);
      return;
    }
    const Side base = MakeSide(totals.base, options_, limits_);
    const Side current = MakeSide(totals.current, options_, limits_);
    const Estimate estimate = MakeEstimate(base, current, options_.noise_floor);
    out_.total = JudgeTotal(base, current, estimate, total);
    NoteTotal(base, current, earlier_.totals);
    // A run may be an outlier by its total even if it is none by its lengths.
    is_total_odd_ = IsOddSlow(current);
  }

  void NoteRepeats(const Side& base, const Side& current, Judged judged, double limit,
                   std::span<const Series> earlier) {
    is_repeated_ = IsRepeated(base, current, judged, limit);
    if (earlier.empty()) return;
    const Side before = MakeSide(earlier, options_, limits_);
    slow_before_ = CountSlowRecordings(base, before, judged, limit);
  }

  void NoteTotal(const Side& base, const Side& current, std::span<const Series> earlier) {
    if (out_.total->verdict != TotalVerdict::kFail) return;
    const double far = std::log1p(kFarLimits * out_.total->limit);
    const double level = Median(current.Levels()) - Median(base.Levels());
    is_total_far_ = out_.total->change > kFarLimits * out_.total->limit &&
                    (level > far || SlowStretches(current, out_.total->limit) >= kSlowStretches);
    NoteRepeats(base, current, Judged::kTotal, std::log1p(out_.total->limit), earlier);
  }

  void LeaveOpen(DecidedBy by, Open open) {
    out_.change = Change::kInconclusive;
    out_.over_limit = true;
    out_.by = by;
    out_.open = open;
  }

  // A mean is improved only if the typical iteration is faster, too; a shorter total may be chance.
  void DecideMean(const Total& total) {
    const bool is_improved = out_.change == Change::kImproved && IsShorter(total, limits_.limit);
    out_.change = is_improved ? Change::kImproved : Change::kPass;
    out_.by_size = false;
    AddTotal(total);
    if (out_.change == Change::kPass && IsOddSlow(current_)) {
      LeaveOpen(DecidedBy::kOddCandidate, Open::kAgain);
    }
  }

  // Combines the answers for typical iteration and total. The more severe one counts.
  void AddTotal(const Total& total) {
    if (out_.change == Change::kImproved && total.change > 0) out_.change = Change::kPass;
    if (out_.change == Change::kFail) return;
    if (total.verdict == TotalVerdict::kFail) {
      out_.change = Change::kFail;
      out_.over_limit = false;
      out_.open = Open::kNo;
      out_.by = DecidedBy::kTotal;
      return;
    }
    const bool is_open = out_.change == Change::kInconclusive && out_.over_limit;
    if (total.verdict != TotalVerdict::kPass && !is_open) {
      LeaveOpen(DecidedBy::kTotal,
                total.verdict == TotalVerdict::kByStart ? Open::kStart : Open::kStalls);
    }
    if (total.verdict == TotalVerdict::kPass && is_total_odd_ && !is_open) {
      LeaveOpen(DecidedBy::kOddCandidate, Open::kAgain);
    }
  }

  // Decides by three estimates (with warm-up, without it, later half) and the interval. Limit 5 %:
  //
  //                     0        5 limit                  15 far
  //     ----------------|--------|-------------------------|------->
  //     kImproved  [-x-]|        |                         |        all readings below -5, high < 0
  //     kPass         [-|-x-----]|                         |        x <= 5, high < 15
  //     kInconclusive [-|---x----|-------------------------|---]    x <= 5, but 15 is not excluded
  //     kInconclusive  [|--------|----x-----]              |        x > 5, but 0 is not excluded
  //     kInconclusive   |  [-----|---x----]                |        x > 5, but another reading <= 5
  //     kFail           |  [-----|---x----]                |        all readings > 5, low > 0
  //     kFail (certain) |        | [----x----]             |        all readings > 5, low > 5
  Change Verdict() {
    const double share = static_cast<double>(out_.slower) / static_cast<double>(out_.current.used);
    if (estimate_.Least() > limits_.limit &&
        estimate_.Low() > (limits_.is_certain ? limits_.limit : 0)) {
      return Change::kFail;
    }
    if (FailsBySize(base_, current_, estimate_, limits_, share)) {
      out_.by_size = true;
      return Change::kFail;
    }
    if (estimate_.Most() < -limits_.limit && estimate_.High() < 0) return Change::kImproved;
    if (estimate_.shift <= limits_.limit && estimate_.High() < limits_.far) return Change::kPass;
    return Change::kInconclusive;
  }

  // The distance from the estimate within which an end of the interval makes the answer undecided.
  double Room() const {
    if (estimate_.shift <= limits_.limit) return limits_.far - estimate_.shift;
    return estimate_.shift - (limits_.is_certain ? limits_.limit : 0);
  }

  std::size_t IterationsARun() const {
    return std::min(out_.base.used / out_.base.kept, out_.current.used / out_.current.kept);
  }

  // Adds the warm-up to a number of iterations, because recorded runs include it.
  Remedy ToRecord(Remedy remedy) const {
    if (remedy.kind != Remedy::Kind::kIterations) return remedy;
    const auto warm_up = [](const SideUse& side) {
      return side.iterations / side.runs.size() -
             std::min(side.iterations / side.runs.size(), side.used / side.kept);
    };
    remedy.count += static_cast<std::int64_t>(std::max(warm_up(out_.base), warm_up(out_.current)));
    return remedy;
  }

  // Converts a logarithm to a change with the sign of the values.
  double Shown(double x) const { return std::expm1(options_.lower_is_better ? x : -x); }

  void Show() {
    out_.shift = Shown(estimate_.shift);
    out_.all_iterations = Shown(estimate_.all);
    if (estimate_.later) out_.later_half = Shown(*estimate_.later);
    std::tie(out_.low, out_.high) = std::minmax({Shown(estimate_.Low()), Shown(estimate_.High())});
    out_.excluded = Shown(limits_.far);
    if (options_.must_repeat) {
      out_.sees = Shown(estimate_.Sees(limits_));
      const SeesMore more = FindSeesMore(estimate_, limits_, IterationsARun(), base_, current_);
      out_.sees_more = ToRecord(more.remedy);
      out_.sees_then = Shown(more.sees);
    }
    for (SideUse* side : {&out_.base, &out_.current}) {
      side->apart = std::expm1(side->apart);
      for (RunUse& run : side->runs) run.from_others = Shown(run.from_others);
    }
    out_.noise = estimate_.noise;
    if (HasSingle(base_, current_)) out_.assumed_noise = kSingleSpread * options_.noise_floor;
    out_.limit_below_noise = limits_.limit < 2 * std::numbers::sqrt2 * estimate_.noise;
  }

  const CompareOptions& options_;
  Limits limits_;
  Side base_, current_;
  Estimate estimate_;
  bool is_total_odd_ = false, is_total_far_ = false, is_repeated_ = false;
  std::size_t slow_before_ = 0;  // Number of equally slow earlier profiles.
  EarlierSeries earlier_;
  Comparison out_;
};

}  // namespace

std::string_view ChangeName(Change change) {
  switch (change) {
    case Change::kPass:
      return "pass";
    case Change::kFail:
      return "fail";
    case Change::kImproved:
      return "improved";
    case Change::kInconclusive:
      return "inconclusive";
  }
  return "inconclusive";
}

Comparison Compare(std::span<const Series> baselines, std::span<const Series> candidates,
                   const CompareOptions& options, const TotalSeries& totals,
                   const EarlierSeries& earlier) {
  const bool is_same = AreSame(baselines, candidates) && AreSame(totals.base, totals.current);
  return Judge(baselines, candidates, options, totals, earlier).Decide(is_same);
}

}  // namespace profgauge::gate::stats
