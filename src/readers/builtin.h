// The profile formats that are built in.
#pragma once

#include <memory>
#include <span>

#include "readers/reader.h"

namespace profgauge {

/// In the order in which they are asked whether the bytes are theirs.
std::span<const std::unique_ptr<Reader>> BuiltinReaders();

}  // namespace profgauge
