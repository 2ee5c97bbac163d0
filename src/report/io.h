// One description of each section of report.json that writes the section, reads it, and gives its
// schema. So reading and writing cannot use different names for a field.
//
//     void Describe(Io& io, Remark& remark) {
//       io.Field("id", remark.id);
//       io.Field("text", remark.text);
//     }
//
//     Io(writer)          {"id": …, "text": …}
//     Io(document node)   remark has both
//     Io(shape node)      the node's shape: an object of two strings
//
// Fields are written in the order of the description. A missing key leaves its field unchanged.
// O(size of the section).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/value.h"
#include "report/json_node.h"
#include "report/report.h"
#include "report/state.h"

namespace profgauge::report {

/// When a field is written: always, or only if it is set, i.e. not empty, zero, negative or false.
enum class If : std::uint8_t { kAlways, kSet };

/// Text of absent values. The file omits it, since it is always the same dash.
inline constexpr const char* kAbsentText = "\u2013";

/// The fields of one object, in file order. The writer or document must outlive this.
class Io {
 public:
  using Style = JsonWriter::Style;
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  explicit Io(JsonWriter& out) : out_(&out) {}
  explicit Io(JsonNode in) : in_(std::move(in)) {}

  bool writes() const { return out_ != nullptr; }
  /// The writer. REQUIRES: this writes.
  JsonWriter& out() { return *out_; }
  /// The object that is read. REQUIRES: this does not write.
  const JsonNode& node() const { return *in_; }
  /// True if the object has the key; when writing, if it is set.
  bool Has(std::string_view key, bool is_set) const { return writes() ? is_set : At(key).exists(); }

  void Field(std::string_view key, std::string& text, If when = If::kAlways);
  void Field(std::string_view key, std::int64_t& number, If when = If::kAlways);
  void Field(std::string_view key, double& number);
  void Field(std::string_view key, bool& is, If when = If::kAlways);
  /// Omitted if absent.
  void Field(std::string_view key, Value& value);
  void Field(std::string_view key, Unit& unit);
  void Field(std::string_view key, std::vector<std::string>& texts, Style style = Style::kInline,
             If when = If::kAlways);
  void Field(std::string_view key, Pairs& pairs);
  /// Either {"value", "unit", "text"} or {"absent", "unit"}: an absent value has a reason, never a
  /// number. Omitted if the quantity was never set.
  void Field(std::string_view key, Quantity& quantity);
  /// The fields of a quantity without an enclosing object.
  void Fields(Quantity& quantity);

  /// A state by its name. Names that are not in `among` are rejected.
  void Word(std::string_view key, State& state, std::span<const State> among,
            If when = If::kAlways);
  /// An enumeration by its name, whose index is the value.
  template <class Enum, std::size_t n>
  void Word(std::string_view key, Enum& value, const std::array<std::string_view, n>& names) {
    if (writes()) return out_->Field(key, names[static_cast<std::size_t>(value)]);
    value = static_cast<Enum>(At(key).IndexAmong(names).value_or(static_cast<std::size_t>(value)));
  }

  /// An object that fill(Io&) describes.
  template <class Fill>
  void Object(std::string_view key, Fill fill, Style style = Style::kLines) {
    if (!writes()) {
      Io inner(At(key));
      return fill(inner);
    }
    out_->Key(key);
    out_->BeginObject(style);
    fill(*this);
    out_->EndObject();
  }
  /// A list of objects; fill(Io&, T&) describes each element.
  template <class T, class Fill>
  void List(std::string_view key, std::vector<T>& all, Fill fill, Style style = Style::kInline) {
    if (!writes()) {
      for (const JsonNode& node : At(key).Elements()) {
        Io inner(node);
        fill(inner, all.emplace_back());
      }
      return;
    }
    out_->Key(key);
    out_->BeginArray();
    for (T& one : all) {
      out_->BeginObject(style);
      fill(*this, one);
      out_->EndObject();
    }
    out_->EndArray();
  }
  /// A list of objects, written as an object whose keys are the elements' `id`.
  template <class T, class Fill>
  void Map(std::string_view key, std::vector<T>& all, std::string T::*id, Fill fill) {
    if (!writes()) {
      for (const auto& [name, node] : At(key).Entries()) {
        Io inner(node);
        T& one = all.emplace_back();
        one.*id = name;
        fill(inner, one);
      }
      return;
    }
    out_->Key(key);
    out_->BeginObject();
    for (T& one : all) Object(one.*id, [&](Io& io) { fill(io, one); });
    out_->EndObject();
  }

 private:
  JsonNode At(std::string_view key) const { return (*in_)[key]; }

  JsonWriter* out_ = nullptr;
  std::optional<JsonNode> in_;
};

}  // namespace profgauge::report
