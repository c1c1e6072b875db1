// Interprets one program inside OmniFocus and returns its results. A program is data: `{stop, atomic, more,
// ordered: false for an undo, steps}`.
// The script resolves all steps before it applies the first, and reads the changed values back from OmniFocus. No part
// of the program becomes source text. Times are milliseconds since 1970. A program that is too long comes in several
// runs; `before` is the result of the previous one.
//
// The package has this file twice. If `mayChange` is false, it only resolves the steps and reports what each would
// touch. If it is true, `acts` are the acts that the host has allowed, and the script does nothing else.
//
//   step       {do: "create", kind: "task", temp, name, at: place, set}
//              {do: "create", kind: "project" or "folder", temp, name, at: place, set}
//              {do: "update", kind, id: reference, set}
//              {do: "complete", kind, id: reference, when, once: without a next occurrence}
//              {do: "skip", kind, id: reference}
//              {do: "duplicate", kind, id: reference, to: place or null, name or null, alone: without what is below it}
//              {do: "convert", kind: "task", id: reference, to: place}
//              {do: "delete", kind, id: reference}
//              {do: "tag", action, name, to, under, status, exclusive}
//              and in each `seen`: the report that the user saw; the object must still match it
//   reference  {id} or {temp}
//   place      of a task: {inbox: true, last: true or none}, {project: name, id or {temp}}, {task: reference},
//              {top: true} or {after or before: {id}};
//              of a folder or project: {folder: path, name or id}, {} or {after or before: {id}}
//   set        {name, note, append, cut: the end that the note loses, flagged, sequential, single, due, defer,
//              planned, estimate, move, tags, alerts, rule, status, dropped: the time of a drop, or none for now,
//              review, reviewed, nextReview}
//   alerts     {replace, add}, each a list of {at} or {minutes} from the due date
//
// The answer to a change has `undo`: the steps that reverse it, last first, each with the present report about its
// object (`was`). The report of a step that deletes has a hash of the object and of everything below it. It also has
// `left`: `{at, why}` for each step that cannot be undone, or not in full.
(program, before, acts) => {
  "use strict";

  const {
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
    isRoot,
    taskState,
    projectState,
    ownState,
    tagState,
    projectById,
    segments,
    alerts,
    common,
    hash,
    digest,
  } = shared;
  const date = (time) => (time === null ? null : new Date(time));
  const earlier = before || {};

  // ---- reading the model

  const show = {
    task: (task) => {
      const parent = present(task.parent) && !isRoot(task.parent) ? task.parent : null;
      return Object.assign({ id: key(task), status: taskState(task) }, common(task), {
        project: title(task.containingProject),
        projectId: key(task.containingProject),
        parentTaskId: key(parent),
        inInbox: task.inInbox,
      });
    },
    project: (project) => {
      const interval = project.reviewInterval;
      return Object.assign({ id: key(project), status: projectState(project) }, common(project), {
        folder: path(project.parentFolder),
        singleActions: project.containsSingletonActions,
        lastReviewDate: time(project.lastReviewDate),
        nextReviewDate: time(project.nextReviewDate),
        reviewInterval: present(interval)
          ? { unit: String(interval.unit).replace(/s$/, ""), steps: interval.steps }
          : null,
      });
    },
    folder: (folder) => ({
      id: key(folder),
      name: folder.name,
      status: folder.status === Folder.Status.Active ? "active" : "dropped",
      path: path(folder),
      parentId: key(folder.parent),
    }),
    tag: (tag) => ({
      id: key(tag),
      name: tag.name,
      path: path(tag),
      parentId: key(tag.parent),
      status: tagState(tag),
      exclusive: orNull(tag.childrenAreMutuallyExclusive),
    }),
  };

  // ---- finding

  // The object that the batch made for a temporary id, in this run or in an earlier one.
  const made = new Map();

  function findTask(id) {
    const task = Task.byIdentifier(id);
    if (!present(task)) {
      if (present(Project.byIdentifier(id))) refuse("no_id", "task", id, ["project"]);
      const named = flattenedTasks.filter((each) => each.name === id && !isRoot(each)),
        open = named.filter((each) => taskState(each) === "active");
      const shown = (each) => `${key(each)} (in ${title(each.containingProject) || "the inbox"})`;
      refuse(
        named.length > 0 ? "by_name" : "no_id",
        "task",
        id,
        (open.length > 0 ? open : named).slice(0, 5).map(shown),
      );
    }
    if (isRoot(task)) refuse("no_id", "task", id, ["root"]);
    return task;
  }
  for (const [temp, id] of Object.entries(earlier.made || {})) {
    const item = projectById(id) || Task.byIdentifier(id);
    if (present(item)) made.set(temp, item);
  }
  // By id, otherwise by the name of an active project.
  function projectNamed(name) {
    const known = projectById(name);
    if (known !== null) return known;
    if (present(Task.byIdentifier(name))) refuse("no_id", "project", name, ["task"]);
    return findProject(name);
  }
  // Finds an object again by its id; null if it is gone.
  const again = {
    task: (id) => Task.byIdentifier(id),
    project: projectById,
    folder: (id) => Folder.byIdentifier(id),
    tag: (id) => Tag.byIdentifier(id),
  };
  const finders = {
    task: findTask,
    project: projectNamed,
    folder: (name) => findFolder(name),
    tag: (id) => Tag.byIdentifier(id) || refuse("not_found", "tag", id),
  };

  // By id, otherwise by the exact name of an active project. A name that several projects have is refused.
  function findProject(name) {
    const { live, all } = shared.projectsNamed(name);
    if (live.length === 1) return live[0];
    const shown = (project) =>
      `${key(project)} (${projectState(project)}, ${path(project.parentFolder) || "no folder"})`;
    return live.length > 1
      ? refuse("ambiguous", "project", name, live.map(shown))
      : refuse("not_live", "project", name, all.map(shown));
  }
  // By id, by its path from the top, or by its own name if only one folder has it.
  function findFolder(name) {
    const known = Folder.byIdentifier(name);
    if (present(known)) return known;
    const exact = flattenedFolders.filter((folder) => folder.name === name || path(folder) === name);
    const wanted = folded(segments(name, /\s:\s|\//).join("\n"));
    const found =
      exact.length > 0
        ? exact
        : flattenedFolders.filter(
            (folder) => folded(chain(folder).join("\n")) === wanted || folded(folder.name) === folded(name),
          );
    if (found.length === 1) return found[0];
    if (found.length > 1)
      refuse(
        "ambiguous",
        "folder",
        name,
        found.map((folder) => `${key(folder)} (${path(folder)})`),
      );
    return refuse("not_found", "folder", name, shared.near(name, flattenedFolders));
  }
  // Tags that are not dropped come before dropped ones. If several are left, the name is refused.
  function lookTag(name) {
    const found = shared.tagsNamed(name),
      live = found.filter((tag) => tag.status !== Tag.Status.Dropped),
      left = live.length > 0 ? live : found;
    if (left.length > 1)
      refuse(
        "ambiguous",
        "tag",
        name,
        left.map((tag) => `${key(tag)} (${path(tag)})`),
      );
    return left.length === 1 ? left[0] : null;
  }
  const findTag = (name) => lookTag(name) || refuse("not_found", "tag", name, shared.near(name, flattenedTags));
  // The levels of a path: the name of each as it is or as it would be made, and whether it is there.
  function levels(name) {
    let all = tags,
      at = "";
    return segments(name, /\s:\s/).map((segment) => {
      const tag = all === null ? undefined : levelOf(all, segment);
      all = present(tag) ? tag.children : null;
      const made = `${at === "" ? "" : `${at} : `}${present(tag) ? tag.name : segment}`;
      at = promised.find((path) => folded(path) === folded(made)) || made;
      return { path: at, isThere: present(tag) };
    });
  }
  const levelOf = (all, name) =>
    Array.from(all).find((tag) => tag.name === name) ||
    Array.from(all).find((tag) => folded(tag.name) === folded(name));
  // The tags that the steps so far make, and those that one more step makes: each level of a path is a tag.
  const promised = [];
  function newTags(change) {
    const known = promised.length,
      isNamed = (name) => promised.some((path) => folded(path.split(" : ").pop()) === folded(name));
    for (const name of (change.replace || []).concat(change.add || [])) {
      if (lookTag(name) !== null || isNamed(name)) continue;
      for (const { path, isThere } of levels(name)) if (!isThere && !promised.includes(path)) promised.push(path);
    }
    return promised.slice(known);
  }
  // A text with commas means several tags if all of its parts are tags.
  function listed({ split, ...change }) {
    const parts = (name) => {
      if (lookTag(name) !== null) return [name];
      const all = segments(name, ","),
        missing = all.filter((part) => part === "" || lookTag(part) === null);
      return missing.length > 0 ? refuse("list", "tag", name, missing) : all;
    };
    for (const how of split || []) change[how] = change[how].flatMap(parts);
    return change;
  }
  // The tags of a change as OmniFocus writes them; a question shows 24 characters of each.
  const stored = (name) => (lookTag(name) === null ? levels(name).pop().path : path(lookTag(name)));
  const toldTags = ({ tags: change }) =>
    change === undefined
      ? {}
      : { tags: Object.fromEntries(Object.entries(change).map(([how, all]) => [how, all.map(shown)])) };
  const begun = (name) => Array.from(name).slice(0, 25).join("");
  const shown = (name) => begun(stored(name));

  // Finds a tag or makes it; a path is made level by level.
  function needTag(name, created) {
    const known = lookTag(name);
    if (known !== null) return known;
    let above = null;
    for (const segment of segments(name, /\s:\s/)) {
      let tag = levelOf(above === null ? tags : above.children, segment);
      if (!present(tag)) {
        tag = new Tag(segment, above === null ? tags.ending : above);
        created.push(path(tag));
        keep("tag", tag);
      }
      above = tag;
    }
    return above;
  }

  // The object of a reference: it exists now, or after the step that makes it.
  function referred(kind, reference) {
    if (reference.temp === undefined) {
      const found = finders[kind](reference.id);
      return () => found;
    }
    return () => made.get(reference.temp) || refuse("not_made", kind, reference.temp);
  }
  // A new item goes last. A moved item goes first, or last if it goes below a task.
  function taskPlace(place, side) {
    const edge = place.last ? "ending" : side;
    if (place.inbox) return () => inbox[edge];
    if (place.project !== undefined) {
      const project = place.project.temp === undefined ? findProject(place.project) : null;
      return () => (project === null ? referred("project", place.project)() : project)[edge];
    }
    for (const side of ["after", "before"]) {
      if (place[side] === undefined) continue;
      const beside = findTask(place[side].id);
      return () => beside[side];
    }
    if (place.task !== undefined) {
      const parent = referred("task", place.task);
      return () => parent().ending;
    }
    return null;
  }
  // Several items that a program moves to one place keep their order: each goes after the one before it, if that is
  // still there. An undo has exact places.
  const latest = new Map(earlier.latest);
  const holds = (item) => key(item.parent || item.parentFolder);
  function mover(kind, move, place) {
    const [relocate, find] =
      kind === "task" ? [moveTasks, again.task] : [moveSections, (id) => projectById(id) || Folder.byIdentifier(id)];
    const where = JSON.stringify(move),
      inOrder = program.ordered && !move.top && !move.last && move.before === undefined;
    return (item) => {
      const [id, above] = latest.get(where) || [],
        last = inOrder && id !== undefined ? find(id) : null;
      relocate([item], present(last) && holds(last) === above ? last.after : place());
      latest.set(where, [key(item), holds(item)]);
    };
  }
  // Whether an item is already in the place to which a step moves it; what is deeper in a project is in it too.
  function isThere(kind, item, move) {
    if (!program.ordered || move === undefined || present(move.after) || present(move.before)) return false;
    if (kind !== "task") return key(holderOf(kind, item)) === key(folderAt(move));
    const holder = up(item);
    if (holder === null && placed.has(key(item)) && present(item.parent)) return false;
    const project = projectAbove(holder);
    if (move.inbox) return project === null;
    if (typeof move.project === "string") return key(findProject(move.project)) === key(project);
    if (move.top) return !present(holder) || isRoot(holder);
    return present(move.task) && present(holder) && key(holder) === move.task.id;
  }
  const section = (id) => projectById(id) || Folder.byIdentifier(id) || refuse("no_id", "project or folder", id);
  function folderPlace(place, edge) {
    for (const side of ["after", "before"]) {
      if (place[side] === undefined) continue;
      const beside = section(place[side].id);
      return () => beside[side];
    }
    if (place.folder === undefined) return () => library[edge];
    const folder = findFolder(place.folder);
    return () => folder[edge];
  }
  const placeIn = (kind, place, edge) => (kind === "task" ? taskPlace : folderPlace)(place, edge);
  // The existing task in or beside which a place is; new items may be between.
  function taskAt(place) {
    if (!present(place)) return null;
    if (present(place.task) && place.task.temp !== undefined)
      return taskAt((program.steps.find((step) => step.do === "create" && step.temp === place.task.temp) || {}).at);
    const beside = place.task || place.after || place.before;
    return present(beside) ? findTask(beside.id) : null;
  }
  // Nothing can go into itself.
  function refuseCycle(kind, item, place) {
    if (item === null || !present(place) || kind === "project") return;
    const above = kind === "task" ? taskAt(place) : folderAt(place);
    for (let at = above; present(at); at = holderOf(kind, at))
      if (key(at) === key(item)) refuse("cycle", kind, key(above));
  }

  // ---- applying

  // The new objects, newest last.
  const undoable = [];
  const keep = (kind, item) => undoable.push({ kind, item, id: key(item), name: item.name });

  function setScalars(item, set) {
    if (set.name !== undefined) item.name = set.name;
    if (set.note !== undefined) item.note = set.note;
    // An assignment would remove the styles of the existing text.
    if (set.append !== undefined) item.appendStringToNote(item.note === "" ? set.append : `\n${set.append}`);
    if (set.flagged !== undefined) item.flagged = set.flagged;
    if (set.sequential !== undefined) item.sequential = set.sequential;
    if (set.single !== undefined) item.containsSingletonActions = set.single;
    if (set.due !== undefined) item.dueDate = date(set.due);
    if (set.defer !== undefined) item.deferDate = date(set.defer);
    if (set.planned !== undefined) {
      if (item.plannedDate === undefined) refuse("too_old", "plannedDate", "4.7");
      item.plannedDate = date(set.planned);
    }
    if (set.estimate !== undefined) item.estimatedMinutes = set.estimate;
  }

  // Removes the end of a note. Only its styled text keeps the styles of the rest.
  function cutNote(kind, item, end, row) {
    if (end === "") return; // `slice` would remove the whole note
    if (!item.note.endsWith(end)) refuse("altered", kind, item.name);
    const kept = item.note.slice(0, -end.length);
    try {
      const text = item.noteText,
        { Anchored, Backwards, Literal } = Text.FindOption;
      text.remove(text.find(end, [Anchored, Backwards, Literal], null));
      if (item.note !== kept) item.noteText = text;
    } catch (error) {
      // Then the note is assigned.
    }
    if (item.note === kept) return;
    item.note = kept;
    row.warnings.push("note: its end was removed, and any styles of the rest with it");
  }

  // The tags that a change has removed and that nobody named.
  function tellGone(had, kept, row) {
    const gone = had.filter((tag) => !kept.includes(key(tag)));
    if (gone.length > 0)
      row.warnings.push(`tags: ${gone.map(path).join(", ")} left, because the tags of a group exclude each other`);
  }
  function setTags(item, change, row) {
    const created = [],
      had = change.replace === undefined ? Array.from(item.tags) : [];
    if (change.replace !== undefined) {
      const wanted = change.replace.map((name) => needTag(name, created));
      item.clearTags();
      for (const tag of wanted) item.addTag(tag);
    }
    for (const name of change.add || []) item.addTag(needTag(name, created));
    for (const name of change.remove || []) {
      const tag = lookTag(name);
      if (tag === null) row.warnings.push(`tags: no tag "${name}" to remove`);
      else item.removeTag(tag);
    }
    tellGone(had, Array.from(item.tags, key).concat((change.remove || []).map((name) => key(lookTag(name)))), row);
    if (created.length > 0) row.createdTags = created;
  }

  function setAlerts(item, change) {
    if (change.replace !== undefined)
      for (const alert of Array.from(item.notifications)) item.removeNotification(alert);
    for (const { at, minutes } of (change.replace || []).concat(change.add || []))
      item.addNotification(at === undefined ? minutes * 60 : date(at));
  }

  // OmniFocus may leave out the repetition and the notifications of what it copies or converts. They are set then.
  const hangs = (item) => ({ name: item.name, rule: ruleBack(item.repetitionRule), alerts: alerts(item) });
  const withBelow = (item) => [item].concat(tasksOf(item));
  function carry(item, { name, rule, alerts: held }, row) {
    if (item.name !== name) return;
    if (rule !== null && !present(item.repetitionRule)) {
      attempt(row, "repetitionRule", () => {
        item.repetitionRule = ruleOf(rule);
      });
      if (!present(item.repetitionRule)) row.warnings.push("repetitionRule: OmniFocus did not take it over");
    }
    const there = alerts(item).map(plain),
      add = held.filter((alert) => !there.includes(plain(alert)));
    attempt(row, "notifications", () => setAlerts(item, { add }));
    const lost = held.length - alerts(item).length;
    if (lost > 0) row.warnings.push(`notifications: OmniFocus did not take over ${lost} of them`);
  }

  function ruleOf(rule) {
    if (rule === null) return null;
    const schedules = Task.RepetitionScheduleType,
      anchors = Task.AnchorDateKey;
    if (schedules === undefined || anchors === undefined)
      return new Task.RepetitionRule(rule.rule, Task.RepetitionMethod[rule.method]);
    return new Task.RepetitionRule(rule.rule, null, schedules[rule.schedule], anchors[rule.anchor], rule.catchUp);
  }

  const anchors = [
    ["due", "DueDate"],
    ["defer", "DeferDate"],
    ["planned", "PlannedDate"],
  ];
  // A rule without an anchor moves a date that the item has then: the due date, or else the defer or planned date.
  function anchorRule({ kind, id, set }) {
    if (!present(set.rule) || present(set.rule.anchor)) return;
    const item = id.temp === undefined ? finders[kind](id.id) : made.get(id.temp);
    const has = (name) => present(set[name] === undefined ? present(item) && backs[name](item) : set[name]);
    const found = anchors.find(([name]) => has(name));
    set.rule.anchor = found === undefined ? "DueDate" : found[1];
  }

  // Completes an item as the app's own button does: a repeating item continues, and the finished occurrence is another
  // object.
  function finish(kind, item, when, row) {
    const repeats = present(item.repetitionRule);
    const done = when === null ? item.markComplete() : item.markComplete(date(when));
    const finished = kind === "project" ? (present(done) && present(done.project) ? done.project : item) : done || item;
    if (repeats && key(finished) !== key(item)) row.next = show[kind](item);
    return finished;
  }
  // Completes an item without its next occurrence.
  function finishOnce(item, when) {
    const rule = item.repetitionRule;
    item.repetitionRule = null;
    try {
      item.markComplete(date(when));
    } finally {
      item.repetitionRule = rule;
    }
    return item;
  }
  function setStatus(kind, item, { status, dropped }, row) {
    if (status === "completed") return finish(kind, item, null, row);
    if (kind === "folder") {
      item.status = status === "dropped" ? Folder.Status.Dropped : Folder.Status.Active;
    } else if (kind === "project") {
      item.status = shared.projectStates.find(([, word]) => word === status)[0];
      // Omni documents no way to drop a project as of an earlier day, so this may not be accepted.
      if (dropped !== undefined) {
        attempt(row, "dropDate", () => {
          item.dropDate = date(dropped);
        });
        if (time(item.dropDate) !== dropped) row.warnings.push("dropDate: it is dropped as of now, not as of then");
      }
    } else if (status === "dropped") {
      item.drop(true, dropped === undefined ? new Date() : date(dropped));
    } else {
      item.markIncomplete();
      if (present(item.dropDate)) item.active = true;
    }
    return item;
  }

  // Scripts cannot make a review interval. So this reads the existing one, changes it, and assigns it.
  function setReview(project, set) {
    if (set.review !== undefined) {
      const interval = project.reviewInterval;
      interval.steps = set.review.steps;
      interval.unit = set.review.unit;
      project.reviewInterval = interval;
    }
    if (set.nextReview !== undefined) project.nextReviewDate = date(set.nextReview);
    if (set.reviewed !== undefined) project.lastReviewDate = date(set.reviewed);
    if (set.nextReview === undefined && !set.unreviewed)
      project.nextReviewDate = nextReview(project.lastReviewDate, project.reviewInterval);
  }
  // A review is due for a whole day, so its date is the beginning of one.
  function nextReview(last, interval) {
    const next = after(present(last) ? last : new Date(), interval);
    return new Date(next.getFullYear(), next.getMonth(), next.getDate());
  }
  function after(from, interval) {
    const steps = interval.steps,
      unit = String(interval.unit).replace(/s$/, "");
    const [y, m, d] = [from.getFullYear(), from.getMonth(), from.getDate()];
    const at = (y, m, d) => new Date(y, m, d, from.getHours(), from.getMinutes(), from.getSeconds());
    if (unit === "day") return at(y, m, d + steps);
    if (unit === "week") return at(y, m, d + 7 * steps);
    const months = unit === "year" ? 12 * steps : steps;
    return at(y, m + months, Math.min(d, new Date(y, m + months + 1, 0).getDate()));
  }

  // Runs a part that may fail while the rest succeeds: its failure becomes a warning of the step.
  function attempt(row, label, work) {
    try {
      return work();
    } catch (error) {
      if (label !== "dropDate") row.missed = true;
      row.warnings.push(
        `${label}: ${present(error) && error.refusal ? told(error.refusal) : String((error && error.message) || error)}`,
      );
      return null;
    }
  }
  const told = (refusal) => `${refusal.reason.replace(/_/g, " ")}: ${refusal.what} ${JSON.stringify(refusal.value)}`;

  // A completed item is not completed again, and a dropped one is not dropped again: either would change its date.
  function isAlready(kind, item, status, row) {
    const { already } = alreadyIs(kind, item, status);
    if (already !== undefined) row.warnings.push(`status: it is ${status} already`);
    return already !== undefined;
  }

  function change(kind, item, set, move, row) {
    setScalars(item, set);
    if (set.cut !== undefined) cutNote(kind, item, set.cut, row);
    if (move !== null) attempt(row, "move", () => move(item));
    if (set.tags !== undefined) attempt(row, "tags", () => setTags(item, set.tags, row));
    if (set.alerts !== undefined) attempt(row, "notifications", () => setAlerts(item, set.alerts));
    if (set.rule !== undefined)
      attempt(row, "repetitionRule", () => {
        item.repetitionRule = ruleOf(set.rule);
      });
    if (set.review !== undefined || set.reviewed !== undefined || set.nextReview !== undefined)
      attempt(row, "review", () => setReview(item, set));
    compare(item, set, row);
    if (set.status !== undefined && isAlready(kind, item, set.status, row)) return item;
    const setIt = () => attempt(row, "status", () => setStatus(kind, item, set, row)) || item,
      left = set.status === undefined ? item : endTask(kind, item, row, set.status, setIt);
    const isTold = row.warnings.some((warning) => warning.startsWith("status:"));
    if (set.status !== undefined && !isTold && state[kind](left) !== set.status)
      row.warnings.push(`status: set to "${set.status}", reads back as "${state[kind](left)}"`);
    const opens = set.status === "active" || move !== null || isNew(key(item));
    if (program.ordered && kind === "task" && opens && isEndedAbove(item))
      row.warnings.push(`status: it counts as ${taskState(item)}, because its project or group is`);
    if (program.ordered && kind === "project" && opens && !closes(ownState(item)) && !shared.isLive(item))
      row.warnings.push("status: it counts as dropped, because its folder is");
    return left;
  }

  const isNew = (id) => undoable.some((each) => each.id === id);
  const isClosed = (task) => closes(shared.ownTaskState(task));
  // Whether an open task counts as completed or dropped, because something above it is.
  const isEndedAbove = (item) => !isClosed(item) && taskState(item) !== "active";

  // Compares the values in OmniFocus with those that were written, and reports a value that was not accepted.
  function compare(item, set, row) {
    if (set.append !== undefined && !item.note.endsWith(set.append))
      row.warnings.push("appendNote: the note does not end with it");
    const check = (label, wanted, found) => {
      if (wanted === undefined || wanted === found) return;
      row.missed = true;
      row.warnings.push(`${label}: set to ${JSON.stringify(wanted)}, reads back as ${JSON.stringify(found)}`);
    };
    const pad = (number) => String(number).padStart(2, "0");
    const local = (at) => {
      const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
      return `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
    };
    const second = (time) => (time === undefined || time === null ? time : local(new Date(time)));
    check("name", set.name, item.name);
    check("note", set.note, item.note);
    if (item instanceof Folder) return;
    check("flagged", set.flagged, item.flagged);
    check("estimatedMinutes", set.estimate, orNull(item.estimatedMinutes));
    check("dueDate", second(set.due), second(time(item.dueDate)));
    // Compared with what OmniFocus has: it may store whole seconds.
    const [own, counts] = [time(item.dueDate), time(item.effectiveDueDate)];
    if (set.due !== undefined && counts !== null && (own === null || counts < own)) {
      const earlier = own === null ? "" : " earlier",
        overdue = counts < Date.now() ? ", so it is still overdue" : "";
      row.warnings.push(
        `dueDate: its project or group is due${earlier}, ${local(item.effectiveDueDate)}, and that date counts${overdue}`,
      );
    }
    if (program.ordered) doubt(item, set, row);
    check("deferDate", second(set.defer), second(time(item.deferDate)));
    check("plannedDate", second(set.planned), second(time(item.plannedDate)));
    check("lastReviewDate", second(set.reviewed), second(time(item.lastReviewDate)));
    check("nextReviewDate", second(set.nextReview), second(time(item.nextReviewDate)));
  }

  // Warns about values that OmniFocus takes and that can hardly be meant.
  function doubt(item, set, row) {
    const { dueDate: due, deferDate: defer, repetitionRule: rule } = item;
    if ((present(set.due) || present(set.defer)) && present(due) && present(defer) && defer > due)
      row.warnings.push("deferDate: it is after the due date");
    const last = present(set.rule) && present(rule) ? /UNTIL=(\d{4})(\d\d)(\d\d)/.exec(rule.ruleString) : null;
    if (last !== null && present(due) && new Date(Number(last[1]), last[2] - 1, Number(last[3]) + 1) < due)
      row.warnings.push("repetitionRule: it ends before the due date, so it never repeats");
    // The next occurrence would get the date that the rule moves.
    const anchor = present(rule) ? anchors.find(([, name]) => name === word(rule.anchorDateKey)) : undefined;
    const changes = set.rule !== undefined || anchors.some(([name]) => set[name] === null);
    if (
      changes &&
      anchor !== undefined &&
      backs[anchor[0]](item) === null &&
      anchors.some(([name]) => backs[name](item) !== null)
    )
      row.warnings.push(`repetitionRule: it moves the ${anchor[0]} date, which the item does not have`);
    const past = set.alerts === undefined ? [] : (set.alerts.replace || []).concat(set.alerts.add || []);
    if (
      past.some(({ at, minutes }) =>
        at === undefined ? present(due) && time(due) + minutes * 60000 < Date.now() : at < Date.now(),
      )
    )
      row.warnings.push("notifications: one of them is in the past");
  }

  // ---- what ends with its last task

  // The tasks that earlier steps end, and the task or root task that holds an open one after them: null in the inbox,
  // and in what the program makes. A task that it makes has its temporary id here.
  const ended = new Set(earlier.ended),
    placed = new Map((earlier.placed || []).map(([who, id]) => [who, id && again.task(id)]));
  const up = (task) => (placed.has(key(task)) ? placed.get(key(task)) : task.parent);
  // The groups and the project from the inside out, beginning with one of them.
  function containers(from) {
    const found = [];
    for (let at = from; present(at); at = up(at))
      found.push(isRoot(at) ? { kind: "project", item: at.project } : { kind: "task", item: at });
    return found;
  }
  function holderAt(place, now) {
    if (place === undefined) return now;
    if (place.top) return containers(now).reduce((_, { item }) => orNull(item.task), null);
    if (typeof place.project === "string") return findProject(place.project).task;
    if (present(place.task)) return place.task.id === undefined ? null : findTask(place.task.id);
    const beside = place.after || place.before;
    return present(beside) ? up(findTask(beside.id)) : null;
  }
  const projectAbove = (holder) =>
    containers(holder).reduce((_, { kind, item }) => (kind === "project" ? item : null), null);

  // ---- what an item counts as because of what is above it

  // The states that earlier steps set, by id or temporary id, and the folders into which they move a project or folder.
  const planned = new Map(earlier.planned),
    shelved = new Map(earlier.shelved);
  const own = (kind, item) => planned.get(key(item)) || state[kind](item);
  function holderOf(kind, item) {
    if (kind === "task") return up(item);
    if (shelved.has(key(item))) return shelved.get(key(item)) && again.folder(shelved.get(key(item)));
    return kind === "project" ? item.parentFolder : item.parent;
  }
  function folderAt(place) {
    const beside = place.after || place.before;
    if (present(beside)) return holderOf(Project.byIdentifier(beside.id) ? "project" : "folder", section(beside.id));
    return place.folder === undefined ? null : findFolder(place.folder);
  }
  // The state that an open item inherits below a task, root task or folder.
  function inherited(above) {
    let found = "active";
    for (let at = above; present(at);) {
      const kind = at instanceof Folder ? "folder" : isRoot(at) ? "project" : "task",
        item = kind === "project" ? at.project : at,
        status = own(kind, item);
      if (closes(status)) return status;
      if (status === "on_hold") found = status;
      at = holderOf(kind, item);
    }
    return found;
  }
  function countsAt(kind, place, item) {
    const beside = [place.project, place.task].find((each) => present(each) && each.temp !== undefined);
    if (beside !== undefined) return planned.get(`temp:${beside.temp}`) || "active";
    return inherited(kind === "task" ? holderAt(place, item && up(item)) : folderAt(place));
  }
  // The states that an open item inherits now and at its new place, if they differ.
  function effect(kind, item, place, status) {
    if (item === null || place === undefined || closes(status || own(kind, item))) return {};
    const before = inherited(holderOf(kind, item)),
      becomes = countsAt(kind, place, item);
    return before === becomes ? {} : { before, becomes };
  }
  // The state that an item goes on inheriting, whatever its own state is.
  function still(kind, item, status) {
    const above = status === undefined ? "active" : inherited(holderOf(kind, item));
    return closes(above) || (status === "active" && above !== status) ? { still: above } : {};
  }
  // A new item inherits only the state of its place.
  function effectOfNew(kind, place, status) {
    const becomes = countsAt(kind, place, null);
    return becomes === "active" || closes(status) ? {} : { becomes };
  }
  const effectAct = (kind, becomes) =>
    `${becomes === "dropped" ? "drop" : becomes === "completed" ? "complete" : "edit"} ${kind}`;
  // The items below that a change also ends or holds back, with a hash of the item and all of them.
  function along(kind, item) {
    const goes = within(kind, item);
    return { ...goes, digest: digest(kind, item) };
  }

  const closes = (status) => status === "completed" || status === "dropped";
  const remains = ({ kind, item }) => !closes(state[kind](item));
  // OmniFocus completes a group or a project with `completedByChildren` when nothing open is left in it. These are the
  // ones that would be completed now.
  function endsIn(above) {
    const found = [];
    for (const { kind, item } of above) {
      const here = key(kind === "project" ? item.task : item);
      if (item.completedByChildren !== true || ended.has(here) || !remains({ kind, item })) break;
      const stays = (each) => !isClosed(each) && !ended.has(key(each)) && !placed.has(key(each));
      if (Array.from(item.children).some(stays)) break;
      if (Array.from(placed).some(([who, holder]) => key(holder) === here && !ended.has(who))) break;
      found.push({ kind, id: key(item), name: item.name, ...repeats(item) });
      if (goesOn(ruleBack(item.repetitionRule))) break;
      ended.add(here);
    }
    return found;
  }
  // A repeating task goes on, unless its rule has an end. Dropping ends all of its occurrences.
  const goesOn = (rule, status) => status !== "dropped" && present(rule) && !/COUNT|UNTIL/.test(String(rule.rule));
  // Notes where a step leaves a task, and reports what ends with it; an act of its own for each kind.
  function follow(step, row, place, { status, rule }) {
    if (step.kind !== "task") return;
    const { id, temp } = step.id || step,
      item = (id === undefined ? made.get(temp) : findTask(id)) || null,
      who = item === null ? `temp:${temp}` : key(item);
    if (item !== null && status !== "active" && !placed.has(who) && isClosed(item)) return;
    const holder = holderAt(place, item === null || placed.has(who) ? placed.get(who) : item.parent);
    placed.set(who, holder);
    if (status === "active") ended.delete(who);
    const goal = rule === undefined && item !== null ? ruleBack(item.repetitionRule) : rule;
    if (!closes(status) || goesOn(goal, status)) return;
    ended.add(who);
    const found = endsIn(containers(holder));
    row.ends = found.map(({ id }) => id);
    if (found.length > 0) row.said.alsoCompletes = found;
    for (const each of found)
      if (!row.said.acts.includes(`complete ${each.kind}`)) row.said.acts.push(`complete ${each.kind}`);
  }
  // Ends a task, and reports what OmniFocus completed with it. If that would be more than was shown, nothing ends.
  function endTask(kind, item, row, status, work) {
    if (kind !== "task" || !closes(status) || isClosed(item)) return work();
    ended.clear();
    ended.add(key(item));
    const above = containers(item.parent),
      now = goesOn(ruleBack(item.repetitionRule), status) ? [] : endsIn(above),
      more = now.find(({ id }) => !(row.ends || []).includes(id) && !isNew(id));
    if (more !== undefined) refuse("not_asked", more.kind, `complete ${more.kind}`);
    const open = above.filter(remains).map((each) => ({
      ...each,
      repeats: present(each.item.repetitionRule),
      old: below(each.item),
      was: backOfState(each.kind, each.item),
      due: dates(each.item),
    }));
    const left = work();
    const done = open.filter(
      (each) =>
        state[each.kind](each.item) === "completed" ||
        (each.repeats && JSON.stringify(dates(each.item)) !== JSON.stringify(each.due)),
    );
    if (done.length > 0)
      row.alsoCompleted = done.map((each) => ({ target: each.kind, id: key(each.item), name: each.item.name }));
    row.alsoBack = done.reverse().flatMap((each) => each.was.concat(backBelow(each.old, row)));
    for (const each of done)
      if (each.repeats) row.lacks = (row.lacks || []).concat(`the finished occurrence of “${each.item.name}” remains`);
    return left;
  }

  // ---- the way back

  // The maximum number of steps of the undo for the tasks below one item.
  const MOST_BELOW = 200;
  // The maximum number of tasks of a merge that can be undone.
  const MOST_MERGED = 1000;

  // The places to which an item can be moved back, the exact one first. A later step may delete its neighbors, so its
  // container comes last.
  function placesOf(kind, item) {
    const above = kind === "project" ? item.parentFolder : item.parent;
    const beside = Array.from(present(above) ? above.children : kind === "task" ? inbox : library),
      at = beside.findIndex((each) => key(each) === key(item));
    const neighbors = [
      ["before", beside[at + 1]],
      ["after", beside[at - 1]],
    ];
    const places = neighbors
      .filter(([, each]) => each !== undefined)
      .map(([side, each]) => ({ [side]: { id: key(each) } }));
    return places.concat(edgeOf(kind, above));
  }
  function edgeOf(kind, above) {
    if (kind !== "task") return present(above) ? { folder: key(above) } : {};
    if (!present(above)) return { inbox: true, last: true };
    return isRoot(above) ? { project: key(above.project), last: true } : { task: { id: key(above) } };
  }
  const ruleBack = (rule) =>
    present(rule)
      ? {
          rule: rule.ruleString,
          schedule: word(rule.scheduleType),
          anchor: word(rule.anchorDateKey),
          catchUp: orNull(rule.catchUpAutomatically),
          method: word(rule.method),
        }
      : null;
  // The path of a tag, or its id if another tag has that path too.
  function handle(tag) {
    const found = shared.tagsNamed(path(tag));
    return found.length === 1 && key(found[0]) === key(tag) ? path(tag) : key(tag);
  }
  // The value of a property, in the form in which a step sets it.
  const backs = {
    name: (item) => item.name,
    note: (item) => item.note,
    flagged: (item) => item.flagged,
    sequential: (item) => item.sequential,
    single: (item) => orNull(item.containsSingletonActions),
    due: (item) => time(item.dueDate),
    defer: (item) => time(item.deferDate),
    planned: (item) => time(item.plannedDate),
    estimate: (item) => orNull(item.estimatedMinutes),
    tags: (item) => ({ replace: Array.from(item.tags, handle) }),
    alerts: (item) => ({ replace: alerts(item) }),
    rule: (item) => ruleBack(item.repetitionRule),
  };
  const dates = (item) => ({
    due: backs.due(item),
    defer: backs.defer(item),
    ...(item.plannedDate === undefined ? {} : { planned: backs.planned(item) }),
  });
  const putBack = (kind, item, set, places) =>
    places !== undefined || Object.keys(set).length > 0
      ? [{ do: "update", kind, id: { id: key(item) }, set, places }]
      : [];
  // The steps that restore an item to its present state; made before a step changes it.
  function backOf(kind, item, set) {
    const old = {};
    for (const name of Object.keys(set)) {
      const from = name === "append" || name === "cut" ? "note" : name;
      if (backs[from] !== undefined) old[from] = backs[from](item, kind);
    }
    if (set.review !== undefined || set.reviewed !== undefined || set.nextReview !== undefined)
      Object.assign(old, reviewOf(item));
    const places = set.move === undefined ? undefined : placesOf(kind, item);
    const stays = set.status === undefined || set.status === state[kind](item);
    return putBack(kind, item, old, places).concat(stays ? [] : backOfState(kind, item));
  }
  // The way back of a note. An appended text is taken off again, because an assignment of the old note would remove its
  // styles.
  function noteBack({ note, ...old }, now, set) {
    // The change had no effect, so there is nothing to take back.
    if (now === note) return old;
    if (set.append !== undefined && note !== "" && now.startsWith(note)) return { ...old, cut: now.slice(note.length) };
    if (set.cut !== undefined && now !== "" && note.startsWith(`${now}\n`))
      return { ...old, append: note.slice(now.length + 1) };
    return { note, ...old };
  }
  // The values of an undo without those that the item has anyway. The dates of a review follow from each other, so they
  // stay together.
  function differing(item, old) {
    const isSame = (name) =>
      (backs[name] !== undefined && plain(backs[name](item)) === plain(old[name])) ||
      (REVIEW.includes(name) && plain(reviewOf(item)) === plain({ ...reviewOf(item), ...pick(old, REVIEW) }));
    return pick(
      old,
      Object.keys(old).filter((name) => !isSame(name)),
    );
  }
  const REVIEW = ["review", "reviewed", "nextReview", "unreviewed"];
  const pick = (from, names) => Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
  // The review of a project. OmniFocus does not take off the date of the next one, so an undo leaves a first date.
  function reviewOf(item) {
    const interval = item.reviewInterval,
      next = time(item.nextReviewDate);
    return {
      review: { steps: interval.steps, unit: String(interval.unit) },
      reviewed: time(item.lastReviewDate),
      ...(next === null ? { unreviewed: true } : { nextReview: next }),
    };
  }
  // Brings a step of the undo into a form that can be applied now, with the report about its object. A place that a
  // later step removed is replaced by the next best one. Null if its object is gone.
  function settled({ places, ...step }) {
    const forms = (places || []).map((move) => ({ ...step, set: { ...step.set, move } }));
    if (places === undefined || Object.keys(step.set).length > 0) forms.push(step);
    for (const form of forms) {
      const row = { warnings: [] };
      try {
        doers[form.do](form, row);
        return { step: form, said: row.said, lacksPlace: places !== undefined && form.set.move === undefined };
      } catch (error) {
        continue;
      }
    }
    return null;
  }
  // The step that completes an item again. An occurrence that is over does not go on a second time.
  const doneBack = (kind, item, when) => ({
    do: "complete",
    kind,
    id: { id: key(item) },
    when,
    ...(present(item.repetitionRule) ? { once: true } : {}),
  });
  // Completing or dropping a repeating item moves its dates, so undo restores the dates too.
  function backOfState(kind, item) {
    const was = state[kind](item),
      id = { id: key(item) };
    const steps =
      kind !== "folder" && !closes(was) && present(item.repetitionRule) ? putBack(kind, item, dates(item)) : [];
    if (was === "completed") return steps.concat(doneBack(kind, item, time(item.completionDate)));
    const dropped = was === "dropped" && kind !== "folder" ? { dropped: time(item.dropDate) } : {};
    return steps.concat({ do: "update", kind, id, set: { status: was, ...dropped } });
  }

  // The tasks below a repeating item, with the values that the next occurrence begins without.
  const below = (item) =>
    present(item.repetitionRule)
      ? Array.from(item.flattenedTasks)
          .filter((task) => !isRoot(task))
          .map((task) => ({
            id: key(task),
            done: time(task.completionDate),
            dropped: time(task.dropDate),
            dates: dates(task),
          }))
      : [];
  // The steps that restore those tasks where their values differ now.
  function backBelow(remembered, row) {
    const steps = [];
    let lost = 0;
    for (const { id, done, dropped, dates: old } of remembered) {
      const task = Task.byIdentifier(id);
      if (!present(task) || steps.length >= MOST_BELOW) {
        lost += 1;
        continue;
      }
      const now = dates(task);
      const moved = Object.entries(old).filter(([name, value]) => now[name] !== value);
      steps.push(...putBack("task", task, Object.fromEntries(moved)));
      if (time(task.completionDate) === done && time(task.dropDate) === dropped) continue;
      if (done !== null) steps.push(doneBack("task", task, done));
      else
        steps.push(...putBack("task", task, dropped === null ? { status: "active" } : { status: "dropped", dropped }));
    }
    if (lost > 0) row.lacks = (row.lacks || []).concat(`the states of ${lost} of the tasks below it are lost`);
    return steps;
  }

  const makers = {
    task: (name, place) => new Task(name, place),
    project: (name, place) => new Project(name, place),
    folder: (name, place) => new Folder(name, place),
  };

  // ---- what a step would touch, for the question to the human

  const HEAD = 60;
  // A note as the question shows it, with a hash of all of it.
  const excerpt = (text) => {
    const letters = Array.from(text);
    return { length: letters.length, head: letters.slice(0, HEAD).join(""), hash: hash(text) };
  };
  const state = {
    task: shared.ownTaskState,
    project: ownState,
    folder: (folder) => (folder.status === Folder.Status.Active ? "active" : "dropped"),
  };
  // The old value of a property, under the name that a step uses for it.
  const olds = {
    name: (item) => item.name,
    note: (item) => excerpt(item.note),
    append: (item) => excerpt(item.note),
    cut: (item) => excerpt(item.note),
    flagged: (item) => item.flagged,
    sequential: (item) => item.sequential,
    single: (item) => orNull(item.containsSingletonActions),
    due: (item) => time(item.dueDate),
    defer: (item) => time(item.deferDate),
    planned: (item) => time(item.plannedDate),
    reviewed: (item) => time(item.lastReviewDate),
    nextReview: (item) => time(item.nextReviewDate),
    estimate: (item) => orNull(item.estimatedMinutes),
    tags: (item) => Array.from(item.tags, path),
    rule: (item) => ruleBack(item.repetitionRule),
    status: (item, kind) => state[kind](item),
    review: (item) => show.project(item).reviewInterval,
    alerts,
  };
  // The tasks that have a tag, and the root tasks of the projects that have it.
  const carriers = (tag) => {
    const all = new Map(Array.from(tag.tasks, (task) => [key(task), task]));
    for (const { task } of tag.projects || []) all.set(key(task), task);
    return Array.from(all.values());
  };
  // The number of items that go with a task, project, folder or tag.
  function within(kind, item) {
    if (kind === "tag") {
      const own = new Set(carriers(item).map(key)),
        all = new Map();
      for (const tag of [item].concat(Array.from(item.flattenedTags)))
        for (const task of carriers(tag)) all.set(key(task), task);
      const open = Array.from(all.values()).filter((task) => taskState(task) === "active").length;
      return { total: own.size, tags: item.flattenedTags.length, below: all.size - own.size, open };
    }
    if (kind === "folder") {
      const tasks = Array.from(item.flattenedProjects).flatMap(tasksOf);
      return { projects: item.flattenedProjects.length, folders: item.flattenedFolders.length, ...countsOf(tasks) };
    }
    return countsOf(tasksOf(item));
  }
  const tasksOf = (item) => Array.from(item.flattenedTasks).filter((task) => !isRoot(task));
  const countsOf = (tasks) => ({
    total: tasks.length,
    open: tasks.filter((task) => taskState(task) === "active").length,
  });
  // The number of repetitions that end when something above them ends. A project or group that goes on opens them
  // again.
  function repetitions(kind, item) {
    const items =
      kind === "folder"
        ? Array.from(item.flattenedProjects).flatMap((project) => [project.task].concat(tasksOf(project)))
        : tasksOf(item);
    const count = items.filter((task) => present(task.repetitionRule) && taskState(task) === "active").length;
    return count > 0 ? { repetitions: count } : {};
  }
  const home = {
    task: (task) => title(task.containingProject),
    project: (project) => path(project.parentFolder),
    folder: (folder) => path(folder.parent),
    tag: (tag) => path(tag.parent),
  };
  // The objects that a step has reported.
  let looked = [];
  const look = (item) => {
    looked.push(item);
    return item;
  };
  const groupAbove = (kind, item) =>
    kind === "task" && present(item.parent) && !isRoot(item.parent) ? { under: item.parent.name } : {};
  const about = (kind, item) => ({ name: look(item).name, in: home[kind](item), ...groupAbove(kind, item) });
  const alreadyIs = (kind, item, status) => (closes(status) && state[kind](item) === status ? { already: status } : {});
  // The date of the next occurrence; a rule that moves a date that the item does not have counts from now.
  function nextOf(item) {
    const [[name, at]] = Object.entries(shared.nextOccurrence(item, Date.now()) || { none: null });
    return present(item[name]) ? { next: { [name]: at } } : {};
  }
  const repeats = (item) => (present(item.repetitionRule) ? { repeats: item.repetitionRule.ruleString } : {});
  // The repetition of an item that is completed or dropped, and those that end with it: by its place also its own.
  function ends(kind, item, status) {
    const below = repetitions(kind, item),
      rule = ruleBack(item.repetitionRule);
    if (status !== "moved") return { ...repeats(item), ...(goesOn(rule, status) ? {} : below) };
    return rule === null ? below : { repetitions: (below.repetitions || 0) + 1 };
  }

  // What is completed with a container never comes back if it repeats, so that is an act of its own. Dropping and
  // deleting have no milder form.
  function withEnds(said) {
    const act = "end task repetition";
    if (said.repetitions > 0 && said.acts.some((each) => each.startsWith("complete ")) && !said.acts.includes(act))
      said.acts.push(act);
  }

  // Where an item is beside or below which another one goes. A task that an earlier step moves is not there any more.
  function whereIs(kind, item) {
    if (kind !== "task") return { toIn: path(item instanceof Folder ? item.parent : item.parentFolder) };
    if (placed.has(key(item))) return {};
    return { toIn: home.task(item), toUnder: orNull(groupAbove("task", item).under) };
  }
  // The name of the place to which a step moves something; it may be an object that the program makes itself.
  function target(place, kind, item) {
    if (place === undefined) return {};
    if (place.top) return { to: title(item && projectAbove(up(item))) };
    if (typeof place.project === "string") return { to: look(findProject(place.project)).name };
    const find = kind === "task" ? findTask : section;
    for (const beside of [place.task, place.after, place.before])
      if (beside !== undefined && beside.id !== undefined)
        return { to: look(find(beside.id)).name, ...whereIs(kind, find(beside.id)) };
    return place.folder === undefined ? {} : { to: path(look(findFolder(place.folder))) };
  }

  const placeName = (move) =>
    move.top || move.task ? "parentTaskId" : move.project !== undefined || move.inbox ? "project" : "folder";

  // The items to which an earlier step gives a due date.
  const dated = new Set();
  // Whether an item has a due date after a step, its own or that of its project or group.
  function hasDue(kind, { set, id, at }, item, place) {
    if (present(set.due) || (set.due === undefined && item !== null && (present(item.dueDate) || dated.has(key(item)))))
      return true;
    const isNewDue = ({ temp }) => {
      const step = program.steps.find((each) => each.do === "create" && each.temp === temp);
      return step === undefined || hasDue(step.kind, step, null, step.at);
    };
    if (item === null && present(id) && isNewDue(id)) return true;
    if (kind !== "task") return false;
    const to = place || at || {},
      into = [to.project, to.task].find((each) => present(each) && each.temp !== undefined);
    if (into !== undefined) return isNewDue(into);
    const holder = holderAt(present(place) ? place : at, item && up(item));
    return (
      present(holder) &&
      (present(holder.effectiveDueDate) || containers(holder).some((each) => dated.has(key(each.item))))
    );
  }
  function checkAlerts(step, item, place) {
    const { alerts: change, due } = step.set,
      all = change === undefined ? [] : (change.replace || []).concat(change.add || []);
    if (program.ordered && all.some(({ minutes }) => minutes !== undefined) && !hasDue(step.kind, step, item, place))
      refuse("no_due", step.kind, item === null ? step.name || "" : item.name);
    if (item !== null && present(due)) dated.add(key(item));
  }
  // The items that an earlier step of the program changes.
  const edited = new Set();
  // Whether an item has all values of a change. An undo sets what it says.
  function hasAll(kind, item, set) {
    if (!program.ordered) return false;
    const own = (names) => (names || []).map((name) => key(lookTag(name))),
      has = kind === "folder" ? [] : Array.from(item.tags, key);
    const tests = {
      status: (wanted) => state[kind](item) === wanted,
      tags: ({ replace, add, remove }) =>
        (replace === undefined || plain(own(replace).sort()) === plain(has.slice().sort())) &&
        own(add).every((id) => has.includes(id)) &&
        !own(remove).some((id) => has.includes(id)),
      alerts: ({ replace, add }) => present(replace) && !present(add) && plain(replace) === plain(alerts(item)),
      rule: (wanted) => {
        const { method, ...rule } = ruleBack(item.repetitionRule) || {};
        return wanted === null ? method === undefined : plain(rule) === plain({ ...wanted, method: undefined });
      },
      review: (wanted) => plain(reviewOf(item).review) === plain(wanted),
      reviewed: (wanted) => reviewOf(item).reviewed === wanted,
      nextReview: (wanted) => reviewOf(item).nextReview === wanted,
    };
    const { nextReview: next } = kind === "project" ? reviewAfter(item, set) : {};
    if (present(next) && next.old !== next.next) return false;
    return Object.entries(set).every(([name, wanted]) =>
      tests[name] !== undefined
        ? tests[name](wanted)
        : backs[name] !== undefined && plain(backs[name](item)) === plain(wanted),
    );
  }
  // The acts of an update. A change that loses data is an act of its own and not an edit.
  function actsOf(kind, item, set, { becomes }) {
    const found = new Set(),
      loses = (old, wanted) => old !== "" && !wanted.startsWith(old);
    for (const [name, wanted] of Object.entries(set)) {
      if (name === "dropped") continue;
      if (name === "move") found.add(`move ${kind}`);
      else if (name === "status" && (wanted === "completed" || wanted === "dropped"))
        found.add(`${wanted === "completed" ? "complete" : "drop"} ${kind}`);
      else if (name === "cut" || (name === "note" && item !== null && loses(item.note, wanted)))
        found.add(`overwrite ${kind} note`);
      else if (name === "rule" && wanted === null && item !== null && present(item.repetitionRule))
        found.add(`end ${kind} repetition`);
      else found.add(`edit ${kind}`);
    }
    if (becomes !== undefined) found.add(effectAct(kind, becomes));
    return Array.from(found);
  }
  // Two tags of an exclusive group would replace each other without a word. An undo sets what was there.
  function checkExclusive({ replace, add, remove }) {
    const gone = (remove || []).map((name) => key(lookTag(name))),
      seen = new Map();
    for (const name of (replace || []).concat(add || [])) {
      const tag = lookTag(name),
        steps = segments(name, /\s:\s/),
        group = groupOf(name);
      if (!present(group) || group.childrenAreMutuallyExclusive !== true) continue;
      const id = tag === null ? steps[steps.length - 1] : key(tag),
        other = seen.get(key(group));
      if (tag !== null && gone.includes(id)) continue;
      if (other !== undefined && other.id !== id) refuse("exclusive", "tag", group.name, [other.name, name]);
      seen.set(key(group), { id, name });
    }
  }
  const withTags = (list, added) => (added.length > 0 ? list.concat("create tag") : list);
  function freshTags(set) {
    if (set.tags === undefined) return [];
    for (const name of set.tags.remove || []) lookTag(name);
    if (program.ordered) checkExclusive(set.tags);
    return newTags(set.tags);
  }
  const named = (added) => (added.length > 0 ? { newTags: added.map(begun) } : {});
  // The tags that leave an item because the tags of an exclusive group replace each other. An added tag is
  // `{id, group}`; a new one has no id.
  const leaving = (item, added, removed) =>
    Array.from(item.tags).filter(
      (tag) =>
        present(tag.parent) &&
        tag.parent.childrenAreMutuallyExclusive === true &&
        !removed.includes(key(tag)) &&
        added.some(({ id, group }) => group === key(tag.parent) && id !== key(tag)),
    );
  function pushedOut(item, change) {
    if (change === undefined || change.replace !== undefined) return {};
    const removed = (change.remove || []).map(lookTag).map(key),
      added = (change.add || []).map((name) => ({ id: key(lookTag(name)), group: key(groupOf(name)) })),
      leaves = leaving(item, added, removed);
    return leaves.length > 0 ? { pushedOut: leaves.map(path) } : {};
  }
  // The tag above a tag, which may be a new one in a path.
  function groupOf(name) {
    const tag = lookTag(name),
      steps = segments(name, /\s:\s/);
    if (tag !== null) return tag.parent;
    return steps.length > 1 ? lookTag(steps.slice(0, -1).join(" : ")) : null;
  }
  // The date of the next review, if it follows from other changes of a step.
  function reviewAfter(item, set) {
    if ((set.review === undefined && set.reviewed === undefined) || set.nextReview !== undefined || set.unreviewed)
      return {};
    const interval = set.review === undefined ? item.reviewInterval : set.review,
      last = set.reviewed === undefined ? item.lastReviewDate : date(set.reviewed);
    return { nextReview: { old: time(item.nextReviewDate), next: time(nextReview(last, interval)) } };
  }

  // Each function resolves its step, reports what it would touch, and returns the function that applies it.
  const doers = {
    create(step, row) {
      if (step.set.tags !== undefined) step.set.tags = listed(step.set.tags);
      const place = placeIn(step.kind, step.at, "ending"),
        added = freshTags(step.set);
      checkAlerts(step, null, step.at);
      row.said = Object.assign(
        { acts: withTags([`create ${step.kind}`], added) },
        target(step.at, step.kind),
        toldTags(step.set),
        named(added),
        effectOfNew(step.kind, step.at, step.set.status),
      );
      if (step.temp !== undefined)
        planned.set(
          `temp:${step.temp}`,
          closes(step.set.status) ? step.set.status : row.said.becomes || step.set.status,
        );
      follow(step, row, step.at, step.set);
      return () => {
        const item = makers[step.kind](step.name, place());
        keep(step.kind, item);
        if (step.temp !== undefined) made.set(step.temp, item);
        return step.kind === "folder" ? item : change(step.kind, item, step.set, null, row);
      };
    },
    update(step, row) {
      anchorRule(step);
      if (step.set.tags !== undefined) step.set.tags = listed(step.set.tags);
      const find = referred(step.kind, step.id),
        item = step.id.id === undefined ? null : find(),
        stays = item !== null && isThere(step.kind, item, step.set.move),
        move = stays ? undefined : step.set.move,
        set = stays ? Object.fromEntries(Object.entries(step.set).filter(([name]) => name !== "move")) : step.set;
      const goal = move === undefined || move.top ? () => topOf(find()) : placeIn(step.kind, move, "beginning"),
        goes = move === undefined ? null : mover(step.kind, move, goal);
      refuseCycle(step.kind, item, move);
      checkAlerts(step, item, move);
      const added = freshTags(set),
        moved = effect(step.kind, item, move, set.status),
        acts = actsOf(step.kind, item, set, moved);
      row.said = Object.assign(
        { acts: withTags(acts.length > 0 ? acts : [`edit ${step.kind}`], added) },
        target(step.set.move, step.kind, item),
        stays ? { stays } : {},
        toldTags(set),
        named(added),
        moved,
      );
      if (present(set.rule)) row.said.anchor = set.rule.anchor;
      if (item !== null) {
        const old = {};
        for (const name of Object.keys(set)) if (olds[name] !== undefined) old[name] = olds[name](item, step.kind);
        Object.assign(
          row.said,
          about(step.kind, item),
          { old },
          pushedOut(item, set.tags),
          reviewAfter(item, set),
          alreadyIs(step.kind, item, set.status),
        );
        if (closes(set.status)) Object.assign(row.said, along(step.kind, item), ends(step.kind, item, set.status));
        else if (closes(moved.becomes)) Object.assign(row.said, along(step.kind, item), ends(step.kind, item, "moved"));
        else if (set.status === "on_hold" || moved.becomes === "on_hold")
          Object.assign(row.said, within(step.kind, item));
        withEnds(row.said);
        if (move === undefined) Object.assign(row.said, still(step.kind, item, set.status));
        if (move === undefined && !edited.has(key(item)) && hasAll(step.kind, item, set)) row.said.same = true;
        edited.add(key(item));
        if (move !== undefined && step.kind !== "task") shelved.set(key(item), key(folderAt(move)));
      }
      if (set.status !== undefined) planned.set(item === null ? `temp:${step.id.temp}` : key(item), set.status);
      follow(step, row, move, set);
      return () => {
        const found = find(),
          remembered = set.status === "completed" ? below(found) : [];
        if (stays) row.warnings.push(`${placeName(step.set.move)}: it is there already, so it was not moved`);
        if (move === undefined && hasAll(step.kind, found, set)) {
          row.unchanged = true;
          if (closes(set.status)) isAlready(step.kind, found, set.status, row);
          return found;
        }
        row.back = backOf(step.kind, found, set);
        const noReview = found.nextReviewDate === null,
          left = change(step.kind, found, set, goes, row);
        if (noReview && present(found.nextReviewDate))
          row.lacks = ["nextReviewDate stays, because OmniFocus does not take the first date of a review off again"];
        for (const back of row.back)
          if (back.set !== undefined && back.set.note !== undefined) back.set = noteBack(back.set, found.note, set);
        for (const back of row.back) if (back.set !== undefined) back.set = differing(found, back.set);
        row.back = row.back.filter(({ set: old, places }) => !old || places || Object.keys(old).length > 0);
        return finished(step.kind, found, left, row, remembered);
      };
    },
    complete(step, row) {
      const find = referred(step.kind, step.id);
      row.said = { acts: [`complete ${step.kind}`] };
      if (step.id.id !== undefined)
        Object.assign(
          row.said,
          about(step.kind, find()),
          along(step.kind, find()),
          ends(step.kind, find(), "completed"),
          still(step.kind, find(), "completed"),
          step.when === null ? alreadyIs(step.kind, find(), "completed") : {},
        );
      if (row.said.already !== undefined && !edited.has(key(find()))) row.said.same = true;
      if (step.id.id !== undefined) edited.add(key(find()));
      withEnds(row.said);
      if (step.id.temp !== undefined) planned.set(`temp:${step.id.temp}`, "completed");
      else if (!goesOn(ruleBack(find().repetitionRule))) planned.set(key(find()), "completed");
      follow(step, row, undefined, { status: "completed" });
      return () => {
        const found = find(),
          remembered = below(found);
        // With a date, completing again corrects the date.
        if (step.when === null && isAlready(step.kind, found, "completed", row)) {
          row.unchanged = true;
          return found;
        }
        row.back = backOfState(step.kind, found);
        const work = () => (step.once ? finishOnce(found, step.when) : finish(step.kind, found, step.when, row));
        return finished(step.kind, found, endTask(step.kind, found, row, "completed", work), row, remembered);
      };
    },
    // Drops only this occurrence; the next one takes its place.
    skip(step, row) {
      const find = referred(step.kind, step.id),
        item = find();
      if (!present(item.repetitionRule)) refuse("not_repeating", step.kind, item.name);
      row.said = Object.assign(
        { acts: [`skip ${step.kind}`], due: time(item.dueDate) },
        about(step.kind, item),
        repeats(item),
        nextOf(item),
        { digest: digest(step.kind, item) },
      );
      follow(step, row, undefined, { status: "completed" });
      return () => {
        const again = find();
        // The dropped occurrence stays, so its dates put back would make the task appear twice.
        row.leaves = true;
        endTask(step.kind, again, row, "completed", () => again.drop(false, new Date()));
        row.next = show[step.kind](again);
        return again;
      };
    },
    // A copy goes after its original, unless a place is given.
    duplicate(step, row) {
      const find = referred(step.kind, step.id),
        isTask = step.kind === "task";
      const place = step.to === null ? () => find().after : placeIn(step.kind, step.to, "ending");
      refuseCycle(step.kind, find(), step.to);
      row.said = Object.assign(
        { acts: [`duplicate ${step.kind}`] },
        about(step.kind, find()),
        within(step.kind, find()),
        target(step.to === null ? undefined : step.to, step.kind),
        step.to === null ? {} : effectOfNew(step.kind, step.to, own(step.kind, find())),
      );
      if (isTask && !isClosed(find()))
        placed.set(`copy:${placed.size}`, step.to === null ? up(find()) : holderAt(step.to, null));
      return () => {
        const held = withBelow(find()).map(hangs),
          made = (isTask ? duplicateTasks([find()], place()) : duplicateSections([find()], place()))[0];
        keep(step.kind, made);
        const copies = step.alone ? [made] : withBelow(made);
        if (step.alone) for (const copy of Array.from(made.tasks)) deleteObject(copy);
        if (step.alone || copies.length === held.length) copies.forEach((copy, at) => carry(copy, held[at], row));
        else if (held.some((each) => each.alerts.length > 0))
          row.warnings.push("notifications: the copy has other tasks below it, so they were not compared");
        if (step.name !== null) made.name = step.name;
        return made;
      };
    },
    convert(step, row) {
      const find = referred("task", step.id),
        place = folderPlace(step.to, "ending");
      const item = find(),
        before = inherited(up(item)),
        becomes = countsAt("project", step.to, null),
        isOther = before !== becomes && !closes(own("task", item));
      row.said = Object.assign(
        { acts: isOther ? ["convert task", effectAct("task", becomes)] : ["convert task"] },
        about("task", item),
        along("task", item),
        target(step.to, "project"),
        isOther ? { before, becomes } : {},
      );
      ended.add(key(find()));
      return () => {
        row.leaves = true;
        const held = hangs(find()),
          project = convertTasksToProjects([find()], place())[0];
        carry(project, held, row);
        return project;
      };
    },
    delete(step, row) {
      const find = referred(step.kind, step.id),
        known = step.id.id === undefined ? null : find();
      row.said = Object.assign(
        { acts: [`delete ${step.kind}`] },
        known === null ? {} : about(step.kind, known),
        known === null ? {} : within(step.kind, known),
        known === null || closes(state[step.kind](known)) ? {} : repeats(known),
        known !== null && step.finished ? { done: time(known.completionDate) } : {},
        known === null ? {} : repetitions(step.kind, known),
        known === null ? {} : { digest: digest(step.kind, known) },
      );
      const id = key(known),
        name = title(known);
      return () => {
        // An earlier step may have deleted its container, and the item with it.
        if (known !== null && !present(again[step.kind](id))) return gone(row, id, name, true);
        return remove(find(), row);
      };
    },
    tag: (step, row) => tagDoers[step.action](step, row),
  };

  // The finished occurrence of a repeating item is another object. Undo deletes it, and the item itself continues with
  // what was below it.
  function finished(kind, item, left, row, remembered) {
    if (key(left) !== key(item))
      row.back = [{ do: "delete", kind, id: { id: key(left) }, finished: true }].concat(
        row.back.filter((step) => step.set === undefined || step.set.status === undefined),
        backBelow(remembered, row),
      );
    return left;
  }

  // Back to the top level of its container: its project, or the inbox.
  const topOf = (task) => (present(task.containingProject) ? task.containingProject.ending : inbox.ending);

  const taken = (level, name, except) => Array.from(level).some((tag) => tag !== except && tag.name === name);
  const toldTag = (row, act, tag) => Object.assign((row.said = { acts: [act] }), about("tag", tag));
  const tagBack = (action, tag, more) => ({ do: "tag", action, name: key(tag), ...more });
  // The tag that a moved tag stood before; none if it was the last one.
  function nestBack(tag) {
    const level = Array.from(present(tag.parent) ? tag.parent.children : tags),
      next = level[level.findIndex((each) => key(each) === key(tag)) + 1],
      beside = next === undefined ? {} : { beside: key(next) };
    return present(tag.parent)
      ? tagBack("nest", tag, { under: key(tag.parent), ...beside })
      : tagBack("unnest", tag, beside);
  }
  // The place of a moved tag: before another one that is on that level, or last.
  function tagPlace(beside, above) {
    const tag = beside === undefined ? null : Tag.byIdentifier(beside);
    if (present(tag) && key(tag.parent) === key(above)) return tag.before;
    return above === null ? tags.ending : above.ending;
  }
  // A tag counts as on hold or dropped if a tag above it is, and then it holds its tasks back.
  function tellMoved(said, tag, above) {
    const before = shared.tagCounts(tag.parent),
      becomes = shared.tagCounts(above);
    if (before === becomes || tagState(tag) === "dropped" || (tagState(tag) === becomes && before === "active")) return;
    Object.assign(said, { before, becomes }, within("tag", tag));
    said.acts.push(effectAct("tag", becomes));
  }
  const tagDoers = {
    create(step, row) {
      if (step.under === null && lookTag(step.name) !== null) refuse("exists", "tag", step.name);
      const above = step.under === null ? null : findTag(step.under);
      if (above !== null && taken(above.children, step.name)) refuse("exists", "tag", step.name);
      row.said = { acts: ["create tag"] };
      return () => {
        const created = [];
        if (above === null) {
          const tag = needTag(step.name, created);
          row.createdTags = created;
          return tag;
        }
        const tag = new Tag(step.name, above);
        keep("tag", tag);
        return tag;
      };
    },
    rename(step, row) {
      const tag = findTag(step.name);
      if (taken(present(tag.parent) ? tag.parent.children : tags, step.to, tag)) refuse("exists", "tag", step.to);
      toldTag(row, "edit tag", tag);
      return () => {
        row.back = [tagBack("rename", tag, { to: tag.name })];
        tag.name = step.to;
        return tag;
      };
    },
    nest(step, row) {
      const tag = findTag(step.name),
        above = findTag(step.under);
      for (let up = above; present(up); up = up.parent) if (key(up) === key(tag)) refuse("cycle", "tag", step.under);
      if (taken(above.children, tag.name, tag)) refuse("exists", "tag", tag.name);
      toldTag(row, "move tag", tag).to = path(look(above));
      tellMoved(row.said, tag, above);
      return () => {
        row.back = [nestBack(tag)];
        moveTags([tag], tagPlace(step.beside, above));
        return tag;
      };
    },
    unnest(step, row) {
      const tag = findTag(step.name);
      if (taken(tags, tag.name, tag)) refuse("exists", "tag", tag.name);
      tellMoved(toldTag(row, "move tag", tag), tag, null);
      return () => {
        row.back = [nestBack(tag)];
        moveTags([tag], tagPlace(step.beside, null));
        return tag;
      };
    },
    set(step, row) {
      const tag = findTag(step.name);
      const said = toldTag(row, step.status === "dropped" ? "drop tag" : "edit tag", tag);
      said.old = { status: tagState(tag), exclusive: orNull(tag.childrenAreMutuallyExclusive) };
      if (step.status === "dropped" || step.status === "on_hold") Object.assign(said, along("tag", tag));
      return () => {
        row.back = [
          tagBack(
            "set",
            tag,
            step.status !== undefined ? { status: tagState(tag) } : { exclusive: tag.childrenAreMutuallyExclusive },
          ),
        ];
        if (step.status !== undefined) tag.status = shared.tagStates.find(([, word]) => word === step.status)[0];
        if (step.exclusive !== undefined) {
          if (tag.childrenAreMutuallyExclusive === undefined)
            row.warnings.push("exclusive: this OmniFocus has no exclusive tags");
          else tag.childrenAreMutuallyExclusive = step.exclusive;
        }
        return tag;
      };
    },
    delete(step, row) {
      const tag = findTag(step.name);
      Object.assign(toldTag(row, "delete tag", tag), within("tag", tag), { digest: digest("tag", tag) });
      return () => remove(tag, row);
    },
    merge(step, row) {
      const tag = findTag(step.name),
        goal = findTag(step.to);
      for (let up = goal; present(up); up = up.parent) if (key(up) === key(tag)) refuse("cycle", "tag", step.to);
      for (const child of tag.children)
        if (taken(goal.children, child.name, child)) refuse("exists", "tag", path(goal) + " : " + child.name);
      const leave = new Map(),
        added = [{ id: key(goal), group: key(goal.parent) }];
      for (const task of carriers(tag))
        for (const gone of leaving(task, added, [key(tag)])) leave.set(path(gone), (leave.get(path(gone)) || 0) + 1);
      const state = [shared.tagCounts(tag), shared.tagCounts(goal)];
      Object.assign(
        toldTag(row, "merge tag", tag),
        within("tag", tag),
        { to: path(look(goal)), digest: [digest("tag", tag), digest("tag", goal)], leave: Array.from(leave) },
        state[0] === state[1] ? {} : { becomes: state[1], before: state[0] },
      );
      return () => {
        const tasks = carriers(tag),
          old = tasks.map((task) => ({ id: key(task), tags: Array.from(task.tags, key) })),
          children = Array.from(tag.children),
          { under, beside } = nestBack(tag);
        const back = tagBack("unmerge", goal, {
          to: tag.name,
          under: orNull(under),
          beside,
          status: tagState(tag),
          exclusive: orNull(tag.childrenAreMutuallyExclusive),
          merged: key(tag),
          tasks: old,
          children: children.map(key),
        });
        for (const task of tasks) {
          task.addTag(goal);
          task.removeTag(tag);
        }
        for (const child of children) moveTags([child], goal);
        remove(tag, row);
        row.retagged = tasks.length;
        for (const [name, count] of leave)
          row.warnings.push(`tags: ${name} left ${count} of them, because the tags of a group exclude each other`);
        if (tasks.length > MOST_MERGED) return goal;
        row.leaves = false;
        row.back = [back];
        row.lacks = ["undo makes the tag again with another id, so a perspective that uses it does not find it"];
        return goal;
      };
    },
    // The undo of a merge.
    unmerge(step, row) {
      const goal = findTag(step.name),
        above = step.under === null ? null : findTag(step.under),
        tasks = step.tasks.map(({ id }) => Task.byIdentifier(id)).filter(present);
      if (taken(above === null ? tags : above.children, step.to)) refuse("exists", "tag", step.to);
      Object.assign(toldTag(row, "create tag", goal), {
        to: step.to,
        total: tasks.length,
        names: tasks.slice(0, 6).map((task) => task.name),
        digest: hash(
          JSON.stringify([digest("tag", goal), tasks.map((task) => [key(task), Array.from(task.tags, key)])]),
        ),
      });
      if (tasks.length > 0) row.said.acts.push("edit task");
      return () => {
        const tag = new Tag(step.to, tagPlace(step.beside, above));
        tag.status = shared.tagStates.find(([, word]) => word === step.status)[0];
        if (step.exclusive === true) tag.childrenAreMutuallyExclusive = true;
        for (const child of step.children.map(again.tag).filter(present)) moveTags([child], tag);
        for (const { id, tags: old } of step.tasks) {
          const task = Task.byIdentifier(id);
          if (!present(task)) continue;
          task.clearTags();
          for (const each of old.map((id) => (id === step.merged ? tag : again.tag(id))).filter(present))
            task.addTag(each);
        }
        row.leaves = true;
        return tag;
      };
    },
  };
  // Deletes an object. It reads the name before, because no document says what a read of a deleted object returns.
  function remove(item, row) {
    row.leaves = true;
    const id = key(item),
      name = item.name;
    deleteObject(item);
    return gone(row, id, name, false);
  }
  function gone(row, id, name, within) {
    row.deleted = within ? { id, name, within } : { id, name };
    return null;
  }

  // ---- the program

  const rows = program.steps.map((step, at) => ({ at, success: false, warnings: [] }));
  const failed = (row, error) => {
    row.error =
      present(error) && error.refusal !== undefined
        ? error.refusal
        : { reason: "failed", what: "step", value: String((error && error.message) || error), near: [] };
  };

  // First the script finds every object to change. A program that names a missing object changes nothing. If a step
  // would do an act that was not asked about, or would change an object that differs from the one shown, it is refused
  // like a step that names a missing object. But if an earlier run changed an object, that object may differ from what
  // was shown, and so may its container and its contents.
  const plain = (value) =>
    JSON.stringify(value, (_, each) =>
      present(each) && typeof each === "object" && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort())
        : each,
    );
  const lineOf = (item) => {
    const line = [];
    for (let at = item; present(at); at = at.parent || at.parentFolder || (isRoot(at) ? at.project : null))
      line.push(key(at));
    return line;
  };
  const touched = { items: new Set(earlier.items), above: new Set(earlier.above) };
  function touch(item) {
    const [id, ...above] = lineOf(item);
    touched.items.add(id);
    for (const each of above) touched.above.add(each);
  }
  const isTouched = (item) => touched.above.has(key(item)) || lineOf(item).some((id) => touched.items.has(id));
  // A tag that an earlier run made is not a new tag any more.
  const toldOf = (said) =>
    plain(
      before ? { ...said, newTags: null, tags: null, acts: said.acts.filter((act) => act !== "create tag") } : said,
    );
  function granted(step, row) {
    const other = row.said.acts.find((act) => !acts.includes(act));
    if (other !== undefined) refuse("not_asked", step.kind || "tag", other);
    if (step.seen === undefined || looked.some(isTouched)) return;
    if (toldOf(step.seen) !== toldOf(row.said)) refuse("changed", step.kind || "tag", row.said.name || "");
  }
  const work = program.steps.map((step, at) => {
    looked = [];
    const known = promised.length;
    try {
      const apply = doers[step.do](step, rows[at]);
      if (fixed.mayChange) granted(step, rows[at]);
      return apply;
    } catch (error) {
      promised.length = known;
      failed(rows[at], error);
      return null;
    }
  });
  if (!fixed.mayChange) {
    const holders = Array.from(placed, ([who, holder]) => [who, key(holder)]);
    const carry = {
      ended: Array.from(ended),
      placed: holders,
      planned: Array.from(planned),
      shelved: Array.from(shelved),
    };
    return program.more ? { rows, carry } : { rows };
  }
  for (const row of rows) delete row.said;
  const wrong = rows.find((row) => row.error !== undefined);
  if (wrong !== undefined && (program.stop || program.atomic)) return { refused: wrong.at, rows };

  let stopped = false;
  [placed, planned, shelved].forEach((each) => each.clear());
  program.steps.forEach((step, at) => {
    const row = rows[at];
    if (stopped || work[at] === null) {
      if (stopped) row.skipped = true;
      return;
    }
    try {
      const known = step.id === undefined || step.id.id === undefined ? null : again[step.kind](step.id.id);
      if (present(known)) touch(known);
      const item = work[at]();
      row.success = true;
      touch(item);
      if (item !== null)
        row.item = {
          kind: step.do === "tag" ? "tag" : step.do === "convert" ? "project" : step.kind,
          id: key(item),
          name: item.name,
        };
    } catch (error) {
      failed(row, error);
      if (program.stop || program.atomic) stopped = true;
    }
  });

  // Only the new objects can be taken back; the answer names the changes that remain.
  const result = { rows };
  if (program.atomic && rows.some((row) => row.error !== undefined)) {
    const left = [];
    for (const { kind, item, id, name } of undoable.reverse()) {
      try {
        if (present(again[kind](id))) deleteObject(item);
      } catch (error) {
        left.push({ id, name, why: String((error && error.message) || error) });
      }
    }
    result.rolledBack = {
      left,
      kept: rows
        .filter((row) => row.success && (program.steps[row.at].do !== "create" || row.alsoCompleted))
        .map((row) => row.at),
    };
    for (const row of rows) {
      if (program.steps[row.at].do !== "create" || !row.success) continue;
      rows[row.at] = { at: row.at, success: false, rolledBack: true, warnings: [], alsoBack: row.alsoBack };
    }
  }
  // The answer reports each change even if it cannot be read back: a later step may have deleted the object or its
  // container.
  for (const row of rows) {
    if (row.item === undefined) continue;
    const { kind, id, name } = row.item;
    try {
      const item = again[kind](id);
      row.item = present(item) ? show[kind](item) : { id, name, deleted: true };
    } catch (error) {
      row.item = { id, name };
      row.warnings.push(`it was not read back: ${String((error && error.message) || error)}`);
    }
  }
  // Each step of the undo comes with its present report. If the report differs when the undo runs, the object was
  // changed since.
  const steps = [];
  // The steps of the undo are resolved like those of a program of its own.
  [ended, placed, planned, shelved].forEach((each) => each.clear());
  for (const row of rows.slice().reverse()) {
    row.lacks = row.lacks || [];
    if (row.leaves) row.lacks.push("it is permanent");
    // What was completed with a task is opened before it.
    for (const back of (row.alsoBack || []).concat(row.back || [])) {
      const found = settled(back);
      const lack =
        found === null ? "what it changed is gone" : found.lacksPlace ? "the place where it was is gone" : null;
      if (found !== null) steps.push(found);
      if (lack !== null && !row.lacks.includes(lack)) row.lacks.push(lack);
    }
  }
  for (const { kind, item, id } of undoable.slice().reverse()) {
    if (!present(again[kind](id))) continue;
    steps.push(settled(kind === "tag" ? tagBack("delete", item, {}) : { do: "delete", kind, id: { id } }));
  }
  const kept = steps
    .filter((found) => found !== null)
    .map(({ step, said }) => (program.more || before ? step : { ...step, was: said }));
  const left = rows.filter((row) => row.lacks.length > 0).map((row) => ({ at: row.at, why: row.lacks.join("; ") }));
  if (kept.length > 0 || left.length > 0) result.undo = { steps: kept, left };
  for (const row of rows) {
    delete row.back;
    delete row.alsoBack;
    delete row.ends;
    delete row.leaves;
    delete row.lacks;
  }
  if (program.more && !stopped)
    result.carry = {
      made: Object.fromEntries(Array.from(made, ([temp, item]) => [temp, key(item)])),
      items: Array.from(touched.items),
      above: Array.from(touched.above),
      latest: Array.from(latest),
    };
  return result;
}
