-- Locks on PostgreSQL: three tables, and one function for each command. Can be run again. Run it by Flyway, Liquibase or psql, in a schema
-- of the search path of the application's connections.
--
-- Each function first locks the row of the key in lockable_lock, and only then reads the clock. Under READ COMMITTED, each later statement
-- sees all that earlier commands for the key have committed. All rows of a key change under this lock, apart from lockable_sweep().
-- Answers: {1, last token, others waiting, microseconds} or {0, last token, 0, 0, remaining microseconds}.

-- A lock. Free: 'ends' is in the past. Shared: no owner, and 'ends' is the end of the last share. 'token' is the last reserved one.
CREATE TABLE IF NOT EXISTS lockable_lock (
	key text COLLATE "C" PRIMARY KEY,
	owner text COLLATE "C",
	ends timestamptz NOT NULL DEFAULT to_timestamp(0),
	token bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- The holders of shared locks; those in the past have left.
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

CREATE OR REPLACE FUNCTION lockable_micros(t timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT (extract(epoch FROM t) * 1000000)::bigint
$$;

-- The end of a lease in milliseconds.
CREATE OR REPLACE FUNCTION lockable_after(t timestamptz, lease bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
	SELECT t + lease * interval '1 millisecond'
$$;

-- Locks the row of a key. Inserts it if it is missing, also if lockable_sweep() has deleted it meanwhile.
CREATE OR REPLACE FUNCTION lockable_begin(k text) RETURNS lockable_lock LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock;
BEGIN
	LOOP
		SELECT * INTO l FROM lockable_lock WHERE key = k FOR UPDATE;
		IF FOUND THEN
			RETURN l;
		END IF;
		INSERT INTO lockable_lock (key) VALUES (k) ON CONFLICT DO NOTHING;
	END LOOP;
END $$;

CREATE OR REPLACE FUNCTION lockable_sharers(k text, t timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT count(*) FROM lockable_share WHERE key = k AND ends > t);
END $$;

-- Returns whether an owner holds the lock exclusively (n = 0), or shares it.
CREATE OR REPLACE FUNCTION lockable_holds(l lockable_lock, o text, n integer, t timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF n = 0 THEN
		RETURN l.ends > t AND l.owner IS NOT DISTINCT FROM o;
	END IF;
	RETURN l.ends > t AND l.owner IS NULL AND EXISTS (SELECT FROM lockable_share WHERE key = l.key AND owner = o AND ends > t);
END $$;

-- Makes an owner a holder, or extends its lease. Returns its last token. The caller has checked that it may enter.
CREATE OR REPLACE FUNCTION lockable_hold(k text, o text, lease bigint, n integer, t timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	until timestamptz := lockable_after(t, lease);
	last bigint;
BEGIN
	IF n = 0 THEN
		UPDATE lockable_lock l SET owner = o,
			ends = CASE WHEN l.ends > t AND l.owner = o THEN greatest(l.ends, until) ELSE until END,
			token = CASE WHEN l.ends > t AND l.owner = o THEN l.token ELSE greatest(l.token + 32, lockable_micros(t)) END
			WHERE l.key = k RETURNING l.token INTO last;
		RETURN last;
	END IF;
	UPDATE lockable_share SET ends = greatest(ends, until) WHERE key = k AND owner = o AND ends > t RETURNING token INTO last;
	IF FOUND THEN
		UPDATE lockable_lock SET ends = greatest(ends, until) WHERE key = k;
	ELSE
		DELETE FROM lockable_share WHERE key = k AND ends <= t;
		UPDATE lockable_lock SET owner = NULL, ends = greatest(ends, until), token = greatest(token + 32, lockable_micros(t))
			WHERE key = k RETURNING token INTO last;
		INSERT INTO lockable_share (key, token, owner, ends) VALUES (k, last, o, until);
	END IF;
	RETURN last;
END $$;

-- The end of a shared lock is that of its last share.
CREATE OR REPLACE FUNCTION lockable_settle(k text, t timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE lockable_lock SET ends = coalesce((SELECT max(ends) FROM lockable_share WHERE key = k AND ends > t), t) WHERE key = k;
END $$;

-- Ends the hold of an owner. Returns whether it held the lock.
CREATE OR REPLACE FUNCTION lockable_leave(k text, o text, t timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	UPDATE lockable_lock SET owner = NULL, ends = t WHERE key = k AND owner = o AND ends > t;
	IF FOUND THEN
		RETURN true;
	END IF;
	DELETE FROM lockable_share WHERE key = k AND owner = o AND ends > t;
	IF FOUND THEN
		PERFORM lockable_settle(k, t);
		RETURN true;
	END IF;
	RETURN false;
END $$;

-- Queues an owner once, and renews its sign of life.
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
	rest bigint;
	last bigint;
	message text;
BEGIN
	FOR w IN SELECT * FROM lockable_waiter WHERE key = k ORDER BY seq LOOP
		SELECT * INTO l FROM lockable_lock WHERE key = k;
		EXIT WHEN l.ends > t AND l.owner IS NOT NULL;
		CONTINUE WHEN lockable_skip(w, t);
		EXIT WHEN l.ends > t AND (w.permits = 0 OR lockable_sharers(k, t) >= w.permits);
		DELETE FROM lockable_waiter WHERE key = k AND seq = w.seq;
		rest := least(w.lease, 25000);
		last := lockable_hold(k, w.owner, rest, w.permits, t);
		IF w.owner IS DISTINCT FROM asking THEN
			message := concat_ws(' ', last, lockable_waiting(k), lockable_micros(t), rest, length(k), k || w.owner);
			PERFORM pg_notify(w.inbox, CASE WHEN octet_length(message) < 8000 THEN message ELSE '' END);
		END IF;
	END LOOP;
END $$;

-- Removes a dead waiter. Returns whether it was dead.
CREATE OR REPLACE FUNCTION lockable_skip(w lockable_waiter, t timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM lockable_waiter WHERE key = w.key AND seq = w.seq AND asked < t - interval '25 seconds';
	RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION lockable_waiting(k text) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
	RETURN (EXISTS (SELECT FROM lockable_waiter WHERE key = k))::integer;
END $$;

CREATE OR REPLACE FUNCTION lockable_granted(k text, last bigint, t timestamptz) RETURNS bigint[] LANGUAGE plpgsql AS $$
BEGIN
	RETURN ARRAY[1, last, lockable_waiting(k), lockable_micros(t)];
END $$;

-- A request for a share without a free permit waits for the first sharer to leave, any other one for the last.
CREATE OR REPLACE FUNCTION lockable_refused(k text, n integer, t timestamptz) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock;
	until timestamptz;
BEGIN
	SELECT * INTO l FROM lockable_lock WHERE key = k;
	until := l.ends;
	IF n > 0 AND l.owner IS NULL AND lockable_sharers(k, t) >= n THEN
		until := (SELECT min(ends) FROM lockable_share WHERE key = k AND ends > t);
	END IF;
	RETURN ARRAY[0, l.token, 0, 0, greatest(0, lockable_micros(until) - lockable_micros(t))];
END $$;

-- Grants the lock (n = 0) or a share of at most n, if possible. 'way' is 'try', 'queue' if a refused owner waits, or 'fair' if it also waits
-- behind others for a free lock. Shares are always fair.
CREATE OR REPLACE FUNCTION lockable_enter(k text, o text, ms bigint, n integer, box text, way text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	t timestamptz := clock_timestamp();
	holds boolean := lockable_holds(l, o, n, t);
	behind boolean := false;
BEGIN
	IF NOT holds AND (n > 0 OR way = 'fair') THEN
		IF way <> 'try' THEN
			PERFORM lockable_queue(k, o, ms, n, box, t);
		END IF;
		PERFORM lockable_serve(k, o, t);
		SELECT * INTO l FROM lockable_lock WHERE key = k;
		holds := lockable_holds(l, o, n, t);
		behind := lockable_waiting(k) = 1;
	END IF;
	IF holds OR (NOT behind AND (l.ends <= t OR (n > 0 AND l.owner IS NULL AND lockable_sharers(k, t) < n))) THEN
		DELETE FROM lockable_waiter WHERE key = k AND owner = o;
		RETURN lockable_granted(k, lockable_hold(k, o, ms, n, t), t);
	END IF;
	IF way <> 'try' THEN
		PERFORM lockable_queue(k, o, ms, n, box, t);
	END IF;
	RETURN lockable_refused(k, n, t);
END $$;

-- Grants all locks, or none. Each answer begins with the position of its key, from 1.
CREATE OR REPLACE FUNCTION lockable_enter_all(ks text[], os text[], ms bigint[]) RETURNS SETOF bigint[] LANGUAGE plpgsql AS $$
DECLARE
	i bigint;
	t timestamptz;
	refused boolean := false;
BEGIN
	FOR i IN SELECT u.i FROM unnest(ks) WITH ORDINALITY u (k, i) ORDER BY u.k COLLATE "C" LOOP
		PERFORM lockable_begin(ks[i]);
	END LOOP;
	t := clock_timestamp();
	FOR i IN SELECT u.i FROM unnest(ks) WITH ORDINALITY u (k, i) JOIN lockable_lock l ON l.key = u.k
			WHERE l.ends > t AND l.owner IS DISTINCT FROM os[u.i] LOOP
		refused := true;
		RETURN NEXT i || lockable_refused(ks[i], 0, t);
	END LOOP;
	IF NOT refused THEN
		FOR i IN 1 .. cardinality(ks) LOOP
			RETURN NEXT i::bigint || lockable_granted(ks[i], lockable_hold(ks[i], os[i], ms[i], 0, t), t);
		END LOOP;
	END IF;
END $$;

CREATE OR REPLACE FUNCTION lockable_release(k text, o text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	t timestamptz := clock_timestamp();
	held boolean := lockable_leave(k, o, t);
BEGIN
	IF held THEN
		PERFORM lockable_serve(k, NULL, t);
	END IF;
	RETURN held;
END $$;

CREATE OR REPLACE FUNCTION lockable_withdraw(k text, o text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	t timestamptz := clock_timestamp();
	held boolean := lockable_leave(k, o, t);
BEGIN
	DELETE FROM lockable_waiter WHERE key = k AND owner = o;
	PERFORM lockable_serve(k, NULL, t);
	RETURN held;
END $$;

-- Extends leases, never shortens them. Locks rows in a weaker mode than the other functions, which a foreign key share lock does not block.
CREATE OR REPLACE FUNCTION lockable_extend(ks text[], os text[], ms bigint[]) RETURNS boolean[] LANGUAGE plpgsql AS $$
DECLARE
	i bigint;
	t timestamptz;
	held boolean[] := array_fill(false, ARRAY[cardinality(ks)]);
BEGIN
	FOR i IN SELECT u.i FROM unnest(ks) WITH ORDINALITY u (k, i) ORDER BY u.k COLLATE "C" LOOP
		PERFORM FROM lockable_lock WHERE key = ks[i] FOR NO KEY UPDATE;
		t := clock_timestamp();
		UPDATE lockable_lock SET ends = greatest(ends, lockable_after(t, ms[i])) WHERE key = ks[i] AND owner = os[i] AND ends > t;
		held[i] := FOUND;
		IF NOT FOUND THEN
			UPDATE lockable_share SET ends = greatest(ends, lockable_after(t, ms[i])) WHERE key = ks[i] AND owner = os[i] AND ends > t;
			held[i] := FOUND;
			IF FOUND THEN
				PERFORM lockable_settle(ks[i], t);
			END IF;
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
	SELECT * INTO l FROM lockable_lock WHERE key = k;
	RETURN lockable_holds(l, kept, 0, t) OR lockable_holds(l, kept, 1, t);
END $$;

-- Transfers an exclusive lock to a successor.
CREATE OR REPLACE FUNCTION lockable_transfer(k text, o text, successor text, ms bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	t timestamptz := clock_timestamp();
BEGIN
	IF lockable_holds(l, o, 0, t) OR lockable_holds(l, successor, 0, t) THEN
		RETURN lockable_granted(k, lockable_hold(k, successor, ms, 0, t), t);
	END IF;
	RETURN lockable_refused(k, 0, t);
END $$;

-- Releases the lock and queues another owner. The answer for it begins with whether the first one held the lock.
CREATE OR REPLACE FUNCTION lockable_yield(k text, o text, nxt text, ms bigint, box text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	t timestamptz := clock_timestamp();
	held bigint;
BEGIN
	IF NOT lockable_holds(l, nxt, 0, t) THEN
		PERFORM lockable_queue(k, nxt, ms, 0, box, t);
	END IF;
	held := lockable_leave(k, o, t)::integer;
	PERFORM lockable_serve(k, nxt, t);
	SELECT * INTO l FROM lockable_lock WHERE key = k;
	IF lockable_holds(l, nxt, 0, t) THEN
		RETURN held || lockable_granted(k, lockable_hold(k, nxt, ms, 0, t), t);
	END IF;
	RETURN held || lockable_refused(k, 0, t);
END $$;

-- Exchanges an exclusive lock for a share of a successor.
CREATE OR REPLACE FUNCTION lockable_downgrade(k text, o text, successor text, ms bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	l lockable_lock := lockable_begin(k);
	t timestamptz := clock_timestamp();
	last bigint;
BEGIN
	IF lockable_holds(l, o, 0, t) THEN
		PERFORM lockable_leave(k, o, t);
		last := lockable_hold(k, successor, ms, 1, t);
		PERFORM lockable_serve(k, successor, t);
	ELSIF lockable_holds(l, successor, 1, t) THEN
		last := lockable_hold(k, successor, ms, 1, t);
	ELSE
		RETURN lockable_refused(k, 0, t);
	END IF;
	RETURN lockable_granted(k, last, t);
END $$;

-- Deletes what has been over for a minute, without waiting for a lock. Tokens grow without these rows, as they follow the clock.
CREATE OR REPLACE FUNCTION lockable_sweep() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t timestamptz := clock_timestamp() - interval '1 minute';
BEGIN
	DELETE FROM lockable_lock WHERE key IN (SELECT key FROM lockable_lock WHERE ends < t FOR UPDATE SKIP LOCKED);
	DELETE FROM lockable_share WHERE (key, token) IN (SELECT key, token FROM lockable_share WHERE ends < t FOR UPDATE SKIP LOCKED);
	DELETE FROM lockable_waiter WHERE (key, seq) IN (SELECT key, seq FROM lockable_waiter WHERE asked < t FOR UPDATE SKIP LOCKED);
END $$;
