#include "readers/text/json_copy.h"

#include <re2/re2.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "readers/text/blocks.h"

namespace profgauge::readers {
namespace {

namespace json = boost::json;

std::string Quoted(std::string_view text) {
  return json::serialize(json::string_view(text.data(), text.size()));
}

/// Follows the parser and writes the kept parts. A bracket is written if a part inside it is kept,
/// or if the bracket itself is, e.g. that of an empty list.
class Copier : public JsonHandler {
 public:
  explicit Copier(const JsonKeep& keep) : keep_(keep) {}
  std::string Take() { return std::move(out_); }

  bool on_array_begin(Code&) { return Open('['); }
  bool on_array_end(std::size_t, Code&) { return Close(']'); }
  bool on_object_begin(Code&) { return Open('{'); }
  bool on_object_end(std::size_t, Code&) { return Close('}'); }
  bool on_key_part(View part, std::size_t, Code&) { return Part(part); }
  bool on_key(View part, std::size_t, Code&) {
    Level& level = levels_.back();
    level.key = Whole(part);
    if (levels_.size() == 1 && keep_.clean_key) level.key = keep_.clean_key(level.key);
    path_.resize(level.path);
    if (!path_.empty()) path_ += '/';
    path_ += level.key;
    return true;
  }
  bool on_string_part(View part, std::size_t, Code&) { return Part(part); }
  bool on_string(View part, std::size_t, Code&) {
    const std::string text = Whole(part);
    if (!Stays()) return Skip();
    const std::string clean = keep_.clean(path_, text);
    const bool is_element = !levels_.empty() && levels_.back().bracket == '[';
    if (clean.empty() && !text.empty() && is_element) return Skip();
    return Value(Quoted(clean));
  }
  bool on_number_part(View part, Code&) { return Part(part); }
  bool on_int64(std::int64_t, View part, Code&) { return Plain(Whole(part)); }
  bool on_uint64(std::uint64_t, View part, Code&) { return Plain(Whole(part)); }
  bool on_double(double, View part, Code&) { return Plain(Whole(part)); }
  bool on_bool(bool value, Code&) { return Plain(value ? "true" : "false"); }
  bool on_null(Code&) { return Plain("null"); }

 private:
  struct Level {
    char bracket = '{';
    std::size_t path = 0;  ///< Length of the path.
    bool is_written = false, has_any = false;
    std::string key;
  };

  bool Part(View part) {
    partial_.append(part.data(), part.size());
    return true;
  }
  std::string Whole(View part) {
    partial_.append(part.data(), part.size());
    return std::exchange(partial_, {});
  }

  /// True if the scalar at `path_` is kept. Cached by path: paths are few and values many.
  bool Stays() {
    const auto [known, is_new] = stays_.try_emplace(path_, false);
    if (is_new) known->second = IsAllowed();
    return known->second;
  }
  bool IsAllowed() const {
    return keep_.keeps_all ||
           std::any_of(keep_.paths.begin(), keep_.paths.end(), [this](std::string_view path) {
             return path.ends_with('/') ? (path_ + "/").starts_with(path) : path_ == path;
           });
  }
  /// True if a value below `path_` may be kept.
  bool MayStay() {
    if (path_.empty()) return true;
    return Stays() ||
           std::any_of(keep_.paths.begin(), keep_.paths.end(), [this](std::string_view path) {
             return path.size() > path_.size() && path.starts_with(path_) &&
                    path[path_.size()] == '/';
           });
  }

  bool Open(char bracket) {
    levels_.push_back({bracket, path_.size(), false, false, {}});
    // Keeps the objects of a list even if they become empty, because their number must not change.
    if (levels_.size() == 1 || MayStay()) WriteUpTo(levels_.size());
    return true;
  }

  bool Close(char bracket) {
    if (levels_.back().is_written) out_ += bracket;
    levels_.pop_back();
    Leave();
    return true;
  }

  bool Plain(const std::string& text) { return Stays() ? Value(text) : Skip(); }
  bool Value(const std::string& text) {
    WriteUpTo(levels_.size());
    Separate();
    out_ += text;
    Leave();
    return true;
  }
  bool Skip() {
    Leave();
    return true;
  }

  /// Removes a value's key from the path.
  void Leave() {
    if (!levels_.empty()) path_.resize(levels_.back().path);
  }

  void Separate() {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (level.has_any) out_ += ',';
    level.has_any = true;
    if (level.bracket == '{') out_ += Quoted(level.key) + ":";
  }

