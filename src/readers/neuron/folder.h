// What a folder of Neuron's files holds beyond profiles of one file each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/reader.h"

namespace profgauge::readers::neuron {

/// What a file of Neuron's tools is that only these read, or a Parquet table; nothing for others.
std::optional<Error> RefuseRaw(const std::string& path, std::string_view head);

/// Tables of one profile, a file each, are one profile: reads those, and takes them out of `files`.
Status ReadTableFiles(std::vector<std::string>& files, const ReadOptions& options, Run& run);

/// A system profile beside device profiles is the host of the same run, no rank: what it says of
/// memory and CPUs goes to the first of them.
void SettleHost(Run& run);

}  // namespace profgauge::readers::neuron
