/* How cores that have nothing to do sleep and are woken: by mail, by dataflow tasks and by grace periods. Each core is a
   process, and so is a thread of the system below that lives on core 0 (as on Linux). Every access to memory that others
   write is one step, and steps are sequentially consistent. Names are those of the sources:

     mail           tasks/queue: mailbox, doorbell, outbox, core_queue
     tasks          tasks/dataflow: activity.hpp, sleepers.hpp, disciplines/request_core.cpp; -DORIGINAL: original.cpp
     grace periods  kernel/sync/rcu: grace_periods.cpp, interrupts/call.cpp
     the rest       tasks/worker.cpp, arch/attention.hpp

   What happens is bounded: MAILS, TASKS, LOOSE (tasks that the node's word does not count), CALLS (callbacks) for all
   cores together, THREAD_MAILS and THREAD_CALLS for the thread; EARLY_CALLS: on each core, at the
   beginning. A body on any core makes as many of them as it likes, to
   any core, while there are some left. The first BEGINNERS cores have one body in their FIFO at
   the beginning, the others nothing.

   Variants, which must fail: see tests/liveness/run. */

#ifndef CORES
#define CORES 2
#endif
#ifndef BEGINNERS
#define BEGINNERS CORES
#endif
#ifndef ROOM
#define ROOM 1 /* of a ring */
#endif
#ifndef MAILS
#define MAILS 0
#endif
#ifndef TASKS
#define TASKS 0
#endif
#ifndef LOOSE
#define LOOSE 0
#endif
#ifndef CALLS
#define CALLS 0
#endif
#ifndef THREAD_MAILS
#define THREAD_MAILS 0
#endif
#ifndef THREAD_CALLS
#define THREAD_CALLS 0
#endif
#if THREAD_MAILS + THREAD_CALLS > 0
#define THREAD
#endif
#if MAILS + THREAD_MAILS > 0
#define MAIL /* else the mailbox is left out: it would be empty for good */
#endif
#if TASKS + LOOSE > 0
#define DATAFLOW
#endif
#ifndef EARLY_CALLS
#define EARLY_CALLS 0
#endif
#if CALLS + THREAD_CALLS + EARLY_CALLS > 0
#define CALLBACKS
#endif

#define BIT(i) (1 << (i))
#define WITHOUT(i) (255 - (1 << (i)))
#define WAY(from, to) ((from) * CORES + (to))

/* What is under way; only for the properties. */
byte mails_out = BEGINNERS, tasks_out, callbacks_out = CORES * EARLY_CALLS;
/* What bodies may still make. */
byte mails_left = MAILS, tasks_left = TASKS, loose_left = LOOSE, calls_left = CALLS;

#ifdef DATAFLOW
bool has_waited; /* a task, in the middle, for another core: one does, two would wait for each other */
#endif

ltl mail { []<>(mails_out == 0) }
ltl tasks { []<>(tasks_out == 0) }
ltl callbacks { []<>(callbacks_out == 0) }
ltl all { []<>(mails_out + tasks_out + callbacks_out == 0) }

/* ---- arch/attention.hpp ---- */

#define WAKE 1
#define GRACE 2
byte attention[CORES];
bool halted[CORES];

inline leave_word(c, what) {
    d_step { was = attention[c]; attention[c] = attention[c] | what }
}
inline end_halt(c) { halted[c] = false }
inline notify(c, what) {
    leave_word(c, what);
    if
    :: was == 0 -> end_halt(c)
    :: else
    fi
}

/* ---- tasks/queue ---- */

byte ring[CORES * CORES]; /* by sender and receiver: tasks in it */
byte watched[CORES];      /* by receiver: a bit for each sender */
byte stacked[CORES];
bool sleeps[CORES]; /* the doorbell */

#define HAS_MAIL_OF(c) (watched[me] & BIT(c) && ring[WAY(c, me)] > 0)
#if CORES == 2
#define HAS_MAIL (HAS_MAIL_OF(0) || HAS_MAIL_OF(1))
#elif CORES == 3
#define HAS_MAIL (HAS_MAIL_OF(0) || HAS_MAIL_OF(1) || HAS_MAIL_OF(2))
#else
#define HAS_MAIL (HAS_MAIL_OF(0) || HAS_MAIL_OF(1) || HAS_MAIL_OF(2) || HAS_MAIL_OF(3))
#endif

