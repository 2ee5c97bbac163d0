// The version of the program; CMakeLists.txt and ci/package.sh read it here. The schema of
// report.json moves independently (report/report.h).
#pragma once

namespace profgauge {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace profgauge
