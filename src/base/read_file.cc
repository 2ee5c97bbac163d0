#include "base/read_file.h"

#include <algorithm>
#include <fstream>
#include <ios>

namespace profgauge {

// By read(), which says that it failed; iterators over the stream's buffer throw.
std::optional<std::string> ReadSmallFile(const std::filesystem::path& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes;
  std::size_t have = 0;
  while (file) {
    constexpr std::size_t kFirst = 4096;
    bytes.resize(std::min(most + 1, std::max(kFirst, 2 * have)));
    if (have == bytes.size()) return std::nullopt;
    file.read(bytes.data() + have, static_cast<std::streamsize>(bytes.size() - have));
    have += static_cast<std::size_t>(file.gcount());
  }
  if (file.bad() || have > most) return std::nullopt;
  bytes.resize(have);
  return bytes;
}

}  // namespace profgauge
