// The table of commands. The parser, the help, the manual and the completions are made from it. A
// row is one command; `CommandBit` connects it with its options.
//
//   kCommands (commands.cc)                     options.cc
//   {"check",  kOnCheck,  …, RunCheck}   <---   {"--fail-on", …, kOnCheck | kOnCompare, …}
//   {"render", kOnRender, …, RunRender}
//
// The commands themselves are in commands/, not in this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace profgauge::cli {

class Console;

/// The commands that have an option: a bit for each command, and sets of bits. A bit is only used
/// inside one run of the program, so a new command may take any free one. A static_assert in
/// commands.cc detects a bit that two commands share.
enum CommandBit : std::uint64_t {
  kOnCheck = std::uint64_t{1} << 0,
  kOnReport = std::uint64_t{1} << 1,
  kOnCompare = std::uint64_t{1} << 2,
  kOnWhatIf = std::uint64_t{1} << 3,
  kOnBaselineSave = std::uint64_t{1} << 4,
  kOnBaselineShow = std::uint64_t{1} << 5,
  kOnHistoryAdd = std::uint64_t{1} << 7,
  kOnHistoryList = std::uint64_t{1} << 8,
  kOnHistoryRemove = std::uint64_t{1} << 10,
  kOnInit = std::uint64_t{1} << 12,
  kOnInspect = std::uint64_t{1} << 13,
  kOnRender = std::uint64_t{1} << 14,
  kOnExportKernels = std::uint64_t{1} << 15,
  kOnExportNetdict = std::uint64_t{1} << 16,
  kOnExportDlprof = std::uint64_t{1} << 17,
  kOnExportNsys = std::uint64_t{1} << 18,
  kOnSummarize = std::uint64_t{1} << 19,
  kOnScrub = std::uint64_t{1} << 20,
  kOnMetricsList = std::uint64_t{1} << 21,
  kOnRulesList = std::uint64_t{1} << 22,
  kOnRulesExplain = std::uint64_t{1} << 23,
  kOnRulesCheck = std::uint64_t{1} << 24,
  kOnRulesTest = std::uint64_t{1} << 25,
  kOnRulesDocs = std::uint64_t{1} << 26,
  kOnSchema = std::uint64_t{1} << 28,
  kOnManual = std::uint64_t{1} << 29,
  kOnCompletion = std::uint64_t{1} << 30,
  kOnVersion = std::uint64_t{1} << 31,
  kOnHelp = std::uint64_t{1} << 32,
  kOnThresholds = std::uint64_t{1} << 33,
  kOnHistoryAccept = std::uint64_t{1} << 35,
  kOnHistoryCheck = std::uint64_t{1} << 37,
  kOnHistoryBisect = std::uint64_t{1} << 6,
  kOnBaselinePower = std::uint64_t{1} << 38,
  kOnRulesColumns = std::uint64_t{1} << 40,
  kOnQuery = std::uint64_t{1} << 42,
  kOnExportTables = std::uint64_t{1} << 43,
  kOnMcp = std::uint64_t{1} << 44,
  /// Commands that read the tables of query/relation.h.
  kOnTables = kOnQuery | kOnExportTables,
  /// Commands that print lists, and can print them as JSON.
  kOnLists = kOnMetricsList | kOnRulesList | kOnRulesExplain | kOnRulesCheck | kOnRulesTest |
             kOnRulesColumns | kOnVersion | kOnWhatIf | kOnBaselineShow | kOnHistoryList |
             kOnInspect,
  kOnHistory = kOnHistoryAdd | kOnHistoryList | kOnHistoryRemove | kOnHistoryAccept |
               kOnHistoryCheck | kOnHistoryBisect,
  kOnBaseline = kOnBaselineSave | kOnBaselineShow | kOnBaselinePower,
  /// Commands that reduce each run to a snapshot (gate/snapshot.h).
  kOnSnapshots = kOnCompare | kOnBaselineSave | kOnHistoryAdd,
  /// Commands with a verdict, which profgauge.yaml may split into jobs.
  kOnJudging = kOnCheck | kOnReport,
  kOnExportText = kOnExportKernels | kOnExportNsys,
  kOnExport = kOnExportText | kOnExportNetdict | kOnExportDlprof,
  /// Commands that read profiles, and so take --jobs, --max-memory and the options of readers.
  kOnReading = kOnJudging | kOnWhatIf | kOnInspect | kOnSnapshots | kOnRulesExplain | kOnInit |
               kOnExport | kOnSummarize | kOnTables,
  /// The commands that select iterations: all that read, except `inspect`, which shows them all.
  kOnSelecting = kOnJudging | kOnWhatIf | kOnSnapshots | kOnRulesExplain | kOnInit | kOnExport |
                 kOnSummarize | kOnTables,
  /// Commands that accept summaries of ranks in place of profiles.
  kOnSummaries =
      kOnJudging | kOnInspect | kOnRulesExplain | kOnSummarize | kOnSnapshots | kOnInit | kOnTables,
  /// Commands that read profgauge.yaml.
  kOnConfigured = kOnJudging | kOnCompare | kOnWhatIf | kOnHistory | kOnBaseline | kOnSummarize |
                  kOnRulesExplain | kOnTables,
  /// Commands with the outputs of cli/draw.h. If they fail, they write the error to each output.
  kOnDrawing = kOnJudging | kOnRender | kOnCompare,
  /// Commands that take --force.
  kOnWriting = kOnDrawing | kOnExport | kOnInit | kOnScrub | kOnHistoryList | kOnRulesTest |
               kOnSummarize | kOnInspect | kOnTables,
  kOnAll = ~std::uint64_t{0},
};

