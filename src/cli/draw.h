// The report files that a command line asks for: opened early, rendered late.
//
//   Open()      one Item for each output; temporary files exist, nothing is replaced yet
//     |         read, analyze, judge
//   Draw()      all items simultaneously: report -> bytes        (workbook first, it takes longest)
//     |         then one after the other: bytes -> file renamed to its path
//   Summary()   "wrote out/: report.html report.md"
//
// If the run fails in between, it calls LeaveEnding(): the outputs then contain the reason, so that
// yesterday's page is not mistaken for today's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/output_kind.h"
#include "cli/outputs.h"
#include "cli/stats.h"
#include "gate/snapshot.h"
#include "profgauge/error.h"
#include "render/ci/ci.h"
#include "render/shared/ending.h"
#include "render/shared/renderer.h"
#include "report/report.h"
#include "report/runs.h"

namespace profgauge::cli {

class Console;

/// The outputs of one run. It owns open files, so it is not copyable. The destructor removes files
/// that were not written.
class Drawing {
 public:
  /// `kept`: files from KeptBy() that no output may replace.
  explicit Drawing(KeptFiles kept) : outputs_(std::move(kept)) {}

  /// Opens every output. Errors: kOutput; kUsage if an output is named twice, or would replace a
  /// file that is not an earlier output.
  Status Open(const Options& options);
  /// Renders and writes all outputs. If one fails, the others are still written, and the first
  /// error is returned. REQUIRES: Open() succeeded.
  Status Draw(const report::Report& report, Stats& stats);
  /// Like Draw(report, stats). If `add_timeline` is not empty, it adds the timeline to the report
  /// while outputs without one are rendered. The first output that shows events calls it, at most
  /// once; other outputs must not read `report.timeline`.
  Status Draw(report::Report& report, const std::function<void(report::Report&)>& add_timeline,
              Stats& stats);
  /// Renders and writes outputs of several runs. REQUIRES: they are HTML, Markdown, XLSX or JSON.
  Status Draw(const report::Runs& runs, Stats& stats);

  /// Sets the places of alerts. Default: the policy that the report names.
  void ShowAlertsAt(render::AlertPlaces places) { places_ = std::move(places); }

  /// Opens the outputs that can be opened. Errors of the others are not reported.
  void OpenThose(const Options& options);
  /// Writes `ending` to all open outputs. Removes a trace of events and the summary of a run
  /// instead, so that nothing of an earlier run stays. Returns the first error.
  Status Draw(const render::Ending& ending);

  /// Sets the program's exit code, for outputs that state it.
  void ExitsWith(int exit_code) { exit_code_ = exit_code; }
  /// Sets the run that the row describes, for a report that has only a comparison.
  void Describes(const gate::Snapshot& run) { described_ = run; }
  /// Sets the function that makes the bytes of `--write pgsum`. Called while outputs are rendered.
  void SummarizeBy(std::function<Result<std::string>()> summarize) {
    summarize_ = std::move(summarize);
  }

  bool empty() const { return items_.empty(); }  ///< True if no output was opened.
  bool uses_stdout() const { return outputs_.uses_stdout(); }
  /// One line for each folder: "wrote out/: report.html report.md", or "wrote run.html".
  std::vector<std::string> Summary() const;
  /// The path of the page that was written; empty if there is none.
  std::string Page() const;

 private:
  struct Item {
    OutputKind kind;
    std::string path;
    std::vector<std::pair<std::string, std::size_t>> outputs;  ///< Name in the folder, and output
                                                               ///< number.
    bool written = false;
  };

  struct Wanted {
    OutputKind kind{};
    std::string path;
    bool is_ours = false;  ///< A default name in --out, which must stay within it.
  };
  static std::vector<Wanted> WantedBy(const Options& options);
  Status Add(const Wanted& wanted);
  Status AddHtmlFolder(const std::string& folder);
  Status AddStepSummary();
  render::AlertPlaces PlacesFor(const report::Report& report) const;
  Result<std::vector<render::File>> DrawOne(const Item& item, const report::Report& report) const;
  Result<std::vector<render::File>> DrawOne(const Item& item, const report::Runs& runs) const;
  Result<std::vector<render::File>> DrawOne(const Item& item, const render::Ending& ending) const;
  Result<std::vector<render::File>> DrawFacts(const Item& item, render::VerdictFacts facts) const;
  /// The path of the page if it is a file; empty if none is written.
  std::string PagePath() const;
  /// The page's address in the CI; empty if it is unknown or hidden.
  std::string Link() const;
  std::string RowOf(const report::Report& report) const;
  std::string RowOf(const render::Ending& ending) const;
  using DrawsOne = std::function<Result<std::vector<render::File>>(const Item&)>;
  Status DrawAll(const DrawsOne& draw_one, Stats& stats);
  void RemoveUnsummarized();  ///< Removes the output of `--write pgsum` if there is no summary.
  Status Commit(Item& item, const std::vector<render::File>& files);

  Outputs outputs_;
  std::optional<render::AlertPlaces> places_;
  std::size_t step_summary_room_ = 0;  ///< Bytes that GitHub's file has room for.
  std::vector<Item> items_;
  Options options_;  ///< Used to find the paths of alerts.
  int exit_code_ = 0;
  std::optional<gate::Snapshot> described_;
  std::function<Result<std::string>()> summarize_;
};

/// Prints the answer of a command (to standard error if an output is standard output) and the list
/// of written files. On a terminal, also prints how to open the page or, over SSH, how to copy it.
void Tell(const std::string& text, const Drawing& drawing, Console& console);

/// Writes `ending` to each output of `options` that may be written. Not all inputs are known
/// without the policy, so files of other programs are kept even with --force. REQUIRES: no Drawing
/// of these outputs exists, because both would use the same temporary files.
Status LeaveEnding(const Options& options, const render::Ending& ending);

}  // namespace profgauge::cli
