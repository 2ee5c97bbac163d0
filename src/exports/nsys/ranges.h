// Ranges of the program (NVTX, record_function) and the device work launched inside them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "exports/nsys/reports.h"

namespace profgauge::nsys {

/// Whether reports of ranges list this host row: NVTX ranges of all kinds; in other formats, rows
/// that are no operators.
bool IsRange(const Profile& profile, std::uint32_t host_row);
/// "domain:name"; the default domain has no name.
std::string RangeLabel(const Profile& profile, std::uint32_t host_row);
std::string StyleLabel(const Profile& profile, std::uint32_t host_row);

/// One range on the GPU: from the start of its first device work to the end of its last. Work
/// belongs to every range around its launch on the same thread.
struct Projection {
  Span span{0, -1};  ///< Empty (end before start) without work.
  std::int64_t work = 0;
  bool empty() const { return work == 0; }
};
/// One per host row.
std::vector<Projection> ProjectRanges(const SelectedRank& rank);

/// Calls `use(host row, device row)` for each range around each selected launch, innermost first.
void ForEachEnclosing(const SelectedRank& rank,
                      const std::function<void(std::uint32_t, std::uint32_t)>& use);

}  // namespace profgauge::nsys
