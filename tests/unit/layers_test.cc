// Holds every #include of src/ and include/ against the table of layers: a file may include its own
// layer and those that its layer may use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& path) {
  std::ifstream stream(path);
  return std::string{std::istreambuf_iterator<char>(stream), {}};
}

/// The layers that each layer may use besides itself and include/profgauge: the table of
/// src/README.md, whose rows are "| layer | may use | … |". "All to here" are the rows above.
std::map<std::string, std::set<std::string>> ReadTable() {
  std::map<std::string, std::set<std::string>> table;
  std::set<std::string> above;
  const std::string text = TextOf(fs::path(PROFGAUGE_SOURCE_DIR) / "src" / "README.md");
  static const std::regex kRow(R"(\| ([a-z]+) \| ([^|]+) \| [^|]+ \|)"), kWord("[a-z]+");
  for (std::sregex_iterator row(text.begin(), text.end(), kRow), end; row != end; ++row) {
    const std::string layer = (*row)[1];
    std::string cell = (*row)[2];
    if (layer == "layer") continue;
    std::set<std::string>& may_use = table[layer];
    const bool is_all = cell.starts_with("all to here");
    if (is_all) {
      cell.erase(0, std::string_view("all to here").size());
      may_use = above;
    }
    for (std::sregex_iterator word(cell.begin(), cell.end(), kWord); word != end; ++word) {
      if (is_all)
        may_use.erase(word->str());  // "but exports"
      else
        may_use.insert(word->str());
    }
    above.insert(layer);
  }
  return table;
}

const std::map<std::string, std::set<std::string>>& MayUse() {
  static const auto kTable = ReadTable();
  return kTable;
}

std::string Joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += word == *words.rbegin() ? " and " : ", ";
    text += word;
  }
  return text.empty() ? "nothing" : text;
}

/// "src/model/x.h includes analysis/y.h: model may use base and knowledge", or empty when
/// `included` is allowed.
std::string Complaint(const std::string& file, const std::string& layer,
                      const std::string& included) {
  const std::string target = included.substr(0, included.find('/'));
  if (target == layer || target == "profgauge") return {};
  const auto& table = MayUse();
  if (!table.contains(target)) {
    return file + " includes " + included + ": no layer is called " + target;
  }
  const auto& allowed = table.at(layer);
  if (allowed.contains(target)) return {};
  return file + " includes " + included + ": " + layer + " may use " + Joined(allowed);
}

std::vector<std::string> QuotedIncludes(const fs::path& path) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::vector<std::string> includes;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) includes.push_back(match[1]);
  }
  return includes;
}

bool IsSource(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".cc";
}

TEST(Layers, IncludesFollowTheTable) {
  EXPECT_EQ(MayUse().size(), 14u);
  EXPECT_EQ(Complaint("src/model/x.h", "model", "analysis/y.h"),
            "src/model/x.h includes analysis/y.h: model may use base and knowledge");
  EXPECT_EQ(Complaint("src/render/x.cc", "render", "model/tables.h"),
            "src/render/x.cc includes model/tables.h: render may use base, knowledge and report");
  EXPECT_EQ(Complaint("src/base/x.cc", "base", "model/tables.h"),
            "src/base/x.cc includes model/tables.h: base may use nothing");
  EXPECT_EQ(Complaint("src/base/x.cc", "base", "x.h"),
            "src/base/x.cc includes x.h: no layer is called x.h");
  EXPECT_EQ(Complaint("src/gate/x.cc", "gate", "analysis/analysis.h"), "");
  EXPECT_EQ(Complaint("src/gate/x.cc", "gate", "profgauge/error.h"), "");
}

TEST(Layers, EveryIncludeKeepsToIt) {
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR);
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
    const std::string file = fs::relative(entry.path(), root).generic_string();
    const std::string layer = (++fs::path(file).begin())->string();
    if (!MayUse().contains(layer)) {
      ADD_FAILURE() << file << " is in no layer of the table";
      continue;
    }
    for (const std::string& included : QuotedIncludes(entry.path())) {
      ++seen;
      EXPECT_EQ(Complaint(file, layer, included), "");
    }
  }
  EXPECT_GT(seen, 50u);
}

