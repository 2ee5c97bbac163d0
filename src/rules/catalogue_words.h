// What rules need to know of columns beside their units: the values of those that are
// enumerations, whose work they count, and which hold code.
#pragma once

#include <string_view>

#include "base/table.h"
#include "expr/schema.h"

namespace profgauge {

/// The values of a column ("gap.cause") or fact ("device.vendor"); nullptr: any text.
const expr::Enumeration* KnownValuesOf(std::string_view name);

/// A column of a table by its name in rules, "kernel.calls"; nullptr: there is none.
const ColumnSpec* FindRowColumn(std::string_view name);
/// Whether its texts are names of code.
bool IsCodeColumn(std::string_view name);

/// Whether a column counts work of the host, which is per rank: calls and their times.
bool IsHostWork(std::string_view name);
/// Whether a column counts work of devices, which is per device.
bool IsDeviceWork(std::string_view name);

}  // namespace profgauge
