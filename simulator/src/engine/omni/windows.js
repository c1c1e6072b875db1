// Windows: what they show, what is selected in them, and what a script makes them show.
// A window's state is in its row: the dictionary's terms, which scripts outside share, and hidden terms.
const unknownView = (what) => fail(`what ${what} shows is not known to the simulated OmniFocus`);

// The rows that a perspective shows: the top level, and the rows below each.
const shownSection = (row) =>
  row.c === "folder"
    ? !folderDropped(row)
    : isLeft(rootOf(row)) && !["done status", "dropped status"].includes(row.status);
const leftBelow = (row) => subtasks(taskHome(row)).filter(isLeft);
const outlineBelow = (row) => (row.c === "folder" ? sections(row).filter(shownSection) : leftBelow(row));
const actions = (test) => allTasks().filter((row) => !isRoot(row) && test(row));
const flat = (top) => ({ top, below: () => [] });
const shownTag = (row) => row.hidden !== true;
const reviewed = (row) => shownSection(row) && (term(row, "next review date") ?? Infinity) < nowSeconds();
const builtInViews = {
  Inbox: () => ({ top: inboxTasks().filter(isLeft), below: leftBelow }),
  Projects: (focus) => ({ top: focus ?? sections(database).filter(shownSection), below: outlineBelow }),
  Flagged: () => flat(actions((row) => effective.flagged(row) && isLeft(row))),
  Tags: () => ({
    top: subtags(database).filter(shownTag),
    below: (row) =>
      row.c === "tag"
        ? [...subtags(row).filter(shownTag), ...ofTag(row).filter((each) => isLeft(each) && !isRoot(each))]
        : [],
  }),
  Review: () => ({ top: allProjects().filter(reviewed), below: outlineBelow }),
};
const builtInSidebars = {
  Inbox: () => flat([]),
  Flagged: () => flat([]),
  Projects: (focus) => ({
    top: focus ?? sections(database).filter(shownSection),
    below: (row) => (row.c === "folder" ? sections(row).filter(shownSection) : []),
  }),
  Tags: () => ({ top: subtags(database).filter(shownTag), below: (row) => subtags(row).filter(shownTag) }),
  Review: () => flat(allProjects().filter(reviewed)),
};

// The rules of custom perspectives. Each function returns the test for a task, or nothing for a value that it does
// not know.
const ruleTests = {
  actionAvailability: (how) =>
    ({
      available: isAvailable,
      remaining: isLeft,
      completed: isDone,
      dropped: isDropped,
      firstAvailable: (row) => isAvailable(row) && (projectOf(row) === null || nextOf(projectOf(row)) === row),
    })[how],
  actionStatus: (how) =>
    ({
      due: (row) => [TaskStatus.Overdue, TaskStatus.DueSoon].includes(statusOf(row)),
      flagged: effective.flagged,
    })[how],
  actionHasDueDate: () => (row) => effective.due(row) !== null,
  actionHasDeferDate: () => (row) => effective.defer(row) !== null,
  actionHasDuration: () => (row) => term(row, "estimated minutes") !== null,
  actionHasNoDuration: () => (row) => term(row, "estimated minutes") === null,
  actionWithinDuration: (most) => (row) => term(row, "estimated minutes") !== null && row["estimated minutes"] <= most,
  actionIsUntagged: () => (row) => (row[".tag"] ?? []).length === 0,
  actionHasAnyOfTags: (keys) => (row) => (row[".tag"] ?? []).some((tag) => keys.includes(rows.get(tag)?.id)),
  actionHasAllOfTags: (keys) => (row) =>
    keys.every((key) => (row[".tag"] ?? []).some((tag) => rows.get(tag)?.id === key)),
  actionHasNoProject: () => (row) => projectOf(row) === null,
  actionIsInInbox: () => (row) => projectOf(row) === null,
  actionIsLeaf: () => (row) => list(row, "task").length === 0,
  actionIsGroup: () => (row) => list(row, "task").length > 0,
};
function together(rules, how) {
  const tests = rules.filter((rule) => rule.disabledRule === undefined).map(testOf);
  if (how === "any") return (row) => tests.some((test) => test(row));
  if (how === "none") return (row) => !tests.some((test) => test(row));
  return (row) => tests.every((test) => test(row));
}
function testOf(rule) {
  if (Array.isArray(rule.aggregateRules)) return together(rule.aggregateRules, rule.aggregateType);
  const tests = Object.entries(rule).map(
    ([name, value]) => ruleTests[name]?.(value) ?? unknownView(`a perspective with the rule ${name}: ${value}`),
  );
  return (row) => tests.every((test) => test(row));
}
function customView(custom) {
  if (custom[".rules"] === undefined) unknownView(`the perspective ${custom.name}, which has no rules,`);
  return flat(actions(together(JSON.parse(custom[".rules"]), term(custom, ".aggregation"))));
}
function viewOf(window, builtIns) {
  const shown = window["perspective name"];
  const custom = children(database, "perspective").find((row) => row.c === "custom perspective" && row.name === shown);
  if (custom) return builtIns === builtInSidebars ? flat([]) : customView(custom);
  const focused = (window.focus ?? []).map((id) => rows.get(id)).filter(Boolean);
  return (builtIns[shown] ?? (() => unknownView(`the perspective ${shown}`)))(focused.length ? focused : null);
}