/// The rooms of src/analysis/, each of which may include those before it and none after, as a page
/// lists them between `begin` and `end`: "a (purpose) → b → c".
std::vector<std::string> RoomsTold(const std::string& page, std::string_view begin,
                                   std::string_view end) {
  const std::string text = TextOf(fs::path(PROFGAUGE_SOURCE_DIR) / page);
  const std::size_t from = text.find(begin), to = text.find(end, from);
  std::vector<std::string> rooms;
  if (from == text.npos || to == text.npos) return rooms;
  std::string order = text.substr(from + begin.size(), to - from - begin.size());
  static const std::regex kRemark(R"(\([^)]*\))"), kRoom("[a-z]+");
  order = std::regex_replace(order, kRemark, "");
  for (std::sregex_iterator room(order.begin(), order.end(), kRoom), none; room != none; ++room) {
    rooms.push_back(room->str());
  }
  return rooms;
}

const std::vector<std::string>& AnalysisRooms() {
  static const auto kRooms =
      RoomsTold("src/README.md", "may include those before it:", "`analyze.cc`");
  return kRooms;
}

/// Place in the order; the files of src/analysis/ itself: analysis.h is with the catalog, the
/// others above all rooms. Nothing where there is no such room.
std::optional<std::size_t> RoomOf(std::string_view file) {
  const auto& rooms = AnalysisRooms();
  const fs::path path(file);
  if (path.parent_path() == "analysis" && path != "analysis/analysis.h") return rooms.size();
  const std::string room = path == "analysis/analysis.h" ? std::string("catalog")
                                                         : path.parent_path().filename().string();
  const auto found = std::find(rooms.begin(), rooms.end(), room);
  if (found == rooms.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rooms.begin());
}

TEST(Layers, ReportsAnalysisRooms) {
  std::set<std::string> folders;
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR);
  for (const auto& entry : fs::directory_iterator(root / "src" / "analysis")) {
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  }
  EXPECT_EQ(std::set<std::string>(AnalysisRooms().begin(), AnalysisRooms().end()), folders);
  EXPECT_EQ(RoomsTold("src/analysis/README.md", "include one way:", "`analyze.cc`"),
            AnalysisRooms());
}

TEST(Layers, AnalysisRoomsIncludeOneWay) {
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR) / "src";
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "analysis")) {
    if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
    const std::string file = fs::relative(entry.path(), root).generic_string();
    const auto room = RoomOf(file);
    if (!room) {
      ADD_FAILURE() << file << " is in no room of the order";
      continue;
    }
    for (const std::string& included : QuotedIncludes(entry.path())) {
      if (!included.starts_with("analysis/")) continue;
      ++seen;
      EXPECT_LE(RoomOf(included).value_or(AnalysisRooms().size()), *room)
          << "src/" << file << " includes " << included << ", a room after its own";
    }
  }
  EXPECT_GT(seen, 100u);
}

// Inside render/ shared files know no chart, a chart no output, and an output no other.
TEST(Layers, RoomsOfRenderIncludeOneWay) {
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR) / "src";
  const auto room_of = [](const fs::path& file) { return file.parent_path().filename().string(); };
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "render")) {
    if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
    const fs::path file = fs::relative(entry.path(), root);
    for (const std::string& included : QuotedIncludes(entry.path())) {
      if (!included.starts_with("render/")) continue;
      ++seen;
      const std::string own = room_of(file), other = room_of(included);
      const bool is_below = other == "shared" || (other == "svg" && own != "shared");
      EXPECT_TRUE(own == other || is_below) << "src/" << file << " includes " << included;
    }
  }
  EXPECT_GT(seen, 100u);
}

TEST(Layers, PublicHeadersIncludeOnlyEachOther) {
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR);
  for (const auto& entry : fs::directory_iterator(root / "include" / "profgauge")) {
    for (const std::string& included : QuotedIncludes(entry.path())) {
      EXPECT_TRUE(included.starts_with("profgauge/"))
          << entry.path().filename() << " includes " << included;
    }
  }
}

