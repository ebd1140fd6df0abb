#include "cli/open_page.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace spodnet::cli {
namespace {

/// In the child: what xdg-open tries and prints is no part of the command's output.
[[noreturn]] void run_opener(const char* page) {
  ::setsid();
  if (const int nowhere = ::open("/dev/null", O_RDWR); nowhere >= 0)
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  ::execlp("xdg-open", "xdg-open", page, static_cast<char*>(nullptr));
  ::_exit(127);
}

}  // namespace

bool open_page(const std::filesystem::path& page) {
  using namespace std::chrono_literals;
  const std::string text = std::filesystem::absolute(page).string();
  const pid_t child = ::fork();
  if (child == 0) run_opener(text.c_str());
  if (child < 0) return false;
  const auto deadline = std::chrono::steady_clock::now() + 2s;
  int status = 0;
  while (std::chrono::steady_clock::now() < deadline) {
    if (::waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

}  // namespace spodnet::cli
