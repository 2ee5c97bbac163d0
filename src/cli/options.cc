#include "cli/options.h"

#include "cli/commands.h"
#include "cli/option_values.h"

namespace profgauge::cli {

std::span<const OptionSpec> AllOptions() {
  static const std::vector<OptionSpec> options = [] {
    std::vector<OptionSpec> all;
    for (const auto table : {OutputOptions(), JudgingOptions(), SelectionOptions()}) {
      all.insert(all.end(), table.begin(), table.end());
    }
    return all;
  }();
  return options;
}

std::vector<std::string_view> ChoicesOf(const OptionSpec& option) {
  std::string_view text = option.choices;
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    words.push_back(text.substr(0, blank));
    text = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
  }
  return words;
}

// Options for comparing, and for turning the result into an exit code.
//
// --accept takes a reason and needs an owner, so that a report can name both.

namespace {

using Group = OptionGroup;

// An empty reason counts as none, because CI may pass an unset variable.
Status SetAccept(Options& options, const OptionSpec&, const std::string& value) {
  options.accept = value;
  return {};
}

constexpr OptionSpec kJudgingOptions[] = {
    {"--db", "", "FILE", Group::kJudging,
     kOnHistory | kOnJudging | kOnCompare | kOnBaseline | kOnMcp | kOnQuery,
     "The history (default: profgauge-history.db)", "", SetText<&Options::db>},
    {"--branch", "", "NAME", Group::kJudging, kOnHistoryAdd, "Branch to add to (default: main)", "",
     SetText<&Options::branch>, false, "", kAsBrief},
    {"--branch", "", "NAME", Group::kJudging, kOnHistory & ~std::uint64_t{kOnHistoryAdd},
     "Only runs of this branch; `history list` takes `*`: a trend of each", "",
     SetText<&Options::branch>, false, "", kAsBrief},
    {"--commit", "", "ID", Group::kJudging, kOnHistoryAdd, "The commit of the run", "",
     SetText<&Options::commit>, false, "", kAsBrief},
    {"--model", "", "NAME", Group::kJudging, kOnHistoryAdd,
     "The model of the run: runs of other models are not its baseline", "",
     SetText<&Options::model>},
    {"--model", "", "NAME", Group::kJudging, kOnHistoryList, "List the runs of this model", "",
     SetText<&Options::model>},
    {"--last", "", "N", Group::kJudging, kOnHistoryList,
     "List the newest N runs (default: 50, in pages and JSON 500, in rows all; 0: all)", "",
     SetIndex<&Options::last>, false, "", kAsBrief},
    {"--good", "", "COMMIT", Group::kJudging, kOnHistoryBisect, "A commit before the step", "",
     SetText<&Options::good>, false, "", kAsBrief},
    {"--bad", "", "COMMIT", Group::kJudging, kOnHistoryBisect,
     "A commit after it: the last of the list", "", SetText<&Options::bad>, false, "", kAsBrief},
    {"--metric", "", "ID", Group::kJudging, kOnHistoryBisect,
     "The metric that steps (default: iteration.time.median)", "", SetText<&Options::metric>, false,
     "", kAsBrief},
    {"--skip", "", "COMMIT", Group::kJudging, kOnHistoryBisect,
     "A commit that cannot be measured; may be repeated", "", AddText<&Options::skip>, true, "",
     kAsBrief},
    {"--verdict", "", "FILE", Group::kJudging, kOnHistoryAdd,
     "The run's verdict: report.json of its check",
     "A failed run is kept, but it is no baseline until it is accepted.",
     SetText<&Options::verdict>, false, "", kAsBrief},
    {"--accept", "", "REASON", Group::kJudging, kOnHistoryAdd,
     "Accept the run's speed as the new level",
     "Later runs are compared with it and with the runs after it.", SetAccept, false, "", kAsBrief},
    {"--accept", "", "REASON", Group::kJudging, kOnBaselineSave,
     "Replace a baseline that did more work", "", SetAccept, false, "", kAsBrief},
    {"--reason", "", "TEXT", Group::kJudging, kOnHistoryAccept, "Why the change is accepted", "",
     SetText<&Options::reason>, false, "", kAsBrief},
    {"--owner", "", "WHO", Group::kJudging, kOnHistoryAccept | kOnHistoryAdd,
     "Who accepts (default: PROFGAUGE_OWNER, else who started the CI run)", "",
     SetText<&Options::owner>, false, "", kAsBrief},
    {"--until", "", "DAY", Group::kJudging, kOnHistoryAccept,
     "The last day of the level, at most 365 days ahead", "", SetText<&Options::until>, false, "",
     kAsBrief},
    {"--policy", "-p", "FILE", Group::kJudging,
     kOnJudging | kOnCompare | kOnWhatIf | kOnRulesExplain | kOnSummarize | kOnBaselineSave |
         kOnTables | kOnMcp | kOnHistoryAdd | kOnHistoryAccept | kOnHistoryCheck | kOnBaselinePower,
     "Policy: a YAML file, or builtin:NAME",
     "builtin:recommended (default), builtin:strict, builtin:report-only, builtin:cpu (default if "
     "the program used no GPU). Baselines, histories and summaries use its `iterations`, "
     "`tensor_core` and `devices`, so "
     "that "
     "runs are compared as they are judged.",
     SetText<&Options::policy>, false,
     "builtin:recommended builtin:strict builtin:report-only builtin:cpu", kAsBrief},
    {"--project", "", "", Group::kJudging, kOnInit,
     "Also write profgauge.yaml and, if the CI system is known, a CI file that starts `check`",
     "A file that exists stays as it is.", SetTrue<&Options::project>, false, "", kAsBrief},
    {"--ci", "", "SYSTEM", Group::kJudging, kOnInit,
     "CI system of --project: auto (default, by .git/config), github, gitlab, jenkins or off", "",
     SetChoice<&Options::ci>, false, "auto github gitlab jenkins off", kAsBrief},
    {"--config", "", "FILE", Group::kJudging, kOnConfigured,
     "Configuration, or none (default: profgauge.yaml, here or above up to the folder with .git)",
     "It names policy, history, baseline and jobs; `profgauge schema config` describes it. Options "
     "and PROFGAUGE_… variables have precedence. A file called none is ./none.",
     SetText<&Options::config>},
    {"--job", "", "NAME", Group::kJudging, kOnConfigured,
     "Judge this job of profgauge.yaml; may be repeated",
     "With a profile: judge it with the settings of this job.", AddText<&Options::job>, true},
    {"--root", "", "DIR", Group::kJudging, kOnMcp,
     "Folder that agents may read; may be repeated (default: the repository, else this folder)", "",
     AddText<&Options::roots>, true, "", kAsBrief},
    {"--per-rank", "", "", Group::kJudging, kOnQuery,
     "Run the statement for one rank after the other, with one of them in memory",
     "Aggregates are of each rank; results follow each other, ordered by rank.",
     SetTrue<&Options::per_rank>, false, "", kAsBrief},
    {"--then", "", "SQL", Group::kJudging, kOnQuery,
     "With --per-rank: a statement over the results of all ranks, the table `rows`", "",
     SetText<&Options::then>},
    {"--param", "", "NAME=VALUE", Group::kJudging, kOnQuery,
     "Value of `:NAME` in the statement; may be repeated", "", AddText<&Options::parameters>, true,
     "", kAsBrief},
    {"--timeout", "", "TIME", Group::kJudging, kOnQuery | kOnMcp,
     "Stop a statement after this time (default: 60s)", "Reading the profile does not count.",
     SetTimeout},
    {"--scale", "", "CHANGE", Group::kJudging, kOnWhatIf,
     "Scenario `[NAME: ]CONDITION by FACTOR`, the id of a rule, or waiting; may be repeated",
     "The condition is written in the rules' language, over one kind of rows. `host_op`: name, "
     "type, "
     "module, thread, iteration, time. `api_call`: also kind, op. `launch`: its table's columns, "
     "tensor_core_eligible, is_collective, module, target. `host_gap`, host work while a device "
     "idles: cause, doing, category, time. The selected work takes FACTOR times as long. With the "
     "id of a rule its "
     "finding is fixed, by the scenario of its gain. With waiting no rank waits in collectives, "
     "which needs the profiles of all ranks of a group.",
     AddText<&Options::scales>, true, "", kAsBrief},
    {"--plan", "", "", Group::kJudging, kOnWhatIf,
     "List the findings to fix in order, with the savings of each given those before it", "",
     SetTrue<&Options::plan>, false, "", kAsBrief},
    {"--baseline", "", "FILE", Group::kJudging, kOnJudging,
     "Baseline to compare with; may be repeated for several runs",
     "FILE is a baseline (`baseline save`), `history:BRANCH~N` for the last N runs of a branch, or "
     "a profile. Without a `baseline:` block in the policy the median iteration time may grow by "
     "5 %.",
     AddText<&Options::baselines>, true, "",
     "Compare with a baseline, a profile, or history:BRANCH~N"},
    {"--fail-on", "", "LEVEL", Group::kJudging, kOnCheck | kOnCompare,
     "Fail at this level: error, warn or never; overrides the policy", "",
     SetChoice<&Options::fail_on>, false, "error warn never", "Fail at error, warn or never"},
    {"--label", "", "NAME=VALUE", Group::kJudging, kOnJudging | kOnHistoryAdd,
     "Add a label to the run and to its metrics in `--write metrics`; may be repeated",
     "The report and the history have it in the run's environment. `labels` of profgauge.yaml has "
     "them too.",
     AddLabel, true},
    {"--commit", "", "ID", Group::kJudging, kOnJudging, "The commit of the run",
     "Runs of the same commit are not its baseline.", SetText<&Options::commit>},
    {"--model", "", "NAME", Group::kJudging, kOnJudging,
     "The model of the run: runs of other models are not its baseline", "",
     SetText<&Options::model>},
    {"--accept", "", "REASON", Group::kJudging, kOnCheck,
     "Accept an intended change: failed baseline limits count as passed",
     "\"+N% REASON\" accepts up to N % and half of the limit more; without a number, it is up to "
     "twice the limit.",
     SetAccept, false, "", "Accept an intended change"},
    {"--owner", "", "WHO", Group::kJudging, kOnCheck,
     "Who accepts (default: PROFGAUGE_OWNER, else who started the CI run)", "",
     SetText<&Options::owner>},
    {"--paired", "", "", Group::kJudging, kOnCheck,
     "Compare pairs: the first run with the first baseline, and so on",
     "For runs recorded alternately on one machine, A B B A A B. At least three pairs are needed; "
     "use five.",
     SetTrue<&Options::paired>},
    {"--force", "", "", Group::kJudging, kOnBaselineSave | kOnHistoryAdd,
     "Allow runs with different formats, devices or world sizes",
     "`baseline save` also replaces a file that is no baseline, unless it is an input.",
     SetTrue<&Options::force>},
    {"--exit-zero", "", "", Group::kJudging, kOnCheck | kOnCompare, "Exit 0 instead of 1 and 3", "",
     SetTrue<&Options::exit_zero>},
    {"--allow-incomplete", "", "", Group::kJudging, kOnReading,
     "Judge truncated profiles (default: no verdict, exit 3)", "",
     SetTrue<&Options::allow_incomplete>, false, "", "Judge truncated profiles"},
};

}  // namespace

