// SPDX-License-Identifier: Apache-2.0
#include "common/cli/doctor.h"

#include <dlfcn.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>

#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/paths.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

Library open_library(const std::string& name) {
  // Stays loaded after it is closed: these libraries are not made to be unloaded, and leak then.
  return Library(dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE));
}

template <typename Function>
Function symbol(const Library& library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library.get(), name));
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Driver and devices, as the driver library itself answers.
struct Driver {
  bool loaded = false;
  int status = -1;  ///< of cuInit
  int version = 0;
  std::vector<std::string> devices;
};

Driver ask_driver() {
  Driver driver;
  const Library library = open_library("libcuda.so.1");
  if (!library) return driver;
  driver.loaded = true;
  const auto init = symbol<int (*)(unsigned)>(library, "cuInit");
  const auto version = symbol<int (*)(int*)>(library, "cuDriverGetVersion");
  const auto count = symbol<int (*)(int*)>(library, "cuDeviceGetCount");
  const auto name = symbol<int (*)(char*, int, int)>(library, "cuDeviceGetName");
  if (init == nullptr || version == nullptr || count == nullptr || name == nullptr) return driver;
  driver.status = init(0);
  version(&driver.version);
  int devices = 0;
  if (driver.status != 0 || count(&devices) != 0) return driver;
  for (int i = 0; i < devices; ++i) {
    std::array<char, 128> text{};
    if (name(text.data(), static_cast<int>(text.size()) - 1, i) == 0) {
      driver.devices.emplace_back(text.data());
    }
  }
  return driver;
}

std::string driver_release() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (!word.empty() && word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos) {
      return word;
    }
  }
  return "";
}

MachineFinding driver_finding(const Driver& driver) {
  MachineFinding finding{.what = "driver", .good = false, .found = "none", .advice = {}};
  if (!driver.loaded) {
    finding.advice =
        "no libcuda.so.1: install NVIDIA's driver to run live (under WSL: on Windows); replaying "
        "needs none";
    return finding;
  }
  const std::string release = driver_release();
  finding.found =
      (release.empty() ? "" : release + ", ") + "for CUDA up to " + version_text(driver.version);
  finding.good = driver.status == 0;
  if (!finding.good) {
    finding.advice = "cuInit answers " + std::to_string(driver.status) +
                     ": is a GPU attached, and does nvidia-smi list it?";
  }
  return finding;
}

MachineFinding gpu_finding(const Driver& driver) {
  MachineFinding finding{
      .what = "GPU", .good = !driver.devices.empty(), .found = "none", .advice = {}};
  if (!finding.good) {
    finding.advice = "without one every chapter replays its recording";
    return finding;
  }
  finding.found.clear();
  for (const std::string& name : driver.devices) {
    finding.found += (finding.found.empty() ? "" : ", ") + name;
  }
  return finding;
}

/// First line of what a command prints, and its exit code; nothing if it cannot be started.
std::optional<std::pair<std::string, int>> ask(const std::string& command) {
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 512> buffer{};
  while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  const int status = pclose(pipe);
  return std::pair(text.substr(0, text.find('\n')), WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

std::optional<std::string> toolkit_release() {
  for (const char* const nvcc : {"nvcc", "/usr/local/cuda/bin/nvcc"}) {
    const auto answer = ask(std::string(nvcc) + " --version | grep release");
    if (answer && answer->second == 0) {
      const std::size_t at = answer->first.find("release ");
      if (at != std::string::npos) {
        const std::string rest = answer->first.substr(at + 8);
        return rest.substr(0, rest.find(','));
      }
    }
  }
  return std::nullopt;
}

MachineFinding toolkit_finding() {
  const std::optional<std::string> release = toolkit_release();
  MachineFinding finding{.what = "CUDA Toolkit",
                         .good = release.has_value(),
                         .found = release.value_or("none"),
                         .advice = {}};
  if (!finding.good) {
    finding.advice =
        "no nvcc on PATH or in /usr/local/cuda: install the CUDA Toolkit 12.4 or newer "
        "and build again to run live";
  }
  return finding;
}

/// A toolkit library, by soname for the majors that the workbook supports, also where it lies
/// outside the loader's path.
MachineFinding library_finding(const std::string& what, const std::string& stem,
                               const std::string& folder) {
  MachineFinding finding{.what = what, .good = false, .found = "none", .advice = {}};
  for (const char* const major : {"13", "12"}) {
    const std::string name = stem + ".so." + major;
    for (const std::string& path : {name, folder + "/" + name}) {
      if (open_library(path)) {
        finding.good = true;
        finding.found = path;
        return finding;
      }
    }
  }
  finding.advice = "part of the CUDA Toolkit: install it, or its package for " + what;
  return finding;
}

/// The checkout around the programs, and whether each chapter's list of recordings can be read.
MachineFinding recordings_finding() {
  MachineFinding finding{.what = "recordings", .good = false, .found = "none", .advice = {}};
  try {
    finding.found = (workbook_root() / "expected").string();
    for (const ChapterInfo& chapter : all_chapters()) {
      const Manifest manifest = read_manifest(fs::path(finding.found) / chapter.stem);
      if (manifest.recordings.empty()) throw InputError(chapter.stem + ": no manifest.json");
      for (const Recording& recording : manifest.recordings) {
        if (!fs::exists(recording.path)) throw InputError(recording.path.string() + ": missing");
      }
    }
    finding.good = true;
  } catch (const Error& error) {
    finding.advice = std::string(error.what()) + "; git checkout expected/ brings it back";
  }
  return finding;
}

fs::path program_of(const ChapterInfo& chapter) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return (error ? fs::path("build/bin/tracebook") : self).parent_path() / chapter.stem;
}

MachineFinding chapter_finding(const ChapterInfo& chapter) {
  MachineFinding finding{.what = chapter.stem, .good = false, .found = {}, .advice = {}};
  const auto answer = ask("'" + program_of(chapter).string() + "' --gpu-status");
  if (!answer || answer->second == 127 || answer->second < 0) {
    finding.found = "program missing";
    finding.advice = "build it: make start";
    return finding;
  }
  finding.good = answer->second == 0;
  finding.found = finding.good ? "runs live" : "replays";
  if (!finding.good) finding.advice = answer->first;
  return finding;
}

}  // namespace

std::vector<MachineFinding> examine_machine() {
  const Driver driver = ask_driver();
  std::vector<MachineFinding> findings;
  findings.push_back(toolkit_finding());
  findings.push_back(driver_finding(driver));
  findings.push_back(gpu_finding(driver));
  const std::string libraries = "/usr/local/cuda/lib64";
  findings.push_back(library_finding("CUPTI", "libcupti", "/usr/local/cuda/extras/CUPTI/lib64"));
  findings.push_back(library_finding("cuBLAS", "libcublas", libraries));
  findings.push_back(library_finding("cuBLASLt", "libcublasLt", libraries));
  findings.push_back(recordings_finding());
  for (const ChapterInfo& chapter : all_chapters()) findings.push_back(chapter_finding(chapter));
  return findings;
}

}  // namespace tracebook
