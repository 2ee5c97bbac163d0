#include "readers/cuda/open_markers.h"

#include <algorithm>

#include "readers/times.h"

namespace profgauge::readers {

OpenMarkers::Series OpenMarkers::SeriesOf(const HostRow& row, std::string_view name) {
  std::string series;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      series += c;
    } else if (!series.ends_with('#')) {
      series += '#';
    }
  }
  return {row.thread.value, std::move(series)};
}

void OpenMarkers::AddStart(const HostRow& row, std::string_view name) {
  starts_[SeriesOf(row, name)].push_back(row.start);
}

void OpenMarkers::AddOpen(const HostRow& row, std::string_view name) {
  open_.emplace_back(row, SeriesOf(row, name));
}

void OpenMarkers::Finish(ProfileBuilder& builder) {
  for (auto& [series, starts] : starts_) std::sort(starts.begin(), starts.end());
  for (auto& [row, series] : open_) {
    const std::vector<Ns>& starts = starts_[series];
    const auto next = std::upper_bound(starts.begin(), starts.end(), row.start);
    if (next != starts.end()) row.duration = std::min(row.duration, Between(row.start, *next));
    builder.AddHost(row);
  }
}

}  // namespace profgauge::readers
