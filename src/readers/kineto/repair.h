// Reads a chunk that is not valid JSON, event by event: each is read, or repaired and read, or left
// out. Everything is counted in the rows' import log, with the place of the first cases.
#pragma once

#include "readers/kineto/document.h"
#include "readers/kineto/event_parser.h"
#include "readers/kineto/event_sink.h"

namespace profgauge::readers::kineto {

/// Like EventParser::Parse, and never kInvalid: an event that cannot be read is skipped up to the
/// next one. kInside means that the chunk
/// ends inside an event, or in something like it. Starts `rows` afresh.
ParseEnd RepairChunk(const Chunk& chunk, EventParser& parser, EventSink& sink, Rows& rows);

}  // namespace profgauge::readers::kineto
