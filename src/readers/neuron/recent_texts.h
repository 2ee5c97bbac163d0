// Caches the meanings of texts, because neighboring rows have the same text or a few that alternate
// (e.g. engines). Has 16 slots; each has the latest text that hashed to it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace profgauge::readers::neuron {

template <class Meaning>
class RecentTexts {
 public:
  /// The meaning of `text`: the result of `make(text)` or the cached one, valid until the next
  /// call. REQUIRES: the result of `make` depends only on the text.
  template <class Make>
  const Meaning& Of(std::string_view text, const Make& make) {
    Slot& slot = slots_[SlotOf(text)];
    if (!slot.is_used || slot.text != text) {
      slot.meaning = make(text);
      slot.text.assign(text);
      slot.is_used = true;
    }
    return slot.meaning;
  }

 private:
  struct Slot {
    std::string text;
    Meaning meaning{};
    bool is_used = false;
  };
  static constexpr std::size_t kSlots = 16;

  /// The slot of a text, by its size and a few bytes: enough for the few texts that alternate.
  static std::size_t SlotOf(std::string_view text) {
    const std::size_t size = text.size();
    if (size == 0) return 0;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    return (((size * 31 + at(0)) * 31 + at(size * 3 / 4)) * 31 + at(size - 1)) % kSlots;
  }

  std::array<Slot, kSlots> slots_;
};

}  // namespace profgauge::readers::neuron
