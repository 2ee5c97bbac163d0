// NVTX ranges around one kernel's launch, where a profile states only these and not when the
// ranges began and ended: PyProf's net.dict. Terms are PyProf's.
#pragma once

#include <cstdint>
#include <vector>

#include "base/string_pool.h"

namespace profgauge {

struct KernelMarkers {
  std::int64_t position = 0;  ///< Order in the file, from 0.
  StringId short_name;        ///< As PyProf shortened the kernel's name.
  std::vector<StringId> layers, trace;
  std::vector<StringId> markers;      ///< Argument markers, outermost first: Python dictionaries.
  std::vector<StringId> seq_markers;  ///< "aten::conv2d, seq = 3".
  std::vector<std::int64_t> seq_ids, alt_seq_ids;
  std::int64_t sub_seq = 0;
  bool backward = false;
  std::vector<StringId> modules, ops;  ///< Outermost first.
  std::int64_t thread = 0;
};

}  // namespace profgauge
