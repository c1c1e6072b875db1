// Tasks.
class Task extends ActiveObject {
  constructor(name, position) {
    super();
    const place = taskPlace(position);
    return wrap(newTask(place.of, place.name, place.at, textOf(name, "the name")));
  }
  static byIdentifier(key) {
    return wrapOrNull(keyed("task", textOf(key, "the identifier")));
  }
  static byParsingTransportText(text, single) {
    return parseTransport(textOf(text, "the text"), single === true);
  }

  markComplete(date) {
    return wrap(complete(this[ROW], date === null || date === undefined ? nowSeconds() : dateOrNull(date, "the date")));
  }
  markIncomplete() {
    reopen(this[ROW]);
  }
  drop(allOccurrences, date) {
    give(
      this[ROW],
      truthOf(allOccurrences, "allOccurrences"),
      date === null || date === undefined ? nowSeconds() : dateOrNull(date, "the date"),
    );
  }
  childNamed(name) {
    return this.taskNamed(name);
  }
  apply(f) {
    return walk(collect(TaskArray, [this[ROW]]), f, (task) => task.children);
  }
  get active() {
    return term(this[ROW], "dropped date") === null;
  }
  set active(value) {
    truthOf(value, "Task.active") ? reopen(this[ROW]) : give(this[ROW], true, nowSeconds());
  }
  get assignedContainer() {
    return wrapOrNull(rows.get(term(this[ROW], "assigned container")));
  }
  set assignedContainer(value) {
    if (value !== null && !(value instanceof Task) && !(value instanceof Project))
      fail(`Task.assignedContainer must be a Project, a Task or null, not ${describe(value)}`);
    write(this[ROW], "assigned container", value === null ? null : value[ROW], wire.one);
  }
}
classes.task = Task;
classes["inbox task"] = Task;
taskLike(Task, (row) => row);
reading(Task, {
  completed: (row) => term(row, "completion date") !== null,
  completionDate: (row) => toDate(term(row, "completion date")),
  dropDate: (row) => toDate(term(row, "dropped date")),
  effectiveCompletionDate: (row) => toDate(effective.completed(row)),
  effectiveActive: (row) => !isDropped(row),
  inInbox: (row) => parentOf(row) === database,
  containingProject: (row) => wrapOrNull(projectOf(row)),
  project: (row) => (parentOf(row)?.c === "project" ? wrap(parentOf(row)) : null),
  parent: (row) => (isTask(parentOf(row)) ? wrap(parentOf(row)) : null),
  before: (row) => placed(TaskLocation, "before", row),
  after: (row) => placed(TaskLocation, "after", row),
});
Object.defineProperty(Task, "Status", { value: TaskStatus });
Object.assign(Task, {
  RepetitionRule,
  RepetitionMethod,
  RepetitionScheduleType: ScheduleType,
  AnchorDateKey,
  ChildInsertionLocation: TaskLocation,
});

const isTask = (row) => row?.c === "task" || row?.c === "inbox task";
const isRoot = (row) => parentOf(row)?.c === "project";

// The position of a new or moved task: in a task or project, or beside something.
function taskPlace(position) {
  if (position === null || position === undefined) return { of: database, name: "inbox task", at: undefined };
  return resolvePlace(taskLocation(position), kinds.task);
}
function taskLocation(position) {
  if (position instanceof TaskLocation) return position;
  if (position instanceof Task || position instanceof Project) return position.ending;
  return fail(`the position must be a Project, a Task or a Task.ChildInsertionLocation, not ${describe(position)}`);
}
function newTask(of, name, at, title) {
  const now = nowSeconds();
  return insert(of, name, undefined, at, [
    ["id", freshKey()],
    ["name", title],
    ["note", ""],
    ["flagged", false],
    ["sequential", false],
    ["completed by children", false],
    ["should use floating time zone", true],
    ["creation date", now, wire.date],
    ["modification date", now, wire.date],
    [".tag", [], wire.many],
  ]);
}

