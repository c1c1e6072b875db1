//! Facts that a human needs besides an object's name, such as the recipients of a message or the size of a deletion.

use super::{Fact, Look};
use crate::app::same_id;
use crate::dictionary::{APPLICATION, Dictionary, Identifier};
use crate::identity::identity;
use crate::specifier::{Member, Path, Segment};

/// The event that deletes.
pub(crate) const DELETE: &str = "coredelo";
const MOVE: &str = "coremove";
/// The event that copies an object.
pub(crate) const DUPLICATE: &str = "coreclon";

const CLOSE: &str = "coreclos";

/// The caption of a fact that no question shows. Its value only has to be the same after the question.
const UNSHOWN: &str = "";

/// The caption of what a document may lose when it is closed.
pub(crate) const UNSAVED: &str = "has unsaved changes";

/// Mail's events that reply to a message, and the argument of a reply to all.
const REPLY: &str = "emalrpms";
pub(crate) const TO_ALL: &str = "reply to all";

/// Mail's events that forward or redirect a message. Its contents go out, and only to recipients that the call names.
const FORWARD: &str = "emalfwms";
const REDIRECT: &str = "emalrdms";
pub(crate) const PASSED_ON: [&str; 2] = [FORWARD, REDIRECT];

/// The event that sends a message of Mail.
pub(crate) const SEND: &str = "emsgsend";

/// The name of a message's sending account in a question, and the text if no one has chosen an account.
///
/// # Source
/// Mail's settings, Composing: it sends new messages from one account, or chooses the best one itself.
pub(crate) const FROM: &str = "from";
pub(crate) const BY_MAIL: &str = "the account that Mail chooses";

/// The event that sends a text of Messages.
pub(crate) const SEND_TEXT: &str = "ichtsend";

/// The caption of the service that carries a text.
pub(crate) const BY: &str = "by";

/// Whether a command sends something to other people.
pub(crate) fn sends(code: &str) -> bool {
    [SEND, SEND_TEXT].contains(&code)
}

/// The caption of the rule by which an event repeats.
pub(crate) const RULE: &str = "rule of its series";

/// The same of a task.
const REPEATS_BY: &str = "repeats";

/// Whether a fact is shown only if it has a value: most objects do not repeat.
pub(crate) fn is_rare(fact: &Fact) -> bool {
    [RULE, REPEATS_BY].contains(&fact.caption.as_str())
}

/// OmniFocus's events that end a task or a project, and everything in it.
const COMPLETE: &str = "OFOCFCMc";
const DROP: &str = "OFOCFCMd";

/// The event that empties Finder's Trash.
const EMPTY: &str = "fndrempt";

/// The event that ends an app.
pub(crate) const QUIT: &str = "aevtquit";

