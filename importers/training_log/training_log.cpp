#include "importers/training_log/training_log.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "importers/io/file_reader.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {
namespace {

constexpr std::size_t kLargestLog = std::size_t{2} << 30U;
constexpr double kMegabyte = 1024.0 * 1024.0;  // Megatron-LM and PyTorch divide by powers of 1024
constexpr double kGibibyte = 1024.0 * kMegabyte;

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// A number at the start of a text; thousands may be set off by commas.
std::optional<double> numberAt(std::string_view text) {
    text = trimmed(text);
    std::string digits;
    for (const char c : text) {
        if (c == ',') continue;
        if (std::string_view("0123456789.eE+-").find(c) == std::string_view::npos) break;
        digits += c;
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end == digits.data() || !std::isfinite(value)) return std::nullopt;
    return value;
}

/// The number behind `key`.
std::optional<double> after(std::string_view line, std::string_view key) {
    const std::size_t at = line.find(key);
    return at == std::string_view::npos ? std::nullopt : numberAt(line.substr(at + key.size()));
}

/// Escape sequences of colours, which torchtitan writes to files, too.
std::string withoutColours(std::string_view line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
            while (i < line.size() && line[i] != 'm') ++i;
            continue;
        }
        out += line[i];
    }
    return out;
}

class Reader {
  public:
    Reader(std::optional<std::int64_t> batch, std::optional<std::int64_t> tokens) : batch_(batch), tokens_(tokens) {}

    void line(std::string_view text) {
        ++number_;
        if (text.find("elapsed time per iteration (ms):") != std::string_view::npos) return megatronStep(text);
        if (text.find("max allocated:") != std::string_view::npos) return megatronMemory(text);
        if (text.find("time across ranks (ms):") != std::string_view::npos) {
            inTimers_ = true;
            return;
        }
        if (inTimers_) return megatronTimer(text);
        if (text.find("CurrSamplesPerSec=") != std::string_view::npos) return deepspeedStep(text);
        if (const auto batch = after(text, "train_batch_size");
            batch && text.find("train_batch_size") != std::string_view::npos)
            batch_ = static_cast<std::int64_t>(*batch);
        if (text.find("tps:") != std::string_view::npos && text.find("step:") != std::string_view::npos)
            torchtitanStep(withoutColours(text));
    }

    TrainingLog take() { return std::move(log_); }
    [[nodiscard]] bool needsBatch() const { return needsBatch_; }

  private:
    void bad(std::string_view text) {
        if (log_.badLines++ == 0) log_.firstBadLine = fmt::format("line {}: {}", number_, trimmed(text).substr(0, 80));
    }

    void megatronStep(std::string_view text) {
        inTimers_ = false;
        const auto milliseconds = after(text, "elapsed time per iteration (ms):");
        const auto iteration = after(text, "iteration ");
        if (!milliseconds || *milliseconds <= 0.0 || !iteration) return bad(text);
        log_.format = "Megatron-LM";
        LoggedStep step;
        step.iteration = static_cast<std::int64_t>(*iteration);
        step.seconds = *milliseconds / 1e3;
        step.tflopsPerGpu = after(text, "throughput per GPU (TFLOP/s/GPU):");
        if (const auto batch = after(text, "global batch size:")) step.globalBatch = static_cast<std::int64_t>(*batch);
        if (const auto skipped = after(text, "number of skipped iterations:"))
            log_.skippedIterations += static_cast<std::int64_t>(*skipped);
        if (const auto nan = after(text, "number of nan iterations:"))
            log_.nanIterations += static_cast<std::int64_t>(*nan);
        log_.steps.push_back(step);
    }

    static void raise(std::optional<double>& peak, std::optional<double> gib) {
        if (gib) peak = std::max(peak.value_or(0.0), *gib);
    }

    void megatronMemory(std::string_view text) {
        const auto inGib = [&](std::string_view key) -> std::optional<double> {
            const auto megabytes = after(text, key);
            return megabytes ? std::optional(*megabytes * kMegabyte / kGibibyte) : std::nullopt;
        };
        raise(log_.allocatedPeakGib, inGib("max allocated:"));
        raise(log_.reservedPeakGib, inGib("max reserved:"));
    }

