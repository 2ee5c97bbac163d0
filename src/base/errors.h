// Errors as readers and commands make them, where in a text they are, and how they look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"

namespace profgauge {

/// An error of kind kInput. `help` is the next step, without the word; empty: there is none.
Error InputError(std::string file, std::string code, std::string message, std::string help = {});

/// The same, at a byte of the (decompressed) input.
Error InputErrorAt(std::string file, std::uint64_t offset, std::string code, std::string message,
                   std::string help = {});

/// An error of kind kUsage: the request cannot be carried out. `help` as above.
Error UsageError(std::string code, std::string message, std::string help = {});

// How an Error looks to a person: message, place, source line with caret, help, code.
//
//   error: unknown field `kernel.tim`
//     --> rules/compute.yaml:11:12
//      |
//   11 |     where: kernel.tim > 5 us
//      |            ^^^^^^^^^^
//     help: did you mean `kernel.time`?   [rules/unknown-field]

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

// A text taken out of a file, that still knows where each of its bytes stood there.
//
// YAML folds lines, strips indentation and decodes escapes, so byte 30 of an expression is not
// column 30 of any line. Errors inside expressions and templates point at the file through this.

struct SourceText {
  /// From `offset` in the text on, bytes correspond one to one to the file from line:column on.
  struct Run {
    std::size_t offset = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  std::string text;
  std::string file;
  std::vector<Run> runs;  ///< By offset; the first is at 0. Empty: the place is unknown.

  /// Location of byte `offset` of the text. `length` bytes are underlined, at most to the end of
  /// that line. Offsets after the end give the place after the last byte.
  Where At(std::size_t offset, std::size_t length = 0) const;
  /// The whole text.
  Where All() const { return At(0, text.size()); }

  bool empty() const { return text.empty(); }
};

}  // namespace profgauge
