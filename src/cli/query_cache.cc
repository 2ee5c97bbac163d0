#include "cli/query_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/file_kind.h"
#include "cli/memory.h"
#include "cli/rank_by_rank.h"
#include "cli/ranks_in_flight.h"
#include "rules/policy.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

// The largest share of memory for one run: there must be room for two kept runs and one being read.
constexpr std::uint64_t kShareOfMemory = 4;
constexpr std::size_t kMostFiles = 10'000;  // In the folders of a run; examining them takes 20 ms.

/// Adds the name, size and time of each file below `folder`; false if there are too many.
bool AddFiles(const fs::path& folder, std::size_t& seen, std::string& key) {
  std::vector<std::string> lines;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; at != end; at.increment(error)) {
    if (error || ++seen > kMostFiles) return false;
    std::error_code unknown;
    if (!at->is_regular_file(unknown)) continue;
    const auto time = at->last_write_time(unknown).time_since_epoch().count();
    lines.push_back(fmt::format("{} {} {}\n", at->path().string(), at->file_size(unknown), time));
  }
  if (error) return false;
  std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) key += line;
  return true;
}

/// The folder of the file, in which other files may belong to the run: NAME.run.json, other ranks.
fs::path FolderOf(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return path;
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

std::string TextOf(const std::optional<std::int64_t>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

// The options that change rows, as text. Every such option must be here: otherwise an answer could
// have the rows of another selection.
std::string SelectionText(const Options& o) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {}\n{}\n{}\n{}\n", TextOf(o.iter_start), TextOf(o.iter_stop),
                  TextOf(o.iter_start_number), TextOf(o.iter_stop_number), TextOf(o.rank),
                  TextOf(o.aggregation), o.ranks, o.key_op.value_or(""),
                  o.iteration_marker.value_or(""), o.range_text);
  for (const std::string& one : {o.marks_text, o.step_times}) text += one + '\n';
  for (const std::string& log : o.device_logs) text += log + '\n';
  return text + (o.allow_incomplete ? "incomplete\n" : "\n");
}

/// The day, on which waivers depend.
std::string DayText() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{} {}\n", epoch == nullptr ? "" : epoch,
                     std::chrono::duration_cast<std::chrono::hours>(now).count() / 24);
}

}  // namespace

QueryData* QueryCache::Find(const std::string& key) {
  const auto found =
      std::find_if(runs_.begin(), runs_.end(), [&](const auto& run) { return run.first == key; });
  if (found == runs_.end()) return nullptr;
  std::rotate(found, found + 1, runs_.end());
  return runs_.back().second.get();
}

QueryData& QueryCache::Keep(std::string key, std::unique_ptr<QueryData> run) {
  if (runs_.size() == kMostRuns) runs_.erase(runs_.begin());
  runs_.emplace_back(std::move(key), std::move(run));
  return *runs_.back().second;
}

bool MayKeep(const Options& options) {
  std::uint64_t memory = 0;
  for (const std::string& file : RecordingsNamed(options.arguments)) memory += MemoryFor(file);
  return memory <= MemoryToUse(options.max_memory) / kShareOfMemory;
}

// The key of a run; nullopt if it cannot be recognized again: standard input, several runs, rank by
// rank. Lists whole folders, because a new file beside the profiles may belong to the run.
std::optional<std::string> KeyOfRun(const Options& options) {
  if (options.arguments.empty() || !options.runs.empty() || options.per_rank) return std::nullopt;
  std::string key = SelectionText(options) + DayText() + options.policy + '\n';
  std::vector<fs::path> folders;
  for (const std::string& path : options.arguments) {
    if (path == "-") return std::nullopt;
    key += path + '\n';
    folders.push_back(FolderOf(path));
  }
  if (!options.policy.empty() && !options.policy.starts_with("builtin:")) {
    const auto policy = rules::LoadPolicy(options.policy);
    if (!policy) return std::nullopt;
    Options alone;
    alone.policy = options.policy;
    for (const std::string& input : KeptBy(alone, &*policy).inputs) {
      folders.push_back(FolderOf(input));
    }
  }
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  std::size_t seen = 0;
  for (const fs::path& folder : folders) {
    if (!AddFiles(folder, seen, key)) return std::nullopt;
  }
  return key;
}

}  // namespace profgauge::cli
