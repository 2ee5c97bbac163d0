// names.yaml, devices.yaml and markers.yaml → tables. Each list becomes OUT/LIST.inc, the rows of
// an array in designated initializers: the file that includes it declares the struct, and is
// compiled only where keys and types fit.
#pragma once

#include <filesystem>

namespace profgauge::knowledge {

/// Reads the files of SOURCE and writes one .inc for each list. Mistakes are printed, all of them;
/// a list with one is not written, and the result is false.
bool WriteTables(const std::filesystem::path& source, const std::filesystem::path& out);

}  // namespace profgauge::knowledge
