// What all objects of the database share.
class ObjectIdentifier {
  constructor(token, row) {
    if (token !== ROW) throw new TypeError("ObjectIdentifier has no constructor");
    Object.defineProperty(this, ROW, { value: row });
  }
  get primaryKey() {
    return keyOf(this[ROW]);
  }
  get objectClass() {
    return null;
  }
  toString() {
    return `[object ObjectIdentifier: ${wrap(this[ROW]).constructor.name} ${keyOf(this[ROW])}]`;
  }
}
class DatabaseObject {
  get id() {
    return new ObjectIdentifier(ROW, this[ROW]);
  }
  get url() {
    return URL.fromString(`omnifocus:///${this.constructor.name.toLowerCase()}/${keyOf(this[ROW])}`, null);
  }
  toString() {
    return `[object ${this.constructor.name}${this[ROW].name === undefined ? "" : `: ${this.name}`}]`;
  }
}
class DatedObject extends DatabaseObject {
  get added() {
    return toDate(term(this[ROW], "creation date"));
  }
  set added(value) {
    write(this[ROW], "creation date", dateOrNull(value, "added"), wire.date);
  }
  get modified() {
    return toDate(term(this[ROW], "modification date"));
  }
  set modified(value) {
    write(this[ROW], "modification date", dateOrNull(value, "modified"), wire.date);
  }
}
class ActiveObject extends DatedObject {}

// To a script, the values of the app's objects look like own properties: only functions are on the prototypes. They
// are kept on an object between the two, which no script can reach.
const between = new Map();
function values(type) {
  if (!between.has(type)) between.set(type, Object.create(type.prototype));
  return between.get(type);
}

// Returns the object for a row, always the same one.
const classes = {};
function wrap(row) {
  if (row.o === undefined) {
    const made = Object.create(values(classes[row.c]));
    Object.defineProperty(made, ROW, { value: row });
    Object.defineProperty(row, "o", { value: made });
  }
  return row.o;
}
const wrapOrNull = (row) => (row === null || row === undefined ? null : wrap(row));
const rowOf = (value, type, what) => {
  if (!(value instanceof type)) fail(`${what} must be a ${type.name}, not ${describe(value)}`);
  if (!rows.has(value[ROW].i)) fail(`${what} is a ${type.name} that was deleted`);
  return value[ROW];
};
const rowsOf = (values, type, what) => {
  if (!Array.isArray(values)) fail(`${what} must be an Array of ${type.name}, not ${describe(values)}`);
  return values.map((value) => rowOf(value, type, what));
};
const textOf = (value, what) =>
  typeof value === "string" ? value : fail(`${what} must be a String, not ${describe(value)}`);
const truthOf = (value, what) =>
  typeof value === "boolean" ? value : fail(`${what} must be a Boolean, not ${describe(value)}`);
const byIdentifier = (c) => (key) => wrapOrNull(keyed(c, textOf(key, "the identifier")));

// Defines a property that is stored under a term. `home` returns the row that stores it.
function property(type, name, key, check, { home = (row) => row, read = (value) => value, how, after } = {}) {
  Object.defineProperty(values(type), name, {
    configurable: true,
    enumerable: true,
    get() {
      return read(term(home(this[ROW]), key));
    },
    set(value) {
      const row = home(this[ROW]);
      write(row, key, check(value, `${type.name}.${name}`), how);
      touch(row);
      after?.(this[ROW], value);
    },
  });
}
function reading(type, members) {
  for (const [name, get] of Object.entries(members)) {
    Object.defineProperty(values(type), name, {
      configurable: true,
      enumerable: true,
      get() {
        return get(this[ROW], this);
      },
    });
  }
}
const dated = { read: toDate, how: wire.date };
const minutes = (value, what) =>
  value === null || value === undefined
    ? null
    : typeof value === "number" && Number.isFinite(value)
      ? Math.round(value)
      : fail(`${what} must be a Number or null, not ${describe(value)}`);

