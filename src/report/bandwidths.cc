#include "report/bandwidths.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/median.h"
#include "knowledge/collectives.h"

namespace profgauge::report {
namespace {

/// Kind, ranks, class of sizes.
using Alike = std::tuple<std::string, std::int64_t, std::int64_t>;

void Judge(const std::vector<std::size_t>& places, std::vector<SizeBandwidth>& all) {
  if (places.size() < knowledge::kCollectivesSlowLeastCalls) return;
  std::vector<double> values;
  for (const std::size_t place : places) values.push_back(all[place].bandwidth);
  const double usual = Median(std::move(values));
  for (const std::size_t place : places) {
    all[place].usual = usual;
    all[place].is_slow = all[place].bandwidth < knowledge::kCollectivesSlowShare * usual;
  }
}

}  // namespace

std::vector<SizeBandwidth> SizeBandwidths(const Report& report) {
  std::vector<SizeBandwidth> all;
  const Table* sizes = FindTableById(report, "message_sizes");
  if (sizes == nullptr) return all;
  std::map<Alike, std::vector<std::size_t>> alike;
  for (std::size_t row = 0; row < sizes->rows(); ++row) {
    const Value bandwidth = sizes->At(row, "bus_bandwidth");
    const double calls = AsNumber(sizes->At(row, "calls"), 0);
    const double bytes = AsNumber(sizes->At(row, "bytes"), 0);
    if (IsAbsent(bandwidth) || !(calls > 0) || !(bytes > 0)) continue;
    SizeBandwidth one;
    one.kind = FormatValue(sizes->At(row, "name"), Unit::kText);
    one.group = FormatValue(sizes->At(row, "group"), Unit::kText);
    one.ranks = static_cast<std::int64_t>(AsNumber(sizes->At(row, "group_size"), 0));
    one.bytes = bytes / calls;
    one.bandwidth = AsNumber(bandwidth, 0);
    const auto from = static_cast<std::int64_t>(AsNumber(sizes->At(row, "from"), 0));
    alike[{one.kind, one.ranks, from}].push_back(all.size());
    all.push_back(std::move(one));
  }
  for (const auto& [key, places] : alike) Judge(places, all);
  return all;
}

std::vector<SizeBandwidth> SlowBandwidths(const std::vector<SizeBandwidth>& all) {
  std::vector<SizeBandwidth> slow;
  std::copy_if(all.begin(), all.end(), std::back_inserter(slow),
               [](const SizeBandwidth& one) { return one.is_slow; });
  std::stable_sort(slow.begin(), slow.end(), [](const SizeBandwidth& a, const SizeBandwidth& b) {
    return a.bandwidth / a.usual < b.bandwidth / b.usual;
  });
  return slow;
}

}  // namespace profgauge::report
