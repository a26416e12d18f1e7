#include "data/jobs/shell_words.hpp"

#include <cctype>
#include <map>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr std::size_t kMostWords = 100'000;  ///< more is no command line; variables that contain each other end here

bool isNameStart(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool isName(char c) {
    return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Splitter {
  public:
    Splitter(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    std::vector<std::string> run() {
        while (at_ < text_.size()) step();
        endWord();
        return std::move(words_);
    }

  private:
    using Values = std::vector<std::string>;

    void step() {
        const char c = text_[at_];
        if (c == '\n') ++line_;
        if (c == '\\' && at_ + 1 < text_.size()) {
            if (text_[at_ + 1] == '\n') {
                ++line_;
            } else {
                put(text_[at_ + 1]);
            }
            at_ += text_[at_ + 1] == '\r' && at_ + 2 < text_.size() ? 3 : 2;
        } else if (c == '\'' || c == '"') {
            quoted(c);
        } else if (c == '$' && at_ + 1 < text_.size()) {
            variable(false);
        } else if (c == '#' && !inWord_) {
            while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        } else if (c == '(' && inWord_ && word_.ends_with('=') && assigned(word_.substr(0, word_.size() - 1))) {
            array_ = word_.substr(0, word_.size() - 1);
            variables_[array_].clear();
            inArray_ = true;
            word_.clear();
            inWord_ = false;
            ++at_;
        } else if (c == ')' && inArray_) {
            endWord();
            inArray_ = false;
            ++at_;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ';') {
            endWord();
            ++at_;
        } else {
            put(c);
            ++at_;
        }
    }

    void put(char c) {
        word_ += c;
        inWord_ = true;
    }

    void quoted(char quote) {
        const int begin = line_;
        inWord_ = true;
        for (++at_; at_ < text_.size() && text_[at_] != quote;) {
            if (text_[at_] == '\n') ++line_;
            if (quote == '"' && text_[at_] == '$') {
                variable(true);
                continue;
            }
            if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) {
                ++at_;
                if (text_[at_] == '\n') {  // goes on in the next line
                    ++line_;
                    ++at_;
                    continue;
                }
            }
            word_ += text_[at_++];
        }
        if (at_ >= text_.size()) throw InputError(fmt::format("{}:{}: a quote {} does not end", name_, begin, quote));
        ++at_;
    }

    /// $NAME or ${NAME...}; unknown ones stay as they are written.
    void variable(bool inQuotes) {
        const std::size_t begin = at_;
        std::string key, fallback;
        ++at_;
        const bool braces = at_ < text_.size() && text_[at_] == '{';
        if (braces) ++at_;
        while (at_ < text_.size() && isName(text_[at_])) key += text_[at_++];
        if (braces) {
            const std::size_t end = text_.find('}', at_);
            if (end == std::string_view::npos) {
                put(text_[begin]);
                at_ = begin + 1;
                return;
            }
            std::string_view rest = text_.substr(at_, end - at_);
            if (rest.starts_with(":-")) fallback = rest.substr(2);
            at_ = end + 1;
        }
        const auto known = variables_.find(key);
        const Values values = known != variables_.end() ? known->second
                              : !fallback.empty()       ? Values{fallback}
                                                        : Values{std::string(text_.substr(begin, at_ - begin))};
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0) endWord();
            if (inQuotes || values.size() > 1) {
                word_ += values[i];
                inWord_ = inWord_ || !values[i].empty();
                continue;
            }
            for (const char c : values[i]) {  // unquoted: blanks in the value separate words
                if (c == ' ' || c == '\n' || c == '\t') {
                    endWord();
                } else {
                    put(c);
                }
            }
        }
        if (at_ == begin) ++at_;
    }

    [[nodiscard]] static bool assigned(std::string_view key) {
        if (key.empty() || !isNameStart(key.front())) return false;
        for (const char c : key) {
            if (!isName(c)) return false;
        }
        return true;
    }

    void endWord() {
        if (!inWord_) return;
        inWord_ = false;
        std::string word = std::move(word_);
        word_.clear();
        if (inArray_) {
            variables_[array_].push_back(std::move(word));
            return;
        }
        const std::size_t equals = word.find('=');
        if (equals != std::string::npos && assigned(word.substr(0, equals))) {
            variables_[word.substr(0, equals)] = {word.substr(equals + 1)};
            return;
        }
        words_.push_back(std::move(word));
        if (words_.size() > kMostWords) throw InputError(fmt::format("{}: more than {} words", name_, kMostWords));
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::string word_, array_;
    bool inWord_ = false, inArray_ = false;
    std::map<std::string, Values> variables_;
    std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> shellWords(std::string_view text, const std::string& name) {
    return Splitter(text, name).run();
}

}  // namespace orrery
