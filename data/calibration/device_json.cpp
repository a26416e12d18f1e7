#include <map>

#include <fmt/format.h>

#include "data/calibration/calibration_json.hpp"

namespace orrery::calibration_json {
namespace {

struct Family {
    OpClass cls = OpClass::other;
    Pass pass = Pass::forward;
    DType dtype = DType::bf16;
    std::string opName;
    auto operator<=>(const Family&) const = default;
};

Json write(const Family& family) {
    return {
        {"class", name(family.cls)}, {"pass", name(family.pass)}, {"dtype", name(family.dtype)}, {"op", family.opName}};
}

Family readFamily(const Reader& json) {
    const auto cls = parseOpClass(json.text("class"));
    const auto pass = parsePass(json.text("pass"));
    const auto dtype = parseDType(json.text("dtype"));
    if (!cls) json.fail(fmt::format("unknown class '{}'", json.text("class")));
    if (!pass) json.fail(fmt::format("unknown pass '{}'", json.text("pass")));
    if (!dtype) json.fail(fmt::format("unknown data type '{}'", json.text("dtype")));
    return {*cls, *pass, *dtype, json.text("op")};
}

Json writeLaw(const KernelLaw& law) {
    Json json = write(Family{law.cls, law.pass, law.dtype, law.opName});
    json["compute_efficiency"] = law.computeEfficiency;
    json["sustained_share"] = law.sustainedShare;
    json["burst_work_flop"] = law.burstWork.value();
    json["training_clock"] = law.trainingClock;
    json["half_tile"] = law.halfTile;
    json["wave_overhead_s"] = law.waveOverhead.value();
    json["wave_share"] = law.waveShare;
    json["half_k"] = law.halfK;
    json["half_mn"] = law.halfMN;
    json["bandwidth_efficiency"] = law.bandwidthEfficiency;
    json["half_bytes"] = law.halfBytes.value();
    json["overhead_s"] = law.overhead.value();
    json["residual"] = law.residual;
    json["interpolation_error"] = law.interpolationError;
    json["reach_log2"] = law.reach;
    json["samples"] = law.samples;
    return json;
}

KernelLaw readLaw(const Reader& json) {
    const Family family = readFamily(json);
    KernelLaw law;
    law.cls = family.cls;
    law.pass = family.pass;
    law.dtype = family.dtype;
    law.opName = family.opName;
    law.computeEfficiency = json.nonNegative("compute_efficiency");
    law.sustainedShare = json.nonNegative("sustained_share");
    law.burstWork = Flops(json.nonNegative("burst_work_flop"));
    law.trainingClock = json.nonNegative("training_clock");
    if (law.trainingClock <= 0.0) json.fail("'training_clock' is not positive");
    law.halfTile = json.nonNegative("half_tile");
    law.waveOverhead = Seconds(json.nonNegative("wave_overhead_s"));
    law.waveShare = json.nonNegative("wave_share");
    law.halfK = json.nonNegative("half_k");
    law.halfMN = json.nonNegative("half_mn");
    law.bandwidthEfficiency = json.nonNegative("bandwidth_efficiency");
    law.halfBytes = Bytes(json.nonNegative("half_bytes"));
    law.overhead = Seconds(json.nonNegative("overhead_s"));
    law.residual = json.nonNegative("residual");
    law.interpolationError = json.nonNegative("interpolation_error");
    law.reach = json.nonNegative("reach_log2");
    law.samples = static_cast<int>(json.integer("samples"));
    return law;
}

bool isGemm(OpClass cls) {
    return cls == OpClass::gemm || cls == OpClass::groupedGemm;
}

/// Columns of a table's rows, by class; time, repeats and weight follow the shape.
std::vector<std::string> columns(OpClass cls) {
    std::vector<std::string> names;
    if (isGemm(cls)) {
        names = {"m", "n", "k", "groups", "bytes", "flops"};
    } else if (cls == OpClass::attention) {
        names = {"tokens", "pairs", "heads", "kv_heads", "head_dim", "value_head_dim", "longest", "bytes", "flops"};
    } else {
        names = {"bytes", "flops"};
    }
    names.insert(names.end(), {"time_s", "repeats", "weight"});
    return names;
}

Json row(const KernelTableEntry& entry) {
    const Op& op = entry.op;
    Json json = Json::array();
    if (isGemm(op.cls)) {
        json = {op.m, op.n, op.k, op.groups};
    } else if (op.cls == OpClass::attention) {
        json = {op.tokens, op.pairs, op.heads, op.kvHeads, op.headDim, op.valueHeadDim, op.longestDocument};
    }
    for (const double value : {op.bytes.value(), op.flops.value(), entry.time.value()}) json.push_back(value);
    json.push_back(entry.repeats);
    json.push_back(entry.weight);
    return json;
}

KernelTableEntry readRow(const Reader& json, const Family& family) {
    const std::vector<double> values = json.numbers(columns(family.cls).size());
    const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(values[i]); };
    KernelTableEntry entry;
    entry.opName = family.opName;
    entry.op.cls = family.cls;
    entry.op.pass = family.pass;
    entry.op.dtype = family.dtype;
    std::size_t next = 0;
    if (isGemm(family.cls)) {
        entry.op.m = whole(0);
        entry.op.n = whole(1);
        entry.op.k = whole(2);
        entry.op.groups = whole(3);
        next = 4;
    } else if (family.cls == OpClass::attention) {
        entry.op.tokens = whole(0);
        entry.op.pairs = values[1];
        entry.op.heads = whole(2);
        entry.op.kvHeads = whole(3);
        entry.op.headDim = whole(4);
        entry.op.valueHeadDim = whole(5);
        entry.op.longestDocument = values[6];
        next = 7;
    }
    entry.op.bytes = Bytes(values[next]);
    entry.op.flops = Flops(values[next + 1]);
    entry.time = Seconds(values[next + 2]);
    entry.repeats = static_cast<int>(values[next + 3]);
    entry.weight = values[next + 4];
    if (entry.time.value() <= 0.0) json.fail("a measured time is not positive");
    return entry;
}

}  // namespace

Json write(const DeviceCalibration& device) {
    Json json;
    json["device"] = device.device;
    json["gap_per_task_s"] = device.gapPerTask.value();
    json["gap_per_operator_s"] = device.gapPerOperator.value();
    json["laws"] = Json::array();
    for (const KernelLaw& law : device.laws) json["laws"].push_back(writeLaw(law));

    std::map<Family, Json> tables;
    for (const KernelTableEntry& entry : device.table) {
        const Family family{entry.op.cls, entry.op.pass, entry.op.dtype, entry.opName};
        auto [table, isNew] = tables.try_emplace(family);
        if (isNew) {
            table->second = write(family);
            table->second["columns"] = columns(family.cls);
            table->second["rows"] = Json::array();
        }
        table->second["rows"].push_back(row(entry));
    }
    json["measured"] = Json::array();
    for (auto& [family, table] : tables) json["measured"].push_back(std::move(table));
    return json;
}

DeviceCalibration readDevice(const Reader& json) {
    DeviceCalibration device;
    device.device = json.text("device");
    device.gapPerTask = Seconds(json.nonNegative("gap_per_task_s"));
    device.gapPerOperator = Seconds(json.nonNegative("gap_per_operator_s"));
    for (const Reader& law : json.list("laws")) device.laws.push_back(readLaw(law));
    for (const Reader& table : json.list("measured")) {
        const Family family = readFamily(table);
        for (const Reader& entry : table.list("rows")) device.table.push_back(readRow(entry, family));
    }
    return device;
}

}  // namespace orrery::calibration_json
