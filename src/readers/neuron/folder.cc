#include "readers/neuron/folder.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "base/byte_source.h"
#include "base/errors.h"
#include "readers/neuron/csv.h"
#include "readers/neuron/form.h"
#include "readers/neuron/neuron_reader.h"
#include "readers/neuron/tables.h"

namespace profgauge::readers::neuron {
namespace {

/// Names of the raw files of a capture of a system.
constexpr std::string_view kRaw[] = {"ntrace.pb", "trace_info.pb", "cpu_util.pb", "host_mem.pb"};

bool IsTableFile(const std::string& path) {
  auto source = path.ends_with(".csv") ? OpenByteSource(path) : Fail(Error{});
  if (!source) return false;
  std::vector<std::byte> head(kSniffBytes);
  const auto got = (*source)->Read(head);
  return got && IsTable(AsText(std::span(head).first(*got)));
}

bool IsNamedLikeATable(const std::string& path) {
  return TableKindOf(TableNameOf(path)) != TableKind::kUnknown;
}

}  // namespace

std::optional<Error> RefuseRaw(const std::string& path, std::string_view head) {
  if (head.starts_with("PAR1")) {
    return InputError(path, "neuron/parquet", "the file is a Parquet table, which is not read",
                      "write it as CSV with `duckdb -c \"COPY (FROM 'Instruction.parquet') TO "
                      "'Instruction.csv'\"` for each table, then pass the folder; or export the "
                      "profile with `neuron-explorer view -n MODEL.neff -s PROFILE.ntff "
                      "--output-format json --output-file profile.json`");
  }
  if (path.ends_with(".ntff") || path.ends_with(".neff")) {
    return InputError(path, path.ends_with(".ntff") ? "neuron/ntff" : "neuron/neff",
                      "the file is in Neuron's own format, which only its own tools can read",
                      "export the profile with `neuron-explorer view -n MODEL.neff -s "
                      "PROFILE.ntff --output-format json --output-file profile.json`, then pass "
                      "`profile.json`");
  }
  const bool is_raw = std::any_of(std::begin(kRaw), std::end(kRaw),
                                  [&](std::string_view name) { return path.ends_with(name); });
  if (!is_raw) return std::nullopt;
  return InputError(path, "neuron/raw",
                    "the file is a part of a raw capture of Neuron, which only its own tools can "
                    "read",
                    "export the capture with `neuron-explorer view -d DIR --output-format json`, "
                    "then pass `system_profile.json` and the `device_profile_model_*.json` beside "
                    "it");
}

Status ReadTableFiles(std::vector<std::string>& files, const ReadOptions& options, Run& run) {
  if (files.size() < 2 || std::none_of(files.begin(), files.end(), IsTableFile)) return {};
  const auto is_table = [](const std::string& path) {
    return path.ends_with(".csv") && (IsNamedLikeATable(path) || IsTableFile(path));
  };
  const auto rest = std::stable_partition(files.begin(), files.end(),
                                          [&](const std::string& path) { return !is_table(path); });
  const std::vector<std::string> tables(rest, files.end());
  files.erase(rest, files.end());
  PROFGAUGE_TRY(auto profile, ReadNeuronTables(tables, options));
  run.profiles.push_back(std::move(profile));
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
        ": taken for memory and CPUs of the host; pass it alone for its timeline");
  }
  if (device->reported.metrics.empty()) device->reported = std::move(host);
  std::erase_if(run.profiles, is_system);
}

}  // namespace profgauge::readers::neuron