/// The kind of a command's arguments, used to complete them in shells.
enum class Takes : std::uint8_t {
  kNothing,
  kFiles,
  kFolder,
  kMetrics,
  kThresholds,
  kRuleThenFiles,
  kCommand,
  kShell,
  kSchema,
};

/// One command. Its name may be two words: "metrics list". `arguments` is shown as it is. Their
/// number must be between `min_arguments` and `max_arguments`; only commands of kOnJudging may have
/// none, and then use those of profgauge.yaml. `detail` and `examples` are printed line by line, so
/// their line ends are set by hand. `takes` is only used for completion.
struct CommandSpec {
  std::string_view name;
  CommandBit bit{};
  std::string_view arguments;  ///< As shown in the usage line: "PROFILE…".
  std::size_t min_arguments = 0;
  std::size_t max_arguments = 0;
  std::string_view brief;     ///< One line.
  std::string_view detail;    ///< Paragraphs for --help.
  std::string_view examples;  ///< Lines for --help.
  /// Runs the command and returns the exit code. The caller shows an Error and exits with its code.
  Result<int> (*run)(const Options& options, Console& console) = nullptr;
  Takes takes = Takes::kFiles;
};
std::span<const CommandSpec> AllCommands();

/// The first words of two-word commands: "baseline", "history", … in the order of the table.
std::vector<std::string_view> CommandGroups();
/// The commands of a group, in the order of the table; empty if there is no such group. The
/// pointers to the table stay valid.
std::vector<const CommandSpec*> CommandsOf(std::string_view group);

/// One function per row of the table, in a file of commands/. Each prints its answer to the console
/// and returns an exit code of cli/exit_code.h, or an Error, which main.cc shows.
Result<int> RunCheck(const Options& options, Console& console);
Result<int> RunReport(const Options& options, Console& console);
/// `report` for several runs.
Result<int> RunReportOfRuns(const Options& options, Console& console);
Result<int> RunWhatIf(const Options& options, Console& console);
Result<int> RunCompare(const Options& options, Console& console);
Result<int> RunBaselineSave(const Options& options, Console& console);
Result<int> RunBaselineShow(const Options& options, Console& console);
Result<int> RunHistoryAdd(const Options& options, Console& console);
Result<int> RunHistoryList(const Options& options, Console& console);
Result<int> RunHistoryRemove(const Options& options, Console& console);
Result<int> RunHistoryAccept(const Options& options, Console& console);
Result<int> RunHistoryBisect(const Options& options, Console& console);
Result<int> RunHistoryCheck(const Options& options, Console& console);
Result<int> RunBaselinePower(const Options& options, Console& console);
Result<int> RunInit(const Options& options, Console& console);
Result<int> RunMcp(const Options& options, Console& console);
Result<int> RunQuery(const Options& options, Console& console);
Result<int> RunInspect(const Options& options, Console& console);
Result<int> RunExportKernels(const Options& options, Console& console);
Result<int> RunExportNetdict(const Options& options, Console& console);
Result<int> RunExportDlprof(const Options& options, Console& console);
Result<int> RunExportTables(const Options& options, Console& console);
Result<int> RunExportNsys(const Options& options, Console& console);
Result<int> RunSummarize(const Options& options, Console& console);
Result<int> RunScrub(const Options& options, Console& console);
Result<int> RunRender(const Options& options, Console& console);
Result<int> RunMetricsList(const Options& options, Console& console);
Result<int> RunThresholds(const Options& options, Console& console);
Result<int> RunRulesList(const Options& options, Console& console);
Result<int> RunRulesCheck(const Options& options, Console& console);
Result<int> RunRulesTest(const Options& options, Console& console);
Result<int> RunRulesDocs(const Options& options, Console& console);
Result<int> RunRulesColumns(const Options& options, Console& console);
Result<int> RunRulesExplain(const Options& options, Console& console);
Result<int> RunCompletion(const Options& options, Console& console);
Result<int> RunManual(const Options& options, Console& console);
Result<int> RunSchema(const Options& options, Console& console);
Result<int> RunVersion(const Options& options, Console& console);
Result<int> RunHelp(const Options& options, Console& console);

}  // namespace profgauge::cli
