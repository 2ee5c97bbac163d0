// Properties of columns that rules need besides units: the values of enumerations, the work that
// they count, and whether they contain names of code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "expr/schema.h"

namespace profgauge::rules {

/// Valid values of a column ("gap.cause") or fact ("device.vendor"); nullptr: any text.
const expr::Enumeration* KnownValuesOf(std::string_view name);

/// The column or fact that has all `ids` among its values; empty: none.
std::string_view FindByValues(const std::vector<std::string>& ids);
/// The table cell that stands for a value of `name`; `id` itself if there is none.
std::string CellOfValue(std::string_view name, const std::string& id);

/// The column with this name in rules, "kernel.calls"; nullptr: none.
const ColumnSpec* FindRowColumn(std::string_view name);
/// True if the column contains names of code.
bool IsCodeColumn(std::string_view name);

/// True if the column counts host work, which is per rank: calls and their times.
bool IsHostWork(std::string_view name);
/// True if the column counts device work, which is per device.
bool IsDeviceWork(std::string_view name);

}  // namespace profgauge::rules
