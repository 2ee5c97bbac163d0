#include "support/json_mutator.h"

#include <boost/json.hpp>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/dice.h"

namespace profgauge::fuzz {
namespace {

namespace json = boost::json;

std::optional<json::value> Parsed(const std::uint8_t* data, std::size_t size) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  options.max_depth = 64;
  json::error_code error;
  json::value root = json::parse({reinterpret_cast<const char*>(data), size}, error, {}, options);
  if (error || !root.is_structured()) return std::nullopt;
  return root;
}

void Collect(json::value& value, std::vector<json::value*>& out) {
  out.push_back(&value);
  if (auto* array = value.if_array()) {
    for (json::value& item : *array) Collect(item, out);
  } else if (auto* object = value.if_object()) {
    for (auto& entry : *object) Collect(entry.value(), out);
  }
}

std::vector<json::value*> AllOf(json::value& root) {
  std::vector<json::value*> all;
  Collect(root, all);
  return all;
}

json::value ChangedNumber(const json::value& value, Dice& dice) {
  if (dice.OneIn(3)) return OddNumber(dice);
  if (value.is_double()) {
    const double number = value.as_double();
    const double choices[] = {-number, number * 2, number / 1000, number + 0.001, 1e300, 5e-324};
    return dice.Of(choices);
  }
  const std::uint64_t number =
      value.is_int64() ? static_cast<std::uint64_t>(value.as_int64()) : value.as_uint64();
  const std::uint64_t choices[] = {number + 1,
                                   number - 1,
                                   ~number + 1,
                                   number * 2,
                                   number / 2,
                                   number + 1000,
                                   number ^ std::uint64_t{1} << 63};
  const std::uint64_t changed = dice.Of(choices);
  if (dice.OneIn(4)) return changed;  // May exceed the signed range.
  return static_cast<std::int64_t>(changed);
}

json::value OfAnotherType(Dice& dice) {
  switch (dice.Below(7)) {
    case 0:
      return nullptr;
    case 1:
      return dice.OneIn(2);
    case 2:
      return OddNumber(dice);
    case 3:
      return json::value(OddText(dice));
    case 4:
      return json::array();
    case 5:
      return json::object();
    default:
      return json::value(std::to_string(OddNumber(dice)));
  }
}

void ChangeScalar(json::value& value, Dice& dice) {
  if (value.is_number() && !dice.OneIn(6)) {
    value = ChangedNumber(value, dice);
  } else if (value.is_string() && !dice.OneIn(6)) {
    const std::string_view text = value.as_string();
    value = json::value(dice.OneIn(4) ? OddText(dice) : MutatedText(std::string(text), 8));
  } else {
    value = OfAnotherType(dice);
  }
}

void ChangeArray(json::array& array, Dice& dice) {
  if (array.empty()) return;
  const std::size_t at = dice.Below(array.size());
  switch (dice.Below(4)) {
    case 0:
      array.erase(array.begin() + at);
      return;
    case 1:
      std::swap(array[at], array[dice.Below(array.size())]);
      return;
    default:
      json::value again = array[at];
      array.insert(array.begin() + dice.Below(array.size() + 1), std::move(again));
  }
}

void ChangeObject(json::object& object, Dice& dice) {
  if (object.empty()) return;
  auto entry = object.begin() + dice.Below(object.size());
  json::value value = entry->value();
  const std::string key(entry->key());
  switch (dice.Below(3)) {
    case 0:
      object.erase(entry);
      return;
    case 1: {  // Under another of its keys.
      const std::string other((object.begin() + dice.Below(object.size()))->key());
      object[other] = std::move(value);
      return;
    }
    default:
      object.erase(entry);
      object[MutatedText(key, 4)] = std::move(value);
  }
}

void ChangeOnce(json::value& root, Dice& dice) {
  const std::vector<json::value*> all = AllOf(root);
  json::value& value = *dice.Of(all);
  if (dice.OneIn(6)) {  // Another value's copy, which may hold this one.
    json::value copy = *dice.Of(all);
    value = std::move(copy);
  } else if (auto* array = value.if_array()) {
    ChangeArray(*array, dice);
  } else if (auto* object = value.if_object()) {
    ChangeObject(*object, dice);
  } else {
    ChangeScalar(value, dice);
  }
}

/// 0 when there is no room.
std::size_t Put(const json::value& root, std::uint8_t* out, std::size_t max_size) {
  const std::string text = json::serialize(root);
  if (text.size() > max_size) return 0;
  std::memcpy(out, text.data(), text.size());
  return text.size();
}

}  // namespace

std::size_t MutateJson(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  Dice dice(seed);
  auto root = dice.OneIn(5) ? std::nullopt : Parsed(data, size);
  if (root) {
    for (std::size_t left = 1 + dice.Below(4); left > 0; --left) ChangeOnce(*root, dice);
    if (const std::size_t made = Put(*root, data, max_size)) return made;
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

std::size_t CrossJson(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                      std::size_t b_size, std::uint8_t* out, std::size_t max_size, unsigned seed) {
  Dice dice(seed);
  auto to = Parsed(a, a_size), from = Parsed(b, b_size);
  if (!to || !from) return 0;
  const auto places = AllOf(*to), values = AllOf(*from);
  json::value& place = *dice.Of(places);
  const json::value& value = *dice.Of(values);
  if (auto* array = place.if_array()) {
    array->push_back(value);
  } else if (place.is_object() && value.is_object()) {
    for (const auto& entry : value.get_object()) place.get_object().insert(entry);
  } else {
    place = value;
  }
  return Put(*to, out, max_size);
}

}  // namespace profgauge::fuzz
