// The HTML report: complete, closed to the network, proof against hostile names, and alive in a real browser.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <unistd.h>

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
    data.memory = {{0, {Bytes(1e9), Bytes(2e9), Bytes(4e9), Bytes(3e9), Bytes(1e8)}},
                   {1, {Bytes(1.2e9), Bytes(2e9), Bytes(4e9), Bytes(2e9), Bytes(1e8)}}};
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

namespace {

/// A headless browser and a folder of its own; pages are loaded from file://.
class Browser {
  public:
    Browser() : folder_(std::filesystem::temp_directory_path() / fmt::format("orrery-report-{}", ::getpid())) {
        std::filesystem::create_directories(folder_);
    }
    ~Browser() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    static bool present() {
        if (std::system("command -v chromium >/dev/null 2>&1") == 0) return true;
        WARN("chromium is not installed; the browser test is skipped");
        return false;
    }
    /// The document after its scripts ran.
    std::string dom(const std::string& page, const std::string& fragment = "") {
        std::ofstream(folder_ / "report.html") << page;
        const std::string command = fmt::format(
            "HOME={0} timeout 90 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
            "--disable-background-networking --disable-component-update --disable-sync --user-data-dir={0}/profile "
            "--enable-logging=stderr --virtual-time-budget=6000 --dump-dom 'file://{0}/report.html{1}' "
            ">{0}/dom 2>{0}/log",
            folder_.string(), fragment);
        REQUIRE(std::system(command.c_str()) == 0);
        CHECK(read("log").find("CONSOLE") == std::string::npos);  // no error, no warning, no blocked load
        return read("dom");
    }

  private:
    [[nodiscard]] std::string read(const char* name) const {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
    std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("In a headless Chromium the report draws and its address chooses what it shows", "[report][html][browser]") {
    if (!Browser::present()) return;
    Browser browser;
    const std::string page = htmlReport(sampleReport());
    const std::string plain = browser.dom(page);
    CHECK(plain.find(">All ranks</span>") != std::string::npos);
    CHECK(plain.find("wait: warm-up") != std::string::npos);  // the legend, which the script writes
    CHECK(plain.find("href=\"#phase=wait\"") != std::string::npos);

    const std::string filtered = browser.dom(page, "#rank=1&phase=wait");
    CHECK(filtered.find(">Rank 1 · only wait</span>") != std::string::npos);
    CHECK(filtered.find("class=\"rank hidden\" data-rank=\"0\"") != std::string::npos);
    CHECK(filtered.find("data-phase=\"wait\" class=\"chosen\"") != std::string::npos);
    CHECK(filtered.find("data-phase=\"forward\" class=\"chosen\"") == std::string::npos);
}

TEST_CASE("In a headless Chromium a hover explains a span, keys zoom and a click filters", "[report][html][browser]") {
    if (!Browser::present()) return;
    // What a hand would do, in order; the outcome is left in attributes of the body.
    std::string page = htmlReport(sampleReport());
    page += R"(<script>
    const rows = document.getElementById('rows'), seen = document.body.dataset;
    const later = (act) => new Promise((done) => setTimeout(() => { act(); done(); }, 100));
    const hover = (x) => {
        const box = rows.getBoundingClientRect();
        rows.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + x, clientY: box.top + 36, bubbles: true}));
        return document.getElementById('tip').innerText.replace(/\n+/g, ' | ');
    };
    (async () => {
        await later(() => {
            const far = hover(600);
            seen.tip = hover(208);  // zooming is about the pointer
            for (let i = 0; i < 4; i++) document.dispatchEvent(new KeyboardEvent('keydown', {key: 'w', bubbles: true}));
            seen.zoomed = String(hover(600) !== far && hover(208) === seen.tip);
        });
        await later(() => document.querySelector('#tables a[data-value="wait"]').click());
        await later(() => { seen.filter = document.getElementById('filter').textContent; });
        await later(() => document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true})));
        await later(() => { seen.cleared = document.getElementById('filter').textContent; });
    })();
    </script>)";
    Browser browser;
    const std::string dom = browser.dom(page);
    const std::string body = dom.substr(dom.find("<body"), 700);
    INFO(body);
    CHECK(body.find("data-tip=\"forward | predicted · forward | rank 0 · stage 0 · micro-batch 0 | 100.000 µs from") !=
          std::string::npos);
    CHECK(body.find("measured 104.000 µs (error -3.8 %)") != std::string::npos);
    CHECK(body.find("data-zoomed=\"true\"") != std::string::npos);
    CHECK(body.find("data-filter=\"All ranks · only wait\"") != std::string::npos);
    CHECK(body.find("data-cleared=\"All ranks\"") != std::string::npos);
}
