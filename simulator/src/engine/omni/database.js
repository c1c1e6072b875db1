// The database, which is the global scope of scripts.
const matching = (all, search) => {
  const words = textOf(search, "the search").toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((row) =>
    words.every((word) => (row.c === "project" ? rootOf(row) : row).name.toLowerCase().includes(word)),
  );
};
const byTitle = (all, name) =>
  wrapOrNull(all.find((row) => (row.c === "project" ? rootOf(row) : row).name === textOf(name, "the name")));

function treeOf(Type, items, kind, tree, below) {
  const made = collect(Type, items);
  const hide = (name, value) => Object.defineProperty(made, name, { value });
  hide("beginning", placed(kind, "beginning", database));
  hide("ending", placed(kind, "ending", database));
  hide("apply", (f) => walk(tree, f, below));
  return made;
}
class Inbox extends TaskArray {}
class Library extends SectionArray {}
class Tags extends TagArray {}
const library = {
  get ending() {
    return placed(FolderLocation, "ending", database);
  },
};
const tags = {
  get ending() {
    return placed(TagLocation, "ending", database);
  },
};

const lists = {
  inbox: () => treeOf(Inbox, inboxTasks(), TaskLocation, inboxTasks().map(wrap), (task) => task.children),
  library: () =>
    treeOf(Library, sections(database), FolderLocation, sections(database).map(wrap), (each) =>
      each instanceof Folder ? each.children : [],
    ),
  tags: () => treeOf(Tags, subtags(database), TagLocation, subtags(database).map(wrap), (tag) => tag.children),
  folders: () => collect(FolderArray, sections(database).filter(only("folder"))),
  projects: () => collect(ProjectArray, sections(database).filter(only("project"))),
  flattenedTasks: () => collect(TaskArray, allTasks()),
  flattenedProjects: () => collect(ProjectArray, allProjects()),
  flattenedFolders: () => collect(FolderArray, allFolders()),
  flattenedSections: () => collect(SectionArray, allSections()),
  flattenedTags: () => collect(TagArray, allTags()),
};

const operations = {
  tagNamed: (name) => byTitle(allTags(), name),
  folderNamed: (name) => byTitle(allFolders(), name),
  projectNamed: (name) => byTitle(allProjects(), name),
  taskNamed: (name) => byTitle(allTasks(), name),
  projectsMatching: (search) => matching(allProjects(), search).map(wrap),
  foldersMatching: (search) => matching(allFolders(), search).map(wrap),
  tagsMatching: (search) => matching(allTags(), search).map(wrap),
  save() {},
  cleanUp() {
    for (const row of inboxTasks()) {
      const to = rows.get(term(row, "assigned container"));
      if (!to) continue;
      put(row, wrap(to).ending, kinds.task);
      write(row, "assigned container", null);
    }
  },
  undo() {
    fail("there is nothing to undo");
  },
  redo() {
    fail("there is nothing to redo");
  },
  moveTasks(tasks, position) {
    const place = taskLocation(position),
      all = rowsOf(tasks, Task, "the tasks");
    if (all.some(isRoot)) fail("the root task of a project cannot be moved");
    moveAll(all, place, kinds.task);
  },
  duplicateTasks(tasks, position) {
    const place = taskLocation(position);
    return collect(
      TaskArray,
      rowsOf(tasks, Task, "the tasks").map((row) => {
        const { of, name, at } = resolvePlace(place, kinds.task);
        return copyTask(row, of, name, at, undefined);
      }),
    );
  },
  convertTasksToProjects(tasks, position) {
    const place = sectionLocation(position);
    return rowsOf(tasks, Task, "the tasks").map((row) => wrap(convert(row, resolvePlace(place, kinds.section))));
  },
  moveSections(all, position) {
    moveAll(sectionRows(all), sectionLocation(position), kinds.section);
  },
  duplicateSections(all, position) {
    const place = sectionLocation(position);
    return collect(
      SectionArray,
      sectionRows(all).map((row) => copySection(row, resolvePlace(place, kinds.section))),
    );
  },
  moveTags(all, position) {
    if (position === null || position === undefined)
      fail("the position must be a Tag or a Tag.ChildInsertionLocation, not null");
    moveAll(rowsOf(all, Tag, "the tags"), tagLocation(position), kinds.tag);
  },
  duplicateTags(all, position) {
    const place = tagLocation(position);
    return collect(
      TagArray,
      rowsOf(all, Tag, "the tags").map((row) => copyTag(row, resolvePlace(place, kinds.tag))),
    );
  },
  deleteObject(object) {
    const row = rowOf(object, DatabaseObject, "the object");
    erase(isTask(row) && isRoot(row) ? parentOf(row) : row);
  },
  objectForURL(url) {
    const [, kind, key] = /^omnifocus:\/\/\/(task|project|tag|folder)\/(.+)$/.exec(String(url)) ?? [];
    return kind === undefined
      ? null
      : { task: Task, project: Project, tag: Tag, folder: Folder }[kind].byIdentifier(key);
  },
};
function sectionRows(all) {
  if (!Array.isArray(all)) fail(`the sections must be an Array, not ${describe(all)}`);
  return all.map((each) =>
    each instanceof Folder ? rowOf(each, Folder, "the section") : rowOf(each, Project, "the section"),
  );
}
// Moves several objects and keeps their order.
function moveAll(all, place, kind) {
  const ordered = ["beginning", "after"].includes(place[ROW].edge)
    ? (all.toReversed?.() ?? all.slice().reverse())
    : all;
  const { edge, row: beside } = place[ROW];
  const isOwn = (row) => row === beside && (edge === "before" || edge === "after");
  for (const row of ordered) if (!isOwn(row)) put(row, place, kind);
}
function convert(row, place) {
  const made = newProject(place, row.name),
    root = rootOf(made);
  for (const name of COPIED) if (row[name] !== undefined && name !== "name") write(root, name, row[name]);
  for (const name of COPIED_DATES.slice(0, 3)) if (term(row, name) !== null) write(root, name, row[name], wire.date);
  setTags(root, (row[".tag"] ?? []).map((id) => rows.get(id)).filter(Boolean));
  for (const each of subtasks(row)) relocate(each, root, "task", undefined);
  erase(row);
  return made;
}
function copySection(row, place) {
  if (row.c === "project") return copyProject(row, place, undefined);
  const now = nowSeconds();
  const made = insert(place.of, "section", "folder", place.at, [
    ["id", freshKey()],
    ["name", row.name],
    ["note", row.note ?? ""],
    ["hidden", row.hidden === true],
    ["creation date", now, wire.date],
    ["modification date", now, wire.date],
  ]);
  for (const each of sections(row)) copySection(each, { of: made, at: undefined });
  return made;
}

