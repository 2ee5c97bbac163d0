// Events of a Chrome trace, and records of rocprofv3 and Neuron.
#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "support/recording_edit.h"

namespace profgauge::edit {
namespace {

namespace json = boost::json;

// A double has not all digits of a Unix time in microseconds: times with a fraction are texts here,
// behind a sign that no other text of a time has.
constexpr char kNumber = '@';

constexpr std::string_view kTimeKeys[] = {"\"ts\":", "\"dur\":"};

std::string WithTextTimes(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 16);
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t next = bytes.size(), end = next;
    for (const std::string_view key : kTimeKeys) {
      const std::size_t found = bytes.find(key, at);
      if (found < next) next = found, end = found + key.size();
    }
    out += bytes.substr(at, end - at);
    at = end;
    while (at < bytes.size() && bytes[at] == ' ') ++at;
    const std::size_t rest = std::min(bytes.find_first_not_of("-0123456789.", at), bytes.size());
    const std::string_view number = bytes.substr(at, rest - at);
    const bool is_plain = number.find('.') != number.npos && rest < bytes.size() &&
                          bytes[rest] != 'e' && bytes[rest] != 'E';
    if (!is_plain) continue;
    out += std::string("\"") + kNumber + std::string(number) + "\"";
    at = rest;
  }
  return out;
}

std::string WithNumberTimes(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t found = std::min(bytes.find("\"@", at), bytes.size());
    out += bytes.substr(at, found - at);
    at = found;
    if (at == bytes.size()) break;
    const std::size_t end = bytes.find('"', at + 2);
    const std::string_view number = bytes.substr(at + 2, end - at - 2);
    const bool is_time = out.ends_with("\"ts\":") || out.ends_with("\"dur\":");
    if (is_time && number.find_first_not_of("-0123456789.") == number.npos) {
      out += number;
      at = end + 1;
    } else {
      out += bytes[at++];
    }
  }
  return out;
}

// "1704161511420306.491" in thousandths, what is beyond them apart.
std::pair<Ns, std::string> Thousandths(std::string_view text) {
  if (text.starts_with(kNumber)) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string fraction(text.substr(std::min(point + 1, text.size())));
  while (fraction.size() < 3) fraction += '0';
  digits += fraction.substr(0, 3);
  Ns value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return {value, fraction.substr(3)};
}

std::string OfThousandths(Ns value, const std::string& rest) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  while (digits.size() < 4) digits.insert(0, 1, '0');
  digits.insert(digits.size() - 3, ".");
  return (value < 0 ? "-" : "") + digits + rest;
}

std::string SignOf(const json::value& time) {
  return time.as_string().starts_with(kNumber) ? std::string(1, kNumber) : "";
}

// Adds nanoseconds to a time in units of `unit` ns, and keeps its type and its fraction.
void Add(json::value& time, Ns by, Ns unit) {
  if (time.is_string()) {
    const auto [value, rest] = Thousandths(time.as_string());
    time = SignOf(time) + OfThousandths(value + by * 1000 / unit, rest);
  } else if (time.is_double() || by % unit != 0) {
    // The sum of two thousandths has three digits behind the point, too.
    const double was = time.to_number<double>(), units = static_cast<double>(unit);
    const double sum = was * units + static_cast<double>(by);
    const bool is_whole = std::abs(std::round(was * units) / units - was) <= 1e-15 * was;
    time = (is_whole ? std::round(sum) : sum) / units;
  } else if (time.is_int64()) {
    time = time.as_int64() + by / unit;
  } else if (time.is_uint64()) {
    time = static_cast<std::int64_t>(time.as_uint64()) + by / unit;
  }
}

