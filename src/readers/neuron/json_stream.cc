#include "readers/neuron/json_stream.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <string>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/errors.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace profgauge::readers::neuron {
namespace {

namespace json = boost::json;

/// Follows the parser through document, table and row, and logs each row's fields. Rows are logged
/// instead of imported, so that parsing and importing can run concurrently.
class Handler : public JsonHandler {
 public:
  Interest (*interest_in)(std::string_view table) = nullptr;
  RowLog* log = nullptr;
  std::uint64_t rows = 0;

  /// True if the table is a list whose rows are read by key, which RowReader can do.
  bool has_plain_rows() const { return is_list_ && interest_ != Interest::kAllFields; }
  bool wants_rows() const { return interest_ == Interest::kRows; }
  /// True if an object in a table's list ended since the last call.
  bool TakeElementEnd() { return std::exchange(element_ended_, false); }
  /// Moves the fields of an unfinished row to the begin of the next log.
  void MoveOpenRow(RowLog& next) {
    if (row_depth_ > 0) next.TakeFrom(*log, row_begin_);
    row_begin_ = 0;
  }

  bool on_array_begin(Code&) {
    if (++depth_ == 2) is_list_ = true;
    return true;
  }
  bool on_array_end(std::size_t, Code&) {
    --depth_;
    return true;
  }
  bool on_object_begin(Code&) {
    if (++depth_ == 2) is_list_ = false;
    if (row_depth_ > 0) return true;
    const bool whole = depth_ == 2 && interest_ != Interest::kRows;
    if (whole || (depth_ == 3 && interest_ != Interest::kSkip)) {
      row_depth_ = depth_;
      all_fields_ = whole || interest_ == Interest::kAllFields;
      row_begin_ = log->size();
      log->BeginRow(all_fields_);
    }
    return true;
  }
  bool on_object_end(std::size_t, Code&) {
    if (row_depth_ > 0 && depth_ == row_depth_) {
      row_depth_ = 0;
      ++rows;
      log->EndRow(depth_ == 2);
    }
    element_ended_ = element_ended_ || (depth_ == 3 && is_list_);
    --depth_;
    return true;
  }

  bool on_key_part(View part, std::size_t, Code&) { return Gather(part); }
  bool on_key(View part, std::size_t, Code&) {
    Gather(part);
    if (depth_ == 1) {
      interest_ = interest_in(text_);
      log->BeginTable(log->texts().Keep(text_));
    } else if (row_depth_ > 0 && depth_ == row_depth_) {
      key_ = KeyOf(text_);
      is_id_ = false;
      if (all_fields_) log->AddName(log->texts().Keep(text_));
    } else {
      is_id_ = text_ == "id";
    }
    text_.clear();
    return true;
  }
  bool on_string_part(View part, std::size_t, Code&) { return Wanted() ? Gather(part) : true; }
  bool on_string(View part, std::size_t, Code&) {
    if (!Wanted()) return true;
    Gather(part);
    if (Used()) log->AddText(key_, log->texts().Keep(text_));
    text_.clear();
    return true;
  }
  bool on_int64(std::int64_t value, View, Code&) {
    if (Nested()) {
      if (Wanted() && key_ == Key::kPredecessors && is_id_) log->AddPredecessor(value);
    } else if (Wanted() && Used()) {
      log->AddInteger(key_, value);
    }
    return true;
  }
  bool on_uint64(std::uint64_t value, View part, Code& code) {
    return on_int64(static_cast<std::int64_t>(value), part, code);
  }
  bool on_double(double value, View, Code&) {
    if (Wanted() && !Nested() && Used()) log->AddReal(key_, value);
    return true;
  }
  bool on_bool(bool value, Code&) {
    if (Wanted() && !Nested() && Used()) log->AddBool(key_, value);
    return true;
  }

 private:
  bool Wanted() const { return row_depth_ > 0; }
  bool Nested() const { return depth_ > row_depth_; }
  bool Used() const { return key_ != Key::kNone || all_fields_; }
  bool Gather(View part) {
    text_.append(part.data(), part.size());
    return true;
  }

