#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.hpp"

namespace spodnet::test {

/// How a finished command ended: its exit status, or 128 + the signal that ended it.
struct CommandResult {
  int status = -1;
  std::string out, err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// The built `spodnet`, started with these arguments in this folder; output goes to files there.
class RunningCommand {
 public:
  RunningCommand(const std::filesystem::path& folder, const std::vector<std::string>& arguments)
      : out_(folder / ".stdout"), err_(folder / ".stderr"), pid_(::fork()) {
    if (pid_ == 0) become(folder, arguments);
  }
  void signal(int number) const { ::kill(pid_, number); }
  bool ended() const {
    siginfo_t info{};
    ::waitid(P_PID, id_t(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid == pid_;
  }
  /// Seconds of processor time it has used: its own clock, however busy the machine is.
  double processor_seconds() const {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
    return double(used.tv_sec) + 1e-9 * double(used.tv_nsec);
  }
  /// Waits until it has worked for so long or has ended.
  void wait_for_work(double seconds) const {
    while (!ended() && processor_seconds() < seconds)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CommandResult wait() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_bytes(out_),
            read_bytes(err_)};
  }

 private:
  [[noreturn]] void become(const std::filesystem::path& folder,
                           std::vector<std::string> arguments) const {
    std::filesystem::current_path(folder);
    ::dup2(::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    arguments.insert(arguments.begin(), SPODNET_BINARY);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  std::filesystem::path out_, err_;
  pid_t pid_;
};

inline CommandResult spodnet(const TemporaryFolder& folder,
                             const std::vector<std::string>& arguments) {
  return RunningCommand(folder.path(), arguments).wait();
}

/// One string, split at spaces.
inline CommandResult spodnet(const TemporaryFolder& folder, const std::string& line) {
  std::vector<std::string> arguments;
  for (std::size_t first = 0; first < line.size();) {
    const std::size_t last = std::min(line.find(' ', first), line.size());
    if (last > first) arguments.push_back(line.substr(first, last - first));
    first = last + 1;
  }
  return spodnet(folder, arguments);
}

inline void pause_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace spodnet::test
