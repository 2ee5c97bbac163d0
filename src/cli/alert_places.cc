#include "cli/alert_places.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

bool IsBuiltin(const std::string& file) { return file.empty() || file.starts_with("builtin:"); }

/// The nearest folder above `file` with a .git (a folder, or a file in worktrees); else none.
fs::path FindRepository(const fs::path& file) {
  std::error_code error;
  const fs::path start = fs::weakly_canonical(fs::absolute(file, error), error);
  for (fs::path folder = start.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return folder;
    if (folder == folder.root_path()) break;
  }
  return {};
}

class Paths {
 public:
  /// `near`: a file of the repository, the policy if there is one.
  Paths(const Options& options, const std::string& near) : is_redacted_(options.redact) {
    std::error_code error;
    root_ = options.repository.empty() ? FindRepository(near) : fs::path(options.repository);
    if (root_.empty()) root_ = fs::current_path(error);
    root_ = fs::weakly_canonical(fs::absolute(root_, error), error);
  }

  /// As the repository calls it; a file outside stays as it is named.
  std::string Of(const std::string& file) const {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(fs::absolute(file, error), error);
    const fs::path inside = whole.lexically_relative(root_);
    const bool is_outside = inside.empty() || *inside.begin() == "..";
    if (is_outside && is_redacted_) return fs::path(file).filename().string();
    if (is_outside) return file;
    return inside.generic_string();
  }

 private:
  fs::path root_;
  bool is_redacted_;
};

std::string Subject(const Options& options) {
  if (options.arguments.empty() || options.arguments[0] == "-") return "profile";
  return options.arguments[0];
}

}  // namespace

render::AlertPlaces PlacesOf(const Options& options, const std::string& policy,
                             const std::string& otherwise) {
  const std::string& at = IsBuiltin(policy) ? otherwise : policy;
  return {{Paths(options, at).Of(at), 1}, {}};
}

render::AlertPlaces PlacesOf(const Options& options, const Policy& policy) {
  const std::string file = IsBuiltin(options.policy) ? Subject(options) : options.policy;
  const Paths paths(options, file);
  render::AlertPlaces places{{paths.Of(file), 1}, {}};
  const auto add = [&](const std::string& id, const Where& where) {
    if (IsBuiltin(where.file)) return;
    places.by_id.insert_or_assign(id, render::AlertPlace{paths.Of(where.file), where.line});
  };
  for (const Threshold& threshold : policy.thresholds) {
    add("limit/" + threshold.metric, threshold.where);
  }
  if (policy.baseline) {
    for (const BaselineLimit& limit : policy.baseline->limits) {
      add("limit/" + limit.metric, limit.where);
    }
  }
  for (const RuleSetting& setting : policy.rules) add(setting.pattern, setting.where);
  return places;
}

render::AlertPlace PlaceOf(const Options& options, const Where& where) {
  const std::string otherwise = IsBuiltin(options.policy) ? Subject(options) : options.policy;
  const std::string& file = IsBuiltin(where.file) || where.file == "-" ? otherwise : where.file;
  return {Paths(options, file).Of(file), std::max(1U, where.line)};
}

}  // namespace profgauge::cli
