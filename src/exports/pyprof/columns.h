// PyProf's prof stage as rows of 20 columns, one per kernel launch.
//
// Numbers and texts are written as PyProf writes them, so that its old files can be compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exports/pyprof/record.h"
#include "exports/selected.h"
#include "model/profile.h"

namespace profgauge::exports::pyprof {

struct ColumnName {
  std::string_view option;  ///< As on the command line: "sil".
  std::string_view header;  ///< "Sil(ns)".
  std::size_t width;        ///< Minimum width in a table of fixed width; 0: the remaining width.
};
/// All 20, in PyProf's order.
std::span<const ColumnName> AllColumns();
/// PyProf's default choice: idx,dir,sub,mod,op,kernel,params,sil.
std::vector<std::size_t> DefaultColumns();

struct KernelRows {
  std::vector<std::vector<std::string>> cells;  ///< Per kernel all 20 cells.
  std::int64_t unattributed = 0;  ///< Kernels whose op, arguments or shapes are not understood.
};
/// Rows in record order (record.h). All kernels are computed, since backward ones take data from
/// forward ones; only those with work in the selection are returned.
KernelRows BuildKernelRows(const SelectedRank& rank);

// PyProf's net.dict: one Python dictionary per kernel, for scripts that read PyProf's own.

/// A line for each kernel launch, with the keys of PyProf's parse stage and in their order.
std::string NetDict(const SelectedRank& rank);

}  // namespace profgauge::exports::pyprof
