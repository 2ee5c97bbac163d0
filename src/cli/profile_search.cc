#include "cli/profile_search.h"

#include <re2/re2.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <map>
#include <span>
#include <system_error>

#include "base/byte_source.h"
#include "base/errors.h"
#include "base/files.h"
#include "profgauge/error.h"
#include "readers/builtin.h"
#include "readers/detect.h"
#include "readers/reader.h"
#include "readers/run_side/times_reader.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kOthersNamed = 5;

/// Extracts a number from a name and replaces it by `*`.
std::optional<std::int64_t> TakeNumber(const re2::RE2& pattern, std::string& name) {
  re2::StringPiece before, digits, after;
  if (!re2::RE2::FullMatch(name, pattern, &before, &digits, &after)) return std::nullopt;
  std::int64_t number = 0;
  if (!re2::RE2::FullMatch(digits, R"((\d+))", &number)) return std::nullopt;
  name = before.as_string() + "*" + after.as_string();
  return number;
}

/// A number in s, ms, us or ns since 1970 in nanoseconds; nullopt if it is no time since 2001.
std::optional<std::int64_t> TimeOf(std::int64_t number) {
  // In seconds: from 2001 to the last time that fits into 64 bits as nanoseconds.
  constexpr std::int64_t kFirst = 1'000'000'000, kEnd = 9'223'372'036;
  std::int64_t scale = 1'000'000'000;
  for (std::int64_t unit = 1; scale > 0; unit *= 1000, scale /= 1000) {
    if (number / unit >= kFirst && number / unit < kEnd) return number * scale;
  }
  return std::nullopt;
}

// The first number of 10 to 19 digits that is a time. Skips other long numbers.
std::optional<std::int64_t> TimeInName(const std::string& name) {
  static const re2::RE2 kTime(R"((?:^|\D)(\d{10,19})(?:\D|$))");
  re2::StringPiece rest(name);
  std::int64_t number = 0;
  while (re2::RE2::FindAndConsume(&rest, kTime, &number)) {
    if (const auto time = TimeOf(number)) return time;
  }
  return std::nullopt;
}

std::string HeadOf(ByteSource& source) {
  std::string head(readers::kSniffBytes, '\0');
  std::size_t have = 0;
  while (have < head.size()) {
    const auto got = source.Read(std::as_writable_bytes(std::span(head).subspan(have)));
    if (!got || *got == 0) break;
    have += *got;
  }
  head.resize(have);
  return head;
}

/// The last bytes of an uncompressed file, because some writers put the rank there.
std::string TailOf(const std::string& path) {
  auto tail = ReadTail(path, readers::kSniffBytes);
  return tail && tail->size > readers::kSniffBytes ? std::move(tail->bytes) : std::string();
}

/// Reads rank and world size from the small object of a trace that states them.
void TakeRank(const std::string& text, FoundProfile& profile) {
  static const re2::RE2 kRank(R"re("distributedInfo"\s*:\s*\{[^{}]*"rank"\s*:\s*(\d+))re");
  static const re2::RE2 kWorld(R"re("distributedInfo"\s*:\s*\{[^{}]*"world_size"\s*:\s*(\d+))re");
  std::int64_t number = 0;
  if (re2::RE2::PartialMatch(text, kRank, &number)) profile.named.rank = number;
  if (re2::RE2::PartialMatch(text, kWorld, &number)) profile.world_size = number;
}

/// True if the bytes may be any JSON. When a reader that is unsure reads such a file, it reports an
/// error, but a search would list configurations and logs as profiles.
bool IsAnyJson(const readers::Reader& reader, const std::string& head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool is_json = first != head.npos && (head[first] == '[' || head[first] == '{') &&
                       head.compare(first, 2, "{'") != 0;
  return is_json && reader.Sniff(std::as_bytes(std::span(head))) != readers::Match::kYes;
}

