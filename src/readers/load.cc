#include "readers/load.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <numeric>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/archive.h"
#include "base/byte_source.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/parallel.h"
#include "base/text.h"
#include "model/processes.h"
#include "model/summary/summary.h"
#include "readers/builtin.h"
#include "readers/detect.h"
#include "readers/folders.h"
#include "readers/one_run.h"
#include "readers/ranks.h"
#include "readers/replayed.h"
#include "readers/run_side/attach.h"
#include "readers/run_side/document.h"
#include "readers/run_side/times_reader.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

/// The kind of archive, if the file is one. Its members are then read like the files of a folder.
std::optional<ArchiveKind> ArchiveAt(const std::string& path) {
  return IsNamedAsRecording(path) ? std::nullopt : ArchiveKindOf(path);
}

/// Lists the files of a folder or archive by name, without hidden ones and those of subfolders.
Result<std::vector<std::string>> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  if (const auto kind = ArchiveAt(folder)) {
    PROFGAUGE_TRY(const auto members, MembersOf(folder, *kind));
    for (const ArchiveMember& member : members) files.push_back(folder + "/" + member.name);
    return files;
  }
  std::error_code code;
  for (const FolderEntry& entry : ListEntries(folder, &code)) {
    if (entry.kind == EntryKind::kFile || entry.kind == EntryKind::kLinkToFile)
      files.push_back(entry.path.string());
  }
  if (code) {
    return Fail(InputError(folder, "input/folder", "the folder cannot be listed: " + code.message(),
                           "check its permissions"));
  }
  return files;
}

/// Lists a tool's output folders with the profile if `folder` is one of them; otherwise `folder`.
std::vector<std::string> OutputsOf(const std::string& folder, std::vector<std::string>& earlier) {
  for (const auto& reader : BuiltinReaders()) {
    auto outputs = reader->OutputsOf(folder, earlier);
    if (!outputs.empty()) return outputs;
  }
  return {folder};
}

/// The error for an archive without a profile, by its contents.
Error NoProfilesIn(const std::string& archive, ArchiveKind kind) {
  const auto members = MembersOf(archive, kind);
  const bool is_checkpoint = members && std::ranges::any_of(*members, [](const auto& member) {
                               return member.name.ends_with("/data.pkl");
                             });
  if (is_checkpoint) {
    return InputError(archive, "input/checkpoint",
                      "the file is a checkpoint of PyTorch: weights, no profile",
                      "record the program with `torch.profiler`");
  }
  return InputError(archive, kind == ArchiveKind::kZip ? "input/zip" : "input/archive",
                    "the archive contains no profile",
                    "expected files such as worker0.pt.trace.json.gz; databases and Parquet "
                    "must be unpacked, .npz and .xlsx are no profiles");
}

/// The error for a folder without a profile, by its contents.
Error NoProfiles(const std::string& folder) {
  if (const auto kind = ArchiveAt(folder)) return NoProfilesIn(folder, *kind);
  std::vector<std::string> names;
  for (const fs::path& path : ListFolder(folder)) names.push_back(path.filename().string());
  for (const auto& reader : BuiltinReaders()) {
    if (auto refused = reader->RefuseFolder(folder, names)) return *std::move(refused);
  }
  return InputError(folder, "input/no-profiles", "the folder contains no profile",
                    "expected files such as worker0.pt.trace.json.gz");
}

/// The name in `names` of a file that has all data of the file `name` and more; empty if none has.
std::string FullerThan(const std::string& name, const std::vector<std::string>& names) {
  for (const auto& reader : BuiltinReaders()) {
    if (std::string fuller = reader->FullerThan(name, names); !fuller.empty()) return fuller;
  }
  return {};
}

std::vector<std::string> NamesOf(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(fs::path(file).filename().string());
  return names;
}

/// Moves run documents from `files` to `documents`, since they are no profiles.
void TakeRunDocuments(std::vector<std::string>& files, std::vector<std::string>& documents) {
  const auto is_document = [](const std::string& file) {
    return readers::IsRunDocumentName(fs::path(file).filename().string());
  };
  std::ranges::copy_if(files, std::back_inserter(documents), is_document);
  std::erase_if(files, is_document);
}

Status ReadParts(std::vector<std::string>& files, const ReadOptions& options, Run& run) {
  for (const auto& reader : BuiltinReaders()) {
    PROFGAUGE_CHECK(reader->ReadParts(files, options, run));
  }
  return {};
}

Status Settle(const std::string& folder, Run& run) {
  for (const auto& reader : BuiltinReaders()) PROFGAUGE_CHECK(reader->Settle(folder, run));
  return {};
}

