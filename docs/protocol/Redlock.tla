------------------------------ MODULE Redlock ------------------------------
(***************************************************************************)
(* One lock on several independent masters: lock-redis, package            *)
(* io.lockable.redis.redlock, and the scripts redlock_acquire,             *)
(* redlock_settle, redlock_extend, redlock_restore and redlock_release.    *)
(* README.md has the assumptions.                                          *)
(*                                                                         *)
(* An owner is an owner token of one waiter, which the waiter reuses for   *)
(* each look (AcquiringRules). An owner that is done and forgotten stands  *)
(* for the next owner token.                                               *)
(*                                                                         *)
(* A command is executed as it is sent, or it is late: then it is executed *)
(* at any time, or never. So a lost command is one that stays late, and a  *)
(* lost answer is one of a late command. MaxLate bounds the commands that  *)
(* are late, except those behind another one to the same master.           *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Masters, Owners, NoOwner,
  Slow, LateKinds,    \* the masters, and the commands, that may be late
  Lease,          \* a lease, in ticks
  Allowance,      \* for drift: RedlockAcquisition.isValid, Deadline.ofLease
  Quarantine,     \* how long a master that restarted empty stays away
  Early,          \* the commands that reach it before that
  Ahead,          \* how far the clock of one master is ahead, in tokens
  Pace,           \* how many tokens the clock of a master passes in a tick
  Timeout,        \* how long a master may take to answer, in ticks
  MaxTime, MaxAsks, MaxExtensions, MaxRestarts, MaxLate,
  Ordered,        \* a master gets the commands of an owner in their order
  \* Planted bugs
  BugMinority,    \* less than a majority is enough
  BugNoWriteBack, \* redlock_settle does not store the token
  BugNoAllowance, \* the local deadline ignores drift
  BugUndoGranted, \* only masters that have granted get the undo
  BugUnnumbered,  \* a late undo frees what a later question has taken
  BugNoQuarantine, \* a master that restarted empty answers at once
  BugUnmarked     \* a restoration does not need the mark of an extension

VARIABLES
  now,
  key,            \* of each master: the holder, when its lease ends, the fence,
                  \* the number of the holder's last question, and the owner
                  \* whose extension has found nothing
  backAt,         \* when a master that restarted answers again
  ahead,          \* how far its clock is ahead, in tokens
  pc, vote, sentAt, token, deadline,   \* RedlockAcquisition, Tenure
  number,         \* of each owner: the number of its last question
  contended,      \* whether it was refused before, so that it asks again
  sent,           \* the late commands of each owner for each master
  asks, extensions, restarts, late,
  greatest,       \* the greatest token that was granted
  grown           \* whether each grant had a greater token

servers == <<key, backAt, ahead>>
acquisition == <<pc, vote, sentAt, token, deadline, number, contended>>
counts == <<asks, extensions, restarts, late>>
grants == <<greatest, grown>>
vars == <<now, servers, acquisition, sent, counts, grants>>

Waiting == -1
Refused == 0
Confirmed == 1
Missing == -2

Max(a, b) == IF a > b THEN a ELSE b
Valid == Lease - (IF BugNoAllowance THEN 0 ELSE Allowance)
Majority == Cardinality(Masters) \div 2 + (IF BugMinority THEN 0 ELSE 1)
HasMajority(M) == Cardinality(M) >= Majority
Blank == [m \in Masters |-> Waiting]

Holders == {o \in Owners : pc[o] \in {"held", "extending"}}
\* What a holder may believe: LocalLease.isHeld
Believers == {o \in Holders : now < deadline[o]}

(***************************************************************************)
(* What a master makes of a command, and what it answers.                  *)
(***************************************************************************)
Command(kind, value) ==
  [kind |-> kind, token |-> value, number |-> 0, open |-> TRUE]

Question(n) == [Command("acquire", 0) EXCEPT !.number = n]

Free == [holder |-> NoOwner, ends |-> 0, fence |-> 0, number |-> 0,
         mark |-> NoOwner]

\* tokens.lua: 'reserve' follows the last block, and the clock.
Reserve(m) == Max(key[m].fence, ahead[m] + Pace * now) + 1

Prolonged(m) == [key[m] EXCEPT !.ends = Max(@, now + Lease)]

After(o, m, command) ==
  LET k == key[m] IN
  CASE command.kind = "acquire" ->  \* redlock_acquire.lua
         IF k.holder = NoOwner
         THEN [holder |-> o, ends |-> now + Lease, fence |-> Reserve(m),
               number |-> command.number, mark |-> NoOwner]
         ELSE IF k.holder = o
         THEN [Prolonged(m) EXCEPT !.number = Max(@, command.number)] ELSE k
    [] command.kind = "settle" ->   \* redlock_settle.lua: also for no holder
         IF BugNoWriteBack THEN k
         ELSE [k EXCEPT !.fence = Max(@, command.token)]
    [] command.kind = "extend" ->   \* redlock_extend.lua
         IF k.holder = o THEN Prolonged(m)
         ELSE IF k.holder = NoOwner
         THEN [k EXCEPT !.mark = o, !.ends = now + Lease] ELSE k
    [] command.kind = "restore" ->  \* redlock_restore.lua
         IF /\ k.holder = NoOwner
            /\ BugUnmarked \/ (k.mark = o /\ now < k.ends)
         THEN [holder |-> o,
               ends |-> IF BugUnmarked THEN now + Lease ELSE k.ends,
               fence |-> Max(k.fence, command.token), number |-> MaxAsks,
               mark |-> NoOwner] ELSE k
    [] command.kind = "release" ->  \* redlock_release.lua
         IF \/ k.holder = o /\ (BugUnnumbered \/ k.number <= command.number)
            \/ k.mark = o
         THEN [Free EXCEPT !.fence = k.fence] ELSE k

Answer(o, m, command) ==
  IF command.kind = "acquire" /\ key[m].holder = NoOwner THEN Reserve(m)
  ELSE IF command.kind = "extend" /\ key[m].holder = NoOwner THEN Missing
  ELSE IF key[m].holder # o THEN Refused
  ELSE IF command.kind = "acquire" THEN key[m].fence ELSE Confirmed

(***************************************************************************)
(* Sending: RedlockRound, RedlockMaster. 'open' says whether the answer of *)
(* a late command still counts: not after the round that has sent it.      *)
(***************************************************************************)
Close(queue) == [i \in DOMAIN queue |-> [queue[i] EXCEPT !.open = FALSE]]

\* RedlockMaster: OwnerSequence and one connection keep the order. Over Jedis
\* the next command of an owner may overtake one of a lost connection.
Blocked(o) == {m \in Masters : Ordered /\ sent[o][m] # <<>>}

\* Little or nothing reaches a master that restarts.
Reaches(m, command) == backAt[m] <= now \/ command.kind \in Early

Send(o, M, command, votes) ==
  LET reached == {m \in M : Reaches(m, command)} IN
  \E slow \in IF command.kind \in LateKinds
             THEN SUBSET ((reached \cap Slow) \ Blocked(o)) ELSE {{}} :
    LET waits == slow \union (reached \cap Blocked(o))
        done == reached \ waits
        fresh == {m \in slow : sent[o][m] = <<>>}
    IN
    /\ late + Cardinality(fresh) <= MaxLate
    /\ late' = late + Cardinality(fresh)
    /\ key' = [m \in Masters |->
         IF m \in done THEN After(o, m, command) ELSE key[m]]
    /\ vote' = [vote EXCEPT ![o] = [m \in Masters |->
         IF m \in done /\ command.open THEN Answer(o, m, command)
         ELSE votes[m]]]
    /\ sent' = [sent EXCEPT ![o] = [m \in Masters |->
         IF m \in waits THEN Append(Close(@[m]), command)
         ELSE Close(@[m])]]
    /\ UNCHANGED <<now, backAt, ahead>>

