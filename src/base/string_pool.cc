#include "base/string_pool.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace profgauge {

std::size_t StringPool::Hash::operator()(std::string_view text) const {
  return XXH3_64bits(text.data(), text.size());
}

StringId StringPool::Intern(std::string_view text) {
  // The key is inserted with the caller's text and then redirected to the pool's copy: one lookup
  // instead of find() plus emplace(). Hash and equality do not change.
  const auto [at, is_new] = ids_.try_emplace(text, size());
  // Equal letters, so the key's place in the table stays valid.
  if (is_new) const_cast<std::string_view&>(at->first) = texts_.emplace_back(text);
  return {at->second};
}

StringId StringPool::Find(std::string_view text) const {
  const auto it = ids_.find(text);
  return it == ids_.end() ? StringId{} : StringId{it->second};
}

}  // namespace profgauge
