#include "readers/neuron/row_log.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "readers/neuron/json_stream.h"
#include "readers/text/json_scan.h"

namespace profgauge::readers::neuron {
namespace {

namespace json = boost::json;

struct TextHash {
  std::size_t operator()(std::string_view text) const {
    return XXH3_64bits(text.data(), text.size());
  }
};

/// The limit of depth: the JSON parser reads deeper structures.
constexpr int kMaxDepth = 16;

/// The character that the escape `\letter` means; 0 if the JSON parser must decide.
char Unescaped(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

/// The quote that ends the string that begins at `at`; null if the JSON parser must decide.
const char* CloseOf(const char* at, const char* end) {
  for (;;) {
    at = json_scan::SkipPlain(at, end);
    if (at == end) return nullptr;
    if (*at == '"') return at;
    if (*at != '\\' || end - at < 2 || Unescaped(at[1]) == 0) return nullptr;
    at += 2;
  }
}

std::string_view Unescape(std::string_view text, TextStore& store) {
  char* const begin = store.Room(text.size());
  char* out = begin;
  for (const char* at = text.data(); at != text.data() + text.size(); ++at) {
    *out++ = *at == '\\' ? Unescaped(*++at) : *at;
  }
  store.Use(static_cast<std::size_t>(out - begin));
  return {begin, static_cast<std::size_t>(out - begin)};
}

}  // namespace

/// Reads reals with the JSON parser, because another conversion might round in another way.
class RowReader::Reals {
 public:
  /// The number; nothing if the parser finds no real number.
  std::optional<double> Read(std::string_view text) {
    parser_.reset();
    parser_.handler().value.reset();
    json::error_code code;
    parser_.write_some(false, text.data(), text.size(), code);
    return code ? std::nullopt : parser_.handler().value;
  }

 private:
  struct Handler : JsonHandler {
    std::optional<double> value;

    bool on_double(double real, View, Code&) {
      value = real;
      return true;
    }
  };

  json::basic_parser<Handler> parser_{json::parse_options{}};
};

/// Reads values as the fields of one row.
class RowReader::Values {
 public:
  Values(const char* end, RowLog& log, Reals& reals) : end_(end), log_(log), reals_(reals) {}

  // Each returns the position after the value at `at`; null if the JSON parser must decide.

  /// Reads the value of the field `key`.
  const char* Value(const char* at, Key key) {
    key_ = key;
    is_id_ = false;
    if (*at == '"') return String(at);
    if (json_scan::IsDigit(*at) || *at == '-') return Number(at);
    if (*at == '[' || *at == '{') return Structure(at, kMaxDepth);
    return Word(at, false);
  }

 private:
  const char* String(const char* at) {
    const char* const text = at + 1;
    const char* close = json_scan::SkipPlain(text, end_);
    if (close == end_) return nullptr;
    const bool plain = *close == '"';
    if (!plain) close = CloseOf(close, end_);
    if (close == nullptr) return nullptr;
    if (key_ != Key::kNone) {
      const std::string_view written(text, static_cast<std::size_t>(close - text));
      log_.AddText(key_, plain ? written : Unescape(written, log_.texts()));
    }
    return close + 1;
  }

  const char* SkipNumber(const char* at) const {
    if (*at == '-') ++at;
    if (at == end_ || !json_scan::IsDigit(*at)) return nullptr;
    at = json_scan::SkipMantissa(at, end_);
    if (at == nullptr || (*at != 'e' && *at != 'E')) return at;
    ++at;
    if (at != end_ && (*at == '-' || *at == '+')) ++at;
    const char* const behind = json_scan::SkipDigits(at, end_);
    constexpr std::ptrdiff_t kMostDigits = 2;  // With so few digits nothing overflows.
    return behind == end_ || behind == at || behind - at > kMostDigits ? nullptr : behind;
  }

