// Replaces names of code in a report. Equal names get equal replacements, which cannot be guessed
// without the key.
//
//     pass      texts            words
//     Learn     every name       keeps public ones ("mm" of "aten::mm"), notes kinds (file, …)
//     Hide      every name       replaces the others
//     InProse   every sentence   replaces the words that Hide() replaced in names
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace profgauge::report {

/// The kind of a name, with which its replacement starts.
enum class NameKind : std::uint8_t { kName, kFunction, kModule, kFile, kKernel };

/// Replaces names word by word (letters, digits, `_`), so paths, stacks and template arguments keep
/// their form: "net.py(3): Head.run" becomes "file_1a2b3c4d.py(3): fn_…fn_…". A word is kept if it
/// is a number, if ProfGauge's rules or sentences contain it (own_words.inc), if it belongs to a
/// framework or vendor library (rules/knowledge/names.yaml), or if Learn() found it in such a name.
/// So ProfGauge's own sentences stay unchanged, and all other words of the profile are hidden.
class CodeNames {
 public:
  /// A replacement has the first 8 digits of the word's HMAC-SHA-256 with `key`.
  explicit CodeNames(std::string key) : key_(std::move(key)) {}

  /// Keeps the words of public names, "mm" of "aten::mm", and notes the kinds of other names. Call
  /// it for all names before any Hide().
  void Learn(std::string_view name, NameKind of = NameKind::kName);
  /// Keeps every word; for names of devices.
  void LearnWhole(std::string_view text);

  /// Replaces all words of `name` that are not kept.
  std::string Hide(std::string_view name, NameKind of = NameKind::kName);
  /// Like Hide(), for a profile that must be judged like the original: replaced words keep the
  /// parts by which rules recognize kinds of work, "gemm" of "fraud_gemm_v2" or "fraudGemmV2".
  std::string HideInParts(std::string_view name);
  /// Replaces in a sentence the words that Hide() replaced in names. Call it after all Hide().
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

/// `text` with `?` instead of sizes in shapes: "[64, 3]" becomes "[?, ?]".
std::string WithoutShapes(std::string_view text);

}  // namespace profgauge::report
