// Moves what the threads' channels hold into the profile of this process. Runs on the drain thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "profiler/inject/capture_control.hpp"
#include "profiler/inject/control_socket.hpp"
#include "profiler/inject/gpu_drain.hpp"
#include "profiler/inject/range_assembler.hpp"
#include "profiler/inject/settings.hpp"
#include "profiler/inject/thread_channel.hpp"

namespace orrery::inject {

class Drain {
  public:
    explicit Drain(const Settings& settings) : settings_(settings) {}

    /// Creates the folder, the profile and its rank row. Throws InputError when the place cannot be written.
    void open();
    void add(std::vector<std::shared_ptr<ThreadChannel>> channels);
    /// Takes a bounded part of every ring, commits when there was anything to say, and frees channels of threads that
    /// ended. The last pass takes all and writes what is still open. Returns whether another pass should follow at
    /// once: something was left, or a ring was found so full that waiting might overflow it.
    bool pass(bool last);
    /// Closes the file; channels stay, because threads may still write to them.
    void close();

  private:
    struct Channel {
        std::uint64_t serial = 0;  ///< thread numbers of the system are used again, serials are not
        std::shared_ptr<ThreadChannel> channel;
    };
    void openFile(int part);
    void rotate();
    /// Signals, commands, time and size; then what is to be recorded from here on. True when rows were written.
    bool control(std::int64_t now, bool last);
    [[nodiscard]] std::string answer(std::string_view word);
    [[nodiscard]] std::int64_t fileBytes() const;
    bool writeLosses();
    bool writeThreadNames();

    const Settings& settings_;
    std::int64_t rankId_ = 0;
    std::optional<ProfileWriter> writer_;
    std::optional<RangeAssembler> assembler_;
    std::optional<GpuDrain> gpu_;  ///< once the CUDA driver has loaded this library
    std::vector<Channel> channels_;
    std::uint64_t nextSerial_ = 1;
    std::map<std::string, std::int64_t> ofEndedThreads_, written_;  ///< losses by kind
    std::int64_t nextClock_ = 0;

    std::optional<CaptureControl> control_;  ///< only where recording can be off
    bool recording_ = true;                  ///< what control_ was last seen to want
    ControlSocket socket_;
    std::filesystem::path file_;
    std::deque<std::filesystem::path> finished_;  ///< of a rotation, oldest first
    std::int64_t finishedBytes_ = 0;
    int part_ = 1;
    std::optional<OverheadMeter::Estimate> writtenOverhead_;
};

}  // namespace orrery::inject
