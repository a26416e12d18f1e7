// A socket by which the owner of a recorded process starts and stops its recording: one word a connection.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace orrery::inject {

/// Where the socket of a process is: a folder of the user's own in XDG_RUNTIME_DIR or in /tmp.
[[nodiscard]] std::filesystem::path controlSocketPath(pid_t pid);

/// Listens; never blocks. Connections of other users are refused (SO_PEERCRED), root's are not.
class ControlSocket {
  public:
    ControlSocket() = default;
    ~ControlSocket() { close(); }
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;

    /// False, with `error`: the folder belongs to somebody else, or cannot be made.
    bool listen(std::string& error);
    void close();
    /// Answers connections that wait. `handle` gets the word and returns the answer.
    void poll(const std::function<std::string(std::string_view)>& handle);

  private:
    int socket_ = -1;
    std::filesystem::path path_;
};

/// Sends a word to the process and returns its answer. Throws InputError: no such socket, no answer within five
/// seconds.
[[nodiscard]] std::string sendControl(pid_t pid, std::string_view word);

}  // namespace orrery::inject
