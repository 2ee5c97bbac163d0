// Properties of columns that rules need besides their units: the values of
// enumerations, the work they count, and whether they hold code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "expr/schema.h"

namespace profgauge::rules {

/// The values of a column ("gap.cause") or fact ("device.vendor"); nullptr: any text.
const expr::Enumeration* KnownValuesOf(std::string_view name);

/// The column or fact of which all `ids` are values; empty: there is none.
std::string_view FindByValues(const std::vector<std::string>& ids);
/// The cell that represents a value of `name`; `id` itself if there is none.
std::string CellOfValue(std::string_view name, const std::string& id);

/// A column of a table by its name in rules, "kernel.calls"; nullptr: there is none.
const ColumnSpec* FindRowColumn(std::string_view name);
/// Whether its texts are names of code.
bool IsCodeColumn(std::string_view name);

/// Whether a column counts work of the host, which is per rank: calls and their times.
bool IsHostWork(std::string_view name);
/// Whether a column counts work of devices, which is per device.
bool IsDeviceWork(std::string_view name);

}  // namespace profgauge::rules