// The rows that a window remembers, as a set and as a list.
const kept = (window, name) => (window[name] ?? []).map((id) => rows.get(id)).filter(Boolean);
const keep = (window, name, all) => write(window, name, all, wire.many);
function toggle(window, name, row, on) {
  const others = kept(window, name).filter((each) => each !== row);
  keep(window, name, on ? [...others, row] : others);
}
const [SELECTED, COLLAPSED, NOTES] = [".selected", ".collapsed", ".notes open"];

class Tree {
  constructor(token, window, builtIns) {
    if (token !== ROW) throw new TypeError(`${new.target.name} has no constructor`);
    Object.defineProperty(this, ROW, {
      value: { window, view: remembered(() => viewOf(window, builtIns)), nodes: new Map() },
    });
  }
  get rootNode() {
    this[ROW].view();
    return nodeAt(this, null, null, "");
  }
  get selectedNodes() {
    return this.nodesForObjects(kept(this[ROW].window, SELECTED).map(wrap));
  }
  nodeForObject(object) {
    const row = object?.[ROW];
    let found = null;
    this.rootNode.apply((node) => {
      if (node[ROW].row === null || node[ROW].row !== row) return null;
      found = node;
      return ApplyResult.Stop;
    });
    return found;
  }
  nodesForObjects(objects) {
    if (!Array.isArray(objects)) fail(`the objects must be an Array, not ${describe(objects)}`);
    return objects.map((each) => this.nodeForObject(each)).filter((node) => node !== null);
  }
  reveal(nodes) {
    nodeList(nodes).forEach((node) => node.reveal());
  }
  select(nodes, extending) {
    const { window } = this[ROW];
    const added = nodeList(nodes).map((node) => node[ROW].row);
    const before = extending === true ? kept(window, SELECTED) : [];
    keep(
      window,
      SELECTED,
      [...new Set([...before, ...added])].filter((row) => row !== null),
    );
  }
}
class ContentTree extends Tree {}
class SidebarTree extends Tree {}
const nodeList = (nodes) =>
  Array.isArray(nodes) && nodes.every((node) => node instanceof TreeNode)
    ? nodes
    : fail(`the nodes must be an Array of TreeNode, not ${describe(nodes)}`);

