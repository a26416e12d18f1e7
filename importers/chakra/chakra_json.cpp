#include "importers/chakra/chakra_json.hpp"

#include <array>
#include <charconv>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "importers/collectives/nccl_kernel.hpp"
#include "importers/io/bad_events.hpp"
#include "importers/io/time_range.hpp"
#include "importers/kineto/json_scan.hpp"
#include "importers/kineto/kineto_header.hpp"

namespace orrery::importers {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kNodesBetweenChecks = 4096;

/// A number, or a number in a string, as protobuf-JSON writes 64-bit integers.
std::optional<ChakraValue> valueOf(const Json& json) {
    if (json.is_boolean()) return ChakraValue(std::int64_t{json.get<bool>() ? 1 : 0});
    if (json.is_number_integer()) return ChakraValue(json.get<std::int64_t>());
    if (json.is_number()) return ChakraValue(json.get<double>());
    if (json.is_string()) return ChakraValue(json.get<std::string>());
    return std::nullopt;
}

std::optional<std::int64_t> integer(const Json& json) {
    if (json.is_string()) {
        const auto& text = json.get_ref<const std::string&>();
        std::int64_t number = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
        return number;
    }
    if (!json.is_number_integer()) return std::nullopt;
    return json.get<std::int64_t>();
}

std::optional<std::int64_t> field(const Json& object, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        if (const auto found = object.find(key); found != object.end()) return integer(*found);
    }
    return std::nullopt;
}

/// One id, or a list of them.
void readIds(const Json& object, std::initializer_list<const char*> keys, std::vector<std::uint64_t>& ids) {
    for (const char* key : keys) {
        const auto found = object.find(key);
        if (found == object.end()) continue;
        const auto add = [&](const Json& json) {
            if (const auto id = integer(json); id && *id >= 0) ids.push_back(static_cast<std::uint64_t>(*id));
        };
        if (found->is_array()) {
            for (const auto& id : *found) add(id);
        } else {
            add(*found);
        }
    }
}

ChakraKind kindOf(const Json& type) {
    static const std::map<std::string, ChakraKind, std::less<>> kNames{
        {"METADATA_NODE", ChakraKind::metadata},    {"MEM_LOAD_NODE", ChakraKind::load},
        {"MEM_STORE_NODE", ChakraKind::store},      {"COMP_NODE", ChakraKind::compute},
        {"COMM_SEND_NODE", ChakraKind::send},       {"COMM_RECV_NODE", ChakraKind::receive},
        {"COMM_COLL_NODE", ChakraKind::collective},
    };
    if (type.is_string()) {
        const auto found = kNames.find(type.get_ref<const std::string&>());
        if (found != kNames.end()) return found->second;
    }
    return chakraKind(integer(type).value_or(0));
}

std::optional<std::int64_t> microseconds(std::optional<std::int64_t> value) {
    if (!value || *value <= 0 || *value > kLatestTime / 1000) return std::nullopt;
    return *value * 1000;
}

/// "attrs" of PyTorch ({name, type, value}) and "attr" of protobuf-JSON ({name, int64Val}).
void readAttributes(const Json& object, ChakraNode& node) {
    for (const char* key : {"attrs", "attr"}) {
        const auto list = object.find(key);
        if (list == object.end() || !list->is_array()) continue;
        for (const auto& attribute : *list) {
            if (!attribute.is_object()) continue;
            const auto label = attribute.find("name");
            if (label == attribute.end() || !label->is_string()) continue;
            for (const auto& [field, json] : attribute.items()) {
                if (field != "value" && !field.ends_with("Val") && !field.ends_with("_val")) continue;
                auto value = valueOf(json);
                if (!value) continue;
                const bool text = field.starts_with("string") || field.starts_with("bytes") || field == "value";
                if (const auto number = integer(json); number && !text) value = ChakraValue(*number);
                node.setAttribute(label->get_ref<const std::string&>(), *value);
            }
        }
    }
}

