// Properties of columns that rules need besides units: the values of enumerations, the work that a
// column counts, and whether it contains names of code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "expr/schema.h"

namespace profgauge::rules {

/// The valid values of a column ("gap.cause") or a fact ("device.vendor"); nullptr if any text is.
const expr::Enumeration* KnownValuesOf(std::string_view name);

/// The column or fact that has all of `ids` among its values; empty if there is none.
std::string_view FindByValues(const std::vector<std::string>& ids);
/// The text in table cells for the value `id` of `name`; `id` itself if there is none.
std::string CellOfValue(std::string_view name, const std::string& id);

/// The column with this name in rules, e.g. "kernel.calls"; nullptr if there is none.
const ColumnSpec* FindRowColumn(std::string_view name);
/// True if the column contains names of code.
bool IsCodeColumn(std::string_view name);

/// True if the column counts host work (calls and their times), which is per rank.
bool IsHostWork(std::string_view name);
/// True if the column counts device work, which is per device.
bool IsDeviceWork(std::string_view name);

}  // namespace profgauge::rules
