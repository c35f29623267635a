------------------------ MODULE AcknowledgedGrants -------------------------
(***************************************************************************)
(* One lock on a master with replicas, of which some must acknowledge a    *)
(* grant: lock-redis, package io.lockable.redis.replication,               *)
(* LockScriptRunner, and the scripts that grant, extend and free a lock.   *)
(* The rules of the engine are those of a store that needs confirmation    *)
(* (QueueingLockStore.needsConfirmation). README.md has the assumptions.   *)
(*                                                                         *)
(* A master has the states that the lock went through, one for each write. *)
(* A replica copies them in order. How far it is shows only when it        *)
(* acknowledges, or takes over: 'copied' is what is known of that.         *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Servers, Owners, NoOwner,
  Needed,            \* how many replicas must acknowledge: Replicas.of
  Lease, Allowance,  \* in ticks; the allowance for drift is the engine's
  Pace,              \* how many tokens the servers' clock passes in a tick
  MaxTime, MaxAsks, MaxExtensions, MaxFailovers, MaxLate,
  MaxReplicaRestarts, MaxMasterRestarts,
  Elected,           \* which replica takes over: "any", "most", or "has"
  MasterStaysUp,     \* an old master goes on until it hears of the new one
  \* Planted bugs
  BugNoWait,         \* a grant counts without acknowledgements
  BugAllOfNone,      \* only replicas that are connected must acknowledge
  BugNoConfirmation, \* a waiter enters on a message
  BugSilentRepeat,   \* a repeated command writes nothing
  BugExtendNoWait,   \* an extension counts without acknowledgements
  BugUndoByStore     \* the store frees an unacknowledged grant by itself

VARIABLES
  now,
  log, source,       \* of each server: its states, and whom it copies
  copied,            \* how many states each replica has at least
  newest,            \* the server that was promoted last
  pc, at, offset, sentAt, until, deadline, token,
  undoing,           \* whether a release or withdrawal is late
  asks, extensions, failovers, restarts, late,
  broken,            \* an acknowledged lock is not on the newest master
  greatest, grown    \* the greatest token granted; each was greater

servers == <<log, source, copied, newest>>
counts == <<asks, extensions, failovers, restarts, late>>
grants == <<broken, greatest, grown>>
vars == <<now, servers, pc, at, offset, sentAt, until, deadline, token,
          undoing, counts, grants>>

Max(a, b) == IF a > b THEN a ELSE b
Valid == Lease - Allowance

Free == [owner |-> NoOwner, ends |-> 0, fence |-> 0]
Last(states) == IF states = <<>> THEN Free ELSE states[Len(states)]
State(s) == Last(log[s])
IsMaster(s) == source[s] = s
Replicas(s) == {r \in Servers : r # s /\ source[r] = s}

Holders == {o \in Owners : pc[o] \in {"held", "extending", "extended"}}
\* What a holder may believe: LocalLease.isHeld
Believers == {o \in Holders : now < deadline[o]}

\* tokens.lua
Reserve(s) == Max(State(s).fence, Pace * now) + 1

Write(s, owner, ends, fence) ==
  log' = [log EXCEPT ![s] =
            Append(@, [owner |-> owner, ends |-> ends, fence |-> fence])]

(***************************************************************************)
(* Acknowledgements: ReplicatedRunner. The offset is that of the last      *)
(* write of the connection, which WAIT compares.                           *)
(***************************************************************************)

\* Whether a server has a lock for as long as was acknowledged
Has(states, o, end) ==
  Last(states).owner = o /\ Last(states).ends >= end + Allowance

\* ReplicaQuorum.needed
Enough(s) ==
  IF BugAllOfNone /\ Cardinality(Replicas(s)) < Needed
  THEN Cardinality(Replicas(s)) ELSE Needed

\* The reply to WAIT. A master that becomes a replica replies an error.
\* A lock that is acknowledged by an old master is lost as in a failover.
Acknowledge(o, from, to, wait) ==
  /\ pc[o] = from
  /\ IsMaster(at[o])
  /\ \E R \in SUBSET Replicas(at[o]) :
       /\ Cardinality(R) = IF wait THEN Enough(at[o]) ELSE 0
       /\ copied' = [r \in Servers |->
            IF r \in R THEN Max(copied[r], offset[o]) ELSE copied[r]]
  /\ pc' = [pc EXCEPT ![o] = to]
  /\ until' = [until EXCEPT ![o] = Max(@, sentAt[o] + Valid)]
  /\ broken' = (broken \/ (now < until'[o] /\ ~Has(log[newest], o, until'[o])))
  /\ UNCHANGED <<now, log, source, newest, at, offset, sentAt, deadline,
                 token, undoing, counts, greatest, grown>>

(***************************************************************************)
(* Requests: AcquiringRules, KeyShell.                                     *)
(***************************************************************************)

\* Nothing is in flight for the owner token.
Quiet == {"new", "queued", "told", "failed"}

\* acquire.lua, enqueue.lua. A server's clock may be fast by the allowance.
TakeFree(o, s) ==
  /\ State(s).owner = NoOwner \/ now >= State(s).ends - Allowance
  /\ Write(s, o, now + Lease, Reserve(s))
  /\ token' = [token EXCEPT ![o] = Reserve(s)]
  /\ offset' = [offset EXCEPT ![o] = Len(log[s]) + 1]
  /\ pc' = [pc EXCEPT ![o] = "waiting"]

\* answers.lua: 'held' always writes
TakeAgain(o, s) ==
  /\ State(s).owner = o
  /\ token' = [token EXCEPT ![o] = State(s).fence]
  /\ IF BugSilentRepeat
     THEN offset' = [offset EXCEPT ![o] = 0] /\ log' = log
     ELSE /\ Write(s, o, Max(State(s).ends, now + Lease), State(s).fence)
          /\ offset' = [offset EXCEPT ![o] = Len(log[s]) + 1]
  /\ pc' = [pc EXCEPT ![o] = "waiting"]

Refuse(o, s) ==
  /\ State(s).owner \notin {o, NoOwner}
  /\ pc' = [pc EXCEPT ![o] = "queued"]
  /\ UNCHANGED <<log, token, offset>>

Executed(o, s) ==
  /\ IsMaster(s)
  /\ TakeFree(o, s) \/ TakeAgain(o, s) \/ Refuse(o, s)
  /\ at' = [at EXCEPT ![o] = s]

\* The same owner token asks until it is given up.
Ask(o) ==
  /\ pc[o] \in Quiet
  /\ asks < MaxAsks
  /\ asks' = asks + 1
  /\ sentAt' = [sentAt EXCEPT ![o] = now]
  /\ \/ late' = late /\ \E s \in Servers : Executed(o, s)
     \/ /\ late < MaxLate
        /\ late' = late + 1
        /\ pc' = [pc EXCEPT ![o] = "asking"]
        /\ UNCHANGED <<log, token, offset, at>>
  /\ UNCHANGED <<now, source, copied, newest, until, deadline, undoing,
                 extensions, failovers, restarts, grants>>

ExecuteLateAsk(o, s) ==
  /\ pc[o] = "asking"
  /\ Executed(o, s)
  /\ UNCHANGED <<now, source, copied, newest, sentAt, until, deadline,
                 undoing, counts, grants>>

\* EntryRule.pass: the lease must be valid still
Enter(o, end) ==
  /\ now < end
  /\ pc' = [pc EXCEPT ![o] = "held"]
  /\ deadline' = [deadline EXCEPT ![o] = end]
  /\ grown' = (grown /\ token[o] > greatest)
  /\ greatest' = Max(greatest, token[o])
  /\ UNCHANGED <<now, servers, at, offset, sentAt, until, token, undoing,
                 counts, broken>>

Grant(o) == pc[o] = "acked" /\ Enter(o, until[o])

\* What AcquiringRules.isProven allows where no confirmation is needed
EnterOnMessage(o) ==
  BugNoConfirmation /\ pc[o] = "told" /\ Enter(o, sentAt[o] + Valid)

\* release.lua, withdraw.lua, grant.lua: the next waiter gets the lock in the
\* same step, and a message. Nothing is acknowledged. 'after' is what becomes
\* of the owner.
Undo(o, s, after) ==
  /\ IsMaster(s)
  /\ IF State(s).owner # o
     THEN /\ pc' = [pc EXCEPT ![o] = after]
          /\ UNCHANGED <<log, sentAt, token>>
     ELSE \/ /\ Write(s, NoOwner, 0, State(s).fence)
             /\ pc' = [pc EXCEPT ![o] = after]
             /\ UNCHANGED <<sentAt, token>>
          \/ \E next \in Owners \ {o} :
               /\ pc[next] = "queued"
               /\ Write(s, next, now + Lease, Reserve(s))
               /\ pc' = [pc EXCEPT ![o] = after, ![next] = "told"]
               /\ sentAt' = [sentAt EXCEPT ![next] = now]
               /\ token' = [token EXCEPT ![next] = Reserve(s)]

UndoOrLate(o, after) ==
  \/ /\ \E s \in Servers : Undo(o, s, after)
     /\ UNCHANGED <<late, undoing>>
  \/ /\ late < MaxLate
     /\ late' = late + 1
     /\ undoing' = [undoing EXCEPT ![o] = TRUE]
     /\ pc' = [pc EXCEPT ![o] = after]
     /\ UNCHANGED <<log, sentAt, token>>

ExecuteLateUndo(o, s) ==
  /\ undoing[o]
  /\ Undo(o, s, pc[o])
  /\ undoing' = [undoing EXCEPT ![o] = FALSE]
  /\ UNCHANGED <<now, source, copied, newest, at, offset, until, deadline,
                 counts, grants>>

\* ReplicaQuorum.missing, a lost connection or answer, a lease that is over
Fail(o) ==
  /\ pc[o] \in {"asking", "waiting", "acked"}
  /\ until' = [until EXCEPT ![o] = 0]
  /\ IF BugUndoByStore
     THEN UndoOrLate(o, "failed")
     ELSE /\ pc' = [pc EXCEPT ![o] = "failed"]
          /\ UNCHANGED <<log, sentAt, token, undoing, late>>
  /\ UNCHANGED <<now, source, copied, newest, at, offset, deadline, asks,
                 extensions, failovers, restarts, grants>>

\* OrphanCleanup: an owner token that is given up is not used again.
\* LocalLease.release, HoldingRules.lose: the same for a holder.
GiveUp(o) ==
  /\ pc[o] \in {"queued", "told", "failed"} \/ o \in Holders
  /\ until' = [until EXCEPT ![o] = 0]
  /\ deadline' = [deadline EXCEPT ![o] = 0]
  /\ UndoOrLate(o, "done")
  /\ UNCHANGED <<now, source, copied, newest, at, offset, asks, extensions,
                 failovers, restarts, grants>>

(***************************************************************************)
(* Extensions: RedisLockStore.extendAll, extend.lua, HoldingRules.extended.*)
(* An answer of 0 is a loss: GiveUp.                                       *)
(***************************************************************************)
Extend(o, s) ==
  /\ pc[o] = "held" /\ now < deadline[o]
  /\ extensions < MaxExtensions
  /\ extensions' = extensions + 1
  /\ IsMaster(s) /\ State(s).owner = o
  /\ Write(s, o, Max(State(s).ends, now + Lease), State(s).fence)
  /\ sentAt' = [sentAt EXCEPT ![o] = now]
  /\ at' = [at EXCEPT ![o] = s]
  /\ offset' = [offset EXCEPT ![o] = Len(log[s]) + 1]
  /\ pc' = [pc EXCEPT ![o] = "extending"]
  /\ UNCHANGED <<now, source, copied, newest, until, deadline, token, undoing,
                 asks, failovers, restarts, late, grants>>

Extended(o) ==
  /\ pc[o] = "extended"
  /\ pc' = [pc EXCEPT ![o] = "held"]
  /\ deadline' = [deadline EXCEPT ![o] = until[o]]
  /\ UNCHANGED <<now, servers, at, offset, sentAt, until, token, undoing,
                 counts, grants>>

(***************************************************************************)
(* Servers.                                                                *)
(***************************************************************************)

\* An acknowledged lock counts before its holder has the answer.
Acknowledged(o, time) ==
  time < until[o] /\ (pc[o] = "acked" \/ o \in Holders)

Survives(states) ==
  \A o \in Owners : Acknowledged(o, now + 1) => Has(states, o, until[o])

\* Sentinel or the cluster promotes a replica, which takes a while. The others
\* copy the new master at once if the old one is dead.
FailOver(r) ==
  /\ failovers < MaxFailovers /\ now < MaxTime
  /\ r \in Replicas(newest)
  /\ failovers' = failovers + 1
  /\ now' = now + 1
  /\ newest' = r
  /\ \E n \in copied[r] .. Len(log[newest]) :
       LET states == SubSeq(log[newest], 1, n) IN
       /\ Elected = "most" => \A x \in Replicas(newest) : copied[x] <= n
       /\ Elected = "has" => Survives(states)
       /\ log' = [log EXCEPT ![r] = states]
       /\ broken' = (broken \/ ~Survives(states))
  /\ source' = IF MasterStaysUp THEN [source EXCEPT ![r] = r]
               ELSE [s \in Servers |-> r]
  /\ copied' = IF MasterStaysUp THEN [copied EXCEPT ![r] = 0]
               ELSE [s \in Servers |-> 0]
  /\ UNCHANGED <<pc, at, offset, sentAt, until, deadline, token, undoing,
                 asks, extensions, restarts, late, greatest, grown>>

\* A server hears of the new master.
Follow(s) ==
  /\ source[s] # newest
  /\ source' = [source EXCEPT ![s] = newest]
  /\ copied' = [copied EXCEPT ![s] = 0]
  /\ UNCHANGED <<now, log, newest, pc, at, offset, sentAt, until, deadline,
                 token, undoing, counts, grants>>

\* A server restarts without its data, before anything takes its place. The
\* replicas of a master then copy that.
Restart(s) ==
  /\ restarts < IF IsMaster(s) THEN MaxMasterRestarts ELSE MaxReplicaRestarts
  /\ restarts' = restarts + 1
  /\ IF IsMaster(s)
     THEN /\ log' = [log EXCEPT ![s] = <<>>]
          /\ copied' = [r \in Servers |->
               IF r \in Replicas(s) THEN 0 ELSE copied[r]]
     ELSE log' = log /\ copied' = [copied EXCEPT ![s] = 0]
  /\ UNCHANGED <<now, source, newest, pc, at, offset, sentAt, until, deadline,
                 token, undoing, asks, extensions, failovers, late, grants>>

Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ UNCHANGED <<servers, pc, at, offset, sentAt, until, deadline, token,
                 undoing, counts, grants>>

