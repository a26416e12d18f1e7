#!/usr/bin/env bash
# The main job from end to end, on this machine and without a GPU: train a small transformer on 2 processes, record it,
# calibrate on one run, predict a different one, and hold the prediction against what was measured.
#
# usage: ./demo.sh [REPETITIONS]     default 1; with more, the step's error of each is printed at the end
set -euo pipefail
cd "$(dirname "$0")"
repetitions=${1:-1}
[[ $repetitions =~ ^[1-9][0-9]*$ ]] || { echo "demo: repetitions '$repetitions' is not a positive number" >&2; exit 2; }

scripts/install
echo "== build"
cmake --preset release -Wno-dev >/dev/null
cmake --build --preset release --target orrery orrery-agent orrery_inject orrery-workload orrery-gui | tail -n 1

bin=$PWD/build/release/bin
out=$PWD/out/demo
rm -rf "$out" && mkdir -p "$out"

cd "$out"  # from here on, all files are named relative to it

# train NAME OPTIONS...: records one training run of 2 pipeline stages and imports it as NAME.db
train() {
    local name=$1 && shift
    rm -rf "$name"
    "$bin/orrery-agent" run -o "$name" -- \
        mpirun --allow-run-as-root --oversubscribe --bind-to core -n 2 \
        "$bin/orrery-workload" --pp 2 --schedule 1f1b --warmup 2 --repeat-documents \
        --emit-scenario "$name.toml" "$@" > "$name.log" 2>&1 || { cat "$name.log" >&2; exit 1; }
    grep -E "^median" "$name.log"
    "$bin/orrery" import "$name" -o "$name.db"
}

for repetition in $(seq "$repetitions"); do
    echo "== run $repetition of $repetitions"
    # The calibration run has fewer micro-batches and other, shorter documents than the run that is predicted from it.
    echo "-- record a run to calibrate on: 4 micro-batches, documents of 120 tokens on average"
    train calibration --steps 10 --micro-batches 4 --lengths-seed "$((10 + repetition))" --length-distribution lognormal:120,1.0,512
    echo "-- record the run to predict: 8 micro-batches, documents of 220 tokens on average"
    train target --steps 5 --micro-batches 8 --lengths-seed "$((20 + repetition))" --length-distribution lognormal:220,0.8,1024
    "$bin/orrery" calibrate calibration.db --warm-up 2 -o calibration.json > calibration.txt
    echo "-- predicted against measured (median of the 5 steps after warm-up)"
    "$bin/orrery" compare target.db target.toml --calibration calibration.json --skip-steps 2 \
        --report report.html | tee "compare-$repetition.txt"
done
if [ "$repetitions" -gt 1 ]; then
    echo "== the step in all repetitions: predicted, measured, difference, error"
    grep -h -E "^step " compare-*.txt
fi
echo
echo "report: $out/report.html"
app=(build/release/bin/orrery-gui out/demo/target.db out/demo/target.toml out/demo/calibration.json)
cd "$out/../.."
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && [ "$repetitions" -eq 1 ]; then
    echo "opening the app: ${app[*]}"
    "${app[@]}" || echo "the app did not start; the report above has the same figures" >&2
else
    echo "see it in the app (with a display): ${app[*]}"
fi
