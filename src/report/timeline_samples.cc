#include "report/timeline_tracks.h"

#include <string>
#include <string_view>

#include "base/text.h"
#include "model/tables.h"

namespace profgauge::report {
namespace {

// "main › train › forward" and "forward" of functions from the outermost on, one a line.
void NameStack(std::string_view stack, Timeline::Kind& kind) {
  for (const std::string_view line : Lines(stack)) {
    const std::string_view function = Trim(line);
    if (function.empty()) continue;
    kind.name = function;
    if (!kind.detail.empty()) kind.detail += " › ";
    kind.detail += function;
  }
}

}  // namespace

std::vector<std::vector<TimelineEvent>> SampleEvents(const Profile& profile, const TimelineCut& cut,
                                                     TimelineKinds& kinds) {
  std::vector<std::vector<TimelineEvent>> threads(profile.threads.size());
  if (profile.cpu == nullptr) return threads;
  for (const CpuSample& sample : profile.cpu->samples) {
    if (!sample.thread.valid() || !sample.stack.valid()) continue;
    if (!cut.KeepsHost(sample.time, 0)) continue;
    TimelineEvent event{sample.time, 0};
    event.kind =
        kinds.Find(profile, {sample.stack, Category::kPython, 1},
                   [&](Timeline::Kind& kind) { NameStack(profile.Name(sample.stack), kind); });
    threads[sample.thread.value].push_back(event);
  }
  return threads;
}

}  // namespace profgauge::report