/* A sender has pushed, or has set its bit. */
inline must_ring(c) {
#ifdef DOORBELL_FIRST
    if
    :: early
#else
    if
    :: sleeps[c]
#endif
       -> d_step { was = sleeps[c]; sleeps[c] = false };
       if
#ifdef NO_MAIL_WAKE
       :: was -> skip
#else
       :: was -> notify(c, WAKE)
#endif
       :: else
       fi
    :: else
    fi
}
inline look_early(c) {
#ifdef DOORBELL_FIRST
    early = sleeps[c]
#else
    skip
#endif
}

/* Outbox::watch() */
inline watch(c) {
    if
    :: watched[c] & BIT(me)
    :: else ->
#ifdef DOORBELL_FIRST
       early = early | sleeps[c];
#endif
       watched[c] = watched[c] | BIT(me);
       must_ring(c)
    fi
}

/* Outbox::flush() */
inline flush(c) {
    if
    :: staged[c] > 0 ->
       look_early(c);
       do
       :: staged[c] > 0 -> d_step {
              staged[c]--;
              if
              :: waiting_for_room[c] == 0 && ring[WAY(me, c)] < ROOM -> ring[WAY(me, c)]++
              :: else -> waiting_for_room[c]++
              fi
          }
       :: else -> break
       od;
       unconfirmed[c] = true;
       watch(c)
    :: else
    fi;
    if
    :: waiting_for_room[c] > 0 && ring[WAY(me, c)] < ROOM ->
       look_early(c);
       do
       :: waiting_for_room[c] > 0 && ring[WAY(me, c)] < ROOM -> d_step { waiting_for_room[c]--; ring[WAY(me, c)]++ }
       :: else -> break
       od;
       unconfirmed[c] = true;
       watch(c)
    :: else
    fi
}

/* Outbox::confirm() */
inline confirm(c) {
    if
    :: unconfirmed[c] -> unconfirmed[c] = false; look_early(c); watch(c)
    :: else
    fi
}

/* CoreQueue::leave(): confirms what has left before, or, if there is nothing else to do, what leaves now. */
inline leave() {
    if
    :: fifo > 0 -> /* once in some rounds */
       for (c : 0 .. CORES - 1) { confirm(c) }
    :: true
    fi;
    for (c : 0 .. CORES - 1) { flush(c) };
    if
    :: fifo == 0 -> for (c : 0 .. CORES - 1) { confirm(c) }
    :: else
    fi;
    c = 0;
    d_step {
        needs_flush = false;
        for (c : 0 .. CORES - 1) {
            needs_flush = needs_flush || staged[c] > 0 || waiting_for_room[c] > 0 || unconfirmed[c]
        };
        c = 0
    }
}

/* Mailbox::stop_watching() */
inline stop_watching(c) {
    watched[me] = watched[me] & WITHOUT(c);
#ifndef NO_SECOND_LOOK
    if
    :: ring[WAY(c, me)] > 0 -> watched[me] = watched[me] | BIT(c)
    :: else
    fi
#endif
}

/* Mailbox::collect(). A ring that is found empty is watched for some rounds more, or no longer. */
inline collect() {
    if
    :: stacked[me] > 0 -> d_step { fifo = fifo + stacked[me]; stacked[me] = 0 }
    :: else
    fi;
    bits = watched[me];
    for (c : 0 .. CORES - 1) {
        if
        :: bits & BIT(c) ->
           if
           :: ring[WAY(c, me)] > 0 -> d_step { fifo = fifo + ring[WAY(c, me)]; ring[WAY(c, me)] = 0 }
           :: ring[WAY(c, me)] == 0 ->
              if
              :: true
              :: stop_watching(c)
              fi
           fi
        :: else
        fi
    };
    c = 0;
    bits = 0
}

/* ---- tasks/dataflow ---- */

bool is_awake[CORES] = true; /* sleepers.hpp */

/* Wakes one of those that lie, whichever comes first on the way over the places. */
inline wake_place(c) {
    is_awake[c] = true; /* together with the look before it: a compare-and-swap */
#ifndef NO_TASK_WAKE
    place = c
#endif
}

#ifdef ORIGINAL
short non_empty;
byte public_tasks[CORES];

