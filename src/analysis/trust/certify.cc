#include "analysis/trust/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/time_columns.h"
#include "analysis/communication/clocks.h"
#include "analysis/iterations/markers.h"
#include "analysis/iterations/observed.h"
#include "analysis/trust/judged_steps.h"
#include "analysis/trust/unrecorded.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "base/whole.h"
#include "knowledge/loss.h"
#include "knowledge/unrecorded.h"
#include "model/run_side.h"

namespace profgauge::analysis::trust {
namespace {

using Check = CertificateCheck;
using Texts = std::vector<std::string>;

std::string CountText(std::int64_t count) { return FormatCount(count); }

/// Computes the checks from their inputs.
class Certifier {
 public:
  Certifier(std::span<const iterations::RankContext> ranks, const Analysis& analysis)
      : ranks_(ranks), analysis_(analysis) {
    for (const iterations::RankContext& rank : ranks) log_.Merge(rank.profile->log);
  }

  std::vector<Check> All() const;

 private:
  std::int64_t Count(Counter counter) const { return static_cast<std::int64_t>(log_[counter]); }
  double ValueOf(MetricId id) const {
    const Metric* metric = analysis_.Find(id);
    return metric == nullptr ? 0 : AsNumber(metric->value, 0);
  }
  const Remark* RemarkOf(std::string_view id) const {
    const auto found = std::ranges::find(analysis_.remarks, id, &Remark::id);
    return found == analysis_.remarks.end() ? nullptr : &*found;
  }
  bool IsOfPyTorch() const {
    return std::ranges::any_of(ranks_, [](const iterations::RankContext& rank) {
      return rank.profile->source.framework == "pytorch";
    });
  }
  std::int64_t KinetosWarnings() const {
    std::int64_t count = 0;
    for (const std::string& example : log_.Examples(Counter::events_dropped)) {
      if (example.starts_with(kKinetosLog)) ++count;
    }
    return count;
  }

  /// Sets the state, and a text, if one of these counters is above zero. If several are, the first
  /// counts for kLost, else the last. A check that is lost stays unchanged.
  Check OfCounters(Check check, CheckState state, std::initializer_list<Counter> counters) const;
  /// Like OfCounters(), for one counter, with the text of its first example.
  Check OfExample(Check check, CheckState state, Counter counter) const;
  /// Sets the state, and its text, if one of these remarks exists.
  Check OfRemarks(Check check, CheckState state,
                  std::initializer_list<std::string_view> remarks) const;

  Check Readable() const;
  Check Dropped() const;
  Check KinetoLog() const;
  Check LostKernels() const;
  Check SessionStart() const;
  Check Names() const;
  Check Overhead() const;
  Check Markers() const;
  Check FewIterations() const;
  Check Ranks() const;
  Check Switches() const;
  Check Errors() const;

