#include "readers/xla/op_sums.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>
#include "base/metric_id.h"
#include "base/whole_number.h"

namespace profgauge::readers::xla {
namespace {

constexpr const char* kNote = "by XLA's FLOPs of each operator, from the first to the last";

Value Known(double value) { return value >= 0 ? Value(value) : Value{}; }

}  // namespace

void OpSums::SetPeaks(double flops, double bandwidth) {
  peak_flops_ = std::max(peak_flops_, flops);
  peak_bandwidth_ = std::max(peak_bandwidth_, bandwidth);
}

void OpSums::Extend(std::int32_t device, Ns start, Ns end) {
  const auto [at, is_new] = devices_.try_emplace(device, Extent{start, end});
  at->second.first = std::min(at->second.first, start);
  at->second.last = std::max(at->second.last, end);
}

void OpSums::Add(StringId name, Ns duration, double flops, double bytes) {
  if (flops <= 0) return;
  Sum& sum = ops_[name.value];
  ++sum.calls;
  sum.time += duration;
  sum.flops += flops;
  sum.bytes += std::max(bytes, 0.0);
  sum.knows_bytes = sum.knows_bytes && bytes >= 0;
}

void OpSums::Report(ProfileBuilder& builder) const {
  double flops = 0, seconds = 0;
  for (const auto& [name, sum] : ops_) flops += sum.flops;
  for (const auto& [device, extent] : devices_) {
    seconds += static_cast<double>(extent.last - extent.first) * 1e-9;
  }
  if (flops <= 0 || seconds <= 0) return;
  Reported& reported = builder.reported();
  reported.metrics.push_back({metric::kFlopsAchieved, flops / seconds, kNote});
  if (peak_flops_ > 0) {
    reported.metrics.push_back({metric::kFlopsHfu, flops / seconds / peak_flops_, kNote});
  }
  std::vector<std::pair<std::uint32_t, Sum>> rows(ops_.begin(), ops_.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.second.time, a.first) < std::pair(-b.second.time, b.first);
  });
  ReportedTable table{"roofline",
                      {"name", "calls", "time", "flops", "bytes", "intensity", "achieved", "peak",
                       "mfu", "achieved_bandwidth", "bandwidth_share", "bound", "roof_share"},
                      {}};
  for (const auto& [name, sum] : rows) {
    const double time = static_cast<double>(sum.time) * 1e-9;
    const bool timed = time > 0;
    const double bytes = sum.knows_bytes && sum.bytes < kLargestWhole ? sum.bytes : -1;
    const double compute = peak_flops_ > 0 ? sum.flops / peak_flops_ : -1;
    const double memory = peak_bandwidth_ > 0 && bytes >= 0 ? bytes / peak_bandwidth_ : -1;
    const bool roof = compute >= 0 && memory >= 0;
    table.rows.push_back(
        {std::string(builder.Name(StringId{name})), sum.calls, sum.time, sum.flops,
         bytes >= 0 ? Value(static_cast<std::int64_t>(bytes)) : Value{},
         Known(bytes > 0 ? sum.flops / bytes : -1), Known(timed ? sum.flops / time : -1),
         Known(peak_flops_ > 0 ? peak_flops_ : -1),
         Known(timed && compute >= 0 ? compute / time : -1),
         Known(timed && bytes >= 0 ? bytes / time : -1),
         Known(timed && memory >= 0 ? memory / time : -1),
         roof ? Value(std::string(compute > memory ? "compute" : "memory")) : Value{},
         Known(timed && roof ? std::max(compute, memory) / time : -1)});
  }
  reported.tables.push_back(std::move(table));
}

}  // namespace profgauge::readers::xla
