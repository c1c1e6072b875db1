// Folders, tags, perspectives.
class Folder extends ActiveObject {
  constructor(name, position) {
    super();
    const place = resolvePlace(sectionLocation(position), kinds.section),
      now = nowSeconds();
    return wrap(
      insert(place.of, "section", "folder", place.at, [
        ["id", freshKey()],
        ["name", textOf(name, "the name")],
        ["note", ""],
        ["hidden", false],
        ["creation date", now, wire.date],
        ["modification date", now, wire.date],
      ]),
    );
  }
  get status() {
    return this[ROW].hidden === true ? FolderStatus.Dropped : FolderStatus.Active;
  }
  set status(value) {
    if (!(value instanceof FolderStatus)) fail(`Folder.status must be a Folder.Status, not ${describe(value)}`);
    this.active = value === FolderStatus.Active;
  }
  get active() {
    return this[ROW].hidden !== true;
  }
  set active(value) {
    write(this[ROW], "hidden", !truthOf(value, "Folder.active"));
    touch(this[ROW]);
  }
  apply(f) {
    return walk([this], f, (each) => (each instanceof Folder ? each.children : []));
  }
  folderNamed(name) {
    return this.folders.byName(textOf(name, "the name"));
  }
  projectNamed(name) {
    return this.projects.byName(textOf(name, "the name"));
  }
  sectionNamed(name) {
    return this.sections.byName(textOf(name, "the name"));
  }
  childNamed(name) {
    return this.sectionNamed(name);
  }
}
Folder.byIdentifier = byIdentifier("folder");
classes.folder = Folder;
property(Folder, "name", "name", textOf);
const only = (c) => (row) => row.c === c;
reading(Folder, {
  parent: (row) => (parentOf(row).c === "folder" ? wrap(parentOf(row)) : null),
  effectiveActive: (row) => !folderDropped(row),
  children: (row) => collect(SectionArray, sections(row)),
  sections: (row) => collect(SectionArray, sections(row)),
  folders: (row) => collect(FolderArray, sections(row).filter(only("folder"))),
  projects: (row) => collect(ProjectArray, sections(row).filter(only("project"))),
  flattenedChildren: (row) => collect(SectionArray, flatten(sections(row), sections)),
  flattenedSections: (row) => collect(SectionArray, flatten(sections(row), sections)),
  flattenedFolders: (row) => collect(FolderArray, flatten(sections(row), sections).filter(only("folder"))),
  flattenedProjects: (row) => collect(ProjectArray, flatten(sections(row), sections).filter(only("project"))),
  beginning: (row) => placed(FolderLocation, "beginning", row),
  ending: (row) => placed(FolderLocation, "ending", row),
  before: (row) => placed(FolderLocation, "before", row),
  after: (row) => placed(FolderLocation, "after", row),
});
Object.assign(Folder, { ChildInsertionLocation: FolderLocation });
Object.defineProperty(Folder, "Status", { value: FolderStatus });

class Tag extends ActiveObject {
  constructor(name, position) {
    super();
    const place = resolvePlace(tagLocation(position), kinds.tag),
      now = nowSeconds();
    return wrap(
      insert(place.of, "tag", undefined, place.at, [
        ["id", freshKey()],
        ["name", textOf(name, "the name")],
        ["note", ""],
        ["hidden", false],
        ["allows next action", true],
        [".exclusive", false],
        [".creation date", now, wire.date],
        [".modification date", now, wire.date],
      ]),
    );
  }
  get status() {
    if (this[ROW].hidden === true) return TagStatus.Dropped;
    return this[ROW]["allows next action"] === false ? TagStatus.OnHold : TagStatus.Active;
  }
  set status(value) {
    if (!(value instanceof TagStatus)) fail(`Tag.status must be a Tag.Status, not ${describe(value)}`);
    write(this[ROW], "hidden", value === TagStatus.Dropped);
    write(this[ROW], "allows next action", value !== TagStatus.OnHold);
  }
  get active() {
    return this[ROW].hidden !== true;
  }
  set active(value) {
    write(this[ROW], "hidden", !truthOf(value, "Tag.active"));
  }
  get added() {
    return toDate(term(this[ROW], ".creation date"));
  }
  get modified() {
    return toDate(term(this[ROW], ".modification date"));
  }
  apply(f) {
    return walk([this], f, (tag) => tag.children);
  }
  tagNamed(name) {
    return this.tags.byName(textOf(name, "the name"));
  }
  childNamed(name) {
    return this.tagNamed(name);
  }
  static get forecastTag() {
    return wrapOrNull(keyed("tag", settings.objectForKey(FORECAST_TAG)));
  }
}
Tag.byIdentifier = byIdentifier("tag");
classes.tag = Tag;
const plainly = (type, name, key, check, options = {}) =>
  Object.defineProperty(values(type), name, {
    configurable: true,
    enumerable: true,
    get() {
      return (options.read ?? ((value) => value))(term(this[ROW], key));
    },
    set(value) {
      write(this[ROW], key, check(value, `${type.name}.${name}`));
    },
  });
