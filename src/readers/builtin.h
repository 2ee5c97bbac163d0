// The profile formats that are built in.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "readers/reader.h"

namespace profgauge {

/// In the order in which they are asked whether the bytes are theirs.
std::span<const std::unique_ptr<Reader>> BuiltinReaders();

/// The first thing to check in a profile, by the format's reader; mostly nothing.
std::string_view WhatToCheckFirst(const Source& source);

}  // namespace profgauge
