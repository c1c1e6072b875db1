//! Turns positions among the objects of a command into ids and names before any decision. The shown, judged and changed
//! object is then the same one, even if other objects are added or removed before it. A destination without a name is
//! looked at too, because it may hold deleted objects.

use serde_json::Value as Json;

use super::asking::refused;
use super::command::Sending;
use super::moves::MOVE;
use super::show::told;
use super::{Step, Then, World, in_app};
use crate::action::{Action, Deed, Invocation, Preview, Terms};
use crate::app::App;
use crate::change::{Subject, anchor};
use crate::dictionary::Dictionary;
use crate::fault::{Code, Fault};
use crate::identity::{Anchor, Anchors, Identity};
use crate::osa_error::OsaError;
use crate::permission::{Decision, Source, decide, is_trash_name, may_be_trash};
use crate::reply::Reply;
use crate::specifier::{By, Id, Mark, Path, Segment, quoted};
use crate::words::RefId;

/// A command with positions that are being looked up.
#[derive(Debug)]
pub(super) struct Placing {
    invocation: Invocation,
    references: Vec<Option<RefId>>,
    sending: Sending,
}

/// Returns how to tell the objects on a command's paths apart.
pub(super) fn anchors(app: &App, dictionary: &Dictionary, invocation: &Invocation) -> Anchors {
    anchors_of(app, dictionary, invocation.values().flat_map(|value| value.paths()))
}

/// The same for some paths.
pub(super) fn anchors_of<'p>(
    app: &App,
    dictionary: &Dictionary,
    paths: impl Iterator<Item = &'p Path>,
) -> Anchors {
    let classes = paths.flat_map(Path::segments);
    let class = |segment: &Segment| match segment {
        Segment::Element(member, _) => Some(member.class.clone()),
        Segment::Property(_) => None,
    };
    let all: std::collections::BTreeSet<String> = classes.filter_map(class).collect();
    all.into_iter()
        .map(|class| {
            let anchor = anchor(&app.bundle_id, dictionary, &class);
            (class, anchor)
        })
        .collect()
}

/// Continues a command: at once, or after a lookup of its places.
pub(super) fn begin(
    invocation: Invocation,
    references: Vec<Option<RefId>>,
    sending: Sending,
    app: &App,
    world: &World<'_>,
) -> Step {
    let paths: Vec<&Path> = invocation.values().flat_map(|value| value.paths()).collect();
    let Some(anchors) = &invocation.anchors else {
        return send(invocation, &references, sending, app, 0, world);
    };
    let terms = Terms(app.dictionary.clone());
    let name = |path: &Path| {
        let is_hidden = invocation.code == MOVE && may_be_trash(&app.bundle_id, &terms, path);
        anchors.of(path.class()).filter(|_| is_hidden)?.name.clone()
    };
    if !paths.iter().any(|path| has_index(path) || name(path).is_some()) {
        return send(invocation, &references, sending, app, 0, world);
    }
    // An action that is refused for every object is refused before any read. A refusal because a file has no name does
    // not count here: the lookup may give it a name.
    let action = Action::of(app, Deed::Command(Box::new(invocation.clone())));
    match decide(action, &app.name, world.gate, world.now) {
        Decision::Deny(refusal) if !matches!(refusal.source, Source::Closed { .. }) => {
            return refused(refusal, 0);
        }
        _ => {}
    }
    let subject =
        |path: &Path| Subject { labels: name(path).into_iter().collect(), ..Subject::at(path.clone()) };
    let subjects = paths.into_iter().map(subject).collect();
    let look = Preview { subjects, anchors: invocation.anchors.clone(), knows: false };
    let placing = Placing { invocation, references, sending };
    in_app(app, Deed::Preview(look), 0, Then::Placing(Box::new(placing)), world)
}

fn send(
    mut invocation: Invocation,
    references: &[Option<RefId>],
    sending: Sending,
    app: &App,
    events: u64,
    world: &World<'_>,
) -> Step {
    let sending = sending.named(&invocation, references, app, world).moving(&mut invocation, references, app);
    in_app(app, Deed::Command(Box::new(invocation)), events, Then::Command(Box::new(sending)), world)
}

pub(super) fn has_index(path: &Path) -> bool {
    path.segments().into_iter().any(|segment| matches!(segment, Segment::Element(_, By::Index(_))))
}

impl Placing {
    /// Continues with the objects at the positions.
    pub(super) fn resume(
        mut self,
        reply: Reply,
        app: &str,
        events: u64,
        world: &World<'_>,
    ) -> Result<Step, Fault> {
        let app = world.apps.find(app)?;
        match reply.result {
            Ok(rows) => self.replace(rows.as_array().map(Vec::as_slice).unwrap_or_default(), app, world)?,
            Err(error) => return Err(unseen(&error, app)),
        }
        let Self { invocation, references, sending } = self;
        Ok(send(invocation, &references, sending, app, events, world))
    }

