// Makes errors for readers and commands, finds their place in a text, and renders them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"

namespace profgauge {

/// An error of kind kInput. `help` is the next step, without the word "help"; may be empty.
Error InputError(std::string file, std::string code, std::string message, std::string help = {});

/// Like InputError(), at a byte of the (decompressed) input.
Error InputErrorAt(std::string file, std::uint64_t offset, std::string code, std::string message,
                   std::string help = {});

/// An error of kind kUsage: the request cannot be executed. `help` as above.
Error UsageError(std::string code, std::string message, std::string help = {});

// The rendered form of an Error: message, place, source line with caret, help, code.
//
//   error: unknown field `kernel.tim`
//     --> rules/compute.yaml:11:12
//      |
//   11 |     where: kernel.tim > 5 us
//      |            ^^^^^^^^^^
//     help: did you mean `kernel.time`?   [rules/unknown-field]

/// `source` is the text that where.line points into; empty if it is not available. Ends with a
/// newline. Control characters of user text are shown as \xNN. The code is at the end of the last
/// note, or of the message if there are no notes. A long source line is cut around the caret.
/// `word` is "error", "warning" or "note".
std::string RenderDiagnostic(const Error& error, std::string_view source, bool color,
                             std::string_view word = "error");

/// "file:11:12", "file.gz, byte 48 201 733 (decompressed), traceEvents[3]", or empty. Printable.
std::string PlaceText(const Where& where);

/// The most similar of `candidates` to `word`, or empty if none is similar enough to suggest.
/// Letter case counts little. A candidate that continues `word` with a dot ("gpu.idle",
/// "gpu.idle.mean") is similar. If several are equally similar, the first is returned.
std::string_view DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

/// The `count` candidates most similar to `word`, the most similar first, without a lower limit.
std::vector<std::string_view> Nearest(std::string_view word,
                                      std::vector<std::string_view> candidates, std::size_t count);

// A text from a file that knows the place of each of its bytes in the file.
//
// YAML folds lines, strips indentation and decodes escapes, so byte 30 of an expression is not
// column 30 of any line. Errors in expressions and templates get their place from this.

struct SourceText {
  /// From `offset` on, bytes of the text are those of the file from line:column on.
  struct Run {
    std::size_t offset = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  std::string text;
  std::string file;
  std::vector<Run> runs;  ///< By offset; the first is at 0. Empty: the place is unknown.

  /// The place of byte `offset` of the text. `length` bytes are underlined, at most to the end of
  /// that line. An offset after the end gives the place after the last byte.
  Where At(std::size_t offset, std::size_t length = 0) const;
  /// The whole text.
  Where All() const { return At(0, text.size()); }

  bool empty() const { return text.empty(); }
};

}  // namespace profgauge
