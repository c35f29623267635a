// The page of the lab: reads /events, draws them, and posts commands. No library and no build.

const $ = (id) => document.getElementById(id);
const LEASE = 2000, PIXELS_PER_SECOND = 64, KEEP = 60000;
const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
const instances = new Map();
const runs = { with: newRun('with'), without: newRun('without') };
let run = runs.with, scene = null, state = { running: false, instances: [] }, offset = Infinity, connected = false, following = false;

/** The last run of a kind, and its part of the page. */
function newRun(id) {
	const find = (selector) => $(id).querySelector(selector);
	return reset({ locked: id === 'with', root: $(id), canvas: find('canvas'), groups: find('.groups'), flag: find('.flag'), note: find('.note') });
}

function reset(run, at = 0) {
	run.groups.replaceChildren();
	run.root.classList.toggle('unused', !at);
	return Object.assign(run, { started: at, latest: at, ended: false, stock: null, lists: new Map(), lanes: new Map(), handOvers: [], waits: [], handOffs: [],
		turns: 0, turnEnd: 0, maxToken: 0, lastHolder: null, renewals: 0 });
}

function element(tag, className, text) {
	const result = document.createElement(tag);
	result.className = className ?? '';
	result.textContent = text ?? '';
	return result;
}

const short = (token) => token ? `…${String(token).slice(-8)}` : '–';
const seconds = (at) => run.started && at >= run.started ? `${((at - run.started) / 1000).toFixed(2)} s` : '–';
const duration = (ms) => ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
const mugs = (count) => `${count} mug${count === 1 ? '' : 's'}`;

function setText(target, text) {
	if (target.textContent !== text) {
		target.textContent = text;
	}
}

function log(at, text, bad) {
	const line = element('p', bad ? 'bad' : '');
	line.append(element('time', '', seconds(at)), text);
	$('log').querySelector('.empty')?.remove();
	$('log').prepend(line);
	while ($('log').children.length > 100) {
		$('log').lastChild.remove();
	}
}

/** The verdict. A screen reader reads it when it changes. */
function say(headline, detail, mood = '') {
	setText($('headline'), headline);
	setText($('detail'), detail);
	$('hero').className = `hero ${mood}`;
}

/** Answers a question. Further texts follow with their events. */
function answer(text = '') {
	$('answer').replaceChildren(element('p', '', text));
}

const alsoAnswer = (text) => $('answer').append(element('p', '', text));

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
function onClick(button, action) {
	let inProgress = false;
	button.addEventListener('click', async (event) => {
		if (inProgress || event.detail > 1 || button.ariaDisabled === 'true') {
			return;
		}
		inProgress = true;
		await action().catch((error) => console.warn(error.message));
		inProgress = false;
	});
}

/** Greys a button for a reason. It keeps the focus, so that a screen reader reads the reason. */
function grey(button, reason) {
	button.ariaDisabled = String(Boolean(reason));
	button.title = reason ?? '';
	const hint = $(button.getAttribute('aria-describedby'));
	hint.dataset.text ??= hint.textContent;
	setText(hint, reason ?? hint.dataset.text);
}

async function buy(locked) {
	if (!$('mugs').value) {
		fail('Enter the number of mugs, from 1 to 1000');
		throw new Error('No number of mugs');
	}
	await post(`/run?locked=${locked}&mugs=${$('mugs').value}&buyers=${$('buyers').value}&think=${$('think').value}`);
}

const fault = (name, kind) => post(`/instances/${name}/faults?fault=${kind}`);

