// The file of a history: its valid contents, and how it is changed safely.
//
// Files beside an SQLite database can make SQLite overwrite pages or delete other files, and so can
// triggers in it. So a history is never opened in place for writing, and only contents that this
// program wrote are accepted:
//
//   lock     flock of the file at the path, until nobody has renamed another over it
//   head     100 bytes, read before SQLite: our mark, this schema, the whole file, no log
//   schema   exactly the texts that Create() makes; none is missing
//   change   made in memory; a file with the new bytes is then renamed over the path
//
// A reader keeps the file that it opened, whatever writers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sqlite.h"
#include "profgauge/error.h"

namespace profgauge::gate {

/// Makes an error (kConfig) about the file at `path`.
Error HistoryError(const std::string& path, std::string code, std::string message,
                   std::string help);

/// The error "history/damaged" with this message.
Error DamagedHistory(const std::string& path, std::string message);

/// The limit of a text in a row, and of a list of texts in it, in bytes.
inline constexpr std::size_t kLongestHistoryText = 1 << 10;
inline constexpr std::size_t kLongestHistoryList = 16 << 10;

/// Opens the history at `path` for reading. Errors: kConfig "history/missing", "history/foreign",
/// "history/damaged", "history/old", "history/newer", "history/not-a-file".
Result<sqlite::Database> OpenHistoryFile(const std::string& path);

/// Opens the bytes of a history as a writable database in memory; empty bytes make a new history.
/// All pages are checked. Errors: as above.
Result<sqlite::Database> OpenHistoryBytes(std::string_view bytes, const std::string& path);

/// The SQL statements that create a history's tables.
std::string_view HistorySchema();

/// The files beside the history that SQLite would use and ProfGauge ignores, e.g. "h.db-journal".
std::vector<std::string> UnusedBesideHistory(const std::string& path);

/// A history that is locked for other writers. If the file did not exist and nothing is written,
/// the empty file is removed again.
class LockedHistory {
 public:
  /// Locks the file; waits up to 10 s and follows links. Errors: kConfig "history/locked",
  /// "history/no-lock", "history/not-a-file", "history/cannot-open".
  static Result<LockedHistory> Lock(const std::string& path);
  LockedHistory(LockedHistory&& other) noexcept
      : path_(std::move(other.path_)),
        target_(std::move(other.target_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        is_new_(other.is_new_) {}
  LockedHistory& operator=(LockedHistory&&) = delete;
  ~LockedHistory();

  /// Reads the whole file. Errors: "history/too-large" if it exceeds 1 GiB.
  Result<std::string> Read() const;
  /// Replaces the file by `bytes`; may be called once. Errors: kOutput.
  Status Replace(std::string_view bytes);

 private:
  LockedHistory(std::string path, std::string target, int descriptor, bool is_new)
      : path_(std::move(path)),
        target_(std::move(target)),
        descriptor_(descriptor),
        is_new_(is_new) {}
  std::string path_, target_;
  int descriptor_;
  bool is_new_;
};

}  // namespace profgauge::gate