void CheckName(const Reader& reader, Profile& profile, bool compressed) {
  const auto& path = profile.source.path;
  if (reader.IsCompressedUnderAnyName()) return;
  const bool says_so = path.ends_with(".gz") || path.ends_with(".zst");
  if (HasNoFolder(path) || says_so == compressed || IsSummary(profile)) return;
  if (EndOfArchive(path)) return;  // Members of an archive may have any name.
  profile.log.Add(Counter::name_suffix_wrong);
}

/// The reader of the file. A file that the user passed as times is read as times.
Result<const Reader*> ReaderOf(const std::string& path, std::span<const std::byte> head,
                               bool compressed, const ReadOptions& options) {
  if (path == options.step_times.file) {
    const auto& all = BuiltinReaders();
    return std::find_if(all.begin(), all.end(),
                        [](const auto& reader) { return reader->name() == kTimesFormat; })
        ->get();
  }
  PROFGAUGE_TRY(const Reader* reader, FindReader(path, head, compressed));
  const bool is_document = IsRunDocumentName(fs::path(path).filename().string());
  if (!options.is_in_folder || is_document || reader->name() != kTimesFormat) return reader;
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (!LooksLikeTimes(text)) return Fail(UnknownFile(path, text));
  return Fail(InputError(
      path, "input/times", "the file holds times of iterations, which are not taken from a folder",
      fmt::format("pass it by its name: `profgauge check {0}`, or with a profile: "
                  "`profgauge check PROFILE --step-times {0}`",
                  AsShellWord(path))));
}

/// Fails if a file or folder is named twice, even by different paths: its ranks would count twice.
Status CheckNoPathTwice(const std::vector<std::string>& paths) {
  std::set<std::string> names;
  std::set<std::pair<dev_t, ino_t>> files;
  for (const std::string& path : paths) {
    struct stat info {};
    const bool is_there = ::stat(path.c_str(), &info) == 0;
    const bool is_new =
        names.insert(path).second && (!is_there || files.emplace(info.st_dev, info.st_ino).second);
    if (is_new) continue;
    return Fail(InputError("", "input/same-file-twice",
                           fmt::format("`{}` is given twice", Printable(path)),
                           "name each file once"));
  }
  return {};
}

}  // namespace

Result<std::vector<Profile>> ReadProfiles(const std::string& path, const ReadOptions& options) {
  PROFGAUGE_TRY(auto opened, OpenByteSource(path, options.named));
  Replayed source(std::move(opened), options);
  const auto head = source.Peek();
  if (head.empty() && source.failed()) return Fail(*source.failed());
  if (head.empty()) {
    return Fail(InputError(path, "input/empty", "the input is empty",
                           "the profiler was probably stopped before it wrote anything; "
                           "record again"));
  }
  PROFGAUGE_TRY(const Reader* reader, ReaderOf(path, head, source.compressed(), options));
  PROFGAUGE_TRY(auto profiles, reader->ReadRanks(source, options));
  for (Profile& profile : profiles) CheckName(*reader, profile, source.compressed());
  return profiles;
}

Result<Profile> ReadProfile(const std::string& path, const ReadOptions& options) {
  PROFGAUGE_TRY(auto profiles, ReadProfiles(path, options));
  return std::move(profiles.front());
}

namespace {

using Read = Result<std::vector<Profile>>;

/// The stored bytes of each file; empty if one size is unknown, e.g. of standard input and pipes.
std::vector<std::uint64_t> SizesOf(const std::vector<std::string>& files) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& file : files) {
    std::error_code code;
    const auto size = fs::file_size(file, code);
    if (code) return {};
    sizes.push_back(static_cast<std::uint64_t>(size));
  }
  return sizes;
}

/// Reads each file with ReadProfiles(). Many files of similar size are read concurrently, with one
/// thread each. Otherwise files are read one after another, with all threads.
std::vector<Read> ReadEach(const std::string& name, const std::vector<std::string>& files,
                           const ReadOptions& options) {
  const std::vector<std::uint64_t> sizes = SizesOf(files);
  const std::uint64_t total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  const std::size_t threads = options.threads > 0 ? options.threads : Cores();
  const bool are_alike =
      !sizes.empty() && *std::max_element(sizes.begin(), sizes.end()) <= total / threads;
  const std::size_t at_once = are_alike ? threads : 1;
  std::vector<Read> read(files.size());
  std::mutex told;
  std::uint64_t done = 0;
  ReadOptions one = options;
  if (at_once > 1) {
    one.threads = 1;
    one.progress = {};
  }
  ForEachAtOnce(
      files.size(),
      [&](std::size_t i) {
        read[i] = ReadProfiles(files[i], one);
        if (at_once == 1 || !options.progress) return;
        const std::lock_guard lock(told);
        done += sizes[i];
        options.progress({name, done, total});
      },
      at_once);
  return read;
}

