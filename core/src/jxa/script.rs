//! Writes the script of an approved action.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use super::{
    ACCESS, CHANGES, COMMANDS, CONSENT, CREATE, GROUPS, HELD, INDEX, NEAR, OBJECTS, PLACES, SERIES, SPREAD,
    STANDS, SYSTEM, Script, ZONE, changes,
    command::{command, find},
    create::create,
    data::Data,
    path::{chain, path, tail},
    whose::whose,
};
use crate::action::{Action, Column, Deed, Elements, Groups, Rank, Series, Shut, SystemDeed, View, Wanted};
use crate::dictionary::Identifier;
use crate::identity::Identity;
use crate::permission::{Approved, Decided};
use crate::plan::{Costs, Learned};
use crate::schema;
use crate::series::Index;
use crate::specifier::{By, Id, Member, Path, Segment};
use crate::words::{Millis, TextWindow};

/// The text between the prelude and the part of the request.
pub(super) const BODY: &str = "\nreturn run(app => ";

/// The text after the part of the request.
pub(super) const END: &str = ");\n}";

/// Asks the system's converter, which is a C function. A function can be bound only if its framework is loaded, and the
/// converter fails if the reference has no type.
const CONVERT: &str = r#"{
  at = "dictionary";
  ObjC.import("Foundation");
  ObjC.import("OSAKit");
  ObjC.bindFunction("OSACopyScriptingDefinitionFromURL", ["int", ["id", "int", "pointer"]]);
  const out = Ref("pointer");
  const status = Number($.OSACopyScriptingDefinitionFromURL($.NSURL.fileURLWithPath(d.path), 0, out));
  if (status !== 0) throw Object.assign(new Error("the system's converter made no dictionary"), { errorNumber: status });
  return ObjC.castRefToObject(out[0]).base64EncodedStringWithOptions(0).js;
}"#;

/// Runs a script of the client, which is data here, by the command `run script` of Standard Additions. It runs in this
/// process, which does nothing else.
///
/// A JavaScript text is parsed before it runs: a syntax error means that nothing happened. It is parsed as a script, so
/// `return` at the top is an error. A `throw` before it ends the run, so no part of it runs. Its declarations stay
/// inside a function. The engines do not report the line of a syntax error, so we name the first line with which every
/// prefix of the text has that error.
const RUN_SCRIPT: &str = r#"{
  at = "syntax";
  const parse = (0, eval)("text => eval(text)");
  const wrong = text => {
    try { parse("throw 0;\n" + text); } catch (error) { return error === 0 ? null : messageOf(error); }
    return null;
  };
  const why = d.language === "JavaScript" ? wrong(d.script) : null;
  if (why !== null) {
    const lines = d.script.split("\n");
    let line = lines.length;
    while (line > 1 && wrong(lines.slice(0, line - 1).join("\n")) === why) line -= 1;
    throw new SyntaxError(why + " (line " + line + ")");
  }
  at = "script";
  const osascript = Application.currentApplication();
  osascript.includeStandardAdditions = true;
  return encode(ask(() => osascript.runScript(d.script, { in: d.language })));
}"#;

impl Approved {
    /// Writes the script and records its approval. No other function makes a script.
    pub fn into_script(self, costs: &Costs) -> (Script, Decided) {
        let script = script(&self, costs);
        (script, self.decided())
    }
}

impl Script {
    /// The script that asks whether an app answers.
    pub fn probe(app: &str) -> Self {
        Approved::probe(app).into_script(&Learned::default().costs(app)).0
    }

    /// The script that asks the system's converter for the dictionary of the bundle at a path. Its answer is an `.sdef`
    /// in base64.
    pub fn dictionary(path: &str) -> Self {
        Approved::dictionary(path).into_script(&Learned::default().costs("")).0
    }

    /// The script that asks macOS about access to a library. With a time to wait, macOS asks the person.
    pub fn access(index: &Index, wait: Option<Millis>) -> Self {
        let wait = wait.map(|wait| wait.0);
        Approved::access(index.entity, wait).into_script(&Learned::default().costs("")).0
    }
}

/// How long a script waits for the answer to a dialog about a library, in milliseconds. The dialog ends with the
/// process that asked, which is given ten minutes.
const DIALOG: u64 = 590_000;

