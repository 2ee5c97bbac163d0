// Reads events whose layout was seen before, without a general JSON parser.
//
// A trace repeats a few layouts: the same keys in the same order with the same white space, and
// only the values differ. A layout that the JSON parser accepted is learned as the bytes between
// its values. Later events are compared with those bytes, and their values with the classes of text
// below. Any difference is a mismatch, which is left to the JSON parser. Only the parser decides
// about validity: a match never accepts bytes that it would reject, and gives the same event.
//
// A value is matched when it is a number without exponent of at most json_scan::kMaxNumber bytes, a
// string of printable ASCII without escapes, true, false, null, or a list or object of such values.
//
// The tree after two elements; a node has the literals that may come next, a literal the field of
// the value after it:
//
//   {"ph": "X", "name": "mm", "args": {"stream": 7}}
//   {"ph": "X", "name": "mm", "dur": 3}
//
//   root ── {"ph": ── <phase> ── , "name": ── <name> ─┬─ , "args": {"stream": ── <stream> ── }} end
//                                                     └─ , "dur": ── <duration> ── } end
//
// Matching walks from the root: compare a literal, read a value, go to the literal's node. This
// costs one comparison of bytes per value, plus those of the siblings before the matching one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "readers/kineto/raw_event.h"

namespace profgauge::readers::kineto {

/// Strings that are not contiguous in the chunk, kept until Clear(). Reused for each event.
class Scratch {
 public:
  /// Returns an empty string, which stays in place until the scratch is destroyed.
  std::string& Next() {
    if (used_ == strings_.size()) strings_.emplace_back().reserve(kReservedBytes);
    auto& string = strings_[used_++];
    string.clear();
    return string;
  }
  void Clear() { used_ = 0; }

 private:
  // Threads that write to the same cache line wait for each other, so data that each event changes
  // is kept apart from another thread's data.
  static constexpr std::size_t kReservedBytes = 240;
  std::deque<std::string> strings_;
  std::size_t used_ = 0;
};

/// The layouts learned so far, as a tree: events share the bytes before the first difference.
class Skeletons {
 public:
  Skeletons() { nodes_.emplace_back(&memory_); }
  Skeletons(const Skeletons&) = delete;
  Skeletons& operator=(const Skeletons&) = delete;

  /// Learns the layout of `element`, a valid JSON object of the list. Ignores layouts with escaped
  /// keys, and all layouts once there is a fixed number of them.
  void Learn(std::string_view element);

  /// Reads the element at the start of `text` into `event` and returns its length. Returns 0 if no
  /// layout matches or the element reaches to the end of `text`; then `event` has some fields and
  /// must not be used. Views are of `text` and of memory here, valid until the next call.
  std::size_t Match(std::string_view text, RawEvent& event);

 private:
  /// Bytes that may come next, up to the next value or the element's end.
  struct Literal {
    std::uint64_t word = 0;   ///< Its last eight bytes; if it is shorter, its bytes.
    std::uint64_t first = 0;  ///< Its first eight bytes; if it is shorter, the mask of valid bytes
                              ///< in `word`.
    const char* text = nullptr;  ///< In texts_.
    std::uint32_t size = 0;
    Field field = Field::kNone;  ///< The field of the value after it.
    bool last = false;           ///< The element ends after it.
    std::uint32_t node = 0;      ///< The node that may follow.
    std::uint32_t followed = 0;  ///< Number of events in which it came next.

    /// `bytes` must stay in place.
    static Literal Of(std::string_view bytes);
    /// True if these bytes are at `at`. Reads no byte from `end` on.
    bool StandsAt(const char* at, const char* end) const;
  };
  /// A list or object as read, and its canonical text if needed.
  struct Structure {
    std::string bytes, text;
    Literal literal;
  };
  /// The literals that may come next, the frequent ones near the front.
  using Node = std::pmr::vector<Literal>;

  /// The node after `literal` in `parent`, created if it is missing; kNone if there is no room.
  std::uint32_t Child(std::uint32_t parent, std::string_view literal, Field field, bool last);
  /// The literal of `node` that is at `at`; nullptr if there is none.
  static const Literal* Follow(Node& node, const char* at, const char* end);

  /// The position after the list or object at `at`, as StructureReader reads it.
  const char* ReadStructure(const char* at, const char* end, Field field, std::string* out);

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kNodeBytes = std::size_t{16} << 10;
  /// The latest structures of one field, the last ones near the front, because shapes and grids are
  /// often those of recent events.
  struct KnownStructures {
    std::array<std::unique_ptr<Structure>, 8> of;
    std::size_t count = 0;
  };

  std::pmr::monotonic_buffer_resource memory_{
      kNodeBytes};           ///< For nodes; see Scratch::kReservedBytes.
  std::vector<Node> nodes_;  ///< The first is the root.
  std::deque<std::string> texts_;
  std::array<KnownStructures, kFieldCount + 1> structures_;
  Scratch scratch_;
};

}  // namespace profgauge::readers::kineto
