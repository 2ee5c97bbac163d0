// Arguments of a slice (Perfetto's debug annotations), as values of a raw event.
//
//   DebugAnnotation                                          text
//   1 name's number, or 10 name                              the key
//   2 bool, 3 unsigned, 4 signed, 5 double, 7 pointer        "true", "42", "-1", "0.5"
//   6 string, 9 JSON, 17 number of a text                    the text
//   12 elements, DebugAnnotations without names              "[[32, 3], []]"
//   11 entries, DebugAnnotations with names                  "{a: 1, b: 2}"
//   no such field                                            "[]": how PyTorch writes empty lists
//
// The texts are the same as those from JSON (kineto/event_parser.h), so that one sink reads both.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "readers/kineto/pftrace/state.h"
#include "readers/kineto/raw_event.h"

namespace profgauge::readers::pftrace {

/// The decimal digits of a number, valid as long as `number`.
inline std::string_view DigitsOf(const fmt::format_int& number) {
  return {number.data(), number.size()};
}

/// Limits: deeper values and further annotations of one event are left out.
inline constexpr int kDeepest = 32;
inline constexpr std::size_t kMostAnnotations = 4096;

/// Arguments that show the kind of an event without a category.
struct ArgumentSigns {
  bool has_device = false, has_stream = false, has_context = false, has_correlation = false;
  bool has_grid = false, has_call_id = false, is_frame = false, is_sync = false,
       has_sizes_as_text = false;
};

/// Reads the annotations of one event after another. For each event call Begin(), then Read() or
/// Add() for each argument, then SetAll(). Texts live until the next Begin(). Reuses its memory, so
/// that an event allocates none.
class Annotations {
 public:
  /// Drops the previous event; its views become invalid.
  void Begin();
  /// Reads a DebugAnnotation. Returns false if it is not a message.
  bool Read(std::string_view message, const Interned& interned);
  /// Adds a value that already is text or a number.
  void Add(kineto::Field field, std::string_view value, kineto::Form form);
  /// Passes all values to `event`, whose views then refer to this object. Until the next Begin(),
  /// Read() and Add() must not be called.
  void SetAll(kineto::RawEvent& event);
  /// The number of values that were left out of the current event, and of its missing names.
  std::uint64_t left_out() const { return left_out_; }
  std::uint64_t missing() const { return missing_; }
  const ArgumentSigns& signs() const { return signs_; }

 private:
  struct Value {
    std::size_t at = 0, size = 0;
    kineto::Form form = kineto::Form::kNull;
  };
  struct Kept {
    kineto::Field field;
    Value value;
  };
  bool ReadValue(std::string_view message, const Interned& interned, int depth,
                 std::string_view& name, Value& value);
  bool AppendNested(std::string_view message, const Interned& interned, int depth, bool is_object);
  void AppendKey(std::string_view entry, const Interned& interned);
  void SeeSign(std::string_view name, const Value& value);

  std::string texts_;
  std::vector<Kept> kept_;
  std::size_t seen_ = 0;
  std::uint64_t left_out_ = 0, missing_ = 0;
  ArgumentSigns signs_;
};

}  // namespace profgauge::readers::pftrace