/// The part of a long text that the answer to a client's script contains.
const ANSWER: TextWindow = TextWindow { offset: 0, limit: 24_000 };

/// Writes the script of an approved action.
fn script(approved: &Approved, costs: &Costs) -> Script {
    let (body, mut data) = body(approved.action(), costs);
    match &approved.action().deed {
        // The approval is for opening the app.
        Deed::Command(invocation) if invocation.code == schema::LAUNCH => data.set("launch", &true),
        // The approval is for asking, and the app must run for that.
        Deed::AskConsent { .. } => {
            data.set("launch", &true);
            data.set("consent", &true);
        }
        Deed::Command(_) | Deed::Script(_) | Deed::Create(_) => data.set("launch", &approved.may_launch()),
        _ => {}
    }
    let more: &[&str] = match &approved.action().deed {
        Deed::Preview(_) => &[PLACES, CHANGES, HELD],
        Deed::Set(changes) if changes.iter().any(|change| change.save.is_some()) => &[CHANGES, COMMANDS],
        Deed::Set(_) => &[CHANGES],
        Deed::Create(_) => &[CHANGES, COMMANDS, HELD, CREATE],
        Deed::Command(invocation) if invocation.anchors.is_some() => &[PLACES, COMMANDS, HELD],
        Deed::Find(_) => &[COMMANDS],
        Deed::Properties { .. } => &[OBJECTS],
        Deed::System(SystemDeed::Access { .. }) | Deed::AskAccess { .. } => &[ACCESS],
        Deed::Elements(wanted) if wanted.series.is_some() => {
            let index = wanted.series.as_ref().and_then(|series| series.index.as_ref());
            if index.is_some() { &[NEAR, SPREAD, ZONE, SERIES, INDEX] } else { &[NEAR, SPREAD, ZONE, SERIES] }
        }
        Deed::System(SystemDeed::Running { .. } | SystemDeed::Moments { .. } | SystemDeed::Frontmost) => {
            &[SYSTEM]
        }
        Deed::System(SystemDeed::Zone { .. }) => &[ZONE],
        Deed::System(SystemDeed::Consents { .. } | SystemDeed::Alive) | Deed::AskConsent { .. } => &[CONSENT],
        Deed::Elements(wanted) => {
            let part = |is_needed: bool, text: &'static str| if is_needed { text } else { "" };
            &[
                part(wanted.filter.is_some(), NEAR),
                part(by_chains(wanted), SPREAD),
                part(wanted.groups.is_some(), GROUPS),
            ]
        }
        _ => &[],
    };
    // Any change, of any kind, may look at such an object.
    let stands = if body.contains("standsFor(") { STANDS } else { "" };
    whole(&(more.concat() + stands), &body, data)
}

fn whole(more: &str, body: &str, data: Data) -> Script {
    Script { shape: format!("{more}{BODY}{body}{END}"), data: data.into_text() }
}

/// Writes the text that an approval is bound to: the code, the data, and the runs that follow under the same approval.
/// Read costs change with every call and do not affect the action, so the data contains the default costs here.
pub(crate) fn canonical(action: &Action) -> Vec<String> {
    let (body, data) = body(action, &Learned::default().costs(&action.app));
    let mut parts = vec![body, data.into_text()];
    let rest = match &action.deed {
        Deed::Script(script) => script.rest.as_ref(),
        _ => None,
    };
    if let Some(rest) = rest {
        parts.push(rest.text.clone());
        parts.extend(rest.parts.iter().map(Json::to_string));
    }
    parts
}

/// Writes the part of a script that is specific to an action, for people to read. It cannot be run.
pub(crate) fn preview(action: &Action, costs: &Costs) -> (String, Json) {
    let (body, data) = body(action, costs);
    (body, serde_json::from_str(&data.into_text()).expect("it was written as JSON"))
}

