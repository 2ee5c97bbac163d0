#include "api/session.h"

#include <algorithm>
#include <filesystem>

namespace profgauge {
namespace {

namespace fs = std::filesystem;

/// The last named part of a path: "runs/a/" and "runs/a" are both "a".
std::string LastName(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const fs::path named = absolute.has_filename() ? absolute : absolute.parent_path();
  return named.filename().string();
}

}  // namespace

Selection SelectionOf(const Policy& loaded, const EvaluateOptions& options) {
  const PolicyIterations& policy = loaded.iterations;
  Selection selection;
  const auto first = [](const auto& a, const auto& b) { return a ? a : b; };
  selection.iteration_marker = first(options.iteration_marker, policy.marker).value_or("");
  selection.key_op = first(options.key_op, policy.key_op).value_or("");
  // A bound on the command line replaces the policy's, whichever way each is said.
  const bool own_start = options.iter_start || options.iter_start_number;
  const bool own_stop = options.iter_stop || options.iter_stop_number;
  selection.start = (own_start ? options.iter_start : policy.start).value_or(-1);
  selection.stop = (own_stop ? options.iter_stop : policy.stop).value_or(-1);
  selection.start_number = own_start ? options.iter_start_number : policy.start_number;
  selection.stop_number = own_stop ? options.iter_stop_number : policy.stop_number;
  selection.warmup = first(options.warmup, policy.warmup).value_or(0);
  selection.rank = options.rank.value_or(-1);
  if (options.range) selection.range = Span{options.range->first, options.range->second};
  for (const auto& [name, time] : options.marks) selection.marks.push_back({name, time});
  selection.source_root = options.source_root;
  selection.knowledge = loaded.knowledge;
  return selection;
}

std::vector<std::pair<std::string, std::string>> ProvenanceOptions(const EvaluateOptions& options,
                                                                   const Policy& policy) {
  std::vector<std::pair<std::string, std::string>> result;
  const auto add_number = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) result.emplace_back(name, std::to_string(*value));
  };
  const auto add_text = [&](const char* name, const std::optional<std::string>& value) {
    if (value) result.emplace_back(name, *value);
  };
  add_text("iteration-marker", options.iteration_marker);
  add_text("key-op", options.key_op);
  add_number("iter-start", options.iter_start);
  add_number("iter-stop", options.iter_stop);
  const auto add_recorded = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) result.emplace_back(name, "#" + std::to_string(*value));
  };
  add_recorded("iter-start", options.iter_start_number);
  add_recorded("iter-stop", options.iter_stop_number);
  add_number("warmup", options.warmup);
  add_number("rank", options.rank);
  if (options.range) {
    result.emplace_back("range", std::to_string(options.range->first) + ":" +
                                     std::to_string(options.range->second));
  }
  for (const auto& [name, time] : options.marks) {
    result.emplace_back("mark", name + "=" + std::to_string(time));
  }
  if (options.allow_incomplete) result.emplace_back("allow-incomplete", "yes");
  const auto add_file = [&](const char* name, const PolicyFile& file) {
    if (!file.path.empty()) result.emplace_back(name, fs::path(file.path).filename().string());
  };
  if (policy.knowledge.undecided_use_tensor_cores) {
    result.emplace_back("tensor-core-unknown", "upper_bound");
  }
  add_file("tensor-core-names", policy.tensor_core_names);
  add_file("devices", policy.devices);
  return result;
}

ImportLog MergedLog(const std::vector<Profile>& ranks) {
  ImportLog log;
  for (const Profile& profile : ranks) log.Merge(profile.log);
  return log;
}

std::string RunName(const std::vector<std::string>& paths) {
  std::error_code error;
  if (paths.empty()) return {};
  if (paths.size() == 1) {
    if (paths[0] == "-") return "stdin";
    return fs::is_directory(paths[0], error) ? LastName(paths[0]) : std::string();
  }
  const fs::path folder = fs::absolute(paths[0], error).parent_path();
  const bool together = std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return fs::absolute(path, error).parent_path() == folder;
  });
  return together ? LastName(folder) : std::string();
}

}  // namespace profgauge
