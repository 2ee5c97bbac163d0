// The report files that a command line asks for: opened early, drawn late.
//
//   Open()      one Item for each output; temporary files exist, nothing is replaced yet
//     |         read, analyze, judge
//   Draw()      all items simultaneously: report -> bytes        (workbook first, it takes longest)
//     |         then one after the other: bytes -> file renamed into its place
//   Summary()   "wrote out/: report.html report.md"
//
// A run that fails in between calls LeaveEnding(): the same outputs then contain the reason, so
// that a page of yesterday is not taken for today's.
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

/// The outputs of one run. Not copyable, since it owns open files; destroying it removes those that
/// were not written.
class Drawing {
 public:
  /// `kept`: the files that no output may replace, from KeptBy().
  explicit Drawing(KeptFiles kept) : outputs_(std::move(kept)) {}

  /// Opens every output. Errors: kOutput; kUsage when an output is named twice or would replace a
  /// file that is no earlier output.
  Status Open(const Options& options);
  /// Draws and writes all of them. The outputs that could be written are written even if one
  /// cannot; the first error is returned. REQUIRES: Open() succeeded.
  Status Draw(const report::Report& report, Stats& stats);
  /// The same of a report that `add_timeline`, unless it is empty, adds its timeline to: beside the
  /// outputs without one. It is called at most once, by the first output that shows events; the
  /// others must not read `report.timeline`.
  Status Draw(report::Report& report, const std::function<void(report::Report&)>& add_timeline,
              Stats& stats);
  /// REQUIRES: the outputs are HTML, Markdown, XLSX and JSON.
  Status Draw(const report::Runs& runs, Stats& stats);

  /// Where alerts are shown; without it, at the policy that the report names.
  void ShowAlertsAt(render::AlertPlaces places) { places_ = std::move(places); }

  /// Opens those that can be, whatever keeps others from it; says nothing of these.
  void OpenThose(const Options& options);
  /// Writes `ending` into all open outputs; a trace of events and the summary of a run are removed,
  /// for nothing of an earlier run may stay. The first error is returned.
  Status Draw(const render::Ending& ending);

  /// The exit code of the program, for outputs that state it.
  void ExitsWith(int exit_code) { exit_code_ = exit_code; }
  /// The run that a report of nothing but a comparison is about, for the row.
  void Describes(const gate::Snapshot& run) { described_ = run; }
  /// Makes the bytes of `--write pgsum`. Called while the outputs are drawn.
  void SummarizeBy(std::function<Result<std::string>()> summarize) {
    summarize_ = std::move(summarize);
  }

  bool empty() const { return items_.empty(); }  ///< Whether no output was opened.
  bool uses_stdout() const { return outputs_.uses_stdout(); }
  /// One line for each folder: "wrote out/: report.html report.md", or "wrote run.html".
  std::vector<std::string> Summary() const;
  /// The page that was written; empty without one.
  std::string Page() const;

 private:
  struct Item {
    OutputKind kind;
    std::string path;
    std::vector<std::pair<std::string, std::size_t>> outputs;  ///< Name in the folder, number.
    bool written = false;
  };

  struct Wanted {
    OutputKind kind{};
    std::string path;
    bool is_ours = false;  ///< A name of ours in --out, which must stay within it.
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
  /// The page as a file; empty: none is written.
  std::string PagePath() const;
  /// Where the CI shows it; empty: unknown, or hidden.
  std::string Link() const;
  std::string RowOf(const report::Report& report) const;
  std::string RowOf(const render::Ending& ending) const;
  using DrawsOne = std::function<Result<std::vector<render::File>>(const Item&)>;
  Status DrawAll(const DrawsOne& draw_one, Stats& stats);
  void RemoveUnsummarized();  ///< The output of `--write pgsum`, where there is no summary.
  Status Commit(Item& item, const std::vector<render::File>& files);

  Outputs outputs_;
  std::optional<render::AlertPlaces> places_;
  std::size_t step_summary_room_ = 0;  ///< Bytes that GitHub's file still takes.
  std::vector<Item> items_;
  Options options_;  ///< For the paths of alerts.
  int exit_code_ = 0;
  std::optional<gate::Snapshot> described_;
  std::function<Result<std::string>()> summarize_;
};

/// Prints the answer of a command, to standard error where an output is standard output, and says
/// what was written. A person at a terminal also learns how to open the page: over SSH, how to copy
/// it.
void Tell(const std::string& text, const Drawing& drawing, Console& console);

/// Leaves `ending` in each output of `options` that may be written. Without the policy not all
/// inputs are known, so files of others stay even with --force. REQUIRES: no Drawing of them is
/// left: two of them would hold the same temporary files.
Status LeaveEnding(const Options& options, const render::Ending& ending);

}  // namespace profgauge::cli
