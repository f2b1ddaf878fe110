//! One installation with its owner: provider, host, storage and credentials in one hand.

use crate::client::http::{Request, Response};
use crate::client::{Connection, Page, Record, Socket};
use crate::credentials::{Credentials, Variables, variables};
use crate::host::free_port;
use crate::provider::Provider;
use crate::{Entry, Host, HostOptions};
use flarebot_protocol::ConversationId;
use flarebot_protocol::address::{CLIENT_PARAMETER, Endpoint, FLAREBOT_CLIENT};
use flarebot_protocol::call::CreateConversation;
use flarebot_protocol::conversation::ConversationSummary;
use flarebot_protocol::message::Message;
use rusqlite::OpenFlags;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use uuid::Uuid;

/// An installation that runs. Everything of it is gone when it is dropped.
#[derive(Debug)]
pub struct Installation {
    /// The provider that its model calls reach.
    pub provider: Provider,
    /// What its owner can sign.
    pub credentials: Credentials,
    options: HostOptions,
    host: Option<Host>,
    record: Option<Record>,
    // The storage goes with it.
    folder: TempDir,
}

impl Installation {
    /// Starts the release bundle on empty storage.
    #[must_use]
    pub fn start() -> Self {
        Self::start_entry(Entry::Production)
    }

    /// Starts a bundle on empty storage.
    #[must_use]
    pub fn start_entry(entry: Entry) -> Self {
        Self::start_with(entry, |_| {})
    }

