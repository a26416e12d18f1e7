// Profile's rows of what recording on a GPU adds (schema version 2); none in a file of version 1.
#include "data/store/profile.hpp"
#include "data/store/profile_impl.hpp"

namespace orrery {

std::vector<GpuClockSampleRow> Profile::gpuClockSamples() const {
    std::vector<GpuClockSampleRow> out;
    if (!impl_->has("gpu_clock_samples")) return out;
    impl_->query("SELECT rank_id,profile_ns,gpu_ns,window_ns FROM gpu_clock_samples ORDER BY rank_id,profile_ns",
                 [&](const Statement& row) {
                     out.push_back({row.integer(0), row.integer(1), row.integer(2), row.integer(3)});
                 });
    return out;
}

std::vector<CaptureWindowRow> Profile::captureWindows() const {
    std::vector<CaptureWindowRow> out;
    if (!impl_->has("capture_windows")) return out;
    impl_->query("SELECT rank_id,start_ns,end_ns,reason FROM capture_windows ORDER BY rank_id,start_ns",
                 [&](const Statement& row) {
                     out.push_back({row.integer(0), row.integer(1), row.optionalInteger(2), std::string(row.text(3))});
                 });
    return out;
}

void Profile::forEachApiCall(const std::function<void(const ApiCallView&)>& visit) const {
    ApiCallView view;
    if (!impl_->has("api_calls")) return;
    impl_->query(
        "SELECT rank_id,thread,start_ns,duration_ns,name_id,correlation FROM api_calls ORDER BY rank_id,start_ns",
        [&](const Statement& row) {
            view.rankId = row.integer(0);
            view.thread = row.integer(1);
            view.start = row.integer(2);
            view.duration = row.integer(3);
            view.nameId = row.integer(4);
            view.correlation = row.optionalInteger(5);
            view.name = impl_->lookup(view.nameId);
            visit(view);
        });
}

void Profile::forEachSynchronization(const std::function<void(const SynchronizationView&)>& visit) const {
    SynchronizationView view;
    if (!impl_->has("synchronizations")) return;
    impl_->query(
        "SELECT rank_id,context,stream,event,start_ns,duration_ns,name_id,correlation FROM synchronizations ORDER BY "
        "rank_id,start_ns",
        [&](const Statement& row) {
            view.rankId = row.integer(0);
            view.context = row.optionalInteger(1);
            view.stream = row.optionalInteger(2);
            view.event = row.optionalInteger(3);
            view.start = row.integer(4);
            view.duration = row.integer(5);
            view.nameId = row.integer(6);
            view.correlation = row.optionalInteger(7);
            view.name = impl_->lookup(view.nameId);
            visit(view);
        });
}

void Profile::forEachCudaEvent(const std::function<void(const CudaEventRow&)>& visit) const {
    CudaEventRow view;
    if (!impl_->has("cuda_events")) return;
    impl_->query("SELECT rank_id,device,context,stream,event,time_ns,correlation FROM cuda_events ORDER BY rank_id,id",
                 [&](const Statement& row) {
                     view.rankId = row.integer(0);
                     view.device = row.optionalInteger(1);
                     view.context = row.optionalInteger(2);
                     view.stream = row.optionalInteger(3);
                     view.event = row.optionalInteger(4);
                     view.time = row.optionalInteger(5);
                     view.correlation = row.optionalInteger(6);
                     visit(view);
                 });
}

void Profile::forEachProfilingOverhead(const std::function<void(const ProfilingOverheadView&)>& visit) const {
    ProfilingOverheadView view;
    if (!impl_->has("profiling_overheads")) return;
    impl_->query(
        "SELECT rank_id,thread,start_ns,duration_ns,name_id FROM profiling_overheads ORDER BY rank_id,start_ns",
        [&](const Statement& row) {
            view.rankId = row.integer(0);
            view.thread = row.optionalInteger(1);
            view.start = row.integer(2);
            view.duration = row.integer(3);
            view.nameId = row.integer(4);
            view.name = impl_->lookup(view.nameId);
            visit(view);
        });
}

void Profile::forEachExternalCorrelation(const std::function<void(const ExternalCorrelationRow&)>& visit) const {
    ExternalCorrelationRow view;
    if (!impl_->has("external_correlations")) return;
    impl_->query("SELECT rank_id,correlation,kind,external_id FROM external_correlations ORDER BY rank_id,correlation",
                 [&](const Statement& row) {
                     view.rankId = row.integer(0);
                     view.correlation = row.integer(1);
                     view.kind = row.integer(2);
                     view.externalId = row.integer(3);
                     visit(view);
                 });
}

}  // namespace orrery
