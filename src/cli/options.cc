#include "cli/options.h"

#include "cli/commands.h"
#include "cli/option_values.h"

namespace profgauge::cli {
namespace {

using Group = OptionGroup;

// Order: as shown in the help text, group by group.
constexpr OptionSpec kOptions[] = {
    {"--out", "-o", "DIR", Group::kOutputs, kOnDrawing,
     "Write report.html, report.md, report.xlsx and report.json into DIR",
     "The folder is created if need be.", SetText<&Options::out_dir>},
    {"--html", "", "FILE", Group::kOutputs, kOnDrawing | kOnHistoryTrend,
     "Write the HTML page, one file", "", SetText<&Options::html>},
    {"--html-dir", "", "DIR", Group::kOutputs, kOnDrawing,
     "Write the page as index.html, report.css and report.js",
     "For servers that forbid inline styles and scripts, as Jenkins' HTML Publisher does.",
     SetText<&Options::html_dir>},
    {"--md", "", "FILE", Group::kOutputs, kOnDrawing, "Write the Markdown report", "",
     SetText<&Options::markdown>},
    {"--md-summary", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write the short Markdown report, for a comment or a step summary", "At most 20 kB.",
     SetText<&Options::summary>},
    {"--step-summary", "", "", Group::kOutputs, kOnDrawing,
     "Append the short Markdown report to GitHub's step summary",
     "It is appended to the file that $GITHUB_STEP_SUMMARY names.",
     SetTrue<&Options::step_summary>},
    {"--xlsx", "", "FILE", Group::kOutputs, kOnDrawing, "Write the Excel workbook", "",
     SetText<&Options::xlsx>},
    {"--json", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write report.json: all but events and the rows that it counts as left out",
     "FILE may be `-` for standard output, for one of the outputs; the summary then goes to "
     "standard error.",
     SetText<&Options::json>},
    {"--json", "", "", Group::kOutputs, kOnThresholds, "Print JSON instead of text", "",
     SetTrue<&Options::as_json>},
    {"--junit", "", "FILE", Group::kOutputs, kOnDrawing | kOnRulesTest,
     "Write limits and findings, or tests of rules, as JUnit XML", "", SetText<&Options::junit>},
    {"--sarif", "", "FILE", Group::kOutputs, kOnDrawing, "Write alerts as SARIF 2.1.0",
     "They are shown at the line of the policy that set the limit or level.",
     SetText<&Options::sarif>},
    {"--github", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write alerts as GitHub workflow commands (FILE is usually `-`)", "",
     SetText<&Options::github>},
    {"--gitlab", "", "FILE", Group::kOutputs, kOnDrawing, "Write alerts as GitLab code quality", "",
     SetText<&Options::gitlab>},
    {"--repository", "", "DIR", Group::kOutputs, kOnDrawing,
     "Paths in alerts start from here (default: the nearest folder with .git above the policy)", "",
     SetText<&Options::repository>},
    {"--openmetrics", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write the metrics as OpenMetrics text", "", SetText<&Options::openmetrics>},
    {"--verdict", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write the verdict, its reasons and the exit code as a small JSON file", "",
     SetText<&Options::verdict_file>},
    {"--pgsum", "", "FILE", Group::kOutputs, kOnJudging,
     "Write the summary of the run, which `history add` and `baseline save` take",
     "The same as `profgauge summarize` writes.", SetText<&Options::pgsum>},
    {"--ci", "", "SYSTEM", Group::kOutputs, kOnJudging,
     "Write what a CI system reads: auto, github, gitlab, jenkins, buildkite, circleci, generic or "
     "off (default)",
     "Into --out (default: profgauge-report): report.html, report.md, report.xlsx, report.json, "
     "summary.md, junit.xml, profgauge.sarif, codequality.json, metrics.prom, verdict.json and "
     "run.pgsum. github adds the step summary, annotations, and `verdict`, `exit-code` and "
     "`report` "
     "as outputs of the step; gitlab adds profgauge.env; jenkins adds the folder page. Options for "
     "single outputs have precedence. auto uses the variables that each system sets.",
     SetChoice<&Options::ci>, false, "auto github gitlab jenkins buildkite circleci generic off"},
    {"--templates", "", "DIR", Group::kOutputs, kOnDrawing | kOnHistoryTrend,
     "Use the HTML and Markdown templates in DIR instead of the built-in ones of the same name", "",
     SetText<&Options::templates_dir>},
    {"--timeline", "", "WHICH", Group::kOutputs, kOnJudging | kOnCompare,
     "Events in the page's timeline: auto (default), full or off",
     "auto keeps 300 000 events: those of devices, then the host's around findings and its "
     "longest.",
     SetChoice<&Options::timeline>, false, "auto full off"},
    {"--emit-trace", "", "FILE", Group::kOutputs, kOnJudging,
     "Write the timeline's events as a Chrome trace, for ui.perfetto.dev",
     "Gzip when the name ends in .gz. --timeline says which events.",
     SetText<&Options::emit_trace>},
    {"--source-root", "", "DIR", Group::kOutputs, kOnJudging,
     "Show the lines of source that a profile names, from files below DIR", "",
     SetText<&Options::source_root>},
    {"--redact", "", "", Group::kOutputs, kOnJudging | kOnRender | kOnCompare | kOnSummarize,
     "Leave out folders, host names, and names of run and files", "", SetTrue<&Options::redact>},
    {"--file", "-o", "FILE", Group::kOutputs, kOnBaselineSave | kOnBaselinePromote | kOnInit,
     "The baseline or policy to write", "", SetText<&Options::file>},
    {"--out", "-o", "DIR", Group::kOutputs, kOnExportDlprof,
     "Write the files into DIR instead of the current folder", "The folder is created if need be.",
     SetText<&Options::out_dir>},
    {"--output", "-o", "OUT", Group::kOutputs, kOnSummarize,
     "The folder (one file for each rank) or the file (all of them) to write", "",
     SetText<&Options::output>},
    {"--output", "-o", "FILE", Group::kOutputs, kOnExportText | kOnExportNetdict,
     "Write to FILE instead of standard output", "", SetText<&Options::output>},
    {"--force", "", "", Group::kOutputs, kOnWriting, "Replace files that are not earlier outputs",
     "Inputs of the run are never replaced. Without it an output replaces earlier outputs of its "
     "kind and empty files.",
     SetTrue<&Options::force>},
    {"--format", "", "FORMAT", Group::kOutputs, kOnExportNsys, "csv (default) or table", "",
     SetChoice<&Options::format>, false, "csv table"},
    {"--format", "", "FORMAT", Group::kOutputs, kOnExportKernels,
     "csv (default), table, or space: one blank between cells, for awk",
     "In cells blanks become _ there, and what is empty is -.", SetChoice<&Options::format>, false,
     "csv table space"},
    {"--report", "-r", "NAME", Group::kOutputs, kOnExportNsys,
     "Which summary, as in cuda_gpu_kern_sum",
     "cuda_gpu_kern_sum, cuda_gpu_kern_gb_sum, cuda_api_sum, cuda_gpu_mem_time_sum, "
     "cuda_gpu_mem_size_sum, cuda_gpu_sum, nvtx_sum, nvtx_pushpop_sum, nvtx_startend_sum, "
     "nvtx_gpu_proj_sum, nvtx_kern_sum or osrt_sum; nsys' names before 2022.4 are known too.",
     SetText<&Options::report>, false,
     "cuda_gpu_kern_sum cuda_gpu_kern_gb_sum cuda_api_sum cuda_gpu_mem_time_sum "
     "cuda_gpu_mem_size_sum cuda_gpu_sum nvtx_sum nvtx_pushpop_sum nvtx_startend_sum "
     "nvtx_gpu_proj_sum nvtx_kern_sum osrt_sum"},
    {"--columns", "-c", "LIST", Group::kOutputs, kOnExportKernels,
     "Columns by name, with commas between, or all",
     "idx,seq,altseq,tid,layer,trace,dir,sub,mod,op,kernel,params,sil,tc,device,stream,grid,block,"
     "flops,bytes",
     SetText<&Options::columns>},
    {"--width", "-w", "N", Group::kOutputs, kOnExportKernels,
     "Characters of a line with --format table (default: the terminal's)", "",
     SetIndex<&Options::width>},
    {"--pyprof-dialect", "", "NAME", Group::kOutputs, kOnExportKernels,
     "Formulas of nv311 (NVIDIA/PyProf 3.11) or classic (apex.pyprof); default: corrected ones",
     "Both report no FLOPs for convolutions on A100 and later, among other errors.",
     SetChoice<&Options::pyprof_dialect>, false, "nv311 classic"},
    {"--db", "", "FILE", Group::kJudging, kOnHistory | kOnJudging | kOnCompare | kOnBaseline,
     "The history (default: profgauge-history.db)", "", SetText<&Options::db>},
    {"--branch", "", "NAME", Group::kSelection, kOnHistory,
     "The branch of the run to add (default: main), or the only one to show", "",
     SetText<&Options::branch>},
    {"--commit", "", "ID", Group::kSelection, kOnHistoryAdd, "The commit of the run", "",
     SetText<&Options::commit>},
    {"--policy", "-p", "FILE", Group::kJudging,
     kOnJudging | kOnCompare | kOnRulesExplain | kOnSummarize | kOnBaselineSave |
         kOnBaselinePromote | kOnHistoryAdd,
     "What to enforce: a YAML file, or builtin:recommended (default), builtin:strict, "
     "builtin:report-only, builtin:cpu (default where the program used no GPU)",
     "A baseline, a history and summaries take its `iterations`, `tensor_core` and `devices`: runs "
     "are compared as they are judged.",
     SetText<&Options::policy>, false,
     "builtin:recommended builtin:strict builtin:report-only builtin:cpu"},
    {"--fail-on", "", "LEVEL", Group::kJudging, kOnCheck | kOnCompare,
     "Fail at this level: error, warn or never; overrides the policy", "",
     SetChoice<&Options::fail_on>, false, "error warn never"},
    {"--scale", "", "CHANGE", Group::kJudging, kOnWhatIf,
     "What if: `CONDITION by FACTOR`; give it several times for several scenarios",
     "The condition is the rules' language over rows `host_op` (name, type, module, thread, "
     "iteration, time), `api_call` (also kind, op) or `launch` (its table's columns, "
     "tensor_core_eligible, is_collective, module). What it selects takes FACTOR times as long.",
     AddText<&Options::scales>, true},
    {"--without-waiting", "", "", Group::kJudging, kOnWhatIf,
     "What if no rank waited for another in collectives",
     "Needs the recordings of all ranks of a group.", SetTrue<&Options::without_waiting>},
    {"--baseline", "", "FILE", Group::kJudging, kOnJudging,
     "Compare with this baseline; give it several times for several runs",
     "FILE is a baseline (`baseline save`), `history:BRANCH~N` for the last N runs of a branch, or "
     "a profile. Without a `baseline:` block in the policy the median iteration time may grow by "
     "5 %.",
     AddText<&Options::baselines>, true},
    {"--allow-incomparable", "", "", Group::kJudging, kOnCheck | kOnCompare,
     "Compare even when GPU, world size or format differ from the baseline's", "",
     SetTrue<&Options::allow_incomparable>},
    {"--force", "", "", Group::kJudging, kOnBaselineSave | kOnBaselinePromote | kOnHistoryAdd,
     "Keep runs of different formats, devices or world sizes side by side",
     "`baseline save` also replaces a file that is no baseline, unless it is an input.",
     SetTrue<&Options::force>},
    {"--exit-zero", "", "", Group::kJudging, kOnCheck | kOnCompare, "Exit 0 instead of 1 and 3", "",
     SetTrue<&Options::exit_zero>},
    {"--allow-incomplete", "", "", Group::kJudging, kOnReading,
     "Accept truncated profiles; without it they get no verdict (exit 3)", "",
     SetTrue<&Options::allow_incomplete>},
    {"--now", "", "DAY", Group::kJudging, kOnJudging | kOnRulesExplain,
     "The day on which waivers expire or not, as in 2026-11-21 (default: SOURCE_DATE_EPOCH, else "
     "today)",
     "", SetText<&Options::now>},
    {"--allow-long-waivers", "", "", Group::kJudging, kOnJudging,
     "Accept waivers that reach more than 180 days ahead", "",
     SetTrue<&Options::allow_long_waivers>},
    {"--run", "", "NAME=PATH", Group::kSelection, kOnReport,
     "Several runs in one report, instead of PROFILE; give it 2 to 8 times",
     "The page shows one of them at a time, and the comparison of any two. For --html, --html-dir "
     "and --json (a list `runs` of what each report.json would be, and `comparisons`).",
     AddRun, true},
    {"--iter-start", "", "N", Group::kSelection, kOnSelecting, "First iteration to look at",
     "A position, from 0; or #5 for the number that was recorded.",
     SetIteration<&Options::iter_start, &Options::iter_start_number>},
    {"--iter-stop", "", "N", Group::kSelection, kOnSelecting,
     "Last iteration to look at (inclusive)",
     "A position, from 0; or #5 for the number that was recorded.",
     SetIteration<&Options::iter_stop, &Options::iter_stop_number>},
    {"--warmup", "", "N", Group::kSelection, kOnSelecting, "Leave out the first N iterations", "",
     SetIndex<&Options::warmup>},
    {"--key-op", "", "NAME", Group::kSelection, kOnSelecting,
     "An iteration runs from one start of this op to the next", "",
     SetMarker<&Options::key_op, &Options::iteration_marker>},
    {"--iteration-marker", "", "REGEX", Group::kSelection, kOnSelecting,
     "Host ranges whose name matches are the iterations", "",
     SetMarker<&Options::iteration_marker, &Options::key_op>},
    {"--range", "", "A:B", Group::kSelection, kOnSelecting,
     "Look at this part alone: times from the start (5us:12.5us) or names of marks",
     "Work counts where it starts, busy time where it is. An end left out is the recording's.",
     SetText<&Options::range_text>},
    {"--mark", "", "NAME=TIME", Group::kSelection, kOnSelecting,
     "Sum up the parts between marks, as in load=5us,store=12.5us", "",
     SetText<&Options::mark_text>},
    {"--marks", "", "FILE", Group::kSelection, kOnSelecting, "Marks from a JSON file",
     "{\"marks\": [{\"name\": \"load\", \"time\": 5000}]}, in nanoseconds.",
     SetText<&Options::marks_file>},
    {"--rank", "", "N", Group::kSelection, kOnSelecting, "Look at this rank alone", "",
     SetIndex<&Options::rank>},
    {"--ranks", "", "WHICH", Group::kSelection, kOnReading,
     "Ranks of several files: recorded (default), as-listed or separate",
     "recorded: files are ranks of one run if they, process groups or names state it. "
     "as-listed: ranks 0, 1, … in the order given. separate: runs to compare with --baseline.",
     SetChoice<&Options::ranks>, false, "recorded as-listed separate"},
    {"--aggr", "", "N", Group::kSelection, kOnReading,
     "Which aggregation of a DLProf database (default: the newest)", "",
     SetIndex<&Options::aggregation>},
    {"--jobs", "-j", "N", Group::kGeneral, kOnReading,
     "Threads to use at once (default: one per core)", "The result does not depend on it.",
     SetJobs},
    {"--max-memory", "", "SIZE", Group::kGeneral, kOnReading,
     "Use at most so much memory, as in 512MB or 2GiB (default: what there is)",
     "A run that needs more exits with 3 (input/too-large).", SetMaxMemory},
    {"--quiet", "-q", "", Group::kGeneral, kOnAll, "Print the verdict line alone", "",
     SetVerbosity<-1>},
    {"--verbose", "-v", "", Group::kGeneral, kOnAll, "Say what is being done, and show what passed",
     "", SetVerbosity<1>},
    {"--stats", "", "", Group::kGeneral, kOnJudging | kOnCompare | kOnInspect | kOnRender,
     "Print a table of the time that each phase took, and the peak memory", "",
     SetTrue<&Options::stats>},
    {"--color", "", "WHEN", Group::kGeneral, kOnAll,
     "auto (default), always or never; auto obeys NO_COLOR and CLICOLOR_FORCE", "", SetColor, false,
     "auto always never"},
};

}  // namespace

std::span<const OptionSpec> AllOptions() { return kOptions; }

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

}  // namespace profgauge::cli