// Properties that tasks and projects share. A project stores them in its root task.
function taskLike(type, home) {
  const at = (more) => ({ home, ...more });
  property(type, "name", "name", textOf, at());
  property(type, "note", "note", textOf, at({ read: (value) => value ?? "" }));
  const unstyled = () => fail("styled notes are not part of the simulated OmniFocus");
  property(type, "noteText", "note", unstyled, at({ read: unstyled }));
  property(type, "flagged", "flagged", truthOf, at({ read: Boolean }));
  property(type, "sequential", "sequential", truthOf, at({ read: Boolean }));
  property(type, "completedByChildren", "completed by children", truthOf, at({ read: Boolean }));
  property(type, "shouldUseFloatingTimeZone", "should use floating time zone", truthOf, at({ read: Boolean }));
  property(type, "dueDate", "due date", dateOrNull, at(dated));
  property(type, "deferDate", "defer date", dateOrNull, at(dated));
  if (native.planned) property(type, "plannedDate", "planned date", dateOrNull, at(dated));
  property(type, "estimatedMinutes", "estimated minutes", minutes, at());
  Object.defineProperty(values(type), "repetitionRule", {
    configurable: true,
    enumerable: true,
    get() {
      return readRule(home(this[ROW]));
    },
    set(rule) {
      writeRule(home(this[ROW]), rule);
      touch(home(this[ROW]));
    },
  });
  reading(type, {
    tags: (row) => collect(TagArray, (home(row)[".tag"] ?? []).map((id) => rows.get(id)).filter(Boolean)),
    tasks: (row) => collect(TaskArray, subtasks(home(row))),
    children: (row) => collect(TaskArray, subtasks(home(row))),
    flattenedTasks: (row) => collect(TaskArray, flatten(subtasks(home(row)), subtasks)),
    flattenedChildren: (row) => collect(TaskArray, flatten(subtasks(home(row)), subtasks)),
    hasChildren: (row) => list(home(row), "task").length > 0,
    taskStatus: (row) => statusOf(home(row)),
    effectiveDueDate: (row) => toDate(effective.due(home(row))),
    effectiveDeferDate: (row) => toDate(effective.defer(home(row))),
    effectiveCompletedDate: (row) => toDate(effective.completed(home(row))),
    effectiveDropDate: (row) => toDate(effective.dropped(home(row))),
    effectiveFlagged: (row) => effective.flagged(home(row)),
    beginning: (row) => placed(TaskLocation, "beginning", home(row)),
    ending: (row) => placed(TaskLocation, "ending", home(row)),
  });
  if (native.planned) reading(type, { effectivePlannedDate: (row) => toDate(effective.planned(home(row))) });
  Object.assign(type.prototype, {
    taskNamed(name) {
      return wrapOrNull(subtasks(home(this[ROW])).find((row) => row.name === textOf(name, "the name")));
    },
    appendStringToNote(text) {
      this.note += textOf(text, "the text");
    },
    addTag(tag) {
      mark(home(this[ROW]), [rowOf(tag, Tag, "the tag")]);
    },
    addTags(tags) {
      mark(home(this[ROW]), rowsOf(tags, Tag, "the tags"));
    },
    removeTag(tag) {
      unmark(home(this[ROW]), [rowOf(tag, Tag, "the tag")]);
    },
    removeTags(tags) {
      unmark(home(this[ROW]), rowsOf(tags, Tag, "the tags"));
    },
    clearTags() {
      setTags(home(this[ROW]), []);
    },
  });
}
function setTags(row, tags) {
  write(row, ".tag", tags, wire.many);
  touch(row);
}
// Tags that exclude each other within a group replace each other.
function mark(row, tags) {
  let kept = (row[".tag"] ?? []).map((id) => rows.get(id)).filter(Boolean);
  for (const tag of tags) {
    const group = parentOf(tag);
    if (group?.[".exclusive"] === true) kept = kept.filter((each) => each === tag || parentOf(each) !== group);
    if (!kept.includes(tag)) kept.push(tag);
  }
  setTags(row, kept);
}
function unmark(row, tags) {
  setTags(
    row,
    (row[".tag"] ?? []).map((id) => rows.get(id)).filter((each) => each && !tags.includes(each)),
  );
}
