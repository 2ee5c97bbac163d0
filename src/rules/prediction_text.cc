#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "knowledge/findings.h"
#include "rules/what_if.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kLimits = "The simulation ignores bandwidth contention and caches";
constexpr std::string_view kJoint = "; collectives end when their last rank has arrived";
constexpr std::string_view kPeers = ". Other ranks arrive as recorded";

// The threads that a replay leaves as they are, in one clause; empty without any.
std::string FreeThreads(const analysis::path::Replayer& replayer) {
  std::string names;
  for (const analysis::path::PathGraph& graph : replayer.graphs()) {
    for (const std::uint32_t thread : graph.free_threads()) {
      const Profile& profile = *graph.rank().profile;
      const Thread& row = profile.threads[thread];
      names += (names.empty() ? "" : ", ") +
               (row.name.empty() ? fmt::format("{}", row.tid) : PrintableShort(row.name, 40));
    }
  }
  if (names.empty()) return {};
  return "; launches of thread " + names + " keep their times: their dependencies are unknown";
}

}  // namespace

std::string PredictionLimits(const analysis::path::Replayer* replayer) {
  std::string text(kLimits);
  if (replayer == nullptr) return text;
  const bool has_peers = replayer->ranks().size() == 1 &&
                         replayer->ranks().front().profile->distributed.world_size > 1;
  text += replayer->is_joint() ? kJoint : has_peers ? kPeers : std::string_view();
  return text + FreeThreads(*replayer);
}

std::string PathText(const analysis::path::Prediction& prediction) {
  Ns whole = 0;
  std::vector<std::pair<Ns, PathKind>> parts;
  for (std::size_t i = 0; i < kPathKinds; ++i) {
    whole += prediction.path[i];
    if (prediction.path[i] > 0) parts.emplace_back(prediction.path[i], static_cast<PathKind>(i));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [time, kind] : parts) {
    const double share = static_cast<double>(time) / static_cast<double>(whole);
    if (share < knowledge::kFindingsPathLeastShare) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", InfoOf(kind).title, FormatValue(Value{share}, Unit::kShare));
  }
  return text;
}

}  // namespace profgauge::rules