plainly(Tag, "name", "name", textOf);
plainly(Tag, "allowsNextAction", "allows next action", truthOf, { read: (value) => value !== false });
if (native.planned) plainly(Tag, "childrenAreMutuallyExclusive", ".exclusive", truthOf, { read: Boolean });
const ofTag = (row) => tagged().get(row.i) ?? [];
reading(Tag, {
  parent: (row) => (parentOf(row).c === "tag" ? wrap(parentOf(row)) : null),
  effectiveActive: (row) => {
    for (let up = row; up?.c === "tag"; up = parentOf(up)) if (up.hidden === true) return false;
    return true;
  },
  children: (row) => collect(TagArray, subtags(row)),
  tags: (row) => collect(TagArray, subtags(row)),
  flattenedChildren: (row) => collect(TagArray, flatten(subtags(row), subtags)),
  flattenedTags: (row) => collect(TagArray, flatten(subtags(row), subtags)),
  tasks: (row) => collect(TaskArray, ofTag(row)),
  availableTasks: (row) => collect(TaskArray, ofTag(row).filter(isAvailable)),
  remainingTasks: (row) => collect(TaskArray, ofTag(row).filter(isLeft)),
  projects: (row) => collect(ProjectArray, ofTag(row).filter(isRoot).map(parentOf)),
  beginning: (row) => placed(TagLocation, "beginning", row),
  ending: (row) => placed(TagLocation, "ending", row),
  before: (row) => placed(TagLocation, "before", row),
  after: (row) => placed(TagLocation, "after", row),
});
Object.assign(Tag, { ChildInsertionLocation: TagLocation });
Object.defineProperty(Tag, "Status", { value: TagStatus });
function tagLocation(position) {
  if (position === null || position === undefined) return tags.ending;
  if (position instanceof TagLocation) return position;
  if (position instanceof Tag) return position.ending;
  return fail(`the position must be a Tag or a Tag.ChildInsertionLocation, not ${describe(position)}`);
}

// Perspectives: the built-in ones and the user's.
const BuiltIn = enumeration(
  "Perspective.BuiltIn",
  ["Flagged", "Forecast", "Inbox", "Nearby", "Projects", "Review", "Search", "Tags"],
  {
    Flagged: "Flagged",
    Forecast: "Forecast",
    Inbox: "Inbox",
    Nearby: "Nearby",
    Projects: "Projects",
    Review: "Review",
    Search: "Search",
    Tags: "Tags",
  },
);
class Custom extends DatedObject {
  get identifier() {
    return this[ROW].id;
  }
  get archivedFilterRules() {
    if (this[ROW][".rules"] === undefined) fail("The perspective has no filter rules.");
    return JSON.parse(this[ROW][".rules"]);
  }
  set archivedFilterRules(value) {
    write(this[ROW], ".rules", JSON.stringify(value));
  }
  get archivedTopLevelFilterAggregation() {
    return term(this[ROW], ".aggregation");
  }
  set archivedTopLevelFilterAggregation(value) {
    write(this[ROW], ".aggregation", value === null ? null : textOf(value, "the aggregation"));
  }
  static get all() {
    return children(database, "perspective").filter(only("custom perspective")).map(wrap);
  }
  static byName(name) {
    return Custom.all.find((each) => each.name === name) ?? null;
  }
  static byIdentifier(key) {
    return Custom.all.find((each) => each.identifier === key) ?? null;
  }
}
Object.defineProperty(Custom, "name", { value: "Perspective.Custom" });
classes["custom perspective"] = Custom;
plainly(Custom, "name", "name", textOf);
const Perspective = {
  BuiltIn,
  Custom,
  get all() {
    return [...BuiltIn.all, ...Custom.all];
  },
  get favorites() {
    return [];
  },
};
