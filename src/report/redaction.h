// How much a report hides, for who draws one and for who asks for it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace profgauge::report {

enum class RedactLevel : std::uint8_t {
  kNone,
  kPlaces,  ///< Folders, hosts, people, and the names of the run and its files.
  kCode,    ///< Also names of code: report/code_names.h.
  kAll,     ///< Also shapes and sizes of messages.
};

struct Redaction {
  RedactLevel level = RedactLevel::kNone;
  /// Key of the replaced names. Empty: the inputs' content hashes, which the outputs then do not
  /// have, so that a name cannot be guessed without the inputs.
  std::string key;

  Redaction() = default;
  explicit Redaction(RedactLevel how, std::string with = {}) : level(how), key(std::move(with)) {}
  explicit operator bool() const { return level != RedactLevel::kNone; }
  bool HidesCode() const { return level >= RedactLevel::kCode; }
};

}  // namespace profgauge::report
