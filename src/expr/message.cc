#include "expr/message.h"

#include <fmt/format.h>

#include <cmath>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace profgauge::expr {
namespace {

constexpr int kMostDecimals = 9;

std::uint32_t Offset(std::string_view whole, std::string_view part) {
  return static_cast<std::uint32_t>(part.data() - whole.data());
}

/// Compiles `expr | filter`, at `begin` in the message, into `part`.
void CompileHole(std::string_view inside, std::uint32_t begin, Schema& schema, Message::Part& part,
                 std::vector<Error>& errors) {
  const std::size_t bar = FindOutsideTexts(inside, "|", 0);
  const std::string_view text = inside.substr(0, bar);
  CompileResult program = Compile(text, schema, Context::kGroup);
  if (!program) {
    for (Error& error : program.error()) {
      error.where.offset += begin;
      errors.push_back(std::move(error));
    }
  } else {
    part.has_hole = true;
    part.hole = *std::move(program);
  }
  if (bar == std::string_view::npos) return;
  const std::string_view filter = Trim(inside.substr(bar + 1));
  const std::uint32_t at = begin + Offset(inside, filter);
  const Range range = {at, at + static_cast<std::uint32_t>(filter.size())};
  Result<Display> display = ParseDisplay(filter);
  if (!display) {
    errors.push_back(
        ErrorAt(range, display.error().code, display.error().message, display.error().notes));
    return;
  }
  part.display = *display;
  if (!part.has_hole) return;
  const std::string misfit = CheckDisplay(part.display, part.hole.type());
  if (!misfit.empty()) errors.push_back(ErrorAt(range, "expr/type", misfit));
}

}  // namespace

std::size_t FindOutsideTexts(std::string_view text, std::string_view wanted, std::size_t from) {
  bool in_text = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '\'') in_text = !in_text;
    if (!in_text && text.substr(i).starts_with(wanted)) return i;
  }
  return std::string_view::npos;
}

Result<Display> ParseDisplay(std::string_view text) {
  Display display;
  if (text == "duration") {
    display.kind = Display::Kind::kDuration;
  } else if (text == "bytes") {
    display.kind = Display::Kind::kBytes;
  } else if (text == "percent") {
    display.kind = Display::Kind::kPercent;
  } else if (text == "path") {
    display.kind = Display::Kind::kPath;
  } else if (text == "number") {
    display.kind = Display::Kind::kNumber;
  } else if (text.size() == 8 && text.starts_with("number:") && text[7] >= '0' &&
             text[7] <= '0' + kMostDecimals) {
    display.kind = Display::Kind::kNumber;
    display.decimals = text[7] - '0';
  } else {
    return Fail(
        ErrorAt({}, "expr/filter", fmt::format("unknown filter `{}`", PrintableShort(text)),
                {"help: filters are duration, bytes, percent, number:N (N decimals) and path"}));
  }
  return display;
}

std::string CheckDisplay(const Display& display, const Type& type) {
  switch (display.kind) {
    case Display::Kind::kAuto:
      return {};
    case Display::Kind::kDuration:
      if (SameDimension(type, TypeOf(Unit::kTime))) return {};
      return fmt::format("`duration` shows times, found {}", TypeName(type));
    case Display::Kind::kBytes:
      if (SameDimension(type, TypeOf(Unit::kBytes))) return {};
      return fmt::format("`bytes` shows sizes, found {}", TypeName(type));
    case Display::Kind::kPercent:
      if (SameDimension(type, TypeOf(Unit::kNumber))) return {};
      return fmt::format("`percent` shows plain numbers, found {}", TypeName(type));
    case Display::Kind::kNumber:
      if (type.kind == Kind::kNumber) return {};
      return fmt::format("`number` shows numbers, found {}", TypeName(type));
    case Display::Kind::kPath:
      if (type.kind == Kind::kNumber) return {};
      return fmt::format("`path` takes the number of a rank, found {}", TypeName(type));
  }
  return {};
}

Unit DisplayUnit(const Display& display, const Type& type) {
  if (display.kind == Display::Kind::kPercent) return Unit::kShare;
  if (display.kind == Display::Kind::kNumber) return Unit::kNumber;
  return type.unit;
}

std::string Format(const Value& value, const Type& type, const Display& display) {
  const Unit unit = DisplayUnit(display, type);
  if (display.kind == Display::Kind::kNumber && display.decimals >= 0 && !IsAbsent(value)) {
    return FormatNumber(AsNumber(value, 0), display.decimals);
  }
  if (display.kind == Display::Kind::kPath && !IsAbsent(value)) {
    return fmt::format("<rank {:.0f}>", AsNumber(value, 0));
  }
  return FormatValue(value, unit);
}

Value ToCell(const Value& value, Unit unit) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || CellTypeOf(unit) != CellType::kInteger) return value;
  if (std::abs(*number) > kLargestWhole) return Value();
  if (unit == Unit::kBool) return *number != 0;
  return static_cast<std::int64_t>(std::llround(*number));
}

// Each part is a text and the following hole; the last one has no hole:
//   idle for {{ gpu.idle | duration }} of {{ n }}!
//   |------------ part 0 ------------||- part 1 -|2
MessageResult CompileMessage(std::string_view text, Schema& schema) {
  Message message;
  std::vector<Error> errors;
  std::size_t at = 0;
  while (at < text.size()) {
    Message::Part part;
    const std::size_t open = text.find("{{", at);
    part.literal = text.substr(at, open == std::string_view::npos ? open : open - at);
    if (open == std::string_view::npos) {
      message.parts.push_back(std::move(part));
      break;
    }
    const std::size_t close = FindOutsideTexts(text, "}}", open + 2);
    if (close == std::string_view::npos) {
      const auto begin = static_cast<std::uint32_t>(open);
      errors.push_back(ErrorAt({begin, begin + 2}, "expr/syntax", "`{{` has no closing `}}`"));
      break;
    }
    CompileHole(text.substr(open + 2, close - open - 2), static_cast<std::uint32_t>(open + 2),
                schema, part, errors);
    message.parts.push_back(std::move(part));
    at = close + 2;
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return message;
}

std::string FormatHole(const Message::Part& part, const Outcome& outcome) {
  Display display = part.display;
  // Integers have no decimals in a sentence: "2 262 calls".
  const double number = AsNumber(outcome.value, 0.5);
  if (display.decimals > 0 && number == std::round(number)) display.decimals = 0;
  return Format(outcome.value, part.hole.type(), display);
}

std::string RenderMessage(const Message& message, const Data& data, std::span<const RowId> rows) {
  std::string out;
  for (const Message::Part& part : message.parts) {
    out += part.literal;
    if (!part.has_hole) continue;
    out += FormatHole(part, Evaluate(part.hole, data, rows));
  }
  return out;
}

}  // namespace profgauge::expr
