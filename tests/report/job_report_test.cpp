// From a profile on disk to a report: with and without a prediction, and the words when the two do not match.
#include "report/html/job_report.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "model/units/input_error.hpp"
#include "report/html/write_report.hpp"
#include "tests/report/sample_job.hpp"
#include "tests/support/annotated_profile.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

struct RecordedJob {
    std::filesystem::path file;
    RecordedJob(const std::string& name, int steps, int microBatches)
        : file(std::filesystem::temp_directory_path() / name) {
        std::filesystem::remove(file);
        test::writePipelineJob(file, steps, microBatches);
    }
    ~RecordedJob() { std::filesystem::remove(file); }
};

Scenario scenarioFor(int microBatches) {
    Scenario scenario;
    scenario.name = "two stages";
    scenario.plan.pp = 2;
    scenario.workload = Workload::fixed(128, microBatches, 1, 1);
    return scenario;
}

}  // namespace

TEST_CASE("A report of a recorded job alone has its measured figures, losses and facts", "[report][job]") {
    const RecordedJob job("orrery_report_job.db", 4, 2);
    const Profile profile(job.file);
    const auto data = reportOf(profile, readMeasuredTimeline(profile), nullptr, -1);
    CHECK_FALSE(data.comparison.hasPrediction);
    CHECK(data.comparison.skippedSteps == 1);
    CHECK(data.lossesKnown);
    REQUIRE(data.losses.size() == 1);
    CHECK(data.losses[0].rank == 1);
    CHECK(data.losses[0].count == 2);
    const std::string page = htmlReport(data);
    CHECK(page.find("<th>predicted</th>") == std::string::npos);
    CHECK_THAT(page, Contains("2 × ring buffer full") && Contains("orrery_report_job.db"));
    CHECK(timelinesOf(data).size() == 1);
}

TEST_CASE("With a prediction both sides stand in the report", "[report][job]") {
    const RecordedJob job("orrery_report_both.db", 3, 4);
    const Profile profile(job.file);
    const Scenario scenario = scenarioFor(4);
    Prediction prediction;
    prediction.timeline = test::pipelineJob(4, 0.6, 0);
    prediction.metrics.relativeSigma = 0.05;
    prediction.warnings = {"a warning of the model"};
    const JobPrediction predicted{scenario, prediction};
    const auto data = reportOf(profile, readMeasuredTimeline(profile), &predicted, -1);
    CHECK(data.comparison.hasPrediction);
    CHECK(data.title == "two stages");
    CHECK_THAT(htmlReport(data), Contains("a warning of the model") && Contains("pp 2"));
    CHECK(timelinesOf(data).size() == 2);

    const Scenario other = scenarioFor(8);
    const JobPrediction wrong{other, prediction};
    CHECK_THROWS_WITH(reportOf(profile, readMeasuredTimeline(profile), &wrong, -1), Contains("micro-batches"));
}

TEST_CASE("A job of one step is reported with a warning, not refused", "[report][job]") {
    const RecordedJob job("orrery_report_one.db", 1, 2);
    const Profile profile(job.file);
    const auto measured = readMeasuredTimeline(profile);
    const auto data = reportOf(profile, measured, nullptr, -1);
    REQUIRE(data.warnings.size() == 1);
    CHECK_THAT(data.warnings[0], Contains("only one step"));
    CHECK_THROWS_AS(reportOf(profile, measured, nullptr, 1), InputError);  // the caller insisted
}

TEST_CASE("The suffix picks the report's format", "[report][job]") {
    const RecordedJob job("orrery_report_suffix.db", 2, 2);
    const Profile profile(job.file);
    const auto data = reportOf(profile, readMeasuredTimeline(profile), nullptr, -1);
    for (const char* suffix : {".html", ".csv", ".json", ".pftrace"}) {
        auto out = job.file;
        out.replace_extension(suffix);
        writeReport(out, data);
        CHECK(std::filesystem::file_size(out) > 100);
        std::filesystem::remove(out);
    }
    CHECK_THROWS_WITH(writeReport("x.pdf", data), Contains(".html, .csv, .json or .pftrace"));
}
