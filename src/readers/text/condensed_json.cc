#include "readers/text/condensed_json.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/reader.h"

namespace profgauge::readers {
namespace {

constexpr std::size_t kLongestValue = 512, kMostElements = 3;
constexpr std::uint64_t kMostInput = std::uint64_t{4} << 30;

// Reads a byte at a time. Values are members of the document, and elements of its members' lists.
class Condenser {
 public:
  /// Takes a byte; false if the rest of the document is not needed.
  bool Take(char c) {
    if (in_text_) {
      TakeInText(c);
      return true;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') return true;
    switch (c) {
      case '"':
        in_text_ = true;
        if (depth_ == 1) key_.clear();
        Put(c);
        break;
      case '{':
      case '[':
        Open(c);
        break;
      case '}':
      case ']':
        return Close(c);
      case ',':
        return Separate();
      default:
        Put(c);
    }
    return out_.size() < kSniffBytes;
  }
  std::string Result() {
    if (in_text_ && !skips_) out_ += '"';
    for (std::size_t depth = skips_ ? base_ : depth_; depth > 0; --depth) {
      out_ += open_[depth - 1] == '{' ? '}' : ']';
    }
    return std::move(out_);
  }

 private:
  /// True inside an object or list that may be cut.
  bool IsDeep() const { return depth_ > base_; }
  void Put(char c) {
    if (skips_) return;
    if (IsDeep() || in_text_) {
      if (length_ >= kLongestValue) return Cut();
      ++length_;
    }
    out_ += c;
  }
  // Cuts the value here, closes its quotes and brackets, and skips the rest.
  void Cut() {
    if (in_text_) {
      while (out_.ends_with('\\')) out_.pop_back();
      out_ += '"';
    }
    for (std::size_t depth = depth_; depth > base_; --depth) {
      if (out_.ends_with(',') || out_.ends_with(':')) out_.pop_back();
      out_ += open_[depth - 1] == '{' ? '}' : ']';
    }
    skips_ = true;
  }
  void TakeInText(char c) {
    const bool ends = c == '"' && !escaped_;
    escaped_ = c == '\\' && !escaped_;
    if (depth_ == 1 && !ends && key_.size() < 32) key_ += c;
    Put(c);
    if (ends) in_text_ = false;
  }
  void Open(char c) {
    // The document and lists of its members are entered, so their elements are values.
    const bool is_entered = depth_ == 0 || (depth_ == 1 && c == '[' && open_.front() == '{');
    if (is_entered) {
      if (!skips_) out_ += c;
      open_.resize(depth_);
      open_.push_back(c);
      base_ = ++depth_;
      elements_ = 0;
      Begin();
      return;
    }
    Put(c);
    open_.resize(depth_);
    open_.push_back(c);
    ++depth_;
  }
  void Begin() { length_ = 0, skips_ = false; }
  bool Close(char c) {
    if (depth_ == 0) return false;
    if (depth_ > base_) {
      Put(c);  // At the limit, Cut() closes open brackets.
      --depth_;
      return out_.size() < kSniffBytes;
    }
    out_ += c;
    --depth_;
    const bool is_of_events = base_ == 2 && key_ == "traceEvents";
    base_ = depth_;
    Begin();
    return depth_ > 0 && !is_of_events && out_.size() < kSniffBytes;
  }
  bool Separate() {
    if (depth_ > base_) {
      Put(',');
      return true;
    }
    ++elements_;
    if (base_ == 2 || open_.front() == '[') {
      if (elements_ >= kMostElements) {
        skips_ = true;
        if (open_.front() == '[' || key_ == "traceEvents") return false;
        return true;
      }
    }
    Begin();
    out_ += ',';
    return out_.size() < kSniffBytes;
  }

  std::string out_, key_;
  std::vector<char> open_;  // Only the first `depth_` are open.
  std::size_t depth_ = 0;
  std::size_t base_ = 0;  // Of the document or list that has the value.
  std::size_t length_ = 0, elements_ = 0;
  bool in_text_ = false, escaped_ = false;
  bool skips_ = false;
};

}  // namespace

Result<std::string> CondensedJson(ByteSource& source) {
  std::vector<std::byte> window(std::size_t{1} << 18);
  Condenser condenser;
  bool is_first = true;
  for (std::uint64_t seen = 0; seen < kMostInput;) {
    PROFGAUGE_TRY(const std::size_t count, source.Read(window));
    if (count == 0) break;
    seen += count;
    std::string_view text(reinterpret_cast<const char*>(window.data()), count);
    if (is_first && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    is_first = false;
    for (const char c : text) {
      if (!condenser.Take(c)) return condenser.Result();
    }
  }
  return condenser.Result();
}

}  // namespace profgauge::readers