// Returns the node of a row below another node, always the same one. An object with several tags has several nodes.
function nodeAt(tree, parent, row, path) {
  const known = tree[ROW].nodes;
  if (!known.has(path)) known.set(path, new TreeNode(ROW, { tree, parent, row, path }));
  return known.get(path);
}
class TreeNode {
  constructor(token, place) {
    if (token !== ROW) throw new TypeError("TreeNode has no constructor");
    Object.defineProperty(this, ROW, { value: place });
  }
  get object() {
    return wrapOrNull(this[ROW].row);
  }
  get parent() {
    return this[ROW].parent;
  }
  get rootNode() {
    return this[ROW].tree.rootNode;
  }
  get isRootNode() {
    return this[ROW].row === null;
  }
  get children() {
    const { tree, row, path } = this[ROW];
    const { top, below } = tree[ROW].view();
    return (row === null ? top : below(row)).map((each) => nodeAt(tree, this, each, `${path}/${each.i}`));
  }
  get childCount() {
    return this.children.length;
  }
  childAtIndex(index) {
    return this.children[index] ?? fail(`there is no child at the index ${String(index)}`);
  }
  get index() {
    return this.isRootNode ? 0 : this.parent.children.indexOf(this);
  }
  get level() {
    return this.isRootNode ? 0 : this.parent.level + 1;
  }
  get isSelectable() {
    return !this.isRootNode;
  }
  get isSelected() {
    return kept(windowOf(this), SELECTED).includes(this[ROW].row);
  }
  set isSelected(value) {
    toggle(windowOf(this), SELECTED, this[ROW].row, truthOf(value, "isSelected"));
  }
  get isExpanded() {
    return !kept(windowOf(this), COLLAPSED).includes(this[ROW].row);
  }
  get isNoteExpanded() {
    return kept(windowOf(this), NOTES).includes(this[ROW].row);
  }
  get isRevealed() {
    return this.isRootNode || (this.parent.isExpanded && this.parent.isRevealed);
  }
  get canExpand() {
    return this.childCount > 0 && !this.isExpanded;
  }
  get canCollapse() {
    return this.childCount > 0 && this.isExpanded && !this.isRootNode;
  }
  expand(completely) {
    onNodes(this, completely, COLLAPSED, false);
  }
  collapse(completely) {
    onNodes(this, completely, COLLAPSED, true);
  }
  expandNote(completely) {
    onNodes(this, completely, NOTES, true);
  }
  collapseNote(completely) {
    onNodes(this, completely, NOTES, false);
  }
  reveal() {
    for (let up = this.parent; up && !up.isRootNode; up = up.parent) up.expand();
  }
  apply(f) {
    return walk([this], f, (node) => node.children);
  }
}
const windowOf = (node) => node[ROW].tree[ROW].window;
function onNodes(node, completely, name, on) {
  if (!node.isRootNode) toggle(windowOf(node), name, node[ROW].row, on);
  if (completely === true) node.children.forEach((child) => onNodes(child, true, name, on));
}

class Selection {
  constructor(token, window) {
    if (token !== ROW) throw new TypeError("Selection has no constructor");
    Object.defineProperty(this, ROW, { value: window });
  }
  get window() {
    return wrap(this[ROW]);
  }
  get document() {
    return openDocument;
  }
  get allObjects() {
    return this.databaseObjects;
  }
  get databaseObjects() {
    return kept(this[ROW], SELECTED).map(wrap);
  }
}
for (const [name, Type, test] of [
  ["tasks", TaskArray, isTask],
  ["projects", ProjectArray, only("project")],
  ["folders", FolderArray, only("folder")],
  ["tags", TagArray, only("tag")],
])
  Object.defineProperty(Selection.prototype, name, {
    get() {
      return collect(Type, kept(this[ROW], SELECTED).filter(test));
    },
  });

// A day of the forecast, the days before today, a month, or everything more than a year away.
const ForecastKind = enumeration("ForecastDay.Kind", ["Day", "DistantFuture", "FutureMonth", "Past", "Today"]);
const ForecastStatus = enumeration("ForecastDay.Status", ["Available", "DueSoon", "NoneAvailable", "Overdue"]);
const DAYS_SHOWN = 31;
class ForecastDay {
  constructor(token, range) {
    if (token !== ROW) throw new TypeError("ForecastDay has no constructor");
    Object.defineProperty(this, ROW, { value: range });
  }
  get date() {
    return new SystemDate(this[ROW].date);
  }
  get kind() {
    return this[ROW].kind;
  }
  get name() {
    return this[ROW].name;
  }
  get badgeCount() {
    return dueWithin(this[ROW]).filter(isAvailable).length;
  }
  get deferredCount() {
    return within(this[ROW], "defer date").length;
  }
  badgeKind() {
    const found = dueWithin(this[ROW]).filter(isAvailable).map(statusOf);
    if (found.includes(TaskStatus.Overdue)) return ForecastStatus.Overdue;
    if (found.includes(TaskStatus.DueSoon)) return ForecastStatus.DueSoon;
    return found.length ? ForecastStatus.Available : ForecastStatus.NoneAvailable;
  }
}
Object.defineProperty(ForecastDay, "Kind", { value: ForecastKind });
Object.defineProperty(ForecastDay, "Status", { value: ForecastStatus });
const within = ({ from, to }, name) =>
  allTasks().filter((row) => isLeft(row) && term(row, name) !== null && row[name] >= from && row[name] < to);