/// An app and a command, each "" for every one; a class, a caption, and the path to the fact: properties and elements.
///
/// # Source
/// Mail's dictionary: recipients are elements of an outgoing message, attachments are elements of its text.
/// The sender of an outgoing message is its account.
/// Calendar's dictionary: a series is one event with a rule, so a command reaches all of its occurrences.
/// Messages' dictionary: an account belongs to a service, and a chat has participants.
/// Contacts' dictionary: numbers, addresses and profiles of a person have only ids.
/// The Standard Suite: a document says whether it is modified, and a window leads to its document.
/// The Text Suite: a part of a text has no name. An empty path leads to the value of the object itself.
const FACTS: [(&str, &str, &str, &str, &str); 44] = [
    ("com.apple.AddressBook", DELETE, "contact info", "label", "label"),
    ("com.apple.AddressBook", DELETE, "contact info", "value", "value"),
    ("com.apple.AddressBook", DELETE, "address", "label", "label"),
    ("com.apple.AddressBook", DELETE, "address", "value", "formatted address"),
    ("com.apple.AddressBook", DELETE, "instant message", "service", "service name"),
    ("com.apple.AddressBook", DELETE, "social profile", "service", "service name"),
    ("com.apple.AddressBook", DELETE, "social profile", "value", "user name"),
    ("", DELETE, "paragraph", "text", ""),
    ("", DELETE, "word", "text", ""),
    ("", DELETE, "character", "text", ""),
    ("", DELETE, "attribute run", "text", ""),
    ("", CLOSE, "document", UNSAVED, "modified"),
    ("", CLOSE, "window", UNSAVED, "document.modified"),
    // The name of a window of Safari is that of the tab in front.
    ("com.apple.Safari", CLOSE, "window", "its tabs", "tab.name"),
    ("com.apple.mail", REPLY, "message", "replies go to", "reply to"),
    ("com.apple.mail", TO_ALL, "message", "it was also sent to", "to recipient.address"),
    ("com.apple.mail", TO_ALL, "message", "with copies to", "cc recipient.address"),
    ("com.apple.mail", FORWARD, "message", "its text", "content"),
    ("com.apple.mail", FORWARD, "message", "its attachments", "mail attachment.name"),
    ("com.apple.mail", REDIRECT, "message", "its text", "content"),
    ("com.apple.mail", REDIRECT, "message", "its attachments", "mail attachment.name"),
    ("com.apple.iCal", DELETE, "event", RULE, "recurrence"),
    ("com.apple.iCal", MOVE, "event", RULE, "recurrence"),
    ("com.apple.iCal", DUPLICATE, "event", RULE, "recurrence"),
    ("com.omnigroup.OmniFocus4", COMPLETE, "task", REPEATS_BY, "repetition rule"),
    ("com.omnigroup.OmniFocus4", COMPLETE, "project", REPEATS_BY, "repetition rule"),
    ("com.omnigroup.OmniFocus3", COMPLETE, "task", REPEATS_BY, "repetition rule"),
    ("com.omnigroup.OmniFocus3", COMPLETE, "project", REPEATS_BY, "repetition rule"),
    // Finder also calls a folder an item, so the actual class decides.
    ("com.apple.finder", DELETE, "item", "kind", "kind"),
    // A file is identified only by its name, and another file may get that name while a person reads the question. The
    // size of a folder is not compared, because Finder calculates it later.
    ("com.apple.finder", "", "item", UNSHOWN, "creation date"),
    ("com.apple.systemevents", "", "disk item", UNSHOWN, "creation date"),
    ("com.apple.finder", DELETE, "file", UNSHOWN, "size"),
    ("com.apple.finder", MOVE, "file", UNSHOWN, "size"),
    ("com.apple.finder", DUPLICATE, "file", UNSHOWN, "size"),
    ("com.apple.mail", SEND, "outgoing message", FROM, "sender"),
    ("com.apple.mail", SEND, "outgoing message", "to", "to recipient.address"),
    ("com.apple.mail", SEND, "outgoing message", "cc", "cc recipient.address"),
    ("com.apple.mail", SEND, "outgoing message", "bcc", "bcc recipient.address"),
    ("com.apple.mail", SEND, "outgoing message", "subject", "subject"),
    ("com.apple.mail", SEND, "outgoing message", "text", "content"),
    ("com.apple.MobileSMS", SEND_TEXT, "participant", BY, "account.service type"),
    ("com.apple.MobileSMS", SEND_TEXT, "chat", "goes to", "participant.handle"),
    ("com.apple.MobileSMS", SEND_TEXT, "chat", BY, "account.service type"),
    // Mail does not show each attachment of a message that is not sent yet.
    (
        "com.apple.mail",
        SEND,
        "outgoing message",
        "attachments that Mail reports",
        "content.attachment.file name",
    ),
];

/// Commands that act on a property of the app, whatever their target: an app, a command, the property, its elements.
///
/// # Source
/// Finder's dictionary: `empty` and `empty trash` do the same.
const BESIDE: [(&str, &str, &str, &str); 1] = [("com.apple.finder", EMPTY, "trash", "item")];

/// Effects that cannot be undone: an app, a command, a class that all targets are of, and the words. An empty app or
/// class matches every one, and the first matching row counts.
///
/// # Source
/// Mail's user guide: a deleted message moves to the Trash mailbox of its account. A published server for Mail:
/// `delete` of a message in the Trash changes nothing and gives no error. Notes' user guide: a deleted note stays in
/// Recently Deleted for a while, in accounts that have it. OmniFocus and its dictionary have no trash. A published
/// report for macOS 26.5: deleting a series removed its first occurrence and reported success. OmniFocus's dictionary:
/// the items in a completed or dropped item are effectively completed or dropped, and `mark complete` keeps repeating
/// items with their next date.
const CONSEQUENCES: [(&str, &str, &str, &str); 17] = [
    ("com.apple.mail", REPLY, "", NOT_SENT),
    ("com.apple.mail", FORWARD, "", NOT_SENT),
    ("com.apple.mail", REDIRECT, "", NOT_SENT),
    ("com.omnigroup.OmniFocus4", COMPLETE, "", COMPLETES),
    ("com.omnigroup.OmniFocus3", COMPLETE, "", COMPLETES),
    ("com.omnigroup.OmniFocus4", DROP, "", DROPS),
    ("com.omnigroup.OmniFocus3", DROP, "", DROPS),
    ("com.omnigroup.OmniFocus4", DELETE, "", NO_TRASH),
    ("com.omnigroup.OmniFocus3", DELETE, "", NO_TRASH),
    (
        "com.apple.mail",
        DELETE,
        "message",
        "moves to the Trash mailbox; a message that is already there stays there, because only the user can empty it, in Mail",
    ),
    (
        "com.apple.Notes",
        DELETE,
        "note",
        "moves to Recently Deleted, if its account has that folder; a note that is already there is deleted for good",
    ),
    ("com.apple.finder", DELETE, "", "moves to the Trash"),
    ("com.apple.finder", EMPTY, "", "deletes permanently"),
    ("com.apple.iCal", DELETE, "event", DELETES_SERIES),
    ("", DELETE, "", NOT_RESTORED),
    ("", SEND, "", "a sent message cannot be recalled"),
    ("", SEND_TEXT, "", "a sent message cannot be recalled"),
];

