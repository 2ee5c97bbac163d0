// The interface of a profile format; readers/builtin.h lists all formats.
//
// These are the functions that readers/load.cc calls, in order. A reader overrides those that its
// tools need; the others have defaults.
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
  /// In a folder, skip and count profiles that cannot be read, if others can.
  bool keep_readable = false;
  /// A launch that names its kernel adds this kernel with length zero, because kernels do not run
  /// while a graph is captured. Only for model/graph_operators.h.
  bool of_captured_graphs = false;
  /// The number of the aggregation to read from a DLProf database; -1: the newest.
  std::int64_t aggregation = -1;
  StepTimesInput step_times{};
  /// The file is in a folder: there, files of iteration times are no profiles, except `*.run.json`.
  bool is_in_folder = false;
  Named named = Named::kByUser;  ///< Whether to wait for a pipe.
  unsigned threads = 0;          ///< Worker threads; 0 means one per core. Never changes results.
  /// Called repeatedly while bytes are read: on any thread, one call at a time.
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
  /// The reader's id, e.g. "kineto". Readers of two forms of one format may share it.
  virtual std::string_view name() const = 0;
  /// The tool and the kind of file that the reader expects, for the help: "PyProf's net.dict".
  virtual std::string_view expected() const = 0;
  /// File name endings of complete profiles. An empty or unreadable file with such an ending is a
  /// rank that failed. A folder of only such files can be read file by file. Default: none, as for
  /// tables of which several make a profile.
  virtual std::span<const std::string_view> suffixes() const { return {}; }
  /// True if the format's tools compress files without a suffix in the name. Default: false.
  virtual bool IsCompressedUnderAnyName() const { return false; }
  /// Decides by the first decompressed bytes (at most kSniffBytes; a shorter file is complete)
  /// whether this reader reads the file. Accepts any bytes and reads nothing else. kMaybe counts
  /// only if no reader returns kYes and the bytes are no other known kind of file (detect.h).
  virtual Match Sniff(std::span<const std::byte> head) const = 0;
  /// Examines the names of the tables of an SQLite database; Sniff() is not called for these.
  virtual Match SniffTables(const std::set<std::string>& /*tables*/) const { return Match::kNo; }
  /// Reads all of `source` into a finished profile, which is checked, sorted and begins at 0. Its
  /// import log counts faulty events. Errors: kInput with a code of the format, if the file has no
  /// event, if another profile follows, or if it is truncated and `options` do not allow that.
  virtual Result<Profile> Read(ByteSource& source, const ReadOptions& options) const = 0;
  /// Like Read(), for a file that may have several profiles, e.g. a summary of ranks or of each
  /// NeuronCore. Returns at least one. Default: the profile of Read().
  virtual Result<std::vector<Profile>> ReadRanks(ByteSource& source,
                                                 const ReadOptions& options) const;

  /// The error for a file that the format's tools write but that is not read. Its help says how to
  /// get a readable one. Called if no reader is sure of the first bytes. Default: nullopt.
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
  /// The reason why profiles of this format are never ranks of one run. Default: empty.
  virtual std::string_view WhyNeverRanks() const { return {}; }

  /// The folders below `folder` with readable output of one run of the format's tools. Older
  /// profiles beside them are added to `earlier`. Default: none.
  virtual std::vector<std::string> OutputsOf(const std::string& folder,
                                             std::vector<std::string>& earlier) const;
  /// The name in `names` of a file that has all data of `name` and more. A format's tools may write
  /// both, and reading both would count everything twice. Default: empty.
  virtual std::string FullerThan(const std::string& name,
                                 const std::vector<std::string>& names) const;
  /// Reads and removes those of `files` that together are one profile. Gets files of all formats,
  /// of one folder or as the user named them, and ignores other formats. Default: does nothing.
  virtual Status ReadParts(std::vector<std::string>& files, const ReadOptions& options,
                           Run& run) const;
  /// Decides which profiles that were read together are ranks: those of one folder, or those that
  /// the user named (`folder` is ""). Gets profiles of all formats and ignores other formats. May
  /// remove profiles; the reason goes to `run.skipped`. Default: every profile is a rank.
  virtual Status Settle(const std::string& folder, Run& run) const;
};

/// The number of bytes that readers examine to find the format of a file.
inline constexpr std::size_t kSniffBytes = 64 * 1024;

}  // namespace profgauge::readers
