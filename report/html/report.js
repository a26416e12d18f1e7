// The report's timeline: draws the embedded JSON on canvas, predicted above measured for each rank, on one time axis.
// The state that links change (rank, phase, class, operators) lives in the URL fragment, so every view has an address.
'use strict';
(() => {
    const plot = document.getElementById('plot');
    if (!plot) return;
    const data = JSON.parse(document.getElementById('data').textContent);
    const byId = (id) => document.getElementById(id);
    const axis = byId('axis'), canvas = byId('rows'), tip = byId('tip');
    const LABEL = 178, AXIS = 26, MAX_RANKS = 64;
    const HEIGHT = {tasks: 24, communication: 13, operators: 13, kernels: 17, copies: 11};
    const SIDES = data.sides, paint = makePaint(data);

    // --- rows: nesting depth of each span, and the running maximum of ends, for binary search ---
    for (const row of data.rows) {
        const n = row.start.length;
        row.depth = new Uint8Array(n);
        row.reach = new Float64Array(n);
        const open = [];
        for (let i = 0, reach = -Infinity; i < n; i++) {
            while (open.length && open[open.length - 1] <= row.start[i]) open.pop();
            row.depth[i] = Math.min(open.length, 3);
            const end = row.start[i] + row.dur[i];
            open.push(end);
            reach = row.reach[i] = Math.max(reach, end);
        }
    }
    const extent = data.rows.reduce((e, row) => row.start.length === 0 ? e : [
        Math.min(e[0], row.start[0]), Math.max(e[1], row.reach[row.reach.length - 1])], [Infinity, -Infinity]);
    if (!(extent[1] > extent[0])) { extent[0] = 0; extent[1] = 1; }
    const hasTasks = data.rows.some((row) => row.lane === 'tasks' && row.phase.some((p) => data.phases[p] !== 'wait'));
    const hasOps = data.rows.some((row) => row.lane === 'operators');
    const margin = (extent[1] - extent[0]) * 0.01;
    const view = {from: extent[0] - margin, to: extent[1] + margin};

    // --- state in the fragment ---
    let state = {}, rows = [], height = 0;
    const readState = () => {
        state = {};
        for (const part of location.hash.slice(1).split('&')) {
            const [key, value] = part.split('=');
            if (['rank', 'phase', 'class', 'ops'].includes(key) && value) state[key] = decodeURIComponent(value);
        }
    };
    const address = (changes) => '#' + Object.entries({...state, ...changes}).filter((e) => e[1])
        .map((e) => e[0] + '=' + encodeURIComponent(e[1])).join('&');
    const applyState = () => {
        readState();
        for (const link of document.querySelectorAll('a[data-key]')) {
            const {key, value} = link.dataset;
            const chosen = state[key] === value;
            const other = key === 'phase' ? {class: ''} : key === 'class' ? {phase: ''} : {};
            link.setAttribute('href', address({...other, [key]: chosen ? '' : value}));
            if (key !== 'rank') link.closest('tr').classList.toggle('chosen', chosen);
        }
        for (const section of document.querySelectorAll('details.rank')) {
            const mine = state.rank === section.dataset.rank;
            section.classList.toggle('hidden', state.rank !== undefined && !mine);
            if (mine) section.open = true;
        }
        const words = [];
        words.push(state.rank !== undefined ? 'Rank ' + state.rank : 'All ranks');
        if (state.phase) words.push('only ' + state.phase);
        if (state.class) words.push('only ' + state.class);
        byId('filter').textContent = words.join(' · ');
        byId('clear').hidden = words.length === 1 && state.rank === undefined;
        byId('clear').setAttribute('href', state.ops ? '#ops=1' : '#');
        byId('ops').hidden = !hasOps;
        byId('ops').textContent = state.ops ? 'hide operators' : 'show operators';
        byId('ops').setAttribute('href', address({ops: state.ops ? '' : '1'}));
        layout();
    };

    // --- layout: for each rank a head line, then predicted rows, then measured rows ---
    const LANES = ['tasks', 'kernels', 'operators', 'communication', 'copies'];
    function layout() {
        const ranks = [...new Set(data.rows.map((row) => row.rank))].sort((a, b) => a - b)
            .filter((rank) => state.rank === undefined || String(rank) === state.rank);
        rows = [];
        let y = 4;
        for (const rank of ranks.slice(0, MAX_RANKS)) {
            const mine = data.rows.filter((row) => row.rank === rank &&
                (row.lane !== 'operators' || state.ops || state.class || !hasTasks));
            const stage = mine.find((row) => row.stage >= 0);
            const top = y;
            y += 20;
            for (let side = 0; side < SIDES.length; side++) {
                const sided = mine.filter((row) => row.side === side)
                    .sort((a, b) => LANES.indexOf(a.lane) - LANES.indexOf(b.lane));
                if (!sided.length) continue;
                sided.forEach((row, i) => {
                    const h = HEIGHT[row.lane] || 13;
                    rows.push({row, y, h, label: i === 0 ? SIDES[side] : row.label, strong: i === 0});
                    y += h + 2;
                });
                y += 5;
            }
            rows.push({head: 'rank ' + rank + (stage ? ' · stage ' + stage.stage : ''), y: top, h: y - top});
            y += 8;
        }
        height = y;
        const cut = ranks.length > MAX_RANKS;
        byId('omitted').hidden = !cut && !data.omitted;
        byId('omitted').textContent = (cut ? 'The first ' + MAX_RANKS + ' of ' + ranks.length + ' ranks are drawn; choose a rank below for another. ' : '') +
            (data.omitted ? data.omitted + ' operator or kernel spans were left out to keep this file small.' : '');
        requestDraw();
    }

    const shown = (row, i) => (!state.phase || data.phases[row.phase[i]] === state.phase) &&
        (!state.class || (state.class === 'wait' ? data.phases[row.phase[i]] === 'wait'
                                                  : data.classes[row.cls[i]] === state.class && data.phases[row.phase[i]] !== 'wait'));

    // --- drawing ---
    let queued = false, cursor = null;
    const requestDraw = () => { if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; draw(); }); } };
    const width = () => plot.clientWidth;
    const xOf = (t) => LABEL + (t - view.from) / (view.to - view.from) * (width() - LABEL);
    const tOf = (x) => view.from + (x - LABEL) / (width() - LABEL) * (view.to - view.from);
    function prepare(target, h) {
        const scale = devicePixelRatio || 1, w = width();
        const [pw, ph] = [Math.round(w * scale), Math.round(h * scale)];
        if (target.width !== pw || target.height !== ph) { target.width = pw; target.height = ph; }
        target.style.height = h + 'px';
        const c = target.getContext('2d');
        c.setTransform(scale, 0, 0, scale, 0, 0);
        c.clearRect(0, 0, w, h);
        c.font = '12px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
        c.textBaseline = 'middle';
        return c;
    }
    function ticks() {
        const span = view.to - view.from, about = span / Math.max(3, (width() - LABEL) / 110);
        const power = 10 ** Math.floor(Math.log10(about));
        const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= about);
        const out = [];
        for (let k = Math.ceil(view.from / step); k * step <= view.to; k++) out.push(k * step);
        return out;
    }
    function unitText(ns, digits) {
        const size = Math.abs(ns);
        const [factor, unit] = size >= 1e9 ? [1e9, 's'] : size >= 1e6 ? [1e6, 'ms'] : size >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
        return (ns / factor).toFixed(unit === 'ns' ? 0 : digits) + ' ' + unit;
    }
    function tickText(t, step) {
        const reference = Math.max(Math.abs(view.from), Math.abs(view.to));
        const [factor, unit] = reference >= 2e9 ? [1e9, 's'] : reference >= 2e6 ? [1e6, 'ms'] : reference >= 2e3 ? [1e3, 'µs'] : [1, 'ns'];
        const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / factor))));
        return (t / factor).toFixed(digits) + ' ' + unit;
    }
    function drawAxis() {
        const c = prepare(axis, AXIS), marks = ticks(), step = marks.length > 1 ? marks[1] - marks[0] : 1;
        c.fillStyle = paint.colours.muted;
        c.textAlign = 'left';
        c.fillText('time in the step', 12, AXIS / 2);
        c.textAlign = 'center';
        for (const t of marks) {
            const x = xOf(t), text = tickText(t, step), half = c.measureText(text).width / 2;
            c.fillRect(x, AXIS - 5, 1, 5);
            if (x >= LABEL && x + half < width()) c.fillText(text, x, AXIS / 2 - 2);
        }
    }
    function drawRow(c, entry) {
        const {row, y, h} = entry, n = row.start.length, right = width();
        let low = 0, high = n;  // first span whose running end reaches into the view
        while (low < high) { const mid = (low + high) >> 1; if (row.reach[mid] < view.from) low = mid + 1; else high = mid; }
        let lastPixel = -1;
        for (let i = low; i < n && row.start[i] <= view.to; i++) {
            const x1 = Math.max(LABEL, xOf(row.start[i])), x2 = Math.min(right, xOf(row.start[i] + row.dur[i]));
            if (x2 < LABEL) continue;
            const w = Math.max(0.7, x2 - x1);
            if (w < 1) { const pixel = Math.floor(x1); if (pixel === lastPixel) continue; lastPixel = pixel; }
            const inset = row.depth[i] * 3;
            c.globalAlpha = shown(row, i) ? 1 : 0.12;
            c.fillStyle = paint.fillOf(row, i);
            c.fillRect(x1, y + inset, w, h - inset);
            if (w > 3) { c.fillStyle = paint.colours.ground; c.fillRect(x1 + w - 0.8, y + inset, 0.8, h - inset); }
            if (h >= 17 && w > 18 && data.phases[row.phase[i]] !== 'wait') spanText(c, row, i, x1, w, y + inset, h - inset);
        }
        c.globalAlpha = 1;
    }
    function spanText(c, row, i, x, w, y, h) {
        const phase = data.phases[row.phase[i]], name = data.names[row.name[i]];
        const mb = row.mb[i] >= 0 ? ' ' + row.mb[i] : '';
        const short = row.mb[i] >= 0 ? String(row.mb[i]) : '';
        for (const text of row.lane === 'kernels' ? [name] : [phase + mb, phase[0].toUpperCase() + mb, short]) {
            if (!text || c.measureText(text).width > w - 6) continue;
            c.fillStyle = phase === 'backward' || phase === 'recompute' || phase === 'pipeline_comm' ? '#1b1f24' : '#ffffff';
            c.fillText(text, x + 4, y + h / 2 + 0.5);
            return;
        }
    }
    function draw() {
        drawAxis();
        const c = prepare(canvas, height);
        for (const entry of rows) {
            if (entry.head) {
                c.fillStyle = paint.colours.label;
                c.font = '600 12.5px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
                c.fillText(entry.head, 12, entry.y + 10);
                c.fillStyle = paint.colours.line;
                c.fillRect(0, entry.y + entry.h, width(), 1);
                continue;
            }
        }
        c.fillStyle = paint.colours.stripe;
        for (const t of ticks()) if (xOf(t) >= LABEL) c.fillRect(xOf(t), 0, 1, height);
        c.font = '12px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
        for (const entry of rows) {
            if (entry.head) continue;
            c.fillStyle = entry.strong ? paint.colours.label : paint.colours.muted;
            c.save();
            c.beginPath();
            c.rect(0, entry.y - 2, LABEL - 8, entry.h + 4);
            c.clip();
            c.fillText(entry.label, entry.strong ? 20 : 30, entry.y + entry.h / 2 + 0.5);
            c.restore();
            drawRow(c, entry);
        }
        if (cursor !== null && cursor > LABEL) {
            c.fillStyle = paint.colours.accent;
            c.fillRect(cursor, 0, 1, height);
        }
    }

    // --- hover ---
    function hit(x, y) {
        const entry = rows.find((e) => !e.head && y >= e.y && y <= e.y + e.h);
        if (!entry || x < LABEL) return null;
        const t = tOf(x), {row} = entry, slack = (view.to - view.from) / (width() - LABEL);
        let best = -1;
        for (let i = 0; i < row.start.length && row.start[i] <= t + slack; i++) {
            if (row.start[i] + row.dur[i] >= t - slack && (best < 0 || row.depth[i] >= row.depth[best])) best = i;
        }
        return best < 0 ? null : {row, i: best};
    }
    const keyOf = (row, i) => [row.rank, row.lane, row.phase[i], row.mb[i], row.lane === 'tasks' ? '' : data.names[row.name[i]]].join('|');
    let last = {};  // of the span under the pointer, which moves more often than the span changes
    function counterpart({row, i}) {
        if (last.row !== row || last.i !== i) last = {row, i, other: findCounterpart(row, i)};
        return last.other;
    }
    function findCounterpart(row, i) {
        if (data.phases[row.phase[i]] === 'wait') return null;
        const key = keyOf(row, i);
        let nth = 0;
        for (let k = 0; k < i; k++) if (keyOf(row, k) === key) nth++;
        for (const other of data.rows) {
            if (other.side === row.side || other.rank !== row.rank || other.lane !== row.lane) continue;
            for (let k = 0; k < other.start.length; k++) if (keyOf(other, k) === key && nth-- === 0) return other.dur[k];
        }
        return null;
    }
    function showTip(found, x, y) {
        tip.hidden = !found;
        if (!found) return;
        const {row, i} = found, other = counterpart(found);
        const line = (tag, text) => { const e = document.createElement(tag); e.textContent = text; return e; };
        const place = ['rank ' + row.rank];
        if (row.stage >= 0) place.push('stage ' + row.stage);
        if (row.mb[i] >= 0) place.push('micro-batch ' + row.mb[i]);
        const kinds = [SIDES[row.side], data.phases[row.phase[i]]];
        if (data.classes[row.cls[i]] !== 'other') kinds.push(data.classes[row.cls[i]]);
        tip.replaceChildren(line('b', data.names[row.name[i]]), line('span', kinds.join(' · ')), line('span', place.join(' · ')),
            line('span', unitText(row.dur[i], 3) + ' from ' + unitText(row.start[i], 3)));
        if (other !== null) {
            const [predicted, measured] = row.side === 0 ? [row.dur[i], other] : [other, row.dur[i]];
            const error = measured > 0 ? ((predicted - measured) / measured * 100).toFixed(1) : '-';
            tip.append(line('span', SIDES[1 - row.side] + ' ' + unitText(other, 3) + ' (error ' + (error > 0 ? '+' : '') + error + ' %)'));
        }
        const box = plot.getBoundingClientRect();
        tip.style.left = Math.max(4, Math.min(x + 14, box.width - tip.offsetWidth - 8)) + 'px';
        tip.style.top = Math.max(4, Math.min(y + 16, box.height - tip.offsetHeight - 8)) + 'px';
    }

    // --- zoom and pan ---
    function zoom(factor, x) {
        const t = tOf(x), span = view.to - view.from;
        const bounded = Math.min(Math.max(span * factor, 20), (extent[1] - extent[0] + 2 * margin) * 1.5);
        view.from = t - (t - view.from) * (bounded / span);
        view.to = view.from + bounded;
        requestDraw();
    }
    function pan(by) { view.from += by; view.to += by; requestDraw(); }
    function fit() { view.from = extent[0] - margin; view.to = extent[1] + margin; requestDraw(); }
    let drag = null;
    canvas.addEventListener('wheel', (event) => {
        if (event.shiftKey || event.offsetX < LABEL) return;  // the page scrolls
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / width() * (view.to - view.from));
        else zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, event.offsetX);
    }, {passive: false});
    canvas.addEventListener('pointerdown', (event) => {
        drag = {x: event.clientX, from: view.from, to: view.to};
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
        cursor = event.offsetX;
        if (drag) {
            const by = (drag.x - event.clientX) / (width() - LABEL) * (drag.to - drag.from);
            view.from = drag.from + by;
            view.to = drag.to + by;
        }
        const box = plot.getBoundingClientRect();
        showTip(drag ? null : hit(event.offsetX, event.offsetY), event.clientX - box.left, event.clientY - box.top);
        requestDraw();
    });
    const stop = () => { drag = null; };
    canvas.addEventListener('pointerup', stop);
    canvas.addEventListener('pointercancel', stop);
    canvas.addEventListener('pointerleave', () => { cursor = null; tip.hidden = true; requestDraw(); });
    canvas.addEventListener('dblclick', fit);
    document.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const span = view.to - view.from, at = cursor === null ? (LABEL + width()) / 2 : cursor;
        const actions = {w: () => zoom(1 / 1.25, at), s: () => zoom(1.25, at), a: () => pan(-span / 8), d: () => pan(span / 8), f: fit,
                         escape: () => { location.hash = state.ops ? '#ops=1' : '#'; }};
        const action = actions[event.key.toLowerCase()];
        if (action) action();
    });

    function theme() { paint.readTheme(); paint.swatches(byId('legend')); requestDraw(); }

    addEventListener('hashchange', applyState);
    addEventListener('resize', requestDraw);
    addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', theme);
    theme();
    applyState();
})();
