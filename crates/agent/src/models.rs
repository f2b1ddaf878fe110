//! Which model answers, and the keys of providers as the vault has sealed them.
//!
//! One configuration holds for all conversations. While the owner has chosen nothing, nothing is stored, so that the
//! deployment's default applies, whatever it becomes. A stored choice that the catalog no longer has stays what it is: a
//! turn then fails with a sentence, and nothing else is used in its place.

use flarebot_model::catalog::{Catalog, UnknownModel};
use flarebot_model::{Provider, owner_key};
use flarebot_protocol::settings::{
    Credential, Credentials, ModelCatalog, ModelChoice, ModelDescription, ModelList, ModelPrices,
    ModelSettings,
};
use flarebot_sql::{FromRow, Row, Sql, SqlError, Value};
use serde::{Deserialize, Serialize};

/// A provider's key as the vault has sealed it. It is opened where a request to the provider is made, and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedKey(pub Vec<u8>);

/// Why a setting was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelsError {
    /// The catalog does not have the model.
    #[error("This model cannot be chosen. Choose one of the list.")]
    UnknownModel,
    /// The provider takes no key of the owner's.
    #[error("This provider takes no key here. Nothing was changed.")]
    NoKeyTaken,
    /// The database failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

/// The names of all models that may be chosen.
#[must_use]
pub fn names(catalog: &Catalog) -> ModelCatalog {
    let of = |provider| {
        let entries = catalog.entries().iter();
        let own = entries.filter(|entry| entry.provider == provider);
        own.map(|entry| entry.model.clone()).collect()
    };
    ModelCatalog {
        workers_ai: of(Provider::WorkersAi),
        anthropic: of(Provider::Anthropic),
        openai_compatible: of(Provider::Compatible),
    }
}

/// All models that may be chosen, as the owner should know them.
#[must_use]
pub fn describe(catalog: &Catalog) -> ModelList {
    let models = catalog.entries().iter().map(|entry| ModelDescription {
        choice: ModelChoice {
            provider: entry.provider,
            model: entry.model.clone(),
        },
        title: entry.title.clone(),
        context_tokens: entry.context_tokens,
        prices: entry.prices.map(|prices| ModelPrices {
            input: prices.input,
            output: prices.output,
            cache_read: prices.cache_read,
            cache_write: prices.cache_write,
        }),
    });
    ModelList {
        models: models.collect(),
        prices_taken_on: flarebot_model::catalog::PRICES_TAKEN_ON.to_owned(),
    }
}

/// The model of the next turn: the owner's choice, or the deployment's default.
///
/// # Errors
/// When the database refuses.
pub fn choice(sql: &impl Sql, catalog: &Catalog) -> Result<ModelChoice, SqlError> {
    let stored: Option<Stored> =
        sql.query_first("SELECT provider, model FROM flarebot_model_settings", &[])?;
    Ok(stored.map_or_else(
        || {
            let (provider, model) = catalog.default_choice();
            ModelChoice {
                provider,
                model: model.to_owned(),
            }
        },
        |stored| stored.0,
    ))
}

/// Chooses a model of the catalog for every next turn.
///
/// # Errors
/// [`ModelsError::UnknownModel`], and when the database refuses. The choice before stays then.
pub fn choose(sql: &impl Sql, catalog: &Catalog, choice: &ModelChoice, now: i64) -> Result<(), ModelsError> {
    catalog
        .find(choice.provider, &choice.model)
        .map_err(|UnknownModel| ModelsError::UnknownModel)?;
    sql.exec(
        "INSERT INTO flarebot_model_settings (singleton, provider, model, modified_at) VALUES (1, ?, ?, ?) \
         ON CONFLICT (singleton) DO UPDATE \
         SET provider = excluded.provider, model = excluded.model, modified_at = excluded.modified_at",
        &[
            choice.provider.id().into(),
            choice.model.as_str().into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// What the owner sees of the configuration: which model, and which keys there are.
///
/// # Errors
/// When the database refuses.
pub fn settings(sql: &impl Sql, catalog: &Catalog) -> Result<ModelSettings, SqlError> {
    let anthropic = match key(sql, Provider::Anthropic)? {
        Some(_) => Credential::Configured,
        None => Credential::Missing,
    };
    Ok(ModelSettings {
        configuration: choice(sql, catalog)?,
        credentials: Credentials { anthropic },
    })
}

/// The sealed key of a provider.
///
/// # Errors
/// When the database refuses.
pub fn key(sql: &impl Sql, provider: Provider) -> Result<Option<SealedKey>, SqlError> {
    let rows = sql.exec(
        "SELECT sealed FROM flarebot_provider_key WHERE provider = ?",
        &[provider.id().into()],
    )?;
    rows.first()
        .map(|row| Ok(SealedKey(row.blob(0)?.to_vec())))
        .transpose()
}

/// Keeps a sealed key in place of the one before, or keeps none any more.
///
/// # Errors
/// [`ModelsError::NoKeyTaken`], and when the database refuses. The key before stays then.
pub fn set_key(
    sql: &impl Sql,
    provider: Provider,
    sealed: Option<SealedKey>,
    now: i64,
) -> Result<(), ModelsError> {
    if owner_key(provider).is_none() {
        return Err(ModelsError::NoKeyTaken);
    }
    match sealed {
        Some(SealedKey(sealed)) => sql.exec(
            "INSERT INTO flarebot_provider_key (provider, sealed, modified_at) VALUES (?, ?, ?) \
             ON CONFLICT (provider) DO UPDATE SET sealed = excluded.sealed, modified_at = excluded.modified_at",
            &[provider.id().into(), Value::Blob(sealed), now.into()],
        )?,
        None => sql.exec(
            "DELETE FROM flarebot_provider_key WHERE provider = ?",
            &[provider.id().into()],
        )?,
    };
    Ok(())
}

struct Stored(ModelChoice);

impl FromRow for Stored {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let provider = Provider::parse(row.text(0)?).ok_or(SqlError::Shape {
            column: 0,
            expected: "a provider",
        })?;
        Ok(Self(ModelChoice {
            provider,
            model: row.text(1)?.to_owned(),
        }))
    }
}
