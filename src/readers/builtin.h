// The profile formats that are built in.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "readers/reader.h"

namespace profgauge {

/// In the order in which they are asked whether the bytes are theirs.
std::span<const std::unique_ptr<Reader>> BuiltinReaders();

/// What the format's reader says to look at first in a profile of it; mostly nothing.
std::string_view WhatToCheckFirst(const Source& source);

}  // namespace profgauge
