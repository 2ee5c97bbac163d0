// Hashes: names of contents, and the hashes in a page's policy; base64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace profgauge {

// Names content by its bytes: XXH3-128, as 32 lower-case hex digits. Not for security.

/// Bytes may be added in any pieces; the result is that of all bytes in sequence.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(ContentHash&&) noexcept;
  ContentHash& operator=(ContentHash&&) noexcept;

  void Add(std::string_view bytes);
  /// The hash of all bytes so far.
  std::string Hex() const;

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

// SHA-256 and base64: the hashes that a page's Content-Security-Policy names, and the text form of
// binary payloads in a page.

/// The SHA-256 digest of `bytes` (FIPS 180-4).
std::array<std::uint8_t, 32> Sha256(std::string_view bytes);

/// HMAC-SHA-256 of `message` (RFC 2104): a digest that cannot be computed without `key`.
std::array<std::uint8_t, 32> HmacSha256(std::string_view key, std::string_view message);

/// Lower-case hexadecimal digits of the first `bytes` of a digest.
std::string HexOf(const std::array<std::uint8_t, 32>& digest, std::size_t bytes = 32);

/// Base64 with padding (RFC 4648, section 4).
std::string Base64(std::string_view bytes);

/// "sha256-…": how a Content-Security-Policy names an inline script or style.
std::string CspHash(std::string_view bytes);

}  // namespace profgauge
