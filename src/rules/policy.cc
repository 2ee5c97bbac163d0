#include "rules/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/files.h"
#include "base/hashes.h"
#include "base/text.h"
#include "rules/builtin_files.h"
#include "rules/decode.h"
#include "rules/knowledge_decode.h"
#include "rules/policy_decode.h"
#include "rules/policy_reads.h"
#include "rules/rulebook.h"
#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

/// The limit of a chain of `extends`: a longer one is a mistake.
constexpr std::size_t kLongestChain = 8;

/// Loads a policy and those that it extends into one Policy, base first.
class PolicyLoader {
 public:
  Policy policy;
  Errors errors;

  explicit PolicyLoader(MayRead may_read = {}, ReadText read = {})
      : may_read_(std::move(may_read)), read_(std::move(read)) {}

  /// Loads a file. `from` is where it is named; its file is empty for the first. Depth first, so
  /// that a file follows all files that it extends, and later ones win:
  ///
  ///     team.yaml: extends: [builtin:recommended, base.yaml]
  ///     order of decoding: recommended, (files that base.yaml extends,) base.yaml, team.yaml
  ///
  /// chain_ has the files on the way down. A file that is already in it extends itself.
  void LoadFile(const std::string& path, const Where& from) {
    if (std::find(chain_.begin(), chain_.end(), path) != chain_.end()) {
      AddError(from, "policy/cycle",
               fmt::format("the policy extends itself: {} → {}", fmt::join(chain_, " → "), path));
      return;
    }
    if (chain_.size() == kLongestChain) {
      AddError(from, "policy/chain",
               fmt::format("more than {} policies extend each other", kLongestChain));
      return;
    }
    const auto document = Read(path, from);
    if (!path.starts_with(kBuiltinPrefix)) policy.sources.push_back(path);
    if (document) LoadDocument(*document);
  }

  /// Reports mistakes in the policy's rule files and rule settings together with its own.
  void AddErrorsOfRules() {
    if (errors.empty()) return;
    SelectOptions options;
    options.allow_long_waivers = true;  // This check depends on the day.
    const auto book = LoadRulebook(policy, options);
    if (book) return;
    for (const Error& error : book.error()) {
      // Errors of a scenario itself may make it unknown, so unknown scenarios are no extra error.
      if (error.code != "policy/unknown-scenario") errors.push_back(error);
    }
  }

  /// Removes rule files that may not be read; the caller reads the others later.
  void CheckRuleFiles() {
    std::erase_if(policy.rule_files,
                  [this](const std::string& path) { return IsRefused(path, {}); });
  }

  void LoadText(std::string_view text, const std::string& name) {
    if (const auto document = ParseYaml(text, name, errors)) LoadDocument(*document);
  }

  tl::expected<Policy, Errors> Finish(const std::string& name) {
    policy.name = name;
    LoadNamed(policy.tensor_core_names, [this](Decoder& decoder) {
      DecodeKernelNames(decoder, policy.knowledge.kernel_names);
    });
    LoadNamed(policy.devices,
              [this](Decoder& decoder) { DecodeDevices(decoder, policy.knowledge.devices); });
    policy.hash = hash_.Hex();
    if (errors.empty()) return std::move(policy);
    SortByPlace(errors);
    return tl::unexpected(std::move(errors));
  }

 private:
  void LoadDocument(const YamlDocument& document) {
    hash_.Add(document.source);
    chain_.push_back(document.file);
    Decoder decoder(document, errors);
    // Extended policies are decoded first, wherever the key is.
    if (const YamlNode* extends = document.root.Find("extends")) LoadExtended(*extends, decoder);
    DecodePolicy(decoder, policy);
    chain_.pop_back();
  }

  /// True if the file may not be read, which is reported where the file is named. A policy may only
  /// name files of its repository, because errors in other files would reveal their text.
  bool IsRefused(const std::string& path, const Where& from) {
    if (path.starts_with(kBuiltinPrefix) || read_) return false;
    Status allowed = may_read_ ? may_read_(path) : CheckWithin(path);
    if (allowed) return false;
    errors.push_back(std::move(allowed).error());
    if (from.line > 0) errors.back().where = from;
    return true;
  }

  Status CheckWithin(const std::string& path) {
    if (root_.empty()) root_ = RepositoryOf(path);  // The policy itself is checked first.
    if (IsWithin(path, root_) || policy.sources.empty()) return {};
    return Fail(OutsideRepository(path, {}));
  }

