#include "base/hashes.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/content_hash_wide.h"

namespace profgauge {
namespace {

// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void Compress(State& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = static_cast<std::uint32_t>(block[4 * i]) << 24 |
           static_cast<std::uint32_t>(block[4 * i + 1]) << 16 |
           static_cast<std::uint32_t>(block[4 * i + 2]) << 8 | block[4 * i + 3];
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const auto s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const auto s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const auto t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const auto s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const auto t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const State add = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
}

}  // namespace

// Compresses blocks of 64 bytes. After the last full one, one or two blocks have the remaining
// bytes, a byte 0x80, zeros, and the length of the input in bits, as 8 bytes.
std::array<std::uint8_t, 32> Sha256(std::string_view bytes) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= 64; bytes.remove_prefix(64)) {
    Compress(state, reinterpret_cast<const unsigned char*>(bytes.data()));
  }
  std::string tail(bytes);  // The remaining bytes, the bit 1, zeros, and the length in bits.
  tail += '\x80';
  while (tail.size() % 64 != 56) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift & 0xff);
  for (std::size_t i = 0; i < tail.size(); i += 64) {
    Compress(state, reinterpret_cast<const unsigned char*>(tail.data() + i));
  }
  std::array<std::uint8_t, 32> digest{};
  for (std::size_t i = 0; i < 32; ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)) & 0xff);
  }
  return digest;
}

// HMAC is Sha256(key ^ 5C | Sha256(key ^ 36 | message)), with the key padded to a block.
std::array<std::uint8_t, 32> HmacSha256(std::string_view key, std::string_view message) {
  constexpr std::size_t kBlock = 64;
  std::string padded(key);
  if (padded.size() > kBlock) {
    const auto digest = Sha256(padded);
    padded.assign(digest.begin(), digest.end());
  }
  padded.resize(kBlock, '\0');
  const auto with = [&padded](unsigned char mask) {
    std::string block = padded;
    for (char& c : block) c = static_cast<char>(static_cast<unsigned char>(c) ^ mask);
    return block;
  };
  const auto inner = Sha256(with(0x36).append(message));
  return Sha256(with(0x5c).append(inner.begin(), inner.end()));
}

std::string HexOf(const std::array<std::uint8_t, 32>& digest, std::size_t bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < std::min(bytes, digest.size()); ++i) {
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
}

// Encodes 24 bits as four digits of 6 bits: "Man" is "TWFu". A shorter rest is filled with zero
// bits and `=`: "Ma" is "TWE=", "M" is "TQ==".
std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data();
  const auto byte = [&bytes](std::size_t at) {
    return std::uint32_t{static_cast<unsigned char>(bytes[at])};
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) *to++ = kDigits[group >> shift & 63];
  }
  if (i == bytes.size()) return out;
  const bool has_two = i + 2 == bytes.size();
  const std::uint32_t group = byte(i) << 16 | (has_two ? byte(i + 1) << 8 : 0);
  *to++ = kDigits[group >> 18 & 63];
  *to++ = kDigits[group >> 12 & 63];
  if (has_two) *to++ = kDigits[group >> 6 & 63];
  return out;
}

std::string CspHash(std::string_view bytes) {
  const auto digest = Sha256(bytes);
  return "sha256-" + Base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// XXH3 requires a special alignment, which `new` provides.
struct ContentHash::State {
  XXH3_state_t of_library;
};

void ContentHash::Free::operator()(State* state) const { delete state; }

ContentHash::ContentHash() : state_(new State) { XXH3_128bits_reset(&state_->of_library); }

ContentHash::~ContentHash() = default;
ContentHash::ContentHash(ContentHash&&) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&&) noexcept = default;

void ContentHash::Add(std::string_view bytes) {
#ifdef PROFGAUGE_WIDE_HASH
  static const bool is_wide = __builtin_cpu_supports("avx2") != 0;
  if (is_wide) return AddByWideVectors(&state_->of_library, bytes.data(), bytes.size());
#endif
  XXH3_128bits_update(&state_->of_library, bytes.data(), bytes.size());
}

std::string ContentHash::Hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->of_library);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace profgauge