/// The effect of deleting an event that may repeat, and of other deletions.
pub(crate) const DELETES_SERIES: &str = "deleting a repeating event deletes all its dates (on some versions of macOS only the first one goes); this server cannot restore deleted objects";
pub(crate) const NOT_RESTORED: &str = "this server cannot restore deleted objects";

/// The effects of a command on objects of one class in one container: an app, the command, the class, the containers,
/// and the words. A container is a class or a property of the app.
///
/// # Source
/// Music's user guide: removing a song from a playlist does not remove it from the library. Mail's dictionary: `inbox`
/// and the like hold the messages of all accounts in these mailboxes. RFC 3501: each account has an `INBOX`.
const FROM_CONTAINERS: [(&str, &str, &str, &[&str], &str); 2] = [
    (
        "com.apple.Music",
        DELETE,
        "track",
        &["user playlist", "playlist"],
        "removes from the playlist; unless that is the library itself, the songs stay in the library; an undo cannot put them back into the playlist",
    ),
    (
        "com.apple.mail",
        DELETE,
        "message",
        &[INBOX, "sent mailbox", "drafts mailbox", "junk mailbox", "outbox"],
        "moves to the Trash mailbox",
    ),
];

const INBOX: &str = "inbox";

/// Whether a path leads into one of these containers.
fn is_from(path: &Path, containers: &[&str]) -> bool {
    let Some((container, _)) = path.last() else { return false };
    let Some((outer, last)) = container.last() else { return false };
    // Another mailbox may have the same name: in the Trash, or on the Mac.
    let is_inbox = outer.class() == "account"
        && container.class() == "mailbox"
        && container.name().is_some_and(|name| name.eq_ignore_ascii_case(INBOX));
    let is_property = |word: &str| matches!(last, Segment::Property(member) if member.term == word);
    containers
        .iter()
        .any(|word| container.class() == *word || is_property(word) || is_inbox && *word == INBOX)
}

/// Objects that no script can delete: an app, a class, and why.
///
/// # Source
/// A published server for Mail: deleting a mailbox gives error -10000.
const UNDELETABLE: [(&str, &str, &str); 1] =
    [("com.apple.mail", "mailbox", "no script can delete a mailbox; only the user can, in Mail")];

/// Why objects of a class cannot be deleted.
pub(crate) fn undeletable(app: &str, dictionary: &Dictionary, class: &str) -> Option<&'static str> {
    UNDELETABLE.iter().find(|row| same_id(row.0, app) && dictionary.is_a(class, row.1)).map(|row| row.2)
}

/// The class of Finder's Trash, and the effect of a move into it.
const TRASH: &str = "trash-object";
const KEPT_IN_TRASH: &str = "it can be got back out of the Trash until the Trash is emptied";

/// The effect of a message that a call makes and does not send.
pub(crate) const NOT_SENT: &str = "nothing is sent";

/// Objects that are messages to be sent later: an app and a class.
const DRAFTS: [(&str, &str); 1] = [("com.apple.mail", "outgoing message")];

/// What the answer says of a message that nobody sees yet.
///
/// # Source
/// Mail's dictionary: `opening window` and `visible` say whether a message has a window, and the default is none.
/// `save` puts it into Drafts.
pub(crate) const DRAFT_UNSEEN: &str =
    "the user does not see this draft yet, and it is not in Drafts: set its `visible` to true, or run `save`";

pub(crate) const OPENING_WINDOW: &str = "opening window";
pub(crate) const VISIBLE: &str = "visible";

/// Whether a command makes a message that is to be sent later.
pub(crate) fn makes_draft(code: &str) -> bool {
    [REPLY, FORWARD, REDIRECT].contains(&code)
}

/// Whether objects of a class are messages to be sent.
pub(crate) fn drafts(app: &str, dictionary: &Dictionary, class: &str) -> bool {
    DRAFTS.iter().any(|row| same_id(row.0, app) && dictionary.is_a(class, row.1))
}

/// The caption of an object that other people see, too.
pub(crate) const SHARED: &str = "shared with others";

/// The property that says so: an app, a class, and the property.
///
/// # Source
/// Notes' dictionary.
const SHARING: [(&str, &str, &str); 1] = [("com.apple.Notes", "note", "shared")];

/// Whether other people get the changes of an object.
pub(crate) fn shared(app: &str, dictionary: &Dictionary, class: &str) -> Option<Fact> {
    let row = SHARING.iter().find(|row| same_id(row.0, app) && dictionary.is_a(class, row.1))?;
    Some(Fact { is_of_some: true, ..Fact::new(SHARED, Look::Property(way(dictionary, class, row.2)?)) })
}

