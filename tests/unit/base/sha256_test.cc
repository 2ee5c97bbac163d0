#include "base/hashes.h"

#include <gtest/gtest.h>

#include <string>

namespace profgauge {
namespace {

std::string Hex(std::string_view bytes) {
  std::string out;
  for (const std::uint8_t byte : Sha256(bytes)) {
    for (const int digit : {byte >> 4, byte & 15}) out += "0123456789abcdef"[digit];
  }
  return out;
}

// The examples of FIPS 180-4's test vectors, and a length at each edge of the padding.
TEST(Sha256, EqualsThePublishedVectors) {
  EXPECT_EQ(Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Cases 2 and 6 of RFC 4231: a short key, and one that is longer than a block.
TEST(HmacSha256, EqualsThePublishedVectors) {
  EXPECT_EQ(HexOf(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(HexOf(HmacSha256(std::string(131, '\xaa'),
                             "Test Using Larger Than Block-Size Key - Hash Key First"),
                  4),
            "60e43159");
}

TEST(Base64, EqualsThePublishedVectors) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Base64(std::string_view("\0\xff\x7f", 3)), "AP9/");
}

TEST(CspHash, EqualsBrowsersHash) {
  // As Chromium's console names it when it refuses <script>alert(1)</script>.
  EXPECT_EQ(CspHash("alert(1)"), "sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=");
}

}  // namespace
}  // namespace profgauge
