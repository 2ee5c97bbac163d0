#include "readers/text/without_paths.h"

#include <re2/re2.h>

namespace profgauge::readers {

std::string WithoutPaths(std::string_view text) {
  // Rooted where people's and machines' files are, or ending in a source or library file.
  static const RE2 path(
      R"re((?:(?:/(?:home|Users|root|mnt|tmp|usr|opt|var|srv|nfs|scratch|workspace|data\d*|lustre|gpfs|proj\w*)/)re"
      R"re([^\s'",;:()\[\]<>|]*)|(?:(?:/[^\s'",;:()\[\]<>|/]+)+\.(?:py|pyc|ipynb|so[.\d]*|c|cc|cpp|cu|cuh|h|hpp))\b)re"
      R"re(|[A-Za-z]:\\+[^\s'",;:()\[\]<>|]+))re");
  static const RE2 below(R"(.*(?:site|dist)-packages[/\\]+(.+))");
  std::string clean;
  re2::StringPiece rest(text.data(), text.size());
  re2::StringPiece match;
  while (path.Match(rest, 0, rest.size(), RE2::UNANCHORED, &match, 1) && !match.empty()) {
    clean.append(rest.data(), static_cast<std::size_t>(match.data() - rest.data()));
    std::string kept(match.data(), match.size());
    std::string package;
    if (RE2::FullMatch(kept, below, &package)) {
      kept = package;
    } else {
      kept.erase(0, kept.find_last_of("/\\") + 1);
    }
    clean += kept;
    rest.remove_prefix(static_cast<std::size_t>(match.data() - rest.data()) + match.size());
  }
  return clean.append(rest.data(), rest.size());
}

}  // namespace profgauge::readers
