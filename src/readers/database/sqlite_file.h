// Opening a profile that is an SQLite database.
#pragma once

#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/sqlite.h"
#include "model/profile_builder.h"

namespace profgauge::readers {

/// The first bytes of every SQLite file.
bool IsSqlite(std::string_view head);

/// That the file is as long as it says. Errors: kInput "sqlite/truncated".
Status CheckWhole(const std::string& path);

/// Whether a journal is beside the database that its writer did not finish: pages of before and
/// and after are mixed in the file, without any error.
bool HasHotJournal(const std::string& path);

/// Reads the file through once for its size and hash, then opens it: read-only and immutable, or,
/// when a write-ahead log is beside it, read-only with that log, which is counted as a warning.
/// Fills builder.source(): of NVIDIA's devices. Errors: kInput.
Result<sqlite::Database> OpenDatabase(ByteSource& source, std::string_view format,
                                      std::string_view dialect, ProfileBuilder& builder);

}  // namespace profgauge::readers
