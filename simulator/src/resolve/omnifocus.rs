//! Relations of OmniFocus's objects: flattened elements, properties that a project takes from its root task, and
//! properties that derive from a task's place.

use super::{Found, View};
use crate::os_error::{Answer, NO_SUCH_OBJECT, refuse};
use crate::schema::PropertyInfo;
use crate::value::APP;
use crate::value::specifier::Step;
use crate::value::{ObjectId, Value};
use crate::world::model::{Children, Place};

/// The properties that a project has itself. All others come from its root task.
const OF_PROJECTS: [&str; 6] = [
    "status",
    "last review date",
    "next review date",
    "review interval",
    "singleton action holder",
    "default singleton action holder",
];

/// The term under which a task stores its tags. It is hidden from scripts.
const TAGS: &str = ".tag";

impl View<'_> {
    /// Returns the object whose elements are used: the tasks of a project are those of its root task.
    pub(super) fn holder(&self, id: ObjectId, class: &str) -> ObjectId {
        let own = class == "section" || class.ends_with("project") || class.ends_with("folder");
        if own { id } else { self.root_task(id).unwrap_or(id) }
    }

    /// Returns the object that stores a property.
    pub(crate) fn keeper(&self, id: ObjectId, term: &str) -> ObjectId {
        let root = if OF_PROJECTS.contains(&term) { None } else { self.root_task(id) };
        root.unwrap_or(id)
    }

    fn root_task(&self, id: ObjectId) -> Option<ObjectId> {
        let project = self.model.omni && self.kind(id) == "project";
        if project { self.own(id).first().copied() } else { None }
    }

    /// Returns the name of an object's class, without its superclasses.
    fn kind(&self, id: ObjectId) -> &str {
        let object = self.model.object(id);
        match (object.class, object.place) {
            (Some(class), _) | (None, Place::Element { class, .. }) => self.model.name(class),
            _ => "",
        }
    }

    /// Returns all direct elements of an object.
    fn own(&self, id: ObjectId) -> Vec<ObjectId> {
        let lists = self.model.object(id).elements.iter().filter_map(|(_, children)| match children {
            Children::Own(ids) => Some(ids.as_slice()),
            Children::Union(_) | Children::Listed(_) | Children::Those(_) => None,
        });
        lists.flatten().copied().collect()
    }

    fn above(&self, id: ObjectId) -> Option<ObjectId> {
        match self.model.object(id).place {
            Place::Element { of, .. } if self.model.omni => Some(of),
            _ => None,
        }
    }

    fn is_task(&self, id: ObjectId) -> bool {
        self.kind(id).ends_with("task")
    }

    /// Whether elements are those that a window shows. Nothing is selected in a window.
    pub(super) fn is_shown(&self, id: ObjectId, class: &str) -> bool {
        self.model.omni
            && ["content tree", "sidebar tree"].contains(&self.kind(id))
            && ["tree", "leaf", "descendant tree"].contains(&class)
    }

    /// Returns elements that are not stored as a list: flattened ones, a task's tags, a tag's tasks.
    pub(super) fn gathered(&self, id: ObjectId, class: &str) -> Option<Vec<ObjectId>> {
        if !self.model.omni {
            return None;
        }
        let place = if self.is_task(id) { "task" } else { self.kind(id) };
        match (place, class) {
            (_, flattened) if flattened.starts_with("flattened ") => Some(self.below(id, &flattened[10..])),
            ("document", "task") => Some(self.below(id, "task")),
            // The application has the same perspectives as its document.
            (_, "perspective") if id == APP => {
                Some(self.document().map(|document| self.stored(document, class)).unwrap_or_default())
            }
            ("task", "tag") => Some(self.tags(id)),
            ("tag", "task") => Some(self.tagged(id)),
            ("tag", "remaining task") => {
                Some(self.tagged(id).into_iter().filter(|task| self.is_remaining(*task)).collect())
            }
            // Which tasks are available is known only to the app's own engine. Its script gives them.
            ("tag", "available task") => Some(Vec::new()),
            _ => None,
        }
    }

    /// Returns all objects of a kind at any depth, in outline order.
    fn below(&self, id: ObjectId, kind: &str) -> Vec<ObjectId> {
        let mut found = Vec::new();
        let mut next: Vec<ObjectId> = self.own(id).into_iter().rev().collect();
        while let Some(id) = next.pop() {
            if self.kind(id) == kind || (kind == "task" && self.is_task(id)) {
                found.push(id);
            }
            next.extend(self.own(id).into_iter().rev());
        }
        found
    }

    fn tags(&self, id: ObjectId) -> Vec<ObjectId> {
        let Some(Value::List(tags)) = self.model.value(id, TAGS) else { return Vec::new() };
        let held = tags.iter().filter_map(|tag| match tag {
            Value::Held(tag) if !self.model.object(*tag).gone => Some(*tag),
            _ => None,
        });
        held.collect()
    }

    fn tagged(&self, tag: ObjectId) -> Vec<ObjectId> {
        let all = self.document().map(|document| self.below(document, "task")).unwrap_or_default();
        all.into_iter().filter(|task| self.tags(*task).contains(&tag)).collect()
    }

    /// Whether neither a task nor any of its containers is completed or dropped.
    fn is_remaining(&self, task: ObjectId) -> bool {
        let ended = |id: ObjectId| {
            let status = self.model.value(id, "status").and_then(Value::as_text);
            self.is_set(id, "hidden") || matches!(status, Some("done status" | "dropped status"))
        };
        let dated = |term| self.date_above(task, term).is_some();
        !dated("completion date") && !dated("dropped date") && !self.line(task).any(ended)
    }

    fn document(&self) -> Option<ObjectId> {
        self.own(APP).into_iter().find(|id| self.kind(*id) == "document")
    }

    /// Returns how the app addresses objects of its database: by id in the document, wherever they are, as an element
    /// that a document has. A custom perspective is one of its perspectives. Objects in the quick entry panel are not
    /// in the database yet.
    pub(super) fn in_document(&self, id: ObjectId) -> Option<Step> {
        let document = self.document().filter(|document| self.model.omni && *document != id)?;
        if !self.is_below(id, document) {
            return None;
        }
        let (own, listed) = (self.class(id), self.class(document));
        let class = own.ancestors.iter().find(|class| listed.elements.contains(class))?;
        let class = self.model.known(class)?;
        let term = own.property("id").cloned()?;
        match self.typed(id, &term) {
            Found::Leaf(value @ Value::Text(_)) => {
                Some(Step::Id { of: self.all(document, class), id: value })
            }
            _ => None,
        }
    }

    /// Finds the object with an id among the elements of a class, at any depth.
    pub(super) fn omni_with_id(&self, of: ObjectId, class: &str, wanted: &Value) -> Answer<ObjectId> {
        let of = self.holder(of, class);
        self.offers(of, class)?;
        let kind = class.strip_prefix("flattened ").unwrap_or(class);
        let found = self.model.having("id", wanted).into_iter().find_map(|id| {
            let id = if kind == "project" { self.above(id).filter(|_| self.is_task(id))? } else { id };
            let fits = self.class(id).is_a(kind) && (kind != "inbox task" || self.kind(id) == kind);
            (fits && self.is_below(id, of)).then_some(id)
        });
        found.map_or_else(|| refuse(NO_SUCH_OBJECT), Ok)
    }

    fn is_below(&self, id: ObjectId, of: ObjectId) -> bool {
        let tagged = self.kind(of) == "tag" && self.tags(id).contains(&of);
        tagged || std::iter::successors(self.above(id), |up| self.above(*up)).any(|up| up == of)
    }

    /// Derives the value of a property that is not in the data.
    pub(super) fn derived(&self, id: ObjectId, property: &PropertyInfo) -> Found {
        if let Some(root) = self.root_task(id).filter(|_| !OF_PROJECTS.contains(&&*property.term)) {
            return self.of_project(id, root, property);
        }
        if !self.model.omni || id == APP {
            return Found::Leaf(self.of_bundle(id, &property.term));
        }
        if self.is_task(id) { self.of_task(id, &property.term) } else { self.of_place(id, &property.term) }
    }

    fn of_project(&self, id: ObjectId, root: ObjectId, property: &PropertyInfo) -> Found {
        match &*property.term {
            "root task" => Found::One(root),
            "container" | "containing document" | "folder" | "effective status" => {
                self.of_place(id, &property.term)
            }
            "next task" => Found::Leaf(Value::Missing),
            _ => self.typed(root, property),
        }
    }

    /// Derives a property of a folder, a tag or a project.
    fn of_place(&self, id: ObjectId, term: &str) -> Found {
        let above = self.above(id);
        match term {
            "container" => above.filter(|up| self.kind(id) != "tag" || self.kind(*up) == "tag").into(),
            "folder" => above.filter(|up| self.kind(*up) == "folder").into(),
            "containing document" => self.document().into(),
            "effectively hidden" => {
                Found::Leaf(Value::Bool(self.line(id).any(|up| self.is_set(up, "hidden"))))
            }
            "effective status" if self.line(id).any(|up| self.is_set(up, "hidden")) => {
                Found::Leaf(Value::Enumerator("dropped status".into()))
            }
            "effective status" => {
                Found::Leaf(self.model.value(id, "status").cloned().unwrap_or(Value::Missing))
            }
            _ => Found::Leaf(Value::Missing),
        }
    }

    fn of_task(&self, id: ObjectId, term: &str) -> Found {
        let above = self.above(id);
        let truth = |truth| Found::Leaf(Value::Bool(truth));
        let date = |date: Option<i64>| Found::Leaf(date.map_or(Value::Missing, Value::Date));
        match term {
            "completed" => truth(self.date(id, "completion date").is_some()),
            "dropped" => truth(self.date(id, "dropped date").is_some()),
            "effectively completed" => truth(self.date_above(id, "completion date").is_some()),
            "effectively dropped" => truth(self.date_above(id, "dropped date").is_some()),
            "effective due date" => date(self.dates_above(id, "due date").min()),
            "effective defer date" => date(self.dates_above(id, "defer date").max()),
            "effective planned date" => date(self.date_above(id, "planned date")),
            "in inbox" => truth(above.is_some() && above == self.document()),
            "container" => {
                match above.and_then(|up| self.above(up).filter(|_| self.is_task(up)).zip(Some(up))) {
                    Some((project, root)) if self.root_task(project) == Some(root) => Found::One(project),
                    _ => above.into(),
                }
            }
            "parent task" => above.filter(|up| self.is_task(*up)).into(),
            "containing project" => self.line(id).find(|up| self.kind(*up) == "project").into(),
            "containing document" => self.document().into(),
            "primary tag" => self.tags(id).first().copied().into(),
            "number of tasks" => self.counted(id, |_| true),
            "number of completed tasks" => {
                self.counted(id, |task| self.date(task, "completion date").is_some())
            }
            _ => Found::Leaf(Value::Missing),
        }
    }

    /// Returns an object and all of its containers, innermost first.
    fn line(&self, id: ObjectId) -> impl Iterator<Item = ObjectId> {
        std::iter::successors(Some(id), |up| self.above(*up))
    }

    fn counted(&self, id: ObjectId, counts: impl Fn(ObjectId) -> bool) -> Found {
        let count = self.own(id).into_iter().filter(|task| counts(*task)).count();
        Found::Leaf(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
    }

    fn is_set(&self, id: ObjectId, term: &str) -> bool {
        self.model.value(id, term) == Some(&Value::Bool(true))
    }

    fn date(&self, id: ObjectId, term: &str) -> Option<i64> {
        match self.read(self.model.value(id, term)?, crate::schema::Kind::Date) {
            Value::Date(date) => Some(date),
            _ => None,
        }
    }

    /// Returns the dates of a task and of the tasks that contain it, ending with the root task of its project.
    fn dates_above<'a>(&'a self, id: ObjectId, term: &'a str) -> impl Iterator<Item = i64> + 'a {
        self.line(id).take_while(|up| self.is_task(*up)).filter_map(move |up| self.date(up, term))
    }

    fn date_above(&self, id: ObjectId, term: &str) -> Option<i64> {
        self.dates_above(id, term).next()
    }
}

impl From<Option<ObjectId>> for Found {
    fn from(object: Option<ObjectId>) -> Self {
        object.map_or(Self::Leaf(Value::Missing), Self::One)
    }
}
