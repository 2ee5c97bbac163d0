// Messages: text with expressions, `{{ sum(kernel.time) / profile.iterations | duration }}`.
//
// A hole shows its value as base/format does for its unit. A filter changes that: `duration`,
// `bytes`, `percent`, `number:2`; `path` writes a rank's number as "<rank 3>", which the code that
// knows the files replaces. Group context. An absent value is shown as "–".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/eval.h"
#include "expr/program.h"

namespace profgauge::expr {

/// How a value is shown. Default: by its unit.
struct Display {
  enum class Kind : std::uint8_t { kAuto, kDuration, kBytes, kPercent, kNumber, kPath };
  Kind kind = Kind::kAuto;
  int decimals = -1;  ///< For kNumber; -1: three significant digits.
};

/// Parses "duration", "bytes", "percent", "number", "number:1", "path"; anything else is an error
/// without a place.
Result<Display> ParseDisplay(std::string_view text);
/// Checks whether values of `type` can be shown like this; empty, or the reason why not
/// ("`duration` shows times, found bytes").
std::string CheckDisplay(const Display& display, const Type& type);
/// The unit of a value of `type` in this display: percent shows a number as a share.
Unit DisplayUnit(const Display& display, const Type& type);
/// The text of a value. REQUIRES: CheckDisplay() is empty for the value's type.
std::string Format(const Value& value, const Type& type, const Display& display);
/// Converts a computed value for storage in a table: times, counts and bytes become integers, or
/// absent if they exceed 64 bits. Texts and values of other units stay unchanged.
Value ToCell(const Value& value, Unit unit);

/// The position in `text`, from `from` on, of `wanted` outside of 'texts'; npos if there is none.
std::size_t FindOutsideTexts(std::string_view text, std::string_view wanted, std::size_t from);

/// A compiled message.
struct Message {
  struct Part {
    std::string literal;  ///< Text before the hole.
    bool has_hole = false;
    Program hole;  ///< Only when has_hole.
    Display display;
  };
  std::vector<Part> parts;
};

using MessageResult = tl::expected<Message, std::vector<Error>>;
/// Compiles a message. `}}` inside a text of an expression ('}}') does not end the hole. Returns
/// all errors; their offsets are bytes of `text`.
MessageResult CompileMessage(std::string_view text, Schema& schema);
/// The value of a part's hole as shown in the message.
std::string FormatHole(const Message::Part& part, const Outcome& outcome);
std::string RenderMessage(const Message& message, const Data& data, std::span<const RowId> rows);

}  // namespace profgauge::expr