// What is beyond a nanosecond is rounded first, as readers do.
void Multiply(json::value& time, int factor, Ns unit) {
  if (time.is_string()) {
    const auto [value, rest] = Thousandths(time.as_string());
    const bool rounds_up = !rest.empty() && rest.front() >= '5';
    time = SignOf(time) + OfThousandths((value + (rounds_up ? 1 : 0)) * factor, "");
  } else if (time.is_double()) {
    const auto units = static_cast<double>(unit);
    time = std::round(time.as_double() * units) * factor / units;
  } else if (time.is_int64()) {
    time = time.as_int64() * factor;
  }
}

json::value* Find(json::object& object, std::string_view key) { return object.if_contains(key); }
const json::value* Find(const json::object& object, std::string_view key) {
  return object.if_contains(key);
}
template <class Object>
auto* Args(Object& object) {
  auto* args = Find(object, "args");
  return args == nullptr ? nullptr : args->if_object();
}
std::string Text(const json::value* value) {
  return value == nullptr || !value->is_string() ? "" : std::string(value->as_string());
}

class JsonEdit : public Edit {
 public:
  JsonEdit(std::string_view bytes, std::string_view format) : Edit(format) {
    json::parse_options options;
    options.allow_invalid_utf8 = true;
    document_ = json::parse(is_events() ? WithTextTimes(bytes) : std::string(bytes), {}, options);
    Index();
  }
  JsonEdit(const JsonEdit& other) : Edit(other), document_(other.document_) { Index(); }
  JsonEdit& operator=(const JsonEdit&) = delete;

  std::unique_ptr<Edit> Copy() const override { return std::make_unique<JsonEdit>(*this); }
  std::string Bytes() const override {
    const std::string text = json::serialize(document_);
    return is_events() ? WithNumberTimes(text) : text;
  }
  std::size_t size() const override { return rows_.size(); }

  Kind KindOf(std::size_t row) const override {
    const json::object& object = *rows_[row];
    if (is_events()) return KindOfEvent(object);
    const std::string& list = names_[list_of_[row]];
    if (!StartOf(row)) return Kind::kLookup;
    if (list == "kernel_dispatch" || list == "instruction") return Kind::kKernel;
    if (list == "memory_copy" || list == "dma") return Kind::kCopy;
    if (list == "marker_api") return Kind::kRange;
    if (list.ends_with("_api")) return Kind::kCall;
    return Kind::kOther;
  }
  std::optional<Ns> StartOf(std::size_t row) const override {
    const json::object& object = *rows_[row];
    if (is_events() && Text(Find(object, "ph")) == "M") return std::nullopt;
    for (const std::string_view key : starts_) {
      if (const auto time = TimeOf(Find(object, key))) return time;
    }
    return std::nullopt;
  }
  std::optional<Ns> LengthOf(std::size_t row) const override {
    const json::object& object = *rows_[row];
    for (const std::string_view key : lengths_) {
      if (const auto time = TimeOf(Find(object, key))) return time;
    }
    const auto start = StartOf(row);
    for (const std::string_view key : ends_) {
      const json::value* end = Find(object, key);
      if (start && end != nullptr && end->is_number()) return end->to_number<Ns>() - *start;
    }
    return std::nullopt;
  }
  std::string NameOf(std::size_t row) const override { return Text(Find(*rows_[row], "name")); }

  std::optional<std::int64_t> Number(std::size_t row, Field field) const override {
    const json::value* value = At(*rows_[row], field);
    if (value == nullptr || !value->is_int64()) return std::nullopt;
    return value->as_int64();
  }
  bool SetNumber(std::size_t row, Field field, std::optional<std::int64_t> value) override {
    auto* found = const_cast<json::value*>(At(*rows_[row], field));
    if (found == nullptr) return false;
    if (value) {
      *found = *value;
      return true;
    }
    json::object& object = *rows_[row];
    json::object* args = Args(object);
    bool gone = false;
    for (const std::string_view key : KeysOf(field)) {
      if (args != nullptr) gone = args->erase(key) > 0 || gone;
      gone = object.erase(key) > 0 || gone;
    }
    return gone;
  }
  bool SetName(std::size_t row, const std::string& name) override {
    json::value* found = Find(*rows_[row], "name");
    if (found == nullptr) return false;
    *found = name;
    return true;
  }

