// One description of each section of report.json: it writes the section, reads it back, and gives
// its schema. So no field is written under one name and read under another.
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
// Fields are written in the order of the description; a key that is missing leaves its field as it
// is. O(size of the section).
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

/// Whether a field is written that has no value: an empty text or list, a number that is not above
/// zero, false.
enum class If : std::uint8_t { kAlways, kSet };

/// The text of an absent value is not in the file: it is always the same dash.
inline constexpr const char* kAbsentText = "\u2013";

/// The fields of one object, in the order of the file. The writer or document must outlive it.
class Io {
 public:
  using Style = JsonWriter::Style;
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  explicit Io(JsonWriter& out) : out_(&out) {}
  explicit Io(JsonNode in) : in_(std::move(in)) {}

  bool writes() const { return out_ != nullptr; }
  /// REQUIRES: it writes.
  JsonWriter& out() { return *out_; }
  /// The object that is read. REQUIRES: it does not write.
  const JsonNode& node() const { return *in_; }
  /// Whether the key is part of the object: of one that is written, where it is set.
  bool Has(std::string_view key, bool is_set) const { return writes() ? is_set : At(key).exists(); }

  void Field(std::string_view key, std::string& text, If when = If::kAlways);
  void Field(std::string_view key, std::int64_t& number, If when = If::kAlways);
  void Field(std::string_view key, double& number);
  void Field(std::string_view key, bool& is, If when = If::kAlways);
  /// Not written where it is absent.
  void Field(std::string_view key, Value& value);
  void Field(std::string_view key, Unit& unit);
  void Field(std::string_view key, std::vector<std::string>& texts, Style style = Style::kInline,
             If when = If::kAlways);
  void Field(std::string_view key, Pairs& pairs);
  /// {"value", "unit", "text"} or {"absent", "unit"}: an absent value has its reason, never a
  /// number. Not written where nobody set it.
  void Field(std::string_view key, Quantity& quantity);
  /// The same, without an object for it.
  void Fields(Quantity& quantity);

  /// By name; one of `among`, else the file is refused.
  void Word(std::string_view key, State& state, std::span<const State> among,
            If when = If::kAlways);
  /// By the index of its name.
  template <class Enum, std::size_t n>
  void Word(std::string_view key, Enum& value, const std::array<std::string_view, n>& names) {
    if (writes()) return out_->Field(key, names[static_cast<std::size_t>(value)]);
    value = static_cast<Enum>(At(key).IndexAmong(names).value_or(static_cast<std::size_t>(value)));
  }

  /// fill(Io&) describes the object.
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
  /// fill(Io&, T&) describes each element, an object.
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
  /// The same as an object whose keys are `id` of the elements.
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
