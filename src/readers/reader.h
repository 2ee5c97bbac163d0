// The interface of a profile format; readers/builtin.h lists those that there are.
//
// The questions that readers/load.cc asks, in order. A reader answers those that concern its tools;
// every other one has a default.
//
//   of a folder      OutputsOf    the folders below it that are read instead of it
//                    ReadParts    files that make one profile together: they leave the list
//                    FullerThan   files whose data another file has, too: they leave the list
//   of each file     Sniff        is it mine? (SniffTables of a database)
//                    Refuse       no reader is sure: whose is it? (RefuseTables of a database)
//                    ReadRanks    its profiles
//   of the folder    Settle       which of the profiles are ranks
//                    RefuseFolder where there is none
//                    WriterOf     which of several profiles is the latest (one_run.h)
//   of all together  Settle("")   the same of everything that the user named
//
// There is one object of each reader, which several threads use simultaneously: it has no state.
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

/// How sure a reader is that the bytes are of its format. If several give the same answer, the
/// first in the list of builtin.cc reads the file.
enum class Match : std::uint8_t { kNo, kMaybe, kYes };

/// How much of the named input has been read, in stored bytes. `total` 0: unknown.
struct ReadProgress {
  std::string_view name;
  std::uint64_t done = 0, total = 0;
};

/// Times of unrecorded iterations that the user names.
struct StepTimesInput {
  std::string file;  ///< Empty: none.
  /// Column of a table, key of JSON lines or tag of TensorBoard's events; empty: by its name.
  std::string column;
  std::string unit;  ///< "s", "ms", "us", "ns"; empty: as the name of the column says.
};

/// The wishes of the caller.
struct ReadOptions {
  bool allow_incomplete = false;  ///< Accept truncated input, counted as data loss.
  /// In a folder, leave out recordings that cannot be read, and count them, if others can.
  bool keep_readable = false;
  /// Launches that name their kernel represent its work, at no length: work captured into a graph
  /// did not run. Only for model/graph_operators.h.
  bool of_captured_graphs = false;
  /// Which aggregation of a DLProf database; -1 is the newest.
  std::int64_t aggregation = -1;
  StepTimesInput step_times;
  /// The file is one of a folder: times of iterations are no profile there, but `*.run.json`.
  bool is_in_folder = false;
  Named named = Named::kByUser;  ///< Whether a pipe is waited for.
  unsigned threads = 0;          ///< Worker threads; 0 means one per core. Never changes results.
  /// Called now and then while bytes are read, from any thread but never from two simultaneously.
  std::function<void(const ReadProgress&)> progress;
};

/// The profiles that were read together, and the files that were skipped because they are no
/// profiles ("path: reason").
struct Run {
  std::vector<Profile> profiles;  ///< In rank order, once all are read.
  std::vector<std::string> skipped;
  std::vector<std::string> documents = {};  ///< Files of folders that are known beside profiles.
};

/// Who wrote a file and when: times of the same digits, so that later ones are greater.
struct WriterAndTime {
  std::string writer, time;
};

/// Reads one profile format into the model.
///
/// A reader never decides the meaning of a number for performance. It only reports the events and
/// their times. Anything it cannot place goes to the profile's import log, never to stderr.
///
/// To add a format: src/readers/README.md.
class Reader {
 public:
  virtual ~Reader() = default;
  /// Its id: "kineto". Readers of two forms of one format may share it.
  virtual std::string_view name() const = 0;
  /// Its input, as help lists it: the tool's, the thing, its name: "PyProf's net.dict".
  virtual std::string_view expected() const = 0;
  /// How the names of files end that each are a whole profile: one of these that is empty or
  /// cannot be opened is a rank that failed, and a folder of nothing else can be read file by file.
  /// Default: none, as of tables of which several make a profile.
  virtual std::span<const std::string_view> suffixes() const { return {}; }
  /// Whether its tools compress files whatever their names are. Default: no.
  virtual bool IsCompressedUnderAnyName() const { return false; }
  /// Looks at the first decompressed bytes (at most kSniffBytes; a shorter file is seen whole).
  /// Accepts any bytes, also none that are text, and reads nothing else. kMaybe counts only if no
  /// reader says kYes and the bytes are no other known kind of file (detect.h).
  virtual Match Sniff(std::span<const std::byte> head) const = 0;
  /// Looks at the names of the tables of an SQLite database; Sniff() is not asked about those.
  virtual Match SniffTables(const std::set<std::string>& /*tables*/) const { return Match::kNo; }
  /// Reads all of `source` into a finished profile, which is checked, sorted and begins at 0.
  /// Faults of events are counted in its log. Errors: kInput, with a code of the format, if the
  /// file is truncated and that is not allowed, if it goes on with another profile, or if it has no
  /// event.
  virtual Result<Profile> Read(ByteSource& source, const ReadOptions& options) const = 0;
  /// The same of a file that may hold several profiles, one profile each, at least one. Default:
  /// the one profile of Read(). Files with several are summaries of ranks, or of each NeuronCore.
  virtual Result<std::vector<Profile>> ReadRanks(ByteSource& source,
                                                 const ReadOptions& options) const;

  /// The kind of a file that the format's tools write and that is not read, and the way to get a
  /// readable one. Asked where no reader is sure of the first bytes. Default: nothing.
  virtual std::optional<Error> Refuse(const std::string& path, std::string_view head) const;
  /// The same of an SQLite database.
  virtual std::optional<Error> RefuseTables(const std::string& path,
                                            const std::set<std::string>& tables) const;
  /// The same of a folder without a profile, by the names in it.
  virtual std::optional<Error> RefuseFolder(const std::string& path,
                                            const std::vector<std::string>& names) const;

  /// The part of a profile to check first. Only for forms whose reader was built from
  /// documentation, sources and made files, because no file of the tool was available. Default:
  /// nothing.
  virtual std::string_view CheckFirst(const Source& /*source*/) const { return {}; }
  /// Who wrote a file and when, where the format's tools put both into its name. Default: nothing.
  virtual std::optional<WriterAndTime> WriterOf(const std::string& name) const;
  /// Why no two profiles are ranks of one run; empty: they may be. Default: they may.
  virtual std::string_view WhyNeverRanks() const { return {}; }

  /// The folders below `folder` with readable output of one run of the format's tools; empty if
  /// there are none. Older recordings beside them are added to `earlier`. Default: none.
  virtual std::vector<std::string> OutputsOf(const std::string& folder,
                                             std::vector<std::string>& earlier) const;
  /// The one of a folder's files that says all that `name` says, and more, where the format's tools
  /// write both: read as another rank it would count everything twice. Default: none ("").
  virtual std::string FullerThan(const std::string& name,
                                 const std::vector<std::string>& names) const;
  /// Reads those of `files` that are parts of one profile, and takes them out. Default: none are.
  /// Gets the files of all formats, of one folder or as the user named them, and leaves the others.
  virtual Status ReadParts(std::vector<std::string>& files, const ReadOptions& options,
                           Run& run) const;
  /// Puts the profiles that were read together in order: those of one folder, or those that the
  /// user named (""). Default: every profile is a rank. Gets the profiles of all formats and leaves
  /// those of others. May take profiles out; `run.skipped` then has the reason.
  virtual Status Settle(const std::string& folder, Run& run) const;
};

/// Bytes of a file at which the readers look to find its format.
inline constexpr std::size_t kSniffBytes = 64 * 1024;

}  // namespace profgauge::readers
