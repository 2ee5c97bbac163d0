// The interface of a profile format; readers/builtin.h lists all formats.
//
// The functions that readers/load.cc calls, in order. A reader overrides those that its tools need;
// the others have defaults.
//
//   for a folder     OutputsOf    the folders below it that are read instead of it
//                    ReadParts    files that make one profile together: they leave the list
//                    FullerThan   files whose data another file has, too: they leave the list
//   for each file    Sniff        is it mine? (SniffTables for a database)
//                    Refuse       no reader is sure: which tool's is it? (RefuseTables: database)
//                    ReadRanks    its profiles
//   for the folder   Settle       which of the profiles are ranks
//                    RefuseFolder if it has no profile
//                    WriterOf     which of several profiles is the latest (one_run.h)
//   for all input    Settle("")   like Settle, for everything that the user named
//
// Each reader is one object without state, which several threads use concurrently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/files.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// How sure a reader is that it can read the bytes. If several readers give the same answer, the
/// first in the list of builtin.cc reads the file.
enum class Match : std::uint8_t { kNo, kMaybe, kYes };

/// How much of an input was read, in stored bytes. `total` 0: unknown.
struct ReadProgress {
  std::string_view name;
  std::uint64_t done = 0, total = 0;
};

/// The user's file with times of unrecorded iterations.
struct StepTimesInput {
  std::string file;  ///< Empty: none.
  /// Column of a table, key of JSON lines or tag of TensorBoard's events; empty: found by name.
  std::string column;
  std::string unit;  ///< "s", "ms", "us", "ns"; empty: taken from the column's name.
};

/// Options of the caller.
struct ReadOptions {
  bool allow_incomplete = false;  ///< Accept truncated input, counted as data loss.
  /// In a folder, leave out and count profiles that cannot be read, if others can.
  bool keep_readable = false;
  /// A launch that names its kernel counts as that kernel, with length zero, because work captured
  /// into a graph did not run. Only for model/graph_operators.h.
  bool of_captured_graphs = false;
  /// The aggregation of a DLProf database; -1 is the newest.
  std::int64_t aggregation = -1;
  StepTimesInput step_times{};
  /// The file is in a folder: there, files of iteration times are no profiles, except `*.run.json`.
  bool is_in_folder = false;
  Named named = Named::kByUser;  ///< Whether to wait for a pipe.
  unsigned threads = 0;          ///< Worker threads; 0 means one per core. Never changes results.
  /// Called repeatedly while bytes are read, from any thread, but never concurrently.
  std::function<void(const ReadProgress&)> progress;
};

/// The profiles that were read together, and the skipped files, which are no profiles ("path:
/// reason").
struct Run {
  std::vector<Profile> profiles;  ///< In rank order, after all are read.
  std::vector<std::string> skipped;
  std::vector<std::string> documents = {};  ///< Files of folders that are known beside profiles.
};

/// The writer of a file, and its time as digits of equal number, so that later times are greater.
struct WriterAndTime {
  std::string writer, time;
};

/// Reads one profile format into the model.
///
/// A reader never judges performance; it only reports events and their times. Anything that it
/// cannot place goes to the profile's import log, never to stderr.
///
/// To add a format: src/readers/README.md.
class Reader {
 public:
  virtual ~Reader() = default;
  /// The reader's id, e.g. "kineto". Readers of two forms of one format may share an id.
  virtual std::string_view name() const = 0;
  /// The reader's input, for the help text: tool and thing, e.g. "PyProf's net.dict".
  virtual std::string_view expected() const = 0;
  /// File name endings of complete profiles. An empty or unreadable file with such an ending is a
  /// rank that failed; a folder of only such files can be read file by file. Default: none, as for
  /// tables of which several make a profile.
  virtual std::span<const std::string_view> suffixes() const { return {}; }
  /// True if its tools compress files without a matching file name. Default: false.
  virtual bool IsCompressedUnderAnyName() const { return false; }
  /// Examines the first decompressed bytes (at most kSniffBytes; a shorter file completely).
  /// Accepts any bytes, also binary ones, and reads nothing else. kMaybe counts only if no reader
  /// returns kYes and the bytes are no other known kind of file (detect.h).
  virtual Match Sniff(std::span<const std::byte> head) const = 0;
  /// Examines the names of the tables of an SQLite database; Sniff() is not called for these.
  virtual Match SniffTables(const std::set<std::string>& /*tables*/) const { return Match::kNo; }
  /// Reads all of `source` into a finished profile, which is checked, sorted and begins at 0.
  /// Faults of events are counted in its log. Errors: kInput, with a code of the format, if the
  /// file is truncated and `options` do not allow that, if another profile follows, or if it has no
  /// event.
  virtual Result<Profile> Read(ByteSource& source, const ReadOptions& options) const = 0;
  /// Like Read(), for a file that may have several profiles; at least one. Default: the profile of
  /// Read(). Such files are summaries of ranks, or of each NeuronCore.
  virtual Result<std::vector<Profile>> ReadRanks(ByteSource& source,
                                                 const ReadOptions& options) const;

  /// The error for a file that the format's tools write but that is not read, with the way to get a
  /// readable one. Called if no reader is sure of the first bytes. Default: nullopt.
  virtual std::optional<Error> Refuse(const std::string& path, std::string_view head) const;
  /// Like Refuse(), for an SQLite database.
  virtual std::optional<Error> RefuseTables(const std::string& path,
                                            const std::set<std::string>& tables) const;
  /// Like Refuse(), for a folder without a profile, by the names in it.
  virtual std::optional<Error> RefuseFolder(const std::string& path,
                                            const std::vector<std::string>& names) const;

  /// The part of a profile to check first. Only for forms whose reader was built from
  /// documentation, sources and synthetic files, because no file of the tool was available.
  /// Default: empty.
  virtual std::string_view CheckFirst(const Source& /*source*/) const { return {}; }
  /// The writer and time of a file, if the format's tools put both into its name. Default: nullopt.
  virtual std::optional<WriterAndTime> WriterOf(const std::string& name) const;
  /// Why profiles of this format are never ranks of one run; empty (default): they may be.
  virtual std::string_view WhyNeverRanks() const { return {}; }

  /// The folders below `folder` with readable output of one run of the format's tools; empty if
  /// there are none. Older profiles beside them are added to `earlier`. Default: none.
  virtual std::vector<std::string> OutputsOf(const std::string& folder,
                                             std::vector<std::string>& earlier) const;
  /// The file of a folder that has all data of `name` and more, if the format's tools write both:
  /// reading both would count everything twice. Default: none ("").
  virtual std::string FullerThan(const std::string& name,
                                 const std::vector<std::string>& names) const;
  /// Reads and removes those of `files` that are parts of one profile. Gets files of all formats,
  /// from one folder or as the user named them, and ignores other formats. Default: does nothing.
  virtual Status ReadParts(std::vector<std::string>& files, const ReadOptions& options,
                           Run& run) const;
  /// Orders the profiles that were read together: those of one folder, or those that the user named
  /// (""). Gets profiles of all formats and ignores other formats. May remove profiles; the reason
  /// goes to `run.skipped`. Default: every profile is a rank.
  virtual Status Settle(const std::string& folder, Run& run) const;
};

/// The number of bytes that readers examine to find the format of a file.
inline constexpr std::size_t kSniffBytes = 64 * 1024;

}  // namespace profgauge::readers
