//! Reads licence expressions: `MIT OR Apache-2.0`, with `AND`, `WITH`, parentheses, and the old `MIT/Apache-2.0`.

/// Whether `expression` can be satisfied with the allowed licences alone. An expression that cannot be read is refused.
pub(super) fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut words: Vec<&str> = spaced.split_whitespace().collect();
    words.reverse();
    let mut reader = Reader { words, allowed };
    let verdict = reader.alternatives();
    reader.words.is_empty() && verdict == Some(true)
}

/// The rest of an expression, its next word last.
struct Reader<'a> {
    words: Vec<&'a str>,
    allowed: &'a [String],
}

impl Reader<'_> {
    fn alternatives(&mut self) -> Option<bool> {
        let mut verdict = self.together()?;
        while self.take("OR") {
            verdict |= self.together()?;
        }
        Some(verdict)
    }

    fn together(&mut self) -> Option<bool> {
        let mut verdict = self.one()?;
        while self.take("AND") {
            verdict &= self.one()?;
        }
        Some(verdict)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let verdict = self.alternatives()?;
            return self.take(")").then_some(verdict);
        }
        let mut name = self.words.pop()?.to_owned();
        if self.take("WITH") {
            name = format!("{name} WITH {}", self.words.pop()?);
        }
        Some(self.allowed.contains(&name))
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.words.last() == Some(&word);
        if is_next {
            self.words.pop();
        }
        is_next
    }
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    fn check(expression: &str, expect: bool) {
        let allowed = [
            "MIT",
            "Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
            "Unicode-3.0",
        ]
        .map(str::to_owned);
        assert_eq!(is_allowed(expression, &allowed), expect, "{expression}");
    }

    #[test]
    fn an_expression_is_allowed_when_some_choice_of_it_is() {
        check("MIT", true);
        check("GPL-3.0", false);
        check("GPL-3.0 OR MIT", true);
        check("MIT/GPL-3.0", true);
        check("MIT AND GPL-3.0", false);
        check("(MIT OR GPL-3.0) AND Unicode-3.0", true);
        check("Apache-2.0 WITH LLVM-exception", true);
        check("MIT WITH Surprise-exception", false);
        check("MIT OR", false);
        check("(MIT", false);
        check("MIT MIT", false);
        check("", false);
    }
}