/// In a folder without profiles, a single file of times is the run. Fails if there are several such
/// files, because they may be ranks or separate runs.
Status ReadTimesOf(std::vector<Error>& left_out, const ReadOptions& options, Run& run) {
  const auto is_times = [](const Error& error) { return error.code == "input/times"; };
  const auto first = std::ranges::find_if(left_out, is_times);
  if (first == left_out.end()) return {};
  if (std::ranges::count_if(left_out, is_times) > 1) {
    first->message = "several files hold times of iterations, and no profile is beside them";
    first->notes = {"help: name them, each a run of one program: `profgauge check A B`"};
    return Fail(std::move(*first));
  }
  PROFGAUGE_TRY(run.profiles, ReadProfiles(first->where.file, options));
  std::erase_if(run.skipped, [&](const std::string& text) {
    return text.starts_with(first->where.file + ": ");
  });
  return {};
}

/// Loads a folder of one run. Its files are the ranks, or the folder has a tool's outputs for them.
Result<Run> LoadFolder(const std::string& path, const ReadOptions& options, RanksFrom ranks) {
  Run run;
  std::vector<Error> unreadable, left_out;
  std::vector<std::string> earlier;
  std::vector<std::string> files;
  const bool is_archive = !fs::is_directory(path);
  const std::vector<std::string> folders =
      is_archive ? std::vector{path} : OutputsOf(path, earlier);
  for (const std::string& folder : folders) {
    PROFGAUGE_TRY(auto inside, FilesOf(folder));
    TakeRunDocuments(inside, run.documents);
    if (!is_archive) PROFGAUGE_CHECK(ReadParts(inside, options, run));
    TakeCaptures(inside);
    const std::vector<std::string> names = NamesOf(inside);
    std::erase_if(inside, [&](const std::string& file) {
      const auto fuller = FullerThan(fs::path(file).filename().string(), names);
      if (fuller.empty()) return false;
      run.skipped.push_back(fmt::format("{}: {} has the same data and more", file, fuller));
      return true;
    });
    std::move(inside.begin(), inside.end(), std::back_inserter(files));
  }
  ReadOptions inside = options;
  inside.is_in_folder = true;
  for (Read& profiles : ReadEach(path, files, inside)) {
    if (profiles) {
      std::move(profiles->begin(), profiles->end(), std::back_inserter(run.profiles));
    } else {
      const bool is_recording = !IsNoRecording(profiles.error());
      if (is_recording && !options.keep_readable) return Fail(std::move(profiles).error());
      (is_recording ? unreadable : left_out).push_back(std::move(profiles).error());
    }
  }
  PROFGAUGE_CHECK(Settle(path, run));
  for (Error& error : left_out) {
    if (!IsLikelyRank(error, run.profiles)) {
      run.skipped.push_back(fmt::format("{}: {}", error.where.file, error.message));
    } else if (options.keep_readable) {
      unreadable.push_back(std::move(error));
    } else {
      return Fail(std::move(error));
    }
  }
  if (run.profiles.empty() && !unreadable.empty()) return Fail(std::move(unreadable.front()));
  if (run.profiles.empty()) {
    // Without profiles, each run document is read as a rank that has no other data.
    for (Read& profiles : ReadEach(path, run.documents, inside)) {
      if (!profiles) return Fail(std::move(profiles).error());
      std::move(profiles->begin(), profiles->end(), std::back_inserter(run.profiles));
    }
    run.documents.clear();
  }
  if (run.profiles.empty()) PROFGAUGE_CHECK(ReadTimesOf(left_out, options, run));
  if (run.profiles.empty()) return Fail(NoProfiles(path));
  const bool are_separate = ranks == RanksFrom::kNothing;
  if (!are_separate) {
    for (std::string& file : KeepLatest(run.profiles)) earlier.push_back(std::move(file));
  }
  for (const std::string& recording : earlier) {
    run.skipped.push_back(recording + ": an earlier profile; pass only this file to read it");
  }
  for (const Error& error : unreadable) {
    run.skipped.push_back(fmt::format("{}: {}", error.where.file, error.message));
  }
  run.profiles.front().log.Add(Counter::ranks_unreadable, unreadable.size());
  if (!earlier.empty()) {
    run.profiles.front().facts.emplace_back(
        "earlier profiles skipped",
        fmt::format("{}; the latest in the folder is read", earlier.size()));
  }
  if (!are_separate) PROFGAUGE_CHECK(CheckMayBeOneRun(run.profiles, path));
  std::stable_sort(run.profiles.begin(), run.profiles.end(), RanksBefore);
  return run;
}