    /// "    forward-backward ...............................: (1234.56, 1240.10)"
    void megatronTimer(std::string_view text) {
        const std::size_t colon = text.rfind(':');
        if (!text.starts_with("    ") || colon == std::string_view::npos) {
            inTimers_ = false;
            return;
        }
        std::string_view name = trimmed(text.substr(0, colon));
        name = trimmed(name.substr(0, name.find(" .")));
        while (name.ends_with('.')) name.remove_suffix(1);
        std::string_view values = trimmed(text.substr(colon + 1));
        LoggedTimer timer;
        if (values.starts_with('(')) {
            const auto low = numberAt(values.substr(1, values.find(',') - 1));
            const auto high = numberAt(values.substr(std::min(values.size(), values.find(',') + 1)));
            if (!low || !high) return bad(text);
            timer = {*low / 1e3, *high / 1e3};
        } else if (const auto value = numberAt(values)) {
            timer = {*value / 1e3, *value / 1e3};
        } else {
            return bad(text);
        }
        log_.timers[std::string(name)] = timer;
    }

    void deepspeedStep(std::string_view text) {
        const auto rate = after(text, "CurrSamplesPerSec=");
        const auto step = after(text, "global_step=");
        if (!rate || *rate <= 0.0 || !step) return bad(text);
        log_.format = "DeepSpeed";
        if (const auto peak = after(text, "MaxMemAllocated=")) raise(log_.allocatedPeakGib, peak);
        if (!batch_) {
            needsBatch_ = true;
            return;
        }
        LoggedStep logged;
        logged.iteration = static_cast<std::int64_t>(*step);
        logged.seconds = static_cast<double>(*batch_) / *rate;
        logged.globalBatch = batch_;
        log_.steps.push_back(logged);
    }

    void torchtitanStep(const std::string& text) {
        const auto step = after(text, "step:");
        const auto rate = after(text, "tps:");
        if (!step || !rate || *rate <= 0.0) return bad(text);
        log_.format = "torchtitan";
        raise(log_.reservedPeakGib, after(text, "memory:"));
        LoggedStep logged;
        logged.iteration = static_cast<std::int64_t>(*step);
        logged.tokensPerSecondPerGpu = *rate;
        logged.tflopsPerGpu = after(text, "tflops:");
        if (tokens_) logged.seconds = static_cast<double>(*tokens_) / *rate;
        log_.steps.push_back(logged);
    }

    std::optional<std::int64_t> batch_, tokens_;
    std::int64_t number_ = 0;
    bool inTimers_ = false, needsBatch_ = false;
    TrainingLog log_;
};

}  // namespace

double TrainingLog::medianSeconds(std::size_t skip) const {
    std::vector<double> seconds;
    for (std::size_t i = skip; i < steps.size(); ++i) seconds.push_back(steps[i].seconds);
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    if (seconds.size() % 2 == 1) return *middle;
    return 0.5 * (*middle + *std::max_element(seconds.begin(), middle));
}

bool isTrainingLog(std::string_view head) {
    if (head.find('\0') != std::string_view::npos) return false;
    const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
    return has("elapsed time per iteration (ms):") || has("CurrSamplesPerSec=") || (has("tps:") && has("step:"));
}

TrainingLog readTrainingLog(const std::filesystem::path& file, const Progress& progress,
                            std::optional<std::int64_t> globalBatch, std::optional<std::int64_t> tokensPerStepAndGpu) {
    const Content content = readContent(file, progress, 0, kLargestLog);
    const std::string_view text(content.bytes.data(), content.size);
    Reader reader(globalBatch, tokensPerStepAndGpu);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        reader.line(text.substr(begin, end - begin));
        begin = end + 1;
    }
    if (reader.needsBatch())
        throw InputError(
            fmt::format("{}: DeepSpeed's samples a second need the batch; print train_batch_size", file.string()));
    TrainingLog log = reader.take();
    if (log.steps.empty()) {
        throw InputError(fmt::format(
            "{}: no training step in it{}; Megatron-LM, DeepSpeed and torchtitan logs are known", file.string(),
            log.badLines > 0 ? fmt::format(" that can be read ({})", log.firstBadLine) : ""));
    }
    return log;
}

}  // namespace orrery::importers
