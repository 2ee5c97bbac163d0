#include "readers/kineto/skeleton.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>

#include "base/text.h"
#endif

namespace profgauge::readers::kineto {
namespace {

/// Beyond these a file has no layouts worth learning.
constexpr std::size_t kMaxNodes = 4096;
constexpr std::size_t kMaxChildren = 48;
constexpr std::size_t kMaxLiteral = 1024;
/// Longer numbers are left to the JSON parser, with its rules for what overflows.
constexpr std::size_t kMaxDigits = 40;
/// Deeper structures are left to the JSON parser.
constexpr int kMaxLearntDepth = 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
/// Bytes that end a string or need the JSON parser's judgement.
bool IsPlain(char c) { return c != '"' && c != '\\' && c >= 0x20 && c < 0x7f; }

std::uint64_t Word(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

/// Whether `literal` stands at `at`. REQUIRES: as many bytes can be read there. Most literals are
/// of 8 to 32 bytes, and most comparisons end with the first.
bool StandsAt(const std::string& literal, const char* at) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const char* const text = literal.data();
  const std::size_t size = literal.size();
  if (size < kWord) return std::memcmp(text, at, size) == 0;
  // The last word may overlap the one before.
  if (Word(text + size - kWord) != Word(at + size - kWord)) return false;
  for (std::size_t i = 0; i + kWord < size; i += kWord) {
    if (Word(text + i) != Word(at + i)) return false;
  }
  return true;
}

/// The first byte from `at` on that is not plain, or `end`.
const char* SkipPlain(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i escape = _mm_set1_epi8('\\');
  const __m128i lowest = _mm_set1_epi8(0x20);
  const __m128i highest = _mm_set1_epi8(0x7e);
  while (end - at >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // Signed comparison: bytes from 0x80 on are below 0x20 too.
    const __m128i odd =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, escape)),
                     _mm_or_si128(_mm_cmplt_epi8(bytes, lowest), _mm_cmpgt_epi8(bytes, highest)));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(odd));
    if (mask != 0) return at + __builtin_ctz(mask);
    at += 16;
  }
#endif
  while (at != end && IsPlain(*at)) ++at;
  return at;
}

/// Behind the string that opens at `at`; nothing when it is not plain or does not end.
const char* SkipString(const char* at, const char* end) {
  const char* const close = SkipPlain(at + 1, end);
  return close != end && *close == '"' ? close + 1 : nullptr;
}

/// Behind the digits at `at`, and their number added to `count`.
const char* SkipDigits(const char* at, const char* end, std::size_t& count) {
  const char* const first = at;
  while (at != end && IsDigit(*at)) ++at;
  count += static_cast<std::size_t>(at - first);
  return at;
}

/// Behind the number at `at`; nothing when it is not a JSON number as the header says. A number
/// that reaches to `end` may go on.
const char* SkipNumber(const char* at, const char* end) {
  if (*at == '-') ++at;
  const char* const first = at;
  std::size_t digits = 0;
  at = SkipDigits(at, end, digits);
  if (digits == 0 || (*first == '0' && digits > 1)) return nullptr;
  if (at != end && *at == '.') {
    const std::size_t before = digits;
    at = SkipDigits(at + 1, end, digits);
    if (digits == before) return nullptr;
  }
  if (at == end || digits > kMaxDigits || *at == 'e' || *at == 'E') return nullptr;
  return at;
}

const char* SkipWord(const char* at, const char* end, std::string_view word) {
  const auto room = static_cast<std::size_t>(end - at);
  return room > word.size() && std::memcmp(at, word.data(), word.size()) == 0 ? at + word.size()
                                                                              : nullptr;
}

const char* SkipSpace(const char* at, const char* end) {
  while (at != end && IsSpace(*at)) ++at;
  return at;
}

struct Scalar {
  const char* end = nullptr;  ///< Nothing when it is no such scalar.
  std::string_view text;
  Form form = Form::kNull;
};

