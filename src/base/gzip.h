// gzip and zstd: for data in memory, and as a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace profgauge {

// gzip for the data in a page, a trace or a summary. byte_source.h reads gzip files.

/// `kSmallest`: a few percent smaller, at twice the cost.
enum class Effort : std::uint8_t { kSmall, kSmallest };

/// Equal bytes give equal results: no time stamp, no name.
std::string Gzip(std::string_view bytes, Effort effort = Effort::kSmall);

/// Decompresses an output of Gzip(). Not for files from outside: if they are damaged, it returns a
/// shorter text without an error. REQUIRES: `size` is the length of the original text.
std::string Gunzip(std::string_view gzipped, std::size_t size);

// zstd for a text that is similar to another one: parts that they share take almost no space.

/// Equal arguments give equal results. REQUIRES: `bytes` and `dictionary` are different memory,
/// because zstd ignores a dictionary at the address of its input.
std::string Zstd(std::string_view bytes, std::string_view dictionary);
/// The input of Zstd(); nullopt if `packed` is damaged or has more than `most` bytes.
std::optional<std::string> Unzstd(std::string_view packed, std::string_view dictionary,
                                  std::size_t most);

// Streaming decompression of one gzip member or one zstd frame.
//
// gzip: ISA-L if it is in the build (1.4 to 3.7 GB/s), else zlib (0.5 to 1.2 GB/s); both check the
// member's CRC and length. zstd: its library, which checks checksums if they are present.

/// Decodes one member or frame; the next one needs a new object. Not thread-safe.
class Inflater {
 public:
  enum class State : std::uint8_t {
    kMore,       ///< Needs more input or more output memory.
    kMemberEnd,  ///< The member ended and its checksum is right.
    kDamaged,    ///< Not in the format, or the checksum differs.
    kTooLarge,   ///< Needs more memory than is allowed: zstd with `--long` above 27.
  };
  struct Step {
    std::size_t consumed = 0;
    std::size_t written = 0;
    State state = State::kMore;
  };
  virtual ~Inflater() = default;
  /// Decodes from `in` into `out`. If `in` is empty and nothing is consumed or written, the stream
  /// is truncated.
  virtual Step Decode(std::span<const std::byte> in, std::span<std::byte> out) = 0;
};

std::unique_ptr<Inflater> MakeInflater();
std::unique_ptr<Inflater> MakeZstdDecoder();

}  // namespace profgauge
