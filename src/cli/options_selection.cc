// Options of the part of a profile that is looked at, of reading it, and of the program itself.
//
// The selection of iterations, ranks and parts is listed in the provenance of a report:
// ProvenanceOptions() of api/session.h. Rows: see options_outputs.cc.
#include "cli/option_tables.h"

#include "cli/commands.h"
#include "cli/option_values.h"

namespace profgauge::cli {
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
