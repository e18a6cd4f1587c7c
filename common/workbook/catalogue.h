// SPDX-License-Identifier: Apache-2.0
//
// The chapters there are, in order, made from their knobs.h when the workbook is built.
#pragma once

#include <string_view>
#include <vector>

#include "common/workbook/chapter.h"

namespace tracebook {

const std::vector<ChapterInfo>& all_chapters();

/// "01", "1" or "01_cold_trace". UsageError, listing the chapters, for anything else.
const ChapterInfo& find_chapter(std::string_view name);

}  // namespace tracebook