  /// Reads a whole number below 10^19, or one below 10^18 after a sign; null otherwise. 19 digits
  /// always fit into 64 bits without a sign, 18 with one.
  const char* Integer(const char* at, std::int64_t& value) const {
    const bool negative = *at == '-';
    const char* const first = negative ? at + 1 : at;
    const std::ptrdiff_t most = negative ? 18 : 19;
    std::uint64_t digits = 0;
    for (at = first; at != end_ && json_scan::IsDigit(*at) && at - first <= most; ++at) {
      digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    const auto size = at - first;
    if (at == end_ || size == 0 || size > most || *at == '.' || *at == 'e' || *at == 'E') {
      return nullptr;
    }
    // "007" is invalid JSON; "-0" is left to the parser.
    if (*first == '0' && (size > 1 || negative)) return nullptr;
    // Numbers above 2^63 wrap, as ids do.
    value = static_cast<std::int64_t>(negative ? 0 - digits : digits);
    return at;
  }

  const char* Number(const char* at) {
    if (key_ == Key::kNone) return SkipNumber(at);
    std::int64_t integer = 0;
    if (const char* const behind = Integer(at, integer)) {
      log_.AddInteger(key_, integer);
      return behind;
    }
    const char* const behind = SkipNumber(at);
    if (behind == nullptr) return nullptr;
    const auto real = reals_.Read({at, static_cast<std::size_t>(behind - at)});
    if (!real) return nullptr;
    log_.AddReal(key_, *real);
    return behind;
  }

  /// Reads a number inside a structure. Only ids of predecessors are used.
  const char* NestedNumber(const char* at) {
    if (key_ != Key::kPredecessors || !is_id_) return SkipNumber(at);
    std::int64_t integer = 0;
    const char* const behind = Integer(at, integer);
    if (behind) log_.AddPredecessor(integer);
    return behind;
  }

  const char* Word(const char* at, bool nested) {
    if (const char* const behind = json_scan::SkipWord(at, end_, "null")) return behind;
    for (const bool value : {true, false}) {
      const char* const behind = json_scan::SkipWord(at, end_, value ? "true" : "false");
      if (behind == nullptr) continue;
      if (key_ != Key::kNone && !nested) log_.AddBool(key_, value);
      return behind;
    }
    return nullptr;
  }

  const char* Structure(const char* at, int depth) {
    const bool object = *at == '{';
    const char close = object ? '}' : ']';
    at = json_scan::SkipSpace(at + 1, end_);
    if (at != end_ && *at == close) return at + 1;
    for (;;) {
      at = object ? NestedKey(at) : at;
      at = at == nullptr || at == end_ ? nullptr : Element(at, depth);
      if (at == nullptr) return nullptr;
      at = json_scan::SkipSpace(at, end_);
      if (at == end_) return nullptr;
      if (*at == close) return at + 1;
      if (*at != ',') return nullptr;
      at = json_scan::SkipSpace(at + 1, end_);
    }
  }

  const char* NestedKey(const char* at) {
    if (at == end_ || *at != '"') return nullptr;
    const char* const behind = json_scan::SkipString(at, end_);
    if (behind == nullptr) return nullptr;
    is_id_ = std::string_view(at + 1, static_cast<std::size_t>(behind - at) - 2) == "id";
    at = json_scan::SkipSpace(behind, end_);
    return at != end_ && *at == ':' ? json_scan::SkipSpace(at + 1, end_) : nullptr;
  }

  const char* Element(const char* at, int depth) {
    if (*at == '"') return String(at);
    if (json_scan::IsDigit(*at) || *at == '-') return NestedNumber(at);
    if (*at == '[' || *at == '{') return depth == 0 ? nullptr : Structure(at, depth - 1);
    return Word(at, true);
  }

  const char* end_;
  RowLog& log_;
  Reals& reals_;
  Key key_ = Key::kNone;
  bool is_id_ = false;
};

/// Recognizes keys by the bytes between two values. Most rows have the same keys in the same order
/// as the row before, so the key that followed last time is tried first.
class RowReader::Keys {
 public:
  struct Between {
    std::string text;  ///< `, "key": `, or `}` after the last value.
    Key key = Key::kNone;
    bool last = false;       ///< The row ends after this text.
    std::uint32_t next = 0;  ///< The text that last followed its value; 0: unknown.

    // True if these bytes are at `at`. Compares the end first: most texts differ there.
    bool StandsAt(const char* at, const char* end) const {
      const std::size_t size = text.size();
      if (static_cast<std::size_t>(end - at) < size) return false;
      const char* const own = text.data();
      constexpr std::size_t kWord = sizeof(std::uint64_t);
      if (size < kWord) return std::memcmp(own, at, size) == 0;
      if (Word(own + size - kWord) != Word(at + size - kWord)) return false;
      for (std::size_t i = 0; i + kWord < size; i += kWord) {
        if (Word(own + i) != Word(at + i)) return false;
      }
      return true;
    }
  };

  Keys() {
    known_.reserve(kMostTexts);  // Texts never move.
    known_.emplace_back();
  }

  /// The index of the key text at `at`, after the value of the key `before` (0 at a row's begin).
  /// Returns 0 if the JSON parser must decide.
  std::uint32_t Find(std::uint32_t before, const char* at, const char* end) {
    const std::uint32_t guess = known_[before].next;
    if (guess != 0 && known_[guess].StandsAt(at, end)) return guess;
    const std::uint32_t found = Parse(before == 0, at, end);
    if (found != 0) known_[before].next = found;
    return found;
  }
  const Between& operator[](std::uint32_t index) const { return known_[index]; }

 private:
  // Limits of the cache. With more key texts, the JSON parser reads the rows.
  static constexpr std::size_t kMostTexts = 4096, kLongestText = 1024;

