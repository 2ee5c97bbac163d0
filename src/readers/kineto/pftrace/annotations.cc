#include "readers/kineto/pftrace/annotations.h"

#include <fmt/format.h>

#include <iterator>

#include "readers/text/wire.h"

namespace profgauge::readers::pftrace {
namespace {

using kineto::Field;
using kineto::Form;

/// Fields of DebugAnnotation.
enum Member : std::uint32_t {
  kNameIid = 1,
  kBool = 2,
  kUnsigned = 3,
  kInt = 4,
  kDouble = 5,
  kString = 6,
  kPointer = 7,
  kJson = 9,
  kName = 10,
  kEntry = 11,
  kItem = 12,
  kStringIid = 17,
};

}  // namespace

void Annotations::Begin() {
  texts_.clear();
  kept_.clear();
  seen_ = 0;
  left_out_ = missing_ = 0;
  signs_ = {};
}

// Also reads arguments that are no known field, because they may be signs of a writer.
bool Annotations::Read(std::string_view message, const Interned& interned) {
  if (++seen_ > kMostAnnotations) {
    ++left_out_;
    return true;
  }
  std::string_view name;
  Value value;
  if (!ReadValue(message, interned, 0, name, value)) return false;
  SeeSign(name, value);
  const Field field = kineto::ArgsField(name);
  if (field < Field::kCount_) kept_.push_back({field, value});
  return true;
}

// Appends the text of a value to texts_. A value without text is a list or object without elements,
// which is not written.
bool Annotations::ReadValue(std::string_view message, const Interned& interned, int depth,
                            std::string_view& name, Value& value) {
  value.at = texts_.size();
  bool is_list = false, is_object = false, is_scalar = false;
  const auto put = [&](std::string_view text, Form form) {
    texts_.resize(value.at);
    texts_ += text;
    value.form = form;
    is_scalar = true;
  };
  WireReader fields(message);
  while (fields.Next()) {
    switch (fields.field()) {
      case kName:
        name = fields.Bytes();
        break;
      case kNameIid: {
        const auto found = interned.Find(Table::kAnnotationNames, fields.Varint());
        if (!found) ++missing_;
        name = found.value_or(std::string_view());
        break;
      }
      case kBool:
        put(fields.Varint() != 0 ? "true" : "false", Form::kBool);
        break;
      case kUnsigned:
      case kPointer:
        put(DigitsOf(fmt::format_int(fields.Varint())), Form::kNumber);
        break;
      case kInt:
        put(DigitsOf(fmt::format_int(fields.Signed())), Form::kNumber);
        break;
      case kDouble:
        put(fmt::format("{}", fields.Double()), Form::kNumber);
        break;
      case kString:
      case kJson:
        put(fields.Bytes(), Form::kString);
        break;
      case kStringIid: {
        const auto text = interned.Find(Table::kTexts, fields.Varint());
        if (!text) ++missing_;
        put(text.value_or(std::string_view()), Form::kString);
        break;
      }
      case kEntry:
        is_object = true;
        break;
      case kItem:
        is_list = true;
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return false;
  // A list or object needs a second pass, because its kind is known only after the first one.
  if (is_object || is_list || !is_scalar) {
    texts_.resize(value.at);
    value.form = Form::kStructure;
    if (depth >= kDeepest) {
      ++left_out_;
    } else if (!AppendNested(message, interned, depth, is_object)) {
      return false;
    }
  }
  value.size = texts_.size() - value.at;
  return true;
}

// Keys of nested objects have no quotes, as in the canonical text of the JSON reader.
void Annotations::AppendKey(std::string_view entry, const Interned& interned) {
  WireReader fields(entry);
  while (fields.Next()) {
    if (fields.field() == kName) texts_ += fields.Bytes();
    if (fields.field() == kNameIid) {
      texts_ += interned.Find(Table::kAnnotationNames, fields.Varint()).value_or("");
    }
  }
  texts_ += ": ";
}

bool Annotations::AppendNested(std::string_view message, const Interned& interned, int depth,
                               bool is_object) {
  const std::uint32_t member = is_object ? kEntry : kItem;
  texts_ += is_object ? '{' : '[';
  bool is_first = true;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() != member) continue;
    if (!is_first) texts_ += ", ";
    is_first = false;
    if (is_object) AppendKey(fields.Bytes(), interned);
    std::string_view name;
    Value inner;
    if (!ReadValue(fields.Bytes(), interned, depth + 1, name, inner)) return false;
  }
  texts_ += is_object ? '}' : ']';
  return true;
}

// Runs for each argument of a trace, so it compares the length of the name first.
void Annotations::SeeSign(std::string_view name, const Value& value) {
  switch (name.size()) {
    case 4:
      if (name == "grid") signs_.has_grid = true;
      if (name == "cbid") signs_.has_call_id = true;
      return;
    case 6:
      if (name == "device") signs_.has_device = true;
      if (name == "stream") signs_.has_stream = true;
      return;
    case 7:
      if (name == "context") signs_.has_context = true;
      return;
    case 9:
      if (name == "Python id") signs_.is_frame = true;
      return;
    case 11:
      if (name == "correlation") signs_.has_correlation = true;
      return;
    case 14:
      if (name == "cuda_sync_kind") signs_.is_sync = true;
      // Written by rocpd's converter: "256 (x=256,y=1,z=1)".
      if (name == "workgroup_size" && value.form == Form::kString) signs_.has_sizes_as_text = true;
      return;
    default:
      return;
  }
}

void Annotations::Add(Field field, std::string_view value, Form form) {
  kept_.push_back({field, {texts_.size(), value.size(), form}});
  texts_ += value;
}

void Annotations::SetAll(kineto::RawEvent& event) {
  for (const Kept& kept : kept_) {
    event.Set(kept.field, std::string_view(texts_).substr(kept.value.at, kept.value.size),
              kept.value.form);
  }
}

}  // namespace profgauge::readers::pftrace