Scalar ReadScalar(const char* at, const char* end) {
  Scalar scalar;
  switch (*at) {
    case '"':
      scalar.end = SkipString(at, end);
      scalar.form = Form::kString;
      if (scalar.end) scalar.text = {at + 1, static_cast<std::size_t>(scalar.end - at) - 2};
      return scalar;
    case 't':
      return {SkipWord(at, end, "true"), "true", Form::kBool};
    case 'f':
      return {SkipWord(at, end, "false"), "false", Form::kBool};
    case 'n':
      return {SkipWord(at, end, "null"), "null", Form::kNull};
    default:
      if (*at != '-' && !IsDigit(*at)) return scalar;
      if (*at == '-' && (at + 1 == end || !IsDigit(at[1]))) return scalar;
      scalar.end = SkipNumber(at, end);
      scalar.form = Form::kNumber;
      if (scalar.end) scalar.text = {at, static_cast<std::size_t>(scalar.end - at)};
      return scalar;
  }
}

/// Follows a list or object, writing it in canonical text where `out` is given.
class StructureReader {
 public:
  StructureReader(const char* end, std::string* out) : end_(end), out_(out) {}

  /// Behind the structure that opens at `at`; nothing when it holds anything else than the header
  /// says.
  const char* Read(const char* at, int depth) {
    const bool object = *at == '{';
    const char close = object ? '}' : ']';
    Write(std::string_view(at, 1));
    at = SkipSpace(at + 1, end_);
    if (at != end_ && *at == close) {
      Write(std::string_view(at, 1));
      return at + 1;
    }
    for (;;) {
      at = object ? ReadKey(at) : at;
      at = at == nullptr ? nullptr : ReadElement(at, depth);
      if (at == nullptr) return nullptr;
      at = SkipSpace(at, end_);
      if (at == end_) return nullptr;
      if (*at == close) {
        Write(std::string_view(at, 1));
        return at + 1;
      }
      if (*at != ',') return nullptr;
      Write(", ");
      at = SkipSpace(at + 1, end_);
    }
  }

 private:
  const char* ReadKey(const char* at) {
    if (at == end_ || *at != '"') return nullptr;
    const char* const behind = SkipString(at, end_);
    if (behind == nullptr) return nullptr;
    Write({at + 1, static_cast<std::size_t>(behind - at) - 2});
    Write(": ");
    at = SkipSpace(behind, end_);
    return at != end_ && *at == ':' ? SkipSpace(at + 1, end_) : nullptr;
  }

  const char* ReadElement(const char* at, int depth) {
    if (at == end_) return nullptr;
    if (*at == '[' || *at == '{') return depth == 0 ? nullptr : Read(at, depth - 1);
    const Scalar scalar = ReadScalar(at, end_);
    if (scalar.end) Write(scalar.text);
    return scalar.end;
  }

  void Write(std::string_view text) {
    if (out_) out_->append(text);
  }

  const char* end_;
  std::string* out_;
};

/// Takes an element that is known to be valid apart: bytes up to each value, and whose it is.
class Splitter {
 public:
  explicit Splitter(std::string_view element) : text_(element) {}

  struct Piece {
    std::string_view literal;
    Field field = Field::kNone;
    bool last = false;
  };

  /// Nothing when the layout is not to be learned.
  std::optional<std::vector<Piece>> Split() {
    std::vector<Piece> pieces;
    bool in_args = false;
    std::size_t from = 0;
    at_ = 1;
    for (;;) {
      SkipBlank();
      while (!Done() && text_[at_] == '}') {
        ++at_;
        if (!in_args) {
          pieces.push_back({text_.substr(from), Field::kNone, true});
          return pieces;
        }
        in_args = false;
        SkipBlank();
      }
      if (!Done() && text_[at_] == ',') {
        ++at_;
        SkipBlank();
      }
      const auto key = Key();
      if (!key) return std::nullopt;
      const Field field = in_args ? ArgsField(*key) : EventField(*key);
      if (!in_args && field == Field::kArgs && text_[at_] == '{') {
        in_args = true;
        ++at_;
        continue;
      }
      pieces.push_back({text_.substr(from, at_ - from), field, false});
      if (!SkipValue()) return std::nullopt;
      from = at_;
    }
  }

