#include "base/string_pool.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace profgauge {

std::size_t StringPool::Hash::operator()(std::string_view text) const {
  return XXH3_64bits(text.data(), text.size());
}

StringId StringPool::Intern(std::string_view text) {
  if (const auto it = ids_.find(text); it != ids_.end()) return {it->second};
  const auto id = size();
  const std::string_view stored = texts_.emplace_back(text);
  ids_.emplace(stored, id);
  return {id};
}

StringId StringPool::Find(std::string_view text) const {
  const auto it = ids_.find(text);
  return it == ids_.end() ? StringId{} : StringId{it->second};
}

}  // namespace profgauge