  std::string text_;
  std::uint32_t depth_ = 0;
  std::uint32_t row_depth_ = 0;  ///< Depth of the unfinished row; 0: no row.
  Key key_ = Key::kNone;
  Interest interest_ = Interest::kSkip;
  std::size_t row_begin_ = 0;  ///< Where the unfinished row begins in the log.
  bool all_fields_ = false;
  bool is_list_ = false;  ///< The table is a list.
  bool is_id_ = false;
  bool element_ended_ = false;
};

json::parse_options Options() {
  json::parse_options options;
  options.max_depth = 64;
  options.allow_invalid_utf8 = true;  // Names are repaired where they are shown.
  return options;
}

// Values that old versions write although they are no JSON. A sign is part of the word.
constexpr std::string_view kWords[] = {"NaN", "-Infinity", "Infinity"};
/// This many bytes at the end of a piece wait for the next one, so that no word is cut.
constexpr std::size_t kHeld = 16;

struct FoundWord {
  std::size_t at = 0, size = 0;
};

/// The next position from `at` on where a word of kWords may begin; `text.size()` if there is none.
std::size_t FindBegin(std::string_view text, std::size_t at) {
  const char* const begin = text.data();
  const std::size_t size = text.size();
#ifdef __SSE2__
  const auto load = [&](std::size_t from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(begin + from));
  };
  const auto is = [](__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
  for (; at + 17 <= size; at += 16) {
    const __m128i first = load(at), second = load(at + 1);
    const __m128i found = _mm_or_si128(_mm_and_si128(is(first, 'N'), is(second, 'a')),
                                       _mm_and_si128(is(first, 'I'), is(second, 'n')));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (mask != 0) return at + static_cast<std::size_t>(__builtin_ctz(mask));
  }
#endif
  while (at < size && begin[at] != 'N' && begin[at] != 'I') ++at;
  return at;
}

/// The word of kWords at `at`, with a sign before it, if it is in the place of a value; otherwise a
/// word of size 0. It never begins before `from`.
FoundWord WordAt(std::string_view text, std::size_t at, std::size_t from) {
  const auto as_value = [&](std::size_t begin, std::string_view word) {
    std::size_t before = begin;
    while (before > 0 && IsSpace(text[before - 1])) --before;
    const bool value = before > 0 && (text[before - 1] == ':' || text[before - 1] == ',' ||
                                      text[before - 1] == '[');
    const std::size_t end = begin + word.size();
    const char behind = end < text.size() ? text[end] : '}';
    return value && (behind == ',' || behind == '}' || behind == ']' || IsSpace(behind));
  };
  for (const std::string_view word : kWords) {
    const std::size_t sign = word.front() == '-' ? 1 : 0;
    if (at < from + sign) continue;
    const std::size_t begin = at - sign;
    if (text.substr(begin).starts_with(word) && as_value(begin, word)) return {begin, word.size()};
  }
  return {};
}

/// All words from `from` on that are in the place of a value, in order.
std::vector<FoundWord> FindWords(std::string_view text, std::size_t from) {
  std::vector<FoundWord> found;
  for (std::size_t at = FindBegin(text, from); at < text.size(); at = FindBegin(text, at + 1)) {
    const FoundWord word = WordAt(text, at, from);
    if (word.size > 0) found.push_back(word);
  }
  return found;
}

}  // namespace

// The parser and RowReader alternate. NaN and Infinity of old versions are replaced by null. The
// last bytes wait for the next piece, so that no such word is cut.
//
//   text     [tail of the piece before][new bytes .....................][last 16 bytes: held]
//   parser   up to the end of an object of a table's list
//   rows     from there row by row by RowReader, until it gives 0; then the parser again
struct JsonStream::Impl {
  explicit Impl(Rows which) : reads_rows(which == Rows::kReadDirectly) {}

  bool reads_rows;
  json::basic_parser<Handler> parser{Options()};
  RowReader rows;
  RowLog skipped;            ///< Receives unwanted rows.
  RowLog open;               ///< The unfinished row of the last piece.
  std::string tail;          ///< Not parsed yet, with some bytes before it.
  std::string_view text;     ///< The tail and the piece after it.
  std::size_t given = 0;     ///< How many bytes of it were taken.
  std::uint64_t offset = 0;  ///< Offset of the next byte in the document.
  std::uint64_t fed = 0, replaced = 0;

  Status Give(std::string_view bytes, std::size_t in_document) {
    json::error_code code;
    const std::size_t used = parser.write_some(true, bytes.data(), bytes.size(), code);
    const auto rest = bytes.substr(std::min(used, bytes.size()));
    const bool trailing = !code && parser.done() && !std::all_of(rest.begin(), rest.end(), IsSpace);
    if (!code && !trailing) {
      offset += in_document;
      given += in_document;
      return {};
    }
    return Fail(InputErrorAt({}, offset + used, "neuron/invalid-json",
                             "the profile is not valid JSON: " +
                                 (trailing ? std::string("text after its end") : code.message()),
                             "check the file around that byte, or export it again"));
  }

