// Options that name what is written: files, folders and their forms.
//
// How to read a row:
//
//   {"--html", "", "FILE",        name, shorthand, placeholder of the value (empty: a switch)
//    Group::kOutputs,             section of the help
//    kOnDrawing | …,              commands that have it
//    "Write …", "Details.",       the line of -h, and more for --help
//    SetText<&Options::html>,     puts the value into Options
//    false, "a b", true}          may be repeated, its choices, only in --help
//
// An option of one name may have several rows, with different texts or fields, for different
// commands: no command may have two of them. -o is the short form of whatever a command mainly
// writes.
#include "cli/option_tables.h"

#include "cli/commands.h"
#include "cli/option_values.h"

namespace profgauge::cli {
namespace {

using Group = OptionGroup;

constexpr OptionSpec kOutputOptions[] = {
    {"--out", "-o", "DIR", Group::kOutputs, kOnDrawing,
     "Write report.html, report.md, report.xlsx and report.json into DIR",
     "The folder is created if needed.", SetText<&Options::out_dir>},
    {"--html", "", "FILE", Group::kOutputs, kOnDrawing | kOnHistoryList,
     "Write the HTML page, one file", "", SetText<&Options::html>},
    {"--html-dir", "", "DIR", Group::kOutputs, kOnDrawing,
     "Write the page as index.html, report.css and report.js",
     "For servers that forbid inline styles and scripts, e.g. Jenkins' HTML Publisher.",
     SetText<&Options::html_dir>},
    {"--md", "", "FILE", Group::kOutputs, kOnDrawing, "Write the Markdown report", "",
     SetText<&Options::markdown>},
    {"--md-summary", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write the short Markdown report, for a comment or a step summary", "At most 20 kB.",
     SetText<&Options::summary>},
    {"--text", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write the verdict in at most twelve plain lines, for a chat or a mail", "",
     SetText<&Options::text>},
    {"--step-summary", "", "", Group::kOutputs, kOnDrawing,
     "Append the short Markdown report to GitHub's step summary",
     "It is appended to the file that $GITHUB_STEP_SUMMARY names.",
     SetTrue<&Options::step_summary>},
    {"--xlsx", "", "FILE", Group::kOutputs, kOnDrawing, "Write the Excel workbook", "",
     SetText<&Options::xlsx>},
    {"--json", "", "FILE", Group::kOutputs, kOnDrawing, "Write report.json, the report as data",
     "It contains everything except single events and truncated rows (counted in `left_out`). One "
     "output may be `-`, standard output; the summary then goes to standard error.",
     SetText<&Options::json>},
    {"--json", "", "FILE", Group::kOutputs, kOnLists,
     "Write the list as JSON; `-` is standard output, in place of the text", "",
     SetText<&Options::json>},
    {"--json", "", "FILE", Group::kOutputs, kOnQuery,
     "Write the answer as JSON; the same as --format json -o FILE", "", SetText<&Options::json>},
    {"--json", "", "", Group::kOutputs, kOnThresholds, "Print JSON instead of text", "",
     SetTrue<&Options::as_json>},
    {"--junit", "", "FILE", Group::kOutputs, kOnDrawing, "Write limits and findings as JUnit XML",
     "", SetText<&Options::junit>},
    {"--junit", "", "FILE", Group::kOutputs, kOnRulesTest, "Write the results as JUnit XML", "",
     SetText<&Options::junit>},
    {"--sarif", "", "FILE", Group::kOutputs, kOnDrawing, "Write alerts as SARIF 2.1.0",
     "They are shown at the line of the policy that set the limit or level.",
     SetText<&Options::sarif>},
    {"--github", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write alerts as GitHub workflow commands (FILE is usually `-`)", "",
     SetText<&Options::github>},
    {"--gitlab", "", "FILE", Group::kOutputs, kOnDrawing, "Write alerts as GitLab code quality", "",
     SetText<&Options::gitlab>},
    {"--repository",
     "",
     "DIR",
     Group::kOutputs,
     kOnDrawing,
     "Folder from which paths in alerts start",
     "Default: the nearest folder with .git above the policy.",
     SetText<&Options::repository>,
     false,
     {},
     true},
    {"--openmetrics", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write the metrics as OpenMetrics text", "", SetText<&Options::openmetrics>},
    {"--verdict", "", "FILE", Group::kOutputs, kOnDrawing,
     "Write the verdict, its reasons and the exit code as a small JSON file", "",
     SetText<&Options::verdict_file>},
    {"--pgsum", "", "FILE", Group::kOutputs, kOnJudging,
     "Write the summary of the run, which `history add` and `baseline save` take",
     "The same as `profgauge summarize` writes.", SetText<&Options::pgsum>},
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
     SetChoice<&Options::ci>, false, "auto github gitlab jenkins buildkite circleci generic off"},
    {"--timeline", "", "WHICH", Group::kOutputs, kOnJudging | kOnCompare,
     "Events in the page's timeline: auto (default), full or off",
     "auto keeps 300 000 events: those of devices, then host events near findings, then the "
     "longest.",
     SetChoice<&Options::timeline>, false, "auto full off"},
    {"--emit-trace", "", "FILE", Group::kOutputs, kOnJudging,
     "Write the timeline's events as a Chrome trace, for ui.perfetto.dev",
     "Compressed if the name ends in .gz. --timeline selects the events.",
     SetText<&Options::emit_trace>},
    {"--source-root", "", "DIR", Group::kOutputs, kOnJudging,
     "Show source lines that the profile names, from files below DIR", "",
     SetText<&Options::source_root>},
    {"--redact", "", "", Group::kOutputs,
     kOnJudging | kOnRender | kOnCompare | kOnSummarize | kOnTables,
     "Hide paths and host names (places, the default), names of code (code), or all",
     "places: paths, host names, and the names of the run and its files. code: also names of "
     "functions, modules, ranges, kernels and operators, except those of frameworks and vendors' "
     "libraries; each becomes a name such as fn_1a2b3c4d, the same one in every output of a run. "
     "all: also shapes and sizes of messages.",
     SetRedaction, false, "places code all"},
    {"--code", "", "", Group::kOutputs, kOnScrub, "Hide names of code, too",
     "Names of functions, modules, ranges, kernels and operators become keyed names, as with "
     "--redact=code of a report. Parts by which rules know kinds of work stay, such as gemm.",
     SetHiddenCode},
    {"--redact-key",
     "",
     "FILE",
     Group::kOutputs,
     kOnJudging | kOnRender | kOnCompare | kOnSummarize | kOnTables | kOnScrub,
     "Key of the names that --redact=code hides (default: the content of the inputs)",
     "Other inputs have other names for the same code. Give the same file to compare the reports "
     "of "
     "several runs.",
     SetRedactKey,
     false,
     {},
     true},
    {"--file", "-o", "FILE", Group::kOutputs, kOnBaselineSave | kOnInit, "File to write", "",
     SetText<&Options::file>},
    {"--out", "-o", "DIR", Group::kOutputs, kOnExportDlprof,
     "Write the files into DIR instead of the current folder", "The folder is created if needed.",
     SetText<&Options::out_dir>},
    {"--output", "-o", "OUT", Group::kOutputs, kOnSummarize,
     "The folder (one file for each rank) or the file (all of them) to write", "",
     SetText<&Options::output>},
    {"--output", "-o", "OUT", Group::kOutputs, kOnExportTables,
     "The folder to write, or the file with --format sqlite", "", SetText<&Options::output>},
    {"--output", "-o", "FILE", Group::kOutputs, kOnExportText | kOnExportNetdict | kOnQuery,
     "Write to FILE instead of standard output", "", SetText<&Options::output>},
    {"--force", "", "", Group::kOutputs, kOnWriting, "Overwrite files that ProfGauge did not write",
     "Inputs are never overwritten. By default only earlier reports of the same kind and empty "
     "files are.",
     SetTrue<&Options::force>},
    {"--format", "", "FORMAT", Group::kOutputs, kOnExportNsys, "csv (default) or table", "",
     SetChoice<&Options::format>, false, "csv table"},
    {"--format", "", "FORMAT", Group::kOutputs, kOnExportKernels,
     "csv (default), table, or space: columns separated by one space, e.g. for awk",
     "In cells, blanks become _ and empty cells -.", SetChoice<&Options::format>, false,
     "csv table space"},
    {"--format", "", "FORMAT", Group::kOutputs, kOnHistoryList, "table (default) or csv", "",
     SetChoice<&Options::format>, false, "table csv"},
    {"--format", "", "FORMAT", Group::kOutputs, kOnQuery,
     "table (default), csv, tsv, json, jsonl or md",
     "table and md are for people: cells have units. The others have base units. csv puts a ' "
     "before "
     "texts that a spreadsheet would take for a formula; tsv escapes tab, line end and backslash.",
     SetChoice<&Options::format>, false, "table csv tsv json jsonl md"},
    {"--format", "", "FORMAT", Group::kOutputs, kOnExportTables,
     "csv (default), tsv, jsonl, parquet or sqlite", "All use base units.",
     SetChoice<&Options::format>, false, "csv tsv jsonl parquet sqlite"},
    {"--tables", "", "LIST", Group::kOutputs, kOnExportTables,
     "Names or patterns of tables, with commas between (default: all)", "",
     SetText<&Options::tables>},
    {"--no-events", "", "", Group::kOutputs, kOnExportTables, "Leave out the tables of events", "",
     SetTrue<&Options::no_events>},
    {"--gzip", "", "", Group::kOutputs, kOnExportTables, "Compress csv, tsv and jsonl", "",
     SetTrue<&Options::gzip>},
    {"--raw", "", "", Group::kOutputs, kOnQuery,
     "With table or md: base units, and texts as they are", "", SetTrue<&Options::raw>},
    {"--max-rows", "", "N", Group::kOutputs, kOnQuery,
     "Stop after N rows (default: 1000 with table and md, else all)", "",
     SetIndex<&Options::max_rows>},
    {"--list", "", "", Group::kOutputs, kOnQuery, "List the saved queries",
     "`profgauge query PROFILE @NAME` runs one.", SetTrue<&Options::list>},
    {"--schema", "", "", Group::kOutputs, kOnQuery,
     "List the tables, or the columns of the table in place of SQL",
     "With a profile also the number of rows, and why columns have no values.",
     SetTrue<&Options::schema>},
    {"--report", "-r", "NAME", Group::kOutputs, kOnExportNsys,
     "Summary to write, e.g. cuda_gpu_kern_sum",
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
};

}  // namespace

std::span<const OptionSpec> OutputOptions() { return kOutputOptions; }

}  // namespace profgauge::cli
