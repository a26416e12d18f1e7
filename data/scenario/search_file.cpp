#include "data/scenario/search_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "data/calibration/calibration_file.hpp"
#include "data/scenario/complete_scenario.hpp"
#include "data/scenario/plan_table.hpp"
#include "data/scenario/scenario_file.hpp"
#include "data/scenario/scenario_tables.hpp"
#include "data/scenario/workload_table.hpp"
#include "model/search/search_around.hpp"

namespace orrery {
namespace {

constexpr std::array<std::string_view, 13> kDimensions{"tp",         "pp",       "vpp",         "dp",
                                                       "cp",         "ep",       "etp",         "schedule",
                                                       "recompute",  "sharding", "micro_batch", "sequence_parallel",
                                                       "layer_split"};
constexpr int kLargest = 1'000'000;
/// Keys of [plan] that fit one division into stages and ranks only.
constexpr std::array<std::string_view, 11> kLayoutKeys{
    "layers_per_stage", "pipeline_layout", "first_stage_layers", "last_stage_layers", "embedding_as_layer",
    "loss_as_layer",    "order",           "placement",          "cp_all_to_all",     "shard_ranks",
    "recompute_layers"};

bool isOpen(const toml::node& node) {
    if (node.is_array()) return true;
    const auto* text = node.as_string();
    return text != nullptr && (text->get() == "auto" || text->get().find("..") != std::string::npos);
}

bool leavesOpen(const toml::table& plan) {
    return std::any_of(kDimensions.begin(), kDimensions.end(), [&](std::string_view key) {
        return plan.contains(key) && (key == "layer_split" || isOpen(*plan.get(key)));
    });
}

struct Range {
    int low = 1, high = kLargest;
};

/// "2..16", "2.." or "..16".
std::optional<Range> parseRange(std::string_view text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) return std::nullopt;
    const auto number = [](std::string_view part, int& out) {
        if (part.empty()) return true;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), out);
        return error == std::errc() && end == part.data() + part.size();
    };
    Range range;
    if (!number(text.substr(0, dots), range.low) || !number(text.substr(dots + 2), range.high)) return std::nullopt;
    if (range.low < 1 || range.high < range.low || range.high > kLargest) return std::nullopt;
    return range;
}

/// Takes the dimensions of a search out of [plan]; what is left is a plan like any other.
class DimensionReader {
  public:
    DimensionReader(toml::table& plan, const std::string& file, PlanSpace& space)
        : plan_(plan), where_(plan), file_(file), space_(space) {}

    void read() {
        sizes("tp", space_.tp, 1);
        sizes("pp", space_.pp, 1);
        sizes("vpp", space_.vpp, 1);
        sizes("dp", space_.dp, 0);
        sizes("cp", space_.cp, 1);
        sizes("ep", space_.ep, 1);
        sizes("etp", space_.etp, 1);
        choices("schedule", space_.schedule, parseScheduleKind, allSchedules(),
                "1f1b, interleaved, zb-h1, zb-h2, zb-v, v-half, v-min, dualpipe, dualpipev, gpipe");
        choices("recompute", space_.recompute, parseRecompute, {}, "none, selective, full");
        choices("sharding", space_.sharding, parseSharding,
                {Sharding::zero0, Sharding::zero1, Sharding::zero2, Sharding::zero3}, "zero0, zero1, zero2, zero3");
        choices("layer_split", space_.split, parseSplit, {LayerSplit::even, LayerSplit::edgesAsLayers},
                "even, edges_as_layers");
        sequenceParallel();
        for (const std::string_view key : kDimensions) plan_.erase(key);
    }

    /// Removes what openDimensions() filled in outside of the ranges. Throws InputError when nothing is left.
    void applyRanges() const {
        for (const auto& [key, list, range] : ranges_) {
            std::erase_if(*list, [&range = range](int value) { return value < range.low || value > range.high; });
            if (list->empty())
                fail(key,
                     fmt::format("no value between {} and {} suits this model and cluster", range.low, range.high));
        }
    }

