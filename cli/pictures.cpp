#include "cli/pictures.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The exit status of the command, 127 when it cannot be started.
int run_command(const char* const* argv) {
  pid_t pid = 0;
  if (::posix_spawnp(&pid, argv[0], nullptr, nullptr, const_cast<char* const*>(argv), environ) != 0)
    return 127;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// animals.csv itself, given as a file or by its folder; empty when it is not there.
fs::path animals_at(const fs::path& path) {
  if (is_file(path)) return path;
  return is_file(path / "animals.csv") ? path / "animals.csv" : fs::path();
}

}  // namespace

fs::path plot_script() {
  if (const char* given = std::getenv("SPODNET_PLOT")) return given;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path() / ".." / "share" / "spodnet" / "plot.py";
  if (is_file(installed)) return installed.lexically_normal();
  const fs::path source = fs::path(SPODNET_SOURCE_DIR) / "experiments" / "plot.py";
  return is_file(source) ? source : fs::path();
}

fs::path animals_file(const fs::path& asked) {
  const char* environment = std::getenv("SPODNET_ANIMALS");
  for (const fs::path& named : {asked, fs::path(environment ? environment : "")}) {
    if (named.empty()) continue;
    if (const fs::path found = animals_at(named); !found.empty()) return found;
    throw Error(shown_path(named) +
                ": there are no Animals data: give animals.csv or its folder by --animals or "
                "SPODNET_ANIMALS");
  }
  for (const fs::path& beside : {fs::path(".."), fs::path(SPODNET_SOURCE_DIR) / ".."})
    if (const fs::path found = animals_at(beside / "shared" / "data" / "animals"); !found.empty())
      return found;
  return {};
}

std::string draw_pictures(const fs::path& folder) {
  const fs::path script = plot_script();
  if (script.empty())
    return "no pictures: experiments/plot.py was not found; run 'python3 plot.py " +
           folder.string() + "' with it, or set SPODNET_PLOT to it";
  const std::string script_text = script.string(), folder_text = folder.string();
  const char* argv[] = {"python3", script_text.c_str(), folder_text.c_str(), nullptr};
  const int status = run_command(argv);
  if (status == 0) return {};
  return "no pictures: 'python3 " + script_text + " " + folder_text + "' ended with status " +
         std::to_string(status) +
         (status == 127 ? ": is python3 installed?" : ": is matplotlib installed?");
}

}  // namespace spodnet::cli
