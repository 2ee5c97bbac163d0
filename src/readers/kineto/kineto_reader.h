// Reads the JSON traces that PyTorch's profiler (Kineto) writes, of every version since 2020.
#pragma once

#include <memory>
#include <string_view>

#include "readers/reader.h"
#include "readers/text/json_copy.h"
#include "readers/text/rename.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeKinetoReader();

}  // namespace profgauge::readers

namespace profgauge::readers::kineto {

// The contents of a shared copy of a trace: the keys that the reader takes.

/// Of the reader whose files are copied.
inline constexpr std::string_view kReader = "kineto";

JsonKeep KeptKeys(const Rename& rename);

/// Whether the text of an argument of an event is a name of code: "Call stack".
bool IsNameArgument(std::string_view key);

}  // namespace profgauge::readers::kineto
