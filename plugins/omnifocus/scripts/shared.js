// The knowledge about OmniFocus that both scripts use: its values as data, its states as words, and how names lead to
// objects. Each script has it as `shared`. Nothing here writes.
() => {
  "use strict";

  // The error for a name that OmniFocus does not have, or for a value that it refuses. The caller gets it as an answer
  // and not as a crash. It quotes the part of a long text that a reader needs to recognize it.
  function refuse(reason, what, value, near) {
    const told = typeof value === "string" && value.length > 80 ? `${Array.from(value).slice(0, 80).join("")}…` : value;
    throw { refusal: { reason, what, value: told, near: near || [] } };
  }

  // ---- values

  const present = (value) => value !== undefined && value !== null;
  // A text without its case, and with one form for letters that Unicode can write in two ways.
  const folded = (text) => text.normalize().toLowerCase();
  const orNull = (value) => (value === undefined ? null : value);
  const time = (date) => (present(date) ? date.getTime() : null);
  const key = (object) => (present(object) ? object.id.primaryKey : null);
  const title = (object) => (present(object) ? object.name : null);

  // An enumeration value as text is "[object Task.Status: Blocked]".
  function word(value) {
    if (!present(value)) return null;
    const shown = String(value),
      found = /: *([^\]]+)\]$/.exec(shown);
    return found ? found[1] : shown;
  }

  function chain(object) {
    const names = [];
    for (let at = object; present(at); at = at.parent) names.unshift(at.name);
    return names;
  }
  const path = (object) => (present(object) ? chain(object).join(" : ") : null);

  function repetition(item) {
    const rule = item.repetitionRule;
    if (!present(rule)) return null;
    return {
      ruleString: rule.ruleString,
      scheduleType: word(rule.scheduleType),
      anchorDateKey: word(rule.anchorDateKey),
      catchUpAutomatically: orNull(rule.catchUpAutomatically),
    };
  }

  // ---- states

  const isRoot = (task) => present(task.project);

  // The state that a task has itself. If it is open, it counts as completed or dropped if something above it is.
  const ownTaskState = (task) => (task.completed ? "completed" : present(task.dropDate) ? "dropped" : "active");
  function taskState(task) {
    const own = ownTaskState(task),
      status = task.taskStatus;
    if (own !== "active") return own;
    return status === Task.Status.Dropped ? "dropped" : status === Task.Status.Completed ? "completed" : "active";
  }

  // A dropped folder also drops everything in it, at any depth.
  function inDropped(folder) {
    for (let at = folder; present(at); at = at.parent) if (at.status !== Folder.Status.Active) return true;
    return false;
  }
  const folderState = (folder) => (inDropped(folder) ? "dropped" : "active");

  const stateIn = (states, status) => (states.find(([known]) => known === status) || [null, word(status)])[1];
  const projectStates = [
    [Project.Status.Active, "active"],
    [Project.Status.OnHold, "on_hold"],
    [Project.Status.Done, "completed"],
    [Project.Status.Dropped, "dropped"],
  ];
  // A project's own state, and its effective one.
  const ownState = (project) => stateIn(projectStates, project.status);
  const projectState = (project) =>
    project.status !== Project.Status.Done && inDropped(project.parentFolder) ? "dropped" : ownState(project);
  const isLive = (project) => {
    const state = projectState(project);
    return state === "active" || state === "on_hold";
  };
  const tagStates = [
    [Tag.Status.Active, "active"],
    [Tag.Status.OnHold, "on_hold"],
    [Tag.Status.Dropped, "dropped"],
  ];
  const tagState = (tag) => stateIn(tagStates, tag.status);

  // ---- what can be done now

  // A tag also counts as dropped or on hold if a tag above it is.
  function tagCounts(tag) {
    let found = "active";
    for (let at = tag; present(at) && found !== "dropped"; at = at.parent) {
      const state = tagState(at);
      if (state !== "active") found = state;
    }
    return found;
  }
  function isHeld(tag) {
    for (let at = tag; present(at); at = at.parent) if (at.status === Tag.Status.OnHold) return true;
    return false;
  }
  // Whether an earlier item of a sequence is still open, at any level. The order of a list of single actions means
  // nothing.
  function waits(task) {
    let branch = task;
    for (let up = task.parent; present(up); branch = up, up = up.parent) {
      if (!up.sequential || (isRoot(up) && up.project.containsSingletonActions)) continue;
      for (const each of up.children) {
        if (key(each) === key(branch)) break;
        if (taskState(each) === "active") return true;
      }
    }
    return false;
  }
  const isHindered = (task, now) =>
    time(task.effectiveDeferDate) > now ||
    task.tags.some(isHeld) ||
    task.children.some((child) => taskState(child) === "active") ||
    waits(task);
  // Whether a task is blocked, and whether it can be done at `now`. OmniFocus reports Overdue and DueSoon before
  // Blocked, so these two say nothing about what hinders a task.
  const dueStatuses = [Task.Status.Overdue, Task.Status.DueSoon];
  function isBlocked(task, now) {
    const status = task.taskStatus;
    return dueStatuses.includes(status) ? isHindered(task, now) : status === Task.Status.Blocked;
  }
  function isAvailable(task, now) {
    const status = task.taskStatus;
    if (dueStatuses.includes(status)) return !isHindered(task, now);
    return status === Task.Status.Available || status === Task.Status.Next;
  }

  // ---- repetition

  // The next occurrence: the date that the rule moves, under its name. It is counted from that date, or from now if the
  // rule waits for completion; the time of the day stays. A rule that catches up skips dates in the past. Null if the
  // rule has ended, or if OmniFocus does not tell.
  const MOVED = { DueDate: "dueDate", DeferDate: "deferDate", PlannedDate: "plannedDate" };
  function nextOccurrence(item, now) {
    const rule = item.repetitionRule;
    if (!present(rule)) return null;
    const wanted = MOVED[word(rule.anchorDateKey)] || "dueDate",
      name = [wanted, "dueDate", "deferDate"].find((name) => present(item[name])) || wanted;
    const anchor = item[name],
      waits = word(rule.scheduleType) === "FromCompletion" || !present(anchor);
    try {
      let next = rule.firstDateAfterDate(waits ? atTimeOf(anchor, now) : anchor);
      for (let tries = 0; !waits && rule.catchUpAutomatically && next && time(next) <= now && tries < 1000; tries += 1)
        next = rule.firstDateAfterDate(next);
      return present(next) ? { [name]: time(next) } : null;
    } catch (error) {
      return null;
    }
  }
  // Today at the time of the day that a date has.
  function atTimeOf(anchor, now) {
    const from = new Date(now);
    if (present(anchor)) from.setHours(anchor.getHours(), anchor.getMinutes(), anchor.getSeconds(), 0);
    return from;
  }

  // ---- names

  // A tag by its name, or by its path if other tags have that name too. The caller computes `names` once, so that many
  // tags cost no more.
  function tagNames() {
    const seen = new Set(),
      several = new Set();
    for (const each of flattenedTags) (seen.has(each.name) ? several : seen).add(each.name);
    return (tag) => (several.has(tag.name) ? path(tag) : tag.name);
  }

  // Existing names with a spelling like that of a missing one.
  function near(name, all) {
    const wanted = folded(name);
    const close = (other) => {
      const lower = folded(other);
      return lower.includes(wanted) || (lower.length > 2 && wanted.includes(lower)) || edits(wanted, lower) <= 2;
    };
    return Array.from(new Set(Array.from(all, title).filter(close))).slice(0, 5);
  }

  function edits(left, right) {
    if (Math.abs(left.length - right.length) > 2) return 3;
    let row = Array.from({ length: right.length + 1 }, (_, index) => index);
    for (let i = 1; i <= left.length; i += 1) {
      const next = [i];
      for (let j = 1; j <= right.length; j += 1) {
        const replaced = row[j - 1] + (left[i - 1] === right[j - 1] ? 0 : 1);
        next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
      }
      row = next;
    }
    return row[right.length];
  }

  // A project is found by its own id and by the id of its root task.
  function projectById(id) {
    const project = Project.byIdentifier(id);
    if (present(project)) return project;
    const root = Task.byIdentifier(id);
    return present(root) && isRoot(root) ? root.project : null;
  }

  // The projects that a text means: the one with this id, otherwise the active ones with exactly this name, otherwise
  // all with this name. A name in another case counts if no project has exactly this one.
  function projectsNamed(name) {
    const known = projectById(name);
    if (known !== null) return { live: [known], all: [known] };
    const exact = flattenedProjects.filter((project) => project.name === name),
      lower = folded(name);
    const all = exact.length > 0 ? exact : flattenedProjects.filter((project) => folded(project.name) === lower);
    if (all.length === 0) refuse("not_found", "project", name, near(name, flattenedProjects));
    return { live: all.filter(isLive), all };
  }

  const segments = (text, marks) => text.split(marks).map((segment) => segment.trim());

  // The tags that a text means: the one with this id, otherwise those with the exact path if it has a mark of one,
  // otherwise those with the exact name, otherwise those with either in any case. A name alone is not the path of a tag
  // at the top, because other tags may share it.
  function tagsNamed(name) {
    const known = Tag.byIdentifier(name);
    if (present(known)) return [known];
    const wanted = segments(name, /\s:\s/).join(" : ");
    const isPath = wanted.includes(" : ");
    const fits = [
      (tag) => isPath && path(tag) === wanted,
      (tag) => tag.name === name,
      (tag) => isPath && folded(path(tag)) === folded(wanted),
      (tag) => folded(tag.name) === folded(name),
    ];
    for (const fit of fits) {
      const found = flattenedTags.filter(fit);
      if (found.length > 0) return found;
    }
    return [];
  }

  // ---- values that a person can change

  const alerts = (item) =>
    Array.from(item.notifications, (alert) =>
      word(alert.kind) === "DueRelative"
        ? { minutes: alert.relativeFireOffset / 60 }
        : { at: time(alert.initialFireDate) },
    );
  const common = (item, tagName = tagNames()) => ({
    name: item.name,
    note: item.note,
    flagged: item.flagged,
    dueDate: time(item.dueDate),
    deferDate: time(item.deferDate),
    plannedDate: time(item.plannedDate),
    completionDate: time(item.completionDate),
    dropDate: time(item.dropDate),
    estimatedMinutes: orNull(item.estimatedMinutes),
    sequential: item.sequential,
    tags: Array.from(item.tags, tagName),
    notifications: alerts(item),
    repetitionRule: repetition(item),
  });

  // Two 32-bit hashes: they show that a text has changed, and need not resist an attacker.
  function hash(text) {
    let low = 0x811c9dc5,
      high = 0x9747b28c;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x5bd1e995);
      high ^= high >>> 15;
    }
    return [low, high].map((half) => (half >>> 0).toString(36)).join("-");
  }
  // What a person can change about an object. It has the ids of other objects and not their names, and nothing that
  // changes with time.
  const hung = (item) => ({
    ...common(item, key),
    id: key(item),
    completedByChildren: orNull(item.completedByChildren),
    attachments: Array.from(item.attachments || [], (file) => orNull(file.preferredFilename || file.filename)),
    linkedFiles: Array.from(item.linkedFileURLs || [], (url) => url.string),
  });
  const contents = {
    task: (task) => [hung(task), key(task.parent), key(task.containingProject)],
    project: (project) => [
      hung(project),
      ownState(project),
      key(project.parentFolder),
      orNull(project.containsSingletonActions),
      present(project.reviewInterval) ? [project.reviewInterval.steps, String(project.reviewInterval.unit)] : null,
    ],
    folder: (folder) => [key(folder), folder.name, folder.status === Folder.Status.Active, key(folder.parent)],
    tag: (tag) => [
      key(tag),
      tag.name,
      tagState(tag),
      key(tag.parent),
      orNull(tag.childrenAreMutuallyExclusive),
      orNull(tag.allowsNextAction),
      Array.from(tag.tasks, key).sort(),
    ],
  };
  // A hash of an object and of everything below it. An object that is to be deleted must still have the hash that it
  // had when it was told.
  function digest(kind, item) {
    const all = [contents[kind](item)];
    const add = (of, items) => all.push(...Array.from(items, contents[of]));
    const addTasks = (above) =>
      add(
        "task",
        above.flattenedTasks.filter((task) => !isRoot(task)),
      );
    if (kind === "tag") add("tag", item.flattenedTags);
    else if (kind === "folder") {
      add("folder", item.flattenedFolders);
      add("project", item.flattenedProjects);
      item.flattenedProjects.forEach(addTasks);
    } else addTasks(item);
    return hash(JSON.stringify(all));
  }

  return {
    refuse,
    present,
    folded,
    orNull,
    time,
    key,
    title,
    word,
    chain,
    path,
    repetition,
    alerts,
    common,
    hash,
    digest,
    isRoot,
    taskState,
    ownTaskState,
    folderState,
    projectStates,
    ownState,
    projectState,
    isLive,
    tagStates,
    tagState,
    tagCounts,
    isBlocked,
    isAvailable,
    nextOccurrence,
    tagNames,
    near,
    projectById,
    projectsNamed,
    segments,
    tagsNamed,
  };
}
