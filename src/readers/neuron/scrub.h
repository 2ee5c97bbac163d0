// Defines copies of Neuron's profiles without folders, accounts and file names: only numbers, and
// texts that reports need.
#pragma once

#include <string_view>

#include "readers/text/csv_copy.h"
#include "readers/text/json_copy.h"

namespace profgauge::readers::neuron {

/// The reader whose files are copied.
inline constexpr std::string_view kReader = "neuron";

/// The parts of the JSON, and of summaries by name, to copy: all numbers, and the texts of keys
/// that the reader uses. `rename` must outlive it.
JsonKeep KeptKeys(const Rename& rename);

/// The part of a CSV column to copy: only its numbers if the reader does not use the column.
CsvKeep KeptColumn(std::string_view column);

}  // namespace profgauge::readers::neuron