  static std::uint64_t Word(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    return word;
  }

  // Learns the text at `from`, with white space up to the next value, which varies little.
  std::uint32_t Parse(bool first, const char* from, const char* end) {
    const auto until = [from](const char* to) {
      return std::string_view(from, static_cast<std::size_t>(to - from));
    };
    const char* at = json_scan::SkipSpace(from, end);
    if (at == end || (first && *at != '{')) return 0;
    if (first) at = json_scan::SkipSpace(at + 1, end);
    if (at == end) return 0;
    if (*at == '}') return IndexOf(until(at + 1), {}, true);
    if (!first && *at != ',') return 0;
    if (!first) at = json_scan::SkipSpace(at + 1, end);
    if (at == end || *at != '"') return 0;
    const char* const behind = json_scan::SkipString(at, end);
    if (behind == nullptr) return 0;
    const std::string_view key(at + 1, static_cast<std::size_t>(behind - at) - 2);
    at = json_scan::SkipSpace(behind, end);
    if (at == end || *at != ':') return 0;
    return IndexOf(until(json_scan::SkipSpace(at + 1, end)), key, false);
  }

  std::uint32_t IndexOf(std::string_view text, std::string_view key, bool last) {
    if (const auto found = index_.find(text); found != index_.end()) return found->second;
    if (known_.size() == kMostTexts || text.size() > kLongestText) return 0;
    const auto index = static_cast<std::uint32_t>(known_.size());
    known_.push_back({std::string(text), last ? Key::kNone : KeyOf(key), last, 0});
    index_.emplace(known_.back().text, index);
    return index;
  }

  std::vector<Between> known_;  ///< The first entry is the row's begin.
  boost::unordered_flat_map<std::string_view, std::uint32_t, TextHash> index_;
};

RowReader::RowReader() : keys_(std::make_unique<Keys>()), reals_(std::make_unique<Reals>()) {}
RowReader::~RowReader() = default;

// Reads a row by alternating Find() for the next key and Value() for its value:
//   at    {"id": 7, "opcode": "MATMUL"}
//         Find    Value Find  Value   Find: last
std::size_t RowReader::Read(std::string_view text, RowLog& log) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const std::size_t begin = log.size();
  Values values(end, log, *reals_);
  for (std::uint32_t before = 0;;) {
    const std::uint32_t found = keys_->Find(before, at, end);
    if (found == 0) break;
    const Keys::Between& between = (*keys_)[found];
    at += between.text.size();
    if (between.last) return static_cast<std::size_t>(at - text.data());
    if (at == end) break;
    at = values.Value(at, between.key);
    if (at == nullptr || at == end) break;
    before = found;
  }
  log.Shrink(begin);
  return 0;
}

char* TextStore::Room(std::size_t size) {
  constexpr std::size_t kChunk = std::size_t{256} << 10;
  if (chunks_.empty() || chunks_.back().size - used_ < size) {
    const std::size_t made = std::max(size, kChunk);
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(made), made});
    used_ = 0;
  }
  return chunks_.back().bytes.get() + used_;
}

std::string_view TextStore::Keep(std::string_view text) {
  if (text.empty()) return {};
  char* const at = Room(text.size());
  std::memcpy(at, text.data(), text.size());
  Use(text.size());
  return {at, text.size()};
}

void RowLog::TakeFrom(RowLog& other, std::size_t begin) {
  for (std::size_t i = begin; i < other.entries_.size(); ++i) {
    Entry& entry = entries_.emplace_back(other.entries_[i]);
    const bool text =
        entry.kind == Kind::kTable || entry.kind == Kind::kName || entry.kind == Kind::kText;
    if (text) entry.text = texts_.Keep(entry.Text()).data();
  }
  other.Shrink(begin);
}

void RowReplay::Take(const RowLog& log) {
  using Kind = RowLog::Kind;
  for (const RowLog::Entry& entry : log.entries_) {
    switch (entry.kind) {
      case Kind::kTable:
        receiver_.BeginTable(entry.Text());
        index_ = 0;
        break;
      case Kind::kRow:
        record_.Clear(entry.integer != 0);
        break;
      case Kind::kEnd:
        receiver_.Row(record_, index_++, entry.integer != 0);
        break;
      case Kind::kName:
        record_.Begin(entry.Text());
        break;
      case Kind::kInteger:
        record_.Begin(entry.key);
        record_.AddInteger(entry.integer);
        break;
      case Kind::kReal:
        record_.Begin(entry.key);
        record_.AddReal(entry.real);
        break;
      case Kind::kText:
        record_.Begin(entry.key);
        record_.AddText(entry.Text());
        break;
      case Kind::kPredecessor:
        record_.AddPredecessor(entry.integer);
        break;
    }
  }
}

}  // namespace profgauge::readers::neuron
