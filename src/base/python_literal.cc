#include "base/python_literal.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace profgauge {
namespace {

constexpr int kMaxDepth = 64;

/// Appends a code point as UTF-8; half surrogate pairs and codes beyond Unicode become U+FFFD.
///
///   to 7F       0xxxxxxx
///   to 7FF      110xxxxx 10xxxxxx
///   to FFFF     1110xxxx 10xxxxxx 10xxxxxx
///   to 10FFFF   11110xxx 10xxxxxx 10xxxxxx 10xxxxxx
void AppendUtf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  tl::expected<PyValue, PyError> All() {
    PyValue value;
    SkipBlanks();
    if (!Value(value, 0)) return tl::unexpected(error_);
    SkipBlanks();
    if (at_ < text_.size()) {
      Fail("the end of the line");
      return tl::unexpected(error_);
    }
    return value;
  }

 private:
  bool Fail(std::string expected) {
    error_ = {at_ + 1, std::move(expected)};
    return false;
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void SkipBlanks() {
    while (at_ < text_.size() &&
           (Peek() == ' ' || Peek() == '\t' || Peek() == '\r' || Peek() == '\n')) {
      ++at_;
    }
  }
  bool Take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool Value(PyValue& out, int depth) {
    if (depth > kMaxDepth) return Fail("at most 64 nested brackets");
    switch (Peek()) {
      case '\'':
      case '"':
        out.kind = PyValue::Kind::kText;
        return Text(out.text);
      case '[':
        out.kind = PyValue::Kind::kList;
        return Items(out, ']', depth);
      case '(':
        out.kind = PyValue::Kind::kTuple;
        return Items(out, ')', depth);
      case '{':
        out.kind = PyValue::Kind::kDict;
        return Items(out, '}', depth);
      default:
        return Word(out);
    }
  }

  bool Word(PyValue& out) {
    if (Take("None")) return true;
    const bool is_true = text_.substr(at_, 4) == "True";
    if (is_true || text_.substr(at_, 5) == "False") {
      at_ += is_true ? 4 : 5;
      out.kind = PyValue::Kind::kBool;
      out.integer = is_true ? 1 : 0;
      out.real = is_true ? 1 : 0;
      return true;
    }
    return Number(out);
  }

  bool Number(PyValue& out) {
    const std::size_t begin = at_;
    const bool negative = Take("-");
    if (Take("inf") || Take("nan")) {
      out.kind = PyValue::Kind::kFloat;
      out.real = text_[at_ - 1] == 'f' ? std::numeric_limits<double>::infinity() : std::nan("");
      if (negative) out.real = -out.real;
      return true;
    }
    const char* first = text_.data() + begin;
    const char* last = text_.data() + text_.size();
    const auto [int_end, int_error] = std::from_chars(first, last, out.integer);
    const auto [real_end, real_error] = std::from_chars(first, last, out.real);
    if (real_error != std::errc{} || Peek() < '0' || Peek() > '9') {
      at_ = begin;
      return Fail("a value");
    }
    const bool whole = int_error == std::errc{} && int_end == real_end;
    out.kind = whole ? PyValue::Kind::kInt : PyValue::Kind::kFloat;
    if (!whole) out.integer = 0;
    at_ = static_cast<std::size_t>(real_end - text_.data());
    return true;
  }

  // Parses items up to `close`; a comma may follow the last. Dictionaries have key: value.
  bool Items(PyValue& out, char close, int depth) {
    ++at_;
    const bool is_dict = close == '}';
    while (true) {
      SkipBlanks();
      if (Peek() == close) return ++at_, true;
      if (!Value(out.items.emplace_back(), depth + 1)) return false;
      SkipBlanks();
      if (is_dict) {
        if (!Take(":")) return Fail("`:`");
        SkipBlanks();
        if (!Value(out.items.emplace_back(), depth + 1)) return false;
        SkipBlanks();
      }
      if (Peek() == close) return ++at_, Unwrap(out);
      if (!Take(",")) return Fail(std::string("`,` or `") + close + "`");
    }
  }

  // "(1)" without a comma is a value in parentheses, not a tuple.
  static bool Unwrap(PyValue& out) {
    if (out.kind != PyValue::Kind::kTuple || out.items.size() != 1) return true;
    PyValue inner = std::move(out.items.front());
    out = std::move(inner);
    return true;
  }

  bool Text(std::string& out) {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\') {
        if (!Escape(out)) return false;
      } else {
        out += text_[at_++];
      }
    }
    if (at_ >= text_.size()) return Fail(std::string("`") + quote + "`");
    ++at_;
    return true;
  }

  bool Escape(std::string& out) {
    ++at_;
    if (at_ >= text_.size()) return Fail("a character after `\\`");
    const char c = text_[at_++];
    constexpr std::string_view kFrom = "\\'\"nrtabfv0";
    constexpr std::string_view kTo("\\'\"\n\r\t\a\b\f\v\0", 11);
    if (c == 'x') return Hex(2, out);
    if (c == 'u') return Hex(4, out);
    if (c == 'U') return Hex(8, out);
    const auto found = kFrom.find(c);
    if (found != std::string_view::npos) {
      out += kTo[found];
    } else {
      out += '\\';  // An unknown escape is kept, as in Python.
      out += c;
    }
    return true;
  }

  bool Hex(std::size_t digits, std::string& out) {
    std::uint32_t code = 0;
    const std::string_view hex = text_.substr(at_, digits);
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (hex.size() != digits || error != std::errc{} || end != hex.data() + digits) {
      return Fail("hexadecimal digits");
    }
    at_ += digits;
    AppendUtf8(out, code);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  PyError error_;
};

}  // namespace

const PyValue* PyValue::Find(std::string_view key) const {
  if (kind != Kind::kDict) return nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == Kind::kText && items[i].text == key) return &items[i + 1];
  }
  return nullptr;
}

tl::expected<PyValue, PyError> ParsePythonLiteral(std::string_view text) {
  return Parser(text).All();
}

}  // namespace profgauge