// Marks a task as done. A repeating task leaves a completed copy and continues.
function complete(row, date) {
  if (isRoot(row)) return rootOf(completeProject(parentOf(row), date));
  if (readRule(row) !== null && isRemaining(row)) {
    const done = repeat(row, date, "completion date");
    if (done) return done;
  }
  finish(row, date);
  endWithChildren(parentOf(row), date);
  return row;
}
// A task that is completed by its children becomes completed, never dropped, when none of them remains.
function endWithChildren(above, date) {
  if (
    isTask(above) &&
    above["completed by children"] === true &&
    isRemaining(above) &&
    !subtasks(above).some(isRemaining)
  )
    complete(above, date);
}
function finish(row, date) {
  write(row, "dropped date", null, wire.date);
  write(row, "completion date", date, wire.date);
  touch(row);
}
// Makes the completed occurrence of a repeating task: a copy before it. Returns null if the rule has ended.
function repeat(row, date, how) {
  const old = { ...row };
  if (!advance(row, toDate(date))) return null;
  const place = parentOf(row),
    name = isRoot(row) ? "task" : taskList(place);
  const done = copyTask(row, place, name, list(place, name).indexOf(row.i), `${row.id}.${old[".past"] ?? 0}`);
  write(row, ".past", (old[".past"] ?? 0) + 1);
  for (const key of ["due date", "defer date", "planned date"])
    if ((old[key] ?? null) !== term(done, key)) write(done, key, old[key] ?? null, wire.date);
  write(done, how, date, wire.date);
  for (const each of flatten(subtasks(row), subtasks)) if (!isRemaining(each)) reopenRow(each);
  touch(row);
  return done;
}
function reopenRow(row) {
  write(row, "completion date", null, wire.date);
  write(row, "dropped date", null, wire.date);
  touch(row);
}
function reopen(row) {
  if (isRoot(row)) setStatus(parentOf(row), "active status");
  else reopenRow(row);
}
function give(row, all, date) {
  if (isRoot(row)) return setStatus(parentOf(row), "dropped status", date);
  if (!all && readRule(row) !== null && isRemaining(row) && repeat(row, date, "dropped date")) return undefined;
  write(row, "completion date", null, wire.date);
  write(row, "dropped date", date, wire.date);
  endWithChildren(parentOf(row), date);
  return touch(row);
}

// Copies a task with everything in it.
const COPIED = [
  "name",
  "note",
  "flagged",
  "sequential",
  "completed by children",
  "should use floating time zone",
  "estimated minutes",
  ".schedule",
  ".anchor",
  ".catch up",
];
const COPIED_DATES = ["due date", "defer date", "planned date", "completion date", "dropped date"];
function copyTask(row, of, name, at, key) {
  const now = nowSeconds();
  const values = COPIED.filter((each) => row[each] !== undefined).map((each) => [each, row[each]]);
  const dates = COPIED_DATES.filter((each) => term(row, each) !== null).map((each) => [each, row[each], wire.date]);
  const rule = term(row, "repetition rule") === null ? [] : [["repetition rule", row["repetition rule"], wire.record]];
  const made = insert(of, name, undefined, at, [
    ["id", key ?? freshKey()],
    ...values,
    ...dates,
    ...rule,
    ["creation date", now, wire.date],
    ["modification date", now, wire.date],
    [".tag", (row[".tag"] ?? []).map((id) => rows.get(id)).filter(Boolean), wire.many],
  ]);
  for (const each of subtasks(row)) copyTask(each, made, "task", undefined, undefined);
  return made;
}

// Parses one task per line, or a single task: name, `!` flagged, `::project`, `@tag`, `//note`.
function parseTransport(text, single) {
  const lines = single ? [text] : text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [head, ...note] = line.split("//");
    const project = /::\s*([^@#!]+)/.exec(head)?.[1].trim();
    const tags = [...head.matchAll(/@\s*([^@#!:]+)/g)].map((match) => match[1].trim());
    const name = head
      .replace(/(::|@|#)[^@#!]*/g, "")
      .replace(/!\s*$/, "")
      .trim();
    const found =
      project === undefined
        ? undefined
        : allProjects().find((row) => rootOf(row).name.toLowerCase().startsWith(project.toLowerCase()));
    const made = new Task(name, found === undefined ? null : wrap(found));
    if (/!/.test(head)) made.flagged = true;
    if (note.length) made.note = note.join("//").trim();
    for (const tag of tags) {
      const known = allTags().find((row) => row.name.toLowerCase() === tag.toLowerCase());
      if (known) made.addTag(wrap(known));
    }
    return made;
  });
}
