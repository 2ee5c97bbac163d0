#include "cli/commands.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kMany = static_cast<std::size_t>(-1);

constexpr CommandSpec kCommands[] = {
    {"inspect", kOnInspect, "PROFILE…", 1, kMany, "Say what a profile contains",
     "Format, size, devices, events, iterations, what was recorded and what was not, and what the\n"
     "reader met and mended. PROFILE is as for check.",
     "  profgauge inspect run7.pt.trace.json.gz\n", RunInspect},
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
