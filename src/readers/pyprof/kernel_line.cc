#include "readers/pyprof/net_dict_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/python_literal.h"

namespace profgauge::readers::pyprof {
namespace {

// Reads the keys of one dictionary; the first thing that is wrong stays in `error`.
class Keys {
 public:
  explicit Keys(const PyValue& line) : line_(line) {}

  const PyValue* Find(const char* key, bool required) {
    const PyValue* value = line_.Find(key);
    if (value == nullptr && required) Fail("the key", key);
    return value;
  }
  void Text(const char* key, std::string& out, bool required) {
    const PyValue* value = Find(key, required);
    if (value == nullptr) return;
    if (!value->is_text()) return Fail("a text for", key);
    out = value->text;
  }
  template <class T>
  void Integer(const char* key, T& out, bool required = false) {
    const PyValue* value = Find(key, required);
    if (value == nullptr) return;
    if (value->kind != PyValue::Kind::kInt || value->integer < std::numeric_limits<T>::min() ||
        value->integer > std::numeric_limits<T>::max()) {
      return Fail("a whole number for", key);
    }
    out = static_cast<T>(value->integer);
  }
  void Texts(const char* key, std::vector<std::string>& out, bool required = false) {
    const PyValue* value = Find(key, required);
    if (value == nullptr) return;
    if (!value->is_sequence()) return Fail("a list for", key);
    for (const PyValue& item : value->items) {
      if (!item.is_text()) return Fail("texts in", key);
      out.push_back(item.text);
    }
  }
  void Integers(const char* key, std::vector<std::int64_t>& out) {
    const PyValue* value = Find(key, false);
    if (value == nullptr) return;
    if (!value->is_sequence()) return Fail("a list for", key);
    for (const PyValue& item : value->items) {
      if (item.kind != PyValue::Kind::kInt) return Fail("whole numbers in", key);
      out.push_back(item.integer);
    }
  }
  void Dimensions(const char* key, std::int32_t (&out)[3]) {
    std::vector<std::int64_t> sizes;
    Integers(key, sizes);
    for (std::size_t i = 0; i < 3 && i < sizes.size(); ++i) {
      constexpr std::int64_t kLargestSize = std::numeric_limits<std::int32_t>::max();
      out[i] = static_cast<std::int32_t>(std::clamp<std::int64_t>(sizes[i], 0, kLargestSize));
    }
  }

  const std::string& error() const { return error_; }

 private:
  void Fail(std::string_view what, std::string_view key) {
    if (error_.empty()) error_ = fmt::format("expected {} `{}`", what, key);
  }
  const PyValue& line_;
  std::string error_;
};

}  // namespace

tl::expected<KernelLine, std::string> ParseKernelLine(std::string_view line) {
  const auto parsed = ParsePythonLiteral(line);
  if (!parsed) {
    return tl::unexpected(
        fmt::format("expected {} at column {}", parsed.error().expected, parsed.error().column));
  }
  if (parsed->kind != PyValue::Kind::kDict) {
    return tl::unexpected(std::string("expected a dictionary at column 1"));
  }
  KernelLine kernel;
  std::string direction;
  Keys keys(*parsed);
  keys.Text("kShortName", kernel.short_name, true);
  keys.Integer("kDuration", kernel.duration, true);
  keys.Texts("op", kernel.ops, true);
  keys.Texts("mod", kernel.modules, true);
  keys.Text("dir", direction, true);
  keys.Text("kLongName", kernel.long_name, false);
  keys.Texts("layer", kernel.layers);
  keys.Texts("trace", kernel.trace);
  keys.Texts("marker", kernel.markers);
  keys.Texts("seqMarker", kernel.seq_markers);
  keys.Integers("seqId", kernel.seq_ids);
  keys.Integers("altSeqId", kernel.alt_seq_ids);
  keys.Integer("subSeqId", kernel.sub_seq);
  keys.Integer("tid", kernel.thread);
  keys.Integer("device", kernel.device);
  keys.Integer("stream", kernel.stream);
  keys.Dimensions("grid", kernel.config.grid);
  keys.Dimensions("block", kernel.config.block);
  if (!keys.error().empty()) return tl::unexpected(keys.error());
  if (kernel.duration < 0) return tl::unexpected(std::string("expected a duration of 0 or more"));
  if (direction != "fprop" && direction != "bprop") {
    return tl::unexpected(std::string("expected `fprop` or `bprop` for `dir`"));
  }
  kernel.backward = direction == "bprop";
  return kernel;
}

}  // namespace profgauge::readers::pyprof
