#include "report/work_times.h"

#include <string>
#include <variant>

#include "analysis/tables/column_of.h"
#include "analysis/tables/device_columns.h"

namespace profgauge::report {

std::optional<KernelTimes> KernelTimesOf(const Report& report) {
  const Table* kernels = FindTableById(report, "kernels");
  if (kernels == nullptr) return std::nullopt;
  const Column* time = ColumnOf<columns::kKernels>(kernels, "time"_col);
  const Column* uses = ColumnOf<columns::kKernels>(kernels, "uses_tensor_core"_col);
  // The scope of the summary beside it: the selected iterations.
  const Column* outside = ColumnOf<columns::kKernels>(kernels, "outside"_col);
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
  const Column* time = ColumnOf<columns::kMemcpys>(copies, "time"_col);
  if (time == nullptr) time = copies->Find("duration");
  if (time == nullptr) return std::nullopt;
  double sum = 0;
  for (std::size_t row = 0; row < copies->rows(); ++row) sum += AsNumber(copies->At(row, *time), 0);
  return sum;
}

}  // namespace profgauge::report
