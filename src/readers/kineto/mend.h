// Makes valid JSON of a value that a careless writer broke, if its meaning is clear.
//
// Repaired: quotes and backslashes that are not escaped, raw control characters, bytes that are not
// UTF-8, halves of surrogate pairs, NaN, inf, N/A and other words in place of a value, commas too
// many. Valid text comes out as it went in.
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

/// The repaired value and the repairs, which go to the import log.
struct Mended {
  std::string text;              ///< Only the value.
  std::size_t end = 0;           ///< Bytes of the input that it was.
  std::vector<Counter> repairs;  ///< One for each repair made.
};

/// The object or list at the start of `text`. Empty when it does not end within `text`, or when it
/// is not clear how it was meant. The result is not checked: the caller parses it. Linear in the
/// length of `text`.
std::optional<Mended> Mend(std::string_view text);

// Reads a chunk that is not valid JSON, event by event: each is read, or repaired and read, or left
// out. Everything is counted in the rows' import log, with the place of the first cases.

/// Like EventParser::Parse, and never kInvalid: an event that cannot be read is skipped up to the
/// next one. kInside means that the chunk
/// ends inside an event, or in something like it. Starts `rows` afresh.
ParseEnd RepairChunk(const Chunk& chunk, EventParser& parser, EventSink& sink, Rows& rows);

}  // namespace profgauge::readers::kineto
