// Cuts a Perfetto trace into packets: "field 1, length, bytes", repeated, without any mark at the
// end of the trace. Packets may contain compressed packets, one level deep.
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

/// A packet that states a greater length is invalid, because its length must be damaged.
inline constexpr std::uint64_t kLargestPacket = std::uint64_t{256} << 20;
/// The size limit of one compressed packet, after decompression.
inline constexpr std::uint64_t kLargestBundle = std::uint64_t{256} << 20;

/// Keeps bytes of the stream until a packet is complete. Memory: the longest packet and one block.
class PacketBuffer {
 public:
  /// The result of cutting. kNeedsMore: the packet's end has not been added yet.
  enum class State : std::uint8_t { kPacket, kNeedsMore, kDamaged };

  /// Adds the next bytes of the stream (copied). Drops packets that Next() has passed.
  void Add(std::string_view bytes);
  /// Moves to the next packet: packet() is valid until the next call of Add() or Next().
  State Next();
  /// The content of the packet, without tag and length; empty unless Next() returned kPacket.
  std::string_view packet() const { return packet_; }
  /// Offset in the stream of the first byte of the packet that Next() examined last.
  std::uint64_t offset() const { return offset_; }
  /// True if bytes are left that are not a complete packet.
  bool has_rest() const { return at_ < bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
  std::uint64_t taken_ = 0;  ///< Bytes of the stream before bytes_.
  std::uint64_t offset_ = 0;
  std::string_view packet_;
};

/// The compression of a packet.
enum class Codec : std::uint8_t { kDeflate, kZstd };

/// How the decompression of a packet ended.
enum class BundleEnd : std::uint8_t { kWhole, kDamaged, kTooLarge, kStopped };

/// Passes each packet inside a compressed one to `take`, which returns false to stop. Memory
/// depends on the longest inner packet, not on the decompressed size. Beyond kLargestBundle it
/// returns kTooLarge, after it passed on some packets. Views are valid only during the call.
BundleEnd Unpack(std::string_view compressed, Codec codec,
                 const std::function<bool(std::string_view)>& take);

/// Reads a source in order, counting and hashing.
class PacketReader {
 public:
  explicit PacketReader(ByteSource& source) : source_(source) {}
  /// Moves to the next packet. False at the end, of a cut or damaged stream, too.
  bool Next();
  std::string_view packet() const { return buffer_.packet(); }
  /// Offset of the packet, or of bytes that are no packet.
  std::uint64_t offset() const { return buffer_.offset(); }
  /// True if the stream has bytes that are no packet; the rest is not read then.
  bool damaged() const { return damaged_; }
  /// True if the stream ends inside a packet.
  bool truncated() const { return truncated_; }
  /// The reason why the source stopped before its end, if it did.
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
