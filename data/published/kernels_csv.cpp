#include "data/published/kernels_csv.hpp"

#include <optional>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

std::optional<DType> dtypeOf(std::string_view text) {
    if (text == "float") return DType::fp32;
    if (text.starts_with("fp8")) return DType::fp8;
    if (text == "fp16/bf16") return DType::bf16;
    return parseDType(text);
}

std::optional<OpClass> collectiveOf(std::string_view kind) {
    if (kind == "allreduce") return OpClass::allReduce;
    if (kind == "allgather") return OpClass::allGather;
    if (kind == "reducescatter") return OpClass::reduceScatter;
    if (kind == "alltoall") return OpClass::allToAll;
    if (kind == "sendrecv") return OpClass::sendRecv;
    if (kind == "broadcast") return OpClass::broadcast;
    return std::nullopt;
}

/// One row at a time; a reason to skip it, or nothing when it became a sample.
class RowReader {
  public:
    RowReader(const CsvRow& row, Samples& out) : row_(row), out_(out) {}

    std::optional<std::string> read() {
        const std::string_view kind = row_.text("kind");
        if (kind == "gemm") return gemm();
        if (kind == "pointwise") return pointwise();
        if (kind == "attention_fwd") return attention(Pass::forward, 1.0, "");
        if (kind == "attention_bwd") return attention(Pass::backwardInput, kBackwardWork, "");
        if (kind == "attention_fwd_bwd") return attention(Pass::forward, 1.0 + kBackwardWork, "forward_and_backward");
        if (const auto collective = collectiveOf(kind)) return collectiveRow(*collective);
        return fmt::format("kind '{}' is a composite, not one kernel", kind);
    }

  private:
    // Five matrix products instead of two: FlashAttention-2 (arXiv 2307.08691), section 4.1.
    static constexpr double kBackwardWork = 2.5;

    std::int64_t size(std::string_view column, std::int64_t blank) const {
        const std::int64_t value = row_.integer(column).value_or(blank);
        if (value <= 0) {
            throw InputError(fmt::format("{}: column '{}' must be a positive whole number", row_.place(), column));
        }
        return value;
    }

    std::optional<std::string> device(std::string& name) const {
        name = catalogDeviceName(row_.text("gpu"));
        if (name.empty()) return "GPU not named";
        return std::nullopt;
    }

    /// Time as printed, or from the rate, whose FLOPs are `counted`.
    std::optional<Seconds> time(Flops counted) const {
        const std::optional<double> microseconds = row_.number("time_us");
        if (microseconds && *microseconds > 0.0) return Seconds(*microseconds * 1e-6);
        const std::optional<double> rate = row_.number("tflops");
        if (rate && *rate > 0.0) return counted / FlopsPerSecond(*rate * 1e12);
        return std::nullopt;
    }

    std::optional<std::string> add(Op op, std::string name, Flops counted) {
        KernelSample sample;
        if (auto reason = device(sample.device)) return reason;
        const std::optional<Seconds> measured = time(counted);
        if (!measured) return "neither time nor rate";
        sample.op = op;
        sample.opName = std::move(name);
        sample.time = *measured;
        sample.source = row_.text("source");
        out_.kernels.push_back(std::move(sample));
        return std::nullopt;
    }

    std::optional<std::string> gemm() {
        if (row_.text("m").empty() || row_.text("n").empty() || row_.text("k").empty()) return "no shape";
        const std::string_view impl = row_.text("impl");
        if (impl.find("MAMF") != std::string_view::npos) return "a maximum over shapes, not a typical time";
        const auto dtype = dtypeOf(row_.text("dtype"));
        if (!dtype) return "unknown data type";
        Op op;
        op.cls = impl.starts_with("grouped") ? OpClass::groupedGemm : OpClass::gemm;
        op.dtype = *dtype;
        op.m = size("m", 0);
        op.n = size("n", 0);
        op.k = size("k", 0);
        op.groups = size("groups", 1) * size("batch", 1);
        // SimuMax lays its backward products out as Transformer Engine does: NN for the input, NT for the weight.
        const std::string_view layout = row_.text("layout");
        if (layout == "NN" || impl.ends_with("bwd_grad_act")) op.pass = Pass::backwardInput;
        if (layout == "NT" || impl.ends_with("bwd_grad_w")) op.pass = Pass::backwardWeight;
        const double m = static_cast<double>(op.m), n = static_cast<double>(op.n), k = static_cast<double>(op.k);
        const double groups = static_cast<double>(op.groups);
        const auto outType = dtypeOf(row_.text("out_dtype")).value_or(*dtype == DType::fp8 ? DType::bf16 : *dtype);
        op.flops = Flops(2.0 * m * n * k * groups);
        op.bytes = groups * ((m * k + k * n) * elementSize(*dtype) + m * n * elementSize(outType));
        return add(op, impl.starts_with("XLA") ? "xla_gemm" : "", op.flops);
    }

