// The spodnet command with one more loss, "huber".
#include "cli/cli.hpp"
#include "huber_loss.hpp"

int main(int argc, char** argv) {
  spodnet::LossRegistry losses = spodnet::builtin_losses();
  losses.add("huber", huber);
  return spodnet::cli::run(argc, argv, spodnet::builtin_models(), losses);
}