/* Sleepers::wake_if_asleep() */
inline wake_if_asleep() {
    c = 0;
    place = CORES;
    do
    :: c < CORES && !is_awake[c] -> d_step { wake_place(c); c = CORES }
    :: c < CORES && is_awake[c] -> c++
    :: c >= CORES -> break
    od;
    c = 0;
    if
    :: place < CORES -> notify(place, WAKE); place = CORES
    :: else
    fi
}
#else
byte free_cores = CORES, awake_cores = CORES;
short counted; /* activity.hpp; these three are one word */
byte queued;   /* counted tasks that are queued */
byte loose;    /* others that are queued */

/* activity::wakes_one() */
#define wakes_one() \
    owes = (free_cores == 0 && awake_cores < CORES); \
    if :: owes -> free_cores++; awake_cores++ :: else fi

/* Sleepers::wake_one(): one that counts as awake lies, or is about to. */
inline pay() {
    if
    :: owes ->
       owes = false;
       place = CORES;
       if
       :: atomic { !is_awake[0] -> wake_place(0) }
       :: atomic { !is_awake[1] -> wake_place(1) }
#if CORES > 2
       :: atomic { !is_awake[2] -> wake_place(2) }
#endif
#if CORES > 3
       :: atomic { !is_awake[3] -> wake_place(3) }
#endif
       fi;
       if
       :: place < CORES -> notify(place, WAKE); place = CORES
       :: else
       fi
    :: else
    fi
}
/* Activity::ask_for_help(), after a look at the word */
inline ask_for_help() {
    if
    :: free_cores == 0 && awake_cores < CORES -> d_step { wakes_one() }; pay()
    :: else
    fi
}
/* RequestCore::wake_for_the_rest() */
inline wake_for_the_rest() {
    if
    :: free_cores == 0 && awake_cores < CORES ->
       if
       :: loose > 0 -> ask_for_help()
       :: else
       fi
    :: else
    fi
}
/* RequestCore::begin_work(), after a task was taken; SleepRule::Strict */
inline begin_work(taken) {
    if
    :: is_working && taken == 0
    :: is_working && taken > 0 -> d_step {
           counted = counted - taken;
           free_cores++;
           free_cores--;
           owes = false;
           if
           :: counted > 0 -> wakes_one()
           :: else
           fi
       };
       pay()
    :: else ->
       d_step {
           is_working = true;
           free_cores--;
           counted = counted - taken;
           owes = false;
           if
           :: counted > 0 -> wakes_one()
           :: else
           fi
       };
       pay();
       wake_for_the_rest()
    fi
}
#endif

/* ---- kernel/sync/rcu ---- */

#define AWAKE 0
#define AWAY 1
byte begun, ended, wanted, missing;
bool busy;
byte list; /* cores that want to know: a bit for each */
bool listed[CORES];
byte presence[CORES];
byte seen[CORES];
byte arrived[CORES] = EARLY_CALLS;
bool urgent[CORES];

inline tell(c) {
    leave_word(c, GRACE);
#ifndef TELL_BLINDLY
    if
    :: presence[c] != AWAKE -> end_halt(c)
    :: else
    fi
#endif
}

#ifdef THREAD
#define LIVES_ON(c) ((c) == 0)
#else
#define LIVES_ON(c) false
#endif

/* try_to_begin(), begin(), count_down() and end(), of which each ends with the next. */
mtype = { None, TryToBegin, CountDown, End };
inline work_off() {
    do
    :: job == None -> break
    :: job == CountDown -> d_step {
           missing--;
           if
           :: missing == 0 -> job = End
           :: else -> job = None
           fi
       }
    :: job == End ->
       ended = begun;
       d_step { bits = list; list = 0 };
       for (c : 0 .. CORES - 1) {
           if
           :: bits & BIT(c) ->
#ifdef FLAG_LATE
              tell(c);
              listed[c] = false
#else
              listed[c] = false;
              tell(c)
#endif
           :: else
           fi
       };
       c = 0;
       bits = 0;
       busy = false;
#ifdef NO_NEXT_BEGIN
       job = None
#else
       job = TryToBegin
#endif
    :: job == TryToBegin ->
       number = wanted;
       if
       :: number <= begun -> job = None
       :: else ->
          d_step { was = busy; busy = true };
          if
          :: was -> job = None
          :: else ->
             number = wanted;
             if
             :: number <= begun -> busy = false
             :: else ->
                missing = CORES + 1;
                begun = begun + 1;
                for (c : 0 .. CORES - 1) {
                    if
                    :: presence[c] == AWAY && !LIVES_ON(c) ->
                       d_step { /* count_for() */
                           was = seen[c] < begun;
                           if
                           :: was -> seen[c] = begun
                           :: else
                           fi
                       };
                       if
                       :: was -> missing--
                       :: else
                       fi
                    :: else -> tell(c)
                    fi
                };
                c = 0;
                job = CountDown
             fi
          fi
       fi;
       number = 0
    od;
    was = 0
}