const COMPLETES: &str = "its contents count as completed too; repeating items stay open with their next dates, and a completed copy is made";
const NO_TRASH: &str = "deletes for good: OmniFocus has no trash";
const DROPS: &str = "its contents count as dropped too";

/// The effect of a command that replaces existing objects.
pub(crate) const REPLACES: &str =
    "an item of the same name at the destination is replaced, and this server cannot restore it";

/// A warning before a property of a repeating object is set: an app, a class, a property or "" for any other, and the
/// words.
///
/// # Source
/// Calendar's dictionary: a series is one event with a rule; no script reaches one occurrence of it.
const SETTING: [(&str, &str, &str, &str); 4] = [
    (
        "com.apple.iCal",
        "event",
        "start date",
        "this is the first date of the series: the other dates move with it, and none comes before it",
    ),
    ("com.apple.iCal", "event", "excluded dates", "this changes which of its dates are left out"),
    ("com.apple.iCal", "event", "recurrence", "this changes which dates it has"),
    ("com.apple.iCal", "event", "", "this changes all its dates"),
];

/// Texts with a look, of which a new value says nothing: an app, a class and the property.
///
/// # Source
/// TextEdit's dictionary: paragraphs and attribute runs of a text have fonts, sizes and colours.
const STYLED: [(&str, &str, &str); 1] = [("com.apple.TextEdit", "document", "text")];

/// Whether a new value of a property takes the look of the old text.
pub(crate) fn is_styled(app: &str, class: &str, term: &str) -> bool {
    STYLED.iter().any(|row| same_id(row.0, app) && row.1 == class && row.2 == term)
}

/// Properties that an app takes from another property, even if a call gives both to a new object: an app, a class, the
/// property, and the text that begins with it.
///
/// # Source
/// Notes' dictionary: the name of a note is its title, which is usually its first line.
const BEGINS: [(&str, &str, &str, &str); 1] = [("com.apple.Notes", "note", "name", "body")];

/// The property that says how an object repeats: an app, a class, its name in a question, and the property.
const REPEATS: [(&str, &str, &str, &str); 1] = [("com.apple.iCal", "event", RULE, "recurrence")];

const OMNIFOCUS: &[&str] = &["com.omnigroup.OmniFocus4", "com.omnigroup.OmniFocus3"];

/// The prefix of class names for the contents of a container at every depth.
const FLATTENED: &str = "flattened ";

/// The contents of a container at every depth, if one event counts them.
///
/// # Source
/// OmniFocus's dictionary: a project holds its tasks through its root task.
const INSIDE: [Inside; 5] = [
    (OMNIFOCUS, "project", "root task", "flattened task"),
    (OMNIFOCUS, "task", "", "flattened task"),
    (OMNIFOCUS, "folder", "", "flattened project"),
    (OMNIFOCUS, "folder", "", "flattened folder"),
    (OMNIFOCUS, "tag", "", "flattened tag"),
];

/// The app, the class, the property that leads to the container, and its elements.
type Inside = (&'static [&'static str], &'static str, &'static str, &'static str);

/// Objects that stand for another object.
///
/// # Source
/// OmniFocus: each project is also a task with the same id, its root task. Someone measured this for 368 of 368
/// projects. A change of that task changes the project.
const STANDING: [Stands; 1] = [Stands {
    apps: OMNIFOCUS,
    class: "task",
    apart: ("inbox task", "in inbox"),
    held: "containing project",
    same: "id",
    name: "name",
    counted: "flattened task",
}];

/// The relation between an object and another one that it stands for.
struct Stands {
    apps: &'static [&'static str],
    class: &'static str,
    /// The kind of them that never stands for another object, and the property that is true of these.
    apart: (&'static str, &'static str),
    /// The property that holds the other one.
    held: &'static str,
    /// The property that is equal in both.
    same: &'static str,
    /// The name of the other one.
    name: &'static str,
    /// The elements to count in it.
    counted: &'static str,
}

/// Where an object is that no container on its path tells: an app, a class, the words that join it to the name of its
/// container, and the property that reads this name.
///
/// # Source
/// The apps' dictionaries. The container of a reminder is its list, or the reminder above it.
const PLACES: [Place; 4] = [
    (OMNIFOCUS, "task", "of project", "containing project.name"),
    (&["com.apple.reminders"], "reminder", "in", "container.name"),
    (&["com.apple.mail"], "message", "of mailbox", "mailbox.name"),
    (&["com.apple.Notes"], "note", "in folder", "container.name"),
];

/// The apps, a class, the words, and the way to the name.
type Place = (&'static [&'static str], &'static str, &'static str, &'static str);

