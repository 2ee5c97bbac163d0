#include "cli/commands.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kMany = static_cast<std::size_t>(-1);

constexpr CommandSpec kCommands[] = {
    {"version", kOnVersion, "", 0, 0, "Print the version", "", "", RunVersion},
    {"help", kOnHelp, "[COMMAND]", 0, 2, "Explain a command", "", "", RunHelp},
};

}  // namespace

std::span<const CommandSpec> AllCommands() { return kCommands; }

}  // namespace profgauge::cli
