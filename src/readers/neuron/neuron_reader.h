// AWS Neuron: device profiles as neuron-profile and neuron-explorer export them (JSON,
// summary-json, summary-text, tables as CSV) and the system profile.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeNeuronReader();

/// Whether the bytes are a table of schema 7.4.0 as CSV. Such files of one folder are one profile.
bool IsNeuronTable(std::span<const std::byte> head);
/// Whether the file is named like such a table ("x/PendingDma.csv").
bool IsNeuronTableName(const std::string& path);
/// Reads the tables of one profile, a file for each. Errors: kInput, as of one file.
Result<Profile> ReadNeuronTables(const std::vector<std::string>& paths, const ReadOptions& options);

}  // namespace profgauge::readers
