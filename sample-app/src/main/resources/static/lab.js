// The page of the lab: reads /events, draws them, and posts commands. No library and no build.

const $ = (id) => document.getElementById(id);
const LEASE = 2000, WINDOW = 20000, KEEP = 60000;
const lanes = new Map(), cards = new Map();
let state = { running: false, instances: [] };
let locked = true, started = 0, latest = 0, offset = Infinity, maxToken = 0, renewals = 0, turnEnd = 0, lastHolder = null;
let waits = [], handOffs = [], connected = false;

function element(tag, className, text) {
	const result = document.createElement(tag);
	result.className = className ?? '';
	result.textContent = text ?? '';
	return result;
}

const short = (token) => token ? `…${String(token).slice(-8)}` : '–';

function log(at, text, bad) {
	const line = element('p', bad ? 'bad' : '');
	line.append(element('time', '', started && at >= started ? `${((at - started) / 1000).toFixed(2)} s` : '–'), text);
	$('log').prepend(line);
	while ($('log').children.length > 100) {
		$('log').lastChild.remove();
	}
}

function say(text, mood) {
	$('verdict').textContent = text;
	$('verdict').className = mood ?? '';
}

function fail(text) {
	$('error').textContent = text ?? '';
	$('error').hidden = !text;
}

// ---- Commands

async function post(path) {
	fail();
	const response = await fetch(path, { method: 'POST', headers: { 'X-Lab': '1' } }).catch(() => null);
	if (!response?.ok) {
		const problem = await response?.json().catch(() => null);
		const text = problem?.detail ?? (response ? `The lab answered ${response.status}` : 'The lab does not answer');
		fail(text);
		throw new Error(text);
	}
}

// The second click of a double click, or one while the first is in progress, does nothing.
function button(id, action) {
	let inProgress = false;
	$(id).addEventListener('click', async (event) => {
		if (inProgress || event.detail > 1) {
			return;
		}
		inProgress = true;
		await action().catch((error) => console.warn(error.message));
		inProgress = false;
	});
}

async function run(lock) {
	if (!$('mugs').value) {
		fail('Enter the number of mugs, from 1 to 1000');
		throw new Error('No number of mugs');
	}
	await post(`/run?locked=${lock}&mugs=${$('mugs').value}&buyers=${$('buyers').value}&think=${$('think').value}`);
}

const fault = (name, kind) => post(`/instances/${name}/faults?fault=${kind}`);

