// Copies of Neuron's profiles without folders, accounts and file names: only numbers, and texts
// that reports need.
#pragma once

#include <string_view>

#include "readers/text/csv_copy.h"
#include "readers/text/json_copy.h"

namespace profgauge::readers::neuron {

/// The reader whose files are copied.
inline constexpr std::string_view kReader = "neuron";

/// The parts of the JSON, and of its summaries by name, that are copied: all numbers, and texts of
/// keys that are read. `rename` must outlive it.
JsonKeep KeptKeys(const Rename& rename);

/// The copied part of a CSV column: only numbers if the column is not read.
CsvKeep KeptColumn(std::string_view column);

}  // namespace profgauge::readers::neuron
