// SPDX-License-Identifier: Apache-2.0
#include "common/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace tracebook {

Argument Argument::required() {
  option_->required();
  return *this;
}

Argument Argument::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Argument Argument::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

Argument Argument::group(const std::string& name) {
  option_->group(name);
  return *this;
}

Argument Argument::excludes(Argument other) {
  option_->excludes(other.option_);
  return *this;
}

Argument Argument::delimiter(char c) {
  option_->delimiter(c);
  return *this;
}

Argument Argument::allow_extra_args(bool allow) {
  option_->allow_extra_args(allow);
  return *this;
}

Argument Argument::check_folder() {
  option_->check(CLI::ExistingDirectory);
  return *this;
}

Argument Argument::check_range(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Argument Argument::check(std::function<std::string(const std::string&)> fault_of) {
  option_->check(CLI::Validator(
      [fault_of = std::move(fault_of)](const std::string& text) { return fault_of(text); }, ""));
  return *this;
}

Subcommand::Subcommand(CLI::App& app, const std::string& name, const std::string& says)
    : app_(app.add_subcommand(name, says)) {}

Argument Subcommand::add_option(const std::string& name, std::string& value,
                                const std::string& says) {
  return Argument(*app_->add_option(name, value, says));
}

Argument Subcommand::add_option(const std::string& name, std::filesystem::path& value,
                                const std::string& says) {
  return Argument(*app_->add_option(name, value, says));
}

Argument Subcommand::add_option(const std::string& name, std::vector<std::string>& values,
                                const std::string& says) {
  return Argument(*app_->add_option(name, values, says));
}

Argument Subcommand::add_option(const std::string& name, int& value, const std::string& says) {
  return Argument(*app_->add_option(name, value, says));
}

Argument Subcommand::add_option(const std::string& name, std::optional<std::int64_t>& value,
                                const std::string& says) {
  return Argument(*app_->add_option(name, value, says));
}

Argument Subcommand::add_option_function(const std::string& name,
                                         std::function<void(const std::string&)> take,
                                         const std::string& says) {
  return Argument(*app_->add_option_function<std::string>(name, take, says));
}

Argument Subcommand::add_flag(const std::string& name, bool& value, const std::string& says) {
  return Argument(*app_->add_flag(name, value, says));
}

void Subcommand::group(const std::string& name) { app_->group(name); }

void Subcommand::callback(std::function<void()> chosen) { app_->callback(std::move(chosen)); }

}  // namespace tracebook
