//! What answers have used: tokens as their providers counted them, and what those cost at the prices that are known.

use flarebot_protocol::message::{Metadata, Usage};
use flarebot_protocol::settings::{ModelDescription, ModelList};
use std::collections::BTreeMap;
use std::fmt;

/// The tokens of some answers, by the model that wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spent {
    /// Each model with what it has used. `None` is a model that was not told.
    pub models: BTreeMap<Option<String>, ModelSpent>,
}

/// What one model has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelSpent {
    /// How many answers were counted.
    pub answers: u32,
    /// Their tokens.
    pub usage: Usage,
}

/// What tokens cost, in thousand-millionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost(u128);

/// What the answers of a conversation cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TotalCost {
    /// No price is known.
    Unknown,
    /// At least this, because some prices are not known.
    AtLeast(Cost),
    /// This.
    Known(Cost),
}

impl Spent {
    /// Counts the answers whose providers have counted tokens.
    pub(super) fn of<'a>(answers: impl IntoIterator<Item = &'a Metadata>) -> Self {
        let mut spent = Self::default();
        for metadata in answers {
            if let Some(usage) = metadata.usage {
                spent.add(metadata.model.clone(), usage);
            }
        }
        spent
    }

    /// Everything together.
    #[must_use]
    pub fn total(&self) -> ModelSpent {
        self.models
            .values()
            .fold(ModelSpent::default(), |total, model| ModelSpent {
                answers: total.answers.saturating_add(model.answers),
                usage: sum(total.usage, model.usage),
            })
    }

    /// What all of it costs.
    #[must_use]
    pub fn cost(&self, list: Option<&ModelList>) -> TotalCost {
        let costs: Vec<_> = self
            .models
            .iter()
            .map(|(model, spent)| Cost::of(list, model.as_deref(), spent.usage))
            .collect();
        let known: Vec<_> = costs.iter().flatten().map(|cost| cost.0).collect();
        let total = Cost(known.iter().sum());
        match known.len() {
            0 => TotalCost::Unknown,
            count if count < costs.len() => TotalCost::AtLeast(total),
            _ => TotalCost::Known(total),
        }
    }

    fn add(&mut self, model: Option<String>, usage: Usage) {
        let spent = self.models.entry(model).or_default();
        spent.answers = spent.answers.saturating_add(1);
        spent.usage = sum(spent.usage, usage);
    }
}

impl Cost {
    /// What tokens of a model cost, if its prices are known.
    #[must_use]
    pub fn of(list: Option<&ModelList>, model: Option<&str>, usage: Usage) -> Option<Self> {
        let prices = describe(list?, model?)?.prices?;
        // A thousandth of a dollar for a million tokens is a thousand-millionth for one.
        let input = u128::from(usage.input_tokens) * u128::from(prices.input);
        let output = u128::from(usage.output_tokens) * u128::from(prices.output);
        Some(Self(input + output))
    }

    /// A price as the list of models has it: thousandths of a dollar.
    #[must_use]
    pub fn of_thousandths(thousandths: u64) -> Self {
        Self(u128::from(thousandths) * 1_000_000)
    }
}

impl fmt::Display for Cost {
    /// As exact as is of interest: cents from a dollar on, more below it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(amount) = *self;
        let decimals = match amount {
            0 => 2,
            1..100_000 => return formatter.write_str("less than $0.0001"),
            100_000..10_000_000 => 4,
            // A whole number of cents needs no third place.
            10_000_000..1_000_000_000 if !amount.is_multiple_of(10_000_000) => 3,
            _ => 2,
        };
        let scale = 10_u128.pow(decimals);
        let unit = 1_000_000_000 / scale;
        let rounded = (amount + unit / 2) / unit;
        let width = usize::try_from(decimals).unwrap_or_default();
        write!(formatter, "${}.{:0width$}", rounded / scale, rounded % scale)
    }
}

/// The description of a model that only its name is known of; `None` if more than one has it.
#[must_use]
pub fn describe<'a>(list: &'a ModelList, model: &str) -> Option<&'a ModelDescription> {
    let mut models = list
        .models
        .iter()
        .filter(|description| description.choice.model == model);
    let description = models.next()?;
    models.next().is_none().then_some(description)
}

/// A number with its thousands apart: `1,234`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn sum(mut total: Usage, more: Usage) -> Usage {
    total.input_tokens = total.input_tokens.saturating_add(more.input_tokens);
    total.output_tokens = total.output_tokens.saturating_add(more.output_tokens);
    total
}
