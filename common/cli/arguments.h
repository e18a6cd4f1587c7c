// SPDX-License-Identifier: Apache-2.0
//
// What a command of `tracebook` takes. Stands before CLI11, whose headers take longer to compile
// than any command does.
//
//   Subcommand sub(app, "table", "the profiler table");
//   sub.add_option("file", wish->file, "trace").required().type_name("FILE");
//   sub.callback([wish, &command] { … });
//
// Both are handles of what the application owns; what an option is read into must live as long.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tracebook {

/// An option, a flag, or a word that a command takes. Each call returns it.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(&option) {}

  Argument required();
  Argument type_name(const std::string& name);  ///< what --help calls its value
  Argument capture_default_str();               ///< --help tells the value that it has before
  Argument group(const std::string& name);      ///< "": not in --help
  Argument excludes(Argument other);
  Argument delimiter(char c);
  Argument allow_extra_args(bool allow);
  Argument check_folder();                  ///< the folder must be there
  Argument check_range(int low, int high);  ///< both are allowed
  /// `fault_of` says what is wrong with a text; nothing if it may stand.
  Argument check(std::function<std::string(const std::string&)> fault_of);

 private:
  CLI::Option* option_;
};

class Subcommand {
 public:
  Subcommand(CLI::App& app, const std::string& name, const std::string& says);

  Argument add_option(const std::string& name, std::string& value, const std::string& says);
  Argument add_option(const std::string& name, std::filesystem::path& value,
                      const std::string& says);
  Argument add_option(const std::string& name, std::vector<std::string>& values,
                      const std::string& says);
  Argument add_option(const std::string& name, int& value, const std::string& says);
  Argument add_option(const std::string& name, std::optional<std::int64_t>& value,
                      const std::string& says);
  Argument add_option_function(const std::string& name,
                               std::function<void(const std::string&)> take,
                               const std::string& says);
  Argument add_flag(const std::string& name, bool& value, const std::string& says);

  void group(const std::string& name);  ///< "": not in --help
  /// Called once the command line has been read, if it names this command.
  void callback(std::function<void()> chosen);

 private:
  CLI::App* app_;
};

}  // namespace tracebook
