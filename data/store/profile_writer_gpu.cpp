// ProfileWriter's rows of what recording on a GPU adds.
#include "data/store/profile_writer_impl.hpp"

namespace orrery {

void ProfileWriter::addApiCall(const ApiCallRow& row) {
    Statement& insert = impl_->insertApiCall;
    insert.bind(1, row.rankId);
    insert.bind(2, row.thread);
    insert.bind(3, row.start);
    insert.bind(4, row.duration);
    insert.bind(5, row.nameId);
    insert.bind(6, row.correlation);
    insert.run();
}

void ProfileWriter::addSynchronization(const SynchronizationRow& row) {
    Statement& insert = impl_->insertSynchronization;
    insert.bind(1, row.rankId);
    insert.bind(2, row.context);
    insert.bind(3, row.stream);
    insert.bind(4, row.event);
    insert.bind(5, row.start);
    insert.bind(6, row.duration);
    insert.bind(7, row.nameId);
    insert.bind(8, row.correlation);
    insert.run();
}

void ProfileWriter::addCudaEvent(const CudaEventRow& row) {
    Statement& insert = impl_->insertCudaEvent;
    insert.bind(1, row.rankId);
    insert.bind(2, row.device);
    insert.bind(3, row.context);
    insert.bind(4, row.stream);
    insert.bind(5, row.event);
    insert.bind(6, row.time);
    insert.bind(7, row.correlation);
    insert.run();
}

void ProfileWriter::addProfilingOverhead(const ProfilingOverheadRow& row) {
    Statement& insert = impl_->insertOverhead;
    insert.bind(1, row.rankId);
    insert.bind(2, row.thread);
    insert.bind(3, row.start);
    insert.bind(4, row.duration);
    insert.bind(5, row.nameId);
    insert.run();
}

void ProfileWriter::addExternalCorrelation(const ExternalCorrelationRow& row) {
    Statement& insert = impl_->insertExternal;
    insert.bind(1, row.rankId);
    insert.bind(2, row.correlation);
    insert.bind(3, row.kind);
    insert.bind(4, row.externalId);
    insert.run();
}

void ProfileWriter::addGpuClockSample(const GpuClockSampleRow& row) {
    Statement& insert = impl_->insertGpuClock;
    insert.bind(1, row.rankId);
    insert.bind(2, row.profile);
    insert.bind(3, row.gpu);
    insert.bind(4, row.window);
    insert.run();
}

void ProfileWriter::addCaptureWindow(const CaptureWindowRow& row) {
    Statement& insert = impl_->insertWindow;
    insert.bind(1, row.rankId);
    insert.bind(2, row.start);
    insert.bind(3, row.end);
    insert.bind(4, std::string_view(row.reason));
    insert.run();
}

}  // namespace orrery
