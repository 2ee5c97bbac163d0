// The summaries of `nsys stats`, from any profile: same names, columns, order and rounding.
//
// Definitions from a genuine output and NVIDIA's documentation of the report scripts: the median of
// an even count is the mean of the middle two, the standard deviation is the sample's (0 for one),
// a MB is 1 000 000 bytes, rows are sorted by total, longest first. One difference is intended: the
// suffix that PyTorch adds to the name of a range (", seq = 3, op_id = 7") is not part of it, so
// that the calls of an operator are one row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exports/selected.h"

namespace profgauge::nsys {

struct ReportTable {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
};

struct ReportSpec {
  std::string_view name;   ///< "cuda_gpu_kern_sum"
  std::string_view brief;  ///< The meaning of a row.
  ReportTable (*make)(std::span<const SelectedRank> ranks);
};
std::span<const ReportSpec> Reports();
/// By its name, or the one that nsys had before 2022.4 ("gpukernsum"); nullptr when there is none.
const ReportSpec* FindReport(std::string_view name);

}  // namespace profgauge::nsys
