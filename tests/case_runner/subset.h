// "Is this JSON contained in that one?", for expectations that name only the subject of a case.
//
// An object is contained when each of its keys is. Arrays must agree in length and element by
// element. Three short cuts address parts of arrays from an object:
//   {"2": …}              the third element
//   {"metric=gpu.idle": …}  the first element whose "metric" is "gpu.idle"
//   "tables": {"ops": {"name=aten::mm": {"calls": 3}}}   a table's row, by the value of a column
// Numbers agree within a relative 1e-9; whole numbers exactly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profgauge::cases {

/// The parts of `expected` that are not in `actual`, as "path: expected …, found …"; empty when
/// contained.
std::vector<std::string> SubsetDifferences(std::string_view expected, std::string_view actual);

/// `expected` with its values replaced by the actual ones at the same places.
std::string UpdateSubset(std::string_view expected, std::string_view actual);

}  // namespace profgauge::cases
