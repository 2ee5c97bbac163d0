#include "report/table_sums.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "analysis/catalog/device_columns.h"
#include "analysis/catalog/row_writer.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/whole.h"
#include "knowledge/collectives.h"

namespace profgauge::report {
namespace {

/// Kind, number of ranks, size class.
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
    one.ranks = AsWhole(sizes->At(row, "group_size"), 0);
    one.bytes = bytes / calls;
    one.bandwidth = AsNumber(bandwidth, 0);
    const auto from = AsWhole(sizes->At(row, "from"), 0);
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

std::optional<KernelTimes> KernelTimesOf(const Report& report) {
  const Table* kernels = FindTableById(report, "kernels");
  if (kernels == nullptr) return std::nullopt;
  const Column* time =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kKernels>(kernels, "time"_col);
  const Column* uses = analysis::catalog::ColumnOf<analysis::catalog::columns::kKernels>(
      kernels, "uses_tensor_core"_col);
  // Only work in the selected iterations counts, like in the summary beside it.
  const Column* outside =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kKernels>(kernels, "outside"_col);
  KernelTimes times;
  for (std::size_t row = 0; time != nullptr && row < kernels->rows(); ++row) {
    const double of_others = outside == nullptr ? 0 : AsNumber(kernels->At(row, *outside), 0);
    const double ns = AsNumber(kernels->At(row, *time), 0) - of_others;
    const Value cell = uses == nullptr ? Value() : kernels->At(row, *uses);
    const auto* text = std::get_if<std::string>(&cell);
    (text != nullptr && *text == "yes"       ? times.on_matrix_units
     : text != nullptr && *text == "unknown" ? times.undecided
                                             : times.off) += ns;
  }
  return times;
}

std::optional<double> CopyTimeOf(const Report& report) {
  const Table* copies = FindTableById(report, "memcpys");
  if (copies == nullptr) return std::nullopt;
  const Column* time =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kMemcpys>(copies, "time"_col);
  if (time == nullptr) return std::nullopt;
  double sum = 0;
  for (std::size_t row = 0; row < copies->rows(); ++row) sum += AsNumber(copies->At(row, *time), 0);
  return sum;
}

}  // namespace profgauge::report