  Status GiveUpTo(std::size_t end) {
    return given < end ? Give(text.substr(given, end - given), end - given) : Status{};
  }

  /// Parses to the end of the next object in a table's list or to `end`; true if an object ended.
  Result<bool> GiveObject(std::size_t end) {
    parser.handler().TakeElementEnd();
    while (given < end) {
      // A `}` may be in a string, so the parser decides if it ends the object.
      const std::size_t close = text.find('}', given);
      PROFGAUGE_CHECK(GiveUpTo(close < end ? close + 1 : end));
      if (parser.handler().TakeElementEnd()) return true;
    }
    return false;
  }

  /// Passes rows `, {…}, {…}` after an object to RowReader, up to the first that it refuses.
  void TakeRows(std::size_t end) {
    Handler& handler = parser.handler();
    const bool wanted = handler.wants_rows();
    RowLog& log = wanted ? *handler.log : skipped;
    for (;;) {
      const std::size_t row = BeginOfNext(given, end);
      if (row == end) return;
      const std::size_t before = log.size();
      if (wanted) log.BeginRow(false);
      const std::size_t size = rows.Read(text.substr(row, end - row), log);
      if (size == 0) log.Shrink(before);
      if (size == 0) return;
      if (wanted) {
        log.EndRow(false);
        ++handler.rows;
      } else {
        log.Clear();
      }
      offset += row + size - given;
      given = row + size;
    }
  }

  /// The begin of the next row after a comma; `end` if no object follows.
  std::size_t BeginOfNext(std::size_t at, std::size_t end) const {
    const auto behind_space = [&] {
      while (at < end && IsSpace(text[at])) ++at;
      return at < end;
    };
    if (!behind_space() || text[at] != ',') return end;
    ++at;
    return behind_space() && text[at] == '{' ? at : end;
  }

  /// Takes the bytes up to `end`. REQUIRES: they have no word of kWords.
  Status Take(std::size_t end) {
    while (given < end) {
      PROFGAUGE_TRY(const bool ended, GiveObject(end));
      if (ended && reads_rows && parser.handler().has_plain_rows()) TakeRows(end);
    }
    return {};
  }

  Status Flush(std::size_t end) {
    for (const FoundWord& word : FindWords(text, given)) {
      if (word.at >= end) break;
      PROFGAUGE_CHECK(Take(word.at));
      PROFGAUGE_CHECK(Give("null", word.size));
      ++replaced;
    }
    return Take(end);
  }

  /// Takes the tail and `bytes`, except for the last `held` bytes.
  Status Feed(std::string_view bytes, std::size_t held, Piece& piece) {
    piece.log.Clear();
    piece.text.assign(tail);
    piece.text += bytes;
    piece.log.TakeFrom(open, 0);
    open.Clear();
    parser.handler().log = &piece.log;
    text = piece.text;
    if (text.size() > held) PROFGAUGE_CHECK(Flush(text.size() - held));
    parser.handler().MoveOpenRow(open);
    // Keeps some used bytes: the last one decides which word may follow.
    const std::size_t kept = std::min(given, kHeld);
    tail = text.substr(given - kept);
    given = kept;
    return {};
  }
};

JsonStream::JsonStream(Interest (*interest)(std::string_view table), Rows rows)
    : impl_(std::make_unique<Impl>(rows)) {
  impl_->parser.handler().interest_in = interest;
}
JsonStream::~JsonStream() = default;

Status JsonStream::Feed(std::string_view bytes, Piece& piece) {
  const std::string_view text = impl_->fed == 0 ? WithoutByteOrderMark(bytes) : bytes;
  impl_->offset += bytes.size() - text.size();
  impl_->fed += bytes.size();
  return impl_->Feed(text, kHeld, piece);
}

Status JsonStream::End(Piece& piece) { return impl_->Feed({}, 0, piece); }

bool JsonStream::complete() const { return impl_->parser.done(); }
std::uint64_t JsonStream::rows() const { return impl_->parser.handler().rows; }
std::uint64_t JsonStream::fed() const { return impl_->fed; }
std::uint64_t JsonStream::not_numbers() const { return impl_->replaced; }

}  // namespace profgauge::readers::neuron
