// The file of a history: what it may have in it, and how it is changed.
//
// A file beside a database tells SQLite which pages to overwrite and which other files to delete,
// and a trigger in it what to do with a row. So a history is never opened in place for writing, and
// nothing is taken that this program did not make:
//
//   lock     flock of the file at the path, until nobody has renamed another over it
//   head     100 bytes, before SQLite sees the file: ours, of this schema, whole, without a log
//   schema   each text of it is one that Create() makes; none is missing
//   change   in memory; the bytes are then renamed over the path
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

/// An error (kConfig) about the file at `path`.
Error HistoryError(const std::string& path, std::string code, std::string message,
                   std::string help);

/// "history/damaged".
Error DamagedHistory(const std::string& path, std::string message);

/// The longest text of a row, and of a list in it.
inline constexpr std::size_t kLongestHistoryText = 1 << 10;
inline constexpr std::size_t kLongestHistoryList = 16 << 10;

/// A history at `path` for reading. Errors: kConfig "history/missing", "history/foreign",
/// "history/damaged", "history/old", "history/newer", "history/not-a-file".
Result<sqlite::Database> OpenHistoryFile(const std::string& path);

/// The bytes of a history as a database in memory, that may be changed; of none, a new one. All
/// pages are checked. Errors: as above.
Result<sqlite::Database> OpenHistoryBytes(std::string_view bytes, const std::string& path);

/// The statements that make a history's tables.
std::string_view HistorySchema();

/// Files beside the history that SQLite would use and we do not: "h.db-journal".
std::vector<std::string> UnusedBesideHistory(const std::string& path);

/// A history that nobody else changes. Where there was none and none is put in place, an empty file
/// is removed again.
class LockedHistory {
 public:
  /// Waits up to 10 s. Links are followed. Errors: kConfig "history/locked", "history/no-lock",
  /// "history/not-a-file", "history/cannot-open".
  static Result<LockedHistory> Lock(const std::string& path);
  LockedHistory(LockedHistory&& other) noexcept
      : path_(std::move(other.path_)),
        target_(std::move(other.target_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        is_new_(other.is_new_) {}
  LockedHistory& operator=(LockedHistory&&) = delete;
  ~LockedHistory();

  /// All of the file. Errors: "history/too-large" of more than 1 GiB.
  Result<std::string> Read() const;
  /// Puts `bytes` in its place. Errors: kOutput. At most once.
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
