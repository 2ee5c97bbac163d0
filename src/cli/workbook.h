// Whether a workbook is one of ours.
#pragma once

#include <string>

namespace profgauge::cli {

/// Whether the file is a workbook whose properties name us as its creator. False for everything
/// that cannot be read as one.
bool IsOurWorkbook(const std::string& path);

}  // namespace profgauge::cli