// Two types of one name in one namespace are one type to the linker, which keeps one destructor for
// both: memory is freed that is not there, and no compiler sees both.
TEST(Layers, TypesOfHeadersHaveUniqueNames) {
  static const std::regex kSpace(R"(^namespace ([\w:]+) \{)");
  static const std::regex kType(R"(^(?:struct|class|enum class) (\w+)(?: final)?(?: :[^;]*)? \{)");
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR);
  std::map<std::string, std::string> header_of;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    if (!entry.is_regular_file() || entry.path().extension() != ".h") continue;
    const std::string file = fs::relative(entry.path(), root).generic_string();
    std::ifstream stream(entry.path());
    std::string space;
    std::smatch match;
    for (std::string line; std::getline(stream, line);) {
      if (std::regex_search(line, match, kSpace)) space = match[1];
      if (space.empty() || !std::regex_search(line, match, kType)) continue;
      const auto [known, is_new] = header_of.try_emplace(space + "::" + match[1].str(), file);
      EXPECT_TRUE(is_new) << known->first << " is in " << known->second << " and in " << file;
    }
  }
  EXPECT_GT(header_of.size(), 300u);
}

/// The namespace of a file of src/: a layer's is its folder, a room of the analysis has its own.
/// What everybody speaks of is in `profgauge` itself: base, the model, and the functions of the
/// public header.
std::string NamespaceOf(const fs::path& file) {
  static const std::set<std::string> everybody = {"base", "model", "api"};
  auto part = file.begin();
  const std::string layer = (part++)->string();
  if (everybody.contains(layer)) return "profgauge";
  if (layer != "analysis" || std::next(part) == file.end()) return "profgauge::" + layer;
  return "profgauge::analysis::" + part->string();
}

/// The namespaces in which a file declares more than the names of others: "struct Data;".
std::set<std::string> NamespacesIn(const fs::path& path) {
  static const std::regex kSpace(R"(^namespace (profgauge[\w:]*) \{)");
  static const std::regex kForward(R"(^$|^(struct|class|enum class|using) [^{]*;.*$|^\}.*$)");
  std::set<std::string> found;
  std::ifstream stream(path);
  std::string space;
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (std::regex_search(line, match, kSpace)) {
      space = match[1];
    } else if (!space.empty() && !std::regex_match(line, kForward)) {
      found.insert(space);
    }
  }
  return found;
}

TEST(Layers, RoomsHaveNamespaces) {
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR) / "src";
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
    const fs::path file = fs::relative(entry.path(), root);
    const std::string own = NamespaceOf(file);
    for (const std::string& space : NamespacesIn(entry.path())) {
      ++seen;
      // The room of tables defines what analysis.h declares.
      if (space == "profgauge::analysis" && own == "profgauge::analysis::catalog") continue;
      EXPECT_TRUE(space == own || space.starts_with(own + "::"))
          << "src/" << file.generic_string() << " declares in " << space << ", not in " << own;
    }
  }
  EXPECT_GT(seen, 900u);
}

TEST(Layers, NoFileIsOverlong) {
  constexpr std::size_t kHardLimit = 800;
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR);
  for (const char* folder : {"src", "include", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
      std::ifstream file(entry.path());
      const auto lines = static_cast<std::size_t>(
          std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
      EXPECT_LE(lines, kHardLimit) << fs::relative(entry.path(), root);
    }
  }
}

/// The folders of src/readers/ that are a format each; the others are shared.
std::vector<std::string> Formats() {
  std::vector<std::string> formats;
  for (const auto& entry :
       fs::directory_iterator(fs::path(PROFGAUGE_SOURCE_DIR) / "src" / "readers")) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && name != "text" && name != "cuda" && name != "database" &&
        name != "parquet" && name != "run_side")
      formats.push_back(name);
  }
  return formats;
}

/// Whether a text names a reader of the format ("kineto", "dlprof_report"), or except for `alone` a
/// reader with more than the format's name, or a separate error ("kineto/no-events").
bool NamesFormat(const std::string& text, const std::string& format, bool alone) {
  const std::string begin = '"' + format;
  for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const std::string_view rest = std::string_view(text).substr(at + begin.size());
    if (alone && rest.starts_with('"')) return true;
    if (rest.starts_with("_report\"") || rest.starts_with("_database\"")) return true;
    const std::string_view code = rest.substr(0, rest.find('"'));
    if (alone && code.starts_with('/') && code.find('.') == code.npos) return true;
  }
  return false;
}

