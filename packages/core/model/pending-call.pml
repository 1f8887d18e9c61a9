/*
 * The claim of a call that waits for approval (src/approvals/pending-call-store.ts), for spin: three processes have the
 * answer of the same person. Each pauses for any time at any step, and crashes once at any step or never. A request to
 * the store is not executed, or is executed and its answer is lost, or is executed later: FAULTS times altogether.
 *
 * Mutations, each of which breaks an invariant: NO_CONDITION, NO_TOKEN, LEASE_IS_PERMISSION, CLAIM_IS_UNDONE.
 */
#ifndef FAULTS
#define FAULTS 3
#endif
#define PROCESSES 3

mtype:state = { pending, claimed, finished }
/* Answers to `claim`; `lost`: none has arrived. */
mtype:reply = { Claimed, Running, Unfinished, Finished, Lost }

/* The row. */
mtype:state status = pending;
byte claimToken;

/* The token of a claim that is executed late; 0: there is none. */
byte late;
byte faults = FAULTS;
byte uses;
/* The number of processes that know the state of the call. */
byte answered;

/* The statement of `claim`. A lease expires at any moment, also that of a process that is only slow. */
inline executeClaim(t, isExpired) {
  if
#ifdef NO_CONDITION
  :: status != finished -> status = claimed; claimToken = t; answer = Claimed
#else
  :: status == pending -> status = claimed; claimToken = t; answer = Claimed
#endif
#ifdef LEASE_IS_PERMISSION
  :: status == claimed && claimToken != t && isExpired -> claimToken = t; answer = Claimed
#endif
#ifdef NO_TOKEN
  :: status == claimed && isRepeated -> answer = Claimed
#else
  :: status == claimed && claimToken == t -> answer = Claimed
#endif
  :: status == finished -> answer = Finished
  :: else -> answer = (isExpired -> Unfinished : Running)
  fi
}

proctype process(byte id) {
  byte token;
  bit hasCrashed;
  bit isRepeated;
  mtype:reply answer = Lost;

claim:
  atomic {
    token = id + 1 + PROCESSES * hasCrashed;
    if
    :: !hasCrashed -> goto crash
    :: d_step { executeClaim(token, 0) }
    :: d_step { executeClaim(token, 1) }
    :: d_step { faults > 0 -> faults--; executeClaim(token, 0); answer = Lost }
    :: d_step { faults > 0 -> faults--; executeClaim(token, 1); answer = Lost }
    :: d_step { faults > 0 -> faults--; answer = Lost }
    :: d_step { faults > 0 && late == 0 -> faults--; late = token; answer = Lost }
    fi;
    isRepeated = 1;
    if
    :: answer == Lost -> goto claim
    /* It gives up: the person gets store_unavailable, and answers again or not. */
    :: answer == Lost -> goto giveUp
    :: answer == Claimed -> goto use
    :: answer == Running || answer == Unfinished || answer == Finished -> goto hasAnswer
    fi
  };

use:
  atomic {
    if
    :: !hasCrashed -> goto crash
    :: true ->
      uses++;
      /* I-approval: an approval is used at most once. */
      assert(uses == 1)
    fi
  };

finish:
  atomic {
    if
    :: !hasCrashed -> goto crash
    :: true -> status = finished; goto hasAnswer
    /* Not recorded: reported as unfinished once its lease has expired. */
    :: faults > 0 -> faults--; goto hasAnswer
    fi
  };

giveUp:
  atomic {
#ifdef CLAIM_IS_UNDONE
    if
    :: d_step { status == claimed -> status = pending; claimToken = 0 }
    :: else
    fi;
#endif
    goto hasAnswer
  };

crash:
  atomic { hasCrashed = 1; isRepeated = 0; answer = Lost; goto claim };

hasAnswer:
  atomic { answered++; token = 0; answer = Lost }
}

/* A request that was thought lost is executed, or never is. */
proctype network() {
  mtype:reply answer = Lost;
  bit isRepeated;
end:
  do
  :: d_step { late != 0 -> executeClaim(late, 0); answer = Lost; late = 0 }
  :: d_step { late != 0 -> late = 0 }
  od
}

/* I-end: when no process can continue, each has an answer. */
proctype monitor() {
end:
  timeout -> assert(answered == PROCESSES)
}

init {
  atomic { run process(0); run process(1); run process(2); run network(); run monitor() }
}
