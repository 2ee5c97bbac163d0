#include "readers/kineto/mend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "readers/kineto/event_parser.h"
#include "readers/kineto/raw_event.h"

namespace profgauge::readers::kineto {
namespace {

/// The maximum length of a key. A longer text up to the next quote is no key.
constexpr std::size_t kMaxKey = 200;

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20; }
bool IsHex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// True if `text` is a JSON number, true, false or null.
bool IsLiteral(std::string_view text) {
  if (text == "true" || text == "false" || text == "null") return true;
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const auto whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

/// The value of the four hex digits of "\\uXXXX" at `at`; empty if there is no such escape.
std::optional<unsigned> UnicodeEscape(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  unsigned value = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    if (!IsHex(text[i])) return std::nullopt;
    const char c = text[i];
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * 16 + static_cast<unsigned>(digit);
  }
  return value;
}

bool IsHighSurrogate(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLowSurrogate(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

/// True if the backslash at `at` starts a valid escape.
bool IsEscape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return false;
  if (text[at + 1] == 'u') return UnicodeEscape(text, at).has_value();
  return std::string_view("\"\\/bfnrt").find(text[at + 1]) != std::string_view::npos;
}

class Mender {
 public:
  explicit Mender(std::string_view text) : text_(text) {}

  std::optional<Mended> Run() {
    if (text_.empty() || (text_[0] != '{' && text_[0] != '[')) return std::nullopt;
    while (at_ < text_.size()) {
      if (!Step()) return std::nullopt;
      if (open_.empty()) {
        out_.end = at_;
        return std::move(out_);
      }
    }
    return std::nullopt;
  }

 private:
  /// Takes one token: white space, a bracket, a comma, a colon, a string or a bare word.
  bool Step() {
    const char c = text_[at_];
    if (IsSpace(c)) return Copy();
    switch (c) {
      case '{':
      case '[':
        if (open_.size() == kMaxDepth) return false;
        open_.push_back(c);
        key_next_ = c == '{';
        return Copy();
      case '}':
      case ']':
        return Close(c);
      case ',':
        return Comma();
      case ':':
        key_next_ = false;
        return Copy();
      case '"':
        return String();
      default:
        return Word();
    }
  }

  bool Copy() {
    out_.text.push_back(text_[at_++]);
    return true;
  }

  bool Close(char c) {
    if (open_.empty() || open_.back() != (c == '}' ? '{' : '[')) return false;
    open_.pop_back();
    key_next_ = false;
    return Copy();
  }

  /// Keeps a comma only before another element: in `1,,2` and `1,}` the first comma is removed.
  bool Comma() {
    std::size_t next = SkipSpace(at_ + 1);
    if (next >= text_.size()) return false;
    const char c = text_[next];
    key_next_ = !open_.empty() && open_.back() == '{';
    if (c != ',' && c != '}' && c != ']') return Copy();
    ++at_;
    out_.repairs.push_back(Counter::trailing_commas);
    return true;
  }

  // Takes a bare word: any text between two separators, i.e. a number, a literal of JSON, or
  // invalid text. Fails for a word in the place of a key, which has no clear meaning.
  bool Word() {
    if (IsControl(text_[at_])) {
      ++at_;
      out_.repairs.push_back(Counter::strings_control_char);
      return true;
    }
    constexpr std::string_view kEnds = ",:{}[]\" \t\r\n";
    const auto end = std::min(text_.find_first_of(kEnds, at_), text_.size());
    const auto word = text_.substr(at_, end - at_);
    if (key_next_ || word.size() > 10'000'000) return false;
    at_ = end;
    if (IsLiteral(word)) {
      out_.text += word;
    } else {
      out_.text += "null";
      out_.repairs.push_back(Counter::numbers_not_json);
    }
    return true;
  }

  // The difficulty is to find the quote that ends a string. A quote ends it if valid JSON follows
  // (Closes()). Otherwise the quote belongs to the string:
  //
  //   "name": "f("a")", "ph": "X"
  //              ^ a letter follows: part of the string
  //                  ^ a comma and a key follow: the end
  //
  // All escapes of a string are judged together. The text `C:\new\users` has valid
  // escapes and an invalid one, so all its backslashes are literal.
  bool String() {
    const bool key = key_next_;
    const auto begin = at_ + 1;
    bool inner_quote = false;
    bool bad_escape = false;
    std::size_t end = begin;
    for (;; ++end) {
      if (end >= text_.size()) return false;
      const char c = text_[end];
      if (c == '"') {
        if (Closes(end + 1, key)) break;
        // In `"cpu_op, "name": …` the closing quote is missing. Everything after it would be
        // misread, so the event is not repaired.
        if (StartsEventKey(begin, end)) return false;
        inner_quote = true;
      } else if (c == '\\') {
        // A path may end in a backslash before the quote that closes its string.
        const bool quote = end + 1 < text_.size() && text_[end + 1] == '"';
        if (quote && Closes(end + 2, key)) {
          bad_escape = true;
        } else if (IsEscape(text_, end)) {
          ++end;
        } else {
          bad_escape = true;
        }
      }
    }
    if (inner_quote) out_.repairs.push_back(Counter::strings_unescaped_quote);
    if (bad_escape) out_.repairs.push_back(Counter::strings_bad_escape);
    out_.text.push_back('"');
    Rewrite(text_.substr(begin, end - begin), bad_escape);
    out_.text.push_back('"');
    at_ = end + 1;
    key_next_ = false;
    return true;
  }

  /// True if the quote at `quote`, in a string that begins at `begin`, starts a key of the event.
  bool StartsEventKey(std::size_t begin, std::size_t quote) const {
    const auto end = text_.find_first_of("\"\\", quote + 1);
    if (end == std::string_view::npos || text_[end] != '"') return false;
    const auto colon = SkipSpace(end + 1);
    if (colon >= text_.size() || text_[colon] != ':') return false;
    if (EventField(text_.substr(quote + 1, end - quote - 1)) == Field::kNone) return false;
    return Trim(text_.substr(begin, quote - begin)).ends_with(',');
  }

  /// Appends the content of a string. If one backslash is no escape, all of them are literal.
  void Rewrite(std::string_view content, bool raw_backslashes) {
    bool control = false;
    bool bad_bytes = false;
    bool bad_pair = false;
    for (std::size_t i = 0; i < content.size();) {
      const char c = content[i];
      if (c == '\\' && raw_backslashes) {
        out_.text += "\\\\";
        ++i;
      } else if (c == '\\') {
        i += Escape(content, i, bad_pair);
      } else if (c == '"') {
        out_.text += "\\\"";
        ++i;
      } else if (IsControl(c)) {
        out_.text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        control = true;
        ++i;
      } else {
        const auto length = Utf8Length(content.substr(i));
        bad_bytes |= length == 0;
        out_.text += length == 0 ? "\xEF\xBF\xBD" : content.substr(i, length);
        i += std::max<std::size_t>(length, 1);
      }
    }
    if (control) out_.repairs.push_back(Counter::strings_control_char);
    if (bad_bytes) out_.repairs.push_back(Counter::strings_bad_utf8);
    if (bad_pair) out_.repairs.push_back(Counter::strings_bad_escape);
  }

  /// Appends the valid escape at `at` and returns its length. A surrogate without its other half
  /// becomes U+FFFD.
  std::size_t Escape(std::string_view content, std::size_t at, bool& bad_pair) {
    const auto unit = UnicodeEscape(content, at);
    if (!unit) {
      out_.text += content.substr(at, 2);
      return 2;
    }
    if (IsHighSurrogate(*unit)) {
      const auto low = UnicodeEscape(content, at + 6);
      if (low && IsLowSurrogate(*low)) {
        out_.text += content.substr(at, 12);
        return 12;
      }
    }
    const bool half = IsHighSurrogate(*unit) || IsLowSurrogate(*unit);
    bad_pair |= half;
    out_.text += half ? "\\ufffd" : content.substr(at, 6);
    return 6;
  }

  /// True if a quote before `next` can end a string, because the text that follows, up to the next
  /// key or element, is valid JSON:
  ///
  ///   after a key      `:`
  ///   after a value    unclosed brackets, inside out; then `,` and an element, or the end
  bool Closes(std::size_t next, bool key) const {
    next = SkipSpace(next);
    if (key) return next < text_.size() && text_[next] == ':';
    auto depth = open_.size();
    for (; next < text_.size(); next = SkipSpace(next + 1)) {
      const char c = text_[next];
      if (c == ',') return GoesOn(SkipSpace(next + 1), depth);
      if (depth == 0) return c == ']' || c == '}';
      if (c != (open_[depth - 1] == '{' ? '}' : ']')) return false;
      --depth;
    }
    return depth == 0;
  }

  /// True if another element follows a comma at `depth`. In an object a key must follow, i.e. a
  /// short string and `:`, which is stronger evidence than the comma.
  bool GoesOn(std::size_t next, std::size_t depth) const {
    if (next >= text_.size()) return depth == 0;
    const char c = text_[next];
    if (depth == 0) return c == '{' || c == '"' || c == ']';
    if (c == '}' || c == ']') return true;  // One comma too many.
    if (open_[depth - 1] == '[') {
      return std::string_view("\"-{[0123456789tfnNIiu").find(c) != std::string_view::npos;
    }
    if (c != '"') return false;
    const auto quote = text_.find('"', next + 1);
    if (quote == std::string_view::npos || quote - next > kMaxKey) return false;
    const auto colon = SkipSpace(quote + 1);
    return colon < text_.size() && text_[colon] == ':';
  }

  std::size_t SkipSpace(std::size_t at) const {
    while (at < text_.size() && IsSpace(text_[at])) ++at;
    return at;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;  ///< The open brackets.
  bool key_next_ = false;
  Mended out_;
};

}  // namespace

std::optional<Mended> Mend(std::string_view text) { return Mender(text).Run(); }

namespace {

/// A text like `}, {"name"` inside an event looks like its end. This many false ends are skipped.
constexpr int kMaxFalseEnds = 4;
/// The text after the list is short, so only this much of the chunk's end is searched for it.
constexpr std::size_t kMaxTail = std::size_t{64} << 10;

// Counts the events of a text before it is accepted: a repair must not split an event in two.
class Probe final : public EventReceiver {
 public:
  void Receive(const RawEvent&) override { ++count; }
  void ReceiveOther() override { ++count; }
  int count = 0;
};

// Repairs a chunk's elements. An element reaches from its `{` to the next text that looks like a
// cut. If it cannot be read, it is extended to later cuts. If that fails, too, it is left out.
//
//   chunk    {good}, {repairable}, {hopeless}, {good}, {cut
//   Run()    Element Element       Skip        Element kInside
class Repair {
 public:
  Repair(const Chunk& chunk, EventParser& parser, EventSink& sink, Rows& rows)
      : chunk_(chunk), text_(chunk.text), parser_(parser), sink_(sink), rows_(rows) {}

  ParseEnd Run() {
    rows_.Clear();
    sink_.Begin(rows_);
    ParseEnd end;
    bool comma = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (IsSpace(c)) {
        ++at_;
      } else if (c == ',') {
        if (comma) Count(Counter::trailing_commas);
        comma = true;
        ++at_;
      } else if (c == ']') {
        if (comma) Count(Counter::trailing_commas);
        ++at_;
        end.state = ParseEnd::State::kListEnd;
        break;
      } else if (Element()) {
        ++end.events;
        comma = false;
      } else if (Skip()) {
        comma = false;
      } else {
        end.state = ParseEnd::State::kInside;
        break;
      }
    }
    end.offset = at_;
    return end;
  }

 private:
  void Count(Counter counter) {
    rows_.log.AddAt(counter, fmt::format("byte {}", chunk_.OffsetOf(at_)));
  }

  /// Reads the element at at_ and moves to the text after it.
  bool Element() {
    if (text_[at_] != '{') return false;
    auto limit = NextCut(at_ + 1);
    for (int tries = 0; tries < kMaxFalseEnds; ++tries) {
      if (auto mended = Mend(text_.substr(at_, limit - at_)); mended && Accept(*mended))
        return true;
      if (limit == text_.size()) return false;
      limit = NextCut(limit + 1);
    }
    return false;
  }

  // Parses the text twice: first only to check it, then to make rows of the accepted elements.
  bool Accept(const Mended& mended) {
    Probe probe;
    const auto end = parser_.Parse(mended.text, probe);
    if (end.state != ParseEnd::State::kChunkEnd || probe.count != 1) return false;
    parser_.Parse(mended.text, sink_);
    for (const auto counter : mended.repairs) Count(counter);
    at_ += mended.end;
    return true;
  }

  /// Skips the text at at_ up to the next event or the list's end. False if neither follows in the
  /// chunk.
  bool Skip() {
    auto next = NextCut(at_ + 1);
    if (next == text_.size()) next = chunk_.last ? ListEnd() : text_.size();
    if (next == text_.size()) return false;
    Count(Counter::events_unreadable);
    rows_.log.Add(Counter::events_read);
    rows_.log.Add(Counter::bytes_skipped, next - at_);
    at_ = next;
    return true;
  }

  /// Finds the `]` that ends the list in the last chunk. A list inside an event may look like it,
  /// so the document must continue to its end after the right one.
  std::size_t ListEnd() const {
    for (auto at = FindListEnd(text_, at_); at != std::string_view::npos;
         at = FindListEnd(text_, at + 1)) {
      if (text_.size() - at > kMaxTail) continue;
      const auto rest = Trim(text_.substr(at + 1));
      if (rest.empty()) return at;
      // The text from the `]` on must be the end of an object. It is repaired as one, which must
      // reach to the end of the text.
      const auto document = "{\"\": [" + std::string(text_.substr(at));
      const auto mended = Mend(document);
      if (mended && Trim(std::string_view(document).substr(mended->end)).empty()) return at;
    }
    return text_.size();
  }

  std::size_t NextCut(std::size_t from) const {
    const auto cut = FindFirstCut(text_, from);
    return cut == std::string_view::npos ? text_.size() : cut;
  }

  const Chunk& chunk_;
  std::string_view text_;
  EventParser& parser_;
  EventSink& sink_;
  Rows& rows_;
  std::size_t at_ = 0;
};

}  // namespace

ParseEnd RepairChunk(const Chunk& chunk, EventParser& parser, EventSink& sink, Rows& rows) {
  return Repair(chunk, parser, sink, rows).Run();
}

}  // namespace profgauge::readers::kineto
