// Which events a timeline of limited size keeps: those of devices, then host events around
// findings, then the longest of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/interval.h"
#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

/// The kept events of one rank.
struct TimelineCut {
  Ns device = 0, host = 0;  ///< Shorter ones are left out…
  std::vector<Span> around;  ///< …except for host events that start in one of these; sorted, apart.
  std::size_t device_lost = 0, host_lost = 0;

  bool KeepsDevice(Ns duration) const { return duration >= device; }
  bool KeepsHost(Ns start, Ns duration) const;
};

/// `around` are spans of time in order of their weight; each is kept whole if half of the budget
/// without device events has room for it and those before it.
TimelineCut CutTimeline(const Profile& profile, std::size_t budget,
                        const std::vector<Span>& around);

/// "412 000 host events shorter than 3 µs"; empty when nothing was left out.
std::string LeftOutText(const std::vector<TimelineCut>& cuts);

/// For each finding's evidence of that rank that says when: that time, and a typical iteration's
/// length on either side.
std::vector<Span> SpansAroundFindings(const Report& report, std::int64_t rank);

}  // namespace profgauge::report
