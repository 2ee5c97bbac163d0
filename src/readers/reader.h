// The interface of a profile format, and the list of those built in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge {

/// How sure a reader is that the bytes are of its format.
enum class Match : std::uint8_t { kNo, kMaybe, kYes };

struct ReadOptions {
  bool allow_incomplete = false;  ///< Accept truncated input, counted as data loss.
  /// In a folder, leave out recordings that cannot be read, and count them, if others can.
  bool keep_readable = false;
  /// Which aggregation of a DLProf database; -1 is the newest.
  std::int64_t aggregation = -1;
  unsigned threads = 0;  ///< Worker threads; 0 means one per core. Never changes results.
  /// Called now and then while bytes are read, from any thread but never from two at once.
  std::function<void(const ByteSource&)> progress;
};

/// Reads one profile format into the model.
///
/// A reader never decides what a number means for performance; it only says what happened when.
/// Anything it cannot place goes to the profile's import log, never to stderr.
///
/// To add a format: implement this in src/readers/<format>/, declare its Make… function in
/// readers/builtin.h, list it in MakeBuiltinReaders(), and add one folder under tests/cases/.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual std::string_view name() const = 0;
  /// Looks at the first decompressed bytes (at most kSniffBytes). Accepts any bytes.
  virtual Match Sniff(std::span<const std::byte> head) const = 0;
  /// Looks at the names of the tables of an SQLite database; Sniff() is not asked about those.
  virtual Match SniffTables(const std::set<std::string>& /*tables*/) const { return Match::kNo; }
  /// Reads all of `source` into a finished profile.
  virtual Result<Profile> Read(ByteSource& source, const ReadOptions& options) const = 0;
  /// The same of a file that may hold several recordings, one profile each, at least one. Default:
  /// what Read() gives.
  virtual Result<std::vector<Profile>> ReadRanks(ByteSource& source,
                                                 const ReadOptions& options) const;
};

inline constexpr std::size_t kSniffBytes = 64 * 1024;

}  // namespace profgauge
