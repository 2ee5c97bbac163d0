#include "readers/text/json_rows.h"

#include <fmt/format.h>

#include <boost/json/basic_parser_impl.hpp>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "base/hashes.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "readers/text/blocks.h"
#include "readers/text/numbers.h"

namespace profgauge::readers {
namespace {

namespace json = boost::json;

/// Limits of the memory for one row, far above any row of a profile.
constexpr std::size_t kMaxRowBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxText = std::size_t{16} << 20;
constexpr std::size_t kMaxPath = 4096;

/// Follows the parser and collects the fields of the current row.
class Handler : public JsonHandler {
 public:
  static constexpr std::size_t max_string_size = kMaxText;
  static constexpr std::size_t max_key_size = kMaxPath;

  explicit Handler(JsonRowReceiver& receiver) : receiver_(receiver) {}
  std::uint64_t rows() const { return rows_; }

  bool on_array_begin(Code&) {
    const bool wanted = !in_row() && receiver_.Wants(path_);
    levels_.push_back({path_.size(), true, wanted});
    return true;
  }
  bool on_array_end(std::size_t, Code&) { return Close(); }
  // The first object in a wanted list opens a row. Until its end, paths are relative to the row.
  bool on_object_begin(Code&) {
    if (!in_row() && !levels_.empty() && levels_.back().wanted_list) {
      row_level_ = levels_.size();
      list_ = path_;
      path_.clear();
      levels_.push_back({0, false, false});
      return true;
    }
    levels_.push_back({path_.size(), false, false});
    return true;
  }
  bool on_object_end(std::size_t, Code&) {
    if (in_row() && levels_.size() - 1 == row_level_) return EndRow();
    if (!in_row()) {
      path_.resize(levels_.back().path);
      receiver_.EndObject(path_);
    }
    return Close();
  }
  bool on_key_part(View part, std::size_t, Code&) { return Part(part); }
  bool on_key(View part, std::size_t, Code& code) {
    path_.resize(levels_.back().path);
    if (!path_.empty()) path_ += '.';
    const auto key = Whole(part);
    if (path_.size() + key.size() > kMaxPath) return Refuse(code);
    path_ += key;
    partial_.clear();
    return true;
  }
  bool on_string_part(View part, std::size_t, Code&) { return Part(part); }
  bool on_string(View part, std::size_t, Code& code) {
    return Scalar(part, JsonForm::kString, code);
  }
  bool on_number_part(View part, Code&) { return Part(part); }
  bool on_int64(std::int64_t, View part, Code& code) { return Number(part, code); }
  bool on_uint64(std::uint64_t, View part, Code& code) { return Number(part, code); }
  bool on_double(double, View part, Code& code) { return Number(part, code); }
  bool on_bool(bool value, Code& code) {
    return Scalar(value ? "true" : "false", JsonForm::kBool, code);
  }
  bool on_null(Code& code) { return Scalar("", JsonForm::kNull, code); }

 private:
  struct Level {
    std::size_t path = 0;  ///< Length of the path.
    bool list = false;
    bool wanted_list = false;
  };
  /// A text as a position in row_text_, because its memory may move while the row grows.
  struct Place {
    std::size_t path = 0, path_size = 0, text = 0, text_size = 0;
    JsonForm form = JsonForm::kNull;
  };

  bool in_row() const { return row_level_ != kNoRow; }

  bool Part(View part) {
    partial_.append(part.data(), part.size());
    return true;
  }
  std::string_view Whole(View part) {
    if (partial_.empty()) return {part.data(), part.size()};
    partial_.append(part.data(), part.size());
    return partial_;
  }
  bool Refuse(Code& code) {
    code = json::error::string_too_large;
    return false;
  }
  bool Number(View part, Code& code) { return Scalar(part, JsonForm::kNumber, code); }

  bool Scalar(View part, JsonForm form, Code& code) {
    const auto text = Whole(part);
    if (!in_row()) {
      receiver_.ReceiveScalar({path_, text, form});
    } else {
      if (row_text_.size() + path_.size() + text.size() > kMaxRowBytes) return Refuse(code);
      places_.push_back(
          {row_text_.size(), path_.size(), row_text_.size() + path_.size(), text.size(), form});
      row_text_ += path_;
      row_text_ += text;
    }
    partial_.clear();
    return true;
  }

  bool Close() {
    levels_.pop_back();
    if (!levels_.empty() && levels_.back().list) path_.resize(levels_.back().path);
    return true;
  }

  bool EndRow() {
    const std::string_view text = row_text_;
    fields_.clear();
    for (const auto& place : places_) {
      fields_.push_back({text.substr(place.path, place.path_size),
                         text.substr(place.text, place.text_size), place.form});
    }
    ++rows_;
    receiver_.Receive(list_, JsonRow(fields_));
    places_.clear();
    row_text_.clear();
    row_level_ = kNoRow;
    path_ = list_;
    levels_.pop_back();
    return true;
  }

