#include "analysis/path/event_waits.h"

namespace profgauge {

std::optional<EventWait> EventWaits::Take(std::uint32_t call) {
  switch (waits_.EventCallOf(call)) {
    case EventCall::kRecord:
      recorded_ = last_launch_;
      break;
    case EventCall::kWait:
      asked_ = waits_.StartOf(call);
      break;
    case EventCall::kNone:
      break;
  }
  const std::uint32_t row = waits_.LaunchedBy(call);
  if (row == WaitFinder::kNone) return std::nullopt;
  last_launch_ = row;
  if (!asked_) {
    recorded_ = WaitFinder::kNone;
    return std::nullopt;
  }
  // A stream does not wait for itself: the waiting work follows.
  const bool has_record = recorded_ != WaitFinder::kNone;
  if (has_record && !waits_.AreOfTwoStreams(recorded_, row)) return std::nullopt;
  const std::uint32_t other = has_record ? recorded_ : waits_.LastOfOtherStream(row, *asked_);
  asked_.reset();
  recorded_ = WaitFinder::kNone;
  if (other == WaitFinder::kNone || !waits_.EndsBefore(other, row)) return std::nullopt;
  return EventWait{row, other};
}

}  // namespace profgauge