const TAG_TERMS = ["name", "note", "hidden", "allows next action", ".exclusive"];
function copyTag(row, place) {
  const now = nowSeconds();
  const made = insert(place.of, "tag", undefined, place.at, [
    ["id", freshKey()],
    ...TAG_TERMS.filter((each) => row[each] !== undefined).map((each) => [each, row[each]]),
    [".creation date", now, wire.date],
    [".modification date", now, wire.date],
  ]);
  for (const each of subtags(row)) copyTag(each, { of: made, at: undefined });
  return made;
}

// The key under which the app stores which tag the forecast shows; an empty value means none.
const FORECAST_TAG = "_ForecastBlessedTagIdentifier";
class Settings {
  get keys() {
    return Object.keys(DEFAULTS);
  }
  objectForKey(key) {
    const set = JSON.parse(term(database, ".settings") ?? "{}")[key];
    return (
      set ??
      children(database, "setting").find((row) => row.id === key)?.value ??
      (key === FORECAST_TAG ? rows.get(database[".forecast tag"])?.id : undefined) ??
      DEFAULTS[key] ??
      null
    );
  }
  setObjectForKey(value, key) {
    const others = JSON.parse(term(database, ".settings") ?? "{}");
    delete others[key];
    write(
      database,
      ".settings",
      JSON.stringify(value === null || value === undefined ? others : { ...others, [key]: value }),
    );
  }
  setBoolForKey(value, key) {
    this.setObjectForKey(truthOf(value, "the value"), key);
  }
  setIntegerForKey(value, key) {
    this.setObjectForKey(
      Number.isInteger(value) ? value : fail(`the value must be a whole Number, not ${describe(value)}`),
      key,
    );
  }
  defaultObjectForKey(key) {
    return DEFAULTS[key] ?? null;
  }
  hasNonDefaultObjectForKey(key) {
    return this.objectForKey(key) !== this.defaultObjectForKey(key);
  }
  boolForKey(key) {
    return Boolean(this.objectForKey(key));
  }
  integerForKey(key) {
    return Math.trunc(Number(this.objectForKey(key)) || 0);
  }
}
const DEFAULTS = {
  DefaultDueTime: "17:00",
  DefaultStartTime: "00:00",
  DueSoonInterval: SOON,
  OFMCompleteWhenLastItemComplete: false,
  [FORECAST_TAG]: "",
};
class Database {}
Object.assign(Database.prototype, operations);
class DatabaseDocument {
  get name() {
    return "OmniFocus";
  }
  get fileType() {
    return "com.omnigroup.omnifocus4.database";
  }
  get canUndo() {
    return false;
  }
  get canRedo() {
    return false;
  }
  get windows() {
    return windowRows().map(wrap);
  }
  save() {}
  undo() {
    operations.undo();
  }
  redo() {
    operations.redo();
  }
  sync() {
    return Promise.resolve(true);
  }
}
