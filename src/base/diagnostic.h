// How an Error looks to a person: message, place, source line with caret, help, code.
//
//   error: unknown field `kernel.tim`
//     --> rules/compute.yaml:11:12
//      |
//   11 |     where: kernel.tim > 5 us
//      |            ^^^^^^^^^^
//     help: did you mean `kernel.time`?   [rules/unknown-field]
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"

namespace profgauge {

/// `source` is the text that where.line points into, empty when there is none to show. Ends with a
/// newline. User text is made printable: control characters are shown as \xNN. The code is at
/// the end of the last note, or of the message when there are no notes. A long source line is cut
/// around the caret. `word` is "error", "warning" or "note".
std::string RenderDiagnostic(const Error& error, std::string_view source, bool color,
                             std::string_view word = "error");

/// "file:11:12", "file.gz, byte 48 201 733 (decompressed), traceEvents[3]", or empty. Printable.
std::string PlaceText(const Where& where);

/// The nearest of `candidates` to `word`, or empty when none is near enough to suggest. Letter case
/// counts little; a candidate that continues `word` with a dot ("gpu.idle", "gpu.idle.mean") is
/// near. If several are equally near, the first wins.
std::string_view DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

/// The `count` candidates that are nearest to `word`, the nearest first, however far they are.
std::vector<std::string_view> Nearest(std::string_view word,
                                      std::vector<std::string_view> candidates, std::size_t count);

}  // namespace profgauge