  std::span<const iterations::RankContext> ranks_;
  const Analysis& analysis_;
  ImportLog log_;
};

Check Certifier::OfCounters(Check check, CheckState state,
                            std::initializer_list<Counter> counters) const {
  for (const Counter counter : counters) {
    const std::int64_t count = Count(counter);
    if (count == 0 || check.state == CheckState::kLost) continue;
    check.state = state;
    check.count = count;
    check.text = CountedText(counter, log_[counter]);
  }
  return check;
}

Check Certifier::OfExample(Check check, CheckState state, Counter counter) const {
  check = OfCounters(std::move(check), state, {counter});
  const std::vector<std::string>& examples = log_.Examples(counter);
  if (Count(counter) > 0 && !examples.empty()) check.text = examples.front();
  return check;
}

Check Certifier::OfRemarks(Check check, CheckState state,
                           std::initializer_list<std::string_view> remarks) const {
  for (const std::string_view id : remarks) {
    const Remark* remark = RemarkOf(id);
    if (remark == nullptr || check.state == CheckState::kLost) continue;
    check.state = state;
    check.text = remark->text;
  }
  return check;
}

// The check is lost if rows are unusable or sampled. Unreadable events only raise a doubt, and only
// if they are more than one in a hundred.
Check Certifier::Readable() const {
  Check check{"readable", "Events are readable"};
  // Later versions are read by names, so only a missing name raises a doubt.
  check = OfExample(std::move(check), CheckState::kOk, Counter::version_untested);
  check = OfExample(std::move(check), CheckState::kDoubt, Counter::columns_unknown);
  check = OfCounters(std::move(check), CheckState::kLost,
                     {Counter::events_too_long, Counter::rows_unusable, Counter::rows_sampled});
  check.affects = {"idle", "kernels", "time"};
  if (check.state != CheckState::kOk) return check;
  check.count = Count(Counter::events_unreadable) + Count(Counter::events_bad_time);
  check.of = Count(Counter::events_read) + check.count;
  if (check.count > 0) {
    check.text =
        fmt::format("{} of {} events cannot be used", CountText(check.count), CountText(check.of));
    if (check.count > knowledge::kLossUnusableShare.Of(check.of)) check.state = CheckState::kDoubt;
  }
  return check;
}

// Readers also count lost launches and Kineto's warnings as dropped events. Both have separate
// checks, so only other losses count here.
Check Certifier::Dropped() const {
  Check check{"events-dropped", "The profiler dropped no events"};
  check.affects = {"idle", "kernels", "communication"};
  check.advice = "Record fewer iterations, or with a larger buffer.";
  check = OfCounters(std::move(check), CheckState::kLost, {Counter::rows_missing});
  std::int64_t lost = 0;  // Counted by a separate check.
  for (const iterations::RankContext& rank : ranks_) lost += rank.iterations.launches_lost;
  const bool has_other = Count(Counter::events_dropped) > lost && KinetosWarnings() == 0;
  if (!has_other) return check;
  return OfCounters(std::move(check), CheckState::kLost, {Counter::events_dropped});
}

Check Certifier::KinetoLog() const {
  Check check{"profiler-log", "Kineto's own log has no warning of lost activity"};
  check.affects = {"idle", "kernels", "communication"};
  if (!IsOfPyTorch()) {
    check.state = CheckState::kUnknown;
    check.text = "the format has no such log";
    return check;
  }
  check.count = KinetosWarnings();
  if (check.count == 0) return check;
  check.state = CheckState::kLost;
  check.text = fmt::format("Kineto's log has {} that activity was dropped",
                           check.count == 1 ? "a warning" : CountText(check.count) + " warnings");
  check.advice = "Record fewer iterations.";
  return check;
}

// The check is lost from one launch in twenty on; fewer raise a doubt. The text shows how much
// smaller the idle time may be.
Check Certifier::LostKernels() const {
  Check check{"kernels-lost", "Launches have their kernels"};
  check.affects = {"idle", "kernels"};
  bool has_calls = false;
  for (const iterations::RankContext& rank : ranks_) {
    check.count += rank.iterations.launches_lost;
    check.of += rank.iterations.launches_made;
    has_calls = has_calls || rank.iterations.launches_made > 0 || rank.profile->api.size() > 0;
  }
  if (!has_calls && Count(Counter::launches_without_device_event) == 0) {
    check.state = CheckState::kUnknown;
    check.text = "launches were not recorded";
    return check;
  }
  if (check.count == 0) return check;
  const bool is_lost = check.count >= knowledge::kLossVerdictShare.Of(check.of);
  check.state = is_lost ? CheckState::kLost : CheckState::kDoubt;
  check.text = fmt::format("{} of {} launches have no usable kernel", CountText(check.count),
                           CountText(check.of));
  const Metric* idle = analysis_.Find(metric::kGpuIdleMean);
  if (idle != nullptr && idle->may_be && !IsAbsent(idle->value)) {
    const double less = AsNumber(idle->value, 0) - *idle->may_be;
    if (less > 0) {
      check.text += fmt::format("; idle time may be {} points less", FormatNumber(less * 100, 1));
    }
  }
  check.advice = "Record fewer iterations, or with a larger buffer.";
  return check;
}

// Always ok: affected iterations were removed already.
Check Certifier::SessionStart() const {
  Check check{"session-start", "The first iterations have their kernels"};
  for (const iterations::RankContext& rank : ranks_)
    check.count += rank.iterations.dropped_at_start;
  if (check.count > 0) {
    check.text =
        fmt::format("{} at the start {} left out: most kernels are missing in {}",
                    check.count == 1 ? "1 iteration" : CountText(check.count) + " iterations",
                    check.count == 1 ? "is" : "are", check.count == 1 ? "it" : "them");
  }
  return check;
}

Check Certifier::Names() const {
  Check check =
      OfCounters({"names", "Kernels have names"}, CheckState::kLost, {Counter::kernels_unnamed});
  check.affects = {"names", "kernels"};
  if (check.state != CheckState::kOk) return check;
  return OfCounters(std::move(check), CheckState::kDoubt, {Counter::graph_kernels_hidden});
}

// Times in which the profiler stops the program are excluded from all metrics, so a large share
// only raises a doubt: the rest may not be typical.
Check Certifier::Overhead() const {
  Check check{"profiler-overhead", "The profiler does not stop the program"};
  check.affects = {"time", "idle"};
  Ns hidden = 0, all = 0;
  for (const iterations::RankContext& rank : ranks_) {
    hidden += Length(rank.unobserved) - rank.captured;
    all += rank.window().length();
  }
  if (hidden == 0 || all <= 0) return check;
  const double share = static_cast<double>(hidden) / static_cast<double>(all);
  check.text = fmt::format("the profiler itself takes {} of the window, which no number counts",
                           FormatShare(share));
  if (share >= knowledge::kUnrecordedHiddenShare) check.state = CheckState::kDoubt;
  return check;
}

Check Certifier::Markers() const {
  Check check = OfRemarks({"markers", "Iterations are marked"}, CheckState::kLost,
                          {iterations::kMarkersDisplaced, iterations::kIterationsPartial,
                           iterations::kProcessesApart, iterations::kRanksWithoutMarkers});
  check.affects = {"time", "idle"};
  if (check.state != CheckState::kOk) return check;
  const bool is_whole = std::ranges::any_of(
      ranks_, [](const iterations::RankContext& rank) { return rank.iterations.is_whole; });
  if (is_whole) {
    check.state = CheckState::kUnknown;
    check.text = "no markers: the whole profile counts as one iteration";
  }
  return check;
}

// The state is unknown instead of doubt: the times are correct, but their variation is unknown,
// unless unrecorded iterations show it.
Check Certifier::FewIterations() const {
  Check check{"iterations", "Enough iterations to know their spread"};
  check.count = analysis_.iterations_selected;
  const bool is_few = check.count < ranks_.front().knowledge.thresholds.iterations_confident_least;
  if (!is_few || analysis_.steps != nullptr) return check;
  check.state = CheckState::kUnknown;
  check.text = fmt::format("{} {}: their spread is unknown", check.count,
                           check.count == 1 ? "iteration" : "iterations");
  check.advice =
      "Raise `active` in the profiler's schedule, or give the times of unrecorded "
      "iterations.";
  return check;
}

// If a rank is unreadable or of another run, ranks cannot be compared. A missing one only raises a
// doubt, since all others can still be judged.
Check Certifier::Ranks() const {
  Check check = OfCounters({"ranks", "All ranks are there"}, CheckState::kLost,
                           {Counter::ranks_unreadable, Counter::gpus_unknown});
  check.affects = {"communication", "time"};
  check = OfRemarks(std::move(check), CheckState::kLost,
                    {communication::kRanksApart, iterations::kRanksWithoutWork});
  const auto missing = static_cast<std::int64_t>(ValueOf(metric::kProfileRanksMissing));
  if (check.state != CheckState::kOk || missing == 0) return check;
  check.state = CheckState::kDoubt;
  check.count = missing;
  check.of = missing + static_cast<std::int64_t>(ranks_.size());
  check.text = fmt::format("{} of {} ranks are missing", CountText(missing), CountText(check.of));
  return check;
}

// The slowdown is only known with unrecorded iterations.
Check Certifier::Switches() const {
  Check check{"profiler-options", "The profiler records nothing that slows much"};
  check.affects = {"time", "idle"};
  for (const iterations::RankContext& rank : ranks_) {
    for (const auto& [key, value] : rank.profile->facts) {
      if ((key != "with_stack" && key != "profile_memory") || value != "1") continue;
      check.text = fmt::format("recorded with `{}`", key);
      if (analysis_.steps == nullptr) check.state = CheckState::kDoubt;
    }
  }
  return check;
}

// Failed calls and inconsistent sums are reported, but do not affect trust.
Check Certifier::Errors() const {
  Check check{"errors", "Calls returned no errors, and sums agree"};
  Check counted = OfCounters(check, CheckState::kOk,
                             {Counter::api_errors, Counter::own_totals_differ,
                              Counter::identities_broken, Counter::aggregates_differ});
  return counted;
}

std::vector<Check> Certifier::All() const {
  const auto affecting = [](Check check, Texts affects) {
    check.affects = std::move(affects);
    return check;
  };
  std::vector<Check> checks;
  checks.push_back(affecting(OfCounters({"complete", "The file is complete"}, CheckState::kLost,
                                        {Counter::truncated, Counter::traces_behind}),
                             {"time", "idle", "kernels", "communication"}));
  checks.push_back(Readable());
  checks.push_back(Dropped());
  checks.push_back(KinetoLog());
  checks.push_back(LostKernels());
  checks.push_back(SessionStart());
  checks.push_back(affecting(OfRemarks({"iterations-lost", "Iterations have kernels"},
                                       CheckState::kLost, {iterations::kIterationsLost}),
                             {"time", "idle", "kernels"}));
  checks.push_back(affecting(OfCounters({"copies", "Copies are recorded"}, CheckState::kDoubt,
                                        {Counter::copies_not_recorded}),
                             {"idle"}));
  checks.push_back(affecting(OfRemarks(OfCounters({"clocks", "Clocks of host and device agree"},
                                                  CheckState::kLost, {Counter::work_before_launch}),
                                       CheckState::kDoubt, {"clocks-apart"}),
                             {"idle"}));
  checks.push_back(
      affecting(OfRemarks(OfCounters({"times", "Times of kernels are exact"}, CheckState::kLost,
                                     {Counter::work_overlapping, Counter::kernels_serialized}),
                          CheckState::kDoubt, {"times-impossible", "time-resolution"}),
                {"kernels", "time"}));
  checks.push_back(Names());
  checks.push_back(affecting(OfRemarks({"outside", "Work is inside of iterations"},
                                       CheckState::kLost, {iterations::kWorkOutside}),
                             {"time", "idle", "kernels"}));
  checks.push_back(Overhead());
  checks.push_back(Markers());
  checks.push_back(FewIterations());
  checks.push_back(affecting(OfRemarks(Ranks(), CheckState::kLost, {"collectives-lost"}),
                             {"communication", "time"}));
  checks.push_back(affecting(OfCounters({"other-processes", "No other process uses the device"},
                                        CheckState::kDoubt, {Counter::work_of_other_processes}),
                             {"idle", "kernels"}));
  checks.push_back(Switches());
  CertifySteps(ranks_, analysis_, checks);
  checks.push_back(Errors());
  return checks;
}

}  // namespace

Certificate CertifyRun(std::span<const iterations::RankContext> ranks, const Analysis& analysis) {
  Certificate certificate;
  certificate.checks = Certifier(ranks, analysis).All();
  for (const Check& check : certificate.checks) {
    if (check.state == CheckState::kLost) certificate.trust = Trust::kNone;
    if (check.state == CheckState::kDoubt && certificate.trust == Trust::kWhole) {
      certificate.trust = Trust::kLimited;
    }
  }
  return certificate;
}

namespace {

using Check = CertificateCheck;

Check Unknown(Check check, std::string text) {
  check.state = CheckState::kUnknown;
  check.text = std::move(text);
  return check;
}

constexpr std::string_view kNoSteps = "times of unrecorded iterations are unknown";

// A document that contradicts the profile is of another run: then neither is trusted.
Check Document(const Analysis& analysis) {
  Check check{"unrecorded", "Times of unrecorded iterations can be used"};
  check.affects = {"time", "idle"};
  for (const Remark& remark : analysis.remarks) {
    if (remark.id != kRunContradicts && remark.id != kRunUnused) continue;
    check.state = remark.id == kRunContradicts ? CheckState::kLost : CheckState::kDoubt;
    check.text = remark.text;
    check.advice = "`profgauge schema run` prints the fields of the document.";
    return check;
  }
  if (analysis.steps == nullptr) return Unknown(std::move(check), std::string(kNoSteps));
  const JudgedSteps& steps = *analysis.steps;
  check.count = static_cast<std::int64_t>(steps.level.values) * steps.a_value;
  check.text =
      fmt::format("{} iterations, from {}", FormatCount(check.count), TextOf(steps.carrier));
  return check;
}

// Checks the recorded iteration time divided by the unrecorded one. A slowdown is no fault of the
// profile, but increases idle time.
Check Perturbation(const Analysis& analysis) {
  Check check{"perturbation", "The profiler does not slow the run"};
  check.affects = {"time", "idle"};
  const Metric* slowdown = analysis.Find(metric::kStepPerturbation);
  if (slowdown == nullptr || IsAbsent(slowdown->value)) {
    return Unknown(std::move(check), std::string(kNoSteps));
  }
  const double ratio = AsNumber(slowdown->value, 1);
  check.text = fmt::format("recorded iterations take {:.2f} times as long as others", ratio);
  if (ratio < knowledge::kUnrecordedLittleSlowdown) return check;
  check.state = CheckState::kDoubt;
  check.text += "; idle time and utilization are corrected";
  if (ratio >= knowledge::kUnrecordedMuchSlowdown) {
    check.advice = "Record without shapes, stacks and memory, or judge by unrecorded iterations.";
  }
  return check;
}

// Checks the largest share of time with a lowered clock, over all devices and reasons. A power cap
// is normal for a busy device, so it does not count as throttling.
Check Conditions(std::span<const iterations::RankContext> ranks) {
  Check check{"conditions", "Devices ran at their clocks"};
  check.affects = {"time", "kernels"};
  bool is_known = false;
  double most = 0;
  for (const iterations::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    for (const RunDevice& device : DevicesOf(*side)) {
      is_known = is_known || !device.conditions.empty() || !device.reasons.empty();
      for (const auto& [reason, share] : device.reasons) {
        if (share <= knowledge::kUnrecordedThrottledShare || share <= most || !IsThrottle(reason))
          continue;
        most = share;
        check.state = CheckState::kDoubt;
        check.text = fmt::format("clocks were lowered for {} of the time (`{}`)",
                                 FormatShare(share), reason);
        check.advice = "Cool the device, or judge the run on another one.";
      }
    }
  }
  return is_known ? check : Unknown(std::move(check), "clocks and power were not sampled");
}

// Compares only lengths: this also applies to runs on the host only.
Check Typical(const Analysis& analysis) {
  Check check{"typical", "The profile is typical of the run"};
  check.affects = {"time", "idle"};
  if (analysis.steps == nullptr) return Unknown(std::move(check), std::string(kNoSteps));
  if (!analysis.steps->exceeds_recorded) return check;
  check.state = CheckState::kDoubt;
  if (const Metric* idle = analysis.Find(metric::kGpuIdleUnrecorded)) {
    check.text = idle->absent_because;
  }
  return check;
}

// CUPTI stays attached, so iterations may be slower for the rest of a profiled process.
Check After(const Analysis& analysis) {
  Check check{"after-profile", "Iterations after the profile are as fast as before"};
  check.affects = {"time"};
  const auto change = analysis.steps == nullptr ? std::nullopt : FindChangeAfter(*analysis.steps);
  if (!change) {
    return Unknown(std::move(check), analysis.steps == nullptr
                                         ? std::string(kNoSteps)
                                         : "iterations before or after the profile are unknown");
  }
  check.count = static_cast<std::int64_t>(analysis.steps->after->values);
  check.text = fmt::format("iterations after the profile take {:.2f} times as long as those before",
                           change->ratio);
  if (!change->is_sure) return check;
  check.state = CheckState::kDoubt;
  if (analysis.steps->is_before_only) {
    check.text += ": only those before count";
    check.advice = "Set `TEARDOWN_CUPTI=1`, or find the reason for the slower iterations.";
  }
  return check;
}

/// Whether every selected iteration ends with a call that waits for the device.
///
///   iteration   |-----------------------[sync]|     the call ends in the last part of the range
bool EndsWithWaits(const iterations::RankContext& rank) {
  const ApiTable& api = rank.profile->api;
  const auto selected = rank.iterations.selected();
  std::vector<bool> waits(selected.size(), false);
  for (std::size_t row = 0; row < api.size(); ++row) {
    if (api.kind[row] != ApiKind::kSync) continue;
    const Ns end = api.start[row] + api.duration[row];
    const std::uint32_t at = rank.iterations.AtHostTime(api.start[row]);
    if (at == iterations::Iterations::kNone || !rank.iterations.SelectsIteration(at)) continue;
    const Span host = rank.iterations.all[at].host;
    const auto slack =
        static_cast<Ns>(knowledge::kUnrecordedNearEndShare * static_cast<double>(host.length()));
    if (end >= host.end - slack) waits[at - rank.iterations.first] = true;
  }
  return !waits.empty() && std::ranges::all_of(waits, [](bool wait) { return wait; });
}

// The program may do this itself; host and device then do not overlap between iterations.
Check Synchronized(std::span<const iterations::RankContext> ranks) {
  Check check{"synchronized", "Iterations are not synchronized one by one"};
  if (std::ranges::all_of(
          ranks, [](const iterations::RankContext& rank) { return rank.iterations.is_whole; })) {
    return check;
  }
  if (std::ranges::any_of(ranks, EndsWithWaits)) {
    check.text = "each iteration ends with a wait for the device";
  }
  return check;
}

// Only informs about it, because spread and drift already include it.
Check SameWork(const Analysis& analysis) {
  Check check{"same-work", "Iterations do the same work"};
  const Table* iterations = analysis.FindTable("iterations");
  const Column* kernels =
      catalog::ColumnOf<catalog::columns::kIterations>(iterations, "kernels"_col);
  if (kernels == nullptr || !kernels->absent_because().empty()) return check;
  std::int64_t least = 0, most = 0;
  for (std::size_t row = 0; row < iterations->rows(); ++row) {
    const auto count = AsWhole(iterations->At(row, *kernels), 0);
    least = row == 0 ? count : std::min(least, count);
    most = std::max(most, count);
  }
  if (least != most) {
    check.text =
        fmt::format("iterations run {} to {} kernels", FormatCount(least), FormatCount(most));
  }
  return check;
}

}  // namespace

void CertifySteps(std::span<const iterations::RankContext> ranks, const Analysis& analysis,
                  std::vector<CertificateCheck>& checks) {
  checks.push_back(Document(analysis));
  checks.push_back(Perturbation(analysis));
  checks.push_back(Conditions(ranks));
  checks.push_back(Typical(analysis));
  checks.push_back(After(analysis));
  checks.push_back(Synchronized(ranks));
  checks.push_back(SameWork(analysis));
}

}  // namespace profgauge::analysis::trust
