#include "data/catalog/kernel_rules.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "model/units/input_error.hpp"

namespace orrery {

extern const std::string_view kKernelRulesToml;

namespace {

struct Rule {
    std::vector<std::string> words;
    OpClass cls = OpClass::other;
};

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::vector<Rule> parseRules() {
    std::vector<Rule> rules;
    const toml::table file = toml::parse(kKernelRulesToml, std::string_view("data/catalog/kernels.toml"));
    for (const auto& node : *file["rule"].as_array()) {
        const toml::table& entry = *node.as_table();
        Rule rule;
        for (const auto& word : *entry["words"].as_array()) rule.words.push_back(lower(word.value_or("")));
        const auto cls = parseOpClass(entry["class"].value_or(""));
        if (!cls) throw InputError("data/catalog/kernels.toml: a rule names a class that does not exist");
        rule.cls = *cls;
        rules.push_back(std::move(rule));
    }
    return rules;
}

}  // namespace

OpClass classifyKernel(std::string_view name) {
    static const std::vector<Rule> rules = parseRules();
    const std::string text = lower(name);
    for (const auto& rule : rules) {
        if (std::all_of(rule.words.begin(), rule.words.end(),
                        [&](const std::string& word) { return text.find(word) != std::string::npos; })) {
            return rule.cls;
        }
    }
    return OpClass::other;
}

bool isCommunicationKernel(std::string_view name) {
    const std::string text = lower(name);
    return text.find("nccl") != std::string::npos || text.find("rccl") != std::string::npos;
}

}  // namespace orrery
