// SHA-256 and base64: the hashes that a page's Content-Security-Policy names, and the text form of
// binary payloads in a page.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace profgauge {

/// The SHA-256 digest of `bytes` (FIPS 180-4).
std::array<std::uint8_t, 32> Sha256(std::string_view bytes);

/// Base64 with padding (RFC 4648, section 4).
std::string Base64(std::string_view bytes);

/// "sha256-…": how a Content-Security-Policy names an inline script or style.
std::string CspHash(std::string_view bytes);

}  // namespace profgauge
