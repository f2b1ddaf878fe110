//! The four systems that are compared, and how each of them is reached.

use super::chat::{Chat, Language, PATIENCE};
use super::frame::Frame;
use super::plan::Plan;
use super::process::Process;
use super::provider::Provider;
use super::runtime::{Options, Runtime};
use super::trouble::{Result, Trouble};
use super::wire::Address;
use crate::client::http::Request;
use crate::credentials::{Credentials, Variables, variables};
use crate::host::free_port;
use flarebot_protocol::ConversationId;
use flarebot_protocol::address::{CLIENT_PARAMETER, Endpoint, FLAREBOT_CLIENT};
use flarebot_protocol::call::{Call, CreateConversation};
use flarebot_protocol::conversation::ConversationSummary;
use serde::Serialize;
use serde_json::Value;
use tempfile::TempDir;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Subject {
    /// A Worker that passes bytes on.
    BareWorker,
    /// A Durable Object that passes bytes on.
    BareObject,
    /// The product's release bundle.
    Ours,
    /// Another chat agent, if there is one to compare with.
    Peer,
}

impl Subject {
    pub(super) const ALL: [Self; 4] = [Self::BareWorker, Self::BareObject, Self::Ours, Self::Peer];
    /// Those that keep what they are told.
    pub(super) const AGENTS: [Self; 2] = [Self::Ours, Self::Peer];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::BareWorker => "bare Worker",
            Self::BareObject => "bare object",
            Self::Ours => "ours",
            Self::Peer => "peer",
        }
    }

    fn host(self) -> &'static str {
        match self {
            Self::BareWorker | Self::BareObject => "bare",
            Self::Ours => "product",
            Self::Peer => "peer",
        }
    }

    fn language(self) -> Language {
        match self {
            Self::BareWorker | Self::BareObject => Language::Bytes,
            Self::Ours | Self::Peer => Language::Frames,
        }
    }
}

/// A place for one conversation: the path of its socket.
#[derive(Debug, Clone)]
pub(super) struct Room(String);

/// One running system with a provider of its own. Everything of it is gone when it is dropped.
#[derive(Debug)]
pub(super) struct System {
    pub(super) subject: Subject,
    pub(super) provider: Provider,
    options: Options,
    credentials: Credentials,
    runtime: Option<Runtime>,
    // Held for its end: the storage goes with it.
    _folder: TempDir,
}

impl System {
    /// Starts it on empty storage.
    pub(super) fn start(subject: Subject, plan: &Plan) -> Result<Self> {
        Self::start_with(subject, plan, false)
    }

    /// Starts it so that it counts the rows that it writes.
    pub(super) fn start_counting(subject: Subject, plan: &Plan) -> Result<Self> {
        Self::start_with(subject, plan, true)
    }

    fn start_with(subject: Subject, plan: &Plan, count_rows: bool) -> Result<Self> {
        let folder = TempDir::new()?;
        let provider = Provider::start()?;
        let port = free_port();
        let owner = variables(&format!("http://localhost:{port}"));
        let credentials = Credentials::new(&owner);
        let variables = match subject {
            Subject::Ours => with_model(owner, &provider),
            Subject::BareWorker | Subject::BareObject | Subject::Peer => {
                [("PROVIDER".to_owned(), provider.base_url())].into()
            }
        };
        let options = Options {
            system: subject.host(),
            storage: folder.path().join("storage"),
            port,
            variables,
            peer: plan.peer.clone(),
            count_rows,
        };
        let runtime = Runtime::start(&options)?;
        let system = Self {
            subject,
            provider,
            options,
            credentials,
            runtime: Some(runtime),
            _folder: folder,
        };
        system.touch()?;
        Ok(system)
    }

    /// Kills it at once; the storage stays.
    pub(super) fn kill(&mut self) {
        self.runtime = None;
    }

    /// Starts it again on the same storage at the same address.
    pub(super) fn start_again(&mut self) -> Result<()> {
        if let Some(runtime) = self.runtime.take() {
            runtime.stop()?;
        }
        self.runtime = Some(Runtime::start(&self.options)?);
        Ok(())
    }