  bool Relabel(Field field, const std::function<std::int64_t(std::int64_t)>& now) override {
    bool changed = Edit::Relabel(field, now);
    // Kineto's streams are threads of their device, and arrows end there.
    for (std::size_t row = 0; row < rows_.size() && field == Field::kStream; ++row) {
      const bool is_work = Text(Find(*rows_[row], "ph")) == "X" && Number(row, field);
      const bool is_end = NameOf(row) == "ac2g" && Text(Find(*rows_[row], "ph")) == "f";
      json::value* thread = Find(*rows_[row], "tid");
      if (!is_events() || !(is_work || is_end)) continue;
      if (thread != nullptr && thread->is_int64()) *thread = now(thread->as_int64());
    }
    if (field != Field::kCorrelation) return changed;
    for (json::object* row : rows_) {
      // Arrows from a call to its work bear its number, and rocprofv3 names the call around one.
      json::value* number = nullptr;
      if (Text(Find(*row, "name")) == "ac2g") number = Find(*row, "id");
      json::value* ids = Find(*row, "correlation_id");
      if (ids != nullptr && ids->is_object()) number = Find(ids->as_object(), "ancestor");
      if (number == nullptr || !number->is_int64()) continue;
      *number = now(number->as_int64());
      changed = true;
    }
    if (format() != "rocprofv3") return changed;
    // Texts of ranges are listed by the numbers of the ranges.
    for (json::value& tool : document_.at("rocprofiler-sdk-tool").as_array()) {
      for (json::value& text : tool.at("strings").at("marker_api").as_array()) {
        text.at("key") = now(text.at("key").to_number<std::int64_t>());
      }
    }
    return changed;
  }
  bool Select(const Rows& rows) override {
    std::vector<json::array> lists(lists_.size());
    // A list of a document that is no event's keeps its order, which may have a meaning.
    const bool keeps_lookups = !is_events();
    Rows ordered = rows;
    if (keeps_lookups) {
      const auto events =
          std::stable_partition(ordered.begin(), ordered.end(),
                                [this](std::size_t row) { return KindOf(row) == Kind::kLookup; });
      std::sort(ordered.begin(), events);
    }
    for (const std::size_t row : ordered) lists[list_of_[row]].emplace_back(*rows_[row]);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      // What is no object has no place in an order: it stays behind.
      for (json::value& other : *lists_[i]) {
        if (!other.is_object()) lists[i].push_back(other);
      }
      *lists_[i] = std::move(lists[i]);
    }
    Index();
    return true;
  }
  bool Move(std::size_t row, Ns by) override {
    if (format() == "neuron") return false;  // Its times count from the begin of the recording.
    json::object& object = *rows_[row];
    bool moved = false;
    for (const auto* keys : {&starts_, &ends_}) {
      for (const std::string_view key : *keys) {
        json::value* time = Find(object, key);
        if (time == nullptr || !StartOf(row)) continue;
        Add(*time, by, unit_);
        moved = true;
      }
    }
    return moved;
  }
  bool Scale(int factor) override {
    if (format() == "neuron") return false;  // Its summaries have times, too.
    const Ns first = First();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      // The end of a record moves with its begin, and then once more by the length.
      const auto start = StartOf(row), length = LengthOf(row);
      if (!start) continue;
      Move(row, (factor - 1) * (*start - first));
      for (const std::string_view key : lengths_) {
        if (json::value* time = Find(*rows_[row], key)) Multiply(*time, factor, unit_);
      }
      for (const std::string_view key : ends_) {
        json::value* time = Find(*rows_[row], key);
        if (time != nullptr && length) Add(*time, (factor - 1) * *length, unit_);
      }
    }
    return true;
  }
  bool CutEnd(std::size_t row) override { return is_events() && rows_[row]->erase("dur") > 0; }
  bool AddWords() override {
    for (json::object* object : rows_) {
      (*object)["zzz"] = {{"a", {1, 2, "]}"}}};
      if (json::object* args = Args(*object)) (*args)["new one"] = "\"x\"";
    }
    return true;
  }
  bool AddForeign(Random& random) override {
    if (!is_events()) return false;
    json::array& events = *lists_.front();
    Ns first = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (const auto start = StartOf(row); start && first == 0) first = *start;
    }
    const double ts = static_cast<double>(first) / static_cast<double>(unit_);
    for (int i = 0; i < 40; ++i) {
      json::object event = {{"ph", i % 2 == 0 ? "C" : "i"},
                            {"name", "weather"},
                            {"pid", 999'999},
                            {"tid", 7},
                            {"ts", ts + i},
                            {"args", {{"value", i}}}};
      if (i % 2 != 0) event["s"] = "g";
      const auto place = static_cast<std::ptrdiff_t>(random() % (events.size() + 1));
      events.insert(events.begin() + place, std::move(event));
    }
    Index();
    return true;
  }
  bool Pad(std::size_t bytes) override {
    if (auto* object = document_.if_object()) {
      json::object padded = {{"a_first_value", std::string(bytes, 'x')}};
      for (auto& [key, value] : *object) padded[key] = std::move(value);
      document_ = std::move(padded);
    } else {
      document_.as_array().emplace(document_.as_array().begin(),
                                   json::object{{"ph", "M"},
                                                {"name", "note"},
                                                {"pid", 0},
                                                {"tid", 0},
                                                {"args", {{"text", std::string(bytes, 'x')}}}});
    }
    Index();
    return true;
  }
  bool Append(const Edit& other) override {
    if (!is_events()) return false;
    const auto& more = dynamic_cast<const JsonEdit&>(other);
    for (const json::object* event : more.rows_) lists_.front()->emplace_back(*event);
    AddDevices(more);
    Index();
    return true;
  }
  bool Label(std::int64_t rank, bool by_process) override;
  bool Forget(Fact fact) override;

 private:
  bool is_events() const {
    return format() == "kineto" || format() == "ascend" || format() == "xla_trace";
  }
  void Index();
  void AddList(const std::string& name, json::value& value) {
    if (!value.is_array()) return;
    lists_.push_back(&value.as_array());
    names_.push_back(name);
    for (json::value& row : value.as_array()) {
      if (!row.is_object()) continue;
      rows_.push_back(&row.as_object());
      list_of_.push_back(lists_.size() - 1);
    }
  }
  Kind KindOfEvent(const json::object& event) const;
  std::optional<Ns> TimeOf(const json::value* value) const {
    if (value == nullptr) return std::nullopt;
    if (value->is_int64()) return value->as_int64() * unit_;
    if (value->is_number()) {
      return std::llround(value->to_number<double>() * static_cast<double>(unit_));
    }
    if (!value->is_string()) return std::nullopt;
    const std::int64_t thousandths = Thousandths(value->as_string()).first;  // Up to 2^61.
    return thousandths / 1000 * unit_ + thousandths % 1000 * unit_ / 1000;
  }
  static std::vector<std::string_view> KeysOf(Field field) {
    switch (field) {
      case Field::kStream:
        return {"stream"};
      case Field::kThread:
        return {"tid", "thread_id"};
      case Field::kProcess:
        return {"pid"};
      case Field::kCorrelation:
        return {"correlation", "correlation_id"};
      case Field::kOperatorId:
        return {"External id", "external id"};
    }
    return {};
  }
  const json::value* At(const json::object& object, Field field) const {
    const json::object* args = Args(object);
    for (const std::string_view key : KeysOf(field)) {
      const json::value* found = args == nullptr ? nullptr : Find(*args, key);
      if (found == nullptr) found = Find(object, key);
      if (found == nullptr) continue;
      // rocprofv3: {"internal": 5, "external": 0}.
      const json::object* inside = found->if_object();
      return inside == nullptr ? found : Find(*inside, "internal");
    }
    return nullptr;
  }
  bool EraseOfRoot(std::string_view key) {
    json::object* root = document_.if_object();
    const bool gone = root != nullptr && root->erase(key) > 0;
    if (gone) Index();  // The others moved.
    return gone;
  }
  // Erases keys of all events' args; true if there was one.
  bool EraseArgs(std::initializer_list<std::string_view> keys) {
    bool gone = false;
    for (json::object* row : rows_) {
      json::object* args = Args(*row);
      for (const std::string_view key : keys) {
        if (args != nullptr) gone = args->erase(key) > 0 || gone;
        if (!is_events()) gone = row->erase(key) > 0 || gone;
      }
    }
    return gone;
  }
  // Devices that only the other lists.
  void AddDevices(const JsonEdit& other) {
    const auto list = [](const json::value& document) -> const json::array* {
      const json::object* root = document.if_object();
      const json::value* devices = root == nullptr ? nullptr : Find(*root, "deviceProperties");
      return devices == nullptr ? nullptr : devices->if_array();
    };
    const json::array* more = list(other.document_);
    auto* own = const_cast<json::array*>(list(document_));
    if (more == nullptr || own == nullptr) return;
    for (const json::value& device : *more) {
      const auto is_same = [&](const json::value& one) { return one.at("id") == device.at("id"); };
      if (std::none_of(own->begin(), own->end(), is_same)) own->push_back(device);
    }
  }
  bool EraseOfDevices(std::initializer_list<std::string_view> keys);

  json::value document_;
  std::vector<json::array*> lists_;
  std::vector<std::string> names_;
  std::vector<json::object*> rows_;
  std::vector<std::size_t> list_of_;
  std::set<std::int64_t> devices_;  // Processes that stand for devices.
  std::vector<std::string_view> starts_, ends_, lengths_;
  Ns unit_ = 1;
};