\* RedlockMaster.release is retried until it is answered.
SendRelease(o, M, n) ==
  Send(o, M, [Command("release", 0) EXCEPT !.number = n, !.open = FALSE], Blank)

\* The answers are over: what is late does not count any more.
EndRound(o) ==
  /\ vote' = [vote EXCEPT ![o] = Blank]
  /\ sent' = [sent EXCEPT ![o] = [m \in Masters |-> Close(@[m])]]

ExecuteLate(o, m) ==
  \E i \in DOMAIN sent[o][m] :
    LET command == sent[o][m][i] IN
    /\ Ordered => i = 1
    /\ Reaches(m, command)
    /\ sent' = [sent EXCEPT ![o][m] =
         SubSeq(@, 1, i - 1) \o SubSeq(@, i + 1, Len(@))]
    /\ key' = [key EXCEPT ![m] = After(o, m, command)]
    /\ vote' = IF command.open
               THEN [vote EXCEPT ![o][m] = Answer(o, m, command)] ELSE vote
    /\ UNCHANGED <<now, backAt, ahead, pc, sentAt, token, deadline, number,
                   contended, counts, grants>>

(***************************************************************************)
(* Masters.                                                                *)
(***************************************************************************)

\* A lease ends on a master, whose clock may be fast by the allowance.
Expire(m) ==
  /\ key[m].holder # NoOwner
  /\ now >= key[m].ends - Allowance
  /\ key' = [key EXCEPT ![m] = [Free EXCEPT !.fence = key[m].fence]]
  /\ UNCHANGED <<now, backAt, ahead, acquisition, sent, counts, grants>>

