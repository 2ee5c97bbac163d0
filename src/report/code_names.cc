#include "report/code_names.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "analysis/classify/communication_rules.h"
#include "analysis/classify/tensor_core_rules.h"
#include "base/hashes.h"
#include "base/text.h"
#include "rules/builtin_files.h"

namespace profgauge::report {
namespace {

constexpr std::string_view kPublicRoots[] = {
#include "knowledge/public_roots.inc"
};
constexpr std::string_view kPublicWords[] = {
#include "knowledge/public_words.inc"
};

/// The words of all sentences in our sources.
constexpr std::string_view kOwnWords =
#include "report/own_words.inc"
    ;

/// Shorter words cannot identify an owner: "nt", "k".
constexpr std::size_t kShortestWord = 3;
/// Bytes of a replacement: 2^32 names, while a profile has some ten thousand.
constexpr std::size_t kBytesShown = 4;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Returns the number of bytes of the word at the start of `text`; 0: none. Characters of other
/// alphabets are letters; symbols (dashes, arrows, ×, narrow spaces) are not.
///
/// REQUIRES: `text` does not start within a character.
std::size_t WordAt(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    const char c = text[size];
    if (IsLetter(c) || IsDigit(c)) {
      ++size;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x80) break;
    const std::string_view rest = text.substr(size);
    const bool is_sign =
        rest.starts_with("\xC2") || rest.starts_with("\xC3\x97") || rest.starts_with("\xE2");
    const std::size_t length = Utf8Length(rest);
    if (is_sign) break;
    size += std::max<std::size_t>(1, length);
  }
  return std::min(size, text.size());
}

std::string_view WithoutUnderscores(std::string_view word) {
  while (word.starts_with('_')) word.remove_prefix(1);
  while (word.ends_with('_')) word.remove_suffix(1);
  return word;
}

std::string Lower(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

/// Calls `use(word, position)` for each word.
void ForEachWord(std::string_view text,
                 const std::function<void(std::string_view, std::size_t)>& use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = WordAt(text.substr(at));
    if (size > 0) use(text.substr(at, size), at);
    // Skips a symbol as a whole, since its other bytes would look like letters.
    at += size > 0 ? size : std::max<std::size_t>(1, Utf8Length(text.substr(at)));
  }
}

/// The words of our texts in lower case: of compiled-in rules and of the sources.
const std::unordered_set<std::string>& OwnWords() {
  static const auto kWords = [] {
    std::unordered_set<std::string> words;
    const auto add = [&words](std::string_view text) {
      ForEachWord(text, [&](std::string_view word, std::size_t) {
        words.insert(Lower(WithoutUnderscores(word)));
      });
    };
    add(kOwnWords);
    for (const std::string_view path : rules::EmbeddedRulesPaths()) add(rules::EmbeddedRules(path));
    return words;
  }();
  return kWords;
}

/// Words by which rules and readers recognize kinds of work: from patterns of kernels and
/// collectives, and the keys of PyProf's ranges.
const std::unordered_set<std::string>& PartsOfKinds() {
  static const auto kParts = [] {
    std::unordered_set<std::string> parts = {
        "tracemarker", "backprop", "dbackprop", "aclnn", "addmm", "baddbmm", "build", "mod",
        "args",        "seq",      "seqid",     "name",  "type",  "shape",   "dtype", "value"};
    const auto add = [&parts](std::string_view pattern) {
      ForEachWord(pattern, [&](std::string_view word, std::size_t) {
        parts.insert(Lower(WithoutUnderscores(word)));
      });
    };
    for (const analysis::classify::TensorCoreRule& rule : analysis::classify::TensorCoreRules())
      add(rule.include);
    for (const analysis::classify::CommunicationRule& rule :
         analysis::classify::CommunicationRules())
      add(rule.include);
    return parts;
  }();
  return kParts;
}

bool IsPublicWord(const std::string& word) {
  static const RE2 kPattern = [] {
    std::string all;
    for (const std::string_view one : kPublicWords) {
      all += fmt::format("{}(?:{})", all.empty() ? "" : "|", one);
    }
    return RE2(all);
  }();
  // Numbers such as "128x64", "16816", "0x4b00", "3ul".
  static const RE2 kNumber(R"(\d[\dxX]*(?:[a-z]{0,2}|[0-9a-f]*))");
  static const RE2 kHidden(R"((?:name|fn|mod|file|kernel)_[0-9a-f]{8})");
  return RE2::FullMatch(word, kPattern) || RE2::FullMatch(word, kNumber) ||
         RE2::FullMatch(word, kHidden);
}

bool IsRoot(std::string_view word) {
  return std::find(std::begin(kPublicRoots), std::end(kPublicRoots), word) !=
         std::end(kPublicRoots);
}

/// Finds words of a name below a public root: "at::native::f", "torch/nn/linear.py(3): run".
///
///     site-packages/torch/nn/linear.py(3): forward;mynet/net.py(7): run
///                   ^^^^^ ^^ ^^^^^^        ^^^^^^^ |
///                   public, with the function      a new frame: hidden again
class Roots {
 public:
  explicit Roots(std::string_view name) : name_(name) {}

