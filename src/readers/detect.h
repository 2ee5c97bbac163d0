// The kind of a file, by its first bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge {

/// The reader whose format the bytes have. Errors: kInput with the kind of `path` instead, with
/// help. An SQLite database is opened to see its tables, and must be a plain file for that.
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

}  // namespace profgauge
