#include "readers/rocprofv3/rocpd/rocpd_reader.h"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "readers/database/sqlite_table.h"
#include "readers/folders.h"
#include "readers/rocprofv3/rocpd/schema.h"
#include "readers/rocprofv3/rocprofv3_reader.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers {

namespace rocpd {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatabase = "_results.db", kJson = "_results.json";
/// True for `rocpd.db` and `rocpd-PID.db`.
bool IsOfRocprofSys(std::string_view name) {
  return name.starts_with("rocpd") && name.ends_with(".db") &&
         name.find_first_not_of("-0123456789", std::string_view("rocpd").size()) == name.size() - 3;
}

/// The limit of processes: each needs a search of all tables. Large merged files have hundreds.
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

/// Sets the rank only of a process that computes or communicates: a launcher has one, too.
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
  // The tool writes DIR/HOST/PID_results.db. Folders pass_1, pass_2 … are runs with other counters.
  std::vector<std::string> OutputsOf(const std::string& folder,
                                     std::vector<std::string>&) const override {
    return FoldersBelow(folder, [](const fs::path& host) {
      return !host.filename().string().starts_with("pass_") &&
             AnyNameIn(host, [](const std::string& name) {
               return name.ends_with(kDatabase) || name.ends_with(kJson) || IsOfRocprofSys(name);
             });
    });
  }

  // The database beside PID_results.json, PID_results.db, because both have the same events.
  std::string FullerThan(const std::string& name,
                         const std::vector<std::string>& names) const override {
    if (!name.ends_with(kJson)) return {};
    const std::string database =
        name.substr(0, name.size() - kJson.size()) + std::string(kDatabase);
    return std::find(names.begin(), names.end(), database) != names.end() ? database : "";
  }