  /// True if the word is below a public root. REQUIRES: called for each word in order.
  bool Covers(std::string_view word, std::size_t at) {
    const std::string_view before = name_.substr(0, at), after = name_.substr(at + word.size());
    const bool starts_frame = before.empty() || before.ends_with(';') || before.ends_with('\n');
    if (starts_frame) is_public_file_ = false;
    const bool goes_on = before.ends_with("::") || before.ends_with('/');
    if (word == "anonymous" || word == "namespace") return true;
    if (!goes_on) is_public_ = IsRoot(word) && (after.starts_with("::") || after.starts_with('/'));
    if (before.ends_with("-packages/")) is_public_ = IsRoot(word);
    if (before.ends_with("): ") && is_public_file_) return true;
    if (is_public_ && after.starts_with(".py")) is_public_file_ = true;
    return is_public_ || (is_public_file_ && before.ends_with('.'));
  }

 private:
  std::string_view name_;
  bool is_public_ = false, is_public_file_ = false;
};

constexpr std::string_view PrefixOf(NameKind of) {
  switch (of) {
    case NameKind::kFunction:
      return "fn";
    case NameKind::kModule:
      return "mod";
    case NameKind::kFile:
      return "file";
    case NameKind::kKernel:
      return "kernel";
    case NameKind::kName:
      break;
  }
  return "name";
}

/// True before a suffix of a file: "net.py", "libx.so.1", "ops.cu".
bool NamesFile(std::string_view after) {
  static const RE2 kSuffix(R"(\.(?:py|pyc|ipynb|so|c|cc|cpp|cu|cuh|h|hpp)\b)");
  return RE2::PartialMatch(re2::StringPiece(after.data(), std::min<std::size_t>(after.size(), 8)),
                           kSuffix) &&
         after.starts_with('.');
}

/// The kind of the word at `at` in a name of kind `of`.
NameKind KindAt(std::string_view name, std::string_view word, std::size_t at, NameKind of) {
  if (NamesFile(name.substr(at + word.size()))) return NameKind::kFile;
  return name.substr(0, at).ends_with("): ") ? NameKind::kFunction : of;
}

/// Splits a word at `_`, before capitals, and between letters and digits.
std::vector<std::string_view> PartsOfWord(std::string_view word) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  const auto end_at = [&](std::size_t end) {
    if (end > begin) parts.push_back(word.substr(begin, end - begin));
    begin = end;
  };
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  for (std::size_t i = 1; i < word.size(); ++i) {
    const bool is_separator = word[i] == '_' || word[i - 1] == '_';
    const bool is_new = is_upper(word[i]) && !is_upper(word[i - 1]);
    if (is_separator || is_new || IsDigit(word[i]) != IsDigit(word[i - 1])) end_at(i);
  }
  end_at(word.size());
  return parts;
}

}  // namespace

bool CodeNames::IsKept(std::string_view word) const {
  if (word.size() < kShortestWord) return true;
  const std::string bare(WithoutUnderscores(word));
  return kept_.contains(bare) || OwnWords().contains(Lower(bare)) ||
         IsPublicWord(std::string(word));
}

const std::string& CodeNames::NewName(std::string_view word, NameKind of) {
  std::string& name = names_[std::string(word)];
  if (name.empty()) {
    const auto known = kinds_.find(std::string(word));
    name = fmt::format("{}_{}", PrefixOf(known == kinds_.end() ? of : known->second),
                       HexOf(HmacSha256(key_, word), kBytesShown));
  }
  return name;
}

