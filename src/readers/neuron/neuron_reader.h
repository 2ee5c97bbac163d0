// AWS Neuron: device profiles as neuron-profile and neuron-explorer export them (JSON,
// summary-json, summary-text, tables as Parquet or CSV) and the system profile.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeNeuronReader();

namespace neuron {
struct TableFiles;
}
/// Reads the tables of one profile, a file for each. Errors: kInput, as of one file.
Result<Profile> ReadNeuronTables(const neuron::TableFiles& tables, const ReadOptions& options);

}  // namespace profgauge::readers
