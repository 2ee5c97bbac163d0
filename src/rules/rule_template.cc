#include "rules/rule_decode.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "base/text.h"

namespace profgauge::rules {

RuleArgument DecodeArgument(Decoder& decoder, const YamlNode& key, const YamlNode& node) {
  RuleArgument argument;
  if (node.kind == YamlNode::Kind::kList) {
    argument.type = ArgumentType::kList;
    for (const SourceText& value : decoder.Sources(node, key.text)) {
      argument.list.push_back(value.text);
    }
  } else {
    Set(argument.text, decoder.Source(node, key.text));
  }
  return argument;
}

void CheckArguments(Decoder& decoder, const Where& place, const YamlNode* with,
                    const RuleTemplate& used, RuleArguments& arguments) {
  std::vector<std::string_view> names;
  for (const auto& [name, type] : used.with) {
    names.push_back(name);
    const auto given = arguments.find(name);
    if (given == arguments.end()) {
      decoder.Add(place, "rules/argument",
                  fmt::format("template `{}` needs `{}`", used.name, name));
      arguments[name] = {type, {"0", place.file, {{0, place.line, place.column}}}, {}};
      continue;
    }
    RuleArgument& argument = given->second;
    const YamlNode& node = *with->Find(name);
    if ((type == ArgumentType::kList) != (argument.type == ArgumentType::kList)) {
      decoder.Add(node, "rules/argument",
                  fmt::format("`{}` of template `{}` is {}", name, used.name,
                              type == ArgumentType::kList ? "a list" : "one value"));
    }
    argument.type = type;
    if (type == ArgumentType::kNumber && !ParseLiteral(Trim(argument.text.text))) {
      decoder.Number(node, name);
    }
    if (type == ArgumentType::kRegex) {
      re2::RE2::Options options;
      options.set_log_errors(false);
      const re2::RE2 pattern(argument.text.text, options);
      if (!pattern.ok()) {
        decoder.Add(node, "expr/pattern",
                    fmt::format("not a regular expression: {}", pattern.error()));
      }
    }
  }
  if (with == nullptr) return;
  for (const YamlEntry& entry : with->entries) {
    if (std::find(names.begin(), names.end(), entry.key.text) != names.end()) continue;
    AddSuggestion(decoder.Add(entry.key, "rules/argument",
                              fmt::format("template `{}` has no argument `{}`", used.name,
                                          PrintableShort(entry.key.text))),
                  entry.key.text, names);
  }
}

}  // namespace profgauge::rules
