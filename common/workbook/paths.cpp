// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/paths.h"

#include <climits>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "common/trace/error.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> program_path() {
  std::error_code error;
#ifdef __APPLE__
  char buffer[PATH_MAX];
  std::uint32_t size = sizeof buffer;
  if (_NSGetExecutablePath(buffer, &size) != 0) return std::nullopt;
  const fs::path path = fs::canonical(buffer, error);
#else
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
#endif
  if (error) return std::nullopt;
  return path;
}

bool is_root(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "expected", error) &&
         fs::is_directory(folder / "chapters", error);
}

std::optional<fs::path> root_above(fs::path folder) {
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (is_root(folder)) return folder;
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

}  // namespace

fs::path workbook_root() {
  if (const char* const root = std::getenv("TRACEBOOK_ROOT"); root != nullptr && *root != '\0') {
    if (is_root(root)) return root;
    throw InputError(
        std::string("TRACEBOOK_ROOT: expected a folder with chapters/ and expected/, ") + "but " +
        root + " has none");
  }
  if (const auto program = program_path()) {
    if (const auto root = root_above(program->parent_path())) return *root;
  }
  std::error_code error;
  if (const auto root = root_above(fs::current_path(error))) return *root;
  throw InputError(
      "cannot find the workbook's recordings: no folder above this program or above the working "
      "directory holds chapters/ and expected/; set TRACEBOOK_ROOT to your checkout");
}

}  // namespace tracebook