  /// Writes those brackets of the first `count` levels that are not yet written.
  void WriteUpTo(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (levels_[i].is_written) continue;
      if (i > 0) {
        Level& outer = levels_[i - 1];
        if (outer.has_any) out_ += ',';
        outer.has_any = true;
        if (outer.bracket == '{') out_ += Quoted(outer.key) + ":";
        if (outer.bracket == '[' && levels_[i].bracket == '{') out_ += '\n';
      }
      out_ += levels_[i].bracket;
      levels_[i].is_written = true;
    }
  }

  const JsonKeep& keep_;
  std::string out_, path_, partial_;
  std::unordered_map<std::string, bool> stays_;
  std::vector<Level> levels_;
};

}  // namespace

Result<std::string> CopyJson(ByteSource& source, const JsonKeep& keep) {
  json::parse_options options;
  options.max_depth = kDeepestJson;
  json::basic_parser<Copier> parser(options, keep);
  const auto feed = [&](std::string_view bytes, std::uint64_t before) -> Status {
    if (parser.done()) return {};
    if (before == 0) bytes = WithoutByteOrderMark(bytes);
    json::error_code code;
    parser.write_some(true, bytes.data(), bytes.size(), code);
    if (!code) return {};
    return Fail(InputErrorAt(source.name(), before, "json/invalid",
                             "the file is not valid JSON: " + code.message()));
  };
  PROFGAUGE_TRY(const std::uint64_t read, ForEachWholeBlock(source, feed));
  json::error_code code;
  if (!parser.done()) parser.write_some(false, nullptr, 0, code);
  if (!parser.done()) {
    return Fail(InputErrorAt(source.name(), read, "json/truncated", "the file ends early"));
  }
  return parser.handler().Take() + "\n";
}

std::string CopyJsonText(std::string_view json, const JsonKeep& keep) {
  const auto source =
      MakeMemorySource("", std::as_bytes(std::span<const char>(json.data(), json.size())));
  auto copy = CopyJson(*source, keep);
  if (!copy) return {};
  copy->pop_back();
  return *std::move(copy);
}

// Cuts folders off all paths in a text:
//   File "/home/ann/run/train.py", line 12               File "train.py", line 12
//   /opt/conda/lib/site-packages/torch/nn/modules.py     torch/nn/modules.py
//   C:\work\train.py                                     train.py
std::string WithoutPaths(std::string_view text) {
  // Matches a whole path at the text's begin or after a sign. A path has a person's folder, has a
  // usual root (also after dots and one-letter options), or ends in a source or library file.
  static const RE2 path(
      R"re((?:^|[^\w/\\.])()re"
      R"re([^\s'"`,;:=()\[\]{}<>|]*/(?:home|Users)/[^\s'"`,;:()\[\]<>|]*)re"
      R"re(|(?:-[A-Za-z]|[.~]+(?:/+\.+)*)?/+(?:root|mnt|tmp|usr|opt|var|srv|nfs|scratch|workspace|)re"
      R"re(data\d*|lustre|gpfs|proj\w*)/[^\s'"`,;:()\[\]<>|]*)re"
      R"re(|[A-Za-z]:[/\\]+[^\s'"`,;:()\[\]<>|]+)re"
      R"re(|[^\s'"`,;:=()\[\]{}<>|/\\]*(?:[/\\]+[^\s'"`,;:()\[\]<>|/\\]+)+\.)re"
      R"re((?:py|pyc|ipynb|so[.\d]*|c|cc|cpp|cu|cuh|h|hpp)\b))re");
  static const RE2 below(R"(.*(?:site|dist)-packages[/\\]+(.+))");
  const re2::StringPiece whole(text.data(), text.size());
  re2::StringPiece match[2];
  std::string clean;
  std::size_t copied = 0;
  while (path.Match(whole, copied, text.size(), RE2::UNANCHORED, match, 2)) {
    const auto at = static_cast<std::size_t>(match[1].data() - text.data());
    clean += text.substr(copied, at - copied);
    std::string kept(match[1].data(), match[1].size()), package;
    if (RE2::FullMatch(kept, below, &package)) {
      kept = package;
    } else {
      kept.erase(0, kept.find_last_of("/\\") + 1);
    }
    clean += kept;
    copied = at + match[1].size();
  }
  return clean.append(text.substr(copied));
}

}  // namespace profgauge::readers