/// The name of the container of an object, unless its path already leads through one.
pub(crate) fn placed(app: &str, dictionary: &Dictionary, path: &Path) -> Option<Fact> {
    let (_, _, caption, terms) = place(app, dictionary, path)?;
    let look = Look::Property(terms.split('.').map(Identifier::of).collect::<Option<_>>()?);
    Some(Fact { is_place: true, is_of_some: true, ..Fact::new(*caption, look) })
}

/// The properties that [`placed`] reads, as the dictionary names them.
pub(crate) fn place_terms(app: &str, dictionary: &Dictionary, path: &Path) -> Vec<String> {
    let terms = place(app, dictionary, path).map(|row| row.3.split('.'));
    terms.into_iter().flatten().map(str::to_owned).collect()
}

/// An account, a document or the app itself does not tell a person where an object is.
fn place(app: &str, dictionary: &Dictionary, path: &Path) -> Option<&'static Place> {
    let tells = |each: &Path| ![APPLICATION, "document", "account"].contains(&each.class());
    let is_it = |row: &&Place| is_of(row.0, app) && dictionary.is_a(path.class(), row.1);
    PLACES.iter().find(is_it).filter(|_| !path.containers().any(tells))
}

/// Objects that an app still finds after they were deleted, except in the container that they were in: an app, a class,
/// and that container.
///
/// # Source
/// Notes' user guide: a deleted note stays in Recently Deleted for a while.
const OUTLIVING: [(&str, &str, &str); 1] = [("com.apple.Notes", "note", "folder")];

/// Whether the same path may still lead to an object after it was deleted.
pub(crate) fn outlives(app: &str, class: &str, container: &str) -> bool {
    OUTLIVING.iter().any(|row| same_id(row.0, app) && row.1 == class && row.2 != container)
}

/// Commands that affect everything in an object.
const WHOLE: [&str; 4] = [DELETE, EMPTY, COMPLETE, DROP];

/// Elements that are parts of an object, not its contents. A question does not say that an object has none of them.
const PARTS: [&str; 3] = ["artwork", "attachment", "mail attachment"];

/// The most element classes of a container. An object with more of them, such as a person with addresses, is not a
/// container.
const KINDS: usize = 2;

/// Returns the facts to read about an object, besides its name, before a human is asked about a command.
pub(crate) fn facts(app: &str, dictionary: &Dictionary, code: &str, class: &str) -> Vec<Fact> {
    let mut facts = if WHOLE.contains(&code) { contents(app, dictionary, class, KINDS) } else { Vec::new() };
    let is_here = |of: &str| of.is_empty() || same_id(of, app);
    let is_it = |of: &str| of.is_empty() || of == code;
    let rows = FACTS.iter().filter(|row| is_here(row.0) && is_it(row.1) && dictionary.is_a(class, row.2));
    let fact = |row: &(&str, &str, &str, &str, &str)| {
        let look = Look::Property(way(dictionary, class, row.4)?);
        // Not every window has a document.
        Some(Fact { is_of_some: row.1 == CLOSE, ..Fact::new(row.3, look) })
    };
    facts.extend(rows.filter_map(fact));
    facts.extend(possible(app, dictionary, code, class));
    facts.extend(standing(app, dictionary, class));
    facts
}

/// The captions of facts that say which object it is, if it has no name.
const TELLING: [&str; 3] = ["label", "value", "service"];

/// Whether a fact says which object it is, as the label and the value of a phone number do.
pub(crate) fn is_telling(fact: &Fact) -> bool {
    TELLING.contains(&fact.caption.as_str())
}

/// The facts that say which object of a class it is, if its objects have only ids.
pub(crate) fn telling(app: &str, dictionary: &Dictionary, class: &str) -> impl Iterator<Item = Fact> {
    facts(app, dictionary, DELETE, class).into_iter().filter(is_telling)
}

/// The properties that tell an object from another one of its name, and that no question about a command shows.
pub(crate) fn unshown(app: &str, dictionary: &Dictionary, code: &str, class: &str) -> Vec<Identifier> {
    let unshown = facts(app, dictionary, code, class).into_iter().filter(|fact| !fact.is_shown());
    let property = |fact: Fact| match fact.look {
        Look::Property(mut way) if way.len() == 1 => way.pop(),
        _ => None,
    };
    unshown.filter_map(property).collect()
}

/// The facts that only tell whether another object has taken the place of this one: its id, if its path ends with a
/// name, and what [`unshown`] names.
pub(crate) fn binding(app: &str, dictionary: &Dictionary, code: &str, path: &Path) -> Vec<Fact> {
    if path.name().is_none() {
        return Vec::new();
    }
    let all = identity(dictionary, path.class()).id().into_iter().chain(unshown(
        app,
        dictionary,
        code,
        path.class(),
    ));
    all.map(|each| Fact::new(UNSHOWN, Look::Property(vec![each]))).collect()
}

/// Properties that change if a person edits the object.
const EDITED: [&str; 1] = ["size"];