// What concerns the holder needs one: it starts a run with the lock if there is none.
async function withHolder(action) {
	if (!state.running) {
		run.maxToken = 0;
		await buy(true);
		for (let i = 0; i < 1200 && !(run.locked && run.maxToken); i++) {
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
	await action();
}

const faultOfHolder = (kind) => withHolder(() => fault('holder', kind));

async function pause() {
	following = true;
	follow();
	await faultOfHolder('PAUSE');
}

/** Keeps the refused write in view after a click on its button. */
function follow() {
	if (following) {
		$($('clash').hidden ? 'fence' : 'clash').scrollIntoView({ block: 'nearest', behavior: calm ? 'auto' : 'smooth' });
	}
}

onClick($('unlocked'), () => buy(false));
onClick($('locked'), () => buy(true));
onClick($('pause'), pause);
onClick($('kill'), () => faultOfHolder('KILL'));
onClick($('cut'), () => faultOfHolder('CUT'));
onClick($('server'), () => post('/server/restart'));
onClick($('deadlock'), () => post('/deadlock'));
onClick($('holder'), () => withHolder(() => post('/holder')));
onClick($('stop'), () => post('/stop'));
$('instances').addEventListener('change', () => post(`/instances?count=${$('instances').value}`).catch(() => {}));

// ---- Reports of the buyers

function lane(report) {
	const name = `${report.instance}.buyer-${report.buyer}`;
	if (!run.lanes.has(name)) {
		const row = element('li', 'lane', report.buyer);
		row.style.order = report.buyer;
		group(report.instance).append(row);
		run.lanes.set(name, { name, instance: report.instance, row, segments: [], marks: [], open: null });
	}
	return run.lanes.get(name);
}

function group(name) {
	if (!run.lists.has(name)) {
		const root = element('li');
		root.style.order = name.replace(/\D/g, '');
		root.append(element('h3', '', name), element('ul'));
		run.groups.append(root);
		run.lists.set(name, root.lastChild);
	}
	return run.lists.get(name);
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
		change(it, r.at, run.locked ? 'waiting' : null);
	},
	holding: (it, r) => {
		if (run.locked && r.token > run.maxToken) {
			acquire(it, r);
		}
		change(it, r.at, run.locked ? 'holding' : 'unlocked', r.token);
	},
	writing: (it, r) => {
		run.turnEnd = r.token >= run.maxToken ? r.at : run.turnEnd;
	},
	sold: (it, r) => change(it, r.at),
	'sold out': (it, r) => change(it, r.at),
	done: (it, r) => change(it, r.at),
	stale: (it, r) => {
		const token = it.open?.token;
		log(r.at, `${it.name} used the stale fencing token ${short(token)}. The stock refused it: it has seen ${short(run.maxToken)}.`, true);
		change(it, r.at);
		it.marks.push({ at: r.at, text: '✕', bad: true });
		refuse(it, r.at, token);
	},
	refused: (it, r) => {
		log(r.at, `${it.name}: ${r.detail}`);
		change(it, r.at);
		it.marks.push({ at: r.at, text: '∅' });
	},
	failed: (it, r) => {
		log(r.at, `${it.name}: ${r.detail}`, true);
		change(it, r.at);
		it.marks.push({ at: r.at, text: '!', bad: true });
	},
};

function acquire(it, r) {
	const last = run.lastHolder;
	const expired = last && last !== it && expire(last, it, r);
	if (it.open) {
		run.waits.push(r.at - it.open.from);
	}
	if (run.turnEnd) {
		run.handOffs.push(Math.max(0, r.at - run.turnEnd));
	}
	if (last && last !== it) {
		run.handOvers.push({ from: last, to: it, left: expired ? r.at : run.turnEnd || r.at, at: r.at, expired });
	}
	Object.assign(run, { turns: run.turns + 1, turnEnd: 0, maxToken: r.token, lastHolder: it });
}

// A holder that is out and has not released: its lease has expired, as another buyer has the lock.
function expire(last, it, report) {
	const expired = last.died || (last.open?.kind === 'holding' && instances.get(last.instance)?.outage);
	if (expired) {
		log(report.at, `The lease of ${last.name} expired. ${it.name} acquired the lock with token ${short(report.token)}.`);
	}
	if (expired && !last.died) {
		const { token } = last.open;
		change(last, report.at, 'lost', token);
		if (scene?.instance === last.instance) {
			Object.assign(scene, { stale: last.name, token, next: it.name, fresh: it.name, seen: report.token, expiredAt: report.at });
			say('Another buyer has the lock', `The lease of ${last.name} expired, but ${last.instance} does not know.`);
			showScene();
			follow();
		}
	}
	return expired;
}

// ---- The write that is refused

const ofScene = (name) => scene && !scene.refusedAt && scene.instance === name;

function refuse(it, at, token) {
	if (ofScene(it.instance) && token) {
		Object.assign(scene, { stale: it.name, token, fresh: run.lastHolder.name, seen: run.maxToken, expiredAt: scene.expiredAt ?? at, refusedAt: at });
		say('The stock refused a stale write', `${it.name} wrote with token ${short(token)}, but the stock has seen ${short(run.maxToken)}.`, 'good');
		showScene();
		follow();
		following = false;
	}
}

/** Splits two tokens where they begin to differ. */
function showTokens(token, seen) {
	const texts = [String(token), String(seen)];
	const same = [...texts[0]].findIndex((digit, i) => digit !== texts[1][i]);
	['staleToken', 'seenToken'].forEach((id, i) => $(id).replaceChildren(element('span', '', texts[i].slice(0, same)), element('b', '', texts[i].slice(same))));
}

function showScene() {
	const { instance, word, stale, token, next, fresh, seen, pausedAt, expiredAt, refusedAt, over } = scene ?? {};
	const backAt = scene?.backAt ?? refusedAt;
	const steps = [
		[pausedAt, pausedAt ? `${stale ?? instance} holds the lock and ${word}.` : 'The holder pauses in the middle of a purchase.'],
		[expiredAt, expiredAt ? `Its lease expires, and ${next ?? fresh} acquires the lock with a larger token.` : 'Its lease expires, and another buyer acquires the lock with a larger token.'],
		[expiredAt && backAt, expiredAt && backAt ? `${instance} is back, and writes with the old token.` : 'The old holder wakes up, and writes with the old token.'],
		[refusedAt, 'The stock has seen a larger token, and refuses the write.'],
	];
	$('scenes').replaceChildren(...steps.map(([at, text]) => {
		const step = element('li', at ? 'past' : '', text);
		step.append(element('time', '', at ? `after ${seconds(at)}` : ''));
		return step;
	}));
	$('clash').hidden = !expiredAt;
	$('clash').classList.toggle('refused', Boolean(refusedAt));
	if (expiredAt) {
		showTokens(token, seen);
		setText($('staleName'), `${stale} ${refusedAt ? 'writes with token' : 'still has token'}`);
		setText($('seenName'), `${refusedAt ? 'has seen' : 'accepts'} the token of ${fresh}`);
		setText($('stamp'), refusedAt ? 'Refused' : over ? 'No write was late' : 'asleep …');
		setText($('because'), refusedAt ? `${short(token)} is smaller\nthan ${short(seen)}.` : over ? 'Pause the holder again.' : 'It does not know that its lock is lost.');
	}
	setText($('fenceLead'), scene && over && !refusedAt ? 'This time, the pause left no late write. Press “Pause the holder” again.'
		: (scene ? '' : 'Press “Pause the holder” to see it. ') + LEAD);
}

const LEAD = $('fenceLead').textContent;

// ---- Reports about the instances

const outages = { paused: 'is paused (SIGSTOP)', cut: 'is cut from the network', dead: 'is dead' };

const instanceSides = {
	run: (r) => {
		run = reset(runs[r.detail === 'locked' ? 'with' : 'without'], r.at);
		scene = run.locked ? null : scene;
		instances.forEach((it) => it.outages = it.outages.filter((outage) => !outage.to));
		log(r.at, run.locked ? 'Run with the lock.' : 'Run without the lock.');
		say(run.locked ? 'One purchase at a time …' : 'All buyers at once …',
			run.locked ? 'Each buyer waits until the lock is handed over.' : 'Each buyer reads the stock while others write it.');
		showScene();
	},
	ended: (r) => {
		run.stock = JSON.parse(r.detail);
		run.ended = true;
		const { supply, sold, left, oversold, refused } = run.stock;
		const row = $('runs').tBodies[0].insertRow(0);
		[run.locked ? 'with the lock' : 'without the lock', supply, sold, oversold, refused].forEach((value) => row.insertCell().textContent = value);
		row.cells[3].className = oversold ? 'bad' : '';
		$('runs').hidden = false;
		$('runs').tBodies[0].rows[6]?.remove();
		const details = [oversold ? 'The buyers overwrote each other’s stock.' : run.locked ? 'Each mug was sold once.' : '', left ? `${left} left.` : '',
			refused ? `The stock refused ${refused} stale ${refused === 1 ? 'access' : 'accesses'}.` : ''];
		say(oversold ? `${mugs(sold)} sold. Only ${supply} exist.` : `${mugs(sold)} sold. None oversold.`, details.filter(Boolean).join(' '),
			oversold ? 'bad' : 'good');
		if (scene && run.locked) {
			scene.over = true;
			showScene();
		}
		showRun(run);
	},
	lost: (r) => {
		for (const it of run.lanes.values()) {
			if (it.open?.token === r.token) {
				change(it, r.at, 'lost', r.token);
				log(r.at, `${it.name} is notified: its lock is lost (${r.detail}).`, true);
			}
		}
	},
	renewed: (r) => {
		run.renewals++;
		for (const it of run.lanes.values()) {
			if (it.open?.token === r.token) {
				it.marks.push({ at: r.at, text: '▾' });
			}
		}
	},
	circle: (r) => {
		log(r.at, 'Each instance locks a shelf, then the shelf of the next instance.');
		answer('The calls wait for each other. The deadlock is found in a few seconds …');
	},
	deadlock: (r) => {
		const calls = r.detail.split('\n');
		const title = `Deadlock of ${calls.length} calls`;
		log(r.at, `${title}: ${calls.join('; ')}`, true);
		// The outcome of another instance may arrive earlier.
		$('answer').firstChild?.replaceWith(...[`${title}:`, ...calls].map((text) => element('p', '', text)));
	},
	'gave up': (r) => {
		const reason = r.detail.split('. ')[0];
		log(r.at, `The call of ${r.instance} fails: ${reason}.`, true);
		alsoAnswer(`The call of ${r.instance} fails: ${reason}.`);
	},
	both: (r) => {
		log(r.at, `${r.instance} has locked both shelves.`);
		alsoAnswer(`${r.instance} has locked both shelves.`);
	},
	holder: (r) => {
		log(r.at, r.detail);
		answer(r.detail);
	},
	locks: (r) => setText(instance(r.instance).locks, r.detail),
};

function instanceReport(r) {
	if (instanceSides[r.state]) {
		instanceSides[r.state](r);
	}
	else if (r.instance === 'server') {
		log(r.at, `The server has ${r.state}.`);
	}
	else if (r.state === 'ready' || outages[r.state]) {
		statusReport(instance(r.instance), r);
	}
}

function statusReport(it, r) {
	if (it.outage) {
		it.outage.to = r.at;
	}
	log(r.at, `${r.instance} ${outages[r.state] ?? (it.outage ? 'is back' : 'is ready')}.`, r.state !== 'ready');
	it.outage = outages[r.state] ? { from: r.at } : null;
	if (it.outage) {
		it.outages.push(it.outage);
	}
	if (r.state === 'dead') {
		it.locks.textContent = '';
		[...run.lanes.values()].filter((each) => each.instance === r.instance).forEach((each) => {
			each.died = each.open?.kind === 'holding';
			change(each, r.at);
		});
	}
	else if (r.state === 'ready' && ofScene(r.instance)) {
		scene.backAt = r.at;
	}
	else if (['paused', 'cut'].includes(r.state) && run.locked && !run.ended) {
		scene = { instance: r.instance, word: outages[r.state], pausedAt: r.at };
		say(`${r.instance} ${r.state === 'cut' ? 'has no network' : 'is paused'}`, 'It holds the lock, but cannot renew its lease of 2 s.');
	}
	showScene();
}

function onReports(reports) {
	for (const report of reports) {
		offset = Math.min(offset, Date.now() - report.at);
		run.latest = state.running || report.buyer ? Math.max(run.latest, report.at) : run.latest;
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
	Object.values(runs).forEach((it) => reset(it));
	instances.forEach((it) => it.root.remove());
	instances.clear();
	$('log').replaceChildren();
	answer();
	$('runs').tBodies[0].replaceChildren();
	$('runs').hidden = true;
	scene = null;
	offset = Infinity;
	onReports(reports);
	Object.values(runs).forEach(showRun);
	showScene();
}

// ---- State of the lab

function instance(name) {
	if (!instances.has(name)) {
		const [root, status, locks] = [element('li'), element('span', 'status'), element('span', 'locks')];
		status.id = `status-${name}`;
		const buttons = { PAUSE: 'Pause', CUT: 'Cut network', KILL: 'Kill', START: 'Start' };
		root.append(element('b', '', name), status, locks);
		for (const kind in buttons) {
			const button = buttons[kind] = root.appendChild(element('button', '', buttons[kind]));
			button.setAttribute('aria-label', `${button.textContent} ${name}`);
			button.setAttribute('aria-describedby', status.id);
			onClick(button, () => kind === 'START' ? post(`/instances/${name}/start`) : fault(name, kind));
		}
		const next = [...instances.keys()].sort().find((other) => other > name);
		$('cards').insertBefore(root, next ? instances.get(next).root : null);
		instances.set(name, { root, status, locks, buttons, outages: [], outage: null });
	}
	return instances.get(name);
}

const words = { STARTING: 'starting', READY: 'running', PAUSED: 'paused', CUT: 'network cut', DEAD: 'dead' };

function onState(next) {
	const first = !state.instances.length;
	state = next;
	for (const [name, it] of instances) {
		if (!next.instances.some((each) => each.name === name)) {
			it.root.remove();
			instances.delete(name);
		}
	}
	next.instances.forEach(showInstance);
	const starting = next.instances.some((it) => it.status === 'STARTING');
	showButtons(starting);
	$('instances').disabled = next.running;
	if (first || document.activeElement !== $('instances')) {
		$('instances').value = next.instances.length;
	}
	if (!run.started && !next.running) {
		say(starting ? 'The instances are starting …' : 'Will the shop oversell?', starting ? 'Each one is a process of its own.'
			: 'Press “Buy without the lock”, then “Buy with the lock”, then “Pause the holder”.');
	}
	// A state may arrive before the start of its run.
	if (next.stock && run.started && next.running && !run.ended) {
		run.stock = next.stock;
		showRun(run);
		if (!run.locked && next.stock.oversold) {
			say('The shop is overselling', `More than ${mugs(next.stock.supply)} are sold.`, 'bad');
		}
	}
	showLock(next);
}

function showInstance({ name, status }) {
	const { status: label, buttons } = instance(name);
	setText(label, words[status]);
	label.className = `status ${status}`;
	const reason = status === 'READY' ? '' : `${name} is ${words[status]}`;
	for (const kind of ['PAUSE', 'CUT']) {
		buttons[kind].ariaDisabled = String(Boolean(reason));
		buttons[kind].title = reason;
	}
	buttons.START.hidden = status !== 'DEAD';
	buttons.KILL.hidden = buttons.PAUSE.hidden = buttons.CUT.hidden = status === 'DEAD';
}

function showButtons(starting) {
	const start = starting ? 'Instances are starting.' : null;
	const busy = state.running ? 'A run is in progress.' : start;
	const noHolder = state.running && !state.run.locked ? 'This run has no lock, so it has no holder.' : start;
	grey($('unlocked'), busy);
	grey($('locked'), busy);
	['pause', 'kill', 'cut', 'holder'].forEach((id) => grey($(id), noHolder));
	grey($('deadlock'), start);
	grey($('stop'), state.running ? null : 'No run is in progress.');
	setText($('instancesHint'), state.running ? 'The number of instances cannot change during a run.' : 'The settings apply to the next run.');
	const next = !runs.without.started ? 'unlocked' : !runs.with.started ? 'locked' : 'pause';
	['unlocked', 'locked', 'pause'].forEach((id) => $(id).classList.toggle('next', id === next));
}

function showRun({ root, stock, locked, flag }) {
	const parts = root.querySelectorAll('[data-of]');
	parts.forEach((it) => setText(it, String(stock?.[it.dataset.of] ?? '–')));
	const { supply, sold, oversold, refused } = stock ?? { supply: 1, sold: 0, oversold: 0 };
	const whole = Math.max(supply, sold, 1);
	root.querySelector('.bar .sold').style.width = `${100 * (sold - oversold) / whole}%`;
	root.querySelector('.bar .over').style.width = `${100 * oversold / whole}%`;
	setText(flag, `${oversold} oversold` + (refused ? `, ${refused} refused` : ''));
	flag.className = `flag ${oversold ? 'bad' : locked ? 'good' : ''}`;
}

function showLock({ stock, owner, leaseMillis }) {
	const { note, waits, handOffs, renewals, started } = runs.with;
	if (!started) {
		return;
	}
	if (!stock) {
		setText(note, 'The server does not answer.');
		return;
	}
	const holder = owner?.split(':')[0], name = holder?.split('.')[0];
	const retains = name && /[1-9]\d* retained/.test(instance(name).locks.textContent);
	const held = !holder ? 'The lock is free' : `${retains ? `retained by ${name}` : `held by ${holder}`}, lease ${(leaseMillis / 1000).toFixed(1)} of ${LEASE / 1000} s`;
	const median = [...handOffs].sort((a, b) => a - b)[Math.floor(handOffs.length / 2)];
	setText(note, `${held}. Token ${short(stock.token)}. ${renewals} renewals.` + (median === undefined ? '' : ` Hand-off: median ${duration(median)}.`));
}

// ---- Drawing

function draw(it) {
	if (!it.started) {
		return;
	}
	const style = getComputedStyle(document.documentElement);
	const color = (name) => style.getPropertyValue(`--${name}`).trim();
	const now = state.running && it === run ? Date.now() - offset : it.latest + 100;
	const { canvas } = it, scale = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
	canvas.width = width * scale;
	canvas.height = height * scale;
	const pen = canvas.getContext('2d');
	pen.scale(scale, scale);
	const x = (at) => width - (now - at) * PIXELS_PER_SECOND / 1000;
	const top = (lane) => lane.row.offsetTop;
	drawAxis(pen, it, x, height, color);
	for (const lane of it.lanes.values()) {
		drawLane(pen, lane, x, now, top(lane), color);
	}
	it.handOvers = it.handOvers.filter((each) => each.at > now - KEEP);
	for (const { from, to, left, at, expired } of it.handOvers) {
		drawHandOver(pen, [x(left), top(from) + 10], [x(at), top(to) + 10], color(expired ? 'bad' : 'ink'), expired);
	}
	canvas.setAttribute('aria-label', it.locked ? `Timeline: one of ${it.lanes.size} buyers holds the lock at a time, ${it.turns} purchases`
		: `Timeline: the purchases of ${it.lanes.size} buyers overlap`);
}

function drawAxis(pen, { started }, x, height, color) {
	pen.font = '11px system-ui, sans-serif';
	for (let second = Math.max(0, Math.floor(-x(started) / PIXELS_PER_SECOND)), left = x(started + 1000 * second); left < pen.canvas.clientWidth;
		second++, left += PIXELS_PER_SECOND) {
		pen.fillStyle = color('line');
		pen.fillRect(Math.round(left), 0, 1, height - 14);
		pen.fillStyle = color('soft');
		pen.fillText(`${second} s`, left + 2, height - 2);
	}
}

function drawLane(pen, lane, x, now, top, color) {
	const colors = { holding: color('good'), unlocked: color('free'), waiting: color('wait'), lost: color('bad') };
	lane.segments = lane.segments.filter((segment) => (segment.to ?? now) > now - KEEP);
	for (const { from, to } of instances.get(lane.instance)?.outages ?? []) {
		pen.globalAlpha = .35;
		pen.fillStyle = color('out');
		pen.fillRect(x(from), top, x(to ?? now) - x(from), 20);
		pen.globalAlpha = 1;
	}
	for (const { kind, from, to } of lane.segments) {
		const left = x(from), width = Math.max(2, x(to ?? now) - left);
		pen.fillStyle = pen.strokeStyle = colors[kind];
		pen.lineWidth = 2;
		pen.setLineDash(kind === 'lost' ? [4, 3] : [2, 3]);
		if (kind === 'waiting') {
			pen.beginPath();
			pen.moveTo(left, top + 10);
			pen.lineTo(left + width, top + 10);
			pen.stroke();
		}
		else if (kind === 'lost') {
			pen.strokeRect(left, top + 4, width, 12);
		}
		else {
			pen.beginPath();
			pen.roundRect(left, top + 3, width, 14, 2);
			pen.fill();
		}
	}
	pen.font = 'bold 13px system-ui, sans-serif';
	for (const { at, text, bad } of lane.marks) {
		pen.fillStyle = color(bad ? 'bad' : 'ink');
		pen.fillText(text, x(at) - 4, top + (text === '▾' ? 9 : 15));
	}
}

/** An arrow from the end of a turn to the start of the next one. */
function drawHandOver(pen, [x1, y1], [x2, y2], stroke, dashed) {
	const down = Math.sign(y2 - y1), tip = y2 - 7 * down;
	pen.strokeStyle = pen.fillStyle = stroke;
	pen.lineWidth = 1.25;
	pen.setLineDash(dashed ? [4, 3] : []);
	pen.beginPath();
	pen.moveTo(x1, y1 + 7 * down);
	pen.lineTo(x2, tip - 4 * down);
	pen.stroke();
	pen.beginPath();
	pen.moveTo(x2, tip);
	pen.lineTo(x2 - 3, tip - 5 * down);
	pen.lineTo(x2 + 3, tip - 5 * down);
	pen.fill();
}

function plot(title, values, note) {
	const sorted = [...values].sort((a, b) => a - b);
	const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
	const edges = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, Infinity];
	const counts = edges.map((edge, i) => sorted.filter((value) => value < edge && value >= (edges[i - 1] ?? -1)).length);
	const most = Math.max(1, ...counts);
	const bars = counts.map((count, i) => `<rect x="${i * 30 + 2}" width="26" rx="2" y="${62 - 56 * count / most}" height="${56 * count / most}"/>`
		+ (i % 2 ? '' : `<text x="${i * 30 + 28}" y="78" text-anchor="middle">${edges[i] === Infinity ? '' : duration(edges[i]).replace('.0', '')}</text>`));
	const summary = `median ${duration(at(.5))}, 95% ${duration(at(.95))}, longest ${duration(at(1))}`;
	return `<h3>${title} <span>${note}</span></h3><p class="locks">${summary}</p>
		<svg viewBox="0 0 392 84" role="img" aria-label="${title}: ${summary}">${bars.join('')}</svg>`;
}

function plots() {
	const { waits, handOffs } = runs.with;
	$('plots').innerHTML = (waits.length ? plot('Wait', waits, 'from the call to the lock') : '<p class="empty">No measurement yet. Press <b>Buy with the lock</b>.</p>')
		+ (handOffs.length ? plot('Hand-off', handOffs, 'from one thought to the next') : '');
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

const drawAll = () => Object.values(runs).forEach(draw);
addEventListener('resize', drawAll);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
setInterval(() => state.running && !calm && draw(run), 50);
setInterval(() => {
	drawAll();
	plots();
}, 500);
plots();
showScene();
