// From a YAML tree to values: each function reads one shape, and adds an error with place, expected
// and found shape when the tree has another. Callers continue, so that one run shows all errors.
//
// A decoder can also report its shape (rules/shape.h): then it is run over empty values of each
// kind, and each function notes the value that it would have read. Code between the calls may use a
// value's kind; any other decision about accepted values belongs in a function of the decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/literal.h"
#include "rules/shape.h"
#include "rules/yaml.h"

namespace profgauge::rules {

/// Sets `target` when there is a value.
template <class T, class U>
void Set(T& target, std::optional<U> value) {
  if (value) target = *std::move(value);
}

/// A function that returns nothing has added an error, or is asked for its shape; a caller goes on
/// without the value. `what` is the name of the value in messages: "`level`" or "a waiver".
class Decoder {
 public:
  /// One key that a mapping may have. `decode` is called with its value.
  struct Key {
    std::string_view name;
    std::function<void(const YamlNode&)> decode;
    bool required = false;
  };
  /// A word that a value may be.
  template <class T>
  struct Word {
    std::string_view text;
    T value;
  };

  /// Both outlive the decoder.
  Decoder(const YamlDocument& document, Errors& errors) : document_(document), errors_(errors) {}
  /// Reports the shape: accepted values go to `shape`. `document` has an empty mapping as root.
  Decoder(const YamlDocument& document, Errors& errors, Shape& shape)
      : document_(document), errors_(errors), asked_(&shape) {}

  const YamlDocument& document() const { return document_; }
  std::size_t errors() const { return errors_.size(); }  ///< How many were added to the list.

  /// Reads a mapping of known keys, in file order. `what` names it in messages: "a waiver". Unknown
  /// keys, missing required ones and keys without a value are errors.
  void Map(const YamlNode& node, std::string_view what, std::span<const Key> keys);
  /// The same; a key without a value is decoded too, as kNull.
  void MapWithNulls(const YamlNode& node, std::string_view what, std::span<const Key> keys);
  /// Reads a mapping whose keys are names of the user's.
  void EachEntry(const YamlNode& node, std::string_view what,
                 const std::function<void(const YamlNode& key, const YamlNode& value)>& decode);
  /// The same, where only `names` are valid keys; `decode` reports errors for others.
  void EachNamed(const YamlNode& node, std::string_view what,
                 std::span<const std::string_view> names,
                 const std::function<void(const YamlNode& key, const YamlNode& value)>& decode,
                 bool with_nulls = false);
  void EachItem(const YamlNode& node, std::string_view what,
                const std::function<void(const YamlNode&)>& decode);

  /// A text that is not empty.
  std::optional<std::string> Text(const YamlNode& node, std::string_view what);
  /// The same, with its places.
  std::optional<SourceText> Source(const YamlNode& node, std::string_view what);
  std::vector<SourceText> Sources(const YamlNode& node, std::string_view what);
  /// For a list of texts that is decoded elsewhere: answers who asks, and does nothing else.
  void NoteSources(const YamlNode& node, std::string_view what);
  /// The same; a single text may replace the list.
  std::vector<SourceText> OneOrMore(const YamlNode& node, std::string_view what);
  std::optional<std::int64_t> Integer(const YamlNode& node, std::string_view what, std::int64_t min,
                                      std::int64_t max);
  std::optional<Literal> Number(const YamlNode& node, std::string_view what);
  /// The same; the caller accepts only these units.
  std::optional<Literal> NumberAmong(const YamlNode& node, std::string_view what,
                                     std::initializer_list<Unit> units);
  /// A number of these units without a sign. `problem` is the meaning that a sign would have.
  std::optional<Literal> UnsignedAmong(const YamlNode& node, std::string_view what,
                                       std::initializer_list<Unit> units, std::string_view problem);
  /// A number in the base unit of `unit`. `note` goes with the error about another unit.
  std::optional<double> NumberOf(const YamlNode& node, std::string_view what, Unit unit,
                                 std::string_view note = {});
  /// Whether the value is this word.
  bool Is(const YamlNode& node, std::string_view word);
  /// Whether the value is null, with or without the word for it.
  bool IsNull(const YamlNode& node);

  template <class T>
  std::optional<T> OneOf(const YamlNode& node, std::string_view what,
                         std::span<const Word<T>> words) {
    std::vector<std::string_view> texts;
    for (const Word<T>& word : words) texts.push_back(word.text);
    const std::size_t index = WordIndex(node, what, texts);
    return index < words.size() ? std::optional<T>(words[index].value) : std::nullopt;
  }

  std::optional<bool> Bool(const YamlNode& node, std::string_view what) {
    static constexpr Word<bool> kWords[] = {{"true", true}, {"false", false}};
    return OneOf<bool>(node, what, kWords);
  }

  /// Adds an error; notes may be added to the result, until the next call.
  Error& Add(Where where, std::string_view code, std::string message);
  Error& Add(const YamlNode& node, std::string_view code, std::string message) {
    return Add(document_.At(node), code, std::move(message));
  }
  /// The value of `schema`, which is this number and nothing else. `help` goes with the error.
  void Schema(const YamlNode& node, std::int64_t number = 1, std::string_view help = {});

  void AddAll(Errors more);

 private:
  void ReadMap(const YamlNode& node, std::string_view what, std::span<const Key> keys,
               bool with_nulls);
  std::size_t WordIndex(const YamlNode& node, std::string_view what,
                        std::span<const std::string_view> words);
  bool IsScalar(const YamlNode& node, std::string_view what, std::string_view expected);
  void ReadEntries(const YamlNode& node, std::string_view what,
                   const std::function<void(const YamlNode&, const YamlNode&)>& decode,
                   bool with_nulls);
  std::optional<Literal> ReadNumber(const YamlNode& node, std::string_view what);
  /// The shape to note a scalar in; nullptr when no one asks, or not for a scalar.
  Shape* AskedForScalar(const YamlNode& node);
  /// The value that `decode` reads.
  Shape Ask(const std::function<void(const YamlNode&)>& decode);
  /// Notes a mapping with these keys.
  void NoteMap(std::string_view what, std::span<const Key> keys, bool with_nulls);

  const YamlDocument& document_;
  Errors& errors_;
  Shape* asked_ = nullptr;  ///< Where to note accepted values; nullptr: decoding.
};

/// "a, b, c".
std::string Joined(std::span<const std::string_view> words);
/// Adds "help: did you mean `x`?" when one of `candidates` is near `word`.
void AddSuggestion(Error& error, std::string_view word,
                   std::span<const std::string_view> candidates);

}  // namespace profgauge::rules
