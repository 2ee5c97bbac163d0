// Options that name what is written: files, folders and their forms.
//
// How to read a row:
//
//   {"--html", "", "FILE",        name, shorthand, placeholder of the value (empty: a switch)
//    Group::kOutputs,             section of the help
//    kOnDrawing | …,              commands that have it
//    "Write …", "Details.",       the line of `--help all`, and more
//    SetText<&Options::html>,     puts the value into Options
//    false, "a b",                may be repeated, its choices
//    "Write …"}                   the line of --help; nothing: only `--help all` shows it
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

}  // namespace profgauge::cli
