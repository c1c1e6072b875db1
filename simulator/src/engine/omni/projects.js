// What only projects have. Everything else is in their root task.
const STATUS = {
  "active status": ProjectStatus.Active,
  "on hold status": ProjectStatus.OnHold,
  "done status": ProjectStatus.Done,
  "dropped status": ProjectStatus.Dropped,
};
const statusNames = (value) => Object.keys(STATUS).find((name) => STATUS[name] === value);

// A copy: changing it has no effect until it is assigned.
class ReviewInterval {
  constructor(token) {
    if (token !== ROW) throw new TypeError("Project.ReviewInterval has no constructor");
  }
}
const UNITS = ["day", "week", "month", "year"];
function readInterval(row) {
  const made = new ReviewInterval(ROW),
    kept = term(row, "review interval") ?? { unit: "week", steps: 1 };
  made.steps = kept.steps;
  made.unit = `${kept.unit}s`;
  return made;
}
function writeInterval(row, value) {
  if (!(value instanceof ReviewInterval))
    fail(`Project.reviewInterval must be a Project.ReviewInterval, not ${describe(value)}`);
  const unit = String(value.unit).replace(/s$/, "");
  if (!UNITS.includes(unit) || !Number.isInteger(value.steps) || value.steps < 1)
    fail("Project.reviewInterval: the unit must be days, weeks, months or years, and the steps a whole number");
  write(row, "review interval", { unit, steps: value.steps, fixed: true }, wire.record);
}

class Project extends DatabaseObject {
  constructor(name, position) {
    super();
    const place = resolvePlace(sectionLocation(position), kinds.section);
    return wrap(newProject(place, textOf(name, "the name")));
  }
  markComplete(date) {
    return wrap(
      rootOf(
        completeProject(this[ROW], date === null || date === undefined ? nowSeconds() : dateOrNull(date, "the date")),
      ),
    );
  }
  markIncomplete() {
    setStatus(this[ROW], "active status");
  }
  get status() {
    return STATUS[statusName(this[ROW])];
  }
  set status(value) {
    if (!(value instanceof ProjectStatus)) fail(`Project.status must be a Project.Status, not ${describe(value)}`);
    setStatus(this[ROW], statusNames(value));
  }
  get completionDate() {
    return toDate(term(rootOf(this[ROW]), "completion date"));
  }
  set completionDate(value) {
    setStatus(this[ROW], value === null ? "active status" : "done status", dateOrNull(value, "Project.completionDate"));
  }
  get dropDate() {
    return toDate(term(rootOf(this[ROW]), "dropped date"));
  }
  set dropDate(value) {
    setStatus(this[ROW], value === null ? "active status" : "dropped status", dateOrNull(value, "Project.dropDate"));
  }
  get reviewInterval() {
    return readInterval(this[ROW]);
  }
  set reviewInterval(value) {
    writeInterval(this[ROW], value);
  }
}
Project.byIdentifier = byIdentifier("project");
classes.project = Project;
taskLike(Project, rootOf);
const always = (value, what) => dateOrNull(value, what) ?? fail(`${what} must be a Date, not null`);
property(Project, "lastReviewDate", "last review date", dateOrNull, dated);
property(Project, "nextReviewDate", "next review date", always, dated);
property(Project, "containsSingletonActions", "singleton action holder", truthOf, { read: Boolean });
property(Project, "defaultSingletonActionHolder", "default singleton action holder", truthOf, { read: Boolean });
reading(Project, {
  task: (row) => wrap(rootOf(row)),
  completed: (row) => statusName(row) === "done status",
  parentFolder: (row) => (parentOf(row).c === "folder" ? wrap(parentOf(row)) : null),
  nextTask: (row) =>
    statusName(row) === "active status" && row["singleton action holder"] !== true && !folderDropped(row)
      ? wrapOrNull(nextOf(row))
      : null,
  before: (row) => placed(FolderLocation, "before", row),
  after: (row) => placed(FolderLocation, "after", row),
});
Object.defineProperty(Project, "Status", { value: ProjectStatus });
Object.assign(Project, { ReviewInterval });

function sectionLocation(position) {
  if (position === null || position === undefined) return library.ending;
  if (position instanceof FolderLocation) return position;
  if (position instanceof Folder) return position.ending;
  return fail(`the position must be a Folder or a Folder.ChildInsertionLocation, not ${describe(position)}`);
}
function newProject(place, name) {
  const now = nowSeconds();
  const made = insert(place.of, "section", "project", place.at, [
    [".key", freshKey()],
    ["status", "active status", wire.name],
    ["singleton action holder", false],
    ["default singleton action holder", false],
    ["last review date", now, wire.date],
    ["next review date", now + 604800, wire.date],
    ["review interval", { unit: "week", steps: 1, fixed: true }, wire.record],
  ]);
  newTask(made, "task", undefined, name);
  return made;
}
function setStatus(row, name, date) {
  const root = rootOf(row),
    now = date ?? nowSeconds();
  write(row, "status", name, wire.name);
  write(root, "completion date", name === "done status" ? now : null, wire.date);
  write(root, "dropped date", name === "dropped status" ? now : null, wire.date);
  touch(root);
}
// Marks a project as done. A repeating project leaves a completed copy before it.
function completeProject(row, date) {
  const root = rootOf(row);
  if (readRule(root) === null || !isRemaining(root)) {
    setStatus(row, "done status", date);
    return row;
  }
  const dates = ["due date", "defer date", "planned date"].map((key) => [key, term(root, key)]);
  if (!advance(root, toDate(date))) {
    setStatus(row, "done status", date);
    return row;
  }
  const above = parentOf(row),
    past = term(root, ".past") ?? 0;
  const done = copyProject(row, { of: above, at: list(above, "section").indexOf(row.i) }, `${root.id}.${past}`);
  write(root, ".past", past + 1);
  for (const [key, value] of dates) write(rootOf(done), key, value, wire.date);
  setStatus(done, "done status", date);
  for (const each of flatten(subtasks(root), subtasks)) if (!isRemaining(each)) reopenRow(each);
  touch(root);
  return done;
}
function copyProject(row, place, key) {
  const made = insert(place.of, "section", "project", place.at, [
    [".key", freshKey()],
    ["status", statusName(row), wire.name],
    ["singleton action holder", row["singleton action holder"] === true],
    ["default singleton action holder", false],
    ["last review date", term(row, "last review date"), wire.date],
    ["next review date", term(row, "next review date"), wire.date],
    ["review interval", term(row, "review interval"), wire.record],
  ]);
  copyTask(rootOf(row), made, "task", undefined, key);
  return made;
}
