// The profile formats that are built in.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "readers/database/copy_tables.h"
#include "readers/reader.h"
#include "readers/text/rename.h"

namespace profgauge::readers {

/// In the order in which they are asked whether the bytes are theirs. Made at the first call.
std::span<const std::unique_ptr<Reader>> BuiltinReaders();

/// The first thing to check in a profile, by the format's reader; mostly nothing.
std::string_view WhatToCheckFirst(const Source& source);

}  // namespace profgauge::readers

namespace profgauge::readers {

// Copies of profiles without names of persons or machines, format by format.

/// The bytes of a copy of the file `in`, which is judged like it, unpacked. Keys, fields, stats and
/// columns are kept by lists, so those of later profilers are left out; folders are cut off the
/// paths in texts, and `rename` makes names of code. The copy is one string in memory. Errors:
/// kInput "scrub/format" for formats that are not copied, with what to share instead; of reading.
Result<std::string> ScrubTrace(const std::string& in, const Rename& rename);

/// The same of an SQLite database into the file `out`, which must not exist.
Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out, const Rename& rename);

}  // namespace profgauge::readers
