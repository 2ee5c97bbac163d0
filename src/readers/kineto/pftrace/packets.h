// Cuts a Perfetto trace into packets: "field 1, length, bytes", again and again, with nothing that
// says where the trace ends. Packets may hold compressed packets, one level deep.
//
//   0A  8E 02  <270 bytes>   0A  05  <5 bytes>   0A ...
//   │   └ length, a varint: 7 bits a byte, the lowest first, the last byte below 80
//   └ tag: field 1, bytes
//
// A packet that is broken inside is skipped by its length. A broken tag or length loses the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/hashes.h"

namespace profgauge::readers::pftrace {

/// A packet that says to be longer is none: the length is damaged.
inline constexpr std::uint64_t kLargestPacket = std::uint64_t{256} << 20;
/// The size limit of one compressed packet.
inline constexpr std::uint64_t kLargestBundle = std::uint64_t{256} << 20;

/// Holds bytes of the stream until a packet is whole. Memory: the longest packet and one block.
class PacketBuffer {
 public:
  /// The result of cutting. kNeedsMore: the packet ends after the bytes that are there.
  enum class State : std::uint8_t { kPacket, kNeedsMore, kDamaged };

  /// The next bytes of the stream, which are copied. Drops packets that Next() passed.
  void Add(std::string_view bytes);
  /// Moves to the next packet: packet() is valid until the next call of Add() or Next().
  State Next();
  /// The content of the packet, without its tag and length; empty unless Next() said kPacket.
  std::string_view packet() const { return packet_; }
  /// Offset in the stream of the first byte of the packet that Next() examined last.
  std::uint64_t offset() const { return offset_; }
  /// Whether bytes are left that are no whole packet.
  bool has_rest() const { return at_ < bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
  std::uint64_t taken_ = 0;  ///< Bytes of the stream before bytes_.
  std::uint64_t offset_ = 0;
  std::string_view packet_;
};

/// How a compressed packet is packed.
enum class Codec : std::uint8_t { kDeflate, kZstd };

/// How the bytes of a compressed packet ended.
enum class BundleEnd : std::uint8_t { kWhole, kDamaged, kTooLarge, kStopped };

/// Gives each packet of a compressed one to `take`, which may stop it by false. Memory does not
/// grow with the unpacked size, but with the longest packet in it. kTooLarge beyond kLargestBundle,
/// when part of the packets was given already. The view is valid during the call.
BundleEnd Unpack(std::string_view compressed, Codec codec,
                 const std::function<bool(std::string_view)>& take);

/// Reads a source in order, counting and hashing.
class PacketReader {
 public:
  explicit PacketReader(ByteSource& source) : source_(source) {}
  /// False at the end, also where the stream stops inside a packet or is damaged.
  bool Next();
  std::string_view packet() const { return buffer_.packet(); }
  /// Offset of the packet, or of bytes that are no packet.
  std::uint64_t offset() const { return buffer_.offset(); }
  /// Whether the stream has bytes that are no packet. The rest is not read.
  bool damaged() const { return damaged_; }
  /// Whether the stream stops inside a packet.
  bool truncated() const { return truncated_; }
  /// Why the source stopped before its end, if it did.
  const std::optional<Error>& error() const { return error_; }
  std::uint64_t total() const { return total_; }
  std::string Hash() const { return hash_.Hex(); }

 private:
  bool Fill();

  ByteSource& source_;
  ContentHash hash_;
  PacketBuffer buffer_;
  std::string window_;
  std::uint64_t total_ = 0;
  std::optional<Error> error_;
  bool damaged_ = false, truncated_ = false;
};

}  // namespace profgauge::readers::pftrace
