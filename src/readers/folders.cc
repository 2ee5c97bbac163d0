#include "readers/folders.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "base/byte_source.h"
#include "base/files.h"
#include "model/graph_operators.h"
#include "readers/load.h"

namespace profgauge::readers {

namespace fs = std::filesystem;

std::vector<std::string> FoldersBelow(const std::string& folder,
                                      const std::function<bool(const fs::path&)>& is_wanted) {
  std::vector<std::string> below;
  for (const FolderEntry& entry : ListEntries(folder)) {
    if (!entry.is_folder()) return {};
    if (is_wanted(entry.path)) below.push_back(entry.path.string());
  }
  return below;
}

bool AnyNameIn(const fs::path& folder, const std::function<bool(const std::string&)>& is_wanted) {
  const std::vector<fs::path> entries = ListFolder(folder);
  return std::any_of(entries.begin(), entries.end(),
                     [&](const fs::path& path) { return is_wanted(path.filename().string()); });
}

std::map<std::string, std::vector<std::string>> ByFolder(const std::vector<std::string>& files) {
  std::map<std::string, std::vector<std::string>> folders;
  for (const std::string& file : files) {
    folders[fs::path(file).parent_path().string()].push_back(file);
  }
  return folders;
}

}  // namespace profgauge::readers

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

/// Folders of captures: of vLLM, SGLang ("bs_8_rank0.json.gz") and xDiT; of SGLang since June 2026.
constexpr std::string_view kFolders[] = {"capture_traces", "graph_capture_profile"};
/// "graph_capture_rank_0.1773709742341309550.pt.trace.json.gz" (vLLM),
/// "capture_trace_rank_0.json.gz" (xDiT), "cuda_graph_capture-DecodeCudaGraphRunner-TP-0.json.gz"
/// (SGLang).
constexpr std::string_view kNames[] = {"graph_capture_rank", "capture_trace_rank",
                                       "cuda_graph_capture-"};
/// The limit of captures per rank. Engines capture a graph for each of some dozens of batch sizes.
constexpr std::size_t kMostCaptures = 1024;

bool IsTrace(const std::string& name) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{".json", ".json.gz", ".pftrace", ".pftrace.gz"},
      [&](std::string_view suffix) { return name.ends_with(suffix); });
}

// Adds the captures among the files of a profile's folder or of its subfolder.
void AddCapturesIn(const fs::path& folder, std::set<std::string>& found) {
  for (const FolderEntry& entry : ListEntries(folder)) {
    const bool is_file = entry.kind == EntryKind::kFile || entry.kind == EntryKind::kLinkToFile;
    if (is_file && IsGraphCapture(entry.path.string())) found.insert(entry.path.string());
  }
}

/// Finds captures by the folder of their profiles. Lists each folder once for all ranks.
class CapturesOfFolders {
 public:
  /// The captures beside the profile or in its subfolders, by name.
  std::vector<std::string> Beside(const std::string& path) {
    if (HasNoFolder(path) || IsGraphCapture(path)) return {};
    std::error_code code;
    const fs::path folder = fs::absolute(path, code).parent_path();
    const auto [at, is_new] = found_.try_emplace(folder.string());
    if (is_new) {
      AddCapturesIn(folder, at->second);
      for (const std::string_view name : kFolders) AddCapturesIn(folder / name, at->second);
    }
    return {at->second.begin(), at->second.end()};
  }

 private:
  std::map<std::string, std::set<std::string>> found_;
};

/// Keeps only the captures of this rank, or of the lowest rank if the profile has none (-1). A
/// capture without a rank in its name is kept for every rank.
void KeepOfRank(std::int64_t rank, std::vector<std::string>& captures) {
  if (rank < 0) {
    for (const std::string& capture : captures) {
      const auto stated = RankOfCapture(capture);
      if (stated && (rank < 0 || *stated < rank)) rank = *stated;
    }
  }
  std::erase_if(captures, [&](const std::string& capture) {
    return RankOfCapture(capture).value_or(rank) != rank;
  });
}

