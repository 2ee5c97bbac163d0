#include "cli/file_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/option_values.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

bool IsFolder(const std::string& path) {
  std::error_code error;
  return path != "-" && fs::is_directory(path, error);
}

std::uint64_t BitOf(const Options& options) {
  return options.command == nullptr ? 0 : static_cast<std::uint64_t>(options.command->bit);
}

void AddInput(KeptFiles& kept, const std::string& path) {
  if (path.empty() || path == "-" || path.starts_with("builtin:")) return;
  (IsFolder(path) ? kept.folders : kept.inputs).push_back(path);
}

// Adds the arguments that are profiles, baselines and rules. Others are names or outputs.
void AddArguments(KeptFiles& kept, const Options& options) {
  const std::uint64_t command = BitOf(options);
  const std::size_t first = command == kOnRulesExplain ? 1 : 0;
  const std::size_t last = command == kOnScrub ? 1 : options.arguments.size();
  for (std::size_t i = first; i < std::min(last, options.arguments.size()); ++i) {
    AddInput(kept, options.arguments[i]);
  }
}

// True for commands that only read the history, so that it must not be an output. Commands that add
// to it call CheckReplacing() and write it themselves.
bool ReadsHistory(const Options& options) {
  const auto is_reference = [](const std::string& what) { return what.starts_with("history:"); };
  const std::uint64_t command = BitOf(options);
  return command == kOnHistoryList ||
         std::any_of(options.arguments.begin(), options.arguments.end(), is_reference) ||
         std::any_of(options.baselines.begin(), options.baselines.end(), is_reference);
}

// True if the file, below a folder of profiles, may be read as a profile. A file with our mark is
// none, except traces and DLProf's reports, which are read even if we wrote them.
bool MayBeRead(const std::string& path, FileKind kind) {
  return kind == FileKind::kTrace || kind == FileKind::kDlprof || !IsOurs(path, kind);
}

// True if `path` is below `folder`. Compares canonical paths part by part, so that "runs2/x" is not
// below "runs", and links do not hide the real place.
bool IsBelow(const fs::path& path, const std::string& folder) {
  std::error_code error;
  const fs::path base = fs::canonical(folder, error);
  if (error) return false;
  const fs::path file = fs::weakly_canonical(path, error);
  if (error) return false;
  const auto [end, ignored] = std::mismatch(base.begin(), base.end(), file.begin(), file.end());
  return end == base.end();
}

Error OverwritesInput(const std::string& path, const std::string& input, bool is_below) {
  return UsageError("usage/overwrites-input",
                    fmt::format("output `{}` is {} `{}`", Printable(path),
                                is_below ? "a file of the input" : "the input", Printable(input)),
                    "choose another name for the output");
}

// True if the file has contents that could be lost. Devices and pipes have none.
bool HasContent(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && fs::file_size(path, error) > 0 && !error;
}

// Rejects outputs that would overwrite an input. Only regular files can be overwritten: a device
// such as /dev/stdin may be both input and output.
Status CheckInputs(const std::string& path, const KeptFiles& kept) {
  for (const std::string& input : kept.inputs) {
    std::error_code error;
    const bool is_same = fs::equivalent(path, input, error) && !error;
    if (is_same && fs::is_regular_file(path, error)) {
      return Fail(OverwritesInput(path, input, false));
    }
  }
  return {};
}

}  // namespace

KeptFiles KeptBy(const Options& options, const rules::Policy* policy) {
  KeptFiles kept;
  kept.force = options.force;
  AddArguments(kept, options);
  for (const std::string& baseline : options.baselines) {
    if (!baseline.starts_with("history:")) AddInput(kept, baseline);
  }
  if (ReadsHistory(options)) AddInput(kept, options.db);
  AddInput(kept, options.policy);
  AddInput(kept, options.config_file);
  if (IsMarksFile(options.marks_text)) AddInput(kept, options.marks_text);
  kept.source_root = options.source_root;
  if (policy == nullptr) return kept;
  for (const std::string& source : policy->sources) AddInput(kept, source);
  for (const std::string& rules : policy->rule_files) AddInput(kept, rules);
  AddInput(kept, policy->tensor_core_names.path);
  AddInput(kept, policy->devices.path);
  return kept;
}

// Applies the rows of the table in file_kind.h, in order.
Status CheckReplacing(const std::string& path, FileKind kind, const KeptFiles& kept) {
  if (path == "-") return {};
  PROFGAUGE_CHECK(CheckInputs(path, kept));
  if (!HasContent(path)) return {};
  for (const std::string& folder : kept.folders) {
    if (IsBelow(path, folder) && MayBeRead(path, kind)) {
      return Fail(OverwritesInput(path, folder, true));
    }
  }
  if (IsOurs(path, kind)) return {};
  if (!kept.source_root.empty() && IsBelow(path, kept.source_root)) {
    return Fail(OverwritesInput(path, kept.source_root, true));
  }
  if (kept.force) return {};
  return Fail(UsageError(
      "usage/not-ours",
      fmt::format("`{}` exists and is not an earlier report of this kind", Printable(path)),
      "choose another name, or replace it with `--force`"));
}

Status CheckAppending(const std::string& path, const KeptFiles& kept) {
  return CheckInputs(path, kept);
}

}  // namespace profgauge::cli
