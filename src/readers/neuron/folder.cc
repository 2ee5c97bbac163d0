#include "readers/neuron/folder.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/errors.h"
#include "readers/folders.h"
#include "readers/neuron/neuron_reader.h"
#include "readers/neuron/table_files.h"

namespace profgauge::readers::neuron {
namespace {

/// Names of the raw files of a capture of a system.
constexpr std::string_view kRaw[] = {"ntrace.pb", "trace_info.pb", "cpu_util.pb", "host_mem.pb"};

}  // namespace

std::optional<Error> RefuseRaw(const std::string& path, std::string_view) {
  if (path.ends_with(".ntff") || path.ends_with(".neff")) {
    return InputError(path, path.ends_with(".ntff") ? "neuron/ntff" : "neuron/neff",
                      "the file is in Neuron's own format, which only its own tools can read",
                      std::string(kExport));
  }
  const bool is_raw = std::any_of(std::begin(kRaw), std::end(kRaw),
                                  [&](std::string_view name) { return path.ends_with(name); });
  if (!is_raw) return std::nullopt;
  return InputError(path, "neuron/raw",
                    "the file is a part of a raw capture of Neuron, which only its own tools can "
                    "read",
                    "export the capture with `neuron-explorer view -d DIR --ingest-only "
                    "--display-name NAME`, then pass the folder `profiles/global/NAME@latest`; "
                    "before SDK 2.27 with `neuron-profile view -d DIR --output-format json`");
}

std::vector<std::string> ProfilesBelow(const std::string& folder) {
  namespace fs = std::filesystem;
  const auto is_latest = [](const fs::path& below) {
    return below.filename().string().ends_with("@latest");
  };
  std::vector<std::string> found =
      FoldersBelow((fs::path(folder) / "profiles" / "global").string(), is_latest);
  return found.empty() ? FoldersBelow(folder, is_latest) : found;
}

Status ReadTableFiles(std::vector<std::string>& files, const ReadOptions& options, Run& run) {
  const auto rest = TablesOf(files);
  const std::vector<std::string> found(rest, files.end());
  files.erase(rest, files.end());
  for (const auto& [folder, paths] : ByFolder(found)) {
    PROFGAUGE_TRY(TableFiles tables, OrderTables(paths));
    PROFGAUGE_TRY(auto profile, ReadNeuronTables(tables, options));
    run.profiles.push_back(std::move(profile));
    std::move(tables.skipped.begin(), tables.skipped.end(), std::back_inserter(run.skipped));
  }
  return {};
}

void SettleHost(Run& run) {
  const auto is_system = [](const Profile& profile) {
    return profile.source.format == "neuron" && profile.neuron == nullptr;
  };
  const auto device =
      std::find_if(run.profiles.begin(), run.profiles.end(),
                   [](const Profile& profile) { return profile.neuron != nullptr; });
  if (device == run.profiles.end()) return;
  Reported host;
  for (Profile& profile : run.profiles) {
    if (!is_system(profile)) continue;
    if (host.metrics.empty()) host = std::move(profile.reported);
    run.skipped.push_back(
        profile.source.path +
        ": used for memory and CPUs of the host; pass only this file to get its timeline");
  }
  if (device->reported.metrics.empty()) device->reported = std::move(host);
  std::erase_if(run.profiles, is_system);
}

}  // namespace profgauge::readers::neuron
