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

/// In the order in which they are asked whether they read a file. Made at the first call.
std::span<const std::unique_ptr<Reader>> BuiltinReaders();

/// A hint, from the format's reader, on which thing to check first in a profile; mostly empty.
std::string_view WhatToCheckFirst(const Source& source);

}  // namespace profgauge::readers

namespace profgauge::readers {

// Copies of profiles without names of people or machines, for each format.

/// Returns a copy of the file `in` that gets the same verdict, decompressed. Keys, fields, stats
/// and columns are copied by allow-lists, so those of later profilers are left out. Folders are cut
/// off the paths in texts; `rename` replaces names of code. The copy is one string in memory.
/// Errors: kInput "scrub/format" if the format is not copied, with a file to share instead.
Result<std::string> ScrubTrace(const std::string& in, const Rename& rename);

/// Does the same with an SQLite database; writes it to the file `out`, which must not exist.
Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out, const Rename& rename);

}  // namespace profgauge::readers
