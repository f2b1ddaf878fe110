//! The words for a failure. An owner's key and choice of model are changed in Settings; what belongs to the deployment
//! is changed where it is deployed.

use super::{FailureKind, ModelFailure};
use crate::{Provider, SILENCE_MILLISECONDS};

pub(super) fn of(failure: &ModelFailure) -> String {
    let who = match failure.provider {
        None | Some(Provider::Compatible) => "The model provider",
        Some(Provider::Anthropic) => "Anthropic",
        Some(Provider::WorkersAi) => "Workers AI",
    };
    match failure.kind {
        FailureKind::MissingKey => missing_key(failure.provider).into(),
        FailureKind::Authentication => authentication(failure.provider).into(),
        FailureKind::NotPermitted => not_permitted(failure.provider).into(),
        FailureKind::NoCredit => no_credit(failure.provider).into(),
        FailureKind::RateLimited => {
            format!("{who} is limiting requests. Try again {}.", wait(failure, "in a few minutes"))
        }
        FailureKind::Overloaded => {
            format!("{who} is overloaded. Try again {}.", wait(failure, "in a minute"))
        }
        FailureKind::NotFound => not_found(failure.provider).into(),
        FailureKind::ContextTooLong => {
            "This conversation is too long for the model. Start a new chat, or use a model with a larger context."
                .into()
        }
        FailureKind::Filtered => {
            format!("{who} does not answer this because of its content rules. Say it in other words to try again.")
        }
        FailureKind::Refused => {
            let status = failure.status.map(|status| format!(" (status {status})")).unwrap_or_default();
            format!("{who} refused the request{status}. {}", refusal_advice(failure.provider))
        }
        FailureKind::Unavailable => {
            format!("{who} has a problem. Try again {}.", wait(failure, "in a minute"))
        }
        FailureKind::Unreachable => format!("{who} could not be reached. {}", reach_advice(failure.provider)),
        FailureKind::Silent => format!(
            "The model sent nothing for {} seconds, so Flarebot stopped waiting. Send the message again.",
            SILENCE_MILLISECONDS / 1000
        ),
        FailureKind::Truncated => "The answer broke off before its end. Send the message again.".into(),
        FailureKind::NotAnAnswer => not_an_answer(failure.provider).into(),
        FailureKind::Malformed => {
            format!("{who} sent something that Flarebot cannot read. {}", reading_advice(failure.provider))
        }
        FailureKind::TooLong => "The answer is longer than Flarebot keeps. Ask for a shorter one.".into(),
    }
}

const fn missing_key(provider: Option<Provider>) -> &'static str {
    match provider {
        Some(Provider::Anthropic) => {
            "There is no key for Anthropic. Add one in Settings under Models, or choose another model there."
        }
        Some(Provider::WorkersAi) => {
            "Workers AI is not connected. Add the AI binding to the deployment, or choose another model in Settings."
        }
        None | Some(Provider::Compatible) => {
            "The model provider wants a key, and none is configured. Set FLAREBOT_COMPATIBLE_KEY in the deployment."
        }
    }
}

const fn authentication(provider: Option<Provider>) -> &'static str {
    match provider {
        Some(Provider::Anthropic) => {
            "Anthropic did not accept the key. Replace it in Settings under Models, then send the message again."
        }
        Some(Provider::WorkersAi) => {
            "Workers AI did not accept this installation. Check the Cloudflare account, or choose another model in \
             Settings."
        }
        None | Some(Provider::Compatible) => {
            "The model provider did not accept the key. Check the configured key, then send the message again."
        }
    }
}

const fn not_permitted(provider: Option<Provider>) -> &'static str {
    match provider {
        Some(Provider::Anthropic) => {
            "The key may not be used for this model. Allow it in the Anthropic Console, or choose another model in \
             Settings."
        }
        Some(Provider::WorkersAi) => {
            "The Cloudflare account may not use this model. Accept its terms in the Cloudflare dashboard, or choose \
             another model in Settings."
        }
        None | Some(Provider::Compatible) => {
            "The configured key may not be used for this model. Check the account there, or use another model."
        }
    }
}

const fn no_credit(provider: Option<Provider>) -> &'static str {
    match provider {
        Some(Provider::Anthropic) => {
            "The Anthropic account has no credit left. Add some in the Anthropic Console, then send the message again."
        }
        Some(Provider::WorkersAi) => {
            "Today's free use of Workers AI is used up. Wait until 00:00 UTC, or change to Cloudflare's Workers Paid \
             plan."
        }
        None | Some(Provider::Compatible) => {
            "The account at the model provider has no credit left. Add some there, then send the message again."
        }
    }
}

const fn not_found(provider: Option<Provider>) -> &'static str {
    match provider {
        Some(Provider::Anthropic) => {
            "Anthropic does not know this model. Choose another one in Settings under Models."
        }
        Some(Provider::WorkersAi) => {
            "Workers AI does not know this model any more. Choose another one in Settings under Models."
        }
        None | Some(Provider::Compatible) => {
            "The model provider does not know this model or address. Check the configured address and model names."
        }
    }
}

const fn refusal_advice(provider: Option<Provider>) -> &'static str {
    match provider {
        Some(Provider::Anthropic | Provider::WorkersAi) => {
            "Start a new chat, or choose another model in Settings."
        }
        None | Some(Provider::Compatible) => "Check your account there and the configured model.",
    }
}

const fn reach_advice(provider: Option<Provider>) -> &'static str {
    match provider {
        Some(Provider::Anthropic | Provider::WorkersAi) => "Try again in a minute.",
        None | Some(Provider::Compatible) => "Check that it runs at the configured address, then try again.",
    }
}

const fn not_an_answer(provider: Option<Provider>) -> &'static str {
    match provider {
        Some(Provider::Anthropic | Provider::WorkersAi) => {
            "Something between Flarebot and the model answered with a web page. Try again in a minute."
        }
        None | Some(Provider::Compatible) => {
            "The configured address answered with a web page instead of a model's answer. Check the address."
        }
    }
}

const fn reading_advice(provider: Option<Provider>) -> &'static str {
    match provider {
        Some(Provider::Anthropic | Provider::WorkersAi) => "Send the message again, or choose another model.",
        None | Some(Provider::Compatible) => "Check the configured address, or use another model.",
    }
}

fn wait(failure: &ModelFailure, unknown: &str) -> String {
    match failure.retry_after_seconds {
        None | Some(0) => unknown.to_owned(),
        Some(1) => "in a second".to_owned(),
        Some(seconds @ 2..=90) => format!("in {seconds} seconds"),
        Some(seconds @ 91..=7200) => format!("in {} minutes", seconds.div_ceil(60)),
        Some(seconds) => format!("in {} hours", seconds.div_ceil(3600)),
    }
}
