//! Two small things to wait for in one thread: a latch that opens once, and a turn that one has at a time.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

#[derive(Default)]
struct Waiting(RefCell<Vec<Waker>>);

impl Waiting {
    fn add(&self, context: &Context<'_>) {
        self.0.borrow_mut().push(context.waker().clone());
    }

    fn wake_all(&self) {
        for waker in self.0.take() {
            waker.wake();
        }
    }
}

/// Something that happens once and that many may wait for.
#[derive(Clone, Default)]
pub(super) struct Latch(Rc<LatchState>);

#[derive(Default)]
struct LatchState {
    open: Cell<bool>,
    waiting: Waiting,
}

impl Latch {
    pub(super) fn open(&self) {
        self.0.open.set(true);
        self.0.waiting.wake_all();
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.open.get()
    }

    pub(super) fn wait(&self) -> impl Future<Output = ()> + use<> {
        let state = Rc::clone(&self.0);
        poll_fn(move |context| {
            if state.open.get() {
                return Poll::Ready(());
            }
            state.waiting.add(context);
            Poll::Pending
        })
    }
}

/// What one has at a time.
#[derive(Default)]
pub(super) struct Turns {
    taken: Cell<bool>,
    waiting: Waiting,
}

impl Turns {
    /// Waits for the turn; it ends when the value is dropped.
    pub(super) async fn take(&self) -> Turn<'_> {
        poll_fn(|context| {
            if !self.taken.replace(true) {
                return Poll::Ready(());
            }
            self.waiting.add(context);
            Poll::Pending
        })
        .await;
        Turn(self)
    }
}

pub(super) struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.taken.set(false);
        // All of them: one that was woken alone might be gone, and the others would wait for ever.
        self.0.waiting.wake_all();
    }
}
