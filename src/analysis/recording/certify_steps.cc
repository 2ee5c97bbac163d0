#include "analysis/recording/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/recording/judged_steps.h"
#include "analysis/recording/unrecorded.h"
#include "analysis/tables/row_writer.h"
#include "analysis/tables/time_columns.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/whole.h"
#include "knowledge/unrecorded.h"
#include "model/run_side.h"

namespace profgauge::analysis::recording {
namespace {

using Check = CertificateCheck;

Check Unknown(Check check, std::string text) {
  check.state = CheckState::kUnknown;
  check.text = std::move(text);
  return check;
}

constexpr std::string_view kNoSteps = "times of unrecorded iterations are unknown";

// A document that contradicts the profile is of another run: then neither can be trusted.
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

// Recorded by unrecorded iteration time. A slowdown is no fault of the profile, but idle time grows
// with it.
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

// The largest share of time with a lowered clock, over all devices and reasons. A cap of power is
// normal for a busy device, and no throttling.
Check Conditions(std::span<const context::RankContext> ranks) {
  Check check{"conditions", "Devices ran at their clocks"};
  check.affects = {"time", "kernels"};
  bool is_known = false;
  double most = 0;
  for (const context::RankContext& rank : ranks) {
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

// By lengths alone: a run of the host's only is as typical as one with devices.
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

// Iterations may be slower for the rest of a process that was profiled once: CUPTI stays attached.
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
bool EndsWithWaits(const context::RankContext& rank) {
  const ApiTable& api = rank.profile->api;
  const auto selected = rank.iterations.selected();
  std::vector<bool> waits(selected.size(), false);
  for (std::size_t row = 0; row < api.size(); ++row) {
    if (api.kind[row] != ApiKind::kSync) continue;
    const Ns end = api.start[row] + api.duration[row];
    const std::uint32_t at = rank.iterations.AtHostTime(api.start[row]);
    if (at == context::Iterations::kNone || !rank.iterations.SelectsIteration(at)) continue;
    const Span host = rank.iterations.all[at].host;
    const auto slack =
        static_cast<Ns>(knowledge::kUnrecordedNearEndShare * static_cast<double>(host.length()));
    if (end >= host.end - slack) waits[at - rank.iterations.first] = true;
  }
  return !waits.empty() && std::ranges::all_of(waits, [](bool wait) { return wait; });
}

// It may be the program's own; host and device do not overlap from one iteration to the next then.
Check Synchronized(std::span<const context::RankContext> ranks) {
  Check check{"synchronized", "Iterations are not synchronized one by one"};
  if (std::ranges::all_of(
          ranks, [](const context::RankContext& rank) { return rank.iterations.is_whole; })) {
    return check;
  }
  if (std::ranges::any_of(ranks, EndsWithWaits)) {
    check.text = "each iteration ends with a wait for the device";
  }
  return check;
}

// Spread and drift take it into account; here it is said.
Check SameWork(const Analysis& analysis) {
  Check check{"same-work", "Iterations do the same work"};
  const Table* iterations = analysis.FindTable("iterations");
  const Column* kernels = tables::ColumnOf<tables::columns::kIterations>(iterations, "kernels"_col);
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

void CertifySteps(std::span<const context::RankContext> ranks, const Analysis& analysis,
                  std::vector<CertificateCheck>& checks) {
  checks.push_back(Document(analysis));
  checks.push_back(Perturbation(analysis));
  checks.push_back(Conditions(ranks));
  checks.push_back(Typical(analysis));
  checks.push_back(After(analysis));
  checks.push_back(Synchronized(ranks));
  checks.push_back(SameWork(analysis));
}

}  // namespace profgauge::analysis::recording
