// The kind of a file, by its first bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge {

/// The reader whose format the bytes have. Errors: kInput with the kind of `path` instead, with
/// help. An SQLite database is opened to see its tables, and must be a plain file for that.
Result<const Reader*> FindReader(const std::string& path, std::span<const std::byte> head,
                                 bool compressed);

}  // namespace profgauge
