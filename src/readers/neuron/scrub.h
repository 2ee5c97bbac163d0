// Copies of Neuron's profiles without folders, accounts and names of files: numbers, and the texts
// that reports need.
#pragma once

#include <string_view>

#include "readers/text/csv_copy.h"
#include "readers/text/json_copy.h"

namespace profgauge::readers::neuron {

/// Of the reader whose files are copied.
inline constexpr std::string_view kReader = "neuron";

/// What stays of the JSON, and of its summaries by name: all numbers, and texts of keys that are
/// read. `rename` must outlive it.
JsonKeep KeptKeys(const Rename& rename);

/// The copy of a column of CSV: of one that is not read only numbers.
CsvKeep KeptColumn(std::string_view column);

}  // namespace profgauge::readers::neuron
