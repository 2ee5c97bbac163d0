// Finds the kind of a file by its first bytes. The checks in order; the first match counts:
//
//   1  an SQLite database: is it a history of ours; the reader of its tables, or RefuseTables()
//   2  rows of foreign.yaml with `early`: files of others that have the signs of a format here
//   3  the reader that is sure (Match::kYes)
//   4  a report of ours; a zip archive in a pipe; Git LFS pointers, zip, UTF-16
//   5  Reader::Refuse(): files that a format's tools write beside profiles
//   6  the other rows of foreign.yaml, by keys, by text or by name
//   7  the reader that is unsure (Match::kMaybe)
//   8  Parquet outside of a folder of tables; unknown, with the visible properties
//
// The file's name chooses no reader. It only helps to name files that are not read.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// The reader for these bytes; it lives as long as the program. `head`: the first kSniffBytes,
/// decompressed. An SQLite database is opened to see its tables, and must be a plain file for that.
/// Errors: kInput, naming the format of `path` if it is known, with help.
Result<const Reader*> FindReader(const std::string& path, std::span<const std::byte> head,
                                 bool compressed);

// Files that are often mistaken for profiles: rules/knowledge/foreign.yaml has, for each kind, its
// signs, its name and the next step.

/// The moment of the check. kBeforeReaders: for foreign files that have the signs of a supported
/// format; they are recognized by signs that no file of that format has. kAfterReaders: all others.
enum class Asked : bool { kBeforeReaders, kAfterReaders };

/// The error for a known foreign file, by its first bytes (kSniffBytes of them, decompressed) or
/// its name. nullopt if no row matches.
std::optional<Error> ForeignFile(const std::string& path, std::string_view head, Asked asked);

/// Lists the visible properties of an unknown file and the supported formats. `head` as above.
Error UnknownFile(const std::string& path, std::string_view head);

}  // namespace profgauge::readers