 private:
  bool Done() const { return at_ >= text_.size(); }
  void SkipBlank() {
    while (!Done() && IsSpace(text_[at_])) ++at_;
  }

  /// The key, the place being behind its colon and white space.
  std::optional<std::string_view> Key() {
    if (Done() || text_[at_] != '"') return std::nullopt;
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const char* const behind = SkipString(begin, end);
    if (behind == nullptr) return std::nullopt;
    at_ += static_cast<std::size_t>(behind - begin);
    SkipBlank();
    if (Done() || text_[at_] != ':') return std::nullopt;
    ++at_;
    SkipBlank();
    if (Done()) return std::nullopt;
    return std::string_view(begin + 1, static_cast<std::size_t>(behind - begin) - 2);
  }

  /// Any valid value, also one that Match() leaves to the JSON parser.
  bool SkipValue() {
    int depth = 0;
    bool in_string = false;
    for (; !Done(); ++at_) {
      const char c = text_[at_];
      if (in_string) {
        if (c == '\\') ++at_;
        in_string = c != '"';
      } else if (c == '"') {
        in_string = true;
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if (depth == 0 && (c == ',' || c == '}' || IsSpace(c))) {
        return true;
      } else if (c == ']' || c == '}') {
        --depth;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::uint32_t Skeletons::Child(std::uint32_t parent, std::string_view literal, Field field,
                               bool last) {
  for (const std::uint32_t child : nodes_[parent].next) {
    if (nodes_[child].literal == literal) return child;
  }
  if (literal.size() > kMaxLiteral || nodes_.size() >= kMaxNodes ||
      nodes_[parent].next.size() >= kMaxChildren) {
    return kNone;
  }
  const auto made = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({std::string(literal), field, last, {}});
  nodes_[parent].next.push_back(made);
  return made;
}

void Skeletons::Learn(std::string_view element) {
  const auto pieces = Splitter(element).Split();
  if (!pieces) return;
  std::uint32_t node = 0;
  for (const auto& piece : *pieces) {
    node = Child(node, piece.literal, piece.field, piece.last);
    if (node == kNone) return;
  }
}

std::uint32_t Skeletons::Follow(std::uint32_t parent, const char* at, const char* end) {
  auto& next = nodes_[parent].next;
  const auto room = static_cast<std::size_t>(end - at);
  for (std::size_t i = 0; i < next.size(); ++i) {
    const std::string& literal = nodes_[next[i]].literal;
    if (literal.size() > room || !StandsAt(literal, at)) continue;
    if (i > 0) std::swap(next[i], next[i - 1]);
    return next[i > 0 ? i - 1 : 0];
  }
  return kNone;
}

std::size_t Skeletons::Match(std::string_view text, RawEvent& event) {
  const char* at = text.data();
  const char* const end = at + text.size();
  event.Clear();
  scratch_.Clear();
  for (std::uint32_t node = 0;;) {
    node = Follow(node, at, end);
    if (node == kNone) return 0;
    const Node& found = nodes_[node];
    at += found.literal.size();
    if (found.last) return at == end ? 0 : static_cast<std::size_t>(at - text.data());
    if (at == end) return 0;
    const bool wanted = found.field < Field::kCount_;
    if (*at != '[' && *at != '{') {
      const Scalar scalar = ReadScalar(at, end);
      if (scalar.end == nullptr) return 0;
      if (wanted) event.Set(found.field, scalar.text, scalar.form);
      at = scalar.end;
      continue;
    }
    // An object under "args" has layouts of its own.
    if (found.field == Field::kArgs && *at == '{') return 0;
    std::string* const out = wanted ? &scratch_.Next() : nullptr;
    at = StructureReader(end, out).Read(at, kMaxLearntDepth);
    if (at == nullptr) return 0;
    if (wanted) event.Set(found.field, *out, Form::kStructure);
  }
}

}  // namespace profgauge::readers::kineto
