// The HTML report: complete, closed to the network, proof against hostile names, and alive in a real browser.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "model/timeline/step_window.hpp"
#include "report/html/report_data.hpp"
#include "tests/report/sample_job.hpp"

using namespace orrery;

namespace {

ReportData sampleReport() {
    const Timeline predicted = test::pipelineJob(4, 1.0, 0);
    const Timeline measured = test::pipelineJob(4, 1.04, 6000, 5);
    ReportData data;
    data.title = "job " + test::kHostileName;
    data.facts = {{"model", "gpt 124M, 12 layers, hidden 768"},
                  {"plan", "pp 2 (1F1B), dp 1, tp 1"},
                  {"calibration", test::kHostileName}};
    data.comparison = compare(predicted, measured);
    data.predicted = extractStep(predicted, 0);
    data.measured = extractStep(measured, data.comparison.medianStep);
    data.relativeSigma = 0.034;
    data.warnings = {"calibrated without a sample of class 'norm'"};
    data.losses = {{0, "ring buffer full", 3}, {1, "ring buffer full", 0}};
    data.lossesKnown = true;
    data.memory = {{0, Bytes(1e9), Bytes(2e9), Bytes(4e9), Bytes(3e9), Bytes(1e8)},
                   {1, Bytes(1.2e9), Bytes(2e9), Bytes(4e9), Bytes(2e9), Bytes(1e8)}};
    return data;
}

std::size_t count(const std::string& text, std::string_view what) {
    std::size_t n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("The report is one closed HTML file whatever the names in it", "[report][html]") {
    const std::string page = htmlReport(sampleReport());
    CHECK(count(page, "<script") == 2);
    CHECK(count(page, "</script>") == 2);
    CHECK(page.find("<img") == std::string::npos);
    CHECK(page.find("http://") == std::string::npos);
    CHECK(page.find("https://") == std::string::npos);
    CHECK(page.find("default-src 'none'") != std::string::npos);
    for (const char c : {'\x01', '\xFF', '\x80'}) {
        const bool raw =
            c == '\x80' ? page.find(std::string(" \x80")) != std::string::npos : page.find(c) != std::string::npos;
        CHECK_FALSE(raw);
    }
}

TEST_CASE("The report says the error, the losses, the warnings and the uncertainty", "[report][html]") {
    ReportData data = sampleReport();
    std::string page = htmlReport(data);
    const double error = data.comparison.overall.step.errorPercent();
    CHECK(error < 0);
    CHECK(page.find(fmt::format("{:.1f} % below", -error)) != std::string::npos);
    CHECK(page.find("3 × ring buffer full") != std::string::npos);
    CHECK(page.find("&#39;norm&#39;") != std::string::npos);
    CHECK(page.find("± 3.4 %") != std::string::npos);
    CHECK(page.find("data-rank=\"1\"") != std::string::npos);

    data.losses.clear();
    CHECK(htmlReport(data).find("No record was lost") != std::string::npos);
    data.lossesKnown = false;
    CHECK(htmlReport(data).find("has no loss counters") != std::string::npos);
}

TEST_CASE("In a headless Chromium the report draws, filters by its links and logs no error",
          "[report][html][browser]") {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
        WARN("chromium is not installed; the browser test is skipped");
        return;
    }
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("orrery-report-{}", std::rand());
    std::filesystem::create_directories(folder);
    const auto page = folder / "report.html";
    std::ofstream(page) << htmlReport(sampleReport());
    const auto dump = [&](const std::string& fragment) {
        const auto out = folder / "dom.html";
        const std::string command = fmt::format(
            "HOME={0} timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
            "--disable-background-networking --disable-component-update --disable-sync --user-data-dir={0}/profile "
            "--enable-logging=stderr --virtual-time-budget=2000 --dump-dom 'file://{1}{2}' >{3} 2>{0}/log",
            folder.string(), page.string(), fragment, out.string());
        REQUIRE(std::system(command.c_str()) == 0);
        std::ostringstream text;
        text << std::ifstream(out).rdbuf();
        return text.str();
    };
    const auto logText = [&] {
        std::ostringstream text;
        text << std::ifstream(folder / "log").rdbuf();
        return text.str();
    };
    const std::string plain = dump("");
    CHECK(logText().find("CONSOLE") == std::string::npos);
    CHECK(plain.find(">All ranks</span>") != std::string::npos);
    CHECK(plain.find("wait: warm-up") != std::string::npos);  // the legend, which the script writes
    CHECK(plain.find("width=\"") != std::string::npos);       // the canvas has been sized, so it was drawn
    // A row's link is the fragment that the script put there; following it is a click.
    CHECK(plain.find("href=\"#phase=wait\"") != std::string::npos);

    const std::string filtered = dump("#rank=1&phase=wait");
    CHECK(logText().find("CONSOLE") == std::string::npos);
    CHECK(filtered.find(">Rank 1 · only wait</span>") != std::string::npos);
    CHECK(filtered.find("class=\"rank hidden\" data-rank=\"0\"") != std::string::npos);
    CHECK(filtered.find("data-phase=\"wait\" class=\"chosen\"") != std::string::npos);
    CHECK(filtered.find("data-phase=\"forward\" class=\"chosen\"") == std::string::npos);
    std::error_code ignored;
    if (std::getenv("ORRERY_KEEP") == nullptr) std::filesystem::remove_all(folder, ignored);
}