void CodeNames::Learn(std::string_view name, NameKind of) {
  Roots roots(name);
  ForEachWord(name, [&](std::string_view word, std::size_t at) {
    if (roots.Covers(word, at)) {
      kept_.emplace(WithoutUnderscores(word));
    } else if (const NameKind kind = KindAt(name, word, at, of); kind != NameKind::kName) {
      kinds_.try_emplace(std::string(word), kind);
    }
  });
}

void CodeNames::LearnWhole(std::string_view text) {
  ForEachWord(text,
              [&](std::string_view word, std::size_t) { kept_.emplace(WithoutUnderscores(word)); });
}

std::string CodeNames::InParts(std::string_view word, NameKind of) {
  const std::vector<std::string_view> parts = PartsOfWord(word);
  std::string out;
  bool any_known = false;
  for (std::size_t i = 0; i < parts.size();) {
    // Prefers the longest known part: "MatMul" is known, "Mat" is not.
    std::size_t end = i;
    for (std::size_t j = parts.size(); j > i && end == i; --j) {
      const auto* const last = parts[j - 1].data() + parts[j - 1].size();
      const std::string_view run(parts[i].data(), static_cast<std::size_t>(last - parts[i].data()));
      if (IsKept(run) || PartsOfKinds().contains(Lower(WithoutUnderscores(run)))) end = j;
      any_known |= end == j && run.size() >= kShortestWord && !IsDigit(run.front());
    }
    if (end > i) {
      for (; i < end; ++i) out += parts[i];
      continue;
    }
    if (!out.empty() && out.back() != '_') out += '_';
    out += NewName(parts[i], of);
    ++i;
    if (i < parts.size() && parts[i].front() != '_') out += '_';
  }
  return any_known ? out : NewName(word, of);
}

template <class Replace>
std::string CodeNames::HideWords(std::string_view name, NameKind of, Replace replace) {
  std::string out;
  std::size_t copied = 0;
  Roots roots(name);
  ForEachWord(name, [&](std::string_view word, std::size_t at) {
    const bool is_covered = roots.Covers(word, at);
    if (is_covered || IsKept(word)) return;
    out += name.substr(copied, at - copied);
    out += replace(word, KindAt(name, word, at, of));
    copied = at + word.size();
  });
  return out.append(name.substr(copied));
}

std::string CodeNames::Hide(std::string_view name, NameKind of) {
  return HideWords(name, of,
                   [&](std::string_view word, NameKind kind) { return NewName(word, kind); });
}

std::string CodeNames::HideInParts(std::string_view name) {
  return HideWords(name, NameKind::kName,
                   [&](std::string_view word, NameKind kind) { return InParts(word, kind); });
}

std::string CodeNames::InProse(std::string_view text) const {
  std::string out;
  std::size_t copied = 0;
  ForEachWord(text, [&](std::string_view word, std::size_t at) {
    const auto found = names_.find(std::string(word));
    if (found == names_.end()) return;
    out += text.substr(copied, at - copied);
    out += found->second;
    copied = at + word.size();
  });
  return out.append(text.substr(copied));
}

std::string WithoutShapes(std::string_view text) {
  static const RE2 kShape(R"(\[[\d, \[\]?-]*\d[\d, \[\]?-]*\])");
  static const RE2 kDimension(R"(\b([MNK]) = \d+)");
  static const RE2 kNumber(R"(\d+)");
  std::string out;
  re2::StringPiece rest(text.data(), text.size()), shape;
  while (kShape.Match(rest, 0, rest.size(), RE2::UNANCHORED, &shape, 1)) {
    const auto before = static_cast<std::size_t>(shape.data() - rest.data());
    out.append(rest.data(), before);
    std::string sizes(shape.data(), shape.size());
    RE2::GlobalReplace(&sizes, kNumber, "?");
    out += sizes;
    rest.remove_prefix(before + shape.size());
  }
  out.append(rest.data(), rest.size());
  RE2::GlobalReplace(&out, kDimension, R"(\1 = ?)");
  return out;
}

}  // namespace profgauge::report
