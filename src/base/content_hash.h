// Names content by its bytes: XXH3-128, as 32 lower-case hex digits. Not for security.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace profgauge {

class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(ContentHash&&) noexcept;
  ContentHash& operator=(ContentHash&&) noexcept;

  void Add(std::string_view bytes);
  /// Hash of all bytes so far.
  std::string Hex() const;

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

}  // namespace profgauge