ChakraNode nodeOf(const Json& object, bool pytorch) {
    ChakraNode node;
    node.id = static_cast<std::uint64_t>(field(object, {"id", "Id"}).value_or(0));
    for (const char* key : {"name", "Name"}) {
        if (const auto found = object.find(key); found != object.end() && found->is_string())
            node.name = found->get<std::string>();
    }
    for (const char* key : {"type", "NodeType"}) {
        if (const auto found = object.find(key); found != object.end()) node.kind = kindOf(*found);
    }
    readIds(object, {"ctrl_deps", "ctrlDeps", "parent"}, node.controlDeps);
    readIds(object, {"data_deps", "dataDeps"}, node.dataDeps);
    node.start = microseconds(field(object, {"startTimeMicros", "start_time_micros"}));
    node.duration = microseconds(field(object, {"durationMicros", "duration_micros", "runtime"}));
    for (const char* key :
         {"is_cpu_op", "comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "stream", "tid", "pg_name"}) {
        if (const auto found = object.find(key); found != object.end()) {
            if (const auto value = valueOf(*found)) node.setAttribute(key, *value);
        }
    }
    readAttributes(object, node);
    if (pytorch) {
        node.onHost = true;
        const bool known = collectiveClass(node.collective).has_value();  // not "init" or "wait"
        node.kind = known ? ChakraKind::collective : ChakraKind::compute;
    }
    return node;
}

/// PyTorch writes its process groups as JSON in a string, the input of a node of this name.
void readGroups(const Json& object, ChakraGraph& graph) {
    const auto inputs = object.find("inputs");
    if (inputs == object.end()) return;
    const Json& values = inputs->is_object() ? inputs->value("values", Json::array()) : *inputs;
    if (!values.is_array() || values.empty() || !values[0].is_string()) return;
    const Json groups = Json::parse(values[0].get<std::string>(), nullptr, false);
    if (!groups.is_array()) return;
    for (const auto& group : groups) {
        if (!group.is_object()) continue;
        const auto text = [&](const char* key) {
            const auto found = group.find(key);
            return found != group.end() && found->is_string() ? found->get<std::string>() : std::string{};
        };
        const auto ranks = group.find("ranks");
        graph.groups.push_back({text("pg_name"), text("pg_desc"),
                                ranks != group.end() ? normalizeRanks(ranks->dump()) : std::string{},
                                field(group, {"group_size", "pg_size"})});
    }
}

class JsonReader {
  public:
    JsonReader(std::string_view text, const Progress& progress) : text_(text), progress_(progress) {}

    ChakraGraph read() {
        std::size_t at = skipSpace(text_, 0);
        while (at < text_.size() && text_[at] == '{') {
            at = walkObject(at);
            if (at == kNotFound) break;
            at = skipSpace(text_, at);
            while (at < text_.size() && text_[at] == ',') at = skipSpace(text_, at + 1);
        }
        broken_.warn("lost: not readable", graph_.warnings);
        return std::move(graph_);
    }

  private:
    /// A document with a list of nodes, or one message of a sequence. Returns the place behind it.
    std::size_t walkObject(std::size_t begin) {
        const std::size_t whole = skipValue(text_, begin);
        bool list = false;
        std::size_t at = begin + 1;
        while (true) {
            at = skipSpace(text_, at);
            while (at < text_.size() && text_[at] == ',') at = skipSpace(text_, at + 1);
            if (at >= text_.size()) return cut(at);
            if (text_[at] == '}') break;
            const std::size_t keyEnd = text_[at] == '"' ? skipValue(text_, at) : kNotFound;
            const std::size_t colon = keyEnd == kNotFound ? kNotFound : skipSpace(text_, keyEnd);
            if (colon == kNotFound || colon >= text_.size() || text_[colon] != ':') return cut(at);
            const std::string_view key = text_.substr(at + 1, keyEnd - at - 2);
            const std::size_t value = skipSpace(text_, colon + 1);
            if ((key == "nodes" || key == "workload_graph") && value < text_.size() && text_[value] == '[') {
                list = true;
                at = walkNodes(value, key == "nodes");
            } else {
                at = skipValue(text_, value);
                if (at != kNotFound) topLevel(key, text_.substr(value, at - value));
            }
            if (at == kNotFound) return list ? kNotFound : cut(value);
        }
        if (!list && whole != kNotFound) message(begin, whole);
        return at + 1;
    }

    std::size_t walkNodes(std::size_t at, bool pytorch) {
        ++at;
        while (true) {
            at = skipSpace(text_, at);
            while (at < text_.size() && text_[at] == ',') at = skipSpace(text_, at + 1);
            if (at < text_.size() && text_[at] == ']') return at + 1;
            const std::size_t end = skipValue(text_, at);
            if (end == kNotFound || end == at) return cut(at);
            add(at, end, pytorch);
            at = end;
        }
    }

    void add(std::size_t begin, std::size_t end, bool pytorch) {
        if (++count_ % kNodesBetweenChecks == 0 && progress_.isCancelled()) throw Cancelled();
        const Json object = Json::parse(text_.substr(begin, end - begin), nullptr, false);
        if (!object.is_object()) return broken_.add(begin);
        graph_.nodes.push_back(nodeOf(object, pytorch));
        if (graph_.nodes.back().name == "## process_group:init ##") readGroups(object, graph_);
    }

    /// One of a sequence of messages: the first without an id is the metadata.
    void message(std::size_t begin, std::size_t end) {
        const Json object = Json::parse(text_.substr(begin, end - begin), nullptr, false);
        if (!object.is_object()) return broken_.add(begin);
        const bool node = object.contains("name") || object.contains("type") || object.contains("id");
        if (node) add(begin, end, false);
    }

    void topLevel(std::string_view key, std::string_view value) {
        if (key == "schema" || key == "version") {
            const Json json = Json::parse(value, nullptr, false);
            if (json.is_string()) graph_.version = json.get<std::string>();
        }
        if (key == "pid") graph_.pid = integer(Json::parse(value, nullptr, false));
    }

    std::size_t cut(std::size_t at) {
        graph_.warnings.push_back(
            {fmt::format("byte {}: the file ends or breaks here; what comes behind is not read", at)});
        return kNotFound;
    }

    std::string_view text_;
    const Progress& progress_;
    ChakraGraph graph_;
    BadEvents broken_;
    std::int64_t count_ = 0;
};

}  // namespace

bool looksLikeChakraJson(std::string_view head) {
    const std::size_t at = skipSpace(head, 0);
    if (at >= head.size() || head[at] != '{') return false;
    const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
    return has("\"workload_graph\"") || (has("\"schema\"") && has("\"nodes\"")) || has("\"COMM_SEND_NODE\"") ||
           has("\"COMM_RECV_NODE\"") || has("\"COMM_COLL_NODE\"") || has("\"COMP_NODE\"");
}

ChakraGraph readChakraJson(std::string_view text, const Progress& progress) {
    return JsonReader(text, progress).read();
}

}  // namespace orrery::importers
