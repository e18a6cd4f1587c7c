// SPDX-License-Identifier: Apache-2.0
#include "common/trace/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/trace/error.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string pattern = (fs::temp_directory_path() / "file_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FileTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      names.push_back(entry.path().lexically_relative(folder_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
};

/// What an InputError says; "" if there is none.
std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Runs `act` in a process of its own that has lost what `first` takes away. Returns what it threw.
std::string error_in_child(const std::function<void()>& first, const std::function<void()>& act) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    first();
    const std::string error = error_of(act);
    const ssize_t count = ::write(ends[1], error.data(), error.size());
    ::_exit(count == static_cast<ssize_t>(error.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string error;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    error.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? error : "the child process failed";
}

TEST_F(FileTest, WhatIsWrittenIsRead) {
  std::string content = "first\nsecond\r\n";
  content += '\0';
  content += std::string(200'000, 'x');  // longer than any buffer here
  write_file(folder_ / "a.txt", content);
  EXPECT_EQ(read_file(folder_ / "a.txt"), content);
  write_file(folder_ / "a.txt", "");
  EXPECT_EQ(read_file(folder_ / "a.txt"), "");
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});
}

TEST_F(FileTest, FoldersOnTheWayAreMade) {
  write_file(folder_ / "a/b/c.txt", "c");
  EXPECT_EQ(read_file(folder_ / "a/b/c.txt"), "c");
}

