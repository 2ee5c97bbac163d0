#include "api/default_policy.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "analysis/ranks/rank_summary.h"
#include "model/certificate.h"
#include "model/run_side.h"

namespace profgauge {
namespace {

// True if events of unknown kinds were skipped. They may be work of an unknown device, so nothing
// is certain then.
bool HasUnknownEvents(const Profile& profile) {
  return !profile.log.Examples(Counter::events_ignored_kind).empty();
}

// True if the profile shows no use of a device. With `may_list`, devices may be listed: profilers
// list the machine's devices whether or not the program uses them. A summary without all data that
// the analysis needs (`is_told`) does not count.
bool UsesNoDevice(const Profile& profile, bool may_list) {
  if (!FactOf(profile, kDeviceUse).empty()) return false;
  if (IsSummary(profile)) {
    const std::optional<Summary> summary = SummaryOf(profile);
    const auto rank =
        summary ? analysis::ranks::ReadRankSummary(*summary, profile.source.path) : std::nullopt;
    if (!rank) return false;
    const analysis::breakdown::IterationFacts& times = rank->times;
    return rank->is_told && times.has_host && !times.has_device &&
           (may_list || times.gpus_listed == 0) && !HasUnknownEvents(rank->profile);
  }
  return profile.has_timeline && profile.host.size() > 0 && profile.device.size() == 0 &&
         (may_list || profile.gpus.empty()) && profile.neuron == nullptr &&
         !HasUnknownEvents(profile);
}

}  // namespace

bool IsCpuOnly(std::span<const Profile> ranks) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [](const Profile& rank) { return UsesNoDevice(rank, false); });
}

// Asks about devices twice, without and with listed ones, because a run whose device work was not
// recorded must not be judged as a run without a device:
//
//   times without a profile        builtin:times, and a remark that says so
//   no device work, none listed    builtin:cpu, and a remark that says so
//   no device work, some listed    builtin:recommended, and a remark on how to choose
//   anything else                  builtin:recommended, without a remark
DefaultPolicy DefaultPolicyOf(std::span<const RunToJudge> runs) {
  const auto use_no_device = [runs](bool may_list) {
    return std::all_of(runs.begin(), runs.end(), [may_list](const RunToJudge& run) {
      return std::all_of(run.ranks.begin(), run.ranks.end(),
                         [may_list](const Profile& rank) { return UsesNoDevice(rank, may_list); });
    });
  };
  const bool are_times = std::all_of(runs.begin(), runs.end(), [](const RunToJudge& run) {
    return std::all_of(run.ranks.begin(), run.ranks.end(),
                       [](const Profile& rank) { return IsOfTimes(rank); });
  });
  if (are_times) {
    return {kTimesPolicy,
            {"times-policy",
             "builtin:times is the policy because the file holds times only; --policy selects "
             "another"}};
  }
  if (use_no_device(false)) {
    return {kCpuPolicy,
            {"cpu-policy",
             "builtin:cpu is the policy because the profile has no device work, no calls of a GPU "
             "runtime and no device; --policy selects another"}};
  }
  if (use_no_device(true)) {
    return {kDefaultPolicy,
            {"cpu-policy",
             "no device activity was recorded, though the machine has a device; if the program is "
             "meant to run on the CPU, judge it with --policy builtin:cpu"}};
  }
  return {};
}

}  // namespace profgauge
