// The drain thread's part of capture control: what it asks, what it does, and files that follow one another.
#include <system_error>

#include <fmt/format.h>

#include "profiler/inject/capture_signal.hpp"
#include "profiler/inject/clock_samples.hpp"
#include "profiler/inject/drain.hpp"

namespace orrery::inject {
namespace {

/// Of a database and the log beside it.
std::int64_t bytesOf(const std::filesystem::path& file) {
    std::int64_t bytes = 0;
    for (const char* suffix : {"", "-wal"}) {
        std::error_code failed;
        const auto size = std::filesystem::file_size(file.string() + suffix, failed);
        if (!failed) bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
}

}  // namespace

std::int64_t Drain::fileBytes() const {
    return bytesOf(file_);
}

bool Drain::control(std::int64_t now, bool last) {
    for (int toggles = takeCaptureSignals(); toggles > 0; --toggles) control_->command(CaptureCommand::toggle, now);
    socket_.poll([this](std::string_view word) { return answer(word); });
    control_->tick(now, finishedBytes_ + fileBytes());

    if (control_->on() != recording_) {
        recording_ = control_->on();
        if (gpu_) gpu_->record(recording_);
        if (recording_) control_->opened(monotonicNow());
    }
    bool wrote = false;
    for (const auto& window : control_->takeEnded()) {
        writer_->addCaptureWindow({rankId_, window.start, window.end, window.reason});
        wrote = true;
    }
    if (last && control_->window()) {
        writer_->addCaptureWindow({rankId_, control_->window()->start, std::nullopt, control_->window()->reason});
        wrote = true;
    }
    const auto overhead = control_->overhead().estimate();
    const bool news = overhead && (!writtenOverhead_ || writtenOverhead_->with != overhead->with ||
                                   writtenOverhead_->without != overhead->without || last);
    if (news) {
        writer_->setMetadata(
            rankId_, "overhead",
            fmt::format("{:.2f} +- {:.2f} % of a step, by {} steps recorded and {} not", overhead->share * 100.0,
                        overhead->uncertainty * 100.0, overhead->with, overhead->without));
        writtenOverhead_ = overhead;
        wrote = true;
    }
    if (last) writer_->setMetadata(rankId_, "capture", control_->status());
    return wrote || last;
}

std::string Drain::answer(std::string_view word) {
    const std::int64_t now = monotonicNow();
    if (word == "start") {
        control_->command(CaptureCommand::start, now);
    } else if (word == "stop") {
        control_->command(CaptureCommand::stop, now);
    } else if (word != "status") {
        return fmt::format("unknown command '{}'; knows start, stop and status\n", word);
    }
    return fmt::format("{}, {} bytes in {}\n", control_->status(), fileBytes(), file_.string());
}

void Drain::rotate() {
    // Whatever is still in CUPTI's buffers goes where it was recorded.
    if (gpu_) gpu_->pass(monotonicNow(), false);
    writer_->addClockSample(sampleClocks(rankId_));
    writer_->commit();
    finished_.push_back(file_);
    finishedBytes_ += bytesOf(file_);
    std::optional<ProfileWriter> old = std::move(writer_);
    writer_.reset();
    openFile(++part_);
    writer_->addMetadata(rankId_, "capture_part", fmt::format("{} of a record in several files", part_));
    {
        // The assembler leaves what is open in the old file before it goes on in the new one.
        assembler_->moveTo(*writer_, rankId_, *old);
        if (gpu_) gpu_->moveTo(*writer_, rankId_);
    }
    old.reset();  // one plain file from here on
    while (settings_.capture.keep && static_cast<std::int64_t>(finished_.size()) >= *settings_.capture.keep) {
        finishedBytes_ -= bytesOf(finished_.front());
        std::error_code ignored;
        std::filesystem::remove(finished_.front(), ignored);
        finished_.pop_front();
    }
}

}  // namespace orrery::inject