void JsonEdit::Index() {
  lists_.clear();
  names_.clear();
  rows_.clear();
  list_of_.clear();
  devices_.clear();
  if (is_events()) {
    starts_ = {"ts"};
    lengths_ = {"dur"};
    unit_ = 1000;
    AddList("events", document_.is_array() ? document_ : document_.at("traceEvents"));
    for (const json::object* event : rows_) {
      const json::object* args = Args(*event);
      const std::string name = args == nullptr ? "" : Text(Find(*args, "name"));
      const json::value* pid = Find(*event, "pid");
      const bool is_device = name.starts_with("/device:") || name == "Ascend Hardware";
      if (is_device && pid != nullptr && pid->is_int64()) devices_.insert(pid->as_int64());
    }
  } else if (format() == "rocprofv3") {
    starts_ = {"start_timestamp"};
    ends_ = {"end_timestamp"};
    for (json::value& tool : document_.at("rocprofiler-sdk-tool").as_array()) {
      for (auto& [name, list] : tool.at("buffer_records").as_object()) AddList(name, list);
    }
  } else {
    starts_ = {"timestamp", "start", "start_ts"};
    ends_ = {"end", "end_ts"};
    lengths_ = {"duration", "duration_ns"};
    for (auto& [name, list] : document_.as_object()) AddList(name, list);
  }
}

