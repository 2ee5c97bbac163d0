// Calls in which a process sets its device up: the first ones make the device's context and load
// its code, whatever they are there for. A process does that once, so where nothing marks
// iterations it is no part of the time in which the device is observed.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "analysis/context/iterations.h"
#include "model/profile.h"

namespace profgauge {

/// The calls that set the device up: those of at least 50 ms that end before the first work of a
/// device, and the call that launched that work if it took as long before the work began.
class SetupTimes {
 public:
  explicit SetupTimes(const Profile& profile);

  /// For how long, from its start, the call in that row sets the device up; 0 for others.
  Ns operator[](std::size_t call) const {
    const auto found = times_.find(call);
    return found == times_.end() ? 0 : found->second;
  }
  /// Those that do, which are few, by row.
  const std::map<std::size_t, Ns>& calls() const { return times_; }

 private:
  std::map<std::size_t, Ns> times_;
};

/// By row of the profile's calls: 1 for those that only set up the device in a profile without
/// iterations, and so are skipped with the time before its window; empty where there is none.
std::vector<bool> CallsBeforeWindow(const Profile& profile, const Iterations& iterations);

}  // namespace profgauge
