// The outside of a trace document: the place of its list of events, and the text around it.
//
//   {"schemaVersion": 1, "traceEvents": [{...}, {...}, {...}], "traceName": "x"}
//   └──────────── before ──────────────┘└─── the list ────┘└───── behind ─────┘
//                                        chunk 0, 1, ...
//
// ListFinder finds the list, NextChunk() cuts the rest between elements, and the parser finds the
// end of the list. ReadEnvelope() reads `before` and `behind` as two objects. The list is never in
// memory as a whole; the text around it is.
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

/// Finds the list of events: the document itself, or the value of its key "traceEvents". It only
/// tracks strings and nesting, so bad values before the list do no harm.
class ListFinder {
 public:
  /// Takes the next bytes and returns the position after the list's `[`, if they contain it. Call
  /// it until it returns a position, or until ended() or not plausible().
  std::optional<std::size_t> Feed(std::string_view bytes);
  /// True if the document is an object and has ended.
  bool ended() const { return ended_; }
  /// True if the document starts like an object or a list.
  bool plausible() const { return plausible_; }
  /// True if the document is the list itself, without an object around it.
  bool bare_list() const { return bare_list_; }

 private:
  bool Step(char c);  ///< True if `c` opens the list.

  bool plausible_ = true;
  bool bare_list_ = false;
  bool ended_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
  bool value_next_ = false;  ///< After the colon of a key of the document.
  std::uint32_t depth_ = 0;
  std::string token_;  ///< The last string of the document's own level, cut at a length.
};

/// Consecutive whole elements of the list, as far as ListFinder can see.
struct Chunk {
  /// White space in the stream before text[at] that is left out of the text, so that it takes no
  /// memory, however long it is.
  struct Gap {
    std::size_t at = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t offset = 0;    ///< Offset of its first byte in the decompressed stream.
  std::vector<Gap> gaps = {};  ///< In order.
  /// The position of text[at] in the stream.
  std::uint64_t OffsetOf(std::size_t at) const;
  /// Appends `more`, the next chunk of the stream.
  void Append(const Chunk& more);

  std::string text;
  bool last = false;  ///< Nothing follows in the stream.
};

/// Reads a source in order, counts and hashes it, and takes back bytes that were read too far.
class Input {
 public:
  explicit Input(ByteSource& source) : source_(source) {}
  /// Appends up to `count` bytes to `out`; fewer only at the end. If the source's end is damaged,
  /// error() is set.
  void Read(std::string& out, std::size_t count) { Read(out, out.size(), count); }
  /// Like Read(out, count), but replaces the bytes of `out` after its first `at`.
  void Read(std::string& out, std::size_t at, std::size_t count);
  /// Puts bytes back: the next Read() yields them first, before bytes that were put back earlier.
  void Unread(std::string_view bytes) { held_.insert(0, bytes); }
  /// Position of the next byte; removed white space is not counted.
  std::uint64_t position() const { return total_ - taken_out_ - held_.size(); }
  /// Notes that white space before `position` was removed. REQUIRES: positions only grow.
  void TookOut(std::uint64_t position, std::uint64_t bytes);
  /// Offset in the stream of the byte at that position.
  std::uint64_t OffsetOf(std::uint64_t position) const;
  /// The white space that was removed at positions from `begin` on and before `end`.
  std::vector<Chunk::Gap> GapsIn(std::uint64_t begin, std::uint64_t end) const;
  /// Notes that an element was removed because it is too long to be kept; see NextChunk().
  void SkippedElement(std::uint64_t position) {
    if (elements_skipped_++ == 0) first_skipped_ = OffsetOf(position);
  }
  std::uint64_t elements_skipped() const { return elements_skipped_; }
  std::uint64_t first_skipped() const { return first_skipped_; }  ///< Its offset in the stream.
  /// Decompressed bytes read from the source so far. Unread() does not reduce this number.
  std::uint64_t total() const { return total_; }
  bool at_end() const { return ended_ && held_.empty(); }
  /// The reason why the source stopped before its end, if it did.
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

/// Position of the last `{` in `text` that begins an element after `},`; npos if there is none.
/// Searches for text like `}, {"ph"`, which no valid string can contain:
///
///   {"ph": "X", "dur": 3}, {"ph": "X", "name"
///                          ^ the cut: the chunk ends with the comma before it
///
/// A list of objects in "args" can look like this, too: then the chunk ends inside an event, and
/// the caller joins it with the next one. Searches backward; O(text) if there is none.
std::size_t FindCut(std::string_view text);

/// The position of the first such `{` at or after `from`; npos if there is none.
std::size_t FindFirstCut(std::string_view text, std::size_t from);
/// Position of a `]` from `from` on that looks like the end of the list: after a `}`, and before
/// the document's end or another of its keys; npos if there is none. Only for repairs: a list
/// inside an event may look the same.
std::size_t FindListEnd(std::string_view text, std::size_t from);

/// Cuts the rest of `input` into chunks of about kChunkBytes; the cuts depend only on the bytes.
/// Long white space between values is shortened, so that it takes no memory. A long element makes a
/// longer chunk: memory doubles until the chunk has a cut. An element of over 16 MiB is skipped, in
/// constant memory, and counted; an empty one takes its place. `chunk` may have the text of an
/// earlier chunk, whose memory is reused. `last` is set on the chunk that ends the stream.
void NextChunk(Input& input, Chunk& chunk);

/// True if `text` has only white space and zero bytes, which pad some files.
bool IsBlank(std::string_view text);

/// The document's data outside the list.
struct Envelope {
  Ns base_time = 0;  ///< baseTimeNanoseconds.
  bool has_base_time = false;
  bool complete = false;  ///< The document is closed.
  bool goes_on = false;   ///< The document continues after its end, or has a second list of events.
  /// The profiler reports no GPU activity. This is data loss if the run launched GPU work.
  bool says_no_gpu_work = false;
  std::string run_document;  ///< The text of `profgauge.run`; empty: none.
};

/// Reads facts, devices and distributed training from the text before the list (with its `[`) and
/// after it (from its `]` on). Invalid JSON is repaired, or counted and ignored. If a key occurs
/// twice, the later one counts. Only allow-listed keys become facts: others may name people or
/// machines.
Envelope ReadEnvelope(const std::string& before, const std::string& behind,
                      ProfileBuilder& builder);

}  // namespace profgauge::readers::kineto