Kind JsonEdit::KindOfEvent(const json::object& event) const {
  if (Text(Find(event, "ph")) == "M" || Find(event, "ts") == nullptr) return Kind::kLookup;
  if (Text(Find(event, "ph")) != "X") return Kind::kOther;
  const std::string category = Text(Find(event, "cat"));
  if (format() != "kineto") {
    const json::value* pid = Find(event, "pid");
    if (pid != nullptr && pid->is_int64() && devices_.contains(pid->as_int64())) {
      return Kind::kKernel;
    }
  }
  if (category == "kernel" || category == "Kernel") return Kind::kKernel;
  if (category.starts_with("gpu_mem") || category == "Memcpy" || category == "Memset") {
    return Kind::kCopy;
  }
  if (category == "gpu_user_annotation") return Kind::kDeviceRange;
  if (category.ends_with("_runtime") || category.ends_with("_driver") || category == "Runtime") {
    return Kind::kCall;
  }
  if (category == "cpu_op" || category == "Operator") return Kind::kOperator;
  if (category == "user_annotation") return Kind::kRange;
  return Kind::kOther;
}

bool JsonEdit::EraseOfDevices(std::initializer_list<std::string_view> keys) {
  bool gone = false;
  json::object* root = document_.if_object();
  json::value* list = root == nullptr ? nullptr : Find(*root, "deviceProperties");
  if (format() == "rocprofv3") list = &document_.at_pointer("/rocprofiler-sdk-tool/0/agents");
  if (list == nullptr || !list->is_array()) return false;
  for (json::value& device : list->as_array()) {
    for (const std::string_view key : keys) gone = device.as_object().erase(key) > 0 || gone;
  }
  return gone;
}

