#include "model/launch_ids.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace profgauge {
namespace {

using Rows = std::vector<std::uint32_t>;

bool HasAny(const NarrowColumn<std::int64_t>& numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](std::int64_t id) { return id >= 0; });
}

// The kind of launched work: kernels, or copies and memsets.
enum class Work : std::uint8_t { kKernel, kCopy };

std::optional<Work> LaunchedBy(ApiKind kind) {
  switch (kind) {
    case ApiKind::kLaunch:
      return Work::kKernel;
    case ApiKind::kMemcpy:
    case ApiKind::kMemset:
      return Work::kCopy;
    default:
      return std::nullopt;
  }
}

/// Numbers pairs of call and work from 0 on; no number can be in use, because no row has one.
class Numbering {
 public:
  Numbering(const Profile& profile, NarrowColumn<std::int64_t>& calls,
            NarrowColumn<std::int64_t>& works)
      : profile_(profile), calls_(calls), works_(works) {}

  // Pairs, for each id, the call and the kernel or copy that begin at the ends of its arrows.
  void Follow(const std::vector<LaunchArrow>& arrows) {
    struct Ends {
      Rows calls, works;
    };
    std::map<std::int64_t, Ends> by_id;
    for (const LaunchArrow& arrow : arrows) {
      if (arrow.id < 0) continue;
      const auto row = arrow.is_start ? CallAt(arrow) : WorkAt(arrow);
      if (!row) continue;
      Ends& ends = by_id[arrow.id];
      Rows& rows = arrow.is_start ? ends.calls : ends.works;
      // A profile that was written twice has each end twice.
      if (std::find(rows.begin(), rows.end(), *row) == rows.end()) rows.push_back(*row);
    }
    for (const auto& [id, ends] : by_id) {
      if (ends.calls.size() == 1 && ends.works.size() == 1) Join(ends.calls[0], ends.works[0]);
    }
  }

  // Pairs the calls and the device work of an id in order of time, if their numbers are equal, the
  // calls are launches of one thread, and the work is on one stream.
  void MatchIds(const OptionalColumn<std::int64_t, -1>& api_ids,
                const OptionalColumn<std::int64_t, -1>& device_ids) {
    std::map<std::pair<std::int64_t, Work>, std::pair<Rows, Rows>> by_id;
    for (std::uint32_t row = 0; row < device_ids.size(); ++row) {
      if (device_ids[row] < 0 || works_[row] >= 0) continue;
      const bool is_kernel = profile_.device.kind[row] == DeviceKind::kKernel;
      by_id[{device_ids[row], is_kernel ? Work::kKernel : Work::kCopy}].second.push_back(row);
    }
    const ApiTable& api = profile_.api;
    for (std::uint32_t row = 0; row < api_ids.size(); ++row) {
      const std::optional<Work> work = LaunchedBy(api.kind[row]);
      if (!work || api_ids[row] < 0 || calls_[row] >= 0) continue;
      const auto found = by_id.find({api_ids[row], *work});
      if (found == by_id.end()) continue;
      Rows& calls = found->second.first;
      // The driver call inside a runtime call is the same launch.
      const bool is_inside = !calls.empty() && api.thread[calls.back()] == api.thread[row] &&
                             api.start[row] < api.start[calls.back()] + api.duration[calls.back()];
      if (!is_inside) calls.push_back(row);
    }
    for (const auto& [id, rows] : by_id) {
      const auto& [calls, works] = rows;
      if (calls.size() != works.size() || !AreInOneOrder(calls, works)) continue;
      for (std::size_t i = 0; i < calls.size(); ++i) Join(calls[i], works[i]);
    }
  }

 private:
  // True for one thread and one stream, since rows are sorted by them.
  bool AreInOneOrder(const Rows& calls, const Rows& works) const {
    if (calls.size() < 2) return !calls.empty();
    const DeviceTable& device = profile_.device;
    return profile_.api.thread[calls.front()] == profile_.api.thread[calls.back()] &&
           device.gpu[works.front()] == device.gpu[works.back()] &&
           device.stream[works.front()] == device.stream[works.back()];
  }

  void Join(std::uint32_t call, std::uint32_t work) {
    calls_.Set(call, next_);
    works_.Set(work, next_);
    ++next_;
  }

  std::optional<std::uint32_t> CallAt(const LaunchArrow& arrow) const {
    const ApiTable& api = profile_.api;
    const auto place = [&](std::size_t row) { return std::pair(api.thread[row], api.start[row]); };
    return RowAt(api.size(), place, std::pair(arrow.thread, arrow.time));
  }
  std::optional<std::uint32_t> WorkAt(const LaunchArrow& arrow) const {
    const DeviceTable& device = profile_.device;
    const auto place = [&](std::size_t row) {
      return std::tuple(device.gpu[row], device.stream[row], device.start[row]);
    };
    return RowAt(device.size(), place, std::tuple(arrow.gpu, arrow.stream, arrow.time));
  }
  // The first row at `place` in a table that is sorted by place.
  template <class PlaceOf, class Place>
  static std::optional<std::uint32_t> RowAt(std::size_t count, const PlaceOf& place_of,
                                            const Place& place) {
    std::size_t from = 0, to = count;
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      if (place_of(middle) < place) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    if (from == count || place_of(from) != place) return std::nullopt;
    return static_cast<std::uint32_t>(from);
  }

  const Profile& profile_;
  NarrowColumn<std::int64_t>& calls_;
  NarrowColumn<std::int64_t>& works_;
  std::int64_t next_ = 0;
};

}  // namespace

void NumberLaunches(const Profile& profile, const std::vector<LaunchArrow>& arrows,
                    const OptionalColumn<std::int64_t, -1>& api_ids,
                    const OptionalColumn<std::int64_t, -1>& device_ids,
                    NarrowColumn<std::int64_t>& api_correlations,
                    NarrowColumn<std::int64_t>& device_correlations) {
  if (profile.api.size() == 0 || profile.device.size() == 0) return;
  if (HasAny(api_correlations) || HasAny(device_correlations)) return;
  Numbering numbering(profile, api_correlations, device_correlations);
  numbering.Follow(arrows);
  numbering.MatchIds(api_ids, device_ids);
}

}  // namespace profgauge
