#include "profiler/inject/control_socket.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "model/units/input_error.hpp"

namespace orrery::inject {
namespace {

constexpr int kAnswerMilliseconds = 5000;
/// A peer that connects and says nothing holds the drain thread up no longer than this.
constexpr int kWordMilliseconds = 100;

std::filesystem::path folder() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && *runtime == '/' && ::access(runtime, W_OK | X_OK) == 0) {
        return std::filesystem::path(runtime) / "orrery";
    }
    return fmt::format("/tmp/orrery-{}", ::geteuid());
}

/// The folder is this user's alone; a link that somebody put there is not followed.
bool prepareFolder(const std::filesystem::path& path, std::string& error) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        error = fmt::format("{}: {}", path.string(), std::strerror(errno));
        return false;
    }
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() ||
        (info.st_mode & 0077) != 0) {
        error = fmt::format("{}: is not a folder that only this user may enter", path.string());
        return false;
    }
    return true;
}

bool fill(sockaddr_un& address, const std::filesystem::path& path) {
    address.sun_family = AF_UNIX;
    const std::string text = path.string();
    if (text.size() >= sizeof(address.sun_path)) return false;
    std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
    return true;
}

bool isOwner(int connection) {
    ucred peer{};
    socklen_t size = sizeof(peer);
    if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    return peer.uid == ::geteuid() || peer.uid == 0;
}

std::string receive(int connection, int milliseconds) {
    pollfd waiting{connection, POLLIN, 0};
    if (::poll(&waiting, 1, milliseconds) <= 0) return {};
    std::array<char, 1024> buffer{};
    const ssize_t got = ::recv(connection, buffer.data(), buffer.size(), 0);
    return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
}

}  // namespace

std::filesystem::path controlSocketPath(pid_t pid) {
    return folder() / fmt::format("{}.sock", pid);
}

void ControlSocket::close() {
    if (socket_ < 0) return;
    ::close(socket_);
    ::unlink(path_.c_str());
    socket_ = -1;
}

bool ControlSocket::listen(std::string& error) {
    path_ = controlSocketPath(::getpid());
    sockaddr_un address{};
    if (!prepareFolder(path_.parent_path(), error)) return false;
    if (!fill(address, path_)) {
        error = fmt::format("{}: too long for a socket", path_.string());
        return false;
    }
    ::unlink(path_.c_str());  // of a process that had this number and was killed
    const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0 || ::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::chmod(path_.c_str(), 0600) != 0 || ::listen(made, 8) != 0) {
        error = fmt::format("{}: {}", path_.string(), std::strerror(errno));
        if (made >= 0) ::close(made);
        return false;
    }
    socket_ = made;
    return true;
}

void ControlSocket::poll(const std::function<std::string(std::string_view)>& handle) {
    if (socket_ < 0) return;
    while (true) {
        const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) return;
        if (isOwner(connection)) {
            const std::string word = receive(connection, kWordMilliseconds);
            const std::string answer = handle(word);
            // No SIGPIPE in somebody else's process.
            [[maybe_unused]] const ssize_t sent = ::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
        }
        ::close(connection);
    }
}

std::string sendControl(pid_t pid, std::string_view word) {
    const auto path = controlSocketPath(pid);
    sockaddr_un address{};
    const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || !fill(address, path) ||
        ::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        if (connection >= 0) ::close(connection);
        throw InputError(fmt::format("process {} does not listen at {} ({}); record it with orrery-agent run --control",
                                     pid, path.string(), std::strerror(errno)));
    }
    [[maybe_unused]] const ssize_t sent = ::send(connection, word.data(), word.size(), MSG_NOSIGNAL);
    const std::string answer = receive(connection, kAnswerMilliseconds);
    ::close(connection);
    if (answer.empty()) throw InputError(fmt::format("process {} gave no answer; its storage may hang", pid));
    return answer;
}

}  // namespace orrery::inject