  /// Reads a document; a failure is reported where the file is named.
  std::optional<YamlDocument> Read(const std::string& path, const Where& from) {
    if (IsRefused(path, from)) return std::nullopt;
    Errors found;
    auto document = read_ && !path.starts_with(kBuiltinPrefix)
                        ? ParseYaml(read_(path).value_or(""), path, found)
                        : ReadYaml(path, BuiltinKind::kPreset, found);
    for (Error& error : found) {
      if (from.line > 0 && error.code.starts_with("config/")) {
        error.message = fmt::format("`{}`: {}", Printable(path), error.message);
        error.where = from;
      }
      errors.push_back(std::move(error));
    }
    return document;
  }

  template <class Decode>
  void LoadNamed(const PolicyFile& named, Decode decode) {
    if (named.path.empty()) return;
    const auto document = Read(named.path, named.where);
    if (!document) return;
    hash_.Add(document->source);
    Decoder decoder(*document, errors);
    decode(decoder);
  }

  void LoadExtended(const YamlNode& node, Decoder& decoder) {
    if (node.kind == YamlNode::Kind::kNull) return;  // DecodePolicy() reports it.
    std::vector<Extended> all;
    for (const SourceText& path : decoder.OneOrMore(node, "extends")) {
      policy.sets_fail_on = false;
      policy.fail_on = FailOn::kError;
      LoadFile(ResolvePath(path.text, decoder.document().file), path.All());
      all.push_back({path.text, policy.sets_fail_on, policy.fail_on, path.All()});
    }
    TakeFailOn(all, decoder.document().root.Find("fail_on") != nullptr);
  }

  /// The `fail_on` of one extended policy.
  struct Extended {
    std::string name;
    bool sets = false;
    FailOn fail_on = FailOn::kError;
    Where where;
  };

  /// Takes the last `fail_on`. If the extended policies disagree, the file itself must set it. A
  /// policy without the key means `error`, and another policy must not make it `never`.
  void TakeFailOn(const std::vector<Extended>& all, bool says_itself) {
    const Extended* last = nullptr;
    for (const Extended& one : all) last = one.sets ? &one : last;
    policy.sets_fail_on = last != nullptr;
    policy.fail_on = last != nullptr ? last->fail_on : FailOn::kError;
    if (says_itself || last == nullptr) return;
    for (const Extended& other : all) {
      if (other.fail_on == last->fail_on) continue;
      const bool is_silenced = last->fail_on == FailOn::kNever || other.sets;
      if (!is_silenced) continue;
      AddError(last->where, "policy/fail-on",
               fmt::format("`fail_on: {}` is from {}; {} {}: say it in the file itself",
                           NameOf(last->fail_on), Printable(last->name), Printable(other.name),
                           other.sets ? "says otherwise" : "does not set it"));
      return;
    }
  }

  static std::string_view NameOf(FailOn fail_on) {
    return fail_on == FailOn::kNever ? "never" : fail_on == FailOn::kWarn ? "warn" : "error";
  }

  void AddError(const Where& where, std::string_view code, std::string message) {
    errors.push_back({ErrorKind::kConfig, std::string(code), std::move(message), where, {}});
  }

  MayRead may_read_;  ///< Empty: all files below root_ are allowed.
  std::filesystem::path root_;
  ReadText read_;  ///< Empty: files are read from disk.
  std::vector<std::string> chain_;
  ContentHash hash_;
};

}  // namespace

std::string_view LevelName(Level level) {
  switch (level) {
    case Level::kInfo:
      return "info";
    case Level::kWarn:
      return "warn";
    case Level::kError:
      return "error";
  }
  return "error";
}

bool RequiresBaseline(const Policy& policy) {
  return std::any_of(
      policy.require.begin(), policy.require.end(),
      [](const RequiredRule& required) { return required.rule == kRequiredBaseline; });
}

tl::expected<Policy, Errors> LoadPolicy(const std::string& path_or_preset) {
  PolicyLoader loader;
  loader.LoadFile(path_or_preset, {});
  loader.CheckRuleFiles();
  loader.AddErrorsOfRules();
  return loader.Finish(path_or_preset);
}

tl::expected<Policy, Errors> LoadPolicyWithin(const std::string& path_or_preset,
                                              const MayRead& may_read) {
  PolicyLoader loader(may_read);
  loader.LoadFile(path_or_preset, {});
  loader.CheckRuleFiles();
  return loader.Finish(path_or_preset);
}

tl::expected<Policy, Errors> LoadPolicyOf(const std::string& path_or_preset, const ReadText& read) {
  PolicyLoader loader({}, read);
  loader.LoadFile(path_or_preset, {});
  return loader.Finish(path_or_preset);
}

tl::expected<Policy, Errors> ParsePolicy(std::string_view text, const std::string& name) {
  PolicyLoader loader;
  loader.LoadText(text, name);
  return loader.Finish(name);
}

}  // namespace profgauge::rules