/// The same for an object that was moved or changed. A person may have edited it since, and the undo is still possible.
pub(crate) fn unmoved(app: &str, dictionary: &Dictionary, class: &str) -> Vec<Identifier> {
    let is_kept = |each: &Identifier| !EDITED.contains(&each.as_str());
    unshown(app, dictionary, MOVE, class).into_iter().filter(is_kept).collect()
}

/// Classes that also stand for containers: a path may lead to an `item` that is a folder. An app, a command, the class,
/// and the elements to count.
const POSSIBLE: [(&str, &str, &str, &str); 2] = [
    ("com.apple.finder", DELETE, "item", "item"),
    ("com.apple.systemevents", DELETE, "disk item", "disk item"),
];

/// Whether objects of a class may hold others, so that a question names them before the ones that hold nothing.
pub(crate) fn may_hold(app: &str, dictionary: &Dictionary, class: &str) -> bool {
    POSSIBLE.iter().any(|row| same_id(row.0, app) && row.2 == class)
        || standing(app, dictionary, class).is_some()
        || !contents(app, dictionary, class, KINDS).is_empty()
}

/// The contents of an object that may be a container.
fn possible(app: &str, dictionary: &Dictionary, code: &str, class: &str) -> Option<Fact> {
    let row = POSSIBLE.iter().find(|row| same_id(row.0, app) && row.1 == code && row.2 == class)?;
    let plural = &dictionary.class(row.3)?.plural;
    let fact = Fact::new(format!("{plural} in it"), Look::Count(vec![Identifier::of(plural)?]));
    Some(Fact { is_least: true, is_of_some: true, ..fact })
}

/// The most element classes to count in a new object. In the known apps, people add elements of fewer classes to an
/// object.
const COUNTED: usize = 12;

/// Counts the elements of an object, so that an undo notices if someone added some.
pub(crate) fn counts(app: &str, dictionary: &Dictionary, class: &str) -> impl Iterator<Item = Look> {
    contents(app, dictionary, class, COUNTED).into_iter().map(|fact| fact.look)
}

/// Counts the contents of a container, because a command on the container affects them too.
fn contents(app: &str, dictionary: &Dictionary, class: &str, most: usize) -> Vec<Fact> {
    let whole = INSIDE.iter().filter(|row| is_of(row.0, app) && dictionary.is_a(class, row.1));
    let whole: Vec<Fact> = whole.filter_map(|row| whole_inside(dictionary, class, row)).collect();
    if !whole.is_empty() {
        return whole;
    }
    let all = dictionary.elements(class);
    let kinds: Vec<&str> = all.iter().filter(|each| !each.hidden).map(|each| each.class.as_str()).collect();
    // Finder's folders have items, and also separate elements for each kind of item. The most general classes are
    // enough.
    let general = |kind: &&&str| !kinds.iter().any(|other| other != *kind && dictionary.is_a(kind, other));
    let general: Vec<&&str> = kinds.iter().filter(general).collect();
    if general.len() > most {
        return Vec::new();
    }
    let fact = |kind: &&&str| {
        let (_, found) = dictionary.element(class, kind)?;
        let look = Look::Count(vec![Identifier::of(&found.plural)?]);
        let is_least = lies_deeper(dictionary, class, kind);
        let is_of_some = PARTS.contains(*kind);
        Some(Fact { is_least, is_of_some, ..Fact::new(format!("{} in it", found.plural), look) })
    };
    general.iter().filter_map(fact).collect()
}

fn whole_inside(dictionary: &Dictionary, class: &str, row: &Inside) -> Option<Fact> {
    let (_, _, through, element) = row;
    let mut way = if through.is_empty() { Vec::new() } else { way(dictionary, class, through)? };
    let plural = &dictionary.class(element)?.plural;
    way.push(Identifier::of(plural)?);
    let caption = plural.strip_prefix(FLATTENED).unwrap_or(plural);
    // Few tasks have others in them.
    let fact = Fact::new(format!("{caption} in it"), Look::Count(way));
    Some(Fact { is_of_some: row.1 == "task", ..fact })
}

/// Whether the contents of a container may contain more elements of a kind, as folders contain folders.
fn lies_deeper(dictionary: &Dictionary, class: &str, kind: &str) -> bool {
    let inner = dictionary.elements(class);
    let is_inside = |heir: &str| inner.iter().any(|each| dictionary.is_a(heir, &each.class));
    let holds = |heir: &str| dictionary.elements(heir).iter().any(|each| dictionary.is_a(&each.class, kind));
    dictionary.classes.keys().any(|heir| is_inside(heir) && holds(heir))
}

