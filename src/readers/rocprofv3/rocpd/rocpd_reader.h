// Databases of AMD's rocprofv3 (`*_results.db`, its default output since ROCm 7.0) and of
// rocprof-sys (`rocpd.db`): SQLite. The names of each process's tables have a separate suffix (an
// id).
//
// Each process is a profile; its rank comes from the environment. Times are nanoseconds of the
// host's uptime: times of two hosts are unrelated.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sqlite.h"
#include "model/profile_builder.h"
#include "readers/database/by_id.h"
#include "readers/database/sqlite_table.h"
#include "readers/reader.h"
#include "readers/rocprofv3/rocpd/schema.h"
#include "readers/rocprofv3/rows.h"

namespace profgauge::readers {

/// Makes the reader. Errors: kInput "rocpd/interrupted" (a journal is beside the file),
/// "rocpd/too-many" (processes), "rocprofv3/no-events", and those of CheckLayout().
std::unique_ptr<Reader> MakeRocpdReader();

}  // namespace profgauge::readers

namespace profgauge::readers::rocpd {

// Reads one process of a rocpd database into a profile.
//
// Source of the schema: writers and schema files of rocprofiler-sdk and rocprof-sys. Any table and
// column may be missing, and ids may refer to nothing: a row is kept without the missing data.

/// The kind of a region or sample.
enum class Domain : std::uint8_t { kNone, kCall, kRccl, kMarker, kKernel, kOther };
/// True if regions and samples of this kind become rows of the profile.
constexpr bool IsMeasured(Domain domain) {
  return domain == Domain::kCall || domain == Domain::kRccl || domain == Domain::kMarker;
}

/// The tables of one process. All ids refer to rows of these tables. Kernels, copies and calls of
/// one launch have different events with equal `stack_id`:
///
///   region 7           -> event 12: stack 5, category HIP_RUNTIME_API    hipLaunchKernel
///   kernel_dispatch 3  -> event 31: stack 5, category KERNEL_DISPATCH    its kernel
///
/// Texts are ids of the table `string`. In some versions, a row has the stream and thread itself;
/// in others, the row of `track` that it names has them.
class Import {
 public:
  Import(sqlite::Database& database, std::string suffix, ProfileBuilder& builder)
      : database_(database), suffix_(std::move(suffix)), builder_(builder), rows_(builder) {}

  /// Reads all tables; after this, the builder only needs Finish(). Definitions are read before
  /// rows that use them; all ids of a process are in memory. Call once.
  Status Read();
  const Environment& environment() const { return environment_; }
  /// Differences between releases, for users with a file of a new one: "streams by row; …".
  std::string Layout() const;

 private:
  struct Text {
    std::size_t begin = 0, size = 0;  ///< In bytes_.
  };
  struct Event {
    std::int64_t stack = 0;
    Domain domain = Domain::kNone;
  };
  struct Thread {
    std::int64_t process = -1, number = -1;  ///< Row of the process; the system's thread number.
  };
  /// The process and thread of rows. In version 4.1 and later, rows refer to a track.
  struct Track {
    std::int64_t process = -1, thread = -1, agent = -1, queue = -1, stream = -1;
  };

  Result<TableScan> Open(std::string_view base, std::initializer_list<Wanted> wanted,
                         const Only& only = {});
  Status ReadTexts();
  Status ReadCategories();
  Status ReadProcesses();
  Status ReadThreads();
  Status ReadTracks();
  Status ReadAgents();
  Status ReadSymbols();
  Status ReadEvents();
  Status ReadMessages();
  Status ReadKernels();
  Status ReadCopies();
  Status ReadRegions();
  Status ReadSamples();
  Status CountCounters();
  Status CountOthers();

  void Keep(ById<Text>& texts, std::int64_t id, std::string_view text);
  /// Empty if there is no such text.
  std::string_view TextOf(const ById<Text>& texts, std::int64_t id) const;
  std::string_view NameOf(std::int64_t id) const { return TextOf(texts_, id); }
  Domain DomainOf(std::int64_t category) const;
  const Event& EventOf(const TableScan& scan, std::size_t column) const;
  const Track* TrackOf(const TableScan& scan, std::size_t column) const;
  ThreadId ThreadOf(std::int64_t process, std::int64_t thread);
  /// Adds a region, or a sample, which has length zero. `event` is the id of its event.
  void Place(const rocprofv3::Times& times, std::int64_t event, std::string_view name,
             std::pair<std::int64_t, std::int64_t> thread);
  /// The text of a roctx call; empty for calls that make no range (pause, resume, thread names).
  std::string_view MarkerText(std::int64_t event, std::string_view name) const;

  sqlite::Database& database_;
  std::string suffix_;
  ProfileBuilder& builder_;
  rocprofv3::Rows rows_;
  Environment environment_;
  std::string bytes_;  ///< Bytes of all texts that may be needed.
  ById<Text> texts_, categories_, messages_;
  std::vector<std::int64_t> marker_categories_;  ///< Ids of the categories that are markers.
  bool has_categories_ = false, has_tracks_ = false, streams_are_queues_ = false;
  std::uint64_t without_length_ = 0, by_message_ = 0;
  ById<std::int64_t> pids_;  ///< By the id of a process's row.
  ById<Thread> threads_;
  ById<Track> tracks_;
  ById<Event> events_;
  boost::unordered_flat_map<std::pair<std::int64_t, std::int64_t>, ThreadId> known_threads_;
};

}  // namespace profgauge::readers::rocpd