std::span<const OptionSpec> JudgingOptions() { return kJudgingOptions; }

// Options that name what is written: files, folders and their formats.
//
// How to read a row:
//
//   {"--html", "", "FILE",        name, shorthand, placeholder of the value (empty: a switch)
//    Group::kOutputs,             section of the help
//    kOnDrawing | …,              commands that have it
//    "Write …", "Details.",       the line of `--help all`, and more
//    SetText<&Options::html>,     puts the value into Options
//    false, "a b",                may be repeated; its choices
//    "Write …"}                   the line of --help; empty: only `--help all` shows it
//
// An option of one name may have several rows, with different texts or fields, for different
// commands, but only one per command. -o is the short form of each command's main output.

namespace {

using Group = OptionGroup;

constexpr std::string_view kOneOutput = "Write one of them (`-`: standard output)";

constexpr OptionSpec kOutputOptions[] = {
    {"--out", "-o", "DIR", Group::kOutputs, kOnDrawing,
     "Write report.html, .md, .xlsx and .json into DIR", "The folder is created if needed.",
     SetText<&Options::out_dir>, false, "", kAsBrief},
    {"--html", "", "FILE", Group::kOutputs, kOnDrawing, "Write the HTML page, one file", "",
     SetOutput<OutputKind::kHtml>, false, "", kOneOutput},
    {"--html", "", "FILE", Group::kOutputs, kOnHistoryList,
     "Write the page that draws each metric over the runs", "", SetOutput<OutputKind::kHtml>, false,
     "", kAsBrief},
    {"--md", "", "FILE", Group::kOutputs, kOnDrawing, "Write the Markdown report", "",
     SetOutput<OutputKind::kMarkdown>, false, "", kOneOutput},
    {"--xlsx", "", "FILE", Group::kOutputs, kOnDrawing, "Write the Excel workbook", "",
     SetOutput<OutputKind::kXlsx>, false, "", kOneOutput},
    {"--json", "", "FILE", Group::kOutputs, kOnDrawing, "Write report.json, the report as data",
     "It contains everything except single events and truncated rows (counted in `left_out`). One "
     "output may be `-`, standard output; the summary then goes to standard error.",
     SetOutput<OutputKind::kJson>, false, "", kOneOutput},
    {"--json", "", "FILE", Group::kOutputs, kOnLists,
     "Write the list as JSON; `-` is standard output, in place of the text", "",
     SetOutput<OutputKind::kJson>, false, "", "Write the list as JSON"},
    {"--json", "", "FILE", Group::kOutputs, kOnQuery,
     "Write the answer as JSON; the same as --format json -o FILE", "",
     SetOutput<OutputKind::kJson>},
    {"--json", "", "", Group::kOutputs, kOnThresholds, "Print JSON instead of text", "",
     SetTrue<&Options::as_json>, false, "", kAsBrief},
    {"--write", "", "KIND=FILE", Group::kOutputs, kOnDrawing,
     "Write another output: summary, text, junit, sarif, github, code-quality, metrics, verdict, "
     "row, pgsum, html-dir, trace",
     "May be repeated. summary: the short Markdown report, at most 20 kB. text: the verdict in at "
     "most twelve plain lines, for a chat or a mail. junit: limits and findings as JUnit XML. "
     "sarif, github (FILE is usually `-`), code-quality: alerts as SARIF 2.1.0, as GitHub workflow "
     "commands, as GitLab code quality, at the line of the policy that set the limit or level. "
     "metrics: OpenMetrics text. verdict: the verdict, its reasons and the exit code as a small "
     "JSON file. row: one line of JSON with a column for each metric, also of a run without a "
     "verdict, for warehouses (`profgauge schema row`). html-dir: the page as index.html, "
     "report.css and report.js in the folder FILE, "
     "for servers that forbid inline styles and scripts, e.g. Jenkins' HTML Publisher. `--write "
     "step-summary`, without a file, appends the short report to the file that "
     "$GITHUB_STEP_SUMMARY names. Only check and report have pgsum, the summary that `history add` "
     "and `baseline save` take. They also have trace, the timeline's events as a Chrome trace for "
     "ui.perfetto.dev. It is compressed if FILE ends in .gz.",
     SetWrite, true,
     "summary= text= junit= sarif= github= code-quality= metrics= verdict= row= pgsum= html-dir= "
     "trace= "
     "step-summary",
     kAsBrief},
    {"--write", "", "junit=FILE", Group::kOutputs, kOnRulesTest, "Write the results as JUnit XML",
     "", SetWrite, true, "junit=", kAsBrief},
    {"--ci", "", "SYSTEM", Group::kOutputs, kOnJudging,
     "Write the files that a CI system takes (default: off)",
     "SYSTEM is auto, github, gitlab, jenkins, buildkite, circleci, generic or off (default). The "
     "files go into --out (default: profgauge-report): report.html, report.md, report.xlsx, "
     "report.json, "
     "summary.md, junit.xml, profgauge.sarif, codequality.json, metrics.prom, verdict.json and "
     "run.pgsum. github adds the step summary, annotations, and `verdict`, `exit-code` and "
     "`report` "
     "as outputs of the step; gitlab adds profgauge.env; jenkins adds the folder page. Options for "
     "single outputs have precedence. auto detects the system by the variables that it sets. "
     "Outside of a CI system auto writes no files; generic does.",
     SetChoice<&Options::ci>, false, "auto github gitlab jenkins buildkite circleci generic off",
     "Write all files that a CI system takes"},
    {"--timeline", "", "WHICH", Group::kOutputs, kOnJudging | kOnCompare,
     "Events in the page's timeline: auto (default), full or off",
     "auto keeps 300 000 events: those of devices, then host events near findings, then the "
     "longest.",
     SetChoice<&Options::timeline>, false, "auto full off"},
    {"--source-root", "", "DIR", Group::kOutputs, kOnJudging,
     "Show source lines that the profile names, from files below DIR", "",
     SetText<&Options::source_root>},
    {"--out", "-o", "FILE", Group::kOutputs, kOnBaselineSave | kOnInit, "File to write", "",
     SetText<&Options::out_dir>, false, "", kAsBrief},
    {"--out", "-o", "DIR", Group::kOutputs, kOnExportDlprof,
     "Write the files into DIR instead of the current folder", "The folder is created if needed.",
     SetText<&Options::out_dir>},
    {"--out", "-o", "OUT", Group::kOutputs, kOnSummarize,
     "The folder (one file for each rank) or the file (all of them) to write", "",
     SetText<&Options::out_dir>, false, "", kAsBrief},
    {"--out", "-o", "OUT", Group::kOutputs, kOnExportTables,
     "The folder to write, or the file with --format sqlite", "", SetText<&Options::out_dir>, false,
     "", kAsBrief},
    {"--out", "-o", "FILE", Group::kOutputs,
     kOnExportText | kOnExportNetdict | kOnQuery | kOnHistoryList,
     "Write to FILE instead of standard output", "", SetText<&Options::out_dir>, false, "",
     kAsBrief},
    {"--force", "", "", Group::kOutputs, kOnWriting, "Overwrite files that ProfGauge did not write",
     "Inputs are never overwritten. By default only earlier reports of the same kind and empty "
     "files are.",
     SetTrue<&Options::force>},
    {"--format", "", "FORMAT", Group::kOutputs, kOnExportNsys, "csv (default) or table", "",
     SetChoice<&Options::format>, false, "csv table", kAsBrief},
    {"--format", "", "FORMAT", Group::kOutputs, kOnExportKernels,
     "csv (default), table, or space: columns separated by one space, e.g. for awk",
     "In cells, blanks become _ and empty cells -.", SetChoice<&Options::format>, false,
     "csv table space", kAsBrief},
    {"--format", "", "FORMAT", Group::kOutputs, kOnHistoryList,
     "table (default), or a row for each run: csv, jsonl or parquet",
     "Rows have the columns of `--write row`, `profgauge schema row`. csv and parquet have lists "
     "as "
     "one text.",
     SetChoice<&Options::format>, false, "table csv jsonl parquet", kAsBrief},
    {"--format", "", "FORMAT", Group::kOutputs, kOnQuery,
     "table (default), csv, tsv, json, jsonl or md",
     "table and md are for people: cells have units. The others have base units. csv puts a ' "
     "before "
     "texts that a spreadsheet would take for a formula; tsv escapes tab, line end and backslash.",
     SetChoice<&Options::format>, false, "table csv tsv json jsonl md", kAsBrief},
    {"--format", "", "FORMAT", Group::kOutputs, kOnExportTables,
     "csv (default), tsv, jsonl, parquet or sqlite", "All use base units.",
     SetChoice<&Options::format>, false, "csv tsv jsonl parquet sqlite", kAsBrief},
    {"--tables", "", "LIST", Group::kOutputs, kOnExportTables,
     "Tables by name or pattern, with commas between; report: all but events; events: the others",
     "Default: all, which is report,events.", SetText<&Options::tables>, false, "report events",
     kAsBrief},
    {"--list", "", "", Group::kOutputs, kOnQuery, "List the saved queries",
     "`profgauge query PROFILE @NAME` runs one.", SetTrue<&Options::list>, false, "", kAsBrief},
    {"--schema", "", "", Group::kOutputs, kOnQuery,
     "List the tables, or the columns of the table in place of SQL",
     "With a profile also the number of rows, and why columns have no values.",
     SetTrue<&Options::schema>, false, "", kAsBrief},
    {"--report", "-r", "NAME", Group::kOutputs, kOnExportNsys,
     "Summary to write, e.g. cuda_gpu_kern_sum",
     "cuda_gpu_kern_sum, cuda_gpu_kern_gb_sum, cuda_api_sum, cuda_gpu_mem_time_sum, "
     "cuda_gpu_mem_size_sum, cuda_gpu_sum, nvtx_sum, nvtx_pushpop_sum, nvtx_startend_sum, "
     "nvtx_gpu_proj_sum, nvtx_kern_sum or osrt_sum; nsys' names before 2022.4 are known too.",
     SetText<&Options::report>, false,
     "cuda_gpu_kern_sum cuda_gpu_kern_gb_sum cuda_api_sum cuda_gpu_mem_time_sum "
     "cuda_gpu_mem_size_sum cuda_gpu_sum nvtx_sum nvtx_pushpop_sum nvtx_startend_sum "
     "nvtx_gpu_proj_sum nvtx_kern_sum osrt_sum",
     kAsBrief},
    {"--columns", "-c", "LIST", Group::kOutputs, kOnExportKernels,
     "Columns by name, with commas between, or all",
     "idx,seq,altseq,tid,layer,trace,dir,sub,mod,op,kernel,params,sil,tc,device,stream,grid,block,"
     "flops,bytes",
     SetText<&Options::columns>, false, "", kAsBrief},
};

}  // namespace

