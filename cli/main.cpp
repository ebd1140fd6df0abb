#include "cli/cli.hpp"

int main(int argc, char** argv) { return spodnet::cli::run(argc, argv, spodnet::builtin_models()); }