    /// Sequences a micro-batch; [workload] may say it instead.
    void microBatch(toml::table& workload, bool searchable) {
        const bool here = plan_.contains("micro_batch");
        const bool there = workload.contains("micro_batch");
        if (here && there) fail("micro_batch", "stands here and in [workload]; give it once");
        if (!here && !there && !searchable) return;
        DimensionReader reader(there ? workload : plan_, file_, space_);
        reader.sizes("micro_batch", space_.microBatch, 0);
        ranges_.insert(ranges_.end(), reader.ranges_.begin(), reader.ranges_.end());
        workload.erase("micro_batch");
    }

  private:
    struct RangeOf {
        std::string key;
        std::vector<int>* list;
        Range range;
    };

    [[noreturn]] void fail(std::string_view key, const std::string& what) const {
        StrictTable(where_, "[plan]", file_).fail(key, what);
    }

    /// `absent`: the value where the key is missing; 0: left open.
    void sizes(std::string_view key, std::vector<int>& list, int absent) {
        const toml::node* node = plan_.get(key);
        if (node == nullptr) {
            if (absent > 0) list = {absent};
            return;
        }
        const auto value = [&](const toml::node& entry) {
            const auto* number = entry.as_integer();
            if (number == nullptr || number->get() < 1 || number->get() > kLargest)
                fail(key, "give a whole number from 1, a list of them, a range \"2..16\", or \"auto\"");
            return static_cast<int>(number->get());
        };
        if (const auto* array = node->as_array()) {
            for (const auto& entry : *array) list.push_back(value(entry));
            if (list.empty()) fail(key, "the list is empty; give values, or \"auto\"");
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        } else if (const auto* text = node->as_string()) {
            if (text->get() == "auto") return;
            const auto range = parseRange(text->get());
            if (!range) fail(key, fmt::format("'{}' is neither \"auto\" nor a range as \"2..16\"", text->get()));
            ranges_.push_back({std::string(key), &list, *range});
        } else {
            list = {value(*node)};
        }
    }

    template <typename Value>
    void choices(std::string_view key, std::vector<Value>& list, std::optional<Value> (*parse)(std::string_view),
                 std::vector<Value> all, std::string_view known) {
        const toml::node* node = plan_.get(key);
        if (node == nullptr) return;
        const auto value = [&](const toml::node& entry) {
            const auto* text = entry.as_string();
            const auto parsed = text == nullptr ? std::nullopt : parse(text->get());
            if (!parsed) fail(key, fmt::format("give one of {}, a list of them, or \"auto\"", known));
            return *parsed;
        };
        if (const auto* array = node->as_array()) {
            for (const auto& entry : *array) {
                if (std::find(list.begin(), list.end(), value(entry)) == list.end()) list.push_back(value(entry));
            }
            if (list.empty()) fail(key, "the list is empty; give values, or \"auto\"");
        } else if (const auto* text = node->as_string(); text != nullptr && text->get() == "auto") {
            list = std::move(all);
        } else {
            list = {value(*node)};
        }
    }

    static std::optional<LayerSplit> parseSplit(std::string_view text) {
        if (text == "even") return LayerSplit::even;
        if (text == "edges_as_layers") return LayerSplit::edgesAsLayers;
        return std::nullopt;
    }

    void sequenceParallel() {
        const toml::node* node = plan_.get("sequence_parallel");
        if (node == nullptr) return;
        if (const auto* flag = node->as_boolean()) {
            space_.sequenceParallel = {static_cast<std::uint8_t>(flag->get())};
        } else if (isOpen(*node) && node->is_string()) {
            space_.sequenceParallel = {1, 0};
        } else {
            fail("sequence_parallel", "give true, false or \"auto\"");
        }
    }

    toml::table& plan_;
    toml::table where_;  ///< as it was read, for the places of messages
    const std::string& file_;
    PlanSpace& space_;
    std::vector<RangeOf> ranges_;
};

/// A cost model with the scenario's calibration, or the shipped one and the usual framework for such a plan.
CostModel completedCost(Scenario scenario, Sharding sharding, const Catalog& catalog, std::string& calibration,
                        std::string& framework) {
    scenario.plan.sharding = sharding;
    calibration = completeScenario(scenario, catalog);
    framework = scenario.runtime.name.empty() ? "ideal" : scenario.runtime.name;
    return costModelOf(scenario);
}