bool JsonEdit::Forget(Fact fact) {
  switch (fact) {
    case Fact::kDeviceName:
      return EraseOfDevices({"name", "product_name", "vendor_name", "model_name"});
    case Fact::kCapability:
      return EraseOfDevices({"computeMajor", "computeMinor", "gfx_target_version"});
    case Fact::kMultiprocessors:
      return EraseOfDevices({"numSms", "cu_count", "simd_count"});
    case Fact::kMemory:
      return EraseOfDevices({"totalGlobalMem", "mem_banks", "mem_banks_count"});
    case Fact::kDeviceList:
      return EraseOfRoot("deviceProperties");
    case Fact::kGrid:
      return EraseArgs({"grid", "block", "dispatch_info"});
    case Fact::kOccupancy:
      return EraseArgs({"est. achieved occupancy %", "blocks per SM", "warps per SM"});
    case Fact::kRegisters:
      return EraseArgs({"registers per thread", "shared memory"});
    case Fact::kBytes:
      return EraseArgs({"bytes", "Bytes", "memory bandwidth (GB/s)"});
    case Fact::kShapes:
      return EraseArgs({"Input Dims", "Input Strides", "Concrete Inputs", "Input dims"});
    case Fact::kTypes:
      return EraseArgs({"Input type"});
    case Fact::kStacks:
      return EraseArgs({"Call stack", "Python parent id", "Python id", "Python module id"});
    case Fact::kCorrelation:
      return EraseArgs({"correlation", "correlation_id", "connection_id"});
    case Fact::kOperatorId:
      return EraseArgs({"External id", "external id"});
    case Fact::kWorldSize:
      return EraseOfRoot("distributedInfo");
    case Fact::kArrows: {
      Rows kept = All();
      const std::size_t before = kept.size();
      std::erase_if(kept, [this](std::size_t row) {
        const std::string phase = Text(Find(*rows_[row], "ph"));
        return is_events() && (phase == "s" || phase == "f" || phase == "t");
      });
      return kept.size() != before && Select(kept);
    }
    case Fact::kCount_:
      break;
  }
  return false;
}

bool JsonEdit::Label(std::int64_t rank, bool by_process) {
  if (format() != "kineto") return false;
  for (json::object* event : rows_) {
    json::value* pid = Find(*event, "pid");
    if (by_process && pid != nullptr) {
      const std::string text = pid->is_string() ? Text(pid) : json::serialize(*pid);
      *pid = "[TP0" + std::to_string(rank) + "] " + text;
    }
    if (by_process) continue;
    json::value& args = (*event)["args"];
    if (!args.is_object()) args = json::object();
    args.as_object()["rank"] = rank;
  }
  return true;
}

}  // namespace

std::unique_ptr<Edit> EditJson(std::string_view bytes, std::string_view format) {
  return std::make_unique<JsonEdit>(bytes, format);
}

}  // namespace profgauge::edit
