#include "analysis/dlprof/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/dlprof/instances.h"
#include "analysis/iterations/iterations.h"
#include "base/errors.h"

namespace profgauge::analysis::dlprof::dlprof {
namespace {

// The end of the last call or device work, which also ends the last iteration.
Ns EndOf(const Profile& profile, const Instances& instances) {
  Ns end = 0;
  for (const Instance& instance : instances.all) end = std::max(end, instance.time.end);
  const DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    end = std::max(end, device.start[row] + device.duration[row]);
  }
  return end;
}

// One iteration per start, each ending at the next start.
std::vector<Span> BetweenStarts(const std::vector<Ns>& starts, Ns end) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    spans.push_back({starts[i], i + 1 < starts.size() ? starts[i + 1] : std::max(end, starts[i])});
  }
  return spans;
}

}  // namespace

Result<std::vector<Span>> IterationsOf(const Profile& profile, const Instances& instances,
                                       const Selection& selection) {
  const Ns end = EndOf(profile, instances);
  std::vector<Ns> starts;
  if (!selection.key_op.empty()) {
    for (const Instance& instance : instances.all) {
      if (instance.name == selection.key_op || instance.type == selection.key_op) {
        starts.push_back(instance.time.start);
      }
    }
    if (starts.empty()) {
      return Fail(UsageError("analysis/no-key-op",
                             fmt::format("the key op `{}` occurs nowhere", selection.key_op),
                             "name an op or op type as dlprof_detailed.csv has it"));
    }
    return BetweenStarts(starts, end);
  }
  Selection markers;
  markers.iteration_marker = selection.iteration_marker;
  PROFGAUGE_TRY(const std::vector<Span> found, iterations::MarkedIterations(profile, markers));
  if (found.empty()) return std::vector<Span>{{profile.session_start, end}};
  for (const Span& host : found) starts.push_back(host.start);
  return BetweenStarts(starts, end);
}

std::vector<Span> IterationsOf(const Profile& profile, const Instances& instances,
                               const iterations::Iterations& known) {
  const Ns end = EndOf(profile, instances);
  if (known.is_whole) return {{profile.session_start, end}};
  std::vector<Ns> starts;
  for (const iterations::Iteration& iteration : known.all) starts.push_back(iteration.host.start);
  return BetweenStarts(starts, end);
}

}  // namespace profgauge::analysis::dlprof::dlprof