fn body(action: &Action, costs: &Costs) -> (String, Data) {
    let Action { app, deed, .. } = action;
    let mut data = Data::new();
    if !app.is_empty() {
        data.set("app", &**app);
    }
    let body = match deed {
        Deed::System(deed) => system(deed, &mut data),
        Deed::AskConsent { .. } => "askConsent(app)".to_owned(),
        Deed::AskAccess { index, .. } => {
            let deed = SystemDeed::Access { entity: index.entity, wait: Some(DIALOG) };
            system(&deed, &mut data)
        }
        Deed::Look { path, identity, mark, name } => {
            look(path, identity, mark.as_ref(), name.as_ref(), &mut data)
        }
        Deed::Names { container, collection, name } => {
            let from = at(container, &mut data);
            format!(
                "{{ const p = d.p; return ask(() => {from}.{}.{name}()).slice(0, 1000); }}",
                collection.identifier
            )
        }
        Deed::Value { path, text } => value(path, *text, &mut data),
        Deed::Properties { objects, sizes, text } => properties(objects, sizes, *text, costs, &mut data),
        Deed::Elements(wanted) => elements(wanted, costs, &mut data),
        Deed::Find(wanted) => find(wanted, &mut data),
        Deed::Command(invocation) => command(app, invocation, &mut data),
        Deed::Script(script) => command(app, &script.invocation, &mut data),
        Deed::RunScript { language, text } => {
            data.set("text", &window(ANSWER));
            data.set("language", language);
            data.set("script", text);
            RUN_SCRIPT.to_owned()
        }
        // The shell sends the request, which is the data. No engine runs the code.
        Deed::Web(call) => {
            data.set("request", call);
            "null".to_owned()
        }
        Deed::Preview(wanted) => changes::preview(wanted, &mut data),
        Deed::Set(all) => changes::changes(all, &mut data),
        Deed::Create(creation) => create(creation, &mut data),
    };
    (body, data)
}

fn system(deed: &SystemDeed, data: &mut Data) -> String {
    let body = match deed {
        SystemDeed::Running { apps, files } if files.is_empty() => {
            data.set("apps", apps);
            "({ running: running(d.apps), clock: clock() })"
        }
        SystemDeed::Running { apps, files } => {
            data.set("apps", apps);
            data.set("files", files);
            "({ running: running(d.apps), there: d.files.map(there) })"
        }
        SystemDeed::Moments { all } => {
            data.set("moments", all);
            "moments(d.moments)"
        }
        SystemDeed::Zone { span } => {
            data.set("span", span);
            "zoneOf(...d.span)"
        }
        SystemDeed::Frontmost => "frontmost()",
        SystemDeed::Access { entity, wait } => {
            data.set("entity", entity);
            data.set("wait", wait);
            "access(d.entity, d.wait !== null)"
        }
        SystemDeed::Alive => "value(() => harmless(app))",
        SystemDeed::Consents { apps } => {
            data.set("apps", apps);
            "consents(d.apps)"
        }
        SystemDeed::Dictionary { path } => {
            data.set("path", path);
            CONVERT
        }
    };
    body.to_owned()
}

fn look(
    to: &Path,
    identity: &Identity,
    mark: Option<&Identifier>,
    name: Option<&Identifier>,
    data: &mut Data,
) -> String {
    let Some((container, segment)) = to.last() else { return "null".to_owned() };
    let object = at(to, data);
    match (segment, identity) {
        (Segment::Element(member, By::Index(_)), Identity::Name(name)) => {
            let mut ignored = Vec::new();
            let collection = format!("{}.{}", path(container, &mut ignored), member.identifier);
            let mark = one_getter(mark.filter(|mark| *mark != name));
            format!("{{ const p = d.p; return named({collection}, {object}, x => x.{name}(), {mark}); }}")
        }
        (Segment::Element(member, By::Name(_)), Identity::Id(id)) if let Some(name) = name => {
            let mut before = Vec::new();
            let collection = format!("{}.{}", path(container, &mut before), member.identifier);
            let same = format!("() => {collection}.whose({{ {name}: p[{}] }})", before.len());
            format!("{{ const p = d.p; return lookAll({object}, x => x.{id}(), {same}); }}")
        }
        (Segment::Element(..), Identity::Id(id) | Identity::Name(id)) => {
            format!("{{ const p = d.p; return look({object}, x => x.{id}()); }}")
        }
        (Segment::Element(_, By::Index(_)), Identity::Index) if mark.is_some() => {
            format!("{{ const p = d.p; return place({object}, {}); }}", one_getter(mark))
        }
        _ => format!("{{ const p = d.p; return value({object}); }}"),
    }
}

