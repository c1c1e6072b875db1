// Lists of objects. Array methods on them return plain arrays.
class Collection extends Array {
  static get [Symbol.species]() {
    return Array;
  }
  byName(name) {
    return this.find((each) => each.name === name) ?? null;
  }
}
const named = (name) => ({ [name]: class extends Collection {} })[name];
const TaskArray = named("TaskArray"),
  ProjectArray = named("ProjectArray"),
  FolderArray = named("FolderArray"),
  SectionArray = named("SectionArray"),
  TagArray = named("TagArray");
function collect(Type, all) {
  const made = new Type();
  for (let at = 0; at < all.length; at++) made[at] = wrap(all[at]);
  return made;
}

// A position among the children of an object. It is resolved when something is put there.
const location = (owner) => {
  const type = function () {
    throw new TypeError(`${owner}.ChildInsertionLocation has no constructor`);
  };
  Object.defineProperty(type, "name", { value: `${owner}.ChildInsertionLocation` });
  return type;
};
const TaskLocation = location("Task"),
  FolderLocation = location("Folder"),
  TagLocation = location("Tag");
function placed(Type, edge, row) {
  const made = Object.create(Type.prototype);
  Object.defineProperty(made, ROW, { value: { edge, row } });
  return made;
}

// The row whose list contains the tasks. The tasks of a project are in its root task.
const taskHome = (row) => (row.c === "project" ? rootOf(row) : row);
const taskList = (row) => (row === database ? "inbox task" : "task");
const sectionList = () => "section";
const tagList = () => "tag";

// Returns the row that contains the position, its list, and the index there.
function resolvePlace(position, kind) {
  const { edge, row } = position[ROW];
  if (edge === "beginning" || edge === "ending") {
    const of = kind.home(row);
    return { of, name: kind.list(of), at: edge === "beginning" ? 0 : list(of, kind.list(of)).length };
  }
  if (!rows.has(row.i)) fail("the position is next to an object that was deleted");
  const of = parentOf(row),
    name = kind.list(of),
    at = list(of, name).indexOf(row.i);
  if (at < 0) fail("the position is next to an object of another kind");
  return { of, name, at: at + (edge === "after" ? 1 : 0) };
}
const kinds = {
  task: { home: taskHome, list: taskList },
  section: { home: (row) => row, list: sectionList },
  tag: { home: (row) => row, list: tagList },
};

// Moves a row to a position. The row's own place in the list does not count.
function put(row, position, kind) {
  const place = resolvePlace(position, kind);
  for (let up = place.of; up; up = parentOf(up)) if (up === row) fail("an object cannot be put into itself");
  const before = list(place.of, place.name).indexOf(row.i);
  const at = before >= 0 && before < place.at ? place.at - 1 : place.at;
  relocate(row, place.of, place.name, at);
}

// Walks a tree until the function stops it.
function walk(items, f, below) {
  for (const item of items) {
    const result = f(item);
    if (result === ApplyResult.Stop) return ApplyResult.Stop;
    if (result === ApplyResult.SkipPeers) return null;
    if (result !== ApplyResult.SkipChildren && walk(below(item), f, below) === ApplyResult.Stop)
      return ApplyResult.Stop;
  }
  return null;
}
function flatten(items, below) {
  const all = [];
  const visit = (row) => {
    all.push(row);
    below(row).forEach(visit);
  };
  items.forEach(visit);
  return all;
}
const subtasks = (row) => children(row, "task");
const sections = (row) => children(row, "section");
const subtags = (row) => children(row, "tag");
const rootOf = (row) => rows.get(row.e.task[0]);

const allSections = remembered(() => flatten(sections(database), sections));
const allProjects = remembered(() => allSections().filter((row) => row.c === "project"));
const allFolders = remembered(() => allSections().filter((row) => row.c === "folder"));
const allTags = remembered(() => flatten(subtags(database), subtags));
const inboxTasks = () => children(database, "inbox task");
const allTasks = remembered(() => flatten([...inboxTasks(), ...allProjects().map(rootOf)], subtasks));
// Tasks by the number of their tag.
const tagged = remembered(() => {
  const found = new Map();
  for (const row of allTasks())
    for (const tag of row[".tag"] ?? []) (found.get(tag) ?? found.set(tag, []).get(tag)).push(row);
  return found;
});