/// The class of the other objects that elements of a container stand for. A project's or a task's own elements do not.
/// `is_true` tells which properties are true of all elements that count.
pub(crate) fn counted_among(
    app: &str,
    dictionary: &Dictionary,
    class: &str,
    container: &str,
    is_true: &dyn Fn(&str) -> bool,
) -> Option<&'static str> {
    let row = STANDING.iter().find(|row| is_of(row.apps, app) && dictionary.is_a(class, row.class))?;
    let other = row.held.rsplit(' ').next()?;
    let (apart, are_apart) = row.apart;
    if class == apart || is_true(are_apart) {
        return None;
    }
    (!dictionary.is_a(container, row.class) && container != other).then_some(other)
}

/// The object that an object of this class may stand for: a change of one changes the other.
pub(crate) fn standing(app: &str, dictionary: &Dictionary, class: &str) -> Option<Fact> {
    let row = STANDING.iter().find(|row| is_of(row.apps, app) && dictionary.is_a(class, row.class))?;
    let held = dictionary.property(class, row.held)?;
    let counted = &dictionary.class(row.counted)?.plural;
    let of = Identifier::of;
    let look = Look::Standing([of(&held.name)?, of(row.same)?, of(row.name)?, of(counted)?]);
    Some(Fact::new(row.held.rsplit(' ').next().unwrap_or(row.held), look))
}

fn is_of(ids: &[&str], app: &str) -> bool {
    ids.iter().any(|id| same_id(id, app))
}

/// Reads a path of terms joined by dots: properties, and elements by their class.
fn way(dictionary: &Dictionary, class: &str, terms: &str) -> Option<Vec<Identifier>> {
    let mut class = class.to_owned();
    let mut identifiers = Vec::new();
    for term in terms.split('.').filter(|term| !term.is_empty()) {
        if let Some(property) = dictionary.property(&class, term) {
            identifiers.push(Identifier::of(&property.name)?);
            class = property.kind.0.first().map(|kind| kind.name.clone()).unwrap_or_default();
        } else {
            let (_, element) = dictionary.element(&class, term)?;
            identifiers.push(Identifier::of(&element.plural)?);
            class.clone_from(&element.name);
        }
    }
    Some(identifiers)
}

/// The subject of a command that always acts on the same object, with the facts that a human needs.
pub(crate) fn beside(app: &str, dictionary: &Dictionary, code: &str) -> Option<(Path, Vec<Fact>)> {
    if code == QUIT {
        return Some((Path::application(), vec![unsaved(dictionary)?]));
    }
    let row = BESIDE.iter().find(|row| same_id(row.0, app) && row.1 == code)?;
    let property = dictionary.property(APPLICATION, row.2)?;
    let class = property.kind.0.first()?.name.clone();
    let (_, element) = dictionary.element(&class, row.3)?;
    let elements = Identifier::of(&element.plural)?;
    let deeper = match lies_deeper(dictionary, &class, &element.name) {
        true => ", not counting what is inside them",
        false => "",
    };
    let count = Fact::new(format!("{} in it{deeper}", element.plural), Look::Count(vec![elements.clone()]));
    let name = dictionary.property_of_code(&element.name, "pnam").and_then(|name| Identifier::of(&name.name));
    let names = name.map(|name| Look::Property(vec![elements, name]));
    let names = names.map(|look| Fact { is_sample: true, ..Fact::new("among them", look) });
    let member = Member { term: property.name.clone(), identifier: Identifier::of(&property.name)?, class };
    let path = Path::application().then(Segment::Property(member.into()));
    Some((path, std::iter::once(count).chain(names).collect()))
}

/// The documents of an app with changes that it may lose, or ask about, when it ends.
fn unsaved(dictionary: &Dictionary) -> Option<Fact> {
    let (_, document) = dictionary.element(APPLICATION, "document")?;
    let property = |code: &str| {
        let property = dictionary.property_of_code(&document.name, code)?;
        Identifier::of(&property.name)
    };
    let look = Look::Where(Identifier::of(&document.plural)?, property("imod")?, property("pnam")?);
    Some(Fact::new(format!("{} with unsaved changes", document.plural), look))
}

/// The irreversible effect of a command, as the end of a question; `None` for all other commands.
pub(crate) fn consequence(
    app: &str,
    dictionary: Option<&Dictionary>,
    code: &str,
    targets: &[&Path],
    to: &[&Path],
) -> Option<&'static str> {
    if code == MOVE && to.iter().any(|to| to.class() == TRASH) {
        return Some(KEPT_IN_TRASH);
    }
    let is_a = |path: &&Path, class: &str| dictionary.is_some_and(|all| all.is_a(path.class(), class));
    let are_all =
        |class: &str| class.is_empty() || !targets.is_empty() && targets.iter().all(|path| is_a(path, class));
    let is_of = |of: &str| of.is_empty() || same_id(of, app);
    let are_from =
        |containers: &[&str]| !targets.is_empty() && targets.iter().all(|path| is_from(path, containers));
    let mut from = FROM_CONTAINERS.iter().filter(|row| is_of(row.0) && row.1 == code && are_all(row.2));
    if let Some(row) = from.find(|row| are_from(row.3)) {
        return Some(row.4);
    }
    let mut rows = CONSEQUENCES.iter().filter(|row| is_of(row.0) && row.1 == code);
    rows.find(|row| are_all(row.2)).map(|row| row.3)
}