(***************************************************************************)
(* The specification.                                                      *)
(***************************************************************************)
Init ==
  /\ now = 0
  /\ log = [s \in Servers |-> <<>>]
  /\ copied = [s \in Servers |-> 0]
  /\ \E m \in Servers : source = [s \in Servers |-> m] /\ newest = m
  /\ pc = [o \in Owners |-> "new"]
  /\ at = [o \in Owners |-> newest]
  /\ offset = [o \in Owners |-> 0]
  /\ sentAt = [o \in Owners |-> 0]
  /\ until = [o \in Owners |-> 0]
  /\ deadline = [o \in Owners |-> 0]
  /\ token = [o \in Owners |-> 0]
  /\ undoing = [o \in Owners |-> FALSE]
  /\ asks = 0 /\ extensions = 0 /\ failovers = 0 /\ restarts = 0 /\ late = 0
  /\ broken = FALSE
  /\ greatest = 0
  /\ grown = TRUE

Next ==
  \/ \E o \in Owners :
       \/ Ask(o) \/ Grant(o) \/ Fail(o) \/ GiveUp(o) \/ EnterOnMessage(o)
       \/ Acknowledge(o, "waiting", "acked", ~BugNoWait)
       \/ Acknowledge(o, "extending", "extended", ~BugExtendNoWait)
       \/ Extended(o)
       \/ \E s \in Servers :
            ExecuteLateAsk(o, s) \/ ExecuteLateUndo(o, s) \/ Extend(o, s)
  \/ \E s \in Servers : FailOver(s) \/ Follow(s) \/ Restart(s)
  \/ Tick

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Servers) \union Permutations(Owners)

\* Nothing is promised once an acknowledged lock is lost.
Promised == ~broken

(***************************************************************************)
(* The invariants.                                                         *)
(***************************************************************************)

\* At most one owner believes that it holds the lock, unless a replica took
\* over that did not have an acknowledged lock.
Exclusion == broken \/ Cardinality(Believers) <= 1

\* Fencing tokens strictly grow from grant to grant; none is issued twice.
TokensGrow == broken \/ grown

\* No failover loses an acknowledged lock.
Survival == ~broken
=============================================================================
