// Messages: text with expressions in it, `{{ sum(kernel.time) / profile.iterations | duration }}`.
//
// A hole shows its value as base/format does for its unit; a filter says otherwise: `duration`,
// `bytes`, `percent`, `number:2`; `path` makes "<rank 3>" of a rank's number, which whoever knows
// the files replaces. Group context. An absent value is shown as "–".
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

/// How a value is shown. Default: as its unit says.
struct Display {
  enum class Kind : std::uint8_t { kAuto, kDuration, kBytes, kPercent, kNumber, kPath };
  Kind kind = Kind::kAuto;
  int decimals = -1;  ///< For kNumber; -1: three significant digits.
};

/// "duration", "bytes", "percent", "number", "number:1", "path"; anything else is an error without
/// a place.
Result<Display> ParseDisplay(std::string_view text);
/// Whether values of `type` can be shown so; empty, or why not ("`duration` shows times, found
/// bytes").
std::string CheckDisplay(const Display& display, const Type& type);
/// The unit that `display` gives a value of `type`: percent makes a share of a number.
Unit DisplayUnit(const Display& display, const Type& type);
/// REQUIRES: CheckDisplay is empty for the value's type.
std::string Format(const Value& value, const Type& type, const Display& display);
/// A computed value as a table stores it: times, counts and bytes as whole numbers.
/// Such a number beyond 64 bits becomes absent. Texts and values of other units stay as they are.
Value ToCell(const Value& value, Unit unit);

/// The place in `text`, from `from` on, of `wanted` outside of 'texts'; npos when there is none.
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
/// Errors: all of them; offsets are bytes of `text`.
/// `}}` within a text of an expression ('}}') does not end the hole.
MessageResult CompileMessage(std::string_view text, Schema& schema);
/// The value of a part's hole as the message shows it.
std::string FormatHole(const Message::Part& part, const Outcome& outcome);
std::string RenderMessage(const Message& message, const Data& data, std::span<const RowId> rows);

}  // namespace profgauge::expr