TEST_F(FileTest, PermissionsAreThoseOfAnyNewFileOrOfTheOneReplaced) {
  const mode_t mask = ::umask(0027);
  write_file(folder_ / "new.txt", "1");
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat((folder_ / "new.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  ASSERT_EQ(::chmod((folder_ / "new.txt").c_str(), 0600), 0);
  write_file(folder_ / "new.txt", "2");
  ASSERT_EQ(::stat((folder_ / "new.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(read_file(folder_ / "new.txt"), "2");
}

TEST_F(FileTest, ALinkStaysAndItsTargetIsReplaced) {
  fs::create_directory(folder_ / "real");
  write_file(folder_ / "real/a.txt", "old");
  fs::create_symlink("real/a.txt", folder_ / "link.txt");
  write_file(folder_ / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.txt"));
  EXPECT_EQ(read_file(folder_ / "real/a.txt"), "new");
}

TEST_F(FileTest, ADeviceIsWrittenNotReplaced) {
  // Through links of our own, so that a mistake replaces no device.
  fs::create_symlink("/dev/null", folder_ / "null");
  write_file(folder_ / "null", "gone");
  EXPECT_TRUE(fs::is_character_file(fs::status(folder_ / "null")));
  if (!fs::exists("/dev/full")) return;
  fs::create_symlink("/dev/full", folder_ / "full");
  EXPECT_EQ(error_of([&] { write_file(folder_ / "full", "x"); }),
            (folder_ / "full").string() + ": cannot be written: No space left on device");
}

TEST_F(FileTest, AFolderIsNoFile) {
  fs::create_directory(folder_ / "sub");
  EXPECT_EQ(error_of([&] { write_file(folder_ / "sub", "x"); }),
            (folder_ / "sub").string() + ": cannot be written: is a folder; expected a file name");
  EXPECT_NE(error_of([&] { write_file(folder_ / "new/", "x"); }).find("expected a file name"),
            std::string::npos);
  EXPECT_NE(error_of([&] { write_file("", "x"); }).find("expected a file name"), std::string::npos);
  EXPECT_EQ(error_of([&] { read_file(folder_ / "sub"); }),
            (folder_ / "sub").string() + ": is a folder; expected a file");
  EXPECT_EQ(error_of([&] { read_file(folder_ / "none"); }),
            (folder_ / "none").string() + ": no such file");
  EXPECT_EQ(names(), std::vector<std::string>{"sub"});
}

TEST_F(FileTest, AFileIsNoFolder) {
  write_file(folder_ / "a.txt", "a");
  EXPECT_NE(error_of([&] { write_file(folder_ / "a.txt/b.txt", "x"); }), "");
  EXPECT_NE(error_of([&] { write_file(folder_ / "a.txt/b/c.txt", "x"); }).find("make the folder"),
            std::string::npos);
  EXPECT_EQ(read_file(folder_ / "a.txt"), "a");
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});
}

TEST_F(FileTest, AFullDiskLeavesWhatStoodThere) {
  write_file(folder_ / "a.txt", "before");
  const auto full_after_64_kib = [] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 16, 1 << 16};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const std::string big(1 << 20, 'x');
  EXPECT_EQ(error_in_child(full_after_64_kib, [&] { write_file(folder_ / "a.txt", big); }),
            (folder_ / "a.txt").string() + ": cannot be written: File too large");
  EXPECT_NE(error_in_child(full_after_64_kib, [&] { write_file(folder_ / "b/c/d.txt", big); }), "");
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});  // neither pieces nor new folders
  EXPECT_EQ(read_file(folder_ / "a.txt"), "before");
}

TEST_F(FileTest, AReadOnlyFolderLeavesWhatStoodThere) {
  write_file(folder_ / "closed/a.txt", "before");
  constexpr mode_t kEveryoneReads = 0555;
  ASSERT_EQ(::chmod(folder_.c_str(), kEveryoneReads), 0);
  ASSERT_EQ(::chmod((folder_ / "closed").c_str(), kEveryoneReads), 0);
  const auto as_nobody = [] {
    constexpr uid_t kNobody = 65534;  // root may write anywhere
    if (::getuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
  };
  EXPECT_EQ(error_in_child(as_nobody, [&] { write_file(folder_ / "closed/a.txt", "x"); }),
            (folder_ / "closed/a.txt").string() + ": cannot be written: Permission denied");
  EXPECT_NE(error_in_child(as_nobody, [&] { write_file(folder_ / "closed/b/c.txt", "x"); }), "");
  EXPECT_EQ(names(), (std::vector<std::string>{"closed", "closed/a.txt"}));
  EXPECT_EQ(read_file(folder_ / "closed/a.txt"), "before");
  fs::permissions(folder_, fs::perms::owner_all);
  fs::permissions(folder_ / "closed", fs::perms::owner_all);
}

TEST_F(FileTest, WithoutCommitNothingAppears) {
  write_file(folder_ / "a.txt", "before");
  {
    NewFile file(folder_ / "a.txt");
    file.write("after");
    EXPECT_EQ(names().size(), 2U);
    NewFile other(folder_ / "new/b.txt");
    other.write("b");
  }
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});
  EXPECT_EQ(read_file(folder_ / "a.txt"), "before");
}

TEST_F(FileTest, TwoWritersOfOneNameLeaveOneOfTheTwo) {
  const std::string ones(100'000, '1');
  const std::string twos(100'000, '2');
  const auto write_often = [&](const std::string& content) {
    for (int i = 0; i < 50; ++i) write_file(folder_ / "a.txt", content);
  };
  std::thread first(write_often, ones);
  std::thread second(write_often, twos);
  first.join();
  second.join();
  const std::string content = read_file(folder_ / "a.txt");
  EXPECT_TRUE(content == ones || content == twos);
  EXPECT_EQ(names(), std::vector<std::string>{"a.txt"});
}

TEST(EncodingFaultTest, NamesUtf16WithAndWithoutAMark) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"\xFF\xFE{\0"sv, "\xFE\xFF\0{"sv, "{\0\n\0"sv, "\0{\0\n"sv}) {
    EXPECT_EQ(encoding_fault(text), "the file is UTF-16; save it as UTF-8");
  }
  for (const std::string_view text : {""sv, "{"sv, "{}"sv, "\xEF\xBB\xBF{}"sv, "\xFF{}"sv}) {
    EXPECT_EQ(encoding_fault(text), "");
  }
}

}  // namespace
}  // namespace tracebook
