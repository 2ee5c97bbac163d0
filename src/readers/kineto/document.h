// The outside of a trace document: where its list of events begins, and the text around it.
//
//   {"schemaVersion": 1, "traceEvents": [{...}, {...}, {...}], "traceName": "x"}
//   └──────────── before ──────────────┘└─── the list ────┘└───── behind ─────┘
//                                        chunk 0, 1, ...
//
// ListFinder finds where the list begins, NextChunk() cuts the rest at elements, the parser finds
// where the list ends. ReadEnvelope() reads `before` and `behind` as two objects. The list is never
// in memory as a whole, the text around it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/hashes.h"
#include "base/read_block.h"
#include "model/profile_builder.h"

namespace profgauge::readers::kineto {

/// Finds the list of events: the document itself, or the value of its key "traceEvents". Knows
/// strings and nesting and nothing else, so that bad values before the list do no harm.
class ListFinder {
 public:
  /// Feeds the next bytes; the position after the list's `[` when it is among them. Call it until
  /// it gives a position, ended() or not plausible().
  std::optional<std::size_t> Feed(std::string_view bytes);
  /// Whether the document is an object that has ended.
  bool ended() const { return ended_; }
  /// Whether the document starts like an object or a list.
  bool plausible() const { return plausible_; }
  /// Whether the document is the list itself, without an object around it.
  bool bare_list() const { return bare_list_; }

 private:
  bool Step(char c);  ///< Whether `c` opens the list.

  bool plausible_ = true;
  bool bare_list_ = false;
  bool ended_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
  bool value_next_ = false;  ///< After the colon of a key of the document.
  std::uint32_t depth_ = 0;
  std::string token_;  ///< The last string of the document's own level, cut at a length.
};

/// A run of whole elements of the list, as far as the outside shows.
struct Chunk {
  /// White space that is in the stream before text[at] and not in the text, so that it costs no
  /// memory however long it is.
  struct Gap {
    std::size_t at = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t offset = 0;    ///< Offset of its first byte in the decompressed stream.
  std::vector<Gap> gaps = {};  ///< In order.
  /// Where text[at] is in the stream.
  std::uint64_t OffsetOf(std::size_t at) const;
  /// Puts `more`, which follows in the stream, after it.
  void Append(const Chunk& more);

  std::string text;
  bool last = false;  ///< Nothing follows in the stream.
};

/// Reads a source in order, counts and hashes, and holds back bytes that were read too far.
class Input {
 public:
  explicit Input(ByteSource& source) : source_(source) {}
  /// Appends up to `count` bytes to `out`; fewer only at the end. A damaged end is kept as error().
  void Read(std::string& out, std::size_t count) { Read(out, out.size(), count); }
  /// The same after the first `at` bytes of `out`, in place of all that follows them there.
  void Read(std::string& out, std::size_t at, std::size_t count);
  /// The next Read() gives these first, before others that are held back.
  void Unread(std::string_view bytes) { held_.insert(0, bytes); }
  /// Position of the next byte, without removed white space.
  std::uint64_t position() const { return total_ - taken_out_ - held_.size(); }
  /// White space before `position` was removed from the read text. REQUIRES: later than others.
  void TookOut(std::uint64_t position, std::uint64_t bytes);
  /// Offset of that position's byte in the stream.
  std::uint64_t OffsetOf(std::uint64_t position) const;
  /// The white space removed between two positions; the second is not part.
  std::vector<Chunk::Gap> GapsIn(std::uint64_t begin, std::uint64_t end) const;
  /// An element that is too long to be kept was taken out; see NextChunk().
  void SkippedElement(std::uint64_t position) {
    if (elements_skipped_++ == 0) first_skipped_ = OffsetOf(position);
  }
  std::uint64_t elements_skipped() const { return elements_skipped_; }
  std::uint64_t first_skipped() const { return first_skipped_; }  ///< Its offset in the stream.
  /// Decompressed bytes that came from the source so far, also those held back.
  std::uint64_t total() const { return total_; }
  bool at_end() const { return ended_ && held_.empty(); }
  /// Why the source stopped before its end, if it did.
  const std::optional<Error>& error() const { return error_; }
  /// The hash of all bytes that came from the source.
  std::string Hash() const { return hash_.Hex(); }

 private:
  ByteSource& source_;
  ContentHash hash_;
  std::string held_;
  std::uint64_t total_ = 0, taken_out_ = 0;
  std::uint64_t elements_skipped_ = 0, first_skipped_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps_;  // Position, taken out before it.
  bool ended_ = false;
  std::optional<Error> error_;
};

inline constexpr std::size_t kChunkBytes = kReadBlock;

/// Position of the last `{` in `text` that begins an element after `},`; npos when there is none.
/// Looks for text like `}, {"ph"`, which no valid string can contain:
///
///   {"ph": "X", "dur": 3}, {"ph": "X", "name"
///                          ^ the cut: the chunk ends with the comma before it
///
/// A list of objects in "args" can look so, too: then the chunk ends inside an event, and the
/// caller joins it with the next one. Searches backward; O(text) where there is none.
std::size_t FindCut(std::string_view text);

/// The first such position from `from` on.
std::size_t FindFirstCut(std::string_view text, std::size_t from);
/// Position of a `]` from `from` on that looks like the end of the list: after a `}`, and before
/// the document's end or another of its keys; npos when there is none. For repair only: a list
/// within an event may look the same.
std::size_t FindListEnd(std::string_view text, std::size_t from);

/// Cuts the rest of `input` into chunks of about kChunkBytes. The partition depends on the bytes
/// only. Long white space between values is shortened, so that it costs no memory. A chunk is
/// longer where an element is: its memory doubles until a cut is in it. An element of over 16 MiB
/// is passed over, in constant memory, and counted; an empty one has its place. `chunk` may have
/// the text of another, whose memory is used again. `last` is set on the chunk that ends the
/// stream.
void NextChunk(Input& input, Chunk& chunk);

/// Whether it is white space, or the zeros that pad a file.
bool IsBlank(std::string_view text);

/// The document's data outside its list.
struct Envelope {
  Ns base_time = 0;  ///< baseTimeNanoseconds.
  bool has_base_time = false;
  bool complete = false;  ///< The document is closed.
  bool goes_on = false;   ///< After its end, or with a second list of events.
  /// The profiler says that it has no GPU activity: a loss where work was launched.
  bool says_no_gpu_work = false;
  std::string run_document;  ///< The text of `profgauge.run`; empty: none.
};

/// Reads facts, devices and distributed training out of the text before the list, with its `[`, and
/// after it, from its `]` on. Invalid JSON is repaired, or counted and ignored. If a key is there
/// twice, in one part or in both, the later counts. Only listed keys become facts: others may name
/// people or machines.
Envelope ReadEnvelope(const std::string& before, const std::string& behind,
                      ProfileBuilder& builder);

}  // namespace profgauge::readers::kineto
