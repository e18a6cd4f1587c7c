// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/file_watcher.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include <poll.h>

#include "common/trace/file.h"
#include "common/workbook/lab/lab_test_support.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<fs::path>;

void save_in_place(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

class FileWatcherTest : public testing::TestWithParam<WatchBy> {
 protected:
  /// With events: has the kernel told, within a second?
  static bool told(const FileWatcher& watcher) {
    if (watcher.descriptor() < 0) return true;
    pollfd waiting{watcher.descriptor(), POLLIN, 0};
    return poll(&waiting, 1, 1000) == 1;
  }

  ScratchFolder folder_;
  fs::path file_ = folder_ / "a.json";
};

TEST_P(FileWatcherTest, SeesAFileSavedInPlace) {
  save_in_place(file_, "one");
  FileWatcher watcher(GetParam());
  watcher.watch({file_});
  EXPECT_EQ(watcher.changed(), Files{});
  save_in_place(file_, "three");
  EXPECT_TRUE(told(watcher));
  EXPECT_EQ(watcher.changed(), Files{file_});
  EXPECT_EQ(watcher.changed(), Files{});
}

TEST_P(FileWatcherTest, SeesAFileReplacedByAnother) {
  save_in_place(file_, "one");
  FileWatcher watcher(GetParam());
  watcher.watch({file_});
  for (const std::string text : {"two", "six"}) {
    save_in_place(folder_ / "a.tmp", text);
    fs::rename(folder_ / "a.tmp", file_);
    EXPECT_TRUE(told(watcher));
    EXPECT_EQ(watcher.changed(), Files{file_});
  }
}

TEST_P(FileWatcherTest, SeesAFileMadeLaterAndItsFolderToo) {
  const fs::path later = folder_ / "sub/b.json";
  FileWatcher watcher(GetParam());
  watcher.watch({file_, later});
  save_in_place(file_, "one");
  EXPECT_TRUE(told(watcher));
  EXPECT_EQ(watcher.changed(), Files{file_});
  fs::create_directory(folder_ / "sub");
  EXPECT_EQ(watcher.changed(), Files{});
  save_in_place(later, "one");
  EXPECT_TRUE(told(watcher));
  EXPECT_EQ(watcher.changed(), Files{later});
}

TEST_P(FileWatcherTest, SeesAFileMadeInANewFolderAtOnce) {
  const fs::path later = folder_ / "sub/b.json";
  FileWatcher watcher(GetParam());
  watcher.watch({later});
  write_file(later, "one");
  EXPECT_EQ(watcher.changed(), Files{later});
}

TEST_P(FileWatcherTest, SeesAFileRemovedAndMadeAgain) {
  save_in_place(file_, "one");
  FileWatcher watcher(GetParam());
  watcher.watch({file_});
  fs::remove(file_);
  EXPECT_EQ(watcher.changed(), Files{file_});
  save_in_place(file_, "one");
  EXPECT_EQ(watcher.changed(), Files{file_});
}

TEST_P(FileWatcherTest, OtherFilesAreNoNews) {
  FileWatcher watcher(GetParam());
  watcher.watch({file_});
  save_in_place(folder_ / "other.json", "one");
  EXPECT_EQ(watcher.changed(), Files{});
}

TEST_P(FileWatcherTest, AFolderThatIsGoneAndBackIsWatchedAgain) {
  const fs::path file = folder_ / "sub/b.json";
  write_file(file, "one");
  FileWatcher watcher(GetParam());
  watcher.watch({file});
  fs::remove_all(folder_ / "sub");
  EXPECT_EQ(watcher.changed(), Files{file});
  write_file(file, "two");
  EXPECT_EQ(watcher.changed(), Files{file});
  save_in_place(file, "three");
  EXPECT_TRUE(told(watcher));
  EXPECT_EQ(watcher.changed(), Files{file});
}

INSTANTIATE_TEST_SUITE_P(Both, FileWatcherTest,
                         testing::Values(WatchBy::kEvents, WatchBy::kLooking), [](const auto& by) {
                           return by.param == WatchBy::kEvents ? "Events" : "Looking";
                         });

#ifdef __linux__
TEST(FileWatcherEventsTest, ASaveThatLeavesNoOtherTraceIsTold) {
  const ScratchFolder folder;
  const fs::path file = folder / "a.json";
  save_in_place(file, "one");
  const auto time = fs::last_write_time(file);
  FileWatcher events(WatchBy::kEvents);
  FileWatcher looking(WatchBy::kLooking);
  events.watch({file});
  looking.watch({file});
  save_in_place(file, "two");
  fs::last_write_time(file, time);  // as on a file system with a coarse clock
  EXPECT_EQ(events.changed(), Files{file});
  EXPECT_EQ(looking.changed(), Files{});
}
#endif

}  // namespace
}  // namespace tracebook
