// The kind of a file, by its first bytes. The questions, in order; the first answer counts:
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
// The name of a single file chooses no reader. It only helps to name files that are not read.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// The reader whose format the bytes have; it lives as long as the program. `head`: the first
/// kSniffBytes, decompressed. An SQLite database is opened to see its tables, and must be a plain
/// file for that. Errors: kInput, which names the format of `path` where it is known, with help.
Result<const Reader*> FindReader(const std::string& path, std::span<const std::byte> head,
                                 bool compressed);

// Files that are often mistaken for profiles: rules/knowledge/foreign.yaml has for each kind
// its signs, its name and the next step.

/// Whether readers are still to be asked. Some files of others have the signs of a format that is
/// read; they are distinguished first, by signs that no file of that format has.
enum class Asked : bool { kBeforeReaders, kAfterReaders };

/// The kind of the file, by its first bytes (kSniffBytes of them, unpacked) or by its name. Nothing
/// if no row matches.
std::optional<Error> ForeignFile(const std::string& path, std::string_view head, Asked asked);

/// The visible properties of an unknown file, and the supported formats. `head` as above.
Error UnknownFile(const std::string& path, std::string_view head);

}  // namespace profgauge::readers
