#pragma once

#include <string>

#include "spodnet/core/group.hpp"

namespace spodnet::cli {

/// Whether the processes of a group share this command's work; of the others the first process does
/// everything.
bool is_shared(const std::string& command);

/// Throws Error when a command that writes was started several times by mpirun, but the program was
/// built without MPI: all of them would write the same files.
void check_launch(bool writes, const Group& group);

/// Standard output and standard error of all processes but the first lead nowhere from here on.
void silence_others(const Group& group);

/// Before a refusal: gives the first process, which mostly has the same message, the time to print
/// it and to end the others. Returns what a message of this process begins with, "" or
/// "process 3: ".
std::string message_prefix(const Group& group);

}  // namespace spodnet::cli
