#include "support/wire_mutator.h"

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/dice.h"

namespace profgauge::fuzz {
namespace {

constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;
constexpr int kDeepest = 8;

struct Field {
  std::uint64_t tag = 0;
  std::uint64_t number = 0;    ///< Number of a varint.
  std::string bytes;           ///< Bytes of any other field, unless it is a message…
  std::vector<Field> message;  ///< …which has fields.
  bool is_message = false;
};
using Message = std::vector<Field>;

std::optional<std::uint64_t> TakeVarint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// Nothing when the bytes are no whole message.
std::optional<Message> Parsed(std::string_view bytes, int depth) {
  Message message;
  while (!bytes.empty()) {
    const auto tag = TakeVarint(bytes);
    if (!tag || *tag >> 3 == 0) return std::nullopt;
    Field field;
    field.tag = *tag;
    const std::uint64_t type = *tag & 7;
    std::optional<std::uint64_t> number = type == kFixed64 ? 8 : 4;
    if (type == kVarint || type == kBytes) number = TakeVarint(bytes);
    if (!number || (type != kVarint && type != kBytes && type != kFixed64 && type != kFixed32)) {
      return std::nullopt;
    }
    if (type == kVarint) {
      field.number = *number;
    } else {
      if (*number > bytes.size()) return std::nullopt;
      field.bytes = bytes.substr(0, *number);
      bytes.remove_prefix(*number);
      auto inner = type == kBytes && depth < kDeepest && !field.bytes.empty()
                       ? Parsed(field.bytes, depth + 1)
                       : std::nullopt;
      field.is_message = inner.has_value();
      if (inner) field.message = *std::move(inner);
    }
    message.push_back(std::move(field));
  }
  return message;
}

void PutVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::string Encoded(const Message& message) {
  std::string out;
  for (const Field& field : message) {
    PutVarint(field.tag, out);
    if ((field.tag & 7) == kVarint) {
      PutVarint(field.number, out);
      continue;
    }
    const std::string bytes = field.is_message ? Encoded(field.message) : field.bytes;
    if ((field.tag & 7) == kBytes) PutVarint(bytes.size(), out);
    out += bytes;
  }
  return out;
}

void Collect(Message& message, std::vector<Message*>& out) {
  if (message.empty()) return;
  out.push_back(&message);
  for (Field& field : message) Collect(field.message, out);
}

void ChangeField(Field& field, Dice& dice) {
  if ((field.tag & 7) == kVarint) {
    const std::uint64_t choices[] = {field.number + 1, field.number - 1, field.number * 2,
                                     ~field.number + 1};
    field.number = dice.OneIn(2) ? static_cast<std::uint64_t>(OddNumber(dice)) : dice.Of(choices);
  } else if (!field.is_message && (field.tag & 7) == kBytes) {
    field.bytes = dice.OneIn(3) ? OddText(dice) : MutatedText(field.bytes, 8);
  } else if (!field.is_message) {
    field.bytes[dice.Below(field.bytes.size())] = static_cast<char>(dice.Next());
  } else {
    field.tag = (1 + dice.Below(12)) << 3 | kBytes;
  }
}

void ChangeOnce(Message& root, Dice& dice) {
  std::vector<Message*> all;
  Collect(root, all);
  if (all.empty()) return;
  Message& message = *dice.Of(all);
  const auto place = message.begin() + static_cast<std::ptrdiff_t>(dice.Below(message.size()));
  switch (dice.Below(6)) {
    case 0:
      message.erase(place);
      return;
    case 1: {
      Field copy = *place;
      message.insert(place, std::move(copy));
      return;
    }
    case 2: {  // A field of another message.
      Message& other = *dice.Of(all);
      Field copy = dice.Of(other);
      message.insert(place, std::move(copy));
      return;
    }
    default:
      ChangeField(*place, dice);
  }
}

}  // namespace

std::size_t MutateWire(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  Dice dice(seed);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto root = dice.OneIn(6) ? std::nullopt : Parsed(bytes, 0);
  if (!root || root->empty()) return LLVMFuzzerMutate(data, size, max_size);
  for (std::size_t left = 1 + dice.Below(4); left > 0; --left) ChangeOnce(*root, dice);
  const std::string text = Encoded(*root);
  if (text.empty() || text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace profgauge::fuzz