// A fault of the holder needs a holder: it starts a run with the lock if there is none.
async function faultOfHolder(kind) {
	if (!state.running) {
		maxToken = 0;
		await run(true);
		for (let i = 0; i < 1200 && !maxToken; i++) {
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
	await fault('holder', kind);
}

button('unlocked', () => run(false));
button('locked', () => run(true));
button('pause', () => faultOfHolder('PAUSE'));
button('kill', () => faultOfHolder('KILL'));
button('cut', () => faultOfHolder('CUT'));
button('redis', () => post('/redis/restart'));
button('stop', () => post('/stop'));
$('instances').addEventListener('change', () => post(`/instances?count=${$('instances').value}`).catch(() => {}));

// ---- Reports of the instances

function lane(report) {
	const name = `${report.instance}.buyer-${report.buyer}`;
	if (!lanes.has(name)) {
		const row = element('li');
		const canvas = element('canvas');
		canvas.setAttribute('aria-hidden', 'true');
		const word = element('span', 'say');
		row.append(element('span', '', `buyer ${report.buyer}`), word, canvas);
		row.style.order = report.buyer;
		card(report.instance).lanes.append(row);
		lanes.set(name, { name, instance: report.instance, row, word, canvas, segments: [], marks: [], open: null });
	}
	return lanes.get(name);
}

function change(lane, at, kind, token) {
	if (lane.open) {
		lane.open.to = at;
	}
	lane.open = kind ? { kind, from: at, token } : null;
	if (kind) {
		lane.segments.push(lane.open);
	}
}

const sides = {
	waiting: (it, r) => {
		it.died = false;
		change(it, r.at, 'waiting');
	},
	holding: (it, r) => {
		if (locked) {
			if (it.open) {
				waits.push(r.at - it.open.from);
			}
			if (turnEnd) {
				handOffs.push(Math.max(0, r.at - turnEnd));
			}
			takeOver(it, r);
			turnEnd = 0;
			maxToken = r.token;
			lastHolder = it;
		}
		change(it, r.at, locked ? 'holding' : 'unlocked', r.token);
	},
	writing: (it, r) => {
		turnEnd = r.token >= maxToken ? r.at : turnEnd;
	},
	sold: (it, r) => change(it, r.at),
	'sold out': (it, r) => change(it, r.at),
	done: (it, r) => change(it, r.at),
	stale: (it, r) => {
		log(r.at, `${it.name} used the stale fencing token ${short(it.open?.token)}. The stock refused it: it has seen ${short(maxToken)}.`, true);
		change(it, r.at);
		it.marks.push({ at: r.at, text: '✕', bad: true });
	},
	refused: (it, r) => {
		log(r.at, `${it.name} did not acquire the lock within 10 s.`);
		change(it, r.at);
		it.marks.push({ at: r.at, text: '∅' });
	},
	failed: (it, r) => {
		log(r.at, `${it.name}: ${r.detail}`, true);
		change(it, r.at);
		it.marks.push({ at: r.at, text: '!', bad: true });
	},
};

// A holder that is out and has not released: its lease has expired, as another buyer has the lock.
function takeOver(it, report) {
	const last = lastHolder;
	if (last && last !== it && (last.died || (last.open?.kind === 'holding' && card(last.instance).outage))) {
		log(report.at, `The lease of ${last.name} expired. ${it.name} acquired the lock with token ${short(report.token)}.`);
		if (!last.died) {
			change(last, report.at, 'lost', last.open.token);
		}
	}
}

const outages = { paused: 'is paused (SIGSTOP)', cut: 'is cut from the network', dead: 'is dead' };

const instanceSides = {
	run: (r) => {
		locked = r.detail === 'locked';
		[started, waits, handOffs, turnEnd, renewals, maxToken, lastHolder] = [r.at, [], [], 0, 0, 0, null];
		lanes.forEach((it) => it.row.remove());
		lanes.clear();
		cards.forEach((it) => it.outages = it.outages.filter((outage) => !outage.to));
		log(r.at, locked ? 'Run with the lock.' : 'Run without the lock.');
		say(locked ? 'One purchase at a time …' : 'All buyers at once …');
	},
	ended: (r) => {
		const stock = JSON.parse(r.detail);
		const row = $('runs').tBodies[0].insertRow(0);
		[locked ? 'with the lock' : 'without the lock', stock.supply, stock.sold, stock.oversold, stock.refused]
			.forEach((value) => row.insertCell().textContent = value);
		row.cells[3].className = stock.oversold ? 'bad' : '';
		$('runs').hidden = false;
		$('runs').tBodies[0].rows[6]?.remove();
		say(stock.oversold ? `${stock.sold} mugs sold, but only ${stock.supply} exist.`
			: `${stock.sold} mugs sold, ${stock.left} left, none oversold.`, stock.oversold ? 'bad' : 'good');
	},
	lost: (r) => {
		for (const it of lanes.values()) {
			if (it.open?.token === r.token) {
				change(it, r.at, 'lost', r.token);
				log(r.at, `${it.name} is notified: its lock is lost (${r.detail}).`, true);
			}
		}
	},
	renewed: (r) => {
		renewals++;
		for (const it of lanes.values()) {
			if (it.open?.token === r.token) {
				it.marks.push({ at: r.at, text: '▾' });
			}
		}
	},
	locks: (r) => card(r.instance).locks.textContent = r.detail,
};

function instanceReport(r) {
	if (instanceSides[r.state]) {
		instanceSides[r.state](r);
	}
	else if (r.instance === 'redis') {
		log(r.at, `Redis has ${r.state}.`);
	}
	else if (r.state === 'ready' || outages[r.state]) {
		const it = card(r.instance);
		if (it.outage) {
			it.outage.to = r.at;
		}
		log(r.at, `${r.instance} ${outages[r.state] ?? (card(r.instance).outage ? 'is back' : 'is ready')}.`, r.state !== 'ready');
		it.outage = outages[r.state] ? { from: r.at, word: `▒ ${r.state}` } : null;
		if (it.outage) {
			it.outages.push(it.outage);
		}
		if (r.state === 'dead') {
			it.locks.textContent = '';
			[...lanes.values()].filter((each) => each.instance === r.instance).forEach((each) => {
				each.died = each.open?.kind === 'holding';
				change(each, r.at);
			});
		}
	}
}

function onReports(reports) {
	for (const report of reports) {
		offset = Math.min(offset, Date.now() - report.at);
		latest = state.running || report.buyer ? Math.max(latest, report.at) : latest;
		if (report.buyer) {
			sides[report.state]?.(lane(report), report);
		}
		else {
			instanceReport(report);
		}
	}
}

// Each connection begins with the story so far, so a page draws it anew.
function onStory(reports) {
	lanes.clear();
	cards.forEach((it) => it.root.remove());
	cards.clear();
	$('log').replaceChildren();
	$('runs').tBodies[0].replaceChildren();
	$('runs').hidden = true;
	started = latest = 0;
	offset = Infinity;
	onReports(reports);
}

// ---- State of the lab

function card(name) {
	if (!cards.has(name)) {
		const root = element('div', 'card');
		const header = element('header');
		const [status, locks, row, list] = [element('span', 'status'), element('span', 'locks'), element('div', 'row'), element('ul', 'lanes')];
		const buttons = { PAUSE: 'Pause', CUT: 'Cut network', KILL: 'Kill' };
		for (const kind in buttons) {
			buttons[kind] = row.appendChild(element('button', '', buttons[kind]));
			buttons[kind].addEventListener('click', () => fault(name, kind).catch(() => {}));
		}
		buttons.START = row.appendChild(element('button', '', 'Start'));
		buttons.START.addEventListener('click', () => post(`/instances/${name}/start`).catch(() => {}));
		Object.values(buttons).forEach((it) => it.setAttribute('aria-label', `${it.textContent} ${name}`));
		header.append(element('h3', '', name), status, locks, row);
		root.append(header, list);
		const next = [...cards.keys()].sort().find((other) => other > name);
		$('cards').insertBefore(root, next ? cards.get(next).root : null);
		cards.set(name, { root, status, locks, lanes: list, buttons, outages: [], outage: null });
	}
	return cards.get(name);
}

const words = { STARTING: 'starting', READY: 'running', PAUSED: 'paused', CUT: 'network cut', DEAD: 'dead' };

function onState(next) {
	const first = !state.instances.length;
	state = next;
	for (const [name, it] of cards) {
		if (!next.instances.some((instance) => instance.name === name)) {
			it.root.remove();
			cards.delete(name);
			[...lanes.values()].filter((each) => each.instance === name).forEach((each) => lanes.delete(each.name));
		}
	}
	for (const { name, status } of next.instances) {
		const it = card(name);
		it.status.textContent = words[status];
		it.status.className = `status ${status}`;
		it.buttons.START.hidden = status !== 'DEAD';
		it.buttons.KILL.hidden = status === 'DEAD';
		it.buttons.PAUSE.disabled = it.buttons.CUT.disabled = status !== 'READY';
		it.buttons.PAUSE.hidden = it.buttons.CUT.hidden = status === 'DEAD';
	}
	const starting = next.instances.some((it) => it.status === 'STARTING');
	document.querySelectorAll('[data-run]').forEach((it) => it.disabled = next.running || starting);
	document.querySelectorAll('[data-fault]').forEach((it) => it.disabled = starting || (next.running && !next.run.locked));
	$('stop').disabled = !next.running;
	$('instances').disabled = next.running;
	if (first || document.activeElement !== $('instances')) {
		$('instances').value = next.instances.length;
	}
	if (!started && !next.running) {
		say(starting ? 'Instances are starting …' : 'Ready. Start with step 1.');
	}
	showStock(next);
}

function showStock({ stock, owner, leaseMillis }) {
	if (!stock) {
		$('holder').textContent = 'unknown, Redis does not answer';
		return;
	}
	for (const name of ['supply', 'sold', 'left', 'oversold', 'refused']) {
		$(name).textContent = stock[name];
	}
	$('over').classList.toggle('bad', stock.oversold > 0);
	const whole = Math.max(stock.supply, stock.sold, 1);
	$('barSold').style.width = `${100 * (stock.sold - stock.oversold) / whole}%`;
	$('barOver').style.width = `${100 * stock.oversold / whole}%`;
	const holder = owner?.split(':')[0];
	const retains = holder && /[1-9]\d* retained/.test(card(holder.split('.')[0]).locks.textContent);
	$('holder').textContent = !holder ? 'free' : retains ? `retained by ${holder.split('.')[0]}` : `held by ${holder}`;
	$('lease').style.width = `${Math.min(100, 100 * leaseMillis / LEASE)}%`;
	$('leaseText').textContent = owner ? `lease ${(leaseMillis / 1000).toFixed(1)} s of ${LEASE / 1000} s` : 'no lease';
	$('token').textContent = short(stock.token);
	$('renewals').textContent = renewals;
}

// ---- Drawing

const tiles = new Map();

function stripes(context, color, angle) {
	const key = color + angle;
	if (!tiles.has(key)) {
		tiles.set(key, stripedTile(color, angle));
	}
	return context.createPattern(tiles.get(key), 'repeat');
}

function stripedTile(color, angle) {
	const tile = new OffscreenCanvas(6, 6);
	const pen = tile.getContext('2d');
	pen.fillStyle = pen.strokeStyle = color;
	if (angle === 'vertical') {
		pen.fillRect(0, 0, 2, 6);
	}
	else if (angle === 'horizontal') {
		pen.fillRect(0, 0, 6, 4);
	}
	else {
		pen.lineWidth = 2;
		[[-1, 1, 1, -1], [0, 6, 6, 0], [5, 7, 7, 5]].forEach(([a, b, c, d]) => { pen.moveTo(a, b); pen.lineTo(c, d); });
		pen.stroke();
	}
	return tile;
}

function draw() {
	const style = getComputedStyle(document.documentElement);
	const color = (name) => style.getPropertyValue(name).trim();
	const now = state.running ? Date.now() - offset : latest + 300;
	for (const it of lanes.values()) {
		const { canvas } = it;
		const scale = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
		canvas.width = width * scale;
		canvas.height = height * scale;
		const pen = canvas.getContext('2d');
		pen.scale(scale, scale);
		const x = (at) => width * (1 - (now - at) / WINDOW);
		const fills = { waiting: stripes(pen, color('--wait'), 'vertical'), holding: color('--good'),
			unlocked: stripes(pen, color('--free'), 'horizontal'), lost: stripes(pen, color('--bad')) };
		it.segments = it.segments.filter((segment) => (segment.to ?? now) > now - KEEP);
		for (const { kind, from, to } of it.segments) {
			pen.fillStyle = fills[kind];
			const inset = kind === 'waiting' ? 7 : 2;
			pen.fillRect(x(from), inset, Math.max(1.5, x(to ?? now) - x(from)), height - 2 * inset);
		}
		pen.fillStyle = color('--line');
		for (let seconds = 5; seconds < 20; seconds += 5) {
			pen.fillRect(Math.round(width * seconds / 20), 0, 1, height);
		}
		for (const { from, to } of card(it.instance).outages) {
			pen.globalAlpha = .25;
			pen.fillStyle = pen.strokeStyle = color('--out');
			pen.fillRect(x(from), 0, x(to ?? now) - x(from), height);
			pen.globalAlpha = 1;
			pen.setLineDash([4, 3]);
			pen.strokeRect(x(from), .5, x(to ?? now) - x(from), height - 1);
		}
		pen.font = 'bold 13px system-ui, sans-serif';
		for (const { at, text, bad } of it.marks) {
			pen.fillStyle = color(bad ? '--bad' : '--ink');
			pen.fillText(text, x(at) - 4, text === '▾' ? 10 : 15);
		}
		const word = it.open ? { waiting: '⋯ waiting', holding: '■ holding', unlocked: '■ buying', lost: '▨ lock lost' }[it.open.kind] : '';
		it.word.textContent = card(it.instance).outage?.word ?? (word || (state.running ? '' : 'done'));
	}
}

function plot(title, values, note) {
	const sorted = [...values].sort((a, b) => a - b);
	const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
	const time = (ms) => ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
	const edges = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, Infinity];
	const counts = edges.map((edge, i) => sorted.filter((value) => value < edge && value >= (edges[i - 1] ?? -1)).length);
	const most = Math.max(1, ...counts);
	const bars = counts.map((count, i) => `<rect x="${i * 30 + 2}" width="26" rx="2" y="${62 - 56 * count / most}" height="${56 * count / most}"/>`
		+ (i % 2 ? '' : `<text x="${i * 30 + 28}" y="78" text-anchor="middle">${edges[i] === Infinity ? '' : time(edges[i]).replace('.0', '')}</text>`));
	const summary = sorted.length ? `median ${time(at(.5))}, 95% ${time(at(.95))}, longest ${time(at(1))}` : 'no measurement yet';
	return `<h3>${title} <span>${note}</span></h3><p class="lock">${summary}</p>
		<svg viewBox="0 0 392 84" role="img" aria-label="${title}: ${summary}">${bars.join('')}</svg>`;
}

function plots() {
	$('plots').innerHTML = plot('Wait', waits, 'from the call to the lock') + plot('Hand-off', handOffs, 'from one thought to the next');
}

// ---- Events

const events = new EventSource('/events');
events.addEventListener('story', (event) => onStory(JSON.parse(event.data)));
events.addEventListener('reports', (event) => onReports(JSON.parse(event.data)));
events.addEventListener('state', (event) => onState(JSON.parse(event.data)));
events.addEventListener('open', () => {
	connected = true;
	fail();
});
events.addEventListener('error', () => fail(connected ? 'The lab does not answer. This page reconnects when it is back.' : 'The lab does not answer.'));

const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
setInterval(() => state.running && !calm && draw(), 50);
setInterval(() => {
	draw();
	plots();
}, 500);
plots();
