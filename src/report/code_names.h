// Names of code in a report, replaced so that the same name is the same everywhere and cannot be
// guessed without the key.
//
//     pass      texts            words
//     Learn     every name       notes public ones ("mm" of "aten::mm") and kinds (function, file)
//     Hide      every name       replaces the others
//     InProse   every sentence   replaces those that Hide() replaced in a name
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace profgauge::report {

/// The kind of a name; the replacement begins with it.
enum class NameKind : std::uint8_t { kName, kFunction, kModule, kFile, kKernel };

/// A name is replaced word by word (letters, digits, `_`), so that paths, stacks and template
/// arguments keep their form: "net.py(3): Head.run" is "file_1a2b3c4d.py(3): fn_…fn_…". A word is
/// kept if it is a number, if ProfGauge's own rules or sentences contain it (own_words.inc), if it
/// is of a framework or a vendor's library (rules/knowledge/names.yaml), or if Learn() saw it in
/// such a name. So a sentence of ours stays as it is, wherever it stands, and every other word of
/// the profile is hidden.
class CodeNames {
 public:
  /// A word's replacement has the first 8 digits of its HMAC-SHA-256 with `key`.
  explicit CodeNames(std::string key) : key_(std::move(key)) {}

  /// Keeps the words of public names, "mm" of "aten::mm", and notes the kinds of the others. All
  /// names are learned before one is hidden.
  void Learn(std::string_view name, NameKind of = NameKind::kName);
  /// Keeps every word: names of devices.
  void LearnWhole(std::string_view text);

  /// All words of `name` that are not kept, replaced.
  std::string Hide(std::string_view name, NameKind of = NameKind::kName);
  /// The same for a profile that is to be judged like the original: of a word that is replaced the
  /// parts stay by which rules know kinds of work, "gemm" of "fraud_gemm_v2" or "fraudGemmV2".
  std::string HideInParts(std::string_view name);
  /// A sentence, in which the words that Hide() replaced are names. After all calls of Hide().
  std::string InProse(std::string_view text) const;

 private:
  const std::string& NewName(std::string_view word, NameKind of);
  template <class Replace>
  std::string HideWords(std::string_view name, NameKind of, Replace replace);
  std::string InParts(std::string_view word, NameKind of);
  bool IsKept(std::string_view word) const;

  std::string key_;
  std::unordered_set<std::string> kept_;
  std::unordered_map<std::string, NameKind> kinds_;
  std::unordered_map<std::string, std::string> names_;
};

/// `text` with `?` for the sizes in shapes: "[64, 3]" is "[?, ?]".
std::string WithoutShapes(std::string_view text);

}  // namespace profgauge::report
