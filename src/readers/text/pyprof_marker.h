// The NVTX ranges of PyProf and DLProf: Python dictionaries that name a call with its arguments, a
// module, or the lines of Python that lead there. They are parsed, never evaluated.
#pragma once

#include <string_view>

#include "model/profile_builder.h"
#include "readers/text/nvtx_text.h"

namespace profgauge::readers {

/// Whether the text is a dictionary of PyProf: {'mod': …} or {'traceMarker': …}.
bool IsPyprofMarker(std::string_view text);

/// {'mod', 'op', 'args'} is an op "mod.op" with the shapes and types of its tensors; {'mod',
/// 'strRepr'} is an annotation named after the module; {'traceMarker'} one with a call stack. A
/// text that does not parse stays an annotation.
RangeText ParsePyprofMarker(std::string_view text);

/// Sets the texts of `row` that `range` has.
void AddTexts(const RangeText& range, ProfileBuilder& builder, HostRow& row);

}  // namespace profgauge::readers
