#include "readers/rocprofv3/rocpd/rocpd_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "readers/database/sqlite_table.h"
#include "readers/folders.h"
#include "readers/rocprofv3/rocpd/import.h"
#include "readers/rocprofv3/rocpd/schema.h"
#include "readers/rocprofv3/rocprofv3_reader.h"

namespace profgauge::readers {
namespace rocpd {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatabase = "_results.db", kJson = "_results.json";
/// `rocpd.db` or `rocpd-PID.db`.
bool IsOfRocprofSys(std::string_view name) {
  return name.starts_with("rocpd") && name.ends_with(".db") &&
         name.find_first_not_of("-0123456789", std::string_view("rocpd").size()) == name.size() - 3;
}

/// Each costs a search in the list of all tables; a merged file of a large run has hundreds.
constexpr std::size_t kMostProcesses = 1024;

bool HasLaunch(const Profile& profile) {
  const auto& kinds = profile.api.kind;
  return std::find(kinds.begin(), kinds.end(), ApiKind::kLaunch) != kinds.end();
}

bool HasCopy(const Profile& profile) {
  const auto& kinds = profile.device.kind;
  return std::find(kinds.begin(), kinds.end(), DeviceKind::kMemcpy) != kinds.end();
}

std::size_t EventsOf(const Profile& profile) {
  return profile.device.size() + profile.host.size() + profile.api.size();
}

Status AddFacts(sqlite::Database& database, const std::set<std::string>& tables,
                const std::string& suffix, const Import& import, ProfileBuilder& builder) {
  PROFGAUGE_TRY(const Metadata metadata, ReadMetadata(database, suffix));
  const std::string version = metadata.version.empty() ? "" : " " + metadata.version;
  builder.source().dialect = (metadata.is_of_rocprof_sys ? "rocprof-sys rocpd" : "rocpd") + version;
  if (!metadata.version.empty()) builder.AddFact("rocpd_schema_version", metadata.version);
  builder.AddFact("rocpd_layout", import.Layout());
  const std::string& traced = import.environment().traced;
  if (!traced.empty()) builder.AddFact("traced", traced);
  PROFGAUGE_TRY(const auto unknown, UnknownTables(database, tables, suffix));
  for (const std::string& table : unknown) builder.AddFact("table that is not read", table);
  return {};
}

/// A launcher inherits its ranks' environment: only who computes or communicates has a rank.
void SetRank(const Environment& environment, Profile& profile) {
  if (profile.device.size() + profile.host.size() == 0) return;
  profile.distributed.rank = environment.rank;
  profile.distributed.world_size = environment.world_size;
}

Result<Profile> ReadProcess(sqlite::Database& database, const std::set<std::string>& tables,
                            const std::string& suffix, ProfileBuilder builder) {
  builder.SetHints(rocprofv3::Hints());
  builder.source().accelerator = "amd";
  builder.source().is_of_any_program = true;
  Import import(database, suffix, builder);
  PROFGAUGE_CHECK(import.Read());
  PROFGAUGE_CHECK(AddFacts(database, tables, suffix, import, builder));
  PROFGAUGE_TRY(auto profile, builder.Finish());
  const Environment& environment = import.environment();
  SetRank(environment, profile);
  if (!HasCopy(profile) && !environment.copies_traced) {
    profile.copies_unknown = rocprofv3::kNoCopies;
  }
  const bool may_lack_kernels = environment.kernels_traced || !environment.says_traced;
  if (profile.device.size() == 0 && HasLaunch(profile) && may_lack_kernels) {
    profile.log.AddAt(Counter::profiler_warnings,
                      environment.kernels_traced
                          ? "kernels were launched and traced, but none is in the file: the "
                            "profiler was stopped while it wrote"
                          : "kernels were launched, but none was recorded");
  }
  return profile;
}

class RocpdReader final : public Reader {
 public:
  std::string_view name() const override { return "rocpd"; }
  std::string_view expected() const override { return "rocprofv3's database (*_results.db)"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {kDatabase, "rocpd.db"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte>) const override { return Match::kNo; }
  Match SniffTables(const std::set<std::string>& tables) const override {
    return SuffixesOf(tables).empty() ? Match::kNo : Match::kYes;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    PROFGAUGE_TRY(auto profiles, ReadRanks(source, options));
    return std::move(profiles.front());
  }

  Result<std::vector<Profile>> ReadRanks(ByteSource& source, const ReadOptions&) const override {
    if (HasHotJournal(source.name())) return Fail(Interrupted(source.name()));
    ProfileBuilder first;
    PROFGAUGE_TRY(auto database, OpenDatabase(source, "rocprofv3", "rocpd", first));
    PROFGAUGE_TRY(const auto tables, TableNames(database));
    const std::vector<std::string> suffixes = SuffixesOf(tables);
    if (suffixes.size() > kMostProcesses) {
      return Fail(InputError(source.name(), "rocpd/too-many",
                             fmt::format("the database has {} processes, at most {} are supported",
                                         suffixes.size(), kMostProcesses),
                             "pass the files of the processes instead of the merged one"));
    }
    PROFGAUGE_CHECK(CheckLayout(database, suffixes));
    std::vector<Profile> profiles;
    const Source opened = first.source();
    std::string dialect;
    for (const std::string& suffix : suffixes) {
      ProfileBuilder builder = std::exchange(first, ProfileBuilder());
      builder.source() = opened;
      PROFGAUGE_TRY(auto profile, ReadProcess(database, tables, suffix, std::move(builder)));
      dialect = profile.source.dialect;
      if (EventsOf(profile) > 0) profiles.push_back(std::move(profile));
    }
    if (!profiles.empty()) return profiles;
    return Fail(NoEvents(source.name(), dialect));
  }

  std::optional<Error> RefuseTables(const std::string& path,
                                    const std::set<std::string>& tables) const override {
    if (tables.contains("rocpd_api") && tables.contains("rocpd_op")) {
      return InputError(
          path, "input/rpd",
          "the file is a trace of rocmProfileData (rpd_tracer), which is not supported",
          std::string(rocprofv3::kRecord));
    }
    const bool is_rocpd = std::any_of(tables.begin(), tables.end(), [](const std::string& table) {
      return table.starts_with("rocpd_");
    });
    if (!is_rocpd) return std::nullopt;
    return InputError(path, "input/rocpd",
                      "the file is a database of rocprofv3 (rocpd) with an unknown layout",
                      std::string(rocprofv3::kRecord));
  }

  std::string_view CheckFirst(const Source& source) const override {
    if (source.format != "rocprofv3") return {};
    if (source.dialect.starts_with("rocprof-sys rocpd")) {
      return "this format was tested without a database of rocprof-sys: check the number of "
             "kernels, the threads and the GPUs; `rocpd_layout` lists the tables and columns found";
    }
    if (!source.dialect.starts_with("rocpd")) return {};
    return "this format was tested without a database of rocprofv3: compare the numbers of "
           "kernels, calls and markers with `rocpd convert`, and check the rank and marker names; "
           "`rocpd_layout` lists the tables and columns found";
  }
  // It writes DIR/HOST/PID_results.db; files in pass_1, pass_2 … are runs with other counters.
  std::vector<std::string> OutputsOf(const std::string& folder,
                                     std::vector<std::string>&) const override {
    return FoldersBelow(folder, [](const fs::path& host) {
      return !host.filename().string().starts_with("pass_") &&
             AnyNameIn(host, [](const std::string& name) {
               return name.ends_with(kDatabase) || name.ends_with(kJson) || IsOfRocprofSys(name);
             });
    });
  }

  // PID_results.json and PID_results.db of one run are the same events: the database counts.
  std::string FullerThan(const std::string& name,
                         const std::vector<std::string>& names) const override {
    if (!name.ends_with(kJson)) return {};
    const std::string database =
        name.substr(0, name.size() - kJson.size()) + std::string(kDatabase);
    return std::find(names.begin(), names.end(), database) != names.end() ? database : "";
  }

  // Launchers and loaders of data may write a file, too.
  // A process that only calls the runtime is no rank; one that launched and lost its kernels is.
  Status Settle(const std::string&, Run& run) const override {
    const auto is_idle = [](const Profile& profile) {
      return profile.source.format == "rocprofv3" &&
             profile.device.size() + profile.host.size() == 0 && !HasLaunch(profile);
    };
    const auto works = [](const Profile& profile) {
      return profile.source.format == "rocprofv3" && profile.device.size() > 0;
    };
    if (std::none_of(run.profiles.begin(), run.profiles.end(), works)) return {};
    for (const Profile& profile : run.profiles) {
      if (!is_idle(profile)) continue;
      run.skipped.push_back(profile.source.path +
                            ": a process without kernels, collectives and ranges is not a rank");
    }
    std::erase_if(run.profiles, is_idle);
    return {};
  }

 private:
  // Until ROCm 7.0 rocprof-sys wrote no kernels, copies and calls at all.
  static Error NoEvents(const std::string& path, const std::string& dialect) {
    const bool is_of_rocprof_sys = dialect.starts_with("rocprof-sys");
    return InputError(path, "rocprofv3/no-events",
                      is_of_rocprof_sys
                          ? "the database of rocprof-sys has no kernels, copies, calls or ranges"
                          : "the rocprofv3 file has no kernels, copies, calls or ranges",
                      (is_of_rocprof_sys ? "record with a later rocprof-sys, or " : "") +
                          std::string(rocprofv3::kRecord));
  }
  static Error Interrupted(const std::string& path) {
    return InputError(
        path, "rocpd/interrupted",
        fmt::format("the profiler was stopped while it wrote the database: {}-journal exists",
                    fs::path(path).filename().string()),
        "record again; `sqlite3 FILE 'pragma integrity_check'` takes the unfinished "
        "part back, what is left lacks what was not yet written");
  }
};

}  // namespace
}  // namespace rocpd

std::unique_ptr<Reader> MakeRocpdReader() { return std::make_unique<rocpd::RocpdReader>(); }

}  // namespace profgauge::readers
