// Repairs a JSON value that a careless writer broke, if its meaning is clear.
//
// Repaired: unescaped quotes and backslashes, raw control characters, bytes that are not UTF-8,
// halves of surrogate pairs, NaN, inf, N/A and other words instead of a value, and superfluous
// commas. Valid text stays as it is.
//
//   {"name": "f("a")"}          {"name": "f(\"a\")"}         names of functions (with_stack)
//   {"name": "C:\users\"}       {"name": "C:\\users\\"}      paths of Windows
//   {"bw": inf, "x": N/A}       {"bw": null, "x": null}      bandwidth of a copy of no length
//   {"a": 1,, "b": 2,}          {"a": 1, "b": 2}             a value that was left out
//   {"name": "\ud83d"}          {"name": "\ufffd"}           a name that was cut
//
// Such traces are known from issues of PyTorch and Kineto, whose writer escapes quotes in names
// only since July 2026 (kineto#1459).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/import_log.h"
#include "readers/kineto/document.h"
#include "readers/kineto/event_parser.h"
#include "readers/kineto/event_sink.h"

namespace profgauge::readers::kineto {

/// The repaired value, and the repairs for the import log.
struct Mended {
  std::string text;              ///< Only the value, not the text after it.
  std::size_t end = 0;           ///< Length of the value in the input.
  std::vector<Counter> repairs;  ///< One for each repair made.
};

/// Repairs the object or list at the start of `text`. Returns nothing if it does not end within
/// `text` or its meaning is unclear. The result is not checked: the caller parses it. O(text).
std::optional<Mended> Mend(std::string_view text);

// Reads a chunk of invalid JSON event by event. Each event is read as it is, repaired and read, or
// skipped. The rows' import log counts each case, with the place of the first one.

/// Like EventParser::Parse, but never returns kInvalid: an unreadable event is skipped up to the
/// next one. kInside means that the chunk ends inside an event, or in similar text. Clears `rows`
/// first.
ParseEnd RepairChunk(const Chunk& chunk, EventParser& parser, EventSink& sink, Rows& rows);

}  // namespace profgauge::readers::kineto