/// An effect of setting a property of an object that repeats, which the values do not show.
pub(crate) fn beyond(app: &str, class: &str, property: &str) -> Option<&'static str> {
    let mut rows = SETTING.iter().filter(|row| same_id(row.0, app) && row.1 == class);
    rows.find(|row| row.2 == property || row.2.is_empty()).map(|row| row.3)
}

/// The property from which an app takes the value of another one, whatever value the call gives.
pub(crate) fn taken_from(app: &str, class: &str, property: &str) -> Option<&'static str> {
    let mut rows = BEGINS.iter().filter(|row| same_id(row.0, app) && row.1 == class);
    rows.find(|row| row.2 == property).map(|row| row.3)
}

/// Whether a text begins with another one, ignoring markup.
pub(crate) fn begins_with(text: &str, beginning: &str) -> bool {
    let mut is_markup = false;
    let plain: String = text
        .chars()
        .filter(|letter| match letter {
            '<' => {
                is_markup = true;
                false
            }
            '>' if is_markup => {
                is_markup = false;
                false
            }
            _ => !is_markup,
        })
        .collect();
    plain.trim_start().starts_with(beginning.trim())
}

/// How an object repeats, if its class can repeat. The server reads this before it asks a human about other properties.
pub(crate) fn repeats(app: &str, dictionary: &Dictionary, class: &str) -> Option<Fact> {
    let row = REPEATS.iter().find(|row| same_id(row.0, app) && dictionary.is_a(class, row.1))?;
    Some(Fact::new(row.2, Look::Property(way(dictionary, class, row.3)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::{Includes, parse};

    const CONTACTS: &[u8] = include_bytes!(
        "../../../fixtures/mac/System/Applications/Contacts.app/Contents/Resources/Contacts.sdef"
    );
    const REMINDERS: &[u8] = include_bytes!(
        "../../../fixtures/mac/System/Applications/Reminders.app/Contents/Resources/Reminders.sdef"
    );
    const TEXT: &[u8] = br#"<dictionary><suite name="Text" code="????">
        <class name="word" code="cwor" plural="words"><element type="character"/></class>
        <class name="character" code="cha " plural="characters"/>
    </suite></dictionary>"#;
    const FINDER: &[u8] = br#"<dictionary><suite name="Finder" code="fndr">
        <class name="item" code="cobj" plural="items"><property name="kind" code="kind" type="text"/></class>
        <class name="file" code="file" plural="files" inherits="item"/>
        <class name="folder" code="cfol" plural="folders" inherits="item"><element type="item"/></class>
    </suite></dictionary>"#;

    /// The values to read before an object is deleted.
    fn check(app: &str, sdef: &[u8], class: &str, expected: &[&str]) {
        let (dictionary, _) = parse(sdef, &Includes::new());
        let facts = facts(app, &dictionary, DELETE, class);
        let found: Vec<String> =
            facts.iter().map(|fact| format!("{}: {}", fact.caption, fact.look.spelled())).collect();
        assert_eq!(found, expected, "{class}");
    }

    #[test]
    fn an_object_without_a_name_is_shown_by_its_values() {
        for class in ["email", "phone", "related name"] {
            check("com.apple.AddressBook", CONTACTS, class, &["label: label", "value: value"]);
        }
        let profile = ["service: serviceName", "value: userName"];
        check("com.apple.AddressBook", CONTACTS, "social profile", &profile);
        check("com.apple.TextEdit", TEXT, "word", &["characters in it: #characters", "text: "]);
        check("com.apple.TextEdit", TEXT, "character", &["text: "]);
    }

    #[test]
    fn a_container_is_read_unless_the_path_names_one() {
        let (dictionary, _) = parse(REMINDERS, &Includes::new());
        let check = |source: &str, expected: Option<&str>| {
            let source = format!("Application(\"Reminders\").{source}");
            let path = crate::specifier::read_source(&dictionary, &source).expect("a path");
            let fact = placed("com.apple.reminders", &dictionary, &path);
            assert_eq!(fact.map(|fact| fact.look.spelled()).as_deref(), expected, "{source}");
        };
        check("reminders.byId(\"r\")", Some("container.name"));
        check("lists.byName(\"Groceries\").reminders.byId(\"r\")", None);
        check("defaultList.reminders.byId(\"r\")", None);
        check("lists.byId(\"l\")", None);
    }

    #[test]
    fn an_item_may_be_a_folder() {
        let check = |class: &str, expected: &[&str]| check("com.apple.finder", FINDER, class, expected);
        check("item", &["kind: kind", "items in it: #items"]);
        check("file", &["kind: kind"]);
        check("folder", &["items in it: #items", "kind: kind"]);
    }
}
