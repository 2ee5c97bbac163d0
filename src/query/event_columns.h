// Columns of the tables of single events.
#pragma once

#include <span>

#include "query/report_columns.h"

namespace profgauge::query {

std::span<const TableShape> EventShapes();

}  // namespace profgauge::query
