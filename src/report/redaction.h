// How much a report hides.
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
  /// Key for replaced names. Empty: the content hashes of the inputs, which are then removed from
  /// the outputs, so names cannot be guessed without the inputs.
  std::string key;

  Redaction() = default;
  explicit Redaction(RedactLevel how, std::string with = {}) : level(how), key(std::move(with)) {}
  explicit operator bool() const { return level != RedactLevel::kNone; }
  bool HidesCode() const { return level >= RedactLevel::kCode; }
};

}  // namespace profgauge::report
