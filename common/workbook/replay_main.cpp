// SPDX-License-Identifier: Apache-2.0
//
// A chapter's program in a build without CUDA: the same knobs, replaying.
#include TRACEBOOK_CHAPTER_KNOBS
#include "common/workbook/run_chapter.h"

int main(int argc, char** argv) { return tracebook::run_chapter(tracebook::kChapter, argc, argv); }