// A format's properties are in its reader (Source, capabilities, expectations); nothing else has
// its name: neither other layers nor shared parts of readers.
TEST(Layers, FormatsStayInTheirFolders) {
  // Outside of readers/ these are words for devices, tools and things of this program, too.
  const std::set<std::string> words = {"ascend", "dlprof", "neuron", "summary", "xla"};
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR) / "src";
  const std::vector<std::string> formats = Formats();
  EXPECT_GE(formats.size(), 10u);
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".cc") continue;
    const std::string file = fs::relative(entry.path(), root).generic_string();
    const bool is_reader = file.starts_with("readers/");
    const std::string text = TextOf(entry.path());
    for (const std::string& format : formats) {
      if (!NamesFormat(text, format, is_reader || !words.contains(format))) continue;
      const bool is_own = file.starts_with("readers/" + format + "/");
      seen += is_own;
      // The rule language lists the formats that rules may compare with.
      if (file == "rules/catalogue_words.cc") continue;
      // "Summary" is also a table of DLProf and Neuron, and the result of a run's check.
      EXPECT_TRUE(is_own || format == "summary") << file << " knows the format " << format;
    }
  }
  EXPECT_GE(seen, 5u);
}

// A format's folder includes no file of another's; among shared files only the list of readers and
// the copying of traces know any of them.
TEST(Layers, FormatsIncludeNoOtherFormat) {
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR) / "src";
  const std::vector<std::string> formats = Formats();
  for (const auto& entry : fs::recursive_directory_iterator(root / "readers")) {
    if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
    const std::string file = fs::relative(entry.path(), root).generic_string();
    if (file == "readers/builtin.cc") continue;
    for (const std::string& included : QuotedIncludes(entry.path())) {
      for (const std::string& format : formats) {
        const std::string folder = "readers/" + format + "/";
        if (file.starts_with(folder) || !included.starts_with(folder)) continue;
        ADD_FAILURE() << "src/" << file << " includes " << included;
      }
    }
  }
}

// A recipe that names a file which was moved sends its reader astray.
TEST(Layers, RoomsNameExistingFiles) {
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR);
  const std::regex named("`([A-Za-z0-9_./-]+\\.(cc|h|py|sh|js|yaml))`");
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    if (entry.path().filename() != "README.md") continue;
    std::ifstream stream(entry.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at) {
      const std::string file = (*at)[1];
      const std::vector<fs::path> from = {
          entry.path().parent_path(), root / "src/analysis", root / "src",
          root / "templates",         root / "tests",        root};
      EXPECT_TRUE(
          std::any_of(from.begin(), from.end(),
                      [&file](const fs::path& folder) { return fs::exists(folder / file); }))
          << entry.path() << " names " << file;
      ++seen;
    }
  }
  EXPECT_GE(seen, 30u);
}

// Functions of the walk are in the files that it names.
TEST(Layers, TheWalkNamesExistingFunctions) {
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR) / "src";
  std::string walk = TextOf(root / "README.md");
  walk.erase(0, walk.find("## A walk"));
  static const std::regex kFile("`([a-z_/]+\\.(?:cc|h))`"), kFunction("`(?:\\w+::)*(\\w+)\\(\\)`");
  std::string named;
  for (std::sregex_iterator at(walk.begin(), walk.end(), kFile), end; at != end; ++at) {
    named += TextOf(root / (*at)[1].str());
  }
  std::size_t seen = 0;
  for (std::sregex_iterator at(walk.begin(), walk.end(), kFunction), end; at != end; ++at, ++seen) {
    const std::string name = (*at)[1];
    EXPECT_NE(named.find(name + "("), std::string::npos) << name;
  }
  EXPECT_GE(seen, 25u);
}

// The purpose of a room, its limits, its recipe: short enough to be read. Sections after it
// are for looking things up.
TEST(Layers, EachRoomHasAPurpose) {
  constexpr std::size_t kMostLines = 15;
  const fs::path root = fs::path(PROFGAUGE_SOURCE_DIR);
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    if (!entry.is_directory()) continue;
    std::ifstream readme(entry.path() / "README.md");
    std::size_t lines = 0;
    for (std::string line; std::getline(readme, line) && !line.starts_with("## ");) ++lines;
    EXPECT_GT(lines, 0u) << entry.path() << " has no README.md";
    EXPECT_LE(lines, kMostLines) << entry.path();
  }
}

}  // namespace
}  // namespace profgauge
