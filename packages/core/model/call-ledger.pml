/*
 * The protocol of the call ledger (src/ledger/call-ledger.ts), for spin: one run of CALLS calls, which an engine gives to
 * three workers. Each worker pauses for any time at any step, and crashes once at any step or never. A request to the
 * ledger is not executed, or is executed and its answer is lost, or is executed later: FAULTS times altogether.
 *
 * Configurations: EPOCHS (the engine numbers the workers), RERUN (the host lets a call that was cut off run again),
 * SUSPENDS (a call may wait for a person, whose answer is handled by a fourth process).
 *
 * Mutations, each of which breaks an invariant: NO_TOKEN_IN_END, NO_TOKEN_IN_BEGIN, NO_EPOCH_CHECK, EPOCH_IN_ROWS,
 * LEASE_IS_PERMISSION, NO_RERUN_RULE, WAITS_FOR_RUNNING.
 *
 * Not in the model: expiry of calls (7 days), and conflicts of other arguments under the same id.
 */
#ifndef CALLS
#define CALLS 2
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#ifndef EPOCHS
#define EPOCHS 1
#endif
#ifndef RERUN
#define RERUN 0
#endif
#ifndef SUSPENDS
#define SUSPENDS 0
#endif
#define WORKERS 3
#define APPROVER 3

/* States of a row; `absent` is a call without one. */
mtype:state = { absent, running, suspended, ended, unknown }
/* Answers to `begin`; `lost`: none has arrived. */
mtype:reply = { Begun, Ended, Suspended, Running, Unknown, Superseded, Lost }
/* Requests; the last four are ends. */
mtype:kind = { none, begin, endEnded, endSuspended, endUnknown, endReleased }

typedef Row {
  mtype:state status = absent;
  /* The claim that began the call; the identity of its outcome, too. */
  byte token;
  byte epoch
};
Row rows[CALLS];
/* The highest epoch that has begun a call of the run. */
byte latestEpoch;

/* A request that is executed late. */
typedef LateRequest {
  mtype:kind kind = none;
  byte call;
  byte token;
  byte epoch;
  bit isResume
};
LateRequest late;

byte faults = FAULTS;
byte nextEpoch;
/* The number of workers that have started. */
byte started;
/* The store of pending calls: an interruption was stored, and its answer was used. */
bit isPending[CALLS];
bit isAnswered[CALLS];

/* What the invariants are about. */
byte effects[CALLS];
byte reportedOutcome[CALLS];
byte latestBegun;
byte runsEnded;

#ifdef EPOCH_IN_ROWS
/* The epoch as a column of the calls: it is forgotten with a row that is released, or replaced by one without an epoch. */
inline readLatestEpoch() {
  latestEpoch = 0;
  k = 0;
  do
  :: k == CALLS -> break
  :: else ->
    if
    :: rows[k].status != absent && rows[k].epoch > latestEpoch -> latestEpoch = rows[k].epoch
    :: else
    fi;
    k++
  od;
  k = 0
}
#else
inline readLatestEpoch() { skip }
#endif

inline claimRow(c, t, e) {
  /* I-epoch: a superseded process begins nothing. */
  assert(e == 0 || e >= latestBegun);
  if
  :: e > latestBegun -> latestBegun = e
  :: else
  fi;
  if
  :: e > latestEpoch -> latestEpoch = e
  :: else
  fi;
  rows[c].status = running;
  rows[c].token = t;
  rows[c].epoch = e;
  answer = Begun
}

/*
 * The statement of `begin`. A lease expires at any moment, also that of a process that is only slow: whether it has is a
 * choice at each statement.
 */