    fn replace(&mut self, rows: &[Json], app: &App, world: &World<'_>) -> Result<(), Fault> {
        let anchors = self.invocation.anchors.clone().unwrap_or_default();
        let mut fault = None;
        let moves = self.invocation.code == MOVE;
        let mut rows = rows.iter();
        self.invocation.replace_paths(|path: &Path| {
            let row = rows.next().unwrap_or(&Json::Null);
            if let Some(error) = OsaError::of_row(row, "object") {
                fault = fault.take().or_else(|| {
                    Some(error.to_fault(&app.bundle_id, &app.name).with("object", told(path, app, world)))
                });
            }
            let path = found(path, row.get(3), &anchors, false);
            if moves && let Err(trash) = check_trash(&path, row, app) {
                fault.get_or_insert(trash);
            }
            path
        });
        match fault {
            Some(fault) => Err(fault),
            None if self.invocation.is_blind() => Err(blind(&self.invocation, app)),
            None => Ok(()),
        }
    }
}

/// Refuses a move into a container of deleted objects that the path does not name, because that is a deletion. `row`
/// has the name that was read.
///
/// # Errors
/// The container holds deleted objects. If the path names it, the permission has already judged the move as a deletion.
pub(super) fn check_trash(path: &Path, row: &Json, app: &App) -> Result<(), Fault> {
    let terms = Terms(app.dictionary.clone());
    let name = row.get(1).and_then(|labels| labels.get(0)).and_then(Json::as_str).unwrap_or_default();
    if !may_be_trash(&app.bundle_id, &terms, path)
        || !is_trash_name(&app.bundle_id, &terms, path.class(), name)
    {
        return Ok(());
    }
    let message =
        format!("{} {} holds deleted objects, so this move is a deletion", path.class(), quoted(name));
    let suggestion =
        "use `delete`, or give the destination by its name, and its account if there are several";
    Err(Fault::new(Code::InvalidParameter, message, suggestion).in_app(&app.bundle_id))
}

impl Invocation {
    /// Whether the action changes several objects one after another, and one of them has only a position.
    fn is_blind(&self) -> bool {
        let several = self.direct.as_ref().is_some_and(|direct| direct.objects().len() > 1);
        self.each && several && self.values().flat_map(|value| value.paths()).any(has_index)
    }
}

/// The error for objects that the server cannot read. An app that is not running shows nothing, so an approval would
/// cover any object that the app has after its launch.
pub(super) fn unseen(error: &OsaError, app: &App) -> Fault {
    let fault = error.to_fault(&app.bundle_id, &app.name);
    if fault.code != Code::AppNotRunning {
        return fault;
    }
    let message =
        format!("{} is not running, so the user cannot see which objects this would change", app.name);
    Fault { message, ..fault }
}

/// The error for objects that cannot be told apart after the first of them is gone.
fn blind(invocation: &Invocation, app: &App) -> Fault {
    let message = format!(
        "{}: `{}` got several objects that have neither an id nor a name, so their positions may shift while it runs; nothing was done",
        app.name, invocation.term
    );
    Fault::new(Code::InvalidParameter, message, "make one call for each object, and look again before each")
        .in_app(&app.bundle_id)
        .with("command", invocation.term.as_str())
}

/// The path to a found object. Positions become ids or names, or get a mark. With `knows`, the script has also read the
/// id of an object that is given by name, and the id replaces the name.
pub(super) fn found(path: &Path, places: Option<&Json>, anchors: &Anchors, knows: bool) -> Path {
    let mut places = places.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default().iter();
    let segments = path.segments();
    let count = segments.len();
    segments.into_iter().enumerate().fold(Path::application(), |way, (at, segment)| {
        way.then(match segment {
            Segment::Element(member, By::Name(_))
                if knows
                    && at + 1 == count
                    && let Some(Anchor { identity: Identity::Id(_), name: Some(_), .. }) =
                        anchors.of(&member.class) =>
            {
                let id = by(places.next(), 0, anchors.of(&member.class));
                match id {
                    Some(id @ By::Id(_)) => Segment::Element(member.clone(), id),
                    _ => segment.clone(),
                }
            }
            Segment::Element(member, By::Index(index)) => {
                let by = by(places.next(), *index, anchors.of(&member.class));
                Segment::Element(member.clone(), by.unwrap_or(By::Index(*index)))
            }
            Segment::Element(_, By::Place(..)) => {
                places.next();
                segment.clone()
            }
            _ => segment.clone(),
        })
    })
}

/// How to select an element that a script has found at its position; `None` if nothing tells it from its neighbours.
fn by(found: Option<&Json>, index: u32, anchor: Option<&Anchor>) -> Option<By> {
    let (found, anchor) = (found?, anchor?);
    match (found.get("known"), &anchor.identity) {
        (Some(Json::String(id)), Identity::Id(_)) => Some(By::Id(Id::Text(id.clone()))),
        (Some(id), Identity::Id(_)) => Some(By::Id(Id::Number(id.as_i64()?))),
        (Some(Json::String(name)), Identity::Name(_)) => Some(By::Name(name.clone())),
        (Some(_), _) => None,
        (None, identity) => {
            let own = match identity {
                Identity::Id(own) | Identity::Name(own) => Some(own.clone()),
                Identity::Index => None,
            };
            Some(By::Place(index, Mark::of(anchor.mark.clone().or(own), found.get("mark")?)?))
        }
    }
}