/// True if the file is a complete profile by its reader. Other files are tables, of which several
/// make one profile.
bool IsWhole(const readers::Reader& reader, const std::string& path) {
  return std::ranges::any_of(reader.suffixes(),
                             [&](std::string_view suffix) { return path.ends_with(suffix); });
}

/// Recognizes a profile; for other files, returns an error with their kind.
Result<FoundProfile> Sniffed(const std::string& path) {
  PROFGAUGE_TRY(auto source, OpenByteSource(path));
  const std::string head = HeadOf(*source);
  if (path.ends_with(".tmp")) {
    return Fail(InputError(path, "input/unknown", "the file is still being written"));
  }
  PROFGAUGE_TRY(const readers::Reader* reader,
                readers::FindReader(path, std::as_bytes(std::span(head)), source->compressed()));
  if (IsAnyJson(*reader, head)) {
    return Fail(InputError(path, "input/unknown", "the file is JSON without events of a trace"));
  }
  // Any text may contain times, and files of times are often beside profiles, so both are ignored.
  if (reader->name() == readers::kTimesFormat) {
    return Fail(InputError(path, "input/unknown", "the file is no profile"));
  }
  FoundProfile profile{path, std::string(reader->name()), ParseProfilePath(path)};
  profile.is_part = source->compressed() ? false : !IsWhole(*reader, path);
  if (!source->compressed()) TakeRank(TailOf(path), profile);
  TakeRank(head, profile);
  return profile;
}

/// The format of a file that was rejected as one table of a profile; empty for other errors.
std::string FormatOfTable(const Error& error) {
  if (!error.code.ends_with("/one-table")) return {};
  const std::string_view area = std::string_view(error.code).substr(0, error.code.find('/'));
  for (const auto& reader : readers::BuiltinReaders()) {
    if (reader->name().starts_with(area)) return std::string(reader->name());
  }
  return {};
}

/// Searches files and the contents of folders for profiles.
class Search {
 public:
  explicit Search(std::size_t most) : most_(most) {}

  // Searches level by level, so that with too many names only the deepest folders are left out.
  void Below(const fs::path& folder) {
    folders_.push_back(folder);
    while (!folders_.empty() && found_.is_whole) {
      const fs::path next = std::move(folders_.front());
      folders_.pop_front();
      Into(next);
    }
  }

  void At(const std::string& file) {
    auto profile = Sniffed(file);
    if (!profile) {
      if (std::string format = FormatOfTable(profile.error()); !format.empty()) {
        profile = FoundProfile{file, std::move(format), ParseProfilePath(file), {}, true};
      }
    }
    if (profile) {
      profiles_.push_back(*std::move(profile));
    } else if (found_.others.size() < kOthersNamed) {
      found_.others.emplace_back(file, profile.error().message);
    }
  }

  // The found profiles. Several tables of one format in one folder are one profile, listed as the
  // folder; a single table is listed as a file.
  FoundProfiles Take() {
    std::map<std::pair<std::string, std::string>, std::size_t> parts;
    const auto key = [](const FoundProfile& profile) {
      return std::pair(fs::path(profile.path).parent_path().string(), profile.format);
    };
    for (const FoundProfile& profile : profiles_) parts[key(profile)] += profile.is_part ? 1 : 0;
    std::map<std::string, FoundProfile> by_path;
    for (FoundProfile& profile : profiles_) {
      const std::string folder = fs::path(profile.path).parent_path().string();
      if (profile.is_part && parts[key(profile)] > 1 && !folder.empty()) {
        profile.path = folder;
        profile.named = ParseProfilePath(folder);
      }
      by_path.insert_or_assign(profile.path, std::move(profile));
    }
    for (auto& [path, profile] : by_path) found_.profiles.push_back(std::move(profile));
    return std::move(found_);
  }

