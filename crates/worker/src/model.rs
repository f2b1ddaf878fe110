//! A model that is ready to be called: how its provider is spoken with, and the key that it takes, opened here and nowhere
//! else.

use crate::configuration::Deployment;
use crate::sys;
use flarebot_agent::models::SealedKey;
use flarebot_model::{Codec, FailureKind, KeySlot, ModelFailure, owner_key};
use flarebot_protocol::settings::ModelChoice;
use flarebot_session::vault::{self, ProviderKey};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use worker::Env;

/// The name of the binding to Workers AI.
const AI_BINDING: &str = "AI";

/// A model with what it takes to call it.
pub(crate) struct Model {
    environment: Env,
    deployment: Rc<Deployment>,
    codec: Codec,
    key: Option<ProviderKey>,
}

impl Model {
    /// The chosen model, with the owner's key if its provider takes one.
    ///
    /// # Errors
    /// A sentence for the owner when it cannot be called: the catalog does not have it, or its key is missing or cannot be
    /// opened.
    pub(crate) fn ready(
        environment: &Env,
        deployment: &Rc<Deployment>,
        choice: &ModelChoice,
        sealed: Option<&SealedKey>,
    ) -> Result<Self, String> {
        let catalog = &deployment.catalog;
        let codec = catalog
            .find(choice.provider, &choice.model)
            .ok()
            .and_then(|entry| catalog.codec(entry.provider))
            .ok_or_else(|| {
                "The chosen model is no longer offered. Choose another one in Settings under Models."
                    .to_owned()
            })?;
        let key = match (owner_key(choice.provider), sealed) {
            (None, _) => None,
            (Some(_), None) => {
                let failure = ModelFailure::new(FailureKind::MissingKey).of(choice.provider);
                return Err(failure.sentence());
            }
            (Some(slot), Some(sealed)) => {
                let opened = vault::open(&deployment.session, slot.name(), &sealed.0);
                Some(opened.map_err(|error| error.sentence().to_owned())?)
            }
        };
        Ok(Self {
            environment: environment.clone(),
            deployment: Rc::clone(deployment),
            codec,
            key,
        })
    }

    /// How its provider is spoken with.
    pub(crate) fn codec(&self) -> &Codec {
        &self.codec
    }

    /// The binding to Workers AI, if the deployment has one.
    pub(crate) fn binding(&self) -> Option<JsValue> {
        sys::binding(&self.environment, AI_BINDING)
    }

    /// The header that carries the key of a slot. Called where a request is made, and nowhere else.
    pub(crate) fn key_header(&self, slot: KeySlot) -> Option<(&'static str, String)> {
        let key = match slot {
            KeySlot::Compatible => self.deployment.compatible_key()?.expose(),
            KeySlot::Anthropic => self.key.as_ref()?.expose(),
        };
        Some(slot.header(key))
    }
}
