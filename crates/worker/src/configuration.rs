//! Reading the deployment's variables and secrets, once for each Wasm instance. A wrong one stops the Worker with a
//! message that names it.

use flarebot_model::catalog::Catalog;
use flarebot_model::{CompatibleEndpoint, EndpointError, check_key};
use flarebot_session::{Configuration, ConfigurationError, Secret};
use std::rc::Rc;
use worker::Env;

/// What the deployment set.
pub(crate) struct Deployment {
    /// Who owns the installation and how sessions are signed.
    pub(crate) session: Configuration,
    /// The models that may be chosen, those of the deployment's own endpoint among them.
    pub(crate) catalog: Catalog,
    key: Option<Secret<String>>,
}

/// A deployment that cannot run. The text names the variable and never its value.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum DeploymentError {
    /// A variable of the session.
    #[error(transparent)]
    Session(#[from] ConfigurationError),
    /// A variable of the endpoint.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
}

impl Deployment {
    /// The deployment of this environment.
    pub(crate) fn of(environment: &Env) -> Result<Rc<Self>, DeploymentError> {
        thread_local! {
            static DEPLOYMENT: std::cell::OnceCell<Result<Rc<Deployment>, DeploymentError>> =
                const { std::cell::OnceCell::new() };
        }
        DEPLOYMENT.with(|cell| cell.get_or_init(|| Self::read(environment).map(Rc::new)).clone())
    }

    /// The key of the deployment's own endpoint. Asked for where a request is made, and nowhere else.
    pub(crate) fn compatible_key(&self) -> Option<&Secret<String>> {
        self.key.as_ref()
    }

    fn read(environment: &Env) -> Result<Self, DeploymentError> {
        let lookup = |name: &str| environment.var(name).ok().map(|value| value.to_string());
        let session = Configuration::read(lookup)?;
        let base_url = lookup("FLAREBOT_COMPATIBLE_BASE_URL");
        let models = lookup("FLAREBOT_COMPATIBLE_MODELS");
        let key = lookup("FLAREBOT_COMPATIBLE_KEY").filter(|key| !key.is_empty());
        let mut endpoint = CompatibleEndpoint::read(base_url.as_deref(), models.as_deref())?;
        if let Some(key) = &key {
            check_key(key)?;
            endpoint = endpoint.map(CompatibleEndpoint::with_key);
        }
        Ok(Self {
            session,
            catalog: Catalog::new(endpoint),
            key: key.map(Secret::new),
        })
    }
}
