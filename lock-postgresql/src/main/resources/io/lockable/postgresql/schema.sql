-- Locks on PostgreSQL: three tables, and the functions of the commands. Can be run again. Run it by Flyway, Liquibase or psql, in a schema
-- of the search path of the application's connections.
--
-- Each command first locks the row of its key in lockable_lock, and only then reads the clock. Under READ COMMITTED, each later statement
-- sees all that earlier commands for the key have committed. All rows of a key change under this lock, apart from lockable_sweep().
-- Answers to acquisitions: {1, last token, others waiting, server's clock in microseconds} or {0, last token, 0, 0, remaining microseconds}.

-- A lock. Free: 'ends' is in the past. Shared: no owner, and 'ends' is the end of the last share. 'token' is the last reserved one.
CREATE TABLE IF NOT EXISTS lockable_lock (
	key text COLLATE "C" PRIMARY KEY,
	owner text COLLATE "C",
	ends timestamptz NOT NULL DEFAULT to_timestamp(0),
	token bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- The holders of shared locks, expired if 'ends' is in the past.
CREATE TABLE IF NOT EXISTS lockable_share (
	key text COLLATE "C",
	token bigint,
	owner text COLLATE "C" NOT NULL,
	ends timestamptz NOT NULL,
	PRIMARY KEY (key, token)
) WITH (fillfactor = 50);

-- The queues. 'permits' is the maximum number of sharers, 0 for the exclusive lock; 'asked' the time of the last request.
CREATE TABLE IF NOT EXISTS lockable_waiter (
	key text COLLATE "C",
	seq bigint GENERATED ALWAYS AS IDENTITY,
	owner text COLLATE "C" NOT NULL,
	lease bigint NOT NULL,
	permits integer NOT NULL,
	inbox text NOT NULL,
	asked timestamptz NOT NULL,
	PRIMARY KEY (key, seq)
) WITH (fillfactor = 50);

CREATE OR REPLACE FUNCTION lockable_micros(t timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$ SELECT (extract(epoch FROM t) * 1000000)::bigint $$;

-- Returns the time so many milliseconds later.
CREATE OR REPLACE FUNCTION lockable_after(t timestamptz, ms bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE
AS $$ SELECT t + ms * interval '1 millisecond' $$;

-- Locks the row of a key. Inserts it if it is missing, also if lockable_sweep() has deleted it meanwhile. A request fails if a transaction
-- that lockable_fence() protects takes longer than half a second. A blocked table is a failure of the command, not contention.
CREATE OR REPLACE FUNCTION lockable_begin(k text, request boolean DEFAULT false) RETURNS lockable_lock LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock;
BEGIN
	IF request THEN
		LOCK TABLE lockable_lock, lockable_share, lockable_waiter IN ROW EXCLUSIVE MODE;
		PERFORM set_config('lock_timeout', '500ms', true);
	END IF;
	LOOP
		SELECT * INTO l FROM lockable_lock WHERE key = k FOR UPDATE;
		EXIT WHEN FOUND;
		INSERT INTO lockable_lock (key) VALUES (k) ON CONFLICT DO NOTHING;
	END LOOP;
	RETURN l;
END $$;

-- Returns whether an owner holds the lock exclusively (n = 0), or shares it.
CREATE OR REPLACE FUNCTION lockable_holds(l lockable_lock, o text, n integer, t timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RETURN l.ends > t AND CASE WHEN n = 0 THEN l.owner IS NOT DISTINCT FROM o
		ELSE l.owner IS NULL AND EXISTS (SELECT FROM lockable_share WHERE key = l.key AND owner = o AND ends > t) END;
END $$;

-- Returns whether the holders admit another one: the only one (n = 0), or a sharer among at most n.
CREATE OR REPLACE FUNCTION lockable_admits(l lockable_lock, n integer, t timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RETURN l.ends <= t OR (n > 0 AND l.owner IS NULL AND (SELECT count(*) FROM lockable_share WHERE key = l.key AND ends > t) < n);
END $$;

-- Makes an owner a holder, or extends its lease. The caller has checked that it may enter. Returns the answer.
CREATE OR REPLACE FUNCTION lockable_hold(k text, o text, ms bigint, n integer, t timestamptz) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	until timestamptz := lockable_after(t, ms);
	micros bigint := lockable_micros(t);
	last bigint;
BEGIN
	IF n = 0 THEN
		UPDATE lockable_lock SET owner = o,
			ends = CASE WHEN ends > t AND owner = o THEN greatest(ends, until) ELSE until END,
			token = CASE WHEN ends > t AND owner = o THEN token ELSE greatest(token + 32, micros) END
			WHERE key = k RETURNING token INTO last;
	ELSE
		UPDATE lockable_share SET ends = greatest(ends, until) WHERE key = k AND owner = o AND ends > t RETURNING token INTO last;
		UPDATE lockable_lock SET owner = NULL, ends = greatest(ends, until),
			token = CASE WHEN last IS NULL THEN greatest(token + 32, micros) ELSE token END WHERE key = k;
		IF last IS NULL THEN
			DELETE FROM lockable_share WHERE key = k AND ends <= t;
			INSERT INTO lockable_share (key, token, owner, ends) SELECT key, token, o, until FROM lockable_lock WHERE key = k
				RETURNING token INTO last;
		END IF;
	END IF;
	RETURN ARRAY[1, last, (EXISTS (SELECT FROM lockable_waiter WHERE key = k))::integer, micros];
END $$;

-- The end of a shared lock is that of its last share.
CREATE OR REPLACE FUNCTION lockable_settle(k text, t timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE lockable_lock SET ends = coalesce((SELECT max(ends) FROM lockable_share WHERE key = k AND ends > t), t) WHERE key = k;
END $$;

-- Ends the hold of an owner. Returns whether it held the lock.
CREATE OR REPLACE FUNCTION lockable_leave(k text, o text, t timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	held boolean;
BEGIN
	UPDATE lockable_lock SET owner = NULL, ends = t WHERE key = k AND owner = o AND ends > t;
	held := FOUND;
	DELETE FROM lockable_share WHERE key = k AND owner = o AND ends > t;
	IF FOUND THEN
		held := true;
		PERFORM lockable_settle(k, t);
	END IF;
	RETURN held;
END $$;

-- Queues an owner, or renews the time of its request.
CREATE OR REPLACE FUNCTION lockable_queue(k text, o text, ms bigint, n integer, box text, t timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE lockable_waiter SET asked = t WHERE key = k AND owner = o;
	IF NOT FOUND THEN
		INSERT INTO lockable_waiter (key, owner, lease, permits, inbox, asked) VALUES (k, o, ms, n, box, t);
	END IF;
END $$;

-- Grants the lock to live waiters at the head of the queue, as far as they may enter, and notifies them. The waiter 'asking' receives the
-- answer of the command instead. A waiter that is silent for 25 s is removed, and a granted lease is not longer, in case its owner has died.
-- An empty message is a grant that is too long for a notification.
CREATE OR REPLACE FUNCTION lockable_serve(k text, asking text, t timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock;
	w lockable_waiter;
	alive boolean;
	rest bigint;
	g bigint[];
	message text;
BEGIN
	FOR w IN SELECT * FROM lockable_waiter WHERE key = k ORDER BY seq LOOP
		SELECT * INTO l FROM lockable_lock WHERE key = k;
		alive := w.asked > t - interval '25 seconds';
		EXIT WHEN (alive OR l.owner IS NOT NULL) AND NOT lockable_admits(l, w.permits, t);
		DELETE FROM lockable_waiter WHERE key = k AND seq = w.seq;
		CONTINUE WHEN NOT alive;
		rest := least(w.lease, 25000);
		g := lockable_hold(k, w.owner, rest, w.permits, t);
		CONTINUE WHEN w.owner IS NOT DISTINCT FROM asking;
		message := concat_ws(' ', g[2], g[3], g[4], rest, length(k), k || w.owner);
		PERFORM pg_notify(w.inbox, CASE WHEN octet_length(message) < 8000 THEN message ELSE '' END);
	END LOOP;
END $$;

-- A request for a share without a free permit waits for the first sharer to leave, any other one for the last.
CREATE OR REPLACE FUNCTION lockable_refuse(k text, n integer, t timestamptz) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock;
BEGIN
	SELECT * INTO l FROM lockable_lock WHERE key = k;
	IF n > 0 AND l.owner IS NULL AND NOT lockable_admits(l, n, t) THEN
		l.ends := (SELECT min(ends) FROM lockable_share WHERE key = k AND ends > t);
	END IF;
	RETURN ARRAY[0, l.token, 0, 0, greatest(0, lockable_micros(l.ends) - lockable_micros(t))];
END $$;

-- Lets the commit not wait for the disk, unless the command has granted the lock since its row had the token 'before'. If the server crashes,
-- a lost release leaves the lock to its lease, and a lost request is repeated. The next grant makes both durable.
CREATE OR REPLACE FUNCTION lockable_relax(k text, before bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF (SELECT token FROM lockable_lock WHERE key = k) = before THEN
		PERFORM set_config('synchronous_commit', 'off', true);
	END IF;
END $$;

-- Grants the lock (n = 0) or a share of at most n, if possible. 'way' is 'try', 'queue' if a refused owner waits, or 'fair' if it also waits
-- behind others for a free lock. Shares are always fair.
CREATE OR REPLACE FUNCTION lockable_enter(k text, o text, ms bigint, n integer, box text, way text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k, true);
	t timestamptz := clock_timestamp();
	before bigint := l.token;
	holds boolean := lockable_holds(l, o, n, t);
	behind boolean := false;
BEGIN
	IF NOT holds AND (n > 0 OR way = 'fair') THEN
		PERFORM lockable_queue(k, o, ms, n, box, t) WHERE way <> 'try';
		PERFORM lockable_serve(k, o, t);
		SELECT * INTO l FROM lockable_lock WHERE key = k;
		holds := lockable_holds(l, o, n, t);
		behind := EXISTS (SELECT FROM lockable_waiter WHERE key = k);
	END IF;
	IF holds OR (NOT behind AND lockable_admits(l, n, t)) THEN
		DELETE FROM lockable_waiter WHERE key = k AND owner = o;
		RETURN lockable_hold(k, o, ms, n, t);
	END IF;
	PERFORM lockable_queue(k, o, ms, n, box, t) WHERE way <> 'try';
	PERFORM lockable_relax(k, before);
	RETURN lockable_refuse(k, n, t);
END $$;

-- Grants all locks, or none. Each answer begins with the position of its key, from 1.
CREATE OR REPLACE FUNCTION lockable_enter_all(ks text[], os text[], ms bigint[]) RETURNS SETOF bigint[] LANGUAGE plpgsql AS $$
DECLARE
	i bigint;
	t timestamptz;
BEGIN
	FOR i IN SELECT u.i FROM unnest(ks) WITH ORDINALITY u (k, i) ORDER BY u.k COLLATE "C" LOOP
		PERFORM lockable_begin(ks[i], true);
	END LOOP;
	t := clock_timestamp();
	RETURN QUERY SELECT u.i || lockable_refuse(u.k, 0, t) FROM unnest(ks) WITH ORDINALITY u (k, i) JOIN lockable_lock l ON l.key = u.k
		WHERE l.ends > t AND l.owner IS DISTINCT FROM os[u.i];
	IF NOT FOUND THEN
		RETURN QUERY SELECT u.i || lockable_hold(u.k, os[u.i], ms[u.i], 0, t) FROM unnest(ks) WITH ORDINALITY u (k, i);
	END IF;
END $$;

-- Ends a hold and serves the queue. A withdrawal also removes the owner from the queue, and serves those behind it.
CREATE OR REPLACE FUNCTION lockable_release(k text, o text, withdraw boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	t timestamptz := clock_timestamp();
	held boolean := lockable_leave(k, o, t);
BEGIN
	IF withdraw THEN
		DELETE FROM lockable_waiter WHERE key = k AND owner = o;
	END IF;
	IF held OR withdraw THEN
		PERFORM lockable_serve(k, NULL, t);
	END IF;
	PERFORM lockable_relax(k, l.token);
	RETURN held;
END $$;

-- Extends leases, never shortens them. Locks rows FOR NO KEY UPDATE, which FOR KEY SHARE does not block.
-- Of several rows, a locked or missing one is skipped, and its answer is NULL: it must not delay the others.
CREATE OR REPLACE FUNCTION lockable_extend(ks text[], os text[], ms bigint[]) RETURNS boolean[] LANGUAGE plpgsql AS $$
DECLARE
	i bigint;
	t timestamptz;
	held boolean[];
BEGIN
	FOR i IN SELECT u.i FROM unnest(ks) WITH ORDINALITY u (k, i) ORDER BY u.k COLLATE "C" LOOP
		IF cardinality(ks) = 1 THEN
			PERFORM FROM lockable_lock WHERE key = ks[i] FOR NO KEY UPDATE;
		ELSE
			PERFORM FROM lockable_lock WHERE key = ks[i] FOR NO KEY UPDATE SKIP LOCKED;
			held[i] := NULL;
			CONTINUE WHEN NOT FOUND;
		END IF;
		t := clock_timestamp();
		UPDATE lockable_lock SET ends = greatest(ends, lockable_after(t, ms[i])) WHERE key = ks[i] AND owner = os[i] AND ends > t;
		held[i] := FOUND;
		UPDATE lockable_share SET ends = greatest(ends, lockable_after(t, ms[i])) WHERE key = ks[i] AND owner = os[i] AND ends > t;
		IF FOUND THEN
			held[i] := true;
			PERFORM lockable_settle(ks[i], t);
		END IF;
	END LOOP;
	RETURN held;
END $$;

-- Replaces an owner by a holder that keeps the lock or the share for a time, and removes it from the queue. Idempotent.
CREATE OR REPLACE FUNCTION lockable_keep(k text, o text, kept text, ms bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	t timestamptz := clock_timestamp();
BEGIN
	DELETE FROM lockable_waiter WHERE key = k AND owner = o;
	UPDATE lockable_lock SET owner = kept, ends = lockable_after(t, ms) WHERE key = k AND owner = o AND ends > t;
	UPDATE lockable_share SET owner = kept, ends = lockable_after(t, ms) WHERE key = k AND owner = o AND ends > t;
	IF FOUND THEN
		PERFORM lockable_settle(k, t);
	END IF;
	RETURN EXISTS (SELECT FROM lockable_lock r WHERE key = k AND (lockable_holds(r, kept, 0, t) OR lockable_holds(r, kept, 1, t)));
END $$;

-- Transfers an exclusive lock to a successor (n = 0), or exchanges it for a share of the successor (n = 1). Idempotent.
CREATE OR REPLACE FUNCTION lockable_transfer(k text, o text, successor text, ms bigint, n integer) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	t timestamptz := clock_timestamp();
BEGIN
	IF lockable_holds(l, o, 0, t) THEN
		DELETE FROM lockable_waiter WHERE key = k AND owner = successor;
		PERFORM lockable_leave(k, o, t);
		PERFORM lockable_hold(k, successor, ms, n, t);
		PERFORM lockable_serve(k, successor, t);
	ELSIF NOT lockable_holds(l, successor, n, t) THEN
		RETURN lockable_refuse(k, 0, t);
	END IF;
	RETURN lockable_hold(k, successor, ms, n, t);
END $$;

-- Releases the lock, and requests it for nxt. The answer begins with whether o held the lock.
CREATE OR REPLACE FUNCTION lockable_yield(k text, o text, nxt text, ms bigint, box text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	held boolean := lockable_leave(k, o, clock_timestamp());
BEGIN
	RETURN held::integer::bigint || lockable_enter(k, nxt, ms, 0, box, 'fair');
END $$;

-- Called in another transaction before its commit: returns the positions of the locks that their owners no longer hold, from 1. Until that
-- transaction ends, the others can be extended, but not released or acquired. Under a higher isolation level, rows would be those of the
-- transaction's start.
CREATE OR REPLACE FUNCTION lockable_fence(ks text[], os text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
	i bigint;
	l lockable_lock;
	t timestamptz;
BEGIN
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION 'the fence of locks needs the isolation level read committed' USING ERRCODE = 'invalid_transaction_state';
	END IF;
	FOR i IN SELECT u.i FROM unnest(ks) WITH ORDINALITY u (k, i) ORDER BY u.k COLLATE "C" LOOP
		SELECT * INTO l FROM lockable_lock WHERE key = ks[i] FOR KEY SHARE;
		t := clock_timestamp();
		IF (lockable_holds(l, os[i], 0, t) OR lockable_holds(l, os[i], 1, t)) IS NOT TRUE THEN
			RETURN NEXT i;
		END IF;
	END LOOP;
END $$;

-- Deletes rows that expired a minute ago, at most 1,000 of each table, without waiting for a lock. Returns whether there may be more.
-- Tokens grow without these rows, as they follow the clock.
CREATE OR REPLACE FUNCTION lockable_sweep() RETURNS boolean LANGUAGE sql AS $$
	WITH before AS (SELECT clock_timestamp() - interval '1 minute' AS t),
		locks AS (DELETE FROM lockable_lock WHERE key IN (
			SELECT key FROM lockable_lock, before WHERE ends < t LIMIT 1000 FOR UPDATE OF lockable_lock SKIP LOCKED) RETURNING 1),
		shares AS (DELETE FROM lockable_share WHERE (key, token) IN (
			SELECT key, token FROM lockable_share, before WHERE ends < t LIMIT 1000 FOR UPDATE OF lockable_share SKIP LOCKED) RETURNING 1),
		waiters AS (DELETE FROM lockable_waiter WHERE (key, seq) IN (
			SELECT key, seq FROM lockable_waiter, before WHERE asked < t LIMIT 1000 FOR UPDATE OF lockable_waiter SKIP LOCKED) RETURNING 1)
	SELECT 1000 IN ((SELECT count(*) FROM locks), (SELECT count(*) FROM shares), (SELECT count(*) FROM waiters))
$$;
