#include "base/string_pool.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace profgauge {

StringPool::Key StringPool::KeyOf(std::string_view text) const {
  return {text, static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size())), &texts_};
}

StringId StringPool::Intern(std::string_view text) {
  const Key key = KeyOf(text);
  if (const auto at = ids_.find(key); at != ids_.end()) return {at->id};
  const std::uint32_t id = size();
  texts_.emplace_back(text);
  ids_.insert(Entry{id, key.hash});
  return {id};
}

StringId StringPool::Find(std::string_view text) const {
  const auto at = ids_.find(KeyOf(text));
  return at == ids_.end() ? StringId{} : StringId{at->id};
}

}  // namespace profgauge
