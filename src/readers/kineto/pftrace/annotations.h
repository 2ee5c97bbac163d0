// Arguments of a slice, which Perfetto calls debug annotations, as values of a raw event.
//
//   DebugAnnotation                                          text
//   1 name's number, or 10 name                              the key
//   2 bool, 3 unsigned, 4 signed, 5 double, 7 pointer        "true", "42", "-1", "0.5"
//   6 string, 9 JSON, 17 number of a text                    the text
//   12 elements, DebugAnnotations without names              "[[32, 3], []]"
//   11 entries, DebugAnnotations with names                  "{a: 1, b: 2}"
//   no such field                                            "[]": PyTorch writes empty lists so
//
// The texts are those that the parser of JSON makes (kineto/event_parser.h), so that one sink reads
// both.
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

/// Valid as long as `number`.
inline std::string_view DigitsOf(const fmt::format_int& number) {
  return {number.data(), number.size()};
}

/// Deeper values and further annotations of one event are left out.
inline constexpr int kDeepest = 32;
inline constexpr std::size_t kMostAnnotations = 4096;

/// The arguments that show the kind of an event without a category.
struct ArgumentSigns {
  bool has_device = false, has_stream = false, has_context = false, has_correlation = false;
  bool has_grid = false, has_call_id = false, is_frame = false, is_sync = false,
       has_sizes_as_text = false;
};

/// Reads the annotations of one event after another; their texts live until Begin(). For each
/// event: Begin(), Read() or Add() for each argument, SetAll(). Reused, so that it needs no memory
/// per event.
class Annotations {
 public:
  /// Forgets the event before; its views are no longer valid.
  void Begin();
  /// DebugAnnotation. False where it is no message.
  bool Read(std::string_view message, const Interned& interned);
  /// A value that is text or a number already.
  void Add(kineto::Field field, std::string_view value, kineto::Form form);
  /// Gives all to `event`, whose views then are of this: no Read() or Add() after it.
  void SetAll(kineto::RawEvent& event);
  /// For the current event: the number of omitted values, and missing names.
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