    /// Has it answer one request, so that its code is loaded.
    pub(super) fn touch(&self) -> Result<()> {
        self.get("/nothing").map(drop)
    }

    /// The runtime's process.
    pub(super) fn process(&self) -> Result<Process> {
        let runtime = self.runtime.as_ref();
        runtime
            .map(|runtime| runtime.process)
            .ok_or_else(|| Trouble::new("the system does not run"))
    }

    /// Makes a room.
    pub(super) fn room(&self, name: &str) -> Result<Room> {
        Ok(Room(match self.subject {
            Subject::BareWorker => "/worker".to_owned(),
            Subject::BareObject => "/object".to_owned(),
            Subject::Peer => format!("/agents/chat/{name}"),
            Subject::Ours => page(Endpoint::Conversation(self.create(name)?)),
        }))
    }

    fn create(&self, name: &str) -> Result<ConversationId> {
        let create = CreateConversation {
            name: Some(name.to_owned()),
        };
        let mut agent = self.connect(&Room(page(Endpoint::Agent)))?;
        let created = agent.call(CreateConversation::METHOD, &create.arguments())?;
        let created: ConversationSummary = serde_json::from_value(created)?;
        Ok(created.id)
    }

    /// Connects to a room and waits for nothing.
    pub(super) fn connect(&self, room: &Room) -> Result<Chat> {
        let address = Address {
            authority: format!("localhost:{}", self.options.port),
            target: room.0.clone(),
            headers: match self.subject {
                Subject::Ours => vec![
                    ("Cookie", self.credentials.cookie()),
                    ("Origin", format!("http://localhost:{}", self.options.port)),
                ],
                Subject::BareWorker | Subject::BareObject | Subject::Peer => Vec::new(),
            },
        };
        Chat::open(&address, self.subject.language())
    }

    /// Connects to a room and waits until everything came that comes at once.
    pub(super) fn enter(&self, room: &Room) -> Result<Chat> {
        let mut chat = self.connect(room)?;
        let greeting = |frame: &Frame| match self.subject {
            Subject::Ours => matches!(frame, Frame::Picture(_)),
            Subject::Peer => matches!(frame, Frame::Settled),
            Subject::BareWorker | Subject::BareObject => true,
        };
        if self.subject.language() == Language::Frames {
            chat.until("greeting", PATIENCE, |seen| greeting(&seen.frame).then_some(()))?;
        }
        Ok(chat)
    }

    /// Makes a room and enters it.
    pub(super) fn enter_new(&self, name: &str) -> Result<Chat> {
        self.enter(&self.room(name)?)
    }

    /// The rows that were written so far, of all objects of the product, or of the room of `chat` in the peer.
    pub(super) fn rows_written(&self, chat: &mut Chat) -> Result<f64> {
        let count = match self.subject {
            Subject::Ours => self.get("/rows-written")?,
            Subject::Peer => chat.call("rows", &[])?["written"].take(),
            Subject::BareWorker | Subject::BareObject => Value::from(0),
        };
        count
            .as_f64()
            .ok_or_else(|| Trouble::new("the rows were not counted"))
    }

    fn get(&self, path: &str) -> Result<Value> {
        let response = Request::new("GET", path).send(&format!("localhost:{}", self.options.port))?;
        Ok(serde_json::from_slice(&response.body).unwrap_or(Value::Null))
    }
}

fn page(endpoint: Endpoint) -> String {
    format!("{}?{CLIENT_PARAMETER}={FLAREBOT_CLIENT}", endpoint.path())
}

fn with_model(mut owner: Variables, provider: &Provider) -> Variables {
    owner.insert("FLAREBOT_COMPATIBLE_BASE_URL".to_owned(), provider.base_url());
    owner.insert("FLAREBOT_COMPATIBLE_MODELS".to_owned(), "scripted".to_owned());
    owner
}
