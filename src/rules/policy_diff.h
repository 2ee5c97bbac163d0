// What a change of a policy, or of profgauge.yaml, makes looser; the stricter of both holds.
//
//     at the merge base                    now                           judged by
//     iteration.time.median: +5 %          +25 %                         +5 %      told
//     gpu.idle.mean: max 30 %              max 20 %                      20 %
//     rules: -                             io/*: off                     on        told
//     waivers: -                           [{rule: gpu/idle, …}]         none      told
//
// A gate whose own limits a pull request may widen judges nothing. What has no order, such as the
// iterations that are selected, is not looked at: runs of another selection are not comparable.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace profgauge::rules {

struct Policy;
struct Project;

/// One setting that is looser now.
struct Loosened {
  std::string what;         ///< "fail_on", "rules: gpu/idle", a metric
  std::string before, now;  ///< "+5 %", "+25 %"; "none" where there is none.
  bool is_held = true;      ///< The stricter one judges. Else no verdict can be given.
};

/// "iteration.time.median +5 % → +25 %"
std::string LoosenedText(const Loosened& one);

/// All that is looser in `now`, which becomes the stricter of both.
std::vector<Loosened> HoldStricter(const Policy& before, Policy& now);
/// The same of the settings and inputs of each job. A job that was removed is there again.
std::vector<Loosened> HoldStricter(const Project& before, Project& now);

}  // namespace profgauge::rules
