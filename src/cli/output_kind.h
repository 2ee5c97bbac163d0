// The outputs of a run: one table for the options, for `--ci`, and for rendering.
//
//   row of the table        named by                        written by --ci as
//   kHtml                   --html FILE, --out DIR          DIR/report.html
//   kJunit                  --write junit=FILE              DIR/junit.xml
//   kDotenv                 nothing                         DIR/profgauge.env, for GitLab
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace profgauge::cli {

enum class FileKind : std::uint8_t;

enum class OutputKind : std::uint8_t {
  kHtml,
  kMarkdown,
  kSummary,
  kText,
  kXlsx,
  kJson,
  kJunit,
  kSarif,
  kGithub,
  kCodeQuality,
  kMetrics,
  kTrace,
  kHtmlFolder,
  kVerdict,
  kRow,
  kRunSummary,
  kDotenv,
  kGithubOutput,
  kStepSummary,
};
inline constexpr std::size_t kOutputKinds = 19;

/// For which runs or profiles an output can be written.
enum class OutputScope : std::uint8_t {
  kRun,      ///< One run.
  kRuns,     ///< Also the runs of `report --run`.
  kProfile,  ///< One run with its profile available: `check` and `report`.
};

struct OutputSpec {
  OutputKind kind{};
  std::string_view word;     ///< KIND of --write; empty: it has an option, or only --ci writes it.
  std::string_view name;     ///< Its name in messages: "--html", "--write junit".
  std::string_view suffix;   ///< --out writes "report." and this; empty: it does not write it.
  std::string_view ci_name;  ///< The file that --ci writes on every system; empty: none.
  FileKind file{};           ///< The kind of file that may be replaced.
  OutputScope scope = OutputScope::kRun;
  bool is_appended = false;  ///< Appended to a file of the CI system, which several runs share.
};
/// One row per kind, in the order in which outputs are opened and written.
std::span<const OutputSpec> AllOutputs();
const OutputSpec& SpecOf(OutputKind kind);

/// Where each output goes: a file, "-" for standard output, or a folder. Empty: not written.
class OutputPaths {
 public:
  std::string& operator[](OutputKind kind) { return paths_[static_cast<std::size_t>(kind)]; }
  const std::string& operator[](OutputKind kind) const {
    return paths_[static_cast<std::size_t>(kind)];
  }
  bool Has(OutputKind kind) const { return !(*this)[kind].empty(); }

 private:
  std::array<std::string, kOutputKinds> paths_;
};

}  // namespace profgauge::cli