fn one_getter(property: Option<&Identifier>) -> String {
    property.map_or_else(|| "null".to_owned(), |property| format!("x => x.{property}()"))
}

fn value(to: &Path, text: TextWindow, data: &mut Data) -> String {
    data.set("text", &window(text));
    let object = at(to, data);
    format!("{{ const p = d.p; return value({object}); }}")
}

/// The smallest number of objects in one collection for which columns are considered. In Mail a column takes 85 ms and
/// a single read 25 ms, so columns never pay for fewer objects.
const BATCH: usize = 3;

/// Objects that are reached the same way and read the same way share their code: one row of data each.
fn properties(
    objects: &[Arc<Wanted>],
    sizes: &[usize],
    text: TextWindow,
    costs: &Costs,
    data: &mut Data,
) -> String {
    data.set("text", &window(text));
    prices(costs, costs.single, data);
    let mut groups: IndexMap<(Way<'_>, String), Vec<usize>> = IndexMap::new();
    for (place, wanted) in objects.iter().enumerate() {
        groups.entry((Way::of(wanted), reads(wanted))).or_default().push(place);
    }
    let mut calls = Vec::new();
    let mut rows: Vec<Json> = Vec::new();
    for (at, ((way, reads), places)) in groups.iter().enumerate() {
        let (call, row) = way.call(at, reads, places, objects, sizes, costs);
        calls.push(call);
        rows.push(row);
    }
    data.set("rows", &rows);
    data.set("places", &groups.values().collect::<Vec<_>>());
    format!(
        "{{ const found = []; [{}].forEach((group, g) => group.forEach((each, i) => {{ found[d.places[g][i]] = each; }})); return found; }}",
        calls.join(", ")
    )
}

/// The access to an object: by its id in a collection, together with others, or along a separate path.
#[derive(PartialEq, Eq, Hash)]
enum Way<'a> {
    ById(&'a Path, &'a Member, &'a Identifier),
    Path(String),
}

impl<'a> Way<'a> {
    fn of(wanted: &'a Wanted) -> Self {
        match (wanted.path.last(), &wanted.identity, &wanted.columns) {
            (Some((container, Segment::Element(member, By::Id(_)))), Identity::Id(id), Some(_)) => {
                Self::ById(container, member, id)
            }
            _ => Self::Path(path(&wanted.path, &mut Vec::new())),
        }
    }

    /// The code that reads a group, and its data: the values of the paths, or
    /// `[container's values, ids, price of a value in each column, size]`.
    fn call(
        &self,
        at: usize,
        reads: &str,
        places: &[usize],
        objects: &[Arc<Wanted>],
        sizes: &[usize],
        costs: &Costs,
    ) -> (String, Json) {
        match self {
            Self::ById(container, member, id) if places.len() >= BATCH => {
                let mut values = Vec::new();
                let collection = format!("{}.{}", path(container, &mut values), member.identifier);
                let ids = places.iter().filter_map(|place| id_of(&objects[*place].path));
                let size =
                    places.iter().filter_map(|place| sizes.get(*place)).max().filter(|size| **size > 0);
                let call = format!(
                    "(p => batch({collection}, d.rows[{at}][1], x => x.{id}(), {reads}, d.rows[{at}][2], d.rows[{at}][3]))(d.rows[{at}][0])"
                );
                let columns =
                    places.first().and_then(|place| objects[*place].columns.as_deref()).unwrap_or_default();
                (call, json!([values, ids.collect::<Vec<_>>(), each(columns, costs), size]))
            }
            _ => {
                let mut way = String::new();
                let rows = places.iter().map(|place| {
                    let mut values = Vec::new();
                    way = path(&objects[*place].path, &mut values);
                    Json::from(values)
                });
                let rows: Json = rows.collect();
                (format!("objects(d.rows[{at}], p => {way}, {reads})"), rows)
            }
        }
    }
}

fn id_of(path: &Path) -> Option<Json> {
    match path.last()? {
        (_, Segment::Element(_, By::Id(Id::Number(id)))) => Some(json!(id)),
        (_, Segment::Element(_, By::Id(Id::Text(id)))) => Some(json!(id)),
        _ => None,
    }
}

fn prices(costs: &Costs, single: f64, data: &mut Data) {
    data.set("event", &costs.event);
    data.set("value", &costs.value);
    data.set("single", &single);
}

/// The cost of one value of each column.
fn each(columns: &[Column], costs: &Costs) -> Vec<f64> {
    columns.iter().map(|column| costs.of(column)).collect()
}

/// The values to read. If all properties are read, the ones that are never cut come last.
fn reads(wanted: &Wanted) -> String {
    match &wanted.columns {
        None if wanted.named.is_empty() => "null".to_owned(),
        None => {
            let named: Vec<&str> = wanted.named.iter().map(Identifier::as_str).collect();
            format!("null, {named:?}")
        }
        Some(columns) => format!("[{}]", columns.iter().map(getter).collect::<Vec<_>>().join(", ")),
    }
}

fn elements(wanted: &Elements, costs: &Costs, data: &mut Data) -> String {
    data.set("text", &window(wanted.text));
    data.set("filter", &wanted.filter.as_ref().map(|filter| filter.to_data()));
    data.set("sort", &wanted.sort);
    data.set("limit", &wanted.limit);
    data.set("offset", &wanted.offset);
    if let Some(range) = wanted.range {
        data.set("range", &range);
    }
    if wanted.may_overlap() {
        data.set("overlap", &true);
    }
    prices(costs, if wanted.identity == Identity::Index { costs.index } else { costs.single }, data);
    data.set("values", &each(&wanted.columns, costs));
    let picked = wanted.filter.as_ref().filter(|_| wanted.whose).map(|filter| {
        let mut values = Vec::new();
        let code = whose(filter, &wanted.columns, &mut values);
        data.set("whose", &values);
        format!(", whose: v => ({code})")
    });
    if wanted.closed.iter().any(|closed| !closed.is_empty()) {
        let names = |closed: &Vec<Shut>| closed.iter().map(|shut| shut.name.clone()).collect();
        data.set("closed", &wanted.closed.iter().map(names).collect::<Vec<Vec<String>>>());
    }
    if let Some(Groups { by, of, sort }) = &wanted.groups {
        let by: Vec<i64> = by.iter().map(|column| column.map_or(-1, |column| column as i64)).collect();
        let of: Vec<(&str, usize)> = of.iter().map(|(fold, column)| (fold.as_str(), *column)).collect();
        let sort = sort.iter().map(|(rank, down)| match rank {
            Rank::Count => json!(["count", 0, down]),
            Rank::By(at) => json!(["by", at, down]),
            Rank::Of(at) => json!(["of", at, down]),
        });
        data.set("groups", &json!({ "by": by, "of": of, "sort": sort.collect::<Vec<_>>() }));
    }
    let mut values = Vec::new();
    let columns: Vec<String> =
        wanted.columns.iter().map(|column| outer_or_own(column, wanted, &mut values)).collect();
    let long: Vec<&str> =
        wanted.columns.iter().map(|column| if column.long { "true" } else { "false" }).collect();
    let known_by = match &wanted.identity {
        Identity::Id(id) | Identity::Name(id) => Some(id),
        Identity::Index => None,
    };
    let own = |column: &Column| {
        column.up == 0
            && column.view.is_none()
            && known_by.is_some_and(|id| *column.identifiers == [id.clone()])
    };
    let own: Vec<String> = wanted.columns.iter().map(|column| own(column).to_string()).collect();
    let (id, pick) = match &wanted.identity {
        Identity::Id(id) => (format!("x => x.{id}()"), "(c, id) => c.byId(id)"),
        Identity::Name(name) => (format!("x => x.{name}()"), "(c, id) => c.byName(id)"),
        Identity::Index => ("null".to_owned(), "(c, id) => c.at(id)"),
    };
    let dated = wanted.series.as_ref().map(|series| dated(series, data));
    let how = format!(
        "{{ id: {id}, pick: {pick}, mark: {}, ownMark: {}, wanted: {}, long: [{}], own: [{}], columns: [{}]{}{} }}",
        one_getter(wanted.mark.as_ref()),
        wanted.mark.as_ref() == known_by,
        wanted.wanted,
        long.join(", "),
        own.join(", "),
        columns.join(", "),
        picked.unwrap_or_default(),
        dated.unwrap_or_default(),
    );
    let collection = &wanted.collection.identifier;
    let body = match wanted.containers.as_slice() {
        [container] if !by_chains(wanted) && wanted.series.is_none() => {
            let container = path(container, &mut values);
            format!("{{ const p = d.p; return elements({container}.{collection}, {how}); }}")
        }
        containers => {
            let chain = |(number, container): (usize, &Path)| {
                let (root, steps) = chain(container, &mut values);
                format!("chainOf({number}, {root}, [{}])", steps.join(", "))
            };
            let chains: Vec<String> = containers.iter().enumerate().map(chain).collect();
            let chains = format!("[{}]", chains.join(", "));
            let make = match &wanted.inner {
                None => format!("() => {chains}"),
                Some(inner) => {
                    let own = inner.identifier == *collection;
                    format!("() => levels({chains}, x => x.{}, {own})", inner.identifier)
                }
            };
            if wanted.series.is_some() {
                format!("{{ const p = d.p; return happening({make}, x => x.{collection}, {how}); }}")
            } else {
                format!(
                    "{{ const p = d.p, q = {how}, all = many({make}, x => x.{collection}, q); return page(all, all, q); }}"
                )
            }
        }
    };
    data.set("p", &values);
    body
}

/// Whether the script knows the container of each element.
fn by_chains(wanted: &Elements) -> bool {
    wanted.is_spread() || wanted.looks_up()
}

/// A getter for a column: of an element, or of its container, for each named container.
fn outer_or_own(column: &Column, wanted: &Elements, values: &mut Vec<Json>) -> String {
    if column.up == 0 {
        return getter(column);
    }
    let place = |container: &Path| {
        if column.up == 1 {
            return "null".to_owned();
        }
        let (depth, way) = tail(&container.without(column.up - 1), values);
        format!("[{depth}, x => {way}]")
    };
    let places: Vec<String> = wanted.containers.iter().map(place).collect();
    format!("outside({}, [{}])", getter(column), places.join(", "))
}

/// The part of how elements are read that concerns their dates.
fn dated(series: &Series, data: &mut Data) -> String {
    let Series { start, end, days, rule, excluded, done, parts, title, index } = series;
    let asked = index.as_ref().map(|index| {
        let id = index.library.values.get(&index.library.id);
        let library = index.library;
        json!({ "entity": library.entity, "id": id, "prefix": library.id_prefix, "values": index.values })
    });
    let mut columns = json!({ "start": start, "end": end, "days": days, "rule": rule, "excluded": excluded, "done": done, "index": asked });
    if !parts.is_empty() {
        columns["parts"] = parts.iter().map(|part| part.column).collect();
    }
    data.set("series", &columns);
    let containers = index.as_ref().map(|index| format!(", containers: app.{}", index.containers));
    format!(", titles: x => x.{title}(){}", containers.unwrap_or_default())
}

fn at(to: &Path, data: &mut Data) -> String {
    let mut values = Vec::new();
    let code = path(to, &mut values);
    data.set("p", &values);
    code
}

fn getter(column: &Column) -> String {
    match column.view {
        None => value_getter(column),
        Some(View::Part(part)) => format!("partOf({:?}, {})", part.as_str(), value_getter(column)),
        Some(View::Path) => format!("fileOf({})", value_getter(column)),
        Some(View::Count) => {
            let way: Vec<&str> = column.identifiers.iter().map(Identifier::as_str).collect();
            format!("singleOnly(x => x.{}.length)", way.join("."))
        }
    }
}

fn value_getter(column: &Column) -> String {
    let way: Vec<&str> = column.identifiers.iter().map(Identifier::as_str).collect();
    let read = format!("x => x.{}()", way.join("."));
    match way.as_slice() {
        [_] if column.named => format!("uncut({read})"),
        [first, _] => format!("through({read}, x => x.{first}(), {})", column.named),
        [first, middle @ .., _] => {
            let owner = middle.join(".");
            format!("through({read}, x => x.{first}(), {}, x => x.{first}.{owner}())", column.named)
        }
        _ => read,
    }
}

fn window(text: TextWindow) -> [usize; 2] {
    [text.offset, text.limit]
}
