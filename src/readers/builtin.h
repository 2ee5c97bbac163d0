// The built-in profile formats.
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

/// The readers in the order in which they are asked for a file. Made at the first call.
std::span<const std::unique_ptr<Reader>> BuiltinReaders();

/// The part of a profile to check first, as its format's reader advises; mostly empty.
std::string_view WhatToCheckFirst(const Source& source);

}  // namespace profgauge::readers

namespace profgauge::readers {

// Copies of profiles without names of people or machines, for each format.

/// Returns a copy of the file `in` that gets the same verdict, decompressed. Allow-lists choose the
/// keys, fields, stats and columns, so a later profiler's new ones are left out. Folders are cut
/// off the paths in texts; `rename` replaces names of code. The copy is one string in memory.
/// Error: kInput "scrub/format" if the format is not copied, with a file to share instead.
Result<std::string> ScrubTrace(const std::string& in, const Rename& rename);

/// Like ScrubTrace(), for an SQLite database, into the file `out`, which must not exist.
Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out, const Rename& rename);

}  // namespace profgauge::readers
