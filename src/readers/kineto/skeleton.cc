#include "readers/kineto/skeleton.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text.h"
#include "readers/text/json_scan.h"

namespace profgauge::readers::kineto {
namespace {

using json_scan::IsDigit;
using json_scan::SkipNumber;
using json_scan::SkipSpace;
using json_scan::SkipString;
using json_scan::SkipWord;

/// Limits of the tree, because in a hostile file each event may have a new layout. When a limit is
/// reached, the tree stops growing and the parser reads the events with new layouts.
constexpr std::size_t kMaxNodes = 4096;
constexpr std::size_t kMaxChildren = 48;
constexpr std::size_t kMaxLiteral = 1024;
/// The limit of depth, because each level is a call. Deeper structures are left to the JSON parser,
/// whose limit (kMaxDepth) is higher.
constexpr int kMaxLearntDepth = 16;

std::uint64_t Word(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

struct Scalar {
  std::string_view text;
  Form form = Form::kNull;
};

/// The position after the scalar at `at`; null if there is no valid scalar.
[[gnu::always_inline]] inline const char* ReadScalar(const char* at, const char* end,
                                                     Scalar& scalar) {
  if (*at == '"') {
    const char* const behind = SkipString(at, end);
    if (behind) scalar = {{at + 1, static_cast<std::size_t>(behind - at) - 2}, Form::kString};
    return behind;
  }
  if (IsDigit(*at) || *at == '-') {
    // Uses a branch instead of a sum, so that the CPU need not wait for the next value's position.
    const char* behind = nullptr;
    if (*at != '-') {
      behind = SkipNumber(at, end);
    } else if (at + 1 != end && IsDigit(at[1])) {
      behind = SkipNumber(at + 1, end);
    }
    if (behind) scalar = {{at, static_cast<std::size_t>(behind - at)}, Form::kNumber};
    return behind;
  }
  static constexpr Scalar kWords[] = {
      {"true", Form::kBool}, {"false", Form::kBool}, {"null", Form::kNull}};
  for (const Scalar& word : kWords) {
    scalar = word;
    if (const char* const behind = SkipWord(at, end, word.text)) return behind;
  }
  return nullptr;
}

/// Reads a list or object, and writes it in canonical text to `out` if that is not null.
class StructureReader {
 public:
  StructureReader(const char* end, std::string* out) : end_(end), out_(out) {}

  /// The position after the structure at `at`; null if it contains a value that Match() does not
  /// read (see the header).
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
    Scalar scalar;
    const char* const behind = ReadScalar(at, end_, scalar);
    if (behind) Write(scalar.text);
    return behind;
  }

  void Write(std::string_view text) {
    if (out_) out_->append(text);
  }

  const char* end_;
  std::string* out_;
};

/// Splits an element, known to be valid, into the bytes before each value and the value's field.
/// The literal before a value in "args" includes the opening of "args", so that the object needs no
/// separate node:
///
///   element    {"ph": "X", "args": {"stream": 7}}
///   literals   `{"ph": `   `, "args": {"stream": `   `}}`
///
/// Keys with escapes are not learned (Key() refuses them): their bytes are not their text.
class Splitter {
 public:
  explicit Splitter(std::string_view element) : text_(element) {}

  struct Piece {
    std::string_view literal;
    Field field = Field::kNone;
    bool last = false;
  };

  /// The pieces; nothing if the layout must not be learned.
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
      // If "args" is no object, it is a value like others.
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

  /// Reads a key. Afterwards the position is after its colon and white space.
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

