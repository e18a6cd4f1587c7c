// SPDX-License-Identifier: Apache-2.0
//
// The lessons and the documentation hang together: links lead somewhere, and every word of the
// glossary is one that a lesson introduces.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "common/trace/file.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages() {
  std::vector<fs::path> out{workbook_root() / "README.md"};
  for (const char* const folder : {"docs", "chapters", "exercises"}) {
    for (const auto& entry : fs::recursive_directory_iterator(workbook_root() / folder)) {
      if (entry.path().extension() == ".md") out.push_back(entry.path());
    }
  }
  return out;
}

/// What GitHub makes of a heading: lower case, blanks as hyphens, no punctuation.
std::string anchor_of(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80 || c == '-' || c == '_') {
      out += static_cast<char>(std::tolower(byte));
    } else if (c == ' ') {
      out += '-';
    }
  }
  return out;
}

std::set<std::string> anchors_of(const fs::path& page) {
  const std::string text = read_file(page);
  const std::regex heading("(?:^|\n)#+ +([^\n]+)");
  std::set<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), heading), end; it != end; ++it) {
    out.insert(anchor_of((*it)[1]));
  }
  return out;
}

struct Link {
  fs::path page;
  std::string file;    ///< relative to the page
  std::string anchor;  ///< behind "#", or ""
};

std::vector<Link> links() {
  const std::regex link(R"(\]\(([^)#\s]*)(?:#([^)\s]*))?\))");
  std::vector<Link> out;
  for (const fs::path& page : pages()) {
    const std::string text = read_file(page);
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      const std::string file = (*it)[1];
      if (file.find("://") == std::string::npos) out.push_back({page, file, (*it)[2]});
    }
  }
  return out;
}

/// An exercise that whoever works in this copy has deleted; what was handed out is there.
bool is_deleted_exercise(const fs::path& file) {
  const fs::path name = file.lexically_normal().lexically_relative(workbook_root() / "exercises");
  const fs::path root = workbook_root() / "exercises";
  return fs::exists(root / "solutions" / name) || fs::exists(root / "skeletons" / name);
}

TEST(DocsTest, EveryLinkLeadsToAFileAndAHeading) {
  std::map<std::string, std::set<std::string>> anchors;
  const std::vector<Link> all = links();
  ASSERT_GE(all.size(), 50);
  for (const Link& link : all) {
    const fs::path target = link.file.empty() ? link.page : link.page.parent_path() / link.file;
    if (!fs::exists(target) && is_deleted_exercise(target)) continue;
    ASSERT_TRUE(fs::exists(target)) << link.page << " links to " << link.file;
    if (link.anchor.empty()) continue;
    const std::string key = fs::canonical(target).string();
    if (!anchors.contains(key)) anchors[key] = anchors_of(target);
    EXPECT_TRUE(anchors[key].contains(link.anchor))
        << link.page << " links to " << link.file << "#" << link.anchor;
  }
}

TEST(DocsTest, TheGlossaryHoldsTheWordsOfTheLessons) {
  std::set<std::string> introduced;
  for (const Link& link : links()) {
    const bool glossary = fs::path(link.file).filename() == "glossary.md";
    if (glossary && !link.anchor.empty()) introduced.insert(link.anchor);
  }
  std::set<std::string> held = anchors_of(workbook_root() / "docs" / "glossary.md");
  held.erase("glossary");
  EXPECT_EQ(held, introduced);
}

}  // namespace
}  // namespace tracebook
