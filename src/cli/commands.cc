#include "cli/commands.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace profgauge::cli {
namespace {

// No limit on the number of arguments.
constexpr std::size_t kMany = static_cast<std::size_t>(-1);

constexpr CommandSpec kCommands[] = {
    {"check", kOnCheck, "PROFILE…", 1, kMany, "Judge a profile; the exit code is the verdict",
     "PROFILE is a trace file, several files, a folder (one file per rank), or `-`.\n"
     "Without PROFILE all jobs of profgauge.yaml are judged.\n"
     "\n"
     "The format is found by content, gzipped or not; `-` is standard input. The policy is that "
     "of\n"
     "--policy, else of profgauge.yaml, else builtin:recommended (builtin:cpu if the program used\n"
     "no GPU). Requested reports are always written; if the profile cannot be judged, they "
     "contain\n"
     "the error. With --baseline, several folders, or several files of the same rank, are "
     "repeated\n"
     "runs of one program. All of them are compared with the baseline; the rest of the report\n"
     "describes the run with the median iteration time.",
     "  profgauge check run7.pt.trace.json.gz --out report/\n"
     "  profgauge check ranks/ --policy policy.yaml --json - | jq .verdict\n",
     RunCheck},
    {"report", kOnReport, "PROFILE…", 1, kMany,
     "Like check, but exits 0 whenever it could write the report",
     "Evaluates the same limits and rules as `check`. PROFILE is as for check. With --run it puts\n"
     "2 to 8 runs into one report, with the differences between any two of them.",
     "  profgauge report run7.pt.trace.json.gz --out report/\n"
     "  profgauge report --run main=main.pt.trace.json.gz --run branch=branch.pt.trace.json.gz "
     "--html both.html\n",
     RunReport},
    {"compare", kOnCompare, "BASE CURRENT", 2, 2, "Explain the differences between two runs",
     "Each is a profile, a baseline file or `history:BRANCH~N`. Shows differences in environment\n"
     "and metrics, and the parts that add up exactly to the change of iteration time. With\n"
     "--policy it judges by the policy's `baseline:` limits and exits like check; without it the\n"
     "exit code is 0.",
     "  profgauge compare main.pt.trace.json.gz branch.pt.trace.json.gz\n"
     "  profgauge compare baseline.json run7.pt.trace.json.gz --json - | jq .comparison\n"
     "  profgauge compare baseline.json run7.pt.trace.json.gz --policy policy.yaml\n",
     RunCompare},
    {"what-if", kOnWhatIf, "PROFILE…", 1, kMany, "Predict the effect of a change",
     "Simulates the selected iterations with changed durations and the recorded dependencies.\n"
     "Each --scale is one scenario; then all of them together. --plan lists the\n"
     "findings in the order to fix them. Exits 3 if a condition matches nothing, or if the "
     "profile\n"
     "has no launching calls and cannot be simulated.",
     "  profgauge what-if run7.pt.trace.json.gz --scale \"host_op.name matches 'DataLoader' by "
     "0\"\n"
     "  profgauge what-if ranks/ --scale \"launch.is_collective by 0.5\" --scale waiting\n"
     "  profgauge what-if run7.pt.trace.json.gz --plan\n",
     RunWhatIf},
    {"baseline save", kOnBaselineSave, "PROFILE…", 1, kMany, "Save runs as a baseline file",
     "Each argument becomes one run; several runs show the noise between runs. The file is small\n"
     "JSON, to be committed or cached. Pass the same policy as for `check`: its iterations, "
     "kernel\n"
     "names and devices change numbers, and runs that differ in them are not compared.",
     "  profgauge baseline save run1.json.gz run2.json.gz -o baseline.json --policy policy.yaml\n",
     RunBaselineSave},
    {"baseline show", kOnBaselineShow, "FILE…", 1, kMany, "Show the contents of a baseline", "",
     "  profgauge baseline show baseline.json\n", RunBaselineShow},
    {"baseline power", kOnBaselinePower, "BASELINE…", 1, kMany,
     "Report the smallest change that a baseline can detect",
     "Compares each run with the others. Prints the noise between runs, the noise floor to set, "
     "and\n"
     "the smallest change that nine of ten comparisons detect, by iterations and runs. BASELINE "
     "may\n"
     "be the folder of a duet (`python -m profgauge.duet --aa CMD`). Exits 3 with fewer than 3 "
     "runs.",
     "  profgauge baseline power baseline.json\n"
     "  profgauge baseline power history:main~10\n",
     RunBaselinePower},
    {"history add", kOnHistoryAdd, "PROFILE…", 1, kMany,
     "Add runs to the history, which check compares with",
     "The history is one SQLite file; several writers at the same time are safe. Pass the policy\n"
     "that will judge, like for `baseline save`. PROFILE may be the folder that `check --ci` "
     "wrote:\n"
     "its runs are added with their verdict and their model, by the policy of their job. Add\n"
     "other runs with --verdict: without a verdict a slow run becomes a baseline.",
     "  profgauge history add run7.json.gz --branch main --commit 3f2a1c --policy policy.yaml\n"
     "  profgauge history add profgauge-report --branch main --commit 3f2a1c\n",
     RunHistoryAdd},
    {"history accept", kOnHistoryAccept, "RUN", 1, 1, "Accept a run's speed as the new level",
     "RUN is the number of a run, or a commit: all its runs that failed. Later runs of the same\n"
     "model are compared with it and with the runs after it. --until sets its last day;\n"
     "`history remove level:ID` removes it.",
     "  profgauge history accept 3f2a1c --reason \"wider model\" --owner anna --until 2027-03-31\n",
     RunHistoryAccept, Takes::kNothing},
    {"history bisect", kOnHistoryBisect, "", 0, 0,
     "Find the commit that made a step, by noisy runs",
     "Reads commits from standard input, oldest first, and their runs from the history. Prints "
     "one\n"
     "commit. Exit 0: it made the step, with 95 %. Exit 3: measure it, add its run, and ask again. "
     "A\n"
     "commit may be asked for again: one noisy run decides nothing.",
     "  git rev-list --reverse --first-parent v1..main |\n"
     "    profgauge history bisect --good $(git rev-parse v1) --bad $(git rev-parse main)\n",
     RunHistoryBisect, Takes::kNothing},
    {"history check", kOnHistoryCheck, "", 0, 0, "Look for a step or creep that is not accepted",
     "Checks the metrics that the policy limits in `baseline:` (default: iteration.time.median), "
     "of\n"
     "each model of the branch. Exits 1 if the level rose by more than the limit since the last\n"
     "accepted one, 3 with fewer than 8 comparable runs, else 0; 1 wins over 3, 3 over 0. Names "
     "the\n"
     "commits that may have caused the step.",
     "  profgauge history check --branch main\n", RunHistoryCheck, Takes::kNothing},
    {"history list", kOnHistoryList, "", 0, 0, "List the runs of the history and their changes",
     "Shows accepted levels, and where the level of a metric changed. Changes are of the runs "
     "that\n"
     "are comparable with the last one. The page of --html has a chart of each metric.",
     "  profgauge history list --branch main\n"
     "  profgauge history list --branch main --html trend.html\n"
     "  profgauge history list --format parquet -o runs.parquet\n",
     RunHistoryList, Takes::kNothing},
    {"history remove", kOnHistoryRemove, "ID…", 1, kMany,
     "Remove runs or accepted levels from the history",
     "ID is the number of a run, or level:ID for a level that was accepted; `history list` shows\n"
     "both. They are never reused. A run is removed with its levels.",
     "  profgauge history remove 1\n", RunHistoryRemove, Takes::kNothing},
    {"init", kOnInit, "PROFILE…", 1, kMany,
     "Set up checks in CI (--project), or write a policy that fits a profile",
     "Measures the profile and writes a commented policy: limits a little above the "
     "measured values.\n"
     "With several runs of one program, limits are outside of the noise between them. Rules that\n"
     "fire on the profile get the level warn, so that it passes. The policy goes to standard\n"
     "output or --out. With --project it goes beside profgauge.yaml, which names it, and the file "
     "of\n"
     "a CI system. Existing files stay, so that the same command adds missing ones.",
     "  profgauge init run7.pt.trace.json.gz -o limits.yaml\n"
     "  profgauge init --project ranks/\n",
     RunInit},
    {"inspect", kOnInspect, "PROFILE…", 1, kMany,
     "Show the contents of a profile, or the runs in a folder",
     "Format, size, devices, events, iterations, recorded and missing data, and the events that "
     "were\n"
     "repaired or skipped. PROFILE is as for check. A folder with several runs is listed, each "
     "with\n"
     "the command that judges it; the latest run comes last. The search goes through all "
     "folders\n"
     "below and recognizes profiles by their content. Files are ranks of one run if they or "
     "their\n"
     "names state it: torchtitan, Megatron, TensorBoard, vLLM, SGLang, Composer, JAX.",
     "  profgauge inspect run7.pt.trace.json.gz\n"
     "  profgauge inspect run7.pt.trace.json.gz --explain iterations\n"
     "  profgauge inspect runs/ --json - | jq -r '.runs[].command'\n",
     RunInspect},
    {"query", kOnQuery, "PROFILE… SQL", 0, kMany, "Ask a profile by SQL",
     "Runs one SELECT over the tables of the report and single events: `--schema` lists them.\n"
     "Times are whole nanoseconds, shares 0 to 1, sizes bytes; missing values are NULL.\n"
     "ms(x), us(x), s(x), pct(x) and mib(x) scale; show(x, unit) formats. Also: short(name),\n"
     "x REGEXP 'pattern', median(x), percentile(x, p), union_time(start, duration).\n"
     "SQL may be @NAME for a saved query, also of profgauge.yaml, or `-` for standard input. With "
     "--run the hidden column "
     "`run` names the run. The\n"
     "hidden column `at` selects the events that cover a moment: where at = 5000000.\n"
     "The statement can only read. It judges nothing: the exit code is 0 if it could be answered.",
     "  profgauge query run7.pt.trace.json.gz \"select name, ms(time) from kernels order by time "
     "desc limit 5\"\n"
     "  profgauge query ranks/ \"select rank, cause, ms(sum(duration)) from gap_events group by 1, "
     "2\" --format csv\n"
     "  profgauge query --schema device_events\n",
     RunQuery},
    {"render", kOnRender, "REPORT.json", 1, 1, "Re-render reports from a report.json",
     "The profile is not needed. The Markdown report is the same. HTML and XLSX have no timeline, "
     "no\n"
     "single launches and no truncated rows (counted in `left_out`).",
     "  profgauge render report.json --html report.html\n", RunRender},
    {"export kernels", kOnExportKernels, "PROFILE…", 1, kMany,
     "Write one line per kernel launch in PyProf's 20 columns",
     "Op, direction, parameters, FLOPs, bytes and Tensor Core use of each kernel, as PyProf's "
     "prof\n"
     "stage shows them, from any format. Goes to standard output, or to --out.",
     "  profgauge export kernels net.sqlite --columns all -o kernels.csv\n"
     "  profgauge export kernels net.dict --columns op,kernel,sil,flops --format table\n"
     "  profgauge export kernels net.dict -c op,sil --format space | awk '{t[$1] += $2}'\n",
     RunExportKernels},
    {"export netdict", kOnExportNetdict, "PROFILE…", 1, kMany,
     "Write PyProf's net.dict: one Python dictionary per kernel launch",
     "The output of `python -m pyprof.parse`, from any format, for scripts that read such files:\n"
     "operators, markers, layers, traces, sequence numbers. Goes to standard output, or to "
     "--out.",
     "  profgauge export netdict net.sqlite -o net.dict\n", RunExportNetdict},
    {"export dlprof", kOnExportDlprof, "PROFILE…", 1, kMany,
     "Write the eight CSV reports of DLProf",
     "dlprof_summary.csv, dlprof_detailed.csv and so on, with DLProf's columns and definitions, of "
     "one\n"
     "rank. The advice in dlprof_expert_systems.csv is that of the recommended rules.",
     "  profgauge export dlprof nsys_profile.sqlite --out reports/\n"
     "  profgauge export dlprof run7.pt.trace.json.gz --out reports/ --iter-start 2 --iter-stop "
     "8\n",
     RunExportDlprof},
    {"export tables", kOnExportTables, "PROFILE…", 1, kMany,
     "Write all rows of the tables: CSV, TSV, JSON lines, Parquet or SQLite",
     "One file per table with rows in the folder OUT, and schema.json with units, definitions and\n"
     "reasons; of SQLite one file. The first column, `run`, names the profile. The tables are "
     "those of `profgauge query --schema`. Large runs are read rank by "
     "rank.",
     "  profgauge export tables ranks/ --format parquet -o tables/\n"
     "  profgauge export tables run7.pt.trace.json.gz --format sqlite -o run7.sqlite\n"
     "  profgauge export tables run7.pt.trace.json.gz --tables 'kernels*,gap_events' -o tables/\n",
     RunExportTables},
    {"export nsys", kOnExportNsys, "PROFILE…", 1, kMany, "Write a summary of `nsys stats`",
     "Kernels, calls, copies or ranges with their sums, from any format, in the columns, order "
     "and\n"
     "rounding of `nsys stats`. Goes to standard output, or to --out.",
     "  profgauge export nsys report1.sqlite --report cuda_gpu_kern_sum\n"
     "  profgauge export nsys run7.pt.trace.json.gz -r nvtx_gpu_proj_sum --format table\n",
     RunExportNsys},
    {"mcp", kOnMcp, "", 0, 0, "Serve agents by the Model Context Protocol",
     "JSON-RPC on standard input and output, one message per line; the log goes to standard "
     "error.\n"
     "Tools: find, inspect, check, explain, query, compare, what_if. They read only files below "
     "the\n"
     "roots, write nothing, start no process, and cannot loosen a verdict.",
     "  profgauge mcp --root .\n", RunMcp, Takes::kNothing},
    {"summarize", kOnSummarize, "PROFILE…", 1, kMany,
     "Condense each rank's profile into a summary of about 50 kB",
     "OUT is a folder (it exists, or ends in `/`) for one file per rank, or one file for all "
     "ranks.\n"
     "Every command except `what-if` and `export` accepts summaries. The order in which they are\n"
     "merged does not matter. They contain iterations, the parts of their time, and each\n"
     "collective. They have no events, no call trees, and no tables by stack or iteration. If a\n"
     "rank cannot be read, it is named, the others are written, and the exit code is 3.",
     "  profgauge summarize run7.pt.trace.json.gz -o summaries/\n"
     "  profgauge summarize ranks/ -o run.pgsum\n",
     RunSummarize},
    {"scrub", kOnScrub, "IN OUT", 2, 2, "Copy a profile without personal and host data",
     "IN is a trace of PyTorch or XLA, JSON or CSV of rocprofv3, Neuron or Ascend, or a database "
     "of\n"
     "Nsight Systems (SQLite), rocprofv3 or NVProf. OUT has only the keys, tables and columns "
     "that\n"
     "reports need: no environment, command line, output, user or host names. Paths in texts are\n"
     "removed. It is judged like IN. Other formats are refused, with an alternative. A name\n"
     "that ends in .gz is compressed. --force overwrites an existing OUT.",
     "  profgauge scrub run7.pt.trace.json.gz for-the-ticket.json.gz\n"
     "  profgauge scrub --redact=code report1.sqlite for-the-ticket.sqlite\n",
     RunScrub},
    {"metrics list", kOnMetricsList, "[ID…]", 0, kMany,
     "List metrics; with IDs or patterns, show their definitions",
     "Rules, limits and reports share these ids.",
     "  profgauge metrics list\n  profgauge metrics list 'gpu.*'\n", RunMetricsList,
     Takes::kMetrics},
    {"thresholds", kOnThresholds, "[list | explain] [ID…]", 0, kMany,
     "List the thresholds of the analysis; with IDs, show their purpose and evidence",
     "Thresholds marked `policy` can be set in a policy, under `thresholds_of_analysis:`. Limits\n"
     "on metrics are in the policy under `thresholds:`.",
     "  profgauge thresholds\n  profgauge thresholds explain idle.loading_launch 'launches.*'\n"
     "  profgauge thresholds list --json\n",
     RunThresholds, Takes::kThresholds},
    {"rules list", kOnRulesList, "[FILE…]", 0, kMany, "List the built-in rules, or those of files",
     "One rule a line, its id first; then category, levels and title.",
     "  profgauge rules list\n  profgauge rules list rules/\n", RunRulesList},
    {"rules explain", kOnRulesExplain, "ID [PROFILE…]", 1, kMany,
     "Show a rule, with a profile the reason for its result; or a reason for no verdict",
     "Every intermediate value is shown. The policy adds rule files and sets parameters.",
     "  profgauge rules explain gpu/idle\n"
     "  profgauge rules explain gpu/idle run7.pt.trace.json.gz\n"
     "  profgauge rules explain baseline/lost\n",
     RunRulesExplain, Takes::kRuleThenFiles},
    {"rules check", kOnRulesCheck, "FILE…", 1, kMany, "Check rule files without a profile",
     "Structure, names, types and units; reports all errors of all files together. Of\n"
     "profgauge.yaml it checks the statements of `queries`.",
     "  profgauge rules check rules/\n", RunRulesCheck},
    {"rules test", kOnRulesTest, "PATH…", 1, kMany,
     "Run tests of rules: *.test.yaml files, or folders of them",
     "Exits 1 when a test fails, 2 when a file is wrong.", "  profgauge rules test rules/\n",
     RunRulesTest},
    {"rules columns", kOnRulesColumns, "[ROW]", 0, 1,
     "List the rows and words that rules can name, or the columns of one",
     "Each column with its unit, its meaning and, where they are known, its values.",
     "  profgauge rules columns\n  profgauge rules columns kernel\n", RunRulesColumns},
    {"rules docs", kOnRulesDocs, "[FILE…]", 0, kMany,
     "Print the reference of rules and their language as Markdown", "",
     "  profgauge rules docs > rules.md\n", RunRulesDocs},
    {"schema", kOnSchema, "[NAME]", 0, 1,
     "Print a JSON Schema, for editors; without NAME list them",
     "For policies, rules, tests of rules, devices, names of kernels and report.json. A first "
     "line\n"
     "`# yaml-language-server: $schema=FILE` makes editors check and complete a YAML file.",
     "  profgauge schema\n  profgauge schema policy > policy.schema.json\n", RunSchema,
     Takes::kSchema},
    {"manual", kOnManual, "[PAGE]", 0, 1, "Print a manual page; without PAGE list them",
     "In mdoc, for man(1) or mandoc(1).",
     "  profgauge manual profgauge-check > profgauge-check.1\n", RunManual, Takes::kNothing},
    {"completion", kOnCompletion, "SHELL", 1, 1, "Print completions for bash, zsh or fish",
     "For one session, `source <(profgauge completion bash)`; for all, write it where the shell\n"
     "looks: bash, ~/.local/share/bash-completion/completions/profgauge; zsh, a file _profgauge "
     "in\n"
     "a folder of $fpath; fish, ~/.config/fish/completions/profgauge.fish.",
     "  profgauge completion bash > profgauge.bash\n", RunCompletion, Takes::kShell},
    {"version", kOnVersion, "", 0, 0, "Print the version", "", "  profgauge version\n", RunVersion,
     Takes::kNothing},
    {"help", kOnHelp, "[COMMAND]", 0, 3, "Show help for a command or a group of commands",
     "Same as --help after the command; `help COMMAND all` as --help all.",
     "  profgauge help baseline save\n  profgauge help baseline\n", RunHelp, Takes::kCommand},
};

// Checks that each command has exactly one bit, and that no two have the same.
constexpr bool HaveBitsOfTheirOwn() {
  std::uint64_t seen = 0;
  for (const CommandSpec& command : kCommands) {
    if (!std::has_single_bit(std::uint64_t{command.bit}) || (seen & command.bit) != 0) return false;
    seen |= command.bit;
  }
  return true;
}
static_assert(HaveBitsOfTheirOwn(), "an option of one command would be one of another's, too");

}  // namespace

std::span<const CommandSpec> AllCommands() { return kCommands; }

std::vector<std::string_view> CommandGroups() {
  std::vector<std::string_view> groups;
  for (const CommandSpec& command : kCommands) {
    const std::size_t blank = command.name.find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string_view group = command.name.substr(0, blank);
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  return groups;
}

std::vector<const CommandSpec*> CommandsOf(std::string_view group) {
  std::vector<const CommandSpec*> commands;
  for (const CommandSpec& command : kCommands) {
    if (command.name.size() > group.size() && command.name.starts_with(group) &&
        command.name[group.size()] == ' ') {
      commands.push_back(&command);
    }
  }
  return commands;
}

}  // namespace profgauge::cli
