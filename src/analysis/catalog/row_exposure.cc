#include "analysis/catalog/row_exposure.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace profgauge::analysis::catalog {

ExposureCosts::ExposureCosts(const Exposure& exposure, AcrossDevices across)
    : has_work_(exposure.has_work), across_(across) {
  std::vector<Part> work, gaps;
  std::vector<const std::vector<std::uint32_t>*> rows_of_work, rows_of_gaps;
  for (const Exposure::Device& device : exposure.devices) {
    const auto number = static_cast<std::uint32_t>(iterations_.size());
    iterations_.push_back(std::max<std::int64_t>(device.iterations, 1));
    for (const Exposure::Part& part : device.alone) {
      work.push_back({number, static_cast<std::uint32_t>(part.rows.size()), 0, part.time});
      rows_of_work.push_back(&part.rows);
    }
    for (const Exposure::Part& part : device.blocked) {
      work.push_back({number, 1, 0, part.time});
      rows_of_work.push_back(&part.rows);
    }
    for (const Exposure::Part& part : device.gaps) {
      gaps.push_back({number, 1, 0, part.time});
      rows_of_gaps.push_back(&part.rows);
    }
  }
  sums_.resize(iterations_.size(), 0);
  work_ = Index(std::move(work), rows_of_work);
  gaps_ = Index(std::move(gaps), rows_of_gaps);
}

// Indexes the parts by row, in one array: `of_rows` from begin[row] to begin[row + 1].
//
//   parts     0: {1}   1: {0, 1}   2: {1, 2}
//   begin     0 1 4 5                          row 0 has one part, row 1 three, row 2 one
//   of_rows   1 | 0 1 2 | 2
ExposureCosts::Parts ExposureCosts::Index(std::vector<Part> parts,
                                          std::span<const std::vector<std::uint32_t>* const> rows) {
  Parts out;
  out.parts = std::move(parts);
  std::size_t row_count = 0;
  for (const auto* of_part : rows) {
    for (const std::uint32_t row : *of_part) row_count = std::max<std::size_t>(row_count, row + 1);
  }
  out.begin.resize(row_count + 1, 0);
  for (const auto* of_part : rows) {
    for (const std::uint32_t row : *of_part) ++out.begin[row + 1];
  }
  for (std::size_t row = 0; row < row_count; ++row) out.begin[row + 1] += out.begin[row];
  out.of_rows.resize(out.begin.back());
  std::vector<std::uint32_t> next = out.begin;
  for (std::uint32_t part = 0; part < rows.size(); ++part) {
    for (const std::uint32_t row : *rows[part]) out.of_rows[next[row]++] = part;
  }
  return out;
}

// Counts the selected rows of each part. If there are enough, adds the part's time to its device.
// For the selection 0 and 1 in the example, part 1 is complete with both, and part 0 with row 1.
// Part 2 is not, because it needs row 2. Only the parts of the selected rows are reset.
double ExposureCosts::CostOf(Parts& parts, std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> met;
  for (const std::uint32_t row : rows) {
    if (row + std::size_t{1} >= parts.begin.size()) continue;
    for (std::uint32_t i = parts.begin[row]; i < parts.begin[row + 1]; ++i) {
      Part& part = parts.parts[parts.of_rows[i]];
      if (part.have++ == 0) met.push_back(parts.of_rows[i]);
      if (part.have == part.needed) sums_[part.device] += part.time;
    }
  }
  // Parts are sorted by device, so that sums of devices are added in a fixed order, independent of
  // the selection.
  std::sort(met.begin(), met.end());
  double cost = 0;
  for (const std::uint32_t index : met) {
    Part& part = parts.parts[index];
    part.have = 0;
    const Ns sum = std::exchange(sums_[part.device], 0);  // Once for each device.
    const double of_device =
        static_cast<double>(sum) / static_cast<double>(iterations_[part.device]);
    cost = across_ == AcrossDevices::kSum ? cost + of_device : std::max(cost, of_device);
  }
  return cost;
}

std::optional<double> ExposureCosts::Exposed(std::span<const std::uint32_t> rows) {
  if (!has_work_) return std::nullopt;
  return CostOf(work_, rows);
}

double ExposureCosts::Idle(std::span<const std::uint32_t> rows) { return CostOf(gaps_, rows); }

}  // namespace profgauge::analysis::catalog
