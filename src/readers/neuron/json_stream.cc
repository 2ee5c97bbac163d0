#include "readers/neuron/json_stream.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <limits>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/text.h"

namespace profgauge::readers::neuron {
namespace {

namespace json = boost::json;

/// Follows the parser through document, table and row, and fills a record with each row's fields.
class Handler {
 public:
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = max_array_size;
  static constexpr std::size_t max_string_size = max_array_size;
  static constexpr std::size_t max_key_size = max_array_size;
  using Code = json::error_code;
  using View = json::string_view;
  using Interest = RowReceiver::Interest;

  RowReceiver* receiver = nullptr;
  std::uint64_t rows = 0;

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_array_begin(Code&) {
    ++depth_;
    return true;
  }
  bool on_array_end(std::size_t, Code&) {
    --depth_;
    return true;
  }
  bool on_object_begin(Code&) {
    ++depth_;
    if (row_depth_ > 0) return true;
    const bool whole = depth_ == 2 && interest_ != Interest::kRows;
    if (whole || (depth_ == 3 && interest_ != Interest::kSkip)) {
      row_depth_ = depth_;
      record_.Clear(whole || interest_ == Interest::kAllFields);
    }
    return true;
  }
  bool on_object_end(std::size_t, Code&) {
    if (row_depth_ > 0 && depth_ == row_depth_) {
      row_depth_ = 0;
      ++rows;
      receiver->Row(record_, index_++, depth_ == 2);
    }
    --depth_;
    return true;
  }

  bool on_key_part(View part, std::size_t, Code&) { return Gather(part); }
  bool on_key(View part, std::size_t, Code&) {
    Gather(part);
    if (depth_ == 1) {
      interest_ = receiver->BeginTable(text_);
      index_ = 0;
    } else if (row_depth_ > 0 && depth_ == row_depth_) {
      key_ = record_.Begin(text_);
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
    record_.AddText(text_);
    text_.clear();
    return true;
  }
  bool on_number_part(View, Code&) { return true; }
  bool on_int64(std::int64_t value, View, Code&) {
    if (Nested()) {
      if (key_ == Key::kPredecessors && is_id_) record_.AddPredecessor(value);
    } else if (Wanted()) {
      record_.AddInteger(value);
    }
    return true;
  }
  bool on_uint64(std::uint64_t value, View part, Code& code) {
    return on_int64(static_cast<std::int64_t>(value), part, code);
  }
  bool on_double(double value, View, Code&) {
    if (Wanted() && !Nested()) record_.AddReal(value);
    return true;
  }
  bool on_bool(bool value, Code&) {
    if (Wanted() && !Nested()) record_.AddBool(value);
    return true;
  }
  bool on_null(Code&) { return true; }
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }

 private:
  bool Wanted() const { return row_depth_ > 0; }
  bool Nested() const { return depth_ > row_depth_; }
  bool Gather(View part) {
    text_.append(part.data(), part.size());
    return true;
  }

  Record record_;
  std::string text_;
  std::uint64_t index_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t row_depth_ = 0;  ///< Depth of the row that is open; 0: none is.
  Key key_ = Key::kNone;
  Interest interest_ = Interest::kSkip;
  bool is_id_ = false;
};

json::parse_options Options() {
  json::parse_options options;
  options.max_depth = 64;
  options.allow_invalid_utf8 = true;  // Names are cleaned where they are shown.
  return options;
}

// What old versions wrote as values though it is no JSON; a sign before stays with the word.
constexpr std::string_view kWords[] = {"NaN", "-Infinity", "Infinity"};
/// The end of a piece waits for the next one, so that no word is cut.
constexpr std::size_t kHeld = 16;

struct FoundWord {
  std::size_t at = 0, size = 0;
};

/// The words from `from` on that stand where a value may, in order.
std::vector<FoundWord> FindWords(std::string_view text, std::size_t from) {
  std::vector<FoundWord> found;
  for (const std::string_view word : kWords) {
    for (auto at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
      std::size_t before = at;
      while (before > 0 && IsSpace(text[before - 1])) --before;
      const bool value = before > 0 && (text[before - 1] == ':' || text[before - 1] == ',' ||
                                        text[before - 1] == '[');
      const char behind = at + word.size() < text.size() ? text[at + word.size()] : '}';
      if (!value || (behind != ',' && behind != '}' && behind != ']' && !IsSpace(behind))) continue;
      found.push_back({at, word.size()});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const FoundWord& a, const FoundWord& b) { return a.at < b.at; });
  return found;
}

}  // namespace

struct JsonStream::Impl {
  json::basic_parser<Handler> parser{Options()};
  std::string waiting;       ///< Not given to the parser yet, with a few bytes before it.
  std::size_t given = 0;     ///< How much of `waiting` was.
  std::uint64_t offset = 0;  ///< Of the next byte for the parser, in the document.
  std::uint64_t fed = 0, replaced = 0;

  Status Give(std::string_view bytes, std::size_t in_document) {
    json::error_code code;
    const std::size_t used = parser.write_some(true, bytes.data(), bytes.size(), code);
    const auto rest = bytes.substr(std::min(used, bytes.size()));
    const bool trailing = !code && parser.done() && !std::all_of(rest.begin(), rest.end(), IsSpace);
    if (!code && !trailing) {
      offset += in_document;
      return {};
    }
    return Fail(InputErrorAt({}, offset + used, "neuron/invalid-json",
                             "the profile is not valid JSON: " +
                                 (trailing ? std::string("text behind its end") : code.message()),
                             "look at the file around that byte, or export it again"));
  }

  Status Flush(std::size_t end) {
    const auto give_up_to = [&](std::size_t stop) -> Status {
      if (stop <= given) return {};
      PROFGAUGE_CHECK(Give(std::string_view(waiting).substr(given, stop - given), stop - given));
      given = stop;
      return {};
    };
    for (const FoundWord& word : FindWords(waiting, given)) {
      if (word.at >= end) break;
      PROFGAUGE_CHECK(give_up_to(word.at));
      PROFGAUGE_CHECK(Give("null", word.size));
      given += word.size;
      ++replaced;
    }
    PROFGAUGE_CHECK(give_up_to(end));
    // The last byte given says what may follow it.
    if (given > kHeld) {
      waiting.erase(0, given - kHeld);
      given = kHeld;
    }
    return {};
  }
};

JsonStream::JsonStream(RowReceiver& receiver) : impl_(std::make_unique<Impl>()) {
  impl_->parser.handler().receiver = &receiver;
}
JsonStream::~JsonStream() = default;

Status JsonStream::Feed(std::string_view bytes) {
  const std::string_view text = impl_->fed == 0 ? WithoutByteOrderMark(bytes) : bytes;
  impl_->offset += bytes.size() - text.size();
  impl_->fed += bytes.size();
  impl_->waiting += text;
  const std::size_t size = impl_->waiting.size();
  return size > kHeld ? impl_->Flush(size - kHeld) : Status{};
}

Status JsonStream::End() { return impl_->Flush(impl_->waiting.size()); }

bool JsonStream::complete() const { return impl_->parser.done(); }
std::uint64_t JsonStream::rows() const { return impl_->parser.handler().rows; }
std::uint64_t JsonStream::fed() const { return impl_->fed; }
std::uint64_t JsonStream::not_numbers() const { return impl_->replaced; }

}  // namespace profgauge::readers::neuron
