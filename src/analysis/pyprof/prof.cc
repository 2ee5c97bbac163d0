#include "analysis/pyprof/prof.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/pyprof/call.h"
#include "analysis/pyprof/formulas.h"

namespace profgauge::pyprof {
namespace {

// PyProf's order: what two formulas could take, the earlier one gets.
Row PyprofRow(const Kernel& kernel) {
  for (const auto formula :
       {LinearRow, CellRow, ConvolutionRow, PointwiseRow, ProductRow, OperatorRow}) {
    if (auto row = formula(kernel)) return std::move(*row);
  }
  return DefaultRow(kernel);
}

ProfResult Published(Row row, const Call& call) {
  ProfResult result;
  if (row.failed) return result;
  result.module = call.module;
  result.op = row.op.empty() ? call.op : std::move(row.op);
  result.params = std::move(row.params);
  result.tensor_core = std::move(row.tensor_core);
  result.flops = PythonText(row.flops);
  result.bytes = PythonText(row.bytes);
  result.understood = true;
  return result;
}

}  // namespace

Prof::Prof(const Profile& profile, Dialect dialect)
    : profile_(profile), dialect_(dialect), classes_(ClassifyDevice(profile)) {}

ProfResult Prof::operator()(const KernelRecord& record) const {
  if (record.markers.empty()) return {};
  const auto call = ParseCall(record.markers.front());
  if (!call) return {};
  Kernel kernel{record, *call, {0, 0, 0}, dialect_ == Dialect::kClassic};
  if (const LaunchConfigId config = profile_.device.config[record.row]; config.valid()) {
    const auto& grid = profile_.launch_configs[config.value].grid;
    std::copy(std::begin(grid), std::end(grid), std::begin(kernel.grid));
  }
  return Published(PyprofRow(kernel), *call);
}

}  // namespace profgauge::pyprof
