// Checks of trace_view.json against itself: launches without work, processes, and its own totals.
//
//   arrow HostToDevice ends at (place, time)   an event begins there: launch and work
//                                              none does: the call launched work that was lost
//   track Computing of Overlap Analysis        its length against the union of the kernels
//   track Communication                        against the union of the collectives
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "knowledge/ascend.h"
#include "knowledge/loss.h"
#include "readers/ascend/kernel_details.h"
#include "readers/ascend/trace_view.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::ascend {

// The call becomes a launch without work, which the analysis counts as missing.
void TraceView::AddLostLaunches() {
  std::vector<std::pair<Place, Ns>> starts;
  for (const Event& event : events_) starts.emplace_back(event.place, event.start);
  std::sort(starts.begin(), starts.end());
  for (const Link& link : launches_) {
    if (std::binary_search(starts.begin(), starts.end(), std::pair(link.to.place, link.to.time))) {
      continue;
    }
    if (const std::int64_t call = Around(calls_, link.from); call >= 0) launching_.push_back(call);
  }
}

// Without their processes' names, events of the device cannot be recognized, and without their
// threads' those of a group of ranks from their tasks.
void TraceView::CheckProcesses() {
  auto& log = builder_.log();
  if (without_thread_ > 0 && communicating_.empty()) {
    log.AddAt(
        Counter::rows_unusable,
        fmt::format("{} communication events belong to threads without a name", without_thread_));
  }
  const std::uint64_t read = log[Counter::events_read];
  if (without_process_ < knowledge::kLossLeastEvents ||
      without_process_ <= knowledge::kLossUnusableShare.Of(read))
    return;
  log.AddAt(
      Counter::rows_unusable,
      fmt::format("{} of {} events belong to processes without a name", without_process_, read));
}

void TraceView::CheckOwnTotals() {
  // A track that is there twice, as in a trace written twice, is as long as once.
  Spans computing, communicating;
  for (const auto& event : events_) {
    if (ProcessOf(event.place) != Process::kDerived) continue;
    const auto& [process, thread] = places_[event.place];
    const auto track = thread_names_.find(process + "/" + thread);
    if (track == thread_names_.end()) continue;
    const std::int32_t npu = DeviceOf(event.place);
    const Span span = {event.start, event.start + event.duration};
    if (track->second == "Computing") computing[npu].push_back(span);
    if (track->second == "Communication") communicating[npu].push_back(span);
  }
  CheckOwnTotal("Computing", computing, computing_);
  CheckOwnTotal("Communication", communicating, communicating_);
}

// The profiler's tracks are unions, so overlapping kernels count once here, too. One analysis may
// be of several NPUs: where there is only one, its tracks are compared with the sums over all NPUs.
void TraceView::CheckOwnTotal(std::string_view track, const Spans& own, const Spans& ours) {
  const bool of_all = own.size() == 1;
  for (const auto& [npu, spans_of_track] : own) {
    const Ns stated = std::min(Length(Merge(spans_of_track)), kMaxTime);
    Ns found = 0;
    for (const auto& [id, spans] : ours) {
      if (!of_all && id != npu) continue;
      found = std::min(found + std::min(Length(Merge(spans)), kMaxTime), kMaxTime);
    }
    if (stated == 0 || std::abs(stated - found) <= knowledge::kLossTotalTolerance.WholeOf(stated))
      continue;
    const std::string what =
        fmt::format("Overlap Analysis, {}{}: {} ns; its events: {} ns", track,
                    of_all ? "" : fmt::format(" of NPU {}", npu), stated, found);
    builder_.log().AddAt(Counter::own_totals_differ, what);
    if (stated - found > knowledge::kAscendLostTotalShare.WholeOf(stated))
      builder_.log().AddAt(Counter::events_dropped, what);
  }
}

}  // namespace profgauge::readers::ascend
