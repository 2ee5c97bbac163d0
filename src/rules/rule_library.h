// Shared parts of rules: `let`, `sets`, `patterns`, `texts` and `templates` of their
// file and of the files that it imports.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/decode.h"
#include "rules/rule.h"

namespace profgauge::rules {

enum class ArgumentType : std::uint8_t { kList, kRegex, kText, kNumber, kExpression };

struct RuleTemplate {
  std::string name;
  Where where;
  const YamlDocument* document = nullptr;  ///< Its location; the library keeps it.
  const YamlNode* rule = nullptr;
  std::vector<std::pair<std::string, ArgumentType>> with;
};

/// A list for `in`.
struct NamedSet {
  Where where;
  std::vector<std::string> values;
};
/// A regular expression for `matches`.
struct NamedPattern {
  Where where;
  std::string pattern;
};
struct NamedTexts {
  Where where;
  std::vector<TextItem> items;
};

struct RuleLibrary {
  std::vector<RuleLet> let;  ///< Those of imports first.
  std::map<std::string, NamedSet, std::less<>> sets;
  std::map<std::string, NamedPattern, std::less<>> patterns;
  std::map<std::string, NamedTexts, std::less<>> texts;
  std::map<std::string, RuleTemplate, std::less<>> templates;
  std::vector<std::shared_ptr<const YamlDocument>> documents;
};

/// The keys of a library. `use` of a text and `imports` are resolved immediately, so texts are
/// before their use. `path` is the file's, from which imports are found.
std::vector<Decoder::Key> LibraryKeys(Decoder& decoder, RuleLibrary& out);

/// Adds the shared parts of the file of `import`, with its own imports. `importing`: the files that
/// are being read, outermost first.
void AddImport(Decoder& decoder, const YamlNode& import, std::vector<std::string>& importing,
               RuleLibrary& out);

/// One entry of `let`, which may be an expression, `greatest:` or `case:`.
void DecodeLet(Decoder& decoder, const YamlNode& key, const YamlNode& value,
               std::vector<RuleLet>& out);

/// A list of items (or one text) of a message, of advice or of `texts`.
std::vector<TextItem> DecodeItems(Decoder& decoder, const YamlNode& node, std::string_view what,
                                  const RuleLibrary& library);

/// Adds the errors in the rule of a template.
void CheckTemplateRule(Decoder& decoder, const YamlNode& node, const RuleLibrary& library);

/// Whether `text` is a name that expressions can spell: small letters, digits and `separator`.
bool IsRuleName(std::string_view text, char separator);

}  // namespace profgauge::rules