  /// Skips any valid value, including those that Match() leaves to the JSON parser.
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

// A known literal keeps its field, because its bytes determine the key, and its path shows whether
// the key is of the event or of "args".
std::uint32_t Skeletons::Child(std::uint32_t parent, std::string_view literal, Field field,
                               bool last) {
  // A linear search is enough: siblings are few, and only learning searches here.
  for (const Literal& known : nodes_[parent]) {
    if (std::string_view(known.text, known.size) == literal) return known.node;
  }
  if (literal.size() > kMaxLiteral || nodes_.size() >= kMaxNodes ||
      nodes_[parent].size() >= kMaxChildren) {
    return kNone;
  }
  Literal made = Literal::Of(texts_.emplace_back(literal));
  made.field = field;
  made.last = last;
  made.node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back(&memory_);
  nodes_[parent].push_back(made);
  return made.node;
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

Skeletons::Literal Skeletons::Literal::Of(std::string_view bytes) {
  Literal made;
  const std::size_t tail = std::min(bytes.size(), sizeof(made.word));
  std::memcpy(&made.word, bytes.data() + bytes.size() - tail, tail);
  if (bytes.size() > sizeof(made.word)) {
    made.first = Word(bytes.data());
  } else {
    std::memset(&made.first, 0xff, tail);
  }
  made.text = bytes.data();
  made.size = static_cast<std::uint32_t>(bytes.size());
  return made;
}

// Compares the last bytes first, because most literals have 8 to 32 bytes and differ at the end.
inline bool Skeletons::Literal::StandsAt(const char* at, const char* end) const {
  constexpr std::size_t kWord = sizeof(word);
  const auto room = static_cast<std::size_t>(end - at);
  if (room < std::max<std::size_t>(size, kWord)) {
    return size <= room && std::memcmp(text, at, size) == 0;
  }
  if (size <= kWord) return ((Word(at) ^ word) & first) == 0;
  if (Word(at + size - kWord) != word || Word(at) != first) return false;
  for (std::size_t i = kWord; i + kWord < size; i += kWord) {
    if (Word(text + i) != Word(at + i)) return false;
  }
  return true;
}

inline const Skeletons::Literal* Skeletons::Follow(Node& node, const char* at, const char* end) {
  Literal* const first = node.data();
  for (Literal* literal = first; literal != first + node.size(); ++literal) {
    if (!literal->StandsAt(at, end)) continue;
    // Orders siblings by frequency, not by the last match, because layouts alternate.
    ++literal->followed;
    if (literal == first || literal->followed <= literal[-1].followed) return literal;
    std::swap(literal[-1], literal[0]);
    return literal - 1;
  }
  return nullptr;
}

// Compares the bytes of known structures first. They always end at the structure's bracket.
const char* Skeletons::ReadStructure(const char* at, const char* end, Field field,
                                     std::string* out) {
  constexpr std::ptrdiff_t kLongest = 128;
  auto& [known, count] = structures_[std::min(static_cast<std::size_t>(field), kFieldCount)];
  for (std::size_t i = 0; i < count; ++i) {
    if (!known[i]->literal.StandsAt(at, end)) continue;
    const char* const behind = at + known[i]->literal.size;
    if (out) out->append(known[i]->text);
    if (i > 0) std::swap(known[i - 1], known[i]);
    return behind;
  }
  // The structure is unknown: reads it, and remembers short ones for later events.
  const char* const behind = StructureReader(end, out).Read(at, kMaxLearntDepth);
  if (behind == nullptr || behind - at > kLongest) return behind;
  if (count < known.size()) known[count++] = std::make_unique<Structure>();
  Structure& last = *known[count - 1];
  last.bytes.assign(at, behind);
  last.text = out ? *out : std::string();
  last.literal = Literal::Of(last.bytes);
  return behind;
}

std::size_t Skeletons::Match(std::string_view text, RawEvent& event) {
  const char* at = text.data();
  const char* const end = at + text.size();
  event.Clear();
  scratch_.Clear();
  for (std::uint32_t node = 0;;) {
    const Literal* const found = Follow(nodes_[node], at, end);
    if (found == nullptr) return 0;
    node = found->node;
    at += found->size;
    // The rest of the element is in the next chunk or missing, so the parser decides.
    if (at == end) return 0;
    if (found->last) return static_cast<std::size_t>(at - text.data());
    const Field field = found->field;
    const bool wanted = field < Field::kCount_;
    if (*at != '[' && *at != '{') {
      Scalar scalar;
      at = ReadScalar(at, end, scalar);
      if (at == nullptr) return 0;
      if (wanted) event.Set(field, scalar.text, scalar.form);
      continue;
    }
    // This layout has no object as "args".
    if (field == Field::kArgs && *at == '{') return 0;
    std::string* const out = wanted ? &scratch_.Next() : nullptr;
    at = ReadStructure(at, end, field, out);
    if (at == nullptr) return 0;
    if (wanted) event.Set(field, *out, Form::kStructure);
  }
}

}  // namespace profgauge::readers::kineto
