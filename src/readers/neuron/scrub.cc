#include "readers/neuron/scrub.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "readers/neuron/record.h"
#include "readers/neuron/tables.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::neuron {
namespace {

constexpr Key kNameKeys[] = {Key::kHlo,      Key::kHloAttrs,  Key::kLayer,     Key::kSubgraph,
                             Key::kVariable, Key::kNkiSource, Key::kBirSource, Key::kName,
                             Key::kMessage,  Key::kParent,    Key::kTensorName};
/// Keys with texts that are kept, in addition to those of Key.
constexpr std::string_view kWordKeys[] = {"instance_type", "is_simulation", "ntff_version",
                                          "data_version"};

// Decides by the keys that the reader uses, so that a key added there is copied, too.
CsvKeep KeptText(std::string_view key) {
  const Key known = KeyOf(key);
  if (std::find(std::begin(kNameKeys), std::end(kNameKeys), known) != std::end(kNameKeys)) {
    return CsvKeep::kNames;
  }
  const bool is_word =
      known != Key::kNone || key.ends_with("_version") ||
      std::find(std::begin(kWordKeys), std::end(kWordKeys), key) != std::end(kWordKeys);
  return is_word ? CsvKeep::kWords : CsvKeep::kNumbers;
}

/// Keeps only "parent_id" of an event's attributes, the one that is read.
std::string ParentOnly(std::string_view json) {
  static const JsonKeep kKeep = {
      "neuron", {"parent_id"}, [](std::string_view, std::string_view text) {
        return std::string(text);
      }};
  return CopyJsonText(json, kKeep);
}

}  // namespace

JsonKeep KeptKeys(const Rename& rename) {
  JsonKeep keep = {"neuron", {}, {}};
  keep.keeps_all = true;
  keep.clean = [&rename](std::string_view path, std::string_view text) {
    const std::string_view key = path.substr(path.rfind('/') + 1);
    if (KeyOf(key) == Key::kExtra) return ParentOnly(text);
    if (ParseReal(text)) return std::string(text);
    switch (KeptText(key)) {
      case CsvKeep::kNames:
        return CopiedName(text, rename);
      case CsvKeep::kWords:
        return WithoutPaths(text);
      case CsvKeep::kNumbers:
        break;
    }
    return std::string();
  };
  // In summaries by name, the key is the profile's name.
  keep.clean_key = [&rename](std::string_view key) {
    return TableKindOf(key) == TableKind::kUnknown ? CopiedName(key, rename) : std::string(key);
  };
  return keep;
}

CsvKeep KeptColumn(std::string_view column) {
  return KeyOf(column) == Key::kExtra ? CsvKeep::kNumbers : KeptText(column);
}

}  // namespace profgauge::readers::neuron
