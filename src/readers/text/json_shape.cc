#include "readers/text/json_shape.h"

#include <algorithm>
#include <cstddef>

namespace profgauge::readers {
namespace {

constexpr std::size_t kMostKeys = 32, kMostEvents = 3, kLongestEvents = 4096;

/// Reads the text once. At the end of the text, every function returns nothing.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  char Peek() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char letter) {
    if (Peek() != letter || letter == '\0') return false;
    ++at_;
    return true;
  }
  /// Returns the content of the quotes, unchanged. A text that is cut ends with the document.
  std::string_view TakeText() {
    if (!Take('"')) return {};
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (at_ < text_.size()) ++at_;
    return text;
  }
  /// Skips a value. If `out` is not nullptr, appends the value without blanks.
  void Skip(std::string* out) {
    std::size_t depth = 0;
    do {
      const char letter = Peek();
      if (letter == '\0') return;
      const std::size_t begin = at_;
      if (letter == '"') {
        TakeText();
      } else if (letter == '{' || letter == '[') {
        ++depth, ++at_;
      } else if (letter == '}' || letter == ']') {
        if (depth == 0) return;
        --depth, ++at_;
      } else if (letter == ',' || letter == ':') {
        if (depth == 0) return;
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(",:{}[]\" \t\r\n", at_), text_.size());
      }
      if (out != nullptr && out->size() < kLongestEvents) {
        out->append(text_.substr(begin, at_ - begin));
      }
    } while (depth > 0);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string EventsAt(Scanner scan) {
  std::string events;
  if (!scan.Take('[')) return events;
  for (std::size_t i = 0; i < kMostEvents && scan.Peek() != ']' && scan.Peek() != '\0'; ++i) {
    scan.Skip(&events);
    events += '\n';
    if (!scan.Take(',')) break;
  }
  return events;
}

void ReadObject(Scanner& scan, JsonShape& shape) {
  if (!scan.Take('{')) return;
  while (scan.Peek() == '"' && shape.keys.size() < kMostKeys) {
    const std::string_view key = scan.TakeText();
    if (!scan.Take(':')) return;
    shape.keys.push_back(key);
    if (shape.is_object && key == "traceEvents") shape.events = EventsAt(scan);
    scan.Skip(nullptr);
    if (!scan.Take(',')) return;
  }
}

}  // namespace

bool JsonShape::Has(std::string_view key) const {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

JsonShape ShapeOfJson(std::string_view head) {
  JsonShape shape;
  Scanner scan(head);
  shape.is_object = scan.Peek() == '{';
  shape.is_list = scan.Peek() == '[';
  if (shape.is_list) {
    shape.events = EventsAt(scan);
    scan.Take('[');
  }
  if (shape.is_object || shape.is_list) ReadObject(scan, shape);
  return shape;
}

}  // namespace profgauge::readers