    /// Starts a bundle on empty storage, with changes to its configuration.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start_with(entry: Entry, change: impl FnOnce(&mut Variables)) -> Self {
        Self::start_towards(entry, None, change)
    }

    /// Starts a bundle whose requests go to another server, `host:port`, instead of the scripted provider.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start_towards(entry: Entry, server: Option<String>, change: impl FnOnce(&mut Variables)) -> Self {
        let provider = Provider::start().expect("there is a free port");
        let authority = server.unwrap_or_else(|| provider.authority());
        let folder = TempDir::new().expect("there is room for storage");
        let port = free_port();
        let mut variables = variables(&format!("http://localhost:{port}"));
        let credentials = Credentials::new(&variables);
        variables.insert(
            "FLAREBOT_COMPATIBLE_BASE_URL".to_owned(),
            format!("http://{authority}/v1"),
        );
        variables.insert("FLAREBOT_COMPATIBLE_MODELS".to_owned(), "scripted".to_owned());
        change(&mut variables);
        let options = HostOptions {
            entry,
            storage: folder.path().join("storage"),
            port,
            variables,
            provider: authority,
            bundle: None,
        };
        let host = Host::start(&options);
        Self {
            provider,
            credentials,
            options,
            host: Some(host),
            record: None,
            folder,
        }
    }

    /// The running host.
    ///
    /// # Panics
    /// Between a stop or a kill and the next start.
    #[must_use]
    pub fn host(&self) -> &Host {
        self.host.as_ref().expect("the installation runs")
    }

    /// Kills everything at once; the storage stays.
    pub fn kill(&mut self) {
        if let Some(host) = self.host.take() {
            host.kill();
        }
    }

    /// Stops in good order; the storage stays.
    pub fn stop(&mut self) {
        if let Some(host) = self.host.take() {
            host.stop();
        }
    }

    /// Starts again on the same storage at the same address.
    pub fn start_again(&mut self) {
        self.kill();
        self.host = Some(Host::start(&self.options));
    }

    /// Starts again on the same storage with another configuration. What its owner could sign before counts only where
    /// the configuration says so.
    pub fn configure_again(&mut self, change: impl FnOnce(&mut Variables)) {
        self.kill();
        change(&mut self.options.variables);
        self.credentials = Credentials::new(&self.options.variables);
        self.start_again();
    }

    /// Keeps from now on what new clients receive.
    pub fn record(&mut self) -> Record {
        self.record.get_or_insert_default().clone()
    }

    /// Starts again on the same storage with a copy of the bundle, as after a deployment of the same code.
    ///
    /// # Panics
    /// When the bundle cannot be copied.
    pub fn deploy_again(&mut self) {
        self.kill();
        let copy = self.folder.path().join(format!("bundle-{}", Uuid::new_v4()));
        fs::create_dir(&copy).expect("there is room for a bundle");
        let files = fs::read_dir(self.options.bundle()).expect("the bundle is built");
        for file in files.filter_map(Result::ok) {
            fs::copy(file.path(), copy.join(file.file_name())).expect("there is room for a bundle");
        }
        self.options.bundle = Some(copy);
        self.start_again();
    }

    /// The origin that a browser would show.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.authority())
    }

    /// `host:port`.
    #[must_use]
    pub fn authority(&self) -> String {
        format!("localhost:{}", self.options.port)
    }

    /// Sends a request exactly as it is, to the right host.
    ///
    /// # Panics
    /// When there is no response.
    #[must_use]
    pub fn send(&self, request: &Request) -> Response {
        let response = request.send(&self.authority());
        let response = response.expect("the installation answers");
        if let Some(record) = &self.record {
            record.response(&response);
        }
        response
    }

    /// A request with the owner's cookie, and with the right `Origin` where a browser would send one.
    #[must_use]
    pub fn owner_request(&self, method: &str, target: &str) -> Request {
        let request = Request::new(method, target).header("cookie", &self.credentials.cookie());
        if method == "GET" || method == "HEAD" {
            request
        } else {
            request.header("origin", &self.origin())
        }
    }

    /// How the owner's page connects to `endpoint`.
    #[must_use]
    pub fn connection(&self, endpoint: Endpoint) -> Connection {
        let page = format!("{}?{CLIENT_PARAMETER}={FLAREBOT_CLIENT}", endpoint.path());
        Connection {
            target: page,
            ..self.sdk_connection(endpoint)
        }
    }

    /// How an Agents SDK client with the owner's cookie connects to `endpoint`.
    #[must_use]
    pub fn sdk_connection(&self, endpoint: Endpoint) -> Connection {
        Connection {
            authority: self.authority(),
            target: endpoint.path(),
            cookie: Some(self.credentials.cookie()),
            origin: Some(self.origin()),
            record: self.record.clone(),
        }
    }

    /// The owner's socket to the agent.
    ///
    /// # Panics
    /// When it is refused.
    #[must_use]
    pub fn agent(&self) -> Socket {
        let socket = self.connection(Endpoint::Agent).open();
        socket.expect("the owner may connect")
    }

    /// The owner's socket to a conversation.
    ///
    /// # Panics
    /// When it is refused.
    #[must_use]
    pub fn conversation(&self, id: ConversationId) -> Socket {
        let socket = self.connection(Endpoint::Conversation(id)).open();
        socket.expect("the owner may connect")
    }

    /// Makes a conversation.
    ///
    /// # Panics
    /// When that fails.
    #[must_use]
    pub fn create(&self, name: &str) -> ConversationSummary {
        let mut agent = self.agent();
        let created = agent.call(&CreateConversation {
            name: Some(name.to_owned()),
        });
        agent.close();
        created.expect("a conversation can be made")
    }

    /// Makes a conversation and connects to it.
    #[must_use]
    pub fn new_conversation(&self, name: &str) -> (ConversationId, Socket) {
        let id = self.create(name).id;
        (id, self.conversation(id))
    }

    /// The stored messages of a conversation, as clients of the Agents SDK fetch them.
    ///
    /// # Panics
    /// When they cannot be read.
    #[must_use]
    pub fn messages(&self, id: ConversationId) -> Vec<Message> {
        let path = Endpoint::ConversationMessages(id).path();
        let response = self.send(&self.owner_request("GET", &path));
        assert_eq!(response.status, 200, "{}", response.text());
        serde_json::from_slice(&response.body).expect("the transcript is a list of messages")
    }

    /// A page of the owner's on a conversation.
    #[must_use]
    pub fn page(&self, id: ConversationId) -> Page {
        Page::open(self.connection(Endpoint::Conversation(id)))
    }

    /// The database files in storage, each an object, in order.
    #[must_use]
    pub fn database_files(&self) -> Vec<PathBuf> {
        let mut files = self.storage_files();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "sqlite"));
        files
    }

    /// Every file in storage, in order.
    #[must_use]
    pub fn storage_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.options.storage.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// Runs a statement on every database that has what it names, as damage to the storage of a runtime that is down.
    ///
    /// # Panics
    /// When it changes nothing anywhere.
    pub fn damage(&self, statement: &str) {
        let changes = self.database_files().into_iter().map(|file| {
            let database = rusqlite::Connection::open(file).unwrap();
            database.execute(statement, []).unwrap_or(0)
        });
        assert!(changes.sum::<usize>() > 0, "{statement} found nothing");
    }

    /// How many alarms the runtime keeps, of all objects together.
    ///
    /// # Panics
    /// When the runtime's own bookkeeping cannot be read.
    #[must_use]
    pub fn alarms(&self) -> u32 {
        let bookkeeping = self
            .database_files()
            .into_iter()
            .filter(|file| file.ends_with("metadata.sqlite"));
        bookkeeping
            .map(|file| {
                let database =
                    rusqlite::Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
                database
                    .query_row("SELECT count(*) FROM _cf_ALARM", [], |row| row.get::<_, u32>(0))
                    .unwrap_or(0)
            })
            .sum()
    }
}
