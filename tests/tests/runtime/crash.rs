//! Two hundred conversations are made, renamed and deleted while the process is killed again and again: whatever was
//! acknowledged holds, whatever was not is wholly there or absent, and nothing is left of what was deleted.

use flarebot_protocol::ConversationId;
use flarebot_protocol::call::{
    CreateConversation, DeleteConversation, ListConversations, RenameConversation,
};
use flarebot_tests::chance::Chance;
use flarebot_tests::client::Socket;
use flarebot_tests::oracle::Oracle;
use flarebot_tests::{Installation, PATIENCE, eventually};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const CONVERSATIONS: usize = 200;
const KILLS: u32 = 20;
const WORKERS: usize = 2;

/// A change that a worker makes to one conversation, in its turn.
#[derive(Debug, Clone)]
enum Change {
    Create,
    Rename(ConversationId),
    Delete(ConversationId),
}

/// What is left to do, and what was promised about what was done.
struct Work {
    todo: Mutex<VecDeque<Change>>,
    oracle: Mutex<Oracle>,
    names: Mutex<u32>,
    answered: AtomicUsize,
}

impl Work {
    fn new() -> Self {
        Self {
            todo: Mutex::new(vec![Change::Create; CONVERSATIONS].into()),
            oracle: Mutex::default(),
            names: Mutex::default(),
            answered: AtomicUsize::new(0),
        }
    }

    fn new_name(&self) -> String {
        let mut names = self.names.lock().unwrap();
        *names += 1;
        format!("Conversation {names}")
    }

    fn oracle<T>(&self, tell: impl FnOnce(&mut Oracle) -> T) -> T {
        tell(&mut self.oracle.lock().unwrap())
    }

    /// Every conversation is renamed once it was made; every second one is deleted after that.
    fn then(&self, change: &Change, id: ConversationId) {
        let next = match change {
            Change::Create => Change::Rename(id),
            Change::Rename(id) if id.to_string().ends_with(['0', '2', '4', '6', '8', 'a', 'c', 'e']) => {
                Change::Delete(*id)
            }
            Change::Rename(_) | Change::Delete(_) => return,
        };
        self.todo.lock().unwrap().push_back(next);
    }

    /// Makes one change. `None` means that the process went away before it answered.
    fn make(&self, agent: &mut Socket, change: &Change) -> Option<()> {
        match *change {
            Change::Create => {
                let name = self.new_name();
                self.oracle(|oracle| oracle.creation_asked(&name));
                let created = agent.try_call(&CreateConversation {
                    name: Some(name.clone()),
                })?;
                let id = created.expect("a conversation can be made").id;
                self.oracle(|oracle| oracle.created(id, &name));
                self.then(change, id);
            }
            Change::Rename(id) => {
                let name = self.new_name();
                self.oracle(|oracle| oracle.rename_asked(id, &name));
                let renamed = agent.try_call(&RenameConversation {
                    id,
                    name: name.clone(),
                })?;
                renamed.expect("a conversation that exists can be renamed");
                self.oracle(|oracle| oracle.renamed(id, &name));
                self.then(change, id);
            }
            Change::Delete(id) => {
                self.oracle(|oracle| oracle.deletion_asked(id));
                agent
                    .try_call(&DeleteConversation { id })?
                    .expect("a conversation can be deleted");
                self.oracle(|oracle| oracle.deleted(id));
            }
        }
        Some(())
    }

    /// Works until there is nothing left to do or the process is gone. A change without an answer is left
    /// as it is, and what became of it shows after the restart; only a creation is asked for again, under another name.
    fn until_killed(&self, installation: &Installation) {
        let Ok(Ok(mut agent)) = installation
            .connection(flarebot_protocol::address::Endpoint::Agent)
            .try_open()
        else {
            return;
        };
        loop {
            let Some(change) = self.todo.lock().unwrap().pop_front() else {
                return;
            };
            if self.make(&mut agent, &change).is_none() {
                if matches!(change, Change::Create) {
                    self.todo.lock().unwrap().push_front(Change::Create);
                }
                return;
            }
            self.answered.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn acknowledged_changes_survive_twenty_kills() {
    let mut installation = Installation::start();
    drop(installation.agent());
    let empty = installation.database_files().len();
    let work = Work::new();
    let mut chance = Chance::of_this_run();
    for round in 0..KILLS {
        let answers = usize::try_from(2 + chance.below(40)).unwrap();
        kill_while_working(
            &installation,
            &work,
            answers,
            Duration::from_micros(chance.below(30_000)),
        );
        installation.start_again();
        check(&installation, &work, round);
    }
    // What is left is done in peace, so that the whole life of all of them is covered.
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| work.until_killed(&installation));
        }
    });
    check(&installation, &work, KILLS);
    let present = work.oracle(|oracle| oracle.present());
    for id in &present {
        let mut socket = installation.conversation(*id);
        assert!(socket.expect_history().messages.is_empty());
    }
    for id in work.oracle(|oracle| oracle.absent()) {
        assert_eq!(installation.conversation(id).expect_closed(PATIENCE).code, 4004);
    }
    // The agent's own file, and one for each conversation that exists.
    eventually("no storage is left of what was deleted", PATIENCE, || {
        (installation.database_files().len() == empty + present.len()).then_some(())
    });
}

/// Kills the process when `answers` changes were acknowledged, and `then` a moment later in the middle of another.
fn kill_while_working(installation: &Installation, work: &Work, answers: usize, then: Duration) {
    let enough = work.answered.load(Ordering::Relaxed) + answers;
    std::thread::scope(|scope| {
        let working: Vec<_> = (0..WORKERS)
            .map(|_| scope.spawn(|| work.until_killed(installation)))
            .collect();
        while work.answered.load(Ordering::Relaxed) < enough
            && working.iter().any(|worker| !worker.is_finished())
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(then);
        installation.host().kill_now();
    });
}

fn check(installation: &Installation, work: &Work, round: u32) {
    let listed = installation.agent().call(&ListConversations {}).unwrap();
    let broken = work.oracle(|oracle| oracle.settle(&listed));
    assert_eq!(broken, Vec::<String>::new(), "after kill {round}");
}
