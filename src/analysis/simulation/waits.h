// Finds device work for which host calls, or work on other streams, waited, as far as a profile
// shows it. Internal to the graph.
//
// - A call that synchronizes waits for the last work that was launched before it: on the stream
//   that the profile names (cuda_sync), else on the stream that its thread used last. A device
//   synchronization waits for the last work of every stream. The work must have ended before the
//   call returned; directly before if the name of the call does not show its kind.
// - A copy blocks if its call is not asynchronous, or its host memory is pageable, and it ended
//   before the call returned. A copy to the device also blocks if most of it was done by then: such
//   a call returns when the last part is on its way.
// - A long launch with a full stream queue waits for the work whose end frees a slot.
// - XLA's runtimes wait by callbacks, which record no call. A thread that launched work and then is
//   silent waited for the last work of its stream, if that work ended in the silence and ran for
//   at least half of it.
// - Work waited for another stream if it started later than its launch and its stream allow, just
//   when work on another stream of its device ended. A call to wait for an event must be between
//   its launch and that of the work before it. Without such a call it must be very late, and the
//   other stream busy all the time since its launch: the device was full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers.h"
#include "model/profile.h"

namespace profgauge::analysis::simulation {

/// The device rows of one stream.
struct StreamRows {
  std::uint32_t begin = 0, end = 0;
};

/// How a call uses an event of a stream.
enum class EventCall : std::uint8_t { kNone, kRecord, kWait };

/// Whether the row is a copy whose call waits for its stream and returns when the copy is done.
bool CopyBlocks(const Profile& profile, std::uint32_t row);

/// Finds waits in the rows of a profile, which must outlive it.
class WaitFinder {
 public:
  static constexpr std::uint32_t kNone = kNoIndex;

  /// Keeps a reference to the profile. O(rows).
  explicit WaitFinder(const Profile& profile);

  std::span<const StreamRows> streams() const { return streams_; }
  /// The first device row that the call launched, or kNone.
  std::uint32_t LaunchedBy(std::uint32_t call) const { return launched_[call]; }
  /// Returns the device rows for whose end the call waited. `last_launch`: the last row that its
  /// thread launched, or kNone. The result is valid until the next call.
  std::span<const std::uint32_t> WaitedFor(std::uint32_t call, std::uint32_t last_launch);
  /// Whether threads wait without a recorded call.
  bool WaitsInSilence() const { return profile_.source.framework == "xla"; }
  /// Returns the device row for whose end a silent thread waited between the two times, or kNone.
  /// REQUIRES: WaitsInSilence().
  std::uint32_t WaitedForInSilence(Ns from, Ns to, std::uint32_t last_launch) const;
  /// The row on another stream whose end let this row start, or kNone.
  std::uint32_t OtherStreamBefore(std::uint32_t row) const;

  EventCall EventCallOf(std::uint32_t call);
  Ns StartOf(std::uint32_t call) const { return profile_.api.start[call]; }
  /// Whether `row` ended by the time that `other` started.
  bool EndsBefore(std::uint32_t row, std::uint32_t other) const {
    return EndOf(row) <= profile_.device.start[other];
  }
  /// Whether two rows are of different streams of one device.
  bool AreOfTwoStreams(std::uint32_t row, std::uint32_t other) const;
  /// Returns the last row that was launched at `time` or before on the only other stream of the
  /// row's device; kNone if there are no or several other streams.
  std::uint32_t LastOfOtherStream(std::uint32_t row, Ns time) const;

 private:
  /// The object that a call waits for, by its name.
  enum class Wait : std::uint8_t {
    kUnknown,
    kNone,
    kDevice,
    kStream,
    kEvent,
    kWaitEvent,
    kRecordEvent
  };

  /// The streams of the row's device.
  std::span<const StreamRows> StreamsBeside(std::uint32_t row) const;

  Wait WaitOf(StringId name) {
    if (!name.valid()) return Wait::kNone;
    const Wait known = waits_[name.value];
    return known != Wait::kUnknown ? known : FindWait(name);
  }
  Wait FindWait(StringId name);
  Ns LaunchTime(std::uint32_t row) const;
  Ns EndOf(std::uint32_t row) const;
  std::size_t StreamOf(std::uint32_t row) const;
  /// The last row of a stream that was launched at `time` or before; kNone if there is none.
  std::uint32_t LastLaunched(const StreamRows& stream, Ns time) const;
  void AddIfDone(std::uint32_t row, Ns by);
  void AddWhatEndedWith(Ns start, Ns end, std::uint32_t last_launch);
  void AddRoom(std::uint32_t row, Ns start, Ns end);
  bool EndsWithCall(std::uint32_t row, Ns end) const;
  bool WaitsForEvent(Ns launched_before, Ns launched) const;
  bool WorksFrom(const StreamRows& stream, std::uint32_t last, Ns begin) const;
  std::uint32_t EndingAt(const StreamRows& stream, Ns time) const;
  std::size_t RecordedStream(std::uint32_t call) const;

  const Profile& profile_;
  std::vector<StreamRows> streams_;
  std::vector<std::uint32_t> launched_;  // By call.
  std::vector<Wait> waits_;              // By name.
  std::vector<Ns> event_waits_;          // Calls to wait for an event, in time order.
  std::vector<std::uint32_t> found_;
};

}  // namespace profgauge::analysis::simulation
