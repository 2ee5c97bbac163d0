// The errors of ProfGauge.
//
// Every fallible function returns Result<T>: the value, or one Error with the location, the
// expected and the found value, and the next step. Nothing here throws; exceptions of third-party
// libraries are caught where the library is called and become an Error.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace profgauge {

/// Coarse class of a failure. It picks the exit code (README.md, "Exit codes"); the message does
/// the rest.
enum class ErrorKind : std::uint8_t {
  kInput,     ///< The profile is unreadable, truncated or not a profile: exit 3.
  kConfig,    ///< Policy, rules: exit 2.
  kUsage,     ///< Command line: exit 2.
  kOutput,    ///< A report could not be written: exit 4.
  kInternal,  ///< A defect of ProfGauge itself: exit 70.
};

/// A position inside an input. Unknown parts stay zero or empty.
struct Where {
  std::string file;
  std::uint32_t line = 0;    ///< 1-based; text inputs only.
  std::uint32_t column = 0;  ///< 1-based, in bytes.
  std::uint64_t offset = 0;  ///< Byte offset in the decompressed stream.
  bool has_offset = false;   ///< Whether `offset` is known (0 is a valid offset).
  std::uint32_t length = 0;  ///< Bytes to underline from `column`; 0 means one caret.
  std::string path;          ///< "traceEvents[1204].dur", "CUPTI_ACTIVITY_KIND_KERNEL row 8".
};

/// One failure. Rendered by base/diagnostic.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string code;     ///< Stable slug, e.g. "kineto/truncated". Tests match it.
  std::string message;  ///< Lower case, one sentence, no full stop, backticks around user text.
  Where where;
  std::vector<std::string> notes;  ///< Each starts "help: " or "note: ".
};

/// What a fallible function returns. A Result is never both: `if (!result)` decides, then either
/// `*result` or `result.error()` is valid.
template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// `return Fail(...)` from any function that returns a Result.
inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace profgauge

#define PROFGAUGE_CONCAT_INNER(a, b) a##b
#define PROFGAUGE_CONCAT(a, b) PROFGAUGE_CONCAT_INNER(a, b)
#define PROFGAUGE_TRY_IMPL(tmp, decl, expr)                                      \
  auto tmp = (expr);                                                             \
  if (!tmp) return ::tl::unexpected<::profgauge::Error>(std::move(tmp).error()); \
  decl = *std::move(tmp)

/// PROFGAUGE_TRY(const auto spans, ReadSpans(source)); binds the value, or returns the Error.
#define PROFGAUGE_TRY(decl, expr) \
  PROFGAUGE_TRY_IMPL(PROFGAUGE_CONCAT(profgauge_try_, __LINE__), decl, expr)

/// PROFGAUGE_CHECK(Write(x)); returns the Error of a failed Status.
#define PROFGAUGE_CHECK(expr)                                                           \
  do {                                                                                  \
    auto profgauge_status = (expr);                                                     \
    if (!profgauge_status)                                                              \
      return ::tl::unexpected<::profgauge::Error>(std::move(profgauge_status).error()); \
  } while (false)
