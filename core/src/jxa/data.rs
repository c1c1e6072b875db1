//! The data of one request: a JSON object, as text from the first field on.

use serde::Serialize;

use super::literal;

/// Fields in the order in which they were set; each is set once.
pub(super) struct Data(Vec<u8>);

impl Data {
    pub(super) fn new() -> Self {
        Self(b"{".to_vec())
    }

    pub(super) fn set(&mut self, field: &str, value: &(impl Serialize + ?Sized)) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        self.write(field);
        self.0.push(b':');
        self.write(value);
    }

    fn write(&mut self, value: &(impl Serialize + ?Sized)) {
        serde_json::to_writer(&mut self.0, value).expect("data is plain");
    }

    /// The object: pure ASCII.
    pub(super) fn into_text(mut self) -> String {
        self.0.push(b'}');
        literal::ascii(String::from_utf8(self.0).expect("JSON is text"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_in_their_order() {
        assert_eq!(Data::new().into_text(), "{}");
        let mut data = Data::new();
        data.set("b", &[1.0, f64::NAN]);
        data.set("a", "\u{2028}\"");
        assert_eq!(data.into_text(), r#"{"b":[1.0,null],"a":"\u2028\""}"#);
    }
}
