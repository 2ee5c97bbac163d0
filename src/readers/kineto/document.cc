#include "readers/kineto/document.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "base/text.h"

namespace profgauge::readers::kineto {
namespace {

constexpr std::string_view kListKey = "traceEvents";
/// Bytes per read of the source.
constexpr std::size_t kReadBytes = std::size_t{512} << 10;

std::string_view TrimLeft(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view TrimRight(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether the `{` at `at` begins an event: white space and a key of the event's own level after
/// it, `},` before it.
bool IsCut(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 8> kKeys = {
      "\"ph\"", "\"cat\"", "\"name\"", "\"pid\"", "\"tid\"", "\"ts\"", "\"dur\"", "\"args\""};
  const auto behind = TrimLeft(text.substr(at + 1));
  if (std::none_of(kKeys.begin(), kKeys.end(),
                   [&](std::string_view key) { return behind.starts_with(key); })) {
    return false;
  }
  const auto before = TrimRight(text.substr(0, at));
  return before.ends_with(',') && TrimRight(before.substr(0, before.size() - 1)).ends_with('}');
}

/// Takes long white space between values out of a text that grows, and begins outside of strings.
class Squeezer {
 public:
  /// Examines the text added since the last call; removed white space goes to `gaps`.
  void Squeeze(std::string& text, std::vector<Chunk::Gap>& gaps) {
    std::size_t to = done_;
    for (std::size_t from = done_; from < text.size(); ++from) {
      const char c = text[from];
      if (!in_string_ && IsSpace(c)) {
        if (++run_ > kKept) {
          const std::size_t blanks = BlanksAt(text, from + 1);
          if (gaps.empty() || gaps.back().at != to) gaps.push_back({to, 0});
          gaps.back().bytes += 1 + blanks;
          from += blanks;
          continue;
        }
      } else {
        run_ = 0;
        Step(c);
      }
      text[to++] = c;
    }
    text.resize(to);
    done_ = to;
  }

 private:
  static constexpr std::size_t kKept = 64;

  /// How many bytes from `at` on are blanks, by words: the last few are left.
  static std::size_t BlanksAt(const std::string& text, std::size_t at) {
    static constexpr std::string_view kWord = "                                ";
    std::size_t blanks = 0;
    while (text.size() - at - blanks >= kWord.size() &&
           std::memcmp(text.data() + at + blanks, kWord.data(), kWord.size()) == 0) {
      blanks += kWord.size();
    }
    return blanks;
  }

  void Step(char c) {
    if (!in_string_) {
      in_string_ = c == '"';
    } else if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    }
  }

  std::size_t done_ = 0, run_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}  // namespace

std::uint64_t Chunk::OffsetOf(std::size_t at) const {
  std::uint64_t place = offset + at;
  for (const Gap& gap : gaps) place += gap.at <= at ? gap.bytes : 0;
  return place;
}

void Chunk::Append(const Chunk& more) {
  if (text.empty()) offset = more.offset;
  for (const Gap& gap : more.gaps) gaps.push_back({gap.at + text.size(), gap.bytes});
  text += more.text;
  last = more.last;
}

std::optional<std::size_t> ListFinder::Feed(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (Step(bytes[at])) return at + 1;
    if (ended_ || !plausible_) return std::nullopt;
  }
  return std::nullopt;
}

// A byte of the document, outside of the list. Only strings and depth matter:
//
//   depth 0   before the document: `[` is the list itself, `{` an object, anything else no trace
//   depth 1   a key, then `:`, then its value; `[` as the value of "traceEvents" opens the list
//   deeper    skipped, up to the bracket that closes it
//
// The kind of a closing bracket is not compared: text before the list may be broken.
bool ListFinder::Step(char c) {
  if (in_string_) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    } else if (depth_ == 1 && token_.size() <= kListKey.size()) {
      token_.push_back(c);
    }
    return false;
  }
  if (IsSpace(c)) return false;
  if (depth_ == 0) {
    bare_list_ = c == '[';
    plausible_ = bare_list_ || c == '{';
    depth_ = 1;
    return bare_list_;
  }
  switch (c) {
    case '"':
      in_string_ = true;
      token_.clear();
      value_next_ = false;
      break;
    case ':':
      value_next_ = depth_ == 1;
      break;
    case '[':
      if (value_next_ && depth_ == 1 && token_ == kListKey) return true;
      [[fallthrough]];
    case '{':
      ++depth_;
      value_next_ = false;
      break;
    case ']':
    case '}':
      ended_ = --depth_ == 0;
      break;
    default:
      value_next_ = false;
      break;
  }
  return false;
}

