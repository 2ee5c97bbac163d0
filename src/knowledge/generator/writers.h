// The files that the generator writes from rules/knowledge/.
#pragma once

#include <filesystem>

namespace profgauge::knowledge {

/// thresholds.yaml: one header of typed constants per section (OUT/SECTION.h), the set of those
/// that a policy may set (OUT/tunable.h), and all rows as data (OUT/thresholds.cc). Mistakes are
/// printed, all of them; then nothing is written and the result is false.
bool WriteThresholds(const std::filesystem::path& source, const std::filesystem::path& out);

/// names.yaml, devices.yaml, markers.yaml and foreign.yaml: of each list OUT/LIST.inc, the rows of
/// an array in designated initializers. The file that includes it declares the struct, and is
/// compiled only where keys and types fit. Mistakes are printed, all of them; a list with one is
/// not written, and the result is false.
bool WriteTables(const std::filesystem::path& source, const std::filesystem::path& out);

}  // namespace profgauge::knowledge