  // Removes profiles that are no rank, because launchers and data loaders may write a file, too. A
  // process that only calls the runtime is no rank, unless it launched kernels and lost them.
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
  // Up to ROCm 7.0, rocprof-sys wrote no kernels, copies and calls.
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

namespace profgauge::readers::rocpd {
namespace {

/// Prefixes of the names that both tools use for the domains that are read.
Domain DomainNamed(std::string_view category) {
  struct Entry {
    std::string_view start;
    Domain domain;
  };
  static constexpr std::array<Entry, 11> kEntries = {{
      {"HIP_RUNTIME_API", Domain::kCall},
      {"HIP_COMPILER_API", Domain::kCall},
      {"HSA_", Domain::kCall},
      {"rocm_hip_api", Domain::kCall},
      {"rocm_hsa_api", Domain::kCall},
      {"RCCL_API", Domain::kRccl},
      {"rocm_rccl_api", Domain::kRccl},
      {"MARKER_", Domain::kMarker},
      {"rocm_marker_api", Domain::kMarker},
      {"KERNEL_DISPATCH", Domain::kKernel},
      {"rocm_kernel_dispatch", Domain::kKernel},
  }};
  for (const auto& [start, domain] : kEntries) {
    if (category.starts_with(start)) return domain;
  }
  return Domain::kOther;
}

/// The text of `message` in an event's `{"message": …}`.
std::string MessageOf(std::string_view json) {
  std::string message;
  ReadJsonObject(json, [&](const JsonRow& row) { message = row.Text("message"); });
  return message;
}

}  // namespace

Result<TableScan> Import::Open(std::string_view base, std::initializer_list<Wanted> wanted,
                               const Only& only) {
  return TableScan::Open(database_, TableOf(base, suffix_), wanted, only);
}

// Reads first the tables to which rows refer: texts, processes, tracks, agents, symbols, events.
Status Import::Read() {
  PROFGAUGE_CHECK(ReadTexts());
  PROFGAUGE_CHECK(ReadCategories());
  PROFGAUGE_CHECK(ReadProcesses());
  PROFGAUGE_CHECK(ReadThreads());
  PROFGAUGE_CHECK(ReadTracks());
  PROFGAUGE_CHECK(ReadAgents());
  PROFGAUGE_CHECK(ReadSymbols());
  PROFGAUGE_CHECK(ReadEvents());
  PROFGAUGE_CHECK(ReadMessages());
  PROFGAUGE_CHECK(ReadKernels());
  PROFGAUGE_CHECK(ReadCopies());
  PROFGAUGE_CHECK(ReadRegions());
  PROFGAUGE_CHECK(ReadSamples());
  PROFGAUGE_CHECK(CountCounters());
  PROFGAUGE_CHECK(CountOthers());
  rows_.Finish();
  return {};
}

std::string Import::Layout() const {
  return fmt::format("streams by {}; {}; markers named by their {}; {} records without length",
                     streams_are_queues_ ? "queue"
                     : has_tracks_       ? "track"
                                         : "row",
                     has_categories_ ? "a table of categories" : "categories among the strings",
                     by_message_ > 0 ? "text" : "function", without_length_);
}

void Import::Keep(ById<Text>& texts, std::int64_t id, std::string_view text) {
  texts.Add(id, {bytes_.size(), text.size()});
  bytes_ += text;
}

std::string_view Import::TextOf(const ById<Text>& texts, std::int64_t id) const {
  const Text* const text = texts.Find(id);
  return text == nullptr ? std::string_view()
                         : std::string_view(bytes_).substr(text->begin, text->size);
}

// Keeps texts outside the profile's strings, because most are names of unused operations.
Status Import::ReadTexts() {
  PROFGAUGE_TRY(auto scan, Open("string", {{{"id"}}, {{"string"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] { Keep(texts_, scan.Integer(0), scan.Text(1)); });
}

Status Import::ReadCategories() {
  constexpr std::size_t kMostIds = 512;  // For markers; a writer has four.
  PROFGAUGE_TRY(auto scan, Open("info_category", {{{"id"}}, {{"name"}}}));
  has_categories_ = scan.Has(0);
  const auto note = [&](std::int64_t id, std::string_view name) {
    if (DomainNamed(name) != Domain::kMarker || marker_categories_.size() > kMostIds) return;
    marker_categories_.push_back(id);
  };
  if (has_categories_) {
    return scan.ForEach([&] {
      Keep(categories_, scan.Integer(0), scan.Text(1));
      note(scan.Integer(0), scan.Text(1));
    });
  }
  PROFGAUGE_TRY(auto strings, Open("string", {{{"id"}}, {{"string"}}}));
  if (!strings.Has(0)) return {};
  return strings.ForEach([&] { note(strings.Integer(0), strings.Text(1)); });
}

Domain Import::DomainOf(std::int64_t category) const {
  const std::string_view name = TextOf(has_categories_ ? categories_ : texts_, category);
  return name.empty() ? Domain::kNone : DomainNamed(name);
}

// Reads processes, without the command line and other private data.
Status Import::ReadProcesses() {
  PROFGAUGE_TRY(auto scan, Open("info_process", {{{"id"}}, {{"pid"}}, {{"environment"}}}));
  bool is_first = true;
  return scan.ForEach([&] {
    const std::int64_t pid = scan.Integer(1, scan.Integer(0, -1));
    pids_.Add(scan.Integer(0, pid), pid);
    if (is_first) environment_ = EnvironmentOf(scan.Text(2));
    is_first = false;
  });
}

Status Import::ReadThreads() {
  PROFGAUGE_TRY(auto scan, Open("info_thread", {{{"id"}}, {{"pid"}}, {{"tid"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] {
    const std::int64_t id = scan.Integer(0);
    threads_.Add(id, {scan.Integer(1, -1), scan.Integer(2, id)});
  });
}

Status Import::ReadTracks() {
  PROFGAUGE_TRY(
      auto scan,
      Open("track",
           {{{"id"}}, {{"pid"}}, {{"tid"}}, {{"agent_id"}}, {{"queue_id"}}, {{"stream_id"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] {
    tracks_.Add(scan.Integer(0), {scan.Integer(1, -1), scan.Integer(2, -1), scan.Integer(3, -1),
                                  scan.Integer(4, -1), scan.Integer(5, -1)});
  });
}

Status Import::ReadAgents() {
  PROFGAUGE_TRY(auto scan, Open("info_agent", {{{"id"}},
                                               {{"type"}},
                                               {{"type_index"}},
                                               {{"absolute_index"}},
                                               {{"product_name"}},
                                               {{"generic_name", "name"}},
                                               {{"extdata"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] {
    if (scan.Text(1) != "GPU") return;
    // rocprof-sys of ROCm 7.0 leaves the description empty.
    std::optional<Gpu> gpu;
    ReadJsonObject(scan.Text(6), [&](const JsonRow& agent) { gpu = rocprofv3::GpuOf(agent); });
    if (!gpu) gpu.emplace();
    if (gpu->id < 0) {
      const auto index = scan.IsSet(2) ? std::optional(scan.Integer(2)) : std::nullopt;
      gpu->id = rocprofv3::SmallOf(index, rocprofv3::SmallOf(scan.Integer(3, -1)));
    }
    if (gpu->name.empty()) gpu->name = scan.Text(4).empty() ? scan.Text(5) : scan.Text(4);
    rows_.AddGpu(scan.Integer(0), *std::move(gpu));
  });
}

// Reads symbols without extdata, which repeats the same data and is most of the file.
Status Import::ReadSymbols() {
  PROFGAUGE_TRY(auto scan,
                Open("info_kernel_symbol",
                     {{{"id"}}, {{"display_name"}}, {{"kernel_name"}}, {{"arch_vgpr_count"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] {
    const std::string_view name = scan.Text(1).empty() ? scan.Text(2) : scan.Text(1);
    if (name.empty()) return;
    rows_.AddSymbol(scan.Integer(0), name, rocprofv3::SmallOf(scan.Integer(3, -1)));
  });
}

// Reads events. Caches the last category: events of one kind are mostly consecutive.
Status Import::ReadEvents() {
  PROFGAUGE_TRY(auto scan, Open("event", {{{"id"}}, {{"category_id"}}, {{"stack_id"}}}));
  if (!scan.Has(0)) return {};
  std::int64_t last = -1;
  Domain domain = Domain::kNone;
  return scan.ForEach([&] {
    const std::int64_t category = scan.Integer(1, -1);
    if (category != last) domain = DomainOf(category);
    last = category;
    events_.Add(scan.Integer(0), {scan.Integer(2, 0), domain});
  });
}

Status Import::ReadMessages() {
  if (marker_categories_.empty()) return {};
  PROFGAUGE_TRY(const auto all, Open("event", {{{"id"}}, {{"category_id"}}, {{"extdata"}}}));
  if (!all.Has(0) || !all.Has(1) || !all.Has(2)) return {};
  PROFGAUGE_TRY(auto scan,
                Open("event", {{{"id"}}, {{"extdata"}}}, {"category_id", marker_categories_}));
  return scan.ForEach([&] {
    if (scan.Text(1) == "{}") return;
    const std::string message = MessageOf(scan.Text(1));
    if (!message.empty()) Keep(messages_, scan.Integer(0), message);
  });
}

const Import::Event& Import::EventOf(const TableScan& scan, std::size_t column) const {
  static constexpr Event kNone;
  const Event* const event = scan.IsSet(column) ? events_.Find(scan.Integer(column)) : nullptr;
  return event == nullptr ? kNone : *event;
}

const Import::Track* Import::TrackOf(const TableScan& scan, std::size_t column) const {
  return scan.IsSet(column) ? tracks_.Find(scan.Integer(column)) : nullptr;
}

// Looks up the rows of thread and process. If they are missing, uses the numbers themselves.
ThreadId Import::ThreadOf(std::int64_t process, std::int64_t thread) {
  const auto [at, is_new] = known_threads_.try_emplace({process, thread});
  if (!is_new) return at->second;
  const Thread* const known = threads_.Find(thread);
  if (known != nullptr && process < 0) process = known->process;
  const std::int64_t* const pid = pids_.Find(process);
  at->second = builder_.AddThread(std::to_string(pid == nullptr ? process : *pid),
                                  std::to_string(known == nullptr ? thread : known->number));
  return at->second;
}

// Reads kernels, copies, regions and samples of a process.

namespace {

using rocprofv3::Times;

/// The domain of a record without an event, by the function's name. An event may be missing,
/// because rocprofv3 does not enforce foreign keys.
Domain DomainOfFunction(std::string_view name) {
  const auto is_upper = [&](std::size_t at) {
    return name.size() > at && name[at] >= 'A' && name[at] <= 'Z';
  };
  if ((name.starts_with("hip") && is_upper(3)) || name.starts_with("hsa_")) return Domain::kCall;
  return name.starts_with("nccl") && is_upper(4) ? Domain::kRccl : Domain::kOther;
}

}  // namespace

Status Import::ReadKernels() {
  enum : std::size_t {
    kStart,
    kEnd,
    kKernel,
    kAgent,
    kStream,
    kQueue,
    kTrack,
    kEvent,
    kShared,
    kSizes
  };
  PROFGAUGE_TRY(auto scan, Open("kernel_dispatch", {{{"start"}},
                                                    {{"end"}},
                                                    {{"kernel_id"}},
                                                    {{"agent_id"}},
                                                    {{"stream_id"}},
                                                    {{"queue_id"}},
                                                    {{"track_id"}},
                                                    {{"event_id"}},
                                                    {{"group_segment_size"}},
                                                    {{"workgroup_size_x"}},
                                                    {{"grid_size_x"}},
                                                    {{"workgroup_size_y"}},
                                                    {{"grid_size_y"}},
                                                    {{"workgroup_size_z"}},
                                                    {{"grid_size_z"}}}));
  has_tracks_ = scan.Has(kTrack) && !scan.Has(kAgent);
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    const Track* const track = TrackOf(scan, kTrack);
    rocprofv3::Kernel kernel;
    kernel.start = scan.Integer(kStart);
    kernel.end = scan.Integer(kEnd);
    kernel.kernel = scan.Integer(kKernel, -1);
    kernel.agent = scan.Integer(kAgent, track ? track->agent : -1);
    kernel.stream = scan.Integer(kStream, track ? track->stream : -1);
    if (kernel.stream < 0) {  // Streams share queues.
      kernel.stream = scan.Integer(kQueue, track ? track->queue : -1);
      builder_.StreamsMayOverlap();
      streams_are_queues_ = true;
    }
    kernel.correlation = EventOf(scan, kEvent).stack;
    kernel.shared_memory = scan.Integer(kShared, -1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t column = kSizes + 2 * axis;
      if (!rocprofv3::SetAxis(kernel, axis, scan.Integer(column), scan.Integer(column + 1))) break;
    }
    rows_.Add(kernel);
  });
}

Status Import::ReadCopies() {
  enum : std::size_t { kStart, kEnd, kName, kFrom, kTo, kStream, kTrack, kSize, kEvent };
  PROFGAUGE_TRY(auto scan, Open("memory_copy", {{{"start"}},
                                                {{"end"}},
                                                {{"name_id"}},
                                                {{"src_agent_id"}},
                                                {{"dst_agent_id"}},
                                                {{"stream_id"}},
                                                {{"track_id"}},
                                                {{"size"}},
                                                {{"event_id"}}}));
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    const Track* const track = TrackOf(scan, kTrack);
    rocprofv3::Copy copy;
    copy.start = scan.Integer(kStart);
    copy.end = scan.Integer(kEnd);
    copy.from = scan.Integer(kFrom, -1);
    copy.to = scan.Integer(kTo, -1);
    copy.stream = scan.Integer(kStream, track ? track->stream : -1);
    copy.correlation = EventOf(scan, kEvent).stack;
    copy.bytes = scan.Integer(kSize, -1);
    const std::int64_t id = scan.Integer(kName, -1);
    const std::string_view name = NameOf(id);
    rows_.CountName(name, [&] { return fmt::format("string {} of a copy", id); });
    rows_.Add(copy, name);
  });
}

Status Import::ReadRegions() {
  enum : std::size_t { kStart, kEnd, kName, kEvent, kProcess, kThread, kTrack };
  PROFGAUGE_TRY(auto scan, Open("region", {{{"start"}},
                                           {{"end"}},
                                           {{"name_id"}},
                                           {{"event_id"}},
                                           {{"pid"}},
                                           {{"tid"}},
                                           {{"track_id"}}}));
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    const auto times = rows_.TimesOf(scan.Integer(kStart), scan.Integer(kEnd));
    if (!times) return;
    const Track* const track = TrackOf(scan, kTrack);
    Place(*times, scan.Integer(kEvent, -1), NameOf(scan.Integer(kName, -1)),
          {scan.Integer(kProcess, track ? track->process : -1),
           scan.Integer(kThread, track ? track->thread : -1)});
  });
}

// Reads samples that are records of length zero. All others are counters of other tools, which have
// no domain.
Status Import::ReadSamples() {
  enum : std::size_t { kTime, kTrack, kEvent, kName };
  PROFGAUGE_TRY(auto scan,
                Open("sample", {{{"timestamp"}}, {{"track_id"}}, {{"event_id"}}, {{"name_id"}}}));
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    const Domain domain = EventOf(scan, kEvent).domain;
    if (!IsMeasured(domain)) {
      return builder_.log().Add(Counter::events_ignored_kind);
    }
    const auto times = rows_.TimesOf(scan.Integer(kTime), scan.Integer(kTime));
    if (!times) return;
    ++without_length_;
    const Track* const track = TrackOf(scan, kTrack);
    Place(*times, scan.Integer(kEvent, -1), NameOf(scan.Integer(kName, -1)),
          {track ? track->process : -1, track ? track->thread : -1});
  });
}

std::string_view Import::MarkerText(std::int64_t event, std::string_view name) const {
  // Calls to pause or to name threads have no range.
  const bool is_function = name.starts_with("roctx");
  if (is_function && (name.find("Name") != name.npos || name.find("Profiler") != name.npos)) {
    return {};
  }
  const std::string_view message = TextOf(messages_, event);
  const std::string_view text = !message.empty() ? message : is_function ? "" : name;
  return text == "roctxGetThreadId" || text.starts_with("MARKER_") ? std::string_view() : text;
}

// Adds a region or sample. Its event's category or, without an event, its name is its kind.
void Import::Place(const Times& times, std::int64_t event, std::string_view name,
                   std::pair<std::int64_t, std::int64_t> thread) {
  const Event* const known = events_.Find(event);
  Domain domain = known == nullptr ? Domain::kNone : known->domain;
  if (domain == Domain::kNone) domain = DomainOfFunction(name);
  if (!IsMeasured(domain)) return builder_.log().Add(Counter::events_ignored_kind);
  if (domain == Domain::kMarker) {
    const std::string_view text = MarkerText(event, name);
    if (text.empty()) return builder_.log().Add(Counter::events_ignored_kind);
    by_message_ += text == name ? 1 : 0;
    return rows_.AddRange(times, text, ThreadOf(thread.first, thread.second));
  }
  rows_.CountName(name, [&] { return fmt::format("event {}", event); });
  const ThreadId on = ThreadOf(thread.first, thread.second);
  if (domain == Domain::kRccl) return rows_.AddRcclCall(times, name, on);
  rows_.AddCall(times, name, on, known == nullptr ? 0 : known->stack);
}

// Counts kernels with counters. A kernel's counters are several rows of one event, which count
// once. Skips sampling (SPM), where kernels run concurrently.
Status Import::CountCounters() {
  PROFGAUGE_TRY(auto scan, Open("pmc_event", {{{"event_id"}}, {{"sample_id"}}}));
  boost::unordered_flat_set<std::int64_t> kernels;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    if (scan.IsSet(0) && !scan.IsSet(1) && EventOf(scan, 0).domain == Domain::kKernel) {
      kernels.insert(scan.Integer(0));
    }
  }));
  rows_.AddCounted(kernels.size());
  return {};
}

// Counts the runtime's allocations as ignored, because they are not those of an allocator.
Status Import::CountOthers() {
  PROFGAUGE_TRY(auto scan, Open("memory_allocate", {{{"start"}}}));
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    builder_.log().Add(Counter::events_ignored_kind);
  });
}

}  // namespace profgauge::readers::rocpd