 private:
  // Searches a folder, unless it is one profile as a whole, which IsOne() takes.
  void Into(const fs::path& folder) {
    if (IsOne(folder.string())) return;
    std::vector<std::string> names;
    std::vector<fs::path> files, folders;
    for (const FolderEntry& entry : ListEntries(folder)) {
      if (++seen_ > most_) {
        found_.is_whole = false;
        return;
      }
      if (entry.kind == EntryKind::kFolder) {
        folders.push_back(entry.path);
      } else if (entry.kind == EntryKind::kFile) {
        files.push_back(entry.path);
        names.push_back(entry.path.filename().string());
      }
    }
    if (IsReport(names)) return;
    for (const fs::path& file : files) {
      if (!IsSaidMoreFully(file.filename().string(), names)) At(file.string());
    }
    std::ranges::move(folders, std::back_inserter(folders_));
  }

  /// Takes a folder as one profile if its reader says that it is the output of one run of a tool.
  bool IsOne(const std::string& folder) {
    for (const auto& reader : readers::BuiltinReaders()) {
      std::vector<std::string> earlier;
      const std::vector<std::string> outputs = reader->OutputsOf(folder, earlier);
      if (outputs.empty()) continue;
      if (!earlier.empty()) return false;  // Several runs: they are examined one by one.
      // If only some of many subfolders are outputs, the others may be runs, so they are searched.
      const bool are_below = fs::path(outputs.front()).parent_path() == fs::path(folder);
      if (are_below && outputs.size() < ListFolder(folder).size()) continue;
      profiles_.push_back({folder, std::string(reader->name()), ParseProfilePath(folder)});
      return true;
    }
    return false;
  }

  /// True for the outputs of --ci and --out, which are no run even if they contain a summary.
  static bool IsReport(const std::vector<std::string>& names) {
    const auto has = [&](std::string_view name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    return has("report.html") && has("report.json");
  }

  static bool IsSaidMoreFully(const std::string& name, const std::vector<std::string>& names) {
    return std::ranges::any_of(readers::BuiltinReaders(), [&](const auto& reader) {
      return !reader->FullerThan(name, names).empty();
    });
  }

  FoundProfiles found_;
  std::vector<FoundProfile> profiles_;
  std::deque<fs::path> folders_;  // Not looked at yet.
  std::size_t seen_ = 0, most_;
};

}  // namespace

NamedProfile ParseProfilePath(const std::string& path) {
  // Names by torchtitan, Megatron, Composer and ours; SGLang; Accelerate; folders of one step.
  static const re2::RE2 kRank(R"(((?:.*[^A-Za-z])?(?i:rank|worker)[-_]?)(\d+)(.*))");
  static const re2::RE2 kTensorParallel(R"((.*-TP-)(\d+)(.*))");
  static const re2::RE2 kAccelerate(R"((profile_)(\d+)(\.json(?:\.gz)?))");
  static const re2::RE2 kBatch(R"(rank\d+\.(\d{1,9})\.pt\.trace\.json.*)");  // Composer.
  static const re2::RE2 kStep(R"((?i)(?:^|.*[^a-z])(?:iteration|iter|step)[-_]?(\d+)(?:\D.*|$))");
  const fs::path whole(path);
  NamedProfile named;
  std::string name = whole.filename().string();
  named.time = TimeInName(name);
  for (const re2::RE2* pattern : {&kRank, &kTensorParallel, &kAccelerate}) {
    if (!named.rank) named.rank = TakeNumber(*pattern, name);
  }
  std::int64_t step = 0;
  const std::string folder = whole.parent_path().filename().string();
  const std::string above = whole.parent_path().parent_path().filename().string();
  if (re2::RE2::FullMatch(whole.filename().string(), kBatch, &step)) named.step = step;
  for (const std::string& part : {whole.filename().string(), folder, above}) {
    if (!named.step && re2::RE2::FullMatch(part, kStep, &step)) named.step = step;
  }
  named.run = (whole.parent_path() / name).string();
  return named;
}

FoundProfiles FindProfiles(const std::vector<std::string>& paths, std::size_t most) {
  Search search(most);
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      search.Below(path);
    } else {
      search.At(path);
    }
  }
  return search.Take();
}

}  // namespace profgauge::cli
