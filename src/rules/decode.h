// Decodes a YAML tree into values. Each function reads one shape. For another shape it adds an
// error with place, expected and found shape. Callers continue, so one run shows all errors.
// A decoder can also report its shape (rules/shape.h). It then runs over empty values of each kind,
// and each function notes the value that it would accept. Code between the calls may depend on a
// value's kind. All other decisions about valid values belong in functions of the decoder.
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

/// Sets `target` if the optional has a value.
template <class T, class U>
void Set(T& target, std::optional<U> value) {
  if (value) target = *std::move(value);
}

/// A function that returns nothing has added an error, or only reports its shape; its caller
/// continues without the value. `what` names the value in messages: "`level`" or "a waiver".
class Decoder {
 public:
  /// A valid key of a mapping, and `decode`, which is called with the key's value.
  struct Key {
    std::string_view name;
    std::function<void(const YamlNode&)> decode;
    bool required = false;
  };
  /// A valid word of a value.
  template <class T>
  struct Word {
    std::string_view text;
    T value;
  };

  /// A decoder that reads a document. Both arguments must outlive it.
  Decoder(const YamlDocument& document, Errors& errors) : document_(document), errors_(errors) {}
  /// A decoder that reports its shape to `shape`. The root of `document` is an empty mapping.
  Decoder(const YamlDocument& document, Errors& errors, Shape& shape)
      : document_(document), errors_(errors), asked_(&shape) {}

  const YamlDocument& document() const { return document_; }
  std::size_t errors() const { return errors_.size(); }  ///< Number of errors in the list.

  /// Reads a mapping of known keys, in file order. `what` names it in messages: "a waiver". Errors:
  /// unknown keys, missing required keys, keys without a value.
  void Map(const YamlNode& node, std::string_view what, std::span<const Key> keys);
  /// Like Map(), but passes a key without a value to its function as kNull.
  void MapWithNulls(const YamlNode& node, std::string_view what, std::span<const Key> keys);
  /// Reads a mapping whose keys are chosen by the user.
  void EachEntry(const YamlNode& node, std::string_view what,
                 const std::function<void(const YamlNode& key, const YamlNode& value)>& decode);
  /// Reads a mapping with keys among `names`. For other keys, `decode` adds the error.
  void EachNamed(const YamlNode& node, std::string_view what,
                 std::span<const std::string_view> names,
                 const std::function<void(const YamlNode& key, const YamlNode& value)>& decode,
                 bool with_nulls = false);
  void EachItem(const YamlNode& node, std::string_view what,
                const std::function<void(const YamlNode&)>& decode);

  /// Reads a text that is not empty.
  std::optional<std::string> Text(const YamlNode& node, std::string_view what);
  /// Reads a text that is not empty, with its places in the file.
  std::optional<SourceText> Source(const YamlNode& node, std::string_view what);
  std::vector<SourceText> Sources(const YamlNode& node, std::string_view what);
  /// Decodes nothing: reports the shape of a list of texts that is decoded elsewhere.
  void NoteSources(const YamlNode& node, std::string_view what);
  /// Reads a list of texts, or a single text.
  std::vector<SourceText> OneOrMore(const YamlNode& node, std::string_view what);
  std::optional<std::int64_t> Integer(const YamlNode& node, std::string_view what, std::int64_t min,
                                      std::int64_t max);
  std::optional<Literal> Number(const YamlNode& node, std::string_view what);
  /// Reads a number with a unit of one of these kinds.
  std::optional<Literal> NumberAmong(const YamlNode& node, std::string_view what,
                                     std::initializer_list<Unit> units);
  /// Reads a number without a sign in one of these units. `problem`: what a sign would mean.
  std::optional<Literal> UnsignedAmong(const YamlNode& node, std::string_view what,
                                       std::initializer_list<Unit> units, std::string_view problem);
  /// Reads a number and returns it in the base unit of `unit`. A unit error gets `note`.
  std::optional<double> NumberOf(const YamlNode& node, std::string_view what, Unit unit,
                                 std::string_view note = {});
  /// True if the value is the text `word`.
  bool Is(const YamlNode& node, std::string_view word);
  /// True if the value is null, written or empty.
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

  /// Adds an error. Until the next call, notes may be added to the returned error.
  Error& Add(Where where, std::string_view code, std::string message);
  Error& Add(const YamlNode& node, std::string_view code, std::string message) {
    return Add(document_.At(node), code, std::move(message));
  }
  /// Reads the value of the key `schema`, which must be `number`. `help` is added to an error.
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
  /// The shape to fill for a scalar; nullptr when decoding, or if `node` is no scalar.
  Shape* AskedForScalar(const YamlNode& node);
  /// The shape of the value that `decode` reads, by running it on empty values.
  Shape Ask(const std::function<void(const YamlNode&)>& decode);
  /// Notes the shape of a mapping with these keys.
  void NoteMap(std::string_view what, std::span<const Key> keys, bool with_nulls);

  const YamlDocument& document_;
  Errors& errors_;
  Shape* asked_ = nullptr;  ///< Where to note valid values; nullptr: decoding.
};

/// Joins words as "a, b, c".
std::string Joined(std::span<const std::string_view> words);
/// Adds "help: did you mean `x`?" if a candidate is similar to `word`.
void AddSuggestion(Error& error, std::string_view word,
                   std::span<const std::string_view> candidates);

}  // namespace profgauge::rules