// First the bytes that were held back, then those of the source. Held bytes are swapped in instead
// of copied where all of them are wanted and `out` is shorter.
void Input::Read(std::string& out, std::size_t at, std::size_t count) {
  const auto from_held = std::min(count, held_.size());
  if (at == 0 && from_held == held_.size() && from_held > out.size()) {
    out.swap(held_);
    held_.clear();
  } else {
    if (out.size() < at + from_held) out.resize(at + from_held);
    held_.copy(out.data() + at, from_held);
    held_.erase(0, from_held);
  }
  at += from_held;
  count -= from_held;
  if (!ended_) out.reserve(at + count);
  while (count > 0 && !ended_) {
    const auto step = std::min(count, kReadBytes);
    if (out.size() < at + step) out.resize(at + step);
    const auto got = source_.Read(std::as_writable_bytes(std::span(out)).subspan(at, step));
    if (!got) error_ = got.error();
    const auto have = got.value_or(0);
    ended_ = have == 0;
    hash_.Add(std::string_view(out).substr(at, have));
    total_ += have;
    at += have;
    count -= have;
  }
  out.resize(at);
}

void Input::TookOut(std::uint64_t position, std::uint64_t bytes) {
  taken_out_ += bytes;
  gaps_.emplace_back(position, taken_out_);
}

//   stream     {"a": 1},<100 blanks>{"b": 2}      of the file
//   read text  {"a": 1},<64 blanks>{"b": 2}       36 were taken out
//
// A position after the gap is 36 less than its offset in the stream. gaps_ has for each gap the sum
// up to it, so a binary search finds the sum that counts.
std::uint64_t Input::OffsetOf(std::uint64_t position) const {
  const auto behind = std::partition_point(
      gaps_.begin(), gaps_.end(), [position](const auto& gap) { return gap.first <= position; });
  return position + (behind == gaps_.begin() ? 0 : std::prev(behind)->second);
}

std::vector<Chunk::Gap> Input::GapsIn(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Chunk::Gap> gaps;
  auto gap = std::partition_point(gaps_.begin(), gaps_.end(),
                                  [begin](const auto& some) { return some.first < begin; });
  for (; gap != gaps_.end() && gap->first < end; ++gap) {
    const std::uint64_t before = gap == gaps_.begin() ? 0 : std::prev(gap)->second;
    gaps.push_back({static_cast<std::size_t>(gap->first - begin), gap->second - before});
  }
  return gaps;
}

// Backward, so that a chunk is as long as possible and mostly one candidate is looked at.
std::size_t FindCut(std::string_view text) {
  for (auto at = text.rfind('{'); at != std::string_view::npos && at > 0;
       at = text.rfind('{', at - 1)) {
    if (IsCut(text, at)) return at;
  }
  return std::string_view::npos;
}

std::size_t FindFirstCut(std::string_view text, std::size_t from) {
  for (auto at = text.find('{', from); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (IsCut(text, at)) return at;
  }
  return std::string_view::npos;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(std::string_view(" \t\r\n\0", 5)) == std::string_view::npos;
}

std::size_t FindListEnd(std::string_view text, std::size_t from) {
  for (auto at = text.find(']', from); at != std::string_view::npos; at = text.find(']', at + 1)) {
    if (!TrimRight(text.substr(0, at)).ends_with('}')) continue;
    const auto rest = TrimLeft(text.substr(at + 1));
    if (rest.empty()) return at;
    if (rest.front() == '}' && TrimLeft(rest.substr(1)).empty()) return at;
    if (rest.front() == ',' && TrimLeft(rest.substr(1)).starts_with('"')) return at;
  }
  return std::string_view::npos;
}