/// Takes every choice of layout out of a plan that leaves nothing open; full sharding stays what it is.
void openPlan(toml::table& root) {
    toml::table* plan = root["plan"].as_table();
    toml::table* workload = root["workload"].as_table();
    if (plan == nullptr || workload == nullptr || leavesOpen(*plan)) return;
    const bool fullSharding = (*plan)["sharding"].value_or(std::string_view()) == "zero3";
    for (const std::string_view key : kDimensions) plan->erase(key);
    for (const std::string_view key : kLayoutKeys) plan->erase(key);
    for (const std::string_view key : {"tp", "pp", "vpp", "cp", "ep", "etp"}) plan->insert_or_assign(key, "auto");
    if (fullSharding) plan->insert_or_assign("sharding", "zero3");
    workload->erase("micro_batch");
}

ScenarioSearch around(Scenario scenario, const Catalog& catalog) {
    ScenarioSearch out{scenario.name, searchAround(scenario), completeScenario(scenario, catalog), ""};
    out.problem.cost = costModelOf(scenario);
    out.framework = scenario.runtime.name.empty() ? "ideal" : scenario.runtime.name;
    return out;
}

}  // namespace

ScenarioSearch readSearch(const std::filesystem::path& path, const SearchFileOptions& options, const Catalog& catalog) {
    const std::string file = path.string();
    toml::table root = parseTomlFile(path);
    apply(root, options.overrides);
    if (options.openAll) openPlan(root);
    const ScenarioTables tables = readTables(root, file, path.stem().string());
    const auto given = [&](Scenario& scenario) {
        if (!options.calibration.empty()) {
            scenario.calibration = readCalibration(options.calibration);
            if (scenario.calibration.name.empty()) scenario.calibration.name = options.calibration.string();
        }
    };
    if (tables.plan != nullptr && !leavesOpen(*tables.plan)) {
        Scenario scenario = readScenario(path, catalog, options.overrides);
        given(scenario);
        return around(std::move(scenario), catalog);
    }

    Scenario scenario;
    scenario.model = readModel(*tables.model, file, catalog);
    scenario.cluster = readCluster(*tables.cluster, nullptr, file, catalog);
    if (tables.framework != nullptr)
        scenario.runtime = readFramework(*tables.framework, file, scenario.cluster.gpu.name, catalog);
    if (tables.calibration != nullptr) scenario.calibration = readCalibrationTable(*tables.calibration, file);
    given(scenario);

    toml::table plan = tables.plan != nullptr ? *tables.plan : toml::table{};
    const auto workload = std::make_shared<toml::table>(*tables.workload);
    PlanSpace space;
    DimensionReader dimensions(plan, file, space);
    dimensions.microBatch(*workload, workload->contains("global_batch"));
    if (tables.plan != nullptr) dimensions.read();
    space.base = readPlan(plan, file, scenario.cluster.gpus).plan;

    JobSize job;
    job.gpus = scenario.cluster.gpus;
    job.globalBatch = (*workload)["global_batch"].value_or<std::int64_t>(0);
    // Read once as it stands: mistakes in [workload] are told with their place, and the context length is known. The
    // batch divides by any number of replicas with one sequence a micro-batch and one replica.
    job.sequenceLength = (*workload)["sequence_length"].value_or<std::int64_t>(1);
    const int replicas = !space.dp.empty() ? space.dp.front() : 1;
    if (!workload->contains("documents")) static_cast<void>(readWorkload(*workload, file, replicas, 1));
    openDimensions(space, scenario.model, job);
    dimensions.applyRanges();

    std::string name, framework, unused;
    CostModel cost = completedCost(scenario, Sharding::zero1, catalog, name, framework);
    ScenarioSearch out{
        tables.name, {scenario.model, job, std::move(space), std::move(cost), {}, {}, {}}, name, framework};
    const auto& shardings = out.problem.space.sharding;
    if (std::find(shardings.begin(), shardings.end(), Sharding::zero3) != shardings.end()) {
        std::string fullFramework;
        out.problem.costOfFullSharding = completedCost(scenario, Sharding::zero3, catalog, unused, fullFramework);
        if (fullFramework != framework) out.framework += ", " + fullFramework + " with zero3";
    }
    out.problem.workload = [workload, file](int dp, int microBatch) {
        return readWorkload(*workload, file, dp, microBatch);
    };
    return out;
}

}  // namespace orrery