\* docs/redlock.md: it has lost its data, and stays away
Restart(m) ==
  /\ restarts < MaxRestarts
  /\ backAt[m] <= now
  /\ restarts' = restarts + 1
  /\ key' = [key EXCEPT ![m] = Free]
  /\ backAt' = [backAt EXCEPT
       ![m] = IF BugNoQuarantine THEN now ELSE now + Quarantine]
  /\ sent' = [o \in Owners |-> [sent[o] EXCEPT ![m] = <<>>]]
  /\ UNCHANGED <<now, ahead, acquisition, asks, extensions, late, grants>>

Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ UNCHANGED <<servers, acquisition, sent, counts, grants>>

(***************************************************************************)
(* An acquisition: RedlockAcquisition.                                     *)
(***************************************************************************)
Answered(o) == {m \in Masters : vote[o][m] # Waiting}
Granting(o) == {m \in Masters : vote[o][m] > Refused}
Refusing(o) == {m \in Masters : vote[o][m] = Refused}

\* RedlockAcquisition.start
Ask(o) ==
  /\ asks < MaxAsks
  /\ asks' = asks + 1
  /\ pc' = [pc EXCEPT ![o] = "asking"]
  /\ sentAt' = [sentAt EXCEPT ![o] = now]
  /\ token' = [token EXCEPT ![o] = 0]
  /\ number' = [number EXCEPT ![o] = asks']
  /\ Send(o, Masters, Question(asks'), Blank)
  /\ UNCHANGED <<deadline, extensions, restarts, grants>>

\* A look of a waiter, or a new owner token
Look(o) ==
  /\ \/ pc[o] = "idle"
     \/ /\ pc[o] = "done"
        /\ \A m \in Masters : key[m].holder # o /\ sent[o][m] = <<>>
  /\ contended' = [contended EXCEPT ![o] = @ /\ pc[o] = "idle"]
  /\ Ask(o)

\* RedlockAcquisition.mayWin: the others give back what they have
AskAgain(o) ==
  /\ pc[o] = "asking"
  /\ ~HasMajority(Granting(o)) /\ Granting(o) # {} /\ HasMajority(Answered(o))
  /\ UNCHANGED contended
  /\ Ask(o)

\* RedlockAcquisition.settle. A master that has refused stays so unless it
\* confirms: it gets no release if the acquisition fails.
StartToSettle(o) ==
  LET greatestClaim == CHOOSE t \in {vote[o][m] : m \in Masters} :
                         \A m \in Masters : vote[o][m] <= t
  IN
  /\ pc[o] = "asking"
  /\ HasMajority(Granting(o))
  /\ pc' = [pc EXCEPT ![o] = "settling"]
  /\ token' = [token EXCEPT ![o] = greatestClaim]
  /\ Send(o, Masters, Command("settle", greatestClaim),
          [m \in Masters |-> IF vote[o][m] = Refused THEN Refused ELSE Waiting])
  /\ UNCHANGED <<sentAt, deadline, number, contended, asks, extensions,
                 restarts, grants>>

\* RedlockAcquisition.isValid. The deadline of the engine is no later, as it
\* counts from before the first round.
IsValid(o) == now < sentAt[o] + Valid

Grant(o) ==
  /\ pc[o] = "settling"
  /\ HasMajority(Granting(o))
  /\ IsValid(o)
  /\ pc' = [pc EXCEPT ![o] = "held"]
  /\ deadline' = [deadline EXCEPT ![o] = sentAt[o] + Valid]
  /\ grown' = (grown /\ token[o] > greatest)
  /\ greatest' = Max(greatest, token[o])
  /\ number' = [number EXCEPT ![o] = 0]  \* not needed any more
  /\ EndRound(o)
  /\ UNCHANGED <<now, servers, sentAt, token, contended, counts>>

\* RedlockAcquisition.settled: too late, or a master did not hold any more
StartAnew(o) ==
  /\ pc[o] = "settling"
  /\ ~IsValid(o) \/ (Refusing(o) # {} /\ ~HasMajority(Granting(o)))
  /\ UNCHANGED contended
  /\ Ask(o)

\* RedlockAcquisition.giveBack, after all answers or after the timeout. The
\* waiter looks again after a refusal, and after a failure if it was refused
\* before.
GiveBack(o) ==
  /\ \/ pc[o] = "asking" /\ ~HasMajority(Granting(o))
     \/ pc[o] = "settling" /\ ~(HasMajority(Granting(o)) /\ IsValid(o))
  /\ contended' = [contended EXCEPT
       ![o] = @ \/ (pc[o] = "asking" /\ HasMajority(Answered(o)))]
  /\ pc' = [pc EXCEPT ![o] = IF contended'[o] THEN "idle" ELSE "done"]
  /\ token' = [token EXCEPT ![o] = 0]
  /\ sentAt' = [sentAt EXCEPT ![o] = 0]
  /\ SendRelease(o, IF BugUndoGranted THEN Granting(o)
                    ELSE Masters \ Refusing(o), number[o])
  /\ number' = [number EXCEPT ![o] = 0]
  /\ UNCHANGED <<deadline, asks, extensions, restarts, grants>>

(***************************************************************************)
(* A holder.                                                               *)
(***************************************************************************)

\* MasterHealth: a master that leaves a command unanswered for longer than the
\* timeout gets none. A connection that is lost is an answer.
Silent(o) == {m \in Blocked(o) : now >= sentAt[o] + Timeout}

\* LocalLease.sendExtension, RedlockLockStore.extend
StartToExtend(o) ==
  /\ pc[o] = "held" /\ now < deadline[o]
  /\ extensions < MaxExtensions
  /\ extensions' = extensions + 1
  /\ pc' = [pc EXCEPT ![o] = "extending"]
  /\ sentAt' = [sentAt EXCEPT ![o] = now]
  /\ Send(o, Masters \ Silent(o), Command("extend", 0), Blank)
  /\ UNCHANGED <<token, deadline, number, contended, asks, restarts, grants>>

\* KeyMachine.on ends a lease whose local deadline has passed before that.
\* RedlockExtension.restore: the answers do not count.
Extended(o) ==
  /\ pc[o] = "extending" /\ now < deadline[o]
  /\ HasMajority(Granting(o))
  /\ now <= sentAt[o] + Timeout
  /\ pc' = [pc EXCEPT ![o] = "held"]
  /\ deadline' = [deadline EXCEPT ![o] = Max(@, sentAt[o] + Valid)]
  /\ Send(o, {m \in Masters : vote[o][m] = Missing},
          [Command("restore", token[o]) EXCEPT !.open = FALSE], Blank)
  /\ UNCHANGED <<sentAt, token, number, contended, asks, extensions, restarts,
                 grants>>

\* RedlockLockStore.release; HoldingRules.lose, on an answer or in time
LetGo(o) ==
  /\ o \in Holders
  /\ pc' = [pc EXCEPT ![o] = "done"]
  /\ token' = [token EXCEPT ![o] = 0]
  /\ deadline' = [deadline EXCEPT ![o] = 0]
  /\ sentAt' = [sentAt EXCEPT ![o] = 0]
  /\ SendRelease(o, Masters, MaxAsks)
  /\ UNCHANGED <<number, contended, asks, extensions, restarts, grants>>

(***************************************************************************)
(* The specification.                                                      *)
(***************************************************************************)
Init ==
  /\ now = 0
  /\ key = [m \in Masters |-> Free]
  /\ backAt = [m \in Masters |-> 0]
  /\ \E fast \in Masters :
       ahead = [m \in Masters |-> IF m = fast THEN Ahead ELSE 0]
  /\ pc = [o \in Owners |-> "done"]
  /\ vote = [o \in Owners |-> Blank]
  /\ sentAt = [o \in Owners |-> 0]
  /\ token = [o \in Owners |-> 0]
  /\ deadline = [o \in Owners |-> 0]
  /\ number = [o \in Owners |-> 0]
  /\ contended = [o \in Owners |-> FALSE]
  /\ sent = [o \in Owners |-> [m \in Masters |-> <<>>]]
  /\ asks = 0 /\ extensions = 0 /\ restarts = 0 /\ late = 0
  /\ greatest = 0
  /\ grown = TRUE

Next ==
  \/ \E o \in Owners :
       \/ Look(o) \/ AskAgain(o) \/ StartToSettle(o) \/ Grant(o)
       \/ StartAnew(o) \/ GiveBack(o)
       \/ StartToExtend(o) \/ Extended(o) \/ LetGo(o)
       \/ \E m \in Masters : ExecuteLate(o, m)
  \/ \E m \in Masters : Expire(m) \/ Restart(m)
  \/ Tick

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Slow) \union Permutations(Masters \ Slow)
              \union Permutations(Owners)

(***************************************************************************)
(* The invariants.                                                         *)
(***************************************************************************)

\* At most one owner believes that it holds the lock.
Exclusion == Cardinality(Believers) <= 1

\* Fencing tokens strictly grow from grant to grant; none is issued twice.
TokensGrow == grown

\* While a holder believes, no other owner was granted the lock after it.
Continuity == \A o \in Believers : token[o] = greatest

\* What an acquisition or a holder has left is forgotten once the masters have
\* executed what they were sent.
NothingStaysBehind ==
  \A o \in Owners, m \in Masters :
    (pc[o] \in {"idle", "done"} /\ sent[o][m] = <<>>) => key[m].holder # o
=============================================================================