std::span<const OptionSpec> OutputOptions() { return kOutputOptions; }

// Options for the selected part of a profile, for reading it, and for the program itself.
//
// The selection of iterations, ranks and parts is listed in the provenance of a report:
// ProvenanceOptions() of api/session.h.

namespace {

using Group = OptionGroup;

constexpr std::string_view kEnds = "First and last iteration to judge";
constexpr std::string_view kVerbosity = "Print only the verdict; print more";
constexpr std::string_view kLessOrMore = "Print no notes; print more";

constexpr OptionSpec kSelectionOptions[] = {
    {"--run", "", "NAME=PATH", Group::kSelection, kOnReport,
     "Several runs in one report, instead of PROFILE; give it 2 to 8 times",
     "All outputs have the table of metrics with a column for each run; the page also shows each "
     "run and the comparison of any two. For --out (runs.html, runs.md, runs.xlsx, runs.json), "
     "--html, --md, --xlsx, --json (`runs` and `comparisons`), and --write summary and html-dir.",
     AddRun, true, "", "Several runs in one report, instead of PROFILE"},
    {"--run", "", "NAME=PATH", Group::kSelection, kOnQuery,
     "Several runs, instead of PROFILE; the column `run` has the name", "", AddRun, true, "",
     kAsBrief},
    {"--iter-start", "", "N", Group::kSelection, kOnSelecting, "First iteration to judge",
     "Zero-based position, or #5 for the recorded number.",
     SetIteration<&Options::iter_start, &Options::iter_start_number>, false, "", kEnds},
    {"--iter-stop", "", "N", Group::kSelection, kOnSelecting, "Last iteration to judge (inclusive)",
     "Zero-based position, or #5 for the recorded number.",
     SetIteration<&Options::iter_stop, &Options::iter_stop_number>, false, "", kEnds},
    {"--key-op", "", "NAME", Group::kSelection, kOnSelecting,
     "Start an iteration at each call of this operator", "",
     SetMarker<&Options::key_op, &Options::iteration_marker>, false, "", kAsBrief},
    {"--iteration-marker", "", "REGEX", Group::kSelection, kOnSelecting,
     "Use host ranges with a matching name as iterations", "",
     SetMarker<&Options::iteration_marker, &Options::key_op>},
    {"--range", "", "A:B", Group::kSelection, kOnSelecting,
     "Judge only this range: times from the start (5us:12.5us) or names of marks",
     "An event belongs to the range in which it starts; busy time is clipped. Omit A or B for the "
     "start or end of the profile.",
     SetText<&Options::range_text>},
    {"--marks", "", "MARKS", Group::kSelection, kOnSelecting,
     "Report the time between named marks: load=5us,store=12.5us, or a JSON file of them",
     "The file is as the page's timeline saves it, with times in nanoseconds: {\"marks\": "
     "[{\"name\": "
     "\"load\", \"time\": 5000}]}.",
     SetText<&Options::marks_text>},
    {"--rank", "", "N", Group::kSelection, kOnSelecting, "Judge only this rank", "",
     SetIndex<&Options::rank>, false, "", kAsBrief},
    {"--ranks", "", "WHICH", Group::kSelection, kOnReading,
     "Ranks of several files: recorded (default), as-listed or separate",
     "recorded: files are ranks of one run if they, process groups or names state it. "
     "as-listed: ranks 0, 1, … in the order given. separate: runs to compare with --baseline.",
     SetChoice<&Options::ranks>, false, "recorded as-listed separate"},
    {"--explain", "", "WHAT", Group::kSelection, kOnInspect,
     "Show why: iterations (each way to find them), classes (of kernels), blame (late ranks)",
     "Each decision with its candidates and reasons, instead of the contents. --json has all rows.",
     SetChoice<&Options::explain>, false, "iterations classes blame", kAsBrief},
    {"--part", "", "I/N", Group::kSelection, kOnSummarize,
     "Take share I of N of the files, counted from 0",
     "For engines that number their tasks: --part $SLURM_ARRAY_TASK_ID/8.",
     SetText<&Options::part>},
    {"--part", "", "I/N", Group::kSelection, kOnInspect,
     "List share I of N of the runs below a folder, counted from 0",
     "For engines that number their tasks: --part $SLURM_ARRAY_TASK_ID/8. 0/1 lists all, also a "
     "single run.",
     SetText<&Options::part>},
    {"--aggr", "", "N", Group::kSelection, kOnReading,
     "Aggregation of a DLProf database (default: the newest)", "", SetIndex<&Options::aggregation>},
    {"--step-times", "", "FILE", Group::kSelection, kOnReading,
     "Times of unrecorded iterations: profgauge.run, a log, or a table (FILE:COLUMN:UNIT)",
     "Logs of Megatron-LM and NeMo, TensorBoard's events, CSV, JSON lines, vLLM's latencies, lists "
     "of benchmarks. COLUMN is also the tag of an events file. UNIT is s, ms, us or ns, needed if "
     "the name of the column has none. NAME.run.json next to a profile is found automatically.",
     SetText<&Options::step_times>, false, "", "Times of unrecorded iterations"},
    {"--device-log", "", "FILE", Group::kSelection, kOnReading,
     "Clocks, power and temperature: a log of nvidia-smi, DCGM or amd-smi",
     "CSV of `nvidia-smi --query-gpu`, `nvidia-smi dmon`, `dcgmi dmon`, dcgm-exporter, `amd-smi "
     "metric`, rocm-smi's JSON, Zeus. Devices are matched by UUID, else by number.",
     AddText<&Options::device_logs>, true},
    {"--redact", "", "", Group::kSelection,
     kOnJudging | kOnRender | kOnCompare | kOnSummarize | kOnTables,
     "Hide paths and host names (places, the default), names of code (code), or all",
     "places: paths, host names, and the names of the run and its files. code: also names of "
     "functions, modules, ranges, kernels and operators, except those of frameworks and vendors' "
     "libraries; each becomes a name such as fn_1a2b3c4d, the same one in every output of a run. "
     "all: also shapes and sizes of messages.",
     SetRedaction, false, "places code all", "Hide paths and host names, code, or all"},
    {"--redact", "", "", Group::kSelection, kOnScrub, "Also hide names of code: --redact=code",
     "Names of functions, modules, ranges, kernels and operators become keyed names, like those "
     "of a report. Parts by which rules know kinds of work stay, such as gemm. Paths and host "
     "names are "
     "always removed.",
     SetRedaction, false, "places code", "Hide paths and host names, or also code"},
    {"--redact-key", "", "FILE", Group::kSelection,
     kOnJudging | kOnRender | kOnCompare | kOnSummarize | kOnTables | kOnScrub,
     "Key of the names that --redact=code hides (default: the content of the inputs)",
     "Other inputs have other names for the same code. Give the same file to compare the reports "
     "of "
     "several runs.",
     SetRedactKey},
    {"--jobs", "-j", "N", Group::kGeneral, kOnReading | kOnMcp,
     "Number of threads (default: one per core)", "The result does not depend on it.", SetJobs},
    {"--max-memory", "", "SIZE", Group::kGeneral, kOnReading | kOnMcp,
     "Memory limit, e.g. 512MB or 2GiB (default: three quarters of the available memory)",
     "A run that needs more exits with 3 (input/too-large).", SetMaxMemory},
    {"--quiet", "-q", "", Group::kGeneral, kOnJudging | kOnCompare, "Print only the verdict line",
     "", SetVerbosity<-1>, false, "", kVerbosity},
    {"--verbose", "-v", "", Group::kGeneral, kOnJudging | kOnCompare,
     "Show progress, passed checks, why rules did not apply, and the time that each phase took", "",
     SetVerbosity<1>, false, "", kVerbosity},
    {"--quiet", "-q", "", Group::kGeneral, kOnAll & ~std::uint64_t{kOnJudging | kOnCompare},
     "Print no notes", "", SetVerbosity<-1>, false, "", kLessOrMore},
    {"--verbose", "-v", "", Group::kGeneral, kOnAll & ~std::uint64_t{kOnJudging | kOnCompare},
     "Show progress and details", "", SetVerbosity<1>, false, "", kLessOrMore},
    {"--color", "", "WHEN", Group::kGeneral, kOnAll,
     "auto (default), always or never; auto obeys NO_COLOR and CLICOLOR_FORCE", "", SetColor, false,
     "auto always never"},
};

}  // namespace

std::span<const OptionSpec> SelectionOptions() { return kSelectionOptions; }

}  // namespace profgauge::cli