const dueWithin = (range) => within(range, "due date");
function forecastRange(date) {
  const today = new SystemDate(clock()),
    day = (add) => new SystemDate(today.getFullYear(), today.getMonth(), today.getDate() + add),
    year = new SystemDate(today.getFullYear() + 1, today.getMonth(), today.getDate());
  const range = (kind, name, first, end) => ({
    kind: ForecastKind[kind],
    name,
    date: first ?? day(-1),
    from: first ? toSeconds(first) : -Infinity,
    to: end ? toSeconds(end) : Infinity,
  });
  if (date < day(0)) return range("Past", "Past", null, day(0));
  if (date < day(1)) return range("Today", "Today", day(0), day(1));
  if (date < day(DAYS_SHOWN)) {
    const first = calendar.startOfDay(date);
    const next = new SystemDate(first.getFullYear(), first.getMonth(), first.getDate() + 1);
    return range(
      "Day",
      `${NAMES.days[first.getDay()]}, ${NAMES.months[first.getMonth()]} ${first.getDate()}`,
      first,
      next,
    );
  }
  if (date >= year) return range("DistantFuture", "Distant Future", year, null);
  const month = (add) => new SystemDate(date.getFullYear(), date.getMonth() + add, 1);
  return range("FutureMonth", NAMES.months[date.getMonth()], month(0), month(1));
}

class Window {
  constructor() {
    throw new TypeError(`${new.target.name} has no constructor`);
  }
  close() {
    erase(this[ROW]);
  }
}
class DocumentWindow extends Window {
  get perspective() {
    const shown = this[ROW]["perspective name"];
    return BuiltIn.all.find((each) => each.name === shown) ?? Custom.byName(shown);
  }
  set perspective(value) {
    if (!(value instanceof BuiltIn || value instanceof Custom))
      fail(`the perspective must be a Perspective.BuiltIn or a Perspective.Custom, not ${describe(value)}`);
    if (value === BuiltIn.Search) fail("the perspective Search cannot be set");
    if (this.perspective === value) return;
    write(this[ROW], "perspective name", value.name);
    keep(this[ROW], SELECTED, []);
  }
  get focus() {
    const focused = kept(this[ROW], "focus");
    return focused.length ? collect(SectionArray, focused) : null;
  }
  set focus(value) {
    keep(this[ROW], "focus", value === null || value === undefined ? [] : sectionRows(value));
  }
  get selection() {
    return new Selection(ROW, this[ROW]);
  }
  get content() {
    return treeFor(this[ROW], ContentTree, builtInViews);
  }
  get sidebar() {
    return treeFor(this[ROW], SidebarTree, builtInSidebars);
  }
  get isCompact() {
    return false;
  }
  get isTab() {
    return false;
  }
  get tabGroupWindows() {
    return [this];
  }
  selectObjects(objects) {
    if (!Array.isArray(objects)) fail(`the objects must be an Array of DatabaseObject, not ${describe(objects)}`);
    objects.forEach((each) => rowOf(each, DatabaseObject, "the object"));
    this.content.select(this.content.nodesForObjects(objects));
  }
  forecastDayForDate(date) {
    inForecast(this);
    if (!isDate(date) || Number.isNaN(date.getTime())) fail(`the date must be a valid Date, not ${describe(date)}`);
    return new ForecastDay(ROW, forecastRange(date));
  }
  selectForecastDays(days) {
    inForecast(this);
    if (!Array.isArray(days) || !days.every((day) => day instanceof ForecastDay))
      fail(`the days must be an Array of ForecastDay, not ${describe(days)}`);
  }
}
const inForecast = (window) => {
  if (window.perspective !== BuiltIn.Forecast) fail("Forecast is not the current perspective of the window");
};
for (const [name, key] of [
  ["sidebarVisible", ".sidebar"],
  ["inspectorVisible", ".inspector"],
  ["toolbarVisible", ".toolbar"],
])
  Object.defineProperty(DocumentWindow.prototype, name, {
    get() {
      return this[ROW][key] !== false;
    },
    set(value) {
      write(this[ROW], key, truthOf(value, name));
    },
  });
const trees = new Map();
function treeFor(window, Type, builtIns) {
  const known = trees.get(window) ?? trees.set(window, new Map()).get(window);
  return known.get(Type) ?? known.set(Type, new Type(ROW, window, builtIns)).get(Type);
}
classes["document window"] = DocumentWindow;
const windowRows = () => children(database, "document window");
