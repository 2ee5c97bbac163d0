#include "base/exact_json.h"

#include <boost/json/array.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <string>

#include "base/json_writer.h"

namespace profgauge {
namespace {

namespace json = boost::json;
using json::error_code;
using View = json::string_view;

/// Receives the parser's events. A long number arrives in parts; only the text of a double is
/// needed.
struct Handler : JsonHandler {
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  json::value_stack stack;
  std::string number;
  std::size_t members = 0;  // Sum over all objects; a repeated key counts twice.

  bool on_object_end(std::size_t size, error_code&) {
    members += size;
    return stack.push_object(size), true;
  }
  bool on_array_end(std::size_t size, error_code&) { return stack.push_array(size), true; }
  bool on_key_part(View text, std::size_t, error_code&) { return stack.push_chars(text), true; }
  bool on_key(View text, std::size_t, error_code&) { return stack.push_key(text), true; }
  bool on_string_part(View text, std::size_t, error_code&) { return stack.push_chars(text), true; }
  bool on_string(View text, std::size_t, error_code&) { return stack.push_string(text), true; }
  bool on_number_part(View text, error_code&) { return number += std::string_view(text), true; }
  bool on_int64(std::int64_t value, View, error_code&) {
    number.clear();
    return stack.push_int64(value), true;
  }
  bool on_uint64(std::uint64_t value, View, error_code&) {
    number.clear();
    return stack.push_uint64(value), true;
  }
  bool on_double(double, View text, error_code& error) {
    number += std::string_view(text);
    double value = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
    number.clear();
    if (parsed.ec != std::errc()) {
      error = json::error::exponent_overflow;
      return false;
    }
    return stack.push_double(value), true;
  }
  bool on_bool(bool value, error_code&) { return stack.push_bool(value), true; }
  bool on_null(error_code&) { return stack.push_null(), true; }
};

// Counts the members of a value and of all objects inside it. The parser counts members as written,
// and the value has each key once, so the difference is the number of repeated keys. A set of keys
// per object would cost more than parsing.
std::size_t CountMembers(const json::value& value) {
  std::size_t count = 0;
  if (const auto* object = value.if_object()) {
    count = object->size();
    for (const auto& [key, member] : *object) count += CountMembers(member);
  } else if (const auto* array = value.if_array()) {
    for (const json::value& element : *array) count += CountMembers(element);
  }
  return count;
}

}  // namespace

json::value ParseExactJson(std::string_view text, const json::parse_options& options,
                           error_code& error, std::size_t& parsed, std::size_t* repeated) {
  json::basic_parser<Handler> parser(options);
  parser.handler().stack.reset();
  parsed = parser.write_some(false, text.data(), text.size(), error);
  if (!error && !parser.done()) error = json::error::incomplete;
  if (error == json::error::incomplete) parsed = text.size();
  if (error) return nullptr;
  const std::size_t rest = text.find_first_not_of(" \t\r\n", parsed);
  if (rest != std::string_view::npos) {
    parsed = rest;
    error = json::error::extra_data;
    return nullptr;
  }
  json::value value = parser.handler().stack.release();
  if (repeated != nullptr) *repeated = parser.handler().members - CountMembers(value);
  return value;
}

}  // namespace profgauge