std::int64_t RankOf(const Profile& profile) {
  if (profile.distributed.rank >= 0) return profile.distributed.rank;
  return RankOfCapture(profile.source.path).value_or(-1);
}

void AddFacts(const GraphOperators::Outcome& outcome, std::string captures, Profile& profile) {
  const auto of = [&](std::size_t count) {
    return fmt::format("{} of {} launches", count, outcome.launches);
  };
  auto& facts = profile.facts;
  facts.emplace_back("captures of graphs read", std::move(captures));
  facts.emplace_back("graphs with operators of their capture", of(outcome.given));
  const std::pair<std::size_t, std::string_view> reasons[] = {
      {outcome.unknown, "no capture has this sequence of kernel names"},
      {outcome.ambiguous, "captures of the same kernels have different operators"},
      {outcome.no_room, "launched faster than their operators"}};
  for (const auto& [count, reason] : reasons) {
    if (count == 0) continue;
    facts.emplace_back("graphs without operators", fmt::format("{}: {}", of(count), reason));
  }
}

// Adds the operators of captures. One that cannot be read becomes a fact, since none is needed.
void ReadCapturesOf(std::vector<std::string> captures, const ReadOptions& options,
                    GraphOperators& graphs, Profile& profile) {
  KeepOfRank(RankOf(profile), captures);
  const std::size_t all = captures.size();
  if (all > kMostCaptures) captures.resize(kMostCaptures);
  ReadOptions quiet = options;
  quiet.progress = {};
  quiet.of_captured_graphs = true;
  std::size_t read = 0;
  for (const std::string& path : captures) {
    const auto capture = ReadProfile(path, quiet);
    if (!capture) {
      profile.facts.emplace_back(
          "capture of graphs that is not read",
          fmt::format("{}: {}", fs::path(path).filename().string(), capture.error().message));
      continue;
    }
    graphs.Learn(*capture);
    ++read;
  }
  if (captures.empty()) return;
  AddFacts(graphs.Give(), read == all ? std::to_string(read) : fmt::format("{} of {}", read, all),
           profile);
}

}  // namespace

bool IsGraphCapture(const std::string& path) {
  const fs::path file(path);
  const std::string name = file.filename().string();
  const std::string folder = file.parent_path().filename().string();
  return IsTrace(name) &&
         (std::ranges::any_of(kNames, [&](auto begin) { return name.starts_with(begin); }) ||
          std::ranges::find(kFolders, folder) != std::end(kFolders));
}

std::optional<std::int64_t> RankOfCapture(const std::string& path) {
  static const RE2 rank(R"((?i)(?:^|[^a-z])(?:rank|tp)[-_]?(\d{1,6})(?:[^\d]|$))");
  std::int64_t number = -1;
  const std::string name = fs::path(path).filename().string();
  if (!RE2::PartialMatch(name, rank, &number)) return std::nullopt;
  return number;
}

std::vector<std::string> TakeCaptures(std::vector<std::string>& files) {
  if (std::ranges::all_of(files, IsGraphCapture)) return {};
  std::vector<std::string> captures;
  std::erase_if(files, [&](const std::string& file) {
    if (!IsGraphCapture(file)) return false;
    captures.push_back(file);
    return true;
  });
  return captures;
}

void ReadGraphCaptures(const std::vector<std::string>& named, const ReadOptions& options,
                       std::vector<Profile>& profiles) {
  CapturesOfFolders folders;
  for (Profile& profile : profiles) {
    // Skips profiles that need no capture: listing folders and reading captures takes time.
    GraphOperators graphs(profile);
    if (!graphs.are_wanted()) continue;
    std::vector<std::string> captures = folders.Beside(profile.source.path);
    for (const std::string& path : named) {
      std::error_code code;
      const std::string full = fs::absolute(path, code).string();
      if (std::ranges::find(captures, full) == captures.end()) captures.push_back(full);
    }
    if (!captures.empty()) ReadCapturesOf(std::move(captures), options, graphs, profile);
  }
}

}  // namespace profgauge::readers
