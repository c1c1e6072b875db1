//! The initial values of a new object: its id, and the app's defaults.

use crate::resolve::View;
use crate::schema::{ClassInfo, Kind, PropertyInfo};
use crate::value::{ObjectId, Value};
use crate::world::change::Added;

impl View<'_> {
    /// The initial value of a property; `None` leaves it as missing value.
    pub(crate) fn beginning(&self, class: &ClassInfo, property: &PropertyInfo) -> Option<Value> {
        let id = self.id_term(class);
        match (property.kind, &*property.term) {
            _ if *property.term == *id => self.new_id(property, 0),
            (Kind::Date, "creation date" | "modification date") => Some(Value::Date(self.now())),
            (Kind::Boolean, _) => Some(Value::Bool(false)),
            (Kind::Number, _) => Some(Value::Int(0)),
            _ => None,
        }
    }

    /// Makes the Finder's item for a file that an app saved; `None` if the Finder does not have the folder.
    pub(crate) fn new_file(&self, path: &str, size: i64) -> Option<Added> {
        let (folder, name) = path.rsplit_once('/')?;
        let of = self.at_path(folder)?;
        let name = name.replace(':', "/");
        let text = |text: &str| Value::text(text);
        let url = format!("file://{}", path.replace('%', "%25").replace(' ', "%20"));
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let values = [
            ("name", text(&name)),
            ("displayed name", text(&name)),
            ("name extension", text(extension)),
            ("kind", text("Document")),
            ("size", Value::Int(size)),
            ("physical size", Value::Int(size)),
            ("locked", Value::Bool(false)),
            ("comment", text("")),
            ("label index", Value::Int(0)),
            ("container", Value::Held(of)),
            ("creation date", Value::Date(self.now())),
            ("modification date", Value::Date(self.now())),
            ("URL", text(&url)),
        ];
        let values = values.map(|(term, value)| (term.to_owned(), value)).to_vec();
        let class = Some("document file".to_owned());
        Some(Added { of, listed: "item".to_owned(), class, at: None, values })
    }

    /// Makes an id that no object has had: the next number, or a string that looks like other ids and depends only on
    /// the number of objects.
    pub(crate) fn new_id(&self, property: &PropertyInfo, offset: u32) -> Option<Value> {
        match property.kind {
            Kind::Number => Some(Value::Int(self.greatest(&property.term) + 1 + i64::from(offset))),
            Kind::Text => Some(Value::text(unique(&self.app().bundle.id, self.model().next_id().0 + offset))),
            _ => None,
        }
    }

    fn greatest(&self, term: &str) -> i64 {
        let model = self.model();
        let numbers = (0..).map(ObjectId).take(model.len()).filter_map(|id| match model.value(id, term) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        });
        numbers.max().unwrap_or_default().max(0)
    }
}

/// Makes a string in the form of a UUID.
pub(crate) fn unique(app: &str, count: u32) -> String {
    let seed = app.bytes().fold(u64::from(count) + 1, |seed, byte| mix(seed ^ u64::from(byte)));
    let (high, low) = (mix(seed), mix(seed ^ 0x5851_F42D));
    format!(
        "{:08X}-{:04X}-4{:03X}-A{:03X}-{:012X}",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFF,
        low >> 48 & 0xFFF,
        low & 0xFFFF_FFFF_FFFF
    )
}

/// Makes an id in OmniFocus's form: eleven letters, digits, `-` or `_`.
pub(crate) fn short_id(app: &str, count: u32, salt: u32) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let seed =
        app.bytes().fold(u64::from(count) << 32 | u64::from(salt), |seed, byte| mix(seed ^ u64::from(byte)));
    let letter = |at: u32| char::from(ALPHABET[(mix(seed.wrapping_add(u64::from(at))) % 64) as usize]);
    (0..11).map(letter).collect()
}

/// Hashes a number to 64 bits.
pub(crate) fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}
