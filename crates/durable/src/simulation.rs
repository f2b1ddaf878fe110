//! A platform in virtual time, for tests and examples: one thread, one alarm, a clock that moves only when told, and an
//! end of the process whenever one likes.

use crate::driver::{AlarmClock, Clock, Entropy, Spawn};
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// The platform. Clones are the same one.
#[derive(Clone)]
pub struct Simulation(Rc<State>);

struct State {
    now: Cell<i64>,
    alarm: Cell<Option<i64>>,
    refuses_alarms: Cell<bool>,
    alarms_set: Cell<u32>,
    names: Cell<u64>,
    tasks: RefCell<Vec<Task>>,
    sleepers: RefCell<Vec<(i64, Waker)>>,
}

struct Task {
    future: Pin<Box<dyn Future<Output = ()>>>,
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Woken {
    fn new() -> Arc<Self> {
        Arc::new(Self(AtomicBool::new(true)))
    }

    fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

impl Simulation {
    /// A platform whose clock shows `now`, in milliseconds since 1970, without an alarm.
    #[must_use]
    pub fn new(now: i64) -> Self {
        Self(Rc::new(State {
            now: Cell::new(now),
            alarm: Cell::new(None),
            refuses_alarms: Cell::new(false),
            alarms_set: Cell::new(0),
            names: Cell::new(0),
            tasks: RefCell::default(),
            sleepers: RefCell::default(),
        }))
    }

    /// The instant of the alarm, in milliseconds since 1970.
    #[must_use]
    pub fn alarm(&self) -> Option<i64> {
        self.0.alarm.get()
    }

    /// How often an alarm was set or cleared so far.
    #[must_use]
    pub fn alarms_set(&self) -> u32 {
        self.0.alarms_set.get()
    }

    /// Loses the alarm, as a platform does that gave up on it.
    pub fn lose_alarm(&self) {
        self.0.alarm.set(None);
    }

    /// From now on alarms are refused, or no more.
    pub fn refuse_alarms(&self, refuses: bool) {
        self.0.refuses_alarms.set(refuses);
    }

    /// Moves the clock on to `instant`, or leaves it when that has passed, and wakes who slept until then.
    pub fn advance_to(&self, instant: i64) {
        self.0.now.set(self.0.now.get().max(instant));
        let now = self.0.now.get();
        let (due, rest): (Vec<_>, Vec<_>) =
            self.0.sleepers.take().into_iter().partition(|(at, _)| *at <= now);
        self.0.sleepers.borrow_mut().extend(rest);
        for (_, waker) in due {
            waker.wake();
        }
    }

    /// Takes the alarm if its time has come: it is consumed, as the platform's is when its handler begins.
    #[must_use]
    pub fn take_due_alarm(&self) -> bool {
        let is_due = self.0.alarm.get().is_some_and(|at| at <= self.0.now.get());
        if is_due {
            self.0.alarm.set(None);
        }
        is_due
    }

    /// Waits in virtual time.
    pub fn sleep(&self, milliseconds: i64) -> impl Future<Output = ()> + use<> {
        let state = Rc::clone(&self.0);
        let until = state.now.get().saturating_add(milliseconds);
        poll_fn(move |context| {
            if state.now.get() >= until {
                return Poll::Ready(());
            }
            state.sleepers.borrow_mut().push((until, context.waker().clone()));
            Poll::Pending
        })
    }

    /// Runs spawned futures until each of them waits for something.
    pub fn run_until_idle(&self) {
        while self.poll_tasks() {}
    }

    /// Runs a future along with the spawned ones; `None` when it waits for something that none of them will do.
    pub fn run<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        let woken = Woken::new();
        let waker = Waker::from(Arc::clone(&woken));
        loop {
            if woken.take()
                && let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker))
            {
                return Some(value);
            }
            if !self.poll_tasks() && !woken.0.load(Ordering::Relaxed) {
                return None;
            }
        }
    }

    /// Ends the process: every spawned future is dropped. Clock and alarm stay, for the next one.
    pub fn end_process(&self) {
        // Dropping one may spawn another.
        while !self.0.tasks.borrow().is_empty() {
            drop(self.0.tasks.take());
        }
        self.0.sleepers.take();
    }

    /// Polls each task that was woken once; whether there was one.
    fn poll_tasks(&self) -> bool {
        let mut tasks = self.0.tasks.take();
        let mut progressed = false;
        tasks.retain_mut(|task| {
            if !task.woken.take() {
                return true;
            }
            progressed = true;
            let waker = Waker::from(Arc::clone(&task.woken));
            task.future
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
        });
        let spawned = self.0.tasks.take();
        tasks.extend(spawned);
        *self.0.tasks.borrow_mut() = tasks;
        progressed
    }
}

impl AlarmClock for Simulation {
    async fn set(&self, instant: Option<i64>) -> Result<(), String> {
        if self.0.refuses_alarms.get() {
            return Err("the platform refuses".to_owned());
        }
        self.0.alarms_set.set(self.0.alarms_set.get().saturating_add(1));
        self.0.alarm.set(instant);
        Ok(())
    }
}

impl Spawn for Simulation {
    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.0.tasks.borrow_mut().push(Task {
            future: Box::pin(task),
            woken: Woken::new(),
        });
    }
}

impl Clock for Simulation {
    fn now(&self) -> i64 {
        self.0.now.get()
    }
}

impl Entropy for Simulation {
    fn fraction(&self) -> f64 {
        0.5
    }

    fn name(&self) -> String {
        let number = self.0.names.get().wrapping_add(1);
        self.0.names.set(number);
        format!("name {number}")
    }
}
