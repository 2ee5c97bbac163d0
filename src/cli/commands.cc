#include "cli/commands.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kMany = static_cast<std::size_t>(-1);

constexpr CommandSpec kCommands[] = {
    {"check", kOnCheck, "PROFILE…", 1, kMany, "Judge a profile; the exit code is the verdict",
     "PROFILE is a trace file (gzipped or not), several files or a folder (one file per rank), or\n"
     "`-` for standard input. The format is found by content. Without --policy the recommended\n"
     "policy is enforced. Reports are written whenever the profile could be read.",
     "  profgauge check run7.pt.trace.json.gz --out report/\n"
     "  profgauge check ranks/ --policy policy.yaml --json - | jq .verdict\n",
     RunCheck},
    {"report", kOnReport, "PROFILE…", 1, kMany,
     "The same as check, but the verdict never becomes the exit code",
     "Evaluates everything and shows all findings; exits 0 when it could. PROFILE is as for check.",
     "  profgauge report run7.pt.trace.json.gz --out report/\n", RunReport},
    {"inspect", kOnInspect, "PROFILE…", 1, kMany, "Say what a profile contains",
     "Format, size, devices, events, iterations, what was recorded and what was not, and what the\n"
     "reader met and mended. PROFILE is as for check.",
     "  profgauge inspect run7.pt.trace.json.gz\n", RunInspect},
    {"render", kOnRender, "REPORT.json", 1, 1, "Draw reports again from a report.json",
     "The HTML, Markdown and XLSX reports are functions of report.json; the profile is not needed.",
     "  profgauge render report.json --html report.html\n", RunRender},
    {"metrics list", kOnMetricsList, "[ID…]", 0, kMany,
     "List the metrics; with ids or patterns, define them",
     "Rules, limits and reports share these ids.",
     "  profgauge metrics list\n  profgauge metrics list 'gpu.*'\n", RunMetricsList},
    {"templates export", kOnTemplatesExport, "DIR", 1, 1, "Write the built-in templates into DIR",
     "Changed ones are used with --templates DIR.", "", RunTemplatesExport},
    {"version", kOnVersion, "", 0, 0, "Print the version", "", "", RunVersion},
    {"help", kOnHelp, "[COMMAND]", 0, 2, "Explain a command", "", "", RunHelp},
};

}  // namespace

std::span<const CommandSpec> AllCommands() { return kCommands; }

}  // namespace profgauge::cli
