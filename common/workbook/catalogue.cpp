// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/catalogue.h"

#include <algorithm>
#include <charconv>

#include "common/trace/error.h"

namespace tracebook {

const ChapterInfo& find_chapter(std::string_view name) {
  const std::vector<ChapterInfo>& chapters = all_chapters();
  int wanted = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), wanted);
  const bool is_number = error == std::errc() && stop == name.data() + name.size();
  const auto found =
      std::find_if(chapters.begin(), chapters.end(), [&](const ChapterInfo& chapter) {
        return is_number ? std::stoi(chapter.number()) == wanted : chapter.stem == name;
      });
  if (found != chapters.end()) return *found;
  std::string list;
  for (const ChapterInfo& chapter : chapters) list += (list.empty() ? "" : ", ") + chapter.stem;
  throw UsageError("no chapter \"" + std::string(name) + "\"; there are " + list);
}

}  // namespace tracebook
