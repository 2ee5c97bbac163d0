// Parses trace events from JSON text with Boost.JSON's streaming parser. Events whose layout it has
// accepted before are read by that layout (skeleton.h), with the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "readers/kineto/raw_event.h"

namespace profgauge::readers::kineto {

/// The limit of nested brackets. Deeper text is no trace, and each level takes stack.
inline constexpr std::size_t kMaxDepth = 256;

/// Receives the events of a chunk, one call each. The views of an event are valid only during its
/// call. If the chunk is invalid JSON after some events, RepairChunk() clears the rows and passes
/// all its events again.
class EventReceiver {
 public:
  virtual ~EventReceiver() = default;
  /// Receives an element that is an object, even if all its fields are unknown.
  virtual void Receive(const RawEvent& event) = 0;
  /// An element of the list that is not an object.
  virtual void ReceiveOther() = 0;
};

/// The end of one parsing run.
struct ParseEnd {
  /// How the run ended.
  enum class State : std::uint8_t {
    kChunkEnd,  ///< The chunk ended between two elements.
    kListEnd,   ///< The list's `]` is at chunk[offset - 1].
    kInside,    ///< The chunk ended inside an element.
    kInvalid,   ///< chunk[offset] is not JSON.
  };
  State state = State::kChunkEnd;
  std::size_t offset = 0;    ///< Bytes of the chunk that were read.
  std::uint64_t events = 0;  ///< Elements that were received.
  std::string reason;        ///< Boost.JSON's words for kInvalid.
};

/// Reads the elements of a list whose `[` is before `chunk`. A trailing comma at the chunk's end
/// belongs to the list. Layouts learned in one chunk are used for the next. Reusable; not
/// thread-safe. O(chunk).
class EventParser {
 public:
  /// Default: layouts are learned. kNone: Boost.JSON reads every event, to compare both.
  enum class Layouts : std::uint8_t { kLearned, kNone };
  explicit EventParser(Layouts layouts = Layouts::kLearned);
  ~EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;
  /// Passes each element of `chunk` to `receiver`, in order, up to the returned end. Invalid text
  /// never throws.
  ParseEnd Parse(std::string_view chunk, EventReceiver& receiver);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace profgauge::readers::kineto
