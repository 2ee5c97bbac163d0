// The table of commands.
#pragma once

#include <span>
#include <string_view>

#include "cli/options.h"

namespace profgauge::cli {

class Console;

/// Which commands an option belongs to.
enum CommandBit : unsigned {
  kOnCheck = 1u << 0,
  kOnReport = 1u << 1,
  kOnInspect = 1u << 2,
  kOnRender = 1u << 3,
  kOnMetricsList = 1u << 4,
  kOnTemplatesExport = 1u << 5,
  kOnVersion = 1u << 6,
  kOnHelp = 1u << 7,
  kOnCompare = 1u << 8,
  kOnBaselineSave = 1u << 9,
  kOnBaselineShow = 1u << 10,
  kOnBaselinePromote = 1u << 11,
  kOnHistoryAdd = 1u << 12,
  kOnHistoryList = 1u << 13,
  kOnHistoryTrend = 1u << 14,
  kOnHistoryExport = 1u << 15,
  kOnRulesList = 1u << 16,
  kOnRulesCheck = 1u << 17,
  kOnRulesTest = 1u << 18,
  kOnRulesDocs = 1u << 19,
  kOnRulesExplain = 1u << 20,
  kOnInit = 1u << 21,
  kOnExportKernels = 1u << 22,
  kOnExportDlprof = 1u << 23,
  kOnExportNsys = 1u << 24,
  kOnScrub = 1u << 25,
  kOnHistory = kOnHistoryAdd | kOnHistoryList | kOnHistoryTrend | kOnHistoryExport,
  kOnSnapshots = kOnCompare | kOnBaselineSave | kOnBaselinePromote | kOnHistoryAdd,
  kOnJudging = kOnCheck | kOnReport,
  kOnExportText = kOnExportKernels | kOnExportNsys,
  kOnExport = kOnExportText | kOnExportDlprof,
  kOnReading = kOnJudging | kOnInspect | kOnSnapshots | kOnRulesExplain | kOnInit | kOnExport,
  kOnSelecting = kOnJudging | kOnSnapshots | kOnRulesExplain | kOnInit | kOnExportDlprof,
  kOnDrawing = kOnJudging | kOnRender | kOnCompare,
  kOnAll = ~0u,
};

/// One command. Its name may be two words: "metrics list".
struct CommandSpec {
  std::string_view name;
  CommandBit bit{};
  std::string_view arguments;  ///< As shown in the usage line: "PROFILE…".
  std::size_t min_arguments = 0;
  std::size_t max_arguments = 0;
  std::string_view brief;     ///< One line.
  std::string_view detail;    ///< Paragraphs for --help.
  std::string_view examples;  ///< Lines for --help.
  /// Runs it and returns the exit code. Errors become diagnostics and their exit code.
  Result<int> (*run)(const Options& options, Console& console) = nullptr;
};
std::span<const CommandSpec> AllCommands();

Result<int> RunCheck(const Options& options, Console& console);
Result<int> RunReport(const Options& options, Console& console);
Result<int> RunCompare(const Options& options, Console& console);
Result<int> RunBaselineSave(const Options& options, Console& console);
Result<int> RunBaselineShow(const Options& options, Console& console);
Result<int> RunBaselinePromote(const Options& options, Console& console);
Result<int> RunHistoryAdd(const Options& options, Console& console);
Result<int> RunHistoryList(const Options& options, Console& console);
Result<int> RunHistoryTrend(const Options& options, Console& console);
Result<int> RunHistoryExport(const Options& options, Console& console);
Result<int> RunInit(const Options& options, Console& console);
Result<int> RunInspect(const Options& options, Console& console);
Result<int> RunExportKernels(const Options& options, Console& console);
Result<int> RunExportDlprof(const Options& options, Console& console);
Result<int> RunExportNsys(const Options& options, Console& console);
Result<int> RunScrub(const Options& options, Console& console);
Result<int> RunRender(const Options& options, Console& console);
Result<int> RunTemplatesExport(const Options& options, Console& console);
Result<int> RunMetricsList(const Options& options, Console& console);
Result<int> RunRulesList(const Options& options, Console& console);
Result<int> RunRulesCheck(const Options& options, Console& console);
Result<int> RunRulesTest(const Options& options, Console& console);
Result<int> RunRulesDocs(const Options& options, Console& console);
Result<int> RunRulesExplain(const Options& options, Console& console);
Result<int> RunVersion(const Options& options, Console& console);
Result<int> RunHelp(const Options& options, Console& console);

}  // namespace profgauge::cli
