// gzip and zstd: of data in memory, and piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace profgauge {

// gzip for the data in a page, a trace or a summary. byte_source.h reads files of it.

/// `kSmallest`: by some hundredths smaller, at twice the cost.
enum class Effort : std::uint8_t { kSmall, kSmallest };

/// The same bytes for the same bytes: no time stamp, no name.
std::string Gzip(std::string_view bytes, Effort effort = Effort::kSmall);

/// The input of Gzip(). REQUIRES: `gzipped` is an output of Gzip(), and `size` its input's length.
/// Not for files from outside: damage is not reported, and gives a shorter text.
std::string Gunzip(std::string_view gzipped, std::size_t size);

// zstd of a text that is like another one: their common parts cost nothing.

/// The same bytes for the same bytes and `dictionary`. REQUIRES: they are not the same memory,
/// which zstd takes as no dictionary.
std::string Zstd(std::string_view bytes, std::string_view dictionary);
/// The input of Zstd(); nothing where `packed` is damaged or of more than `most` bytes.
std::optional<std::string> Unzstd(std::string_view packed, std::string_view dictionary,
                                  std::size_t most);

// Streaming decompression of one gzip member or one zstd frame.
//
// gzip: ISA-L where the build has it (1.4 to 3.7 GB/s), else zlib (0.5 to 1.2 GB/s). Both check the
// member's CRC and length. zstd: its library, which checks the checksums that exist.

/// One object decodes one member or frame; the next one needs a new object. Not thread-safe.
class Inflater {
 public:
  enum class State : std::uint8_t {
    kMore,       ///< Wants more input or more room.
    kMemberEnd,  ///< The member ended and its checksum fits.
    kDamaged,    ///< Not of the format, or the checksum differs.
    kTooLarge,   ///< Needs more memory than is given to it: zstd with `--long` above 27.
  };
  struct Step {
    std::size_t consumed = 0;
    std::size_t written = 0;
    State state = State::kMore;
  };
  virtual ~Inflater() = default;
  /// Decodes from `in` into `out`. Nothing consumed and nothing written with empty `in` means that
  /// the stream is cut off.
  virtual Step Decode(std::span<const std::byte> in, std::span<std::byte> out) = 0;
};

std::unique_ptr<Inflater> MakeInflater();
std::unique_ptr<Inflater> MakeZstdDecoder();

}  // namespace profgauge