namespace {

/// Far more than an event of a profiler: the longest known ones have some kilobytes.
constexpr std::size_t kLongestElement = std::size_t{16} << 20;
constexpr std::string_view kEmptyElement = R"({"ph":"M","name":""})";

/// Finds the end of an object, whose text comes in pieces.
class ObjectEnd {
 public:
  /// How many bytes of the piece belong to the object; nothing: all of them, and it goes on.
  std::optional<std::size_t> Feed(std::string_view piece) {
    for (std::size_t at = 0; at < piece.size(); ++at) {
      const char c = piece[at];
      if (in_string_) {
        if (escaped_) {
          escaped_ = false;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c == '"') {
          in_string_ = false;
        }
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if ((c == '}' || c == ']') && --depth_ == 0) {
        return at + 1;
      }
    }
    return std::nullopt;
  }

 private:
  std::size_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

// Puts kEmptyElement in the place of the element that `text` begins with, where that is too long;
// of one that the stream cuts off, its first byte. `begin`: the position of the text.
bool TakeOutLongElement(Input& input, std::uint64_t begin, std::string& text) {
  const std::size_t at = text.size() - TrimLeft(text).size();
  if (at == text.size() || text[at] != '{') return false;
  ObjectEnd scan;
  std::optional<std::size_t> end = scan.Feed(std::string_view(text).substr(at));
  if (end && *end <= kLongestElement) return false;
  std::uint64_t bytes = end.value_or(text.size() - at);
  if (end) input.Unread(std::string_view(text).substr(at + *end));
  text.resize(at);
  for (std::string block; !end; block.clear()) {
    input.Read(block, kReadBytes);
    if (block.empty()) break;
    end = scan.Feed(block);
    bytes += end.value_or(block.size());
    if (end) input.Unread(std::string_view(block).substr(*end));
  }
  const std::string_view kept = end ? kEmptyElement : kEmptyElement.substr(0, 1);
  text += kept;
  input.SkippedElement(begin + at);
  input.TookOut(begin + text.size(), bytes - kept.size());
  return true;
}

// Reads kChunkBytes and cuts at the last element that begins there. Where none begins, white space
// is squeezed first, so that padding of any length needs no memory; after that the size doubles.
// Bytes of the chunk before are overwritten: to clear them first would take a
// third of the time that it takes to read them.
void FillChunk(Input& input, Chunk& chunk) {
  const std::uint64_t begin = input.position();
  std::size_t at = 0, size = kChunkBytes;
  std::optional<Squeezer> squeezer;
  const auto squeeze = [&] {
    std::vector<Chunk::Gap> gaps;
    squeezer->Squeeze(chunk.text, gaps);
    for (const Chunk::Gap& gap : gaps) input.TookOut(begin + gap.at, gap.bytes);
    at = chunk.text.size();
  };
  for (;;) {
    do {
      input.Read(chunk.text, at, size - at);
      at = chunk.text.size();
      if (squeezer) squeeze();
    } while (at < size && !input.at_end());
    // The last chunk is not cut: after its last event come the end of the list and the document.
    if (input.at_end() && at < size) {
      chunk.last = true;
      return;
    }
    const auto cut = FindCut(chunk.text);
    if (cut != std::string_view::npos) {
      input.Unread(std::string_view(chunk.text).substr(cut));
      chunk.text.resize(cut);
      return;
    }
    if (squeezer && chunk.text.size() >= kLongestElement &&
        TakeOutLongElement(input, begin, chunk.text)) {
      at = chunk.text.size();
      size = at + kChunkBytes;
      squeezer.reset();
    } else if (squeezer) {
      size *= 2;
    } else {
      squeezer.emplace();  // The next element is long, or white space is.
      squeeze();
    }
  }
}

}  // namespace

void NextChunk(Input& input, Chunk& chunk) {
  const std::uint64_t begin = input.position();
  chunk.offset = input.OffsetOf(begin);
  chunk.last = false;
  FillChunk(input, chunk);
  chunk.gaps = input.GapsIn(begin, begin + chunk.text.size());
}

}  // namespace profgauge::readers::kineto
