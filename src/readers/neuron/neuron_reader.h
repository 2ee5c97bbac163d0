// AWS Neuron: device profiles as neuron-profile and neuron-explorer export them (JSON,
// summary-json, summary-text, tables as CSV) and the system profile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeNeuronReader();

/// Reads the tables of one profile, a file for each. Errors: kInput, as of one file.
Result<Profile> ReadNeuronTables(const std::vector<std::string>& paths, const ReadOptions& options);

}  // namespace profgauge::readers
