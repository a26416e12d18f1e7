#include "data/scenario/stage_text.hpp"

#include <charconv>
#include <string>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr int kLargest = 1'000'000;  ///< of any number here, and of the characters of a repeated layout

/// Reads a whole number at the front of `text` and takes it away; false when there is none.
bool takeNumber(std::string_view& text, int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0 || value > kLargest) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

bool parseTask(std::string_view word, Task& task) {
    constexpr std::string_view kLetters = "FBW";
    if (word.empty()) return false;
    const auto kind = kLetters.find(word.front());
    if (kind == std::string_view::npos) return false;
    task.kind = static_cast<TaskKind>(kind);
    word.remove_prefix(1);
    int number = 0;
    if (!takeNumber(word, number)) return false;
    task.microBatch = number;
    if (word.empty()) return true;
    if (word.front() != '.') return false;
    word.remove_prefix(1);
    if (!takeNumber(word, number) || number > 30'000 || !word.empty()) return false;
    task.chunk = static_cast<std::int16_t>(number);
    return true;
}

/// Writes out repetitions of a layout; groups do not nest.
class Unroller {
  public:
    explicit Unroller(std::string_view text) : text_(text) {}

    std::string unroll() {
        std::string out;
        while (at_ < text_.size()) {
            std::string part;
            if (text_[at_] == '(') {
                const auto close = text_.find(')', at_);
                if (close == std::string_view::npos) fail("'(' is never closed");
                part = text_.substr(at_ + 1, close - at_ - 1);
                at_ = close + 1;
            } else {
                part = text_[at_++];
            }
            const int times = repetitions();
            if (out.size() + part.size() * static_cast<std::size_t>(times) > kLargest) fail("it is too long");
            for (int i = 0; i < times; ++i) out += part;
        }
        return out;
    }

  private:
    int repetitions() {
        if (at_ >= text_.size() || text_[at_] != '*') return 1;
        std::string_view rest = text_.substr(at_ + 1);
        int times = 0;
        if (!takeNumber(rest, times)) fail("'*' needs a number behind it");
        at_ = text_.size() - rest.size();
        return times;
    }
    [[noreturn]] void fail(std::string_view what) const {
        throw InputError(fmt::format("character {}: {}", at_ + 1, what));
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<Task> parseTasks(std::string_view text) {
    std::vector<Task> tasks;
    std::size_t at = 0;
    while (true) {
        at = text.find_first_not_of(" ,\t\n", at);
        if (at == std::string_view::npos) return tasks;
        const std::size_t end = std::min(text.find_first_of(" ,\t\n+", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        Task task;
        if (!parseTask(word, task)) {
            throw InputError(fmt::format(
                "'{}' is not a task; write F, B or W, a micro-batch and, of several, .chunk (F0 B3.1)", word));
        }
        task.joined = end < text.size() && text[end] == '+';
        tasks.push_back(task);
        at = end + (task.joined ? 1 : 0);
    }
}

PipelineLayout parsePipelineLayout(std::string_view text) {
    PipelineLayout layout;
    layout.layers.push_back(0);
    int embeddings = 0;
    int losses = 0;
    for (const char letter : Unroller(text).unroll()) {
        if (losses > 0 && letter != ',' && letter != ' ') throw InputError("L must stand at the end");
        switch (letter) {
            case 'E':
                if (++embeddings > 1 || layout.layers.size() > 1 || layout.layers.back() > 0)
                    throw InputError("E must stand once, at the begin");
                break;
            case 't':
                ++layout.layers.back();
                break;
            case 'm': {
                const int slot = static_cast<int>(layout.layers.size()) - 1;
                if (layout.mtpSlot >= 0 && layout.mtpSlot != slot) throw InputError("all m must be on one position");
                layout.mtpSlot = slot;
                ++layout.mtpLayers;
                break;
            }
            case 'L':
                ++losses;
                break;
            case '|':
                layout.layers.push_back(0);
                break;
            case ',':
            case ' ':
                break;
            default:
                throw InputError(fmt::format("'{}' is none of E, t, m, L, |", letter));
        }
    }
    if (embeddings == 0) throw InputError("E is missing; it must stand at the begin");
    if (losses == 0) throw InputError("L is missing; it must stand at the end");
    return layout;
}

}  // namespace orrery
