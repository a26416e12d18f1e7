// Colours, hatches and swatches of the report; they follow the theme of the page.
function makePaint(data) {
    'use strict';
    const CAUSES = {'wait: warm-up': 'up', 'wait: cool-down': 'down', 'wait: steady': 'cross', 'wait: step end': 'flat',
                    'wait: peer': 'dots', 'wait: idle': 'up'};
    const COMM_CLASS = /^(all_|reduce_scatter|broadcast|send_recv)/;

    // --- colours and patterns follow the theme ---
    const colours = {};
    let patterns = {};
    function readTheme() {
        const style = getComputedStyle(document.documentElement);
        for (const name of ['ground', 'line', 'text', 'muted', 'label', 'stripe', 'hatch', 'hatch-ground', 'accent',
                            ...data.phases, ...data.classes]) {
            colours[name] = style.getPropertyValue('--' + name).trim() || style.getPropertyValue('--other').trim();
        }
        patterns = {};
    }
    function tile(size, paint) {
        const scale = devicePixelRatio || 1;
        const small = document.createElement('canvas');
        small.width = small.height = Math.round(size * scale);
        const c = small.getContext('2d');
        c.scale(small.width / size, small.height / size);
        paint(c, size);
        const pattern = c.createPattern(small, 'repeat');
        if (pattern) pattern.setTransform(new DOMMatrix().scale(size / small.width));
        return pattern;
    }
    const strokes = {
        up: (c, s) => { c.moveTo(-1, s + 1); c.lineTo(s + 1, -1); },
        down: (c, s) => { c.moveTo(-1, -1); c.lineTo(s + 1, s + 1); },
        cross: (c, s) => { strokes.up(c, s); strokes.down(c, s); },
        flat: (c, s) => { c.moveTo(0, s / 2); c.lineTo(s, s / 2); },
        dots: (c, s) => { c.rect(s / 2 - 0.5, s / 2 - 0.5, 1, 1); },
    };
    function hatch(kind) {
        return patterns[kind] = patterns[kind] || tile(8, (c, s) => {
            c.fillStyle = colours['hatch-ground'];
            c.fillRect(0, 0, s, s);
            c.strokeStyle = colours.hatch;
            c.lineWidth = 1.1;
            c.beginPath();
            strokes[kind](c, s);
            c.stroke();
        });
    }
    function dotted(colour) {
        return patterns[colour] = patterns[colour] || tile(5, (c, s) => {
            c.fillStyle = colour;
            c.fillRect(0, 0, s, s);
            c.fillStyle = '#ffffffb0';
            c.fillRect(1.5, 1.5, 1.4, 1.4);
        });
    }
    function fillOf(row, i) {
        const phase = data.phases[row.phase[i]], cls = data.classes[row.cls[i]];
        if (phase === 'wait') return hatch(CAUSES[data.names[row.name[i]]] || 'up');
        const byClass = row.lane === 'operators' || row.lane === 'kernels' || phase === 'other';
        const colour = colours[byClass ? cls : phase];
        return row.lane === 'communication' || COMM_CLASS.test(cls) ? dotted(colour) : colour;
    }

    // --- legend and swatches: what the page shows, in the order of the schedule ---
    function swatchCanvas(fill) {
        const small = document.createElement('canvas'), scale = devicePixelRatio || 1;
        small.width = small.height = 12 * scale;
        small.className = 'swatch';
        small.style.cssText = 'width:12px;height:12px';
        const c = small.getContext('2d');
        c.scale(scale, scale);
        c.fillStyle = fill;
        c.fillRect(0, 0, 12, 12);
        return small;
    }
    function swatches(legend) {
        legend.replaceChildren();
        const entry = (fill, text) => {
            const item = document.createElement('span');
            item.append(swatchCanvas(fill), text);
            legend.append(item);
        };
        const seen = (test) => data.rows.some((row) => row.phase.some((p, i) => test(row, i)));
        data.phases.forEach((phase, p) => {
            if (phase === 'wait' || phase === 'step' || !seen((row, i) => row.phase[i] === p)) return;
            entry(/_(comm|reduce|gather)$/.test(phase) ? dotted(colours[phase]) : colours[phase], phase);
        });
        const phasesKnown = data.rows.some((row) => row.lane === 'tasks' && row.phase.some((p) => data.phases[p] !== 'wait'));
        if (!phasesKnown) {  // a device trace is coloured by class
            legend.replaceChildren();
            data.classes.forEach((cls, k) => {
                if (!seen((row, i) => row.cls[i] === k && data.phases[row.phase[i]] !== 'wait')) return;
                entry(COMM_CLASS.test(cls) ? dotted(colours[cls]) : colours[cls], cls);
            });
        }
        for (const name of Object.keys(CAUSES)) if (seen((row, i) => data.names[row.name[i]] === name)) entry(hatch(CAUSES[name]), name);
        for (const old of document.querySelectorAll('a[data-key] > .swatch')) {
            const {key, value} = old.parentElement.dataset;
            const comm = COMM_CLASS.test(value) || /_(comm|reduce|gather)$/.test(value);
            old.replaceWith(swatchCanvas(value === 'wait' ? hatch('up') : comm ? dotted(colours[value]) : colours[value] || colours.other));
        }
    }
    return {colours, readTheme, fillOf, swatches};
}
