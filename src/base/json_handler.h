// The shared part of handlers of Boost's JSON parser: a handler derives from this and names the
// values that it takes. All else passes by, and nothing has a limit, since inputs of any size are
// read piece by piece; a handler that keeps values sets limits again.
//
//   struct Reals : JsonHandler {
//     bool on_double(double real, View, Code&) { … }
//   };
#pragma once

#include <boost/json/error.hpp>
#include <boost/json/string_view.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace profgauge {

/// Deeper nesting is no profile; each level costs stack.
inline constexpr std::size_t kDeepestJson = 128;

/// Returns of `false` stop the parser, with the reason in the code. Nothing here is virtual: the
/// parser knows the handler's own type.
struct JsonHandler {
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = max_array_size;
  static constexpr std::size_t max_string_size = max_array_size;
  static constexpr std::size_t max_key_size = max_array_size;
  using Code = boost::json::error_code;
  using View = boost::json::string_view;

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t, Code&) { return true; }
  bool on_object_begin(Code&) { return true; }
  bool on_object_end(std::size_t, Code&) { return true; }
  bool on_key_part(View, std::size_t, Code&) { return true; }
  bool on_key(View, std::size_t, Code&) { return true; }
  bool on_string_part(View, std::size_t, Code&) { return true; }
  bool on_string(View, std::size_t, Code&) { return true; }
  bool on_number_part(View, Code&) { return true; }
  bool on_int64(std::int64_t, View, Code&) { return true; }
  bool on_uint64(std::uint64_t, View, Code&) { return true; }
  bool on_double(double, View, Code&) { return true; }
  bool on_bool(bool, Code&) { return true; }
  bool on_null(Code&) { return true; }
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }
};

}  // namespace profgauge
