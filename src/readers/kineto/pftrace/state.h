// Data of a Perfetto trace to which its packets refer: texts by number and clocks of each writer
// sequence, and the tracks of the whole trace.
//
// Packets of one sequence in order; others may be between them:
//
//   CLEARED, texts 1 "mm" 2 "add"    valid from here on
//   NEEDS, name 1                    "mm"
//   texts 1 "bmm"                    counted: a number is set twice
//   NEEDS, name 1                    "bmm"
//   previous_packet_dropped          no longer valid: texts may be missing
//   NEEDS, name 2                    left out, counted as lost
//   CLEARED                          valid, and empty
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "model/import_log.h"

namespace profgauge::readers::pftrace {

/// The tables of InternedData that are read, by their fields' numbers.
enum class Table : std::uint16_t {
  kCategories = 1,
  kNames = 2,
  kAnnotationNames = 3,
  kSpecifications = 24,  ///< Kinds of stages, and lanes.
  kTexts = 29,
  kKernels = 1000,
  kArguments = 1001,
};

/// Texts of one sequence by number. Numbers are keys; any value is possible.
class Interned {
 public:
  Interned() = default;
  Interned(const Interned&) = delete;  // The results are views of texts_.
  Interned& operator=(const Interned&) = delete;
  /// False if the number had another text, which is replaced.
  bool Set(Table table, std::uint64_t iid, std::string_view text);
  /// Valid until Clear(), even if the number gets another text.
  std::optional<std::string_view> Find(Table table, std::uint64_t iid) const;
  /// Removes all texts. Views of them become invalid.
  void Clear();

 private:
  struct Hash {
    std::size_t operator()(const std::pair<std::uint16_t, std::uint64_t>& key) const {
      return std::hash<std::uint64_t>()(key.second * 1021 + key.first);
    }
  };
  std::deque<std::string> texts_;
  boost::unordered_flat_map<std::pair<std::uint16_t, std::uint64_t>, std::string_view, Hash> found_;
};

/// The state of one writer, to which its later packets refer.
struct Sequence {
  bool is_valid = false;  ///< From the packet that clears the state on, until packets are lost.
  bool has_packets = false;
  Interned interned;
  std::uint64_t clock = 0;  ///< Clock of packets that name none; 0: the trace's.
  std::uint64_t track = 0;
  /// Last values of incremental clocks.
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> last;

  /// Removes texts and defaults; keeps has_packets and incremental clocks.
  void Begin();
};

/// A time as in a packet. Clocks::Settle() converts it to the trace's clock.
struct Stamp {
  Ns time = 0;
  /// 0: `time` is in the trace's clock. Else: in a clock that no snapshot has related to it yet.
  std::uint32_t pending = 0;
};

/// Clocks, and how far each is from the trace's (BOOTTIME, which needs no snapshot).
///
///   number       whose                     in PyTorch's traces
///   1            Unix time, of the trace   the snapshot; where it is makes to_unix()
///   6            time since boot           all packets
///   64 to 127    one sequence's own        none
///
/// A snapshot has readings of several clocks at one moment; the difference of two is the offset
/// between these clocks. An incremental clock sums up its values in the order of the packets, so
/// its snapshot must precede them. Other clocks may be related later.
class Clocks {
 public:
  /// Reads the ClockSnapshot of a packet of sequence `number`. False if it is malformed. A packet
  /// uses its clock's snapshot before it; packets before the first one use the trace's last.
  bool ReadSnapshot(std::string_view message, std::uint64_t number, Sequence& sequence);
  /// Reads the `time` of a packet; `clock` 0: the sequence's. nullopt if it is out of range.
  std::optional<Stamp> Read(std::uint64_t time, std::uint64_t clock, std::uint64_t number,
                            Sequence& sequence);
  /// Converts a time to the trace's clock. Call it after all snapshots were read. Returns nullopt
  /// if no snapshot relates the time's clock to it. `stamp` comes from Read() of this object.
  std::optional<Ns> Settle(Stamp stamp) const;
  /// The offset from the trace's clock to Unix time.
  Ns to_unix() const { return to_unix_.value_or(0); }

 private:
  struct Clock {
    bool is_known = false, counts_on = false;
    std::uint64_t unit = 1;  ///< Nanoseconds of one.
    Ns offset = 0;
  };
  std::uint32_t IndexOf(std::uint64_t clock, std::uint64_t number);
  std::vector<Clock> clocks_{Clock{.is_known = true}};  ///< The first is the trace's.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> found_;
  std::optional<Ns> to_unix_;
};

/// One track, as its descriptor states it.
struct Track {
  std::uint64_t parent = 0;
  bool is_process = false, is_thread = false;
  std::int64_t process = 0, thread = 0;
  std::string name;
};

/// A track's process and thread, as texts that identify them, and their names. "-1" is the profiler
/// itself: its overhead belongs to no process of the program.
struct Place {
  std::string process, thread, process_name, thread_name;
};

/// The tracks of a trace by id.
class Tracks {
 public:
  /// Reads a TrackDescriptor. False if it is not a message, or if there are too many. A later
  /// descriptor of the same id replaces the first.
  bool Read(std::string_view message);
  /// The track with this id; nullptr if it has no descriptor. Valid until the next Read().
  const Track* Find(std::uint64_t uuid) const;
  /// The process and thread of a track. A thread without a descriptor is named by the track's
  /// number. Follows parents up to the process, at most 16 levels.
  Place PlaceOf(std::uint64_t uuid) const;
  const boost::unordered_flat_map<std::uint64_t, Track>& all() const { return tracks_; }

 private:
  boost::unordered_flat_map<std::uint64_t, Track> tracks_;
};

}  // namespace profgauge::readers::pftrace
