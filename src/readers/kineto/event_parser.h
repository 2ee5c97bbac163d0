// Trace events out of JSON text, by Boost.JSON's streaming parser; events whose layout it has
// accepted before are read by that layout (skeleton.h), with the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "readers/kineto/raw_event.h"

namespace profgauge::readers::kineto {

/// Deeper nesting is not a trace; each level costs stack.
inline constexpr std::size_t kMaxDepth = 256;

/// Takes the events one by one. The event's views are valid during the call only. A chunk may turn
/// out to be broken after some of its events: RepairChunk() reads them again, into rows begun anew.
class EventReceiver {
 public:
  virtual ~EventReceiver() = default;
  /// An element that is an object, also one without any known field.
  virtual void Receive(const RawEvent& event) = 0;
  /// An element of the list that is no object.
  virtual void ReceiveOther() = 0;
};

/// Where parsing a chunk stopped.
struct ParseEnd {
  /// Where a call of the parser stopped.
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
/// belongs to the list. Reusable; not thread-safe. Layouts that one chunk taught are used for the
/// next ones. O(chunk).
class EventParser {
 public:
  /// Default: layouts are learned. Without, every event goes through Boost.JSON: for holding one
  /// against the other.
  enum class Layouts : std::uint8_t { kLearned, kNone };
  explicit EventParser(Layouts layouts = Layouts::kLearned);
  ~EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;
  /// Gives each element of `chunk` to `receiver`, in order, up to where the result says. Never
  /// throws for bad text.
  ParseEnd Parse(std::string_view chunk, EventReceiver& receiver);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace profgauge::readers::kineto
