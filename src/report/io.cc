#include "report/io.h"

namespace profgauge::report {
namespace {

// False for a quantity that was never set: no value, text or reason.
bool IsSet(const Quantity& quantity) {
  return !IsAbsent(quantity.value) || !quantity.text.empty() || !quantity.absent_because.empty();
}

}  // namespace

void Io::Field(std::string_view key, std::string& text, If when) {
  if (!writes()) {
    text = At(key).Text();
  } else if (when == If::kAlways || !text.empty()) {
    out_->Field(key, text);
  }
}

void Io::Field(std::string_view key, std::int64_t& number, If when) {
  if (!writes()) {
    if (At(key).exists()) number = At(key).Integer();
  } else if (when == If::kAlways || number > 0) {
    out_->Field(key, number);
  }
}

void Io::Field(std::string_view key, double& number) {
  if (!writes()) return void(number = AsNumber(At(key).Any(), 0));
  out_->Key(key);
  out_->Real(number);
}

void Io::Field(std::string_view key, bool& is, If when) {
  if (!writes()) {
    if (At(key).exists()) is = At(key).Bool();
  } else if (when == If::kAlways || is) {
    out_->Key(key);
    out_->Bool(is);
  }
}

void Io::Field(std::string_view key, Value& value) {
  if (!writes()) return void(value = At(key).Any());
  if (IsAbsent(value)) return;
  out_->Key(key);
  out_->Write(value);
}

void Io::Field(std::string_view key, Unit& unit) {
  if (!writes()) return void(unit = At(key).UnitNamed());
  out_->Field(key, UnitName(unit));
}

void Io::Field(std::string_view key, std::vector<std::string>& texts, Style style, If when) {
  if (!writes()) return void(texts = At(key).Texts());
  if (when == If::kSet && texts.empty()) return;
  out_->Key(key);
  out_->BeginArray(style);
  for (const std::string& text : texts) out_->Text(text);
  out_->EndArray();
}

void Io::Field(std::string_view key, Pairs& pairs) {
  if (!writes()) return void(pairs = At(key).TextPairs());
  out_->Key(key);
  out_->BeginObject();
  for (const auto& [name, text] : pairs) out_->Field(name, text);
  out_->EndObject();
}

void Io::Field(std::string_view key, Quantity& quantity) {
  if (!Has(key, IsSet(quantity))) return;
  Object(
      key, [&](Io& io) { io.Fields(quantity); }, Style::kInline);
}

void Io::Fields(Quantity& quantity) {
  const bool is_absent = writes() && IsAbsent(quantity.value);
  if (!writes() || is_absent) Field("absent", quantity.absent_because);
  Field("value", quantity.value);
  Field("unit", quantity.unit);
  if (!is_absent) Field("text", quantity.text);
  if (!writes() && IsAbsent(quantity.value)) quantity.text = kAbsentText;
}

void Io::Word(std::string_view key, State& state, std::span<const State> among, If when) {
  if (writes()) {
    if (when == If::kAlways || state != State::kNone) out_->Field(key, NameOf(state));
    return;
  }
  std::vector<std::string_view> names;
  for (const State one : among) names.push_back(NameOf(one));
  if (const auto index = At(key).IndexAmong(names)) state = among[*index];
}

}  // namespace profgauge::report
