#include "data/published/csv_table.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// Cuts the text into records; knows where each began.
class Lexer {
  public:
    Lexer(const std::string& name, std::string_view text) : name_(name), text_(text) {
        if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
    }

    [[nodiscard]] bool done() const { return position_ >= text_.size(); }
    [[nodiscard]] std::size_t line() const { return line_; }

    std::vector<std::string> record() {
        std::vector<std::string> cells;
        for (;;) {
            cells.push_back(!done() && text_[position_] == '"' ? quoted() : plain());
            if (done()) return cells;
            if (text_[position_] == ',') {
                ++position_;
                continue;
            }
            endOfLine();
            return cells;
        }
    }

  private:
    std::string plain() {
        const std::size_t start = position_;
        while (!done() && text_[position_] != ',' && text_[position_] != '\n' && text_[position_] != '\r') ++position_;
        return std::string(text_.substr(start, position_ - start));
    }

    std::string quoted() {
        const std::size_t opened = line_;
        std::string cell;
        ++position_;
        for (; !done(); ++position_) {
            const char c = text_[position_];
            if (c == '\n') ++line_;
            if (c != '"') {
                cell += c;
            } else if (position_ + 1 < text_.size() && text_[position_ + 1] == '"') {
                cell += '"';
                ++position_;
            } else {
                ++position_;
                const bool ends =
                    done() || text_[position_] == ',' || text_[position_] == '\n' || text_[position_] == '\r';
                if (ends) return cell;
                throw InputError(
                    fmt::format("{}:{}: text after a closing quote; double the quote inside a field", name_, line_));
            }
        }
        throw InputError(fmt::format("{}:{}: a quoted field is never closed; add the missing '\"'", name_, opened));
    }

    void endOfLine() {
        if (text_[position_] == '\r') ++position_;
        if (!done() && text_[position_] == '\n') ++position_;
        ++line_;
    }

    const std::string& name_;
    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t line_ = 1;
};

}  // namespace

CsvTable CsvTable::parse(std::string name, std::string_view text) {
    CsvTable table;
    table.name_ = std::move(name);
    if (text.find('\0') != std::string_view::npos) {
        throw InputError(fmt::format("{}: binary data, not a CSV table", table.name_));
    }
    Lexer lexer(table.name_, text);
    if (lexer.done())
        throw InputError(fmt::format("{}: empty file; expected a CSV table with a header line", table.name_));
    const std::vector<std::string> header = lexer.record();
    for (std::size_t i = 0; i < header.size(); ++i) {
        if (!table.columns_.emplace(header[i], i).second) {
            throw InputError(fmt::format("{}:1: column '{}' appears twice", table.name_, header[i]));
        }
    }
    while (!lexer.done()) {
        const std::size_t line = lexer.line();
        std::vector<std::string> cells = lexer.record();
        if (cells.size() == 1 && cells[0].empty()) continue;  // an empty line
        if (cells.size() != header.size()) {
            throw InputError(fmt::format("{}:{}: {} fields where the header has {}", table.name_, line, cells.size(),
                                         header.size()));
        }
        table.records_.push_back({line, std::move(cells)});
    }
    return table;
}

CsvTable CsvTable::read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file)) {
        throw InputError(fmt::format("{}: cannot be read; give the path of a CSV file", file.string()));
    }
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    return parse(file.filename().string(), text);
}

bool CsvTable::hasColumn(std::string_view column) const {
    return columns_.contains(std::string(column));
}

std::string CsvRow::place() const {
    return fmt::format("{}:{}", table_->name_, table_->records_[index_].line);
}

std::string_view CsvRow::text(std::string_view column) const {
    const auto found = table_->columns_.find(std::string(column));
    if (found == table_->columns_.end()) {
        throw InputError(fmt::format("{}: there is no column '{}' in the header line", table_->name_, column));
    }
    return table_->records_[index_].cells[found->second];
}

std::optional<double> CsvRow::number(std::string_view column) const {
    const std::string_view cell = text(column);
    if (cell.empty()) return std::nullopt;
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) {
        throw InputError(fmt::format("{}: column '{}': '{}' is not a number", place(), column, cell));
    }
    return value;
}

std::optional<std::int64_t> CsvRow::integer(std::string_view column) const {
    const std::optional<double> value = number(column);
    if (!value) return std::nullopt;
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (*value != std::floor(*value) || std::abs(*value) > kExact) {
        throw InputError(fmt::format("{}: column '{}': '{}' is not a whole number", place(), column, text(column)));
    }
    return static_cast<std::int64_t>(*value);
}

}  // namespace orrery