/// Makes a key for sorting paths, so that "worker10" follows "worker9".
std::string NaturalKey(const std::string& path) {
  std::string key;
  for (std::size_t i = 0; i < path.size();) {
    std::size_t digits = i;
    while (digits < path.size() && path[digits] >= '0' && path[digits] <= '9') ++digits;
    if (digits == i) {
      key.push_back(path[i++]);
      continue;
    }
    key += fmt::format("{:0>20}", path.substr(i, digits - i));
    i = digits;
  }
  return key;
}

/// Splits profiles, so that every process that trains is a rank.
std::vector<Profile> OfEachProcess(std::vector<Profile> recordings) {
  std::vector<Profile> ranks;
  for (Profile& recording : recordings) {
    std::vector<Profile> parts = SplitProcesses(std::move(recording));
    std::move(parts.begin(), parts.end(), std::back_inserter(ranks));
  }
  return ranks;
}

}  // namespace

std::vector<std::string> RecordingsOf(const std::string& folder) {
  std::vector<std::string> files;
  for (const FolderEntry& entry : ListEntries(folder)) {
    const std::string name = entry.path.filename().string();
    if (readers::IsRunDocumentName(name)) continue;
    const bool is_file = entry.kind == EntryKind::kFile || entry.kind == EntryKind::kLinkToFile;
    if (!is_file || !IsNamedAsRecording(name)) return {};
    files.push_back(entry.path.string());
  }
  TakeCaptures(files);
  std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) {
    return std::pair(NaturalKey(a), a) < std::pair(NaturalKey(b), b);
  });
  const std::vector<std::string> names = NamesOf(files);
  std::erase_if(files, [&](const std::string& file) {
    return !FullerThan(fs::path(file).filename().string(), names).empty();
  });
  return files;
}

bool RanksBefore(const Profile& a, const Profile& b) {
  const auto rank = [](const Profile& p) {
    return std::pair(p.distributed.rank < 0, p.distributed.rank);
  };
  return std::tuple(rank(a), NaturalKey(a.source.path)) <
         std::tuple(rank(b), NaturalKey(b.source.path));
}

Result<Run> LoadFiles(const std::vector<std::string>& given, const ReadOptions& options,
                      RanksFrom ranks) {
  PROFGAUGE_CHECK(CheckNoPathTwice(given));
  Run run;
  std::vector<std::string> paths = given;
  PROFGAUGE_CHECK(ReadParts(paths, options, run));
  const std::vector<std::string> captures = TakeCaptures(paths);
  std::set<std::string> folders;  // Including archives.
  for (const std::string& path : paths) {
    std::error_code code;
    if (!HasNoFolder(path) && (fs::is_directory(path, code) || ArchiveAt(path)))
      folders.insert(path);
  }
  const auto is_folder = [&](const std::string& path) { return folders.contains(path); };
  std::vector<std::string> files;
  std::remove_copy_if(paths.begin(), paths.end(), std::back_inserter(files), is_folder);
  std::vector<Read> read = ReadEach(files.empty() ? "" : files.front(), files, options);
  auto next = read.begin();
  for (const auto& path : paths) {
    Run more;
    if (is_folder(path)) {
      PROFGAUGE_TRY(more, LoadFolder(path, options, ranks));
    } else {
      PROFGAUGE_TRY(more.profiles, std::move(*next));
      ++next;
    }
    std::move(more.profiles.begin(), more.profiles.end(), std::back_inserter(run.profiles));
    std::move(more.skipped.begin(), more.skipped.end(), std::back_inserter(run.skipped));
    std::move(more.documents.begin(), more.documents.end(), std::back_inserter(run.documents));
  }
  PROFGAUGE_CHECK(Settle("", run));
  PROFGAUGE_CHECK(CheckNoFileTwice(run.profiles, ""));
  run.profiles = OfEachProcess(std::move(run.profiles));
  if (ranks == RanksFrom::kRecorded) {
    for (std::string& why : LeaveOutCoordinators(run.profiles)) {
      run.skipped.push_back(std::move(why));
    }
  }
  GiveRanks(run.profiles, ranks);
  PROFGAUGE_CHECK(readers::AttachRunSides(run.profiles, run.documents, options.step_times));
  ReadGraphCaptures(captures, options, run.profiles);
  std::stable_sort(run.profiles.begin(), run.profiles.end(), RanksBefore);
  return run;
}

Result<Run> LoadRun(const std::vector<std::string>& paths, const ReadOptions& options,
                    RanksFrom ranks) {
  PROFGAUGE_TRY(Run run, LoadFiles(paths, options, ranks));
  PROFGAUGE_CHECK(CheckOneRun(run.profiles, ""));
  return run;
}

Result<std::vector<Profile>> ReadRun(const std::vector<std::string>& paths,
                                     const ReadOptions& options, RanksFrom ranks) {
  PROFGAUGE_TRY(auto run, LoadRun(paths, options, ranks));
  return std::move(run.profiles);
}

}  // namespace profgauge::readers