inline executeBegin(c, t, e, repeats, isExpired) {
  readLatestEpoch();
  if
#ifndef NO_EPOCH_CHECK
  :: e > 0 && e < latestEpoch -> answer = Superseded
#endif
  :: else ->
    if
    :: rows[c].status == absent -> claimRow(c, t, e)
#ifdef NO_TOKEN_IN_BEGIN
    :: rows[c].status == running -> answer = Begun
#else
    :: rows[c].status == running && rows[c].token == t -> answer = Begun
#endif
    :: else ->
      if
      :: rows[c].status == ended -> answer = Ended
      :: rows[c].status != ended && repeats -> claimRow(c, t, e)
      :: rows[c].status == suspended && !repeats -> answer = Suspended
      :: else ->
        if
#ifdef NO_RERUN_RULE
        :: true -> claimRow(c, t, e)
#else
        :: RERUN -> claimRow(c, t, e)
#endif
#ifdef LEASE_IS_PERMISSION
        :: !RERUN && isExpired -> claimRow(c, t, e)
#endif
        :: else -> answer = (rows[c].status == running && !isExpired -> Running : Unknown)
        fi
      fi
    fi
  fi
}

/* The statement of `end`. After a lost answer, the same end finds that it was stored. */
inline executeEnd(c, t, request) {
  if
#ifdef NO_TOKEN_IN_END
  :: rows[c].status == running || rows[c].status == unknown ->
#else
  :: rows[c].token == t && (rows[c].status == running || rows[c].status == unknown) ->
#endif
    isStored = 1;
    if
    :: request == endEnded -> rows[c].status = ended; rows[c].token = t
    :: request == endSuspended -> rows[c].status = suspended
    :: request == endUnknown -> rows[c].status = unknown
    :: request == endReleased -> rows[c].status = absent; rows[c].token = 0; rows[c].epoch = 0
    fi
  :: else -> isStored = (request == endEnded && rows[c].status == ended && rows[c].token == t)
  fi
}

inline executeLater(request, c, t, e, repeats) {
  faults--;
  late.kind = request;
  late.call = c;
  late.token = t;
  late.epoch = e;
  late.isResume = repeats
}

/* A token that no row and no request has. */
inline chooseToken() {
  if
  :: token == 0 ->
    token = id * 4 + 1;
    do
    :: token == rows[call].token || token == late.token || token == reportedOutcome[call] -> token++
    :: else -> break
    od
  :: else
  fi
}

/* One attempt of `begin`, of any fate. */
inline sendBegin() {
  if
  :: d_step { executeBegin(call, token, epoch, isResume, 0) }
  :: d_step { executeBegin(call, token, epoch, isResume, 1) }
  :: d_step { faults > 0 -> faults--; executeBegin(call, token, epoch, isResume, 0); answer = Lost }
  :: d_step { faults > 0 -> faults--; executeBegin(call, token, epoch, isResume, 1); answer = Lost }
  :: d_step { faults > 0 -> faults--; answer = Lost }
  :: d_step { faults > 0 && late.kind == none -> executeLater(begin, call, token, epoch, isResume); answer = Lost }
  fi
}

/* One attempt of `end`, of any fate. */
inline sendEnd(request) {
  if
  :: d_step { executeEnd(call, token, request); answer = Begun }
  :: d_step { faults > 0 -> faults--; executeEnd(call, token, request); answer = Lost }
  :: d_step { faults > 0 -> faults--; answer = Lost }
  :: d_step { faults > 0 && late.kind == none -> executeLater(request, call, token, 0, 0); answer = Lost }
  fi
}

/* I-outcome: what was reported as the outcome of a call never changes. */
inline tell(outcome) {
  assert(reportedOutcome[call] == 0 || reportedOutcome[call] == outcome);
  reportedOutcome[call] = outcome
}

inline forget() {
  token = 0; answer = Lost; isStored = 0
}

