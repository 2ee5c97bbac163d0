// One call of an operator as the texts that were recorded of it, which summaries keep.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/work/op_call.h"

namespace profgauge {

/// Views of the profile's strings, which must outlive it.
struct CallText {
  std::string_view name, shapes, dtypes;  ///< As HostTable has them.
  std::string_view values;                ///< HostTable::concrete_inputs.
};

/// As CallOf() of a host row. Nothing when no shapes were recorded.
std::optional<OpCall> CallOf(const CallText& text);

}  // namespace profgauge
