//! What `tag_manage` names: looked up before anybody is asked, by the same rules as the script has.

use iac_plugin::{Fault, Json, json};

use super::names::fault;
use super::plan::Step;
use crate::arguments::nearest;
use crate::program::{Kind, Predicate, Query};

/// All tags of OmniFocus.
#[derive(Clone, Debug, Default)]
pub(super) struct Tags(Vec<Tag>);

#[derive(Clone, Debug)]
struct Tag {
    id: String,
    name: String,
    path: String,
    parent: Option<String>,
    status: String,
    /// How many tasks have it; known where a tag is deleted.
    tasks: i64,
}

/// Everything below this many tags is looked at.
const ALL: i64 = 100_000;

impl Tags {
    /// Returns the query for all tags, with the number of their tasks where a step deletes one.
    pub(super) fn ask(steps: &[Step]) -> Option<Query> {
        steps.iter().find(|step| step.target == "tag")?;
        let counted = steps.iter().any(|step| step.deletes);
        let fields = ["id", "name", "path", "parentId", "status", "total"];
        let fields = if counted { &fields[..] } else { &fields[..5] };
        Some(Query::new(Kind::Tags, &Predicate::everything()).rows(fields, &[], 0, ALL))
    }

    pub(super) fn of(rows: &[Vec<Json>]) -> Self {
        let text = |row: &[Json], at: usize| row.get(at).and_then(Json::as_str).map(str::to_owned);
        let tag = |row: &Vec<Json>| {
            let [id, name, path, status] = [0, 1, 2, 4].map(|at| text(row, at).unwrap_or_default());
            let tasks = row.get(5).and_then(Json::as_i64).unwrap_or_default();
            Tag { id, name, path, parent: text(row, 3), status, tasks }
        };
        Self(rows.iter().map(tag).collect())
    }

    /// Refuses a step that the script would refuse.
    ///
    /// # Errors
    /// `invalid_parameter` for a tag that is not there, or there already, or would be below itself.
    pub(super) fn check(&self, step: &Step) -> Result<(), Fault> {
        let said = |key: &str| step.json[key].as_str().unwrap_or_default();
        let (name, to, under) = (said("name"), said("to"), said("under"));
        match said("action") {
            "create" if under.is_empty() => match self.look(name) {
                Some(_) => Err(refused("exists", name, &[])),
                None => Ok(()),
            },
            "create" => self.free(Some(self.find(under)?), name, None),
            "rename" => {
                let tag = self.find(name)?;
                self.free(self.above(tag), to, Some(tag))
            }
            "nest" => {
                let (tag, above) = (self.find(name)?, self.find(under)?);
                self.not_below(above, tag, under)?;
                self.free(Some(above), &tag.name, Some(tag))
            }
            "unnest" => {
                let tag = self.find(name)?;
                self.free(None, &tag.name, Some(tag))
            }
            "merge" => self.not_below(self.find(to)?, self.find(name)?, to),
            _ => self.find(name).map(drop),
        }
    }

    /// Says what goes with a tag that is deleted.
    pub(super) fn with(&self, step: &Step) -> String {
        let name = step.json["name"].as_str().unwrap_or_default();
        let Some(tag) = self.look(name).filter(|_| step.deletes) else { return String::new() };
        let below = self.0.iter().filter(|other| self.is_below(other, tag) && other.id != tag.id).count();
        let tags = match below {
            0 => String::new(),
            1 => " and 1 tag below it".to_owned(),
            below => format!(" and {below} tags below it"),
        };
        match tag.tasks {
            1 => format!(", which 1 task has{tags}"),
            tasks => format!(", which {tasks} tasks have{tags}"),
        }
    }

    /// By id, by path, or by name: the first that has it, one that is not dropped before one that is.
    fn look(&self, name: &str) -> Option<&Tag> {
        let named = |tag: &&Tag| tag.name == name || tag.path == name;
        let live = self.0.iter().filter(named).find(|tag| tag.status != "dropped");
        self.0.iter().find(|tag| tag.id == name).or(live).or_else(|| self.0.iter().find(named))
    }

    fn find(&self, name: &str) -> Result<&Tag, Fault> {
        let names = || self.0.iter().map(|tag| tag.name.as_str()).collect::<Vec<_>>();
        self.look(name).ok_or_else(|| {
            let near: Vec<&str> = nearest(name, &names()).into_iter().collect();
            refused("not_found", name, &near)
        })
    }

    fn above(&self, tag: &Tag) -> Option<&Tag> {
        let parent = tag.parent.as_deref()?;
        self.0.iter().find(|other| other.id == parent)
    }

    /// Refuses a name that another tag of the same level has.
    fn free(&self, above: Option<&Tag>, name: &str, except: Option<&Tag>) -> Result<(), Fault> {
        let (above, except) = (above.map(|tag| tag.id.as_str()), except.map(|tag| &tag.id));
        let mut level = self.0.iter().filter(|tag| tag.parent.as_deref() == above);
        match level.find(|tag| tag.name == name && Some(&tag.id) != except) {
            Some(_) => Err(refused("exists", name, &[])),
            None => Ok(()),
        }
    }

    fn not_below(&self, tag: &Tag, top: &Tag, name: &str) -> Result<(), Fault> {
        if self.is_below(tag, top) { Err(refused("cycle", name, &[])) } else { Ok(()) }
    }

    /// Whether a tag is another one, or stands anywhere below it.
    fn is_below(&self, tag: &Tag, top: &Tag) -> bool {
        let mut at = Some(tag);
        // As many steps as there are tags: what goes on longer goes round.
        for _ in 0..=self.0.len() {
            match at {
                Some(tag) if tag.id == top.id => return true,
                Some(tag) => at = self.above(tag),
                None => return false,
            }
        }
        false
    }
}

fn refused(reason: &str, name: &str, near: &[&str]) -> Fault {
    fault(&json!({"reason": reason, "what": "tag", "value": name, "near": near}))
}