  static constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();
  JsonRowReceiver& receiver_;
  std::vector<Level> levels_;
  std::string path_;     ///< Path of the current value; inside a row relative to the row.
  std::string list_;     ///< The row's list.
  std::string partial_;  ///< A string or number in several pieces.
  std::size_t row_level_ = kNoRow;
  std::string row_text_;
  std::vector<Place> places_;
  std::vector<JsonField> fields_;
  std::uint64_t rows_ = 0;
};

json::parse_options ParseOptions() {
  json::parse_options options;
  options.max_depth = kDeepestJson;
  return options;
}

/// Receives the objects of a document that is a list.
class ObjectsOfList final : public JsonRowReceiver {
 public:
  explicit ObjectsOfList(const std::function<void(const JsonRow&)>& take) : take_(take) {}
  bool Wants(std::string_view list) override { return list.empty(); }
  void Receive(std::string_view, const JsonRow& row) override { take_(row); }

 private:
  const std::function<void(const JsonRow&)>& take_;
};

/// Reads one document from the first byte to the last.
class Walk {
 public:
  Walk(ByteSource& source, JsonRowReceiver& receiver, ProfileBuilder& builder)
      : source_(source), builder_(builder), parser_(ParseOptions(), receiver) {}

  Status Run(const ReadOptions& options) {
    allow_incomplete_ = options.allow_incomplete;
    PROFGAUGE_TRY(BlocksRead all,
                  ForEachBlock(source_, [this](std::string_view bytes, std::uint64_t) {
                    return Feed(bytes);
                  }));
    failed_ = std::move(all.failed);
    auto& origin = builder_.source();
    origin.path = source_.name();
    origin.bytes = read_;
    origin.hash = hash_.Hex();
    if (!failed_ && parser_.done()) return {};
    if (options.allow_incomplete) {
      builder_.log().Add(Counter::truncated);
      return {};
    }
    return Fail(Truncated());
  }

 private:
  Status Feed(std::string_view bytes) {
    hash_.Add(bytes);
    const bool first = read_ == 0;
    const auto before = read_;
    read_ += bytes.size();
    if (parser_.done()) return NoteBehind(before, bytes);
    std::size_t skipped = 0;
    if (first && bytes.starts_with(kByteOrderMark)) {
      builder_.log().Add(Counter::byte_order_mark);
      skipped = kByteOrderMark.size();
    }
    json::error_code code;
    const auto used =
        parser_.write_some(true, bytes.data() + skipped, bytes.size() - skipped, code);
    if (!code) return NoteBehind(before + skipped + used, bytes.substr(skipped + used));
    return Fail(Invalid(before + skipped + used, code.message()));
  }

  /// Fails unless only white space, or zeros that pad the file, follow the document.
  Status NoteBehind(std::uint64_t offset, std::string_view rest) const {
    const std::size_t text = rest.find_first_not_of(std::string_view(" \t\r\n\0", 5));
    if (text == rest.npos || allow_incomplete_) return {};
    auto error =
        At("json/goes-on", "the file continues after the end of its document", offset + text);
    error.notes.emplace_back(
        "help: write each profile to a separate file; pass --allow-incomplete to judge the first");
    return Fail(std::move(error));
  }

  Error At(std::string code, std::string message, std::uint64_t offset) const {
    return InputErrorAt(source_.name(), offset, std::move(code), std::move(message));
  }

  Error Truncated() const {
    auto error = failed_ ? *failed_ : At("json/truncated", "the file ends early", read_);
    error.where.offset = read_;
    error.where.has_offset = true;
    error.message += fmt::format("; {} of its rows are complete", parser_.handler().rows());
    error.notes.emplace_back("help: pass --allow-incomplete to judge the readable part");
    return error;
  }

  Error Invalid(std::uint64_t offset, const std::string& reason) const {
    auto error = At("json/invalid", fmt::format("the file is not valid JSON: {}", reason), offset);
    error.notes.emplace_back("help: check the file around that byte, or export it again");
    return error;
  }

  ByteSource& source_;
  ProfileBuilder& builder_;
  json::basic_parser<Handler> parser_;
  ContentHash hash_;
  std::uint64_t read_ = 0;
  bool allow_incomplete_ = false;
  std::optional<Error> failed_;
};

}  // namespace

const JsonField* JsonRow::Find(std::string_view path) const {
  for (const auto& field : fields_) {
    if (field.path == path && field.form != JsonForm::kNull) return &field;
  }
  return nullptr;
}

std::string_view JsonRow::Text(std::string_view path) const {
  const auto* field = Find(path);
  return field == nullptr ? std::string_view{} : field->text;
}

std::optional<std::int64_t> JsonRow::Integer(std::string_view path) const {
  const auto* field = Find(path);
  if (field == nullptr) return std::nullopt;
  return ParseInteger(field->text);
}

Status ReadJsonRows(ByteSource& source, const ReadOptions& options, JsonRowReceiver& receiver,
                    ProfileBuilder& builder) {
  return Walk(source, receiver, builder).Run(options);
}

bool ReadJsonObject(std::string_view text, const std::function<void(const JsonRow&)>& take) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos || text[begin] != '{') return false;
  ObjectsOfList objects(take);
  json::basic_parser<Handler> parser(ParseOptions(), objects);
  for (const std::string_view part : {std::string_view("["), text, std::string_view("]")}) {
    json::error_code code;
    const std::size_t used = parser.write_some(true, part.data(), part.size(), code);
    if (code || used != part.size()) return false;
  }
  return parser.done();
}

}  // namespace profgauge::readers