    std::optional<std::string> attention(Pass pass, double work, std::string_view family) {
        if (row_.text("seq").empty() || row_.text("heads").empty() || row_.text("head_dim").empty()) return "no shape";
        const auto dtype = dtypeOf(row_.text("dtype"));
        if (!dtype) return "unknown data type";
        Op op;
        op.cls = OpClass::attention;
        op.pass = pass;
        op.dtype = *dtype;
        const std::int64_t sequence = size("seq", 0);
        op.tokens = size("batch", 1) * sequence;
        op.heads = size("heads", 0);
        op.kvHeads = size("kv_heads", op.heads);
        op.headDim = size("head_dim", 0);
        op.valueHeadDim = size("v_head_dim", op.headDim);
        op.longestDocument = static_cast<double>(sequence);
        const bool causal = row_.text("causal") == "1";
        const double full = static_cast<double>(op.tokens) * static_cast<double>(sequence);
        op.pairs = causal ? 0.5 * static_cast<double>(op.tokens) * (static_cast<double>(sequence) + 1.0) : full;
        const double perPair = 2.0 * static_cast<double>(op.heads) * static_cast<double>(op.headDim + op.valueHeadDim);
        op.flops = Flops(work * perPair * op.pairs);
        const double width =
            static_cast<double>(2 * op.heads * op.headDim + op.kvHeads * (op.headDim + op.valueHeadDim));
        op.bytes = (pass == Pass::forward ? 1.0 : 2.5) * static_cast<double>(op.tokens) * width * elementSize(*dtype);
        // SimuMax counts the full square though the kernel is causal; FlashAttention counts half of it.
        const std::string_view impl = row_.text("impl");
        const bool countsFull = impl.starts_with("TE");
        const Flops counted(work * perPair * (countsFull ? full : causal ? 0.5 * full : full));
        std::string name(family);
        if (impl == "FlashAttention" || impl == "PyTorch")
            name += impl == "PyTorch" ? "/unfused" : "/flash_attention_1";
        return add(op, name, counted);
    }

    std::optional<std::string> pointwise() {
        const std::optional<double> bytes = row_.number("bytes");
        if (!bytes || *bytes <= 0.0) return "no size";
        Op op;
        op.cls = OpClass::elementwise;
        op.bytes = Bytes(*bytes);
        op.dtype = dtypeOf(row_.text("dtype")).value_or(DType::bf16);
        return add(op, "", Flops{});
    }

    std::optional<std::string> collectiveRow(OpClass kind) {
        CollectiveSample sample;
        if (auto reason = device(sample.device)) return reason;
        const std::optional<double> bytes = row_.number("bytes");
        if (!bytes || *bytes <= 0.0) return "no size";
        sample.kind = kind;
        sample.ranks = static_cast<int>(size("gpus", 1));
        sample.nodes = static_cast<int>(size("nodes", 1));
        sample.link = row_.text("link");
        sample.bytes = Bytes(*bytes);
        const std::string_view impl = row_.text("impl");
        if (impl.starts_with("HybridEP") || impl.starts_with("NCCL all-to-all"))
            return "expert dispatch, not a plain all-to-all";
        const std::optional<double> microseconds = row_.number("time_us");
        const std::optional<double> algorithm = row_.number("algbw_GBps");
        if (microseconds && *microseconds > 0.0) {
            sample.time = Seconds(*microseconds * 1e-6);
        } else if (algorithm && *algorithm > 0.0) {
            sample.time = sample.bytes / BytesPerSecond(*algorithm * 1e9);
        } else {
            return "neither time nor rate";
        }
        sample.source = row_.text("source");
        out_.collectives.push_back(std::move(sample));
        return std::nullopt;
    }

    const CsvRow& row_;
    Samples& out_;
};

}  // namespace

bool looksLikeKernelsCsv(const CsvTable& table) {
    return table.hasColumn("kind") && table.hasColumn("gpu") && table.hasColumn("tflops") && table.hasColumn("bytes");
}

KernelsCsv readKernelsCsv(const CsvTable& table) {
    KernelsCsv result;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const CsvRow row = table.row(i);
        if (const auto reason = RowReader(row, result.samples).read()) ++result.skipped[*reason];
    }
    return result;
}

}  // namespace orrery
