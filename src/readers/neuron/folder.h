// Neuron's files in a folder beyond profiles of one file each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/reader.h"

namespace profgauge::readers::neuron {

/// How to record a readable capture: part of all help texts about Neuron's files.
inline constexpr std::string_view kExport =
    "export the profile with `neuron-explorer view -n MODEL.neff -s PROFILE.ntff --ingest-only "
    "--display-name NAME`, then pass the folder `profiles/global/NAME@latest`; before SDK 2.27 "
    "with `neuron-profile view -n MODEL.neff -s PROFILE.ntff --output-format json --output-file "
    "profile.json`";

/// The folders of neuron-explorer's profiles in its data folder, in `profiles/global` of it or in
/// `folder`; none where there are none.
std::vector<std::string> ProfilesBelow(const std::string& folder);

/// The kind of a file that only Neuron's tools read; nothing for others.
std::optional<Error> RefuseRaw(const std::string& path, std::string_view head);

/// Tables of one profile, a file each, are one profile: reads those, and takes them out of `files`.
Status ReadTableFiles(std::vector<std::string>& files, const ReadOptions& options, Run& run);

/// A system profile beside device profiles is the host of the same run, no rank: its data about
/// memory and CPUs goes to the first of them.
void SettleHost(Run& run);

}  // namespace profgauge::readers::neuron