/* ---- tasks/worker.cpp ---- */

proctype core(byte me) {
    byte fifo = (me < BEGINNERS -> 1 : 0);
    byte was, c, bits, place = CORES;
    bool early, owes, in_round;
    byte staged[CORES], waiting_for_room[CORES];
    bool unconfirmed[CORES];
    bool needs_flush;
#ifdef DATAFLOW
    bool is_working, has_run;
    bool in_flow;
#endif
#ifdef ORIGINAL
    byte private_tasks;
    byte place_of_victim = me;
#endif
#ifdef CALLBACKS
    byte next, waiting, ready, next_for, waits_for, asked_for, number;
    bool may_wait, is_urgent;
    byte newest;
    mtype job = None;
    mtype back = None; /* where sort() returns to: TryToBegin: a round, CountDown: attend, End: a halt */
#endif

turn:
    if
    :: attention[me] != 0 -> goto attend
    :: attention[me] == 0
    fi;
    if
    :: in_round && fifo > 0 -> fifo--; in_round = false; mails_out--; goto body
    :: else -> goto round
    fi;

attend:
    atomic { was = attention[me]; attention[me] = 0 };
#ifdef CALLBACKS
    if
    :: was & GRACE ->
       was = 0;
       number = begun; /* unanswered(), and the core is quiescent here */
       d_step {
           if
           :: seen[me] < number -> seen[me] = number; job = CountDown
           :: else
           fi;
           number = 0
       };
       work_off();
       may_wait = true;
       back = CountDown;
       goto sort
    :: else -> was = 0
    fi;
#endif
    was = 0;
    goto turn;

round:
#ifdef CALLBACKS
    if
    :: waiting + next + ready > 0 || arrived[me] > 0 -> may_wait = true; back = TryToBegin; goto sort
    :: else
    fi;
after_callbacks:
#endif
#ifdef MAIL
    leave();
    collect();
#endif
    in_round = true;
#ifdef DATAFLOW
    goto flow;
#else
    if
    :: fifo > 0 || needs_flush -> goto turn
    :: else -> goto sleep
    fi;
#endif

/* A task, be it of the FIFO or of a request: makes whatever there is left to make. */
body:
    do
    :: break
#if MAILS > 0
    :: atomic { mails_left > 0 -> mails_left--; mails_out++ };
       if
       :: me != 0 -> staged[0]++
       :: me != 1 -> staged[1]++
#if CORES > 2
       :: me != 2 -> staged[2]++
#endif
#if CORES > 3
       :: me != 3 -> staged[3]++
#endif
       fi
#endif
#if CALLS > 0
    :: atomic { calls_left > 0 -> calls_left--; callbacks_out++; arrived[me]++ } /* awake: nobody to tell */
#endif
#if defined(ORIGINAL) && TASKS > 0
    :: atomic {
           tasks_left > 0 -> tasks_left--; tasks_out++;
           was = public_tasks[me]; /* under its lock */
           public_tasks[me]++
       };
       if
       :: was == 0 -> non_empty++; wake_if_asleep()
       :: else
       fi;
       if
       :: true
       :: atomic { in_flow && !has_waited -> has_waited = true }; (public_tasks[me] == 0) /* works until another core has come */
       fi
#elif TASKS > 0
    :: atomic { tasks_left > 0 -> tasks_left--; tasks_out++; counted++; wakes_one() }; /* add_tasks() */
       queued++;
       pay();
       if
       :: true
       :: atomic { in_flow && !has_waited -> has_waited = true }; (queued == 0) /* works until another core has come */
       fi
#endif
#if LOOSE > 0
    :: atomic { loose_left > 0 -> loose_left--; tasks_out++; loose++ };
       if
       :: free_cores != 0 || awake_cores == CORES /* offer_help() */
       :: else -> ask_for_help()
       fi;
       if
       :: true
       :: atomic { in_flow && !has_waited -> has_waited = true }; (loose == 0) /* works until another core has come */
       fi
#endif
    od;
#ifdef DATAFLOW
    if
    :: in_flow -> in_flow = false; goto after_task
    :: else
    fi;
#endif
    goto turn;

#ifdef DATAFLOW
#ifdef ORIGINAL
/* OriginalCore::run() */
flow:
    has_run = false;
next_task:
    if
    :: private_tasks > 0 -> private_tasks--
    :: else ->
       if
       :: non_empty <= 0 -> goto no_task
       :: atomic { non_empty > 0 -> non_empty-- }
       fi;
       do /* one of the FIFOs is promised to this core */
       :: d_step {
              public_tasks[place_of_victim] > 0 ->
              private_tasks = public_tasks[place_of_victim] - 1;
              public_tasks[place_of_victim] = 0;
              place_of_victim = me
          };
          break
       :: public_tasks[place_of_victim] == 0 -> place_of_victim = (place_of_victim + 1) % CORES
       od
    fi;
    tasks_out--;
    has_run = true;
    in_flow = true;
    goto body;
after_task:
    if
    :: attention[me] != 0 -> has_run = false; goto turn
    :: attention[me] == 0 -> goto next_task
    fi;
no_task:
#else
/* RequestCore::run() */
flow:
    has_run = false;
next_task:
    if
    :: atomic { queued > 0 -> queued-- }; begin_work(1)
    :: queued == 0 ->
       if
       :: atomic { loose > 0 -> loose-- }; begin_work(0)
       :: loose == 0 -> goto no_task
       fi
    fi;
    tasks_out--;
    has_run = true;
    in_flow = true;
    goto body;
after_task:
    if
    :: attention[me] != 0 -> wake_for_the_rest(); has_run = false; goto turn
    :: attention[me] == 0 -> goto next_task
    fi;
no_task:
    if
    :: is_working -> is_working = false; free_cores++
    :: else
    fi;
#endif
    if
    :: has_run || fifo > 0 || needs_flush -> has_run = false; goto turn
    :: else
    fi;
#endif

/* Worker::idle(): polls until there is something, or for long enough */
sleep:
    in_round = false;
    if
    :: attention[me] != 0 -> goto turn
#ifdef MAIL
    :: stacked[me] > 0 -> goto turn
    :: HAS_MAIL -> goto turn
#endif
#ifdef ORIGINAL
    :: non_empty > 0 -> goto turn
#elif defined(DATAFLOW)
    :: queued > 0 -> goto turn
    :: loose > 0 -> goto turn
#endif
    :: true
    fi;
#ifdef MAIL
    /* Mailbox::sleep_unless_mail() */
    bits = watched[me];
    for (c : 0 .. CORES - 1) {
        if
        :: bits & BIT(c) -> stop_watching(c)
        :: else
        fi
    };
    c = 0;
    sleeps[me] = true;
#ifndef NO_LAST_LOOK
    if
    :: stacked[me] > 0 -> goto stay_awake
    :: stacked[me] == 0
    fi;
    if
    :: watched[me] != 0 -> goto stay_awake
    :: watched[me] == 0
    fi;
#endif
#endif

/* begin_sleep() */
#ifdef ORIGINAL
#ifndef LIE_DOWN_LATE
    is_awake[me] = false;
#endif
    if
    :: non_empty > 0 -> goto rise
    :: non_empty <= 0
    fi;
#ifdef LIE_DOWN_LATE
    is_awake[me] = false;
#endif
#elif defined(DATAFLOW)
#ifdef SPLIT_SLEEP
    if
    :: counted <= 0 || free_cores > 1
    :: else -> goto stay_awake
    fi;
    d_step { free_cores--; awake_cores-- };
#else
    if
    :: d_step { counted <= 0 || free_cores > 1 -> free_cores--; awake_cores-- }
    :: else -> goto stay_awake
    fi;
#endif
    is_awake[me] = false; /* lie_down() */
#ifndef NO_LOOK_AT_QUEUES
    if
    :: loose > 0 -> goto rise
    :: loose == 0
    fi;
#endif
#endif

/* Worker::halt() */
#ifdef CALLBACKS
    if
    :: waiting + next + ready > 0 || arrived[me] > 0 -> may_wait = false; back = End; goto sort
    :: else
    fi;
before_halt:
#ifdef PRESENCE_LATE
    if
    :: ready > 0 || arrived[me] > 0 -> leave_word(me, GRACE)
    :: else
    fi;
    presence[me] = AWAY;
#else
    presence[me] = AWAY;
    if
    :: ready > 0 || arrived[me] > 0 -> leave_word(me, GRACE)
    :: else
    fi;
#endif
#endif
    /* arch::halt_until_attention() */
    do
    :: attention[me] != 0 -> break
    :: atomic { attention[me] == 0 -> halted[me] = true };
end_halted:
       !halted[me]
    od;
#ifdef CALLBACKS
    presence[me] = AWAKE;
#endif

/* end_sleep() */
#ifdef ORIGINAL
rise:
    is_awake[me] = true;
#elif defined(DATAFLOW)
rise:
    if
    :: is_awake[me] -> goto stay_awake /* a waker has counted it */
    :: !is_awake[me]
    fi;
    d_step { /* Activity::try_rise() */
        was = awake_cores < CORES;
        if
        :: was -> awake_cores++; free_cores++
        :: else
        fi
    };
    if
    :: was ->
       d_step { was = is_awake[me]; is_awake[me] = true };
       if
       :: was -> d_step { awake_cores--; free_cores-- } /* a waker was faster */
       :: else
       fi
    :: else -> is_awake[me] /* one is on its way */
    fi;
#endif
stay_awake:
#ifdef MAIL
    sleeps[me] = false;
#endif
    goto turn;

#ifdef CALLBACKS
/* GracePeriods::sort(), and run_ready() but before a halt */
sort:
    atomic { is_urgent = urgent[me]; urgent[me] = false };
    if
    :: arrived[me] > 0 -> d_step { next = next + arrived[me]; arrived[me] = 0 }; next_for = begun + 1
    :: arrived[me] == 0
    fi;
    do
    :: if
       :: waiting > 0 && waits_for <= ended -> d_step { ready = ready + waiting; waiting = 0; waits_for = 0 }
       :: else
       fi;
       if
       :: waiting > 0
       :: waiting == 0 && next == 0 -> break
       :: waiting == 0 && next > 0 -> d_step { waiting = next; next = 0; waits_for = next_for; next_for = 0 }
       fi;
       newest = (next == 0 -> waits_for : next_for);
       if
       :: asked_for < newest && may_wait && !is_urgent /* for company, or no longer */
       :: asked_for < newest ->
          asked_for = newest;
          d_step {
              if
              :: wanted < newest -> wanted = newest
              :: else
              fi
          };
          job = TryToBegin;
          work_off()
       :: asked_for >= newest
       fi;
       newest = 0;
       if
       :: asked_for < waits_for -> break
       :: else
       fi;
       if /* enlist() */
       :: listed[me]
       :: !listed[me] -> listed[me] = true; list = list | BIT(me)
       fi;
#ifdef ENLIST_ONCE
       break
#else
       if
       :: ended < waits_for -> break
       :: else
       fi
#endif
    od;
    is_urgent = false;
    if
    :: back == End -> back = None; goto before_halt
    :: else
    fi;
    may_wait = false;
    d_step { callbacks_out = callbacks_out - ready; ready = 0 };
    if
    :: back == CountDown -> back = None; goto turn
    :: else -> back = None; goto after_callbacks
    fi
#endif
}

#ifdef THREAD
/* A thread that is no worker, and lives on core 0. */
proctype thread() {
    byte was, mails = THREAD_MAILS, calls = THREAD_CALLS;
    bool early;
    do
    :: mails > 0 -> /* Worker::append_from_outside() */
       mails--;
       look_early(0);
       atomic { mails_out++; stacked[0]++ };
       must_ring(0)
#if THREAD_CALLS > 0
    :: calls > 0 -> /* GracePeriods::call() */
       calls--;
       atomic { callbacks_out++; arrived[0]++ };
       if
       :: urgent[0] = true; tell(0)
       :: presence[0] != AWAKE -> tell(0)
       :: presence[0] == AWAKE
       fi
#endif
    :: mails == 0 && calls == 0 -> break
    od
}
#endif

init {
    atomic {
#ifdef THREAD
        run thread();
#endif
        byte i;
        for (i : 0 .. CORES - 1) { run core(i) }
    }
}