/* A worker; the process APPROVER instead makes calls again that a person has answered. */
proctype worker(byte id) {
  byte call;
  byte epoch;
  byte token;
  byte k;
  bit isStored;
  bit hasCrashed;
  bit isResume;
  mtype:reply answer = Lost;

/* The engine gives the run to the worker, whatever others do. The workers are alike: they start in order. */
start:
end:
  if
  :: d_step { id < WORKERS && id <= started ->
      if
      :: started == id -> started++
      :: else
      fi;
      if
      :: EPOCHS -> nextEpoch++; epoch = nextEpoch
      :: else
      fi
    }
  :: d_step { id == APPROVER && isPending[0] && !isAnswered[0] ->
      call = 0; isAnswered[0] = 1; isResume = 1
    }
#if CALLS > 1
  :: d_step { id == APPROVER && isPending[1] && !isAnswered[1] ->
      call = 1; isAnswered[1] = 1; isResume = 1
    }
#endif
  fi;

claim:
  atomic {
    if
    :: !hasCrashed -> goto crash
    :: true -> chooseToken(); sendBegin()
    fi;
    if
    :: answer == Lost -> goto claim
    :: answer == Lost -> goto release
    :: answer == Ended -> tell(rows[call].token); goto advance
#ifdef WAITS_FOR_RUNNING
    :: answer == Running -> rows[call].status != running; goto claim
#endif
    /* Reported as outcome_unknown, or as waiting for a person. */
    :: answer == Running || answer == Unknown || answer == Suspended -> goto advance
    :: answer == Superseded -> goto stop
    :: answer == Begun -> goto execute
    fi
  };

execute:
  atomic {
    if
    :: !hasCrashed -> goto crash
    /* It fails before its tool starts; the engine makes it again. */
    :: faults > 0 -> faults--; goto release
    :: SUSPENDS && !isPending[call] -> isPending[call] = 1; goto suspend
    :: true ->
      effects[call]++;
      /* I-effect: no call has two effects unless the host lets it run again. */
      assert(RERUN || effects[call] == 1);
      goto store
    fi
  };

store:
  atomic {
    if
    :: !hasCrashed -> goto crash
    :: true -> sendEnd(endEnded)
    fi;
    if
    :: answer == Lost -> goto store
    :: answer == Lost -> goto abandon
    :: answer != Lost && isStored -> tell(token); goto advance
    /* Taken over: reported as outcome_unknown. */
    :: answer != Lost && !isStored -> goto advance
    fi
  };

/* These ends are sent once. Whether they arrive is not known. */
abandon:
  atomic {
    sendEnd(endUnknown);
    goto advance
  };
suspend:
  atomic {
    if
    :: !hasCrashed -> goto crash
    :: true -> sendEnd(endSuspended); goto advance
    fi
  };
release:
  atomic {
    sendEnd(endReleased);
    forget();
    if
    :: id < WORKERS -> goto claim
    /* The answer of the person is used, and is not used again. */
    :: id == APPROVER -> isResume = 0; call = 0; goto start
    fi
  };

advance:
  atomic {
    forget();
    if
    :: id == APPROVER -> isResume = 0; call = 0; goto start
    :: id < WORKERS && call + 1 < CALLS -> call++; goto claim
    :: id < WORKERS && call + 1 == CALLS -> runsEnded = 1; goto stop
    fi
  };

/* Once, at any step; then the process starts again. */
crash:
  atomic { forget(); hasCrashed = 1; call = 0; epoch = 0; isResume = 0; goto start };

stop:
  atomic { forget(); hasCrashed = 1; call = 0; epoch = 0 }
}

/* A request that was thought lost is executed, or never is. */
proctype network() {
  mtype:reply answer = Lost;
  mtype:kind kind = none;
  byte call;
  byte token;
  byte epoch;
  byte k;
  bit isResume;
  bit isStored;
end:
  do
  :: d_step { late.kind != none ->
      kind = late.kind; call = late.call; token = late.token; epoch = late.epoch; isResume = late.isResume;
      if
      :: kind == begin -> executeBegin(call, token, epoch, isResume, 0)
      :: else -> executeEnd(call, token, kind)
      fi;
      kind = none; call = 0; token = 0; epoch = 0; isResume = 0; answer = Lost; isStored = 0;
      late.kind = none; late.call = 0; late.token = 0; late.epoch = 0; late.isResume = 0
    }
  :: d_step { late.kind != none ->
      late.kind = none; late.call = 0; late.token = 0; late.epoch = 0; late.isResume = 0
    }
  od
}

/* I-end: when no process can continue, a worker has come to the end of the run. */
proctype monitor() {
end:
  timeout -> assert(runsEnded == 1)
}

init {
  atomic {
    run worker(0);
    run worker(1);
    run worker(2);
#if SUSPENDS
    run worker(APPROVER);
#endif
    run network();
    run monitor()
  }
}
