// Finds settings of a policy or of profgauge.yaml that a change loosens. The stricter one judges.
//
//     at the merge base                    now                           judged by
//     iteration.time.median: +5 %          +25 %                         +5 %      reported
//     gpu.idle.mean: max 30 %              max 20 %                      20 %
//     rules: -                             io/*: off                     on        reported
//     waivers: -                           [{rule: gpu/idle, …}]         none      reported
//
// A gate is useless if a pull request may widen its own limits. Settings without an order, e.g. the
// selected iterations, are not compared: runs with another selection are not comparable.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace profgauge::rules {

struct Policy;
struct Project;

/// A setting that is looser now.
struct Loosened {
  std::string what;         ///< The setting: "fail_on", "rules: gpu/idle", a metric.
  std::string before, now;  ///< "+5 %", "+25 %"; "none" if it is not set.
  bool is_held = true;      ///< The stricter setting judges; if false, no verdict is possible.
};

/// The change as text: "iteration.time.median +5 % → +25 %".
std::string LoosenedText(const Loosened& one);

/// Finds all settings that are looser in `now` than in `before`, and makes them equally strict.
std::vector<Loosened> HoldStricter(const Policy& before, Policy& now);
/// Does the same for the settings and inputs of each job. A removed job is restored.
std::vector<Loosened> HoldStricter(const Project& before, Project& now);

}  // namespace profgauge::rules
