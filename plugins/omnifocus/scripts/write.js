// Interprets one program inside OmniFocus and tells what became of it. A program is data: `{stop, atomic, more, steps}`.
// All steps are resolved before the first is applied, and what was changed is read back from OmniFocus. Nothing of the
// program becomes source text. Times are milliseconds since 1970. The package has this file twice: where `mayDelete` is
// false, it deletes only what it made itself, where a program is to leave nothing half done. A program that is too long
// comes in several runs; `before` is what the last one handed on.
//
//   step       {do: "create", kind: "task", temp, name, at: place, set}
//              {do: "create", kind: "project" or "folder", temp, name, at: place, set}
//              {do: "update", kind, id: reference, set}
//              {do: "complete", kind, id: reference, when}
//              {do: "delete", kind, id: reference}
//              {do: "tag", action, name, to, under, status, exclusive}
//   reference  {id} or {temp}
//   place      {inbox: true}, {project: name, id or {temp}}, {task: reference}, {top: true}; {folder: path, name or id}, {}
//   set        {name, note, flagged, sequential, single, due, defer, planned, estimate, move, tags, rule, status, review,
//              reviewed, nextReview}
(program, before) => {
  "use strict";

  // What a step names and OmniFocus does not have, or what it refuses; the step's own failure, not a crash.
  function refuse(reason, what, value, near) {
    throw { refusal: { reason, what, value, near: near || [] } };
  }

  // ---- reading the model

  const present = (value) => value !== undefined && value !== null;
  const orNull = (value) => (value === undefined ? null : value);
  const time = (date) => (present(date) ? date.getTime() : null);
  const date = (time) => (time === null ? null : new Date(time));
  const key = (object) => (present(object) ? object.id.primaryKey : null);
  const title = (object) => (present(object) ? object.name : null);
  const isRoot = (task) => present(task.project);

  function word(value) {
    if (!present(value)) return null;
    const shown = String(value), found = /: *([^\]]+)\]$/.exec(shown);
    return found ? found[1] : shown;
  }

  function chain(object) {
    const names = [];
    for (let at = object; present(at); at = at.parent) names.unshift(at.name);
    return names;
  }
  const path = (object) => (present(object) ? chain(object).join(" : ") : null);

  const projectStates = [
    [Project.Status.Active, "active"], [Project.Status.OnHold, "on_hold"], [Project.Status.Done, "completed"], [Project.Status.Dropped, "dropped"],
  ];
  const projectState = (project) => (projectStates.find(([status]) => status === project.status) || [null, word(project.status)])[1];
  const tagStates = [[Tag.Status.Active, "active"], [Tag.Status.OnHold, "on_hold"], [Tag.Status.Dropped, "dropped"]];
  const tagState = (tag) => (tagStates.find(([status]) => status === tag.status) || [null, word(tag.status)])[1];
  function taskState(task) {
    if (task.completed || task.taskStatus === Task.Status.Completed) return "completed";
    return present(task.dropDate) || task.taskStatus === Task.Status.Dropped ? "dropped" : "active";
  }
  const isLive = (project) => project.status === Project.Status.Active || project.status === Project.Status.OnHold;

  function repetition(item) {
    const rule = item.repetitionRule;
    if (!present(rule)) return null;
    return {
      ruleString: rule.ruleString, scheduleType: word(rule.scheduleType), anchorDateKey: word(rule.anchorDateKey), catchUpAutomatically: orNull(rule.catchUpAutomatically),
    };
  }

  const common = (item) => ({
    name: item.name, note: item.note, flagged: item.flagged, dueDate: time(item.dueDate), deferDate: time(item.deferDate), plannedDate: time(item.plannedDate),
    completionDate: time(item.completionDate), dropDate: time(item.dropDate), estimatedMinutes: orNull(item.estimatedMinutes), sequential: item.sequential,
    tags: Array.from(item.tags, (tag) => tag.name), repetitionRule: repetition(item),
  });
  const show = {
    task: (task) => {
      const parent = present(task.parent) && !isRoot(task.parent) ? task.parent : null;
      return Object.assign({ id: key(task), status: taskState(task) }, common(task), {
        project: title(task.containingProject), projectId: key(task.containingProject), parentTaskId: key(parent), inInbox: task.inInbox,
      });
    },
    project: (project) => {
      const interval = project.reviewInterval;
      return Object.assign({ id: key(project), status: projectState(project) }, common(project), {
        folder: path(project.parentFolder), singleActions: project.containsSingletonActions, lastReviewDate: time(project.lastReviewDate), nextReviewDate: time(project.nextReviewDate),
        reviewInterval: present(interval) ? { unit: String(interval.unit).replace(/s$/, ""), steps: interval.steps } : null,
      });
    },
    folder: (folder) => ({ id: key(folder), name: folder.name, path: path(folder), parentId: key(folder.parent) }),
    tag: (tag) => ({
      id: key(tag), name: tag.name, path: path(tag), parentId: key(tag.parent), status: tagState(tag), exclusive: orNull(tag.childrenAreMutuallyExclusive),
    }),
  };

  // ---- finding

  const near = (all, name) => {
    const wanted = name.toLowerCase();
    const close = (each) => { const known = each.toLowerCase(); return known !== "" && (known.includes(wanted) || wanted.includes(known)); };
    return Array.from(new Set(Array.from(all, (each) => each.name).filter(close))).slice(0, 3);
  };
  // What was made for the batch, by its temporary id; also by an earlier run.
  const made = new Map();

  function findTask(id) {
    const task = Task.byIdentifier(id);
    if (!present(task)) refuse("not_found", "task", id);
    if (isRoot(task)) refuse("is_project", "task", id, [key(task.project), task.name]);
    return task;
  }
  // A project is known by its own id and by that of its root task.
  function projectById(id) {
    const project = Project.byIdentifier(id);
    if (present(project)) return project;
    const root = Task.byIdentifier(id);
    return present(root) && isRoot(root) ? root.project : null;
  }
  for (const [temp, id] of Object.entries(before ? before.made : {})) {
    const item = projectById(id) || Task.byIdentifier(id);
    if (present(item)) made.set(temp, item);
  }
  const findProjectId = (id) => projectById(id) || refuse("not_found", "project", id);
  const finders = {
    task: findTask,
    project: findProjectId,
    folder: (id) => Folder.byIdentifier(id) || refuse("not_found", "folder", id),
    tag: (id) => Tag.byIdentifier(id) || refuse("not_found", "tag", id),
  };

  // By id, else by the exact name of a project that goes on. A name that several have is none.
  function findProject(name) {
    const known = projectById(name);
    if (present(known)) return known;
    const named = flattenedProjects.filter((project) => project.name === name), live = named.filter(isLive);
    if (live.length === 1) return live[0];
    const shown = (project) => `${key(project)} (${projectState(project)}, ${path(project.parentFolder) || "no folder"})`;
    if (live.length > 1) refuse("ambiguous", "project", name, live.map(shown));
    if (named.length > 0) refuse("not_live", "project", name, named.map(shown));
    return refuse("not_found", "project", name, near(flattenedProjects, name));
  }
  const segments = (text, marks) => text.split(marks).map((segment) => segment.trim());
  // By id, by its path from the top, or by its own name where only one has it.
  function findFolder(name) {
    const known = Folder.byIdentifier(name);
    if (present(known)) return known;
    const exact = flattenedFolders.filter((folder) => folder.name === name || path(folder) === name);
    const wanted = segments(name, /\s:\s|\//).join("\n").toLowerCase();
    const found = exact.length > 0 ? exact : flattenedFolders.filter((folder) => chain(folder).join("\n").toLowerCase() === wanted || folder.name.toLowerCase() === wanted);
    if (found.length === 1) return found[0];
    if (found.length > 1) refuse("ambiguous", "folder", name, found.map((folder) => `${key(folder)} (${path(folder)})`));
    return refuse("not_found", "folder", name, near(flattenedFolders, name));
  }
  // By id, by its path, or by its own name: the first that has it, one that is not dropped before one that is.
  function lookTag(name) {
    const known = Tag.byIdentifier(name);
    if (present(known)) return known;
    const named = flattenedTags.filter((tag) => tag.name === name || path(tag) === name);
    return named.find((tag) => tag.status !== Tag.Status.Dropped) || named[0] || null;
  }
  const findTag = (name) => lookTag(name) || refuse("not_found", "tag", name, near(flattenedTags, name));

  // Finds a tag or makes it, level by level where it is a path.
  function needTag(name, created) {
    const known = lookTag(name);
    if (known !== null) return known;
    let above = null;
    for (const segment of segments(name, /\s:\s/)) {
      const level = above === null ? tags : above.children;
      let tag = Array.from(level).find((each) => each.name === segment);
      if (!present(tag)) {
        tag = new Tag(segment, above === null ? tags.ending : above);
        created.push(path(tag));
        undoable.push(tag);
      }
      above = tag;
    }
    return above;
  }

  // What a reference means: now, or once the step that makes it was applied.
  function referred(kind, reference) {
    if (reference.temp === undefined) {
      const found = finders[kind](reference.id);
      return () => found;
    }
    return () => made.get(reference.temp) || refuse("not_made", kind, reference.temp);
  }
  // What is made stands last, what is moved stands first, except below a task.
  function taskPlace(place, edge) {
    if (place.inbox) return () => inbox[edge];
    if (place.project !== undefined) {
      const project = place.project.temp === undefined ? findProject(place.project) : null;
      return () => (project === null ? referred("project", place.project)() : project)[edge];
    }
    if (place.task !== undefined) {
      const parent = referred("task", place.task);
      return () => parent().ending;
    }
    return null;
  }
  function folderPlace(place, edge) {
    if (place.folder === undefined) return () => library[edge];
    const folder = findFolder(place.folder);
    return () => folder[edge];
  }

  // ---- applying

  // What was made, newest last.
  const undoable = [];

  function setScalars(item, set) {
    if (set.name !== undefined) item.name = set.name;
    if (set.note !== undefined) item.note = set.note;
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

  function setTags(item, change, row) {
    const created = [];
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
    if (created.length > 0) row.createdTags = created;
  }

  function ruleOf(rule) {
    if (rule === null) return null;
    const schedules = Task.RepetitionScheduleType, anchors = Task.AnchorDateKey;
    if (schedules === undefined || anchors === undefined) return new Task.RepetitionRule(rule.rule, Task.RepetitionMethod[rule.method]);
    return new Task.RepetitionRule(rule.rule, null, schedules[rule.schedule], anchors[rule.anchor], rule.catchUp);
  }

  function setStatus(kind, item, status) {
    if (kind === "project") {
      item.status = projectStates.find(([, word]) => word === status)[0];
    } else if (status === "completed") {
      item.markComplete();
    } else if (status === "dropped") {
      item.drop(true, new Date());
    } else {
      item.markIncomplete();
      if (present(item.dropDate)) item.active = true;
    }
  }

  // A review interval is a snapshot that nobody can make: read, alter, assign.
  function setReview(project, set) {
    if (set.review !== undefined) {
      const interval = project.reviewInterval;
      interval.steps = set.review.steps;
      interval.unit = set.review.unit;
      project.reviewInterval = interval;
    }
    if (set.reviewed !== undefined) project.lastReviewDate = date(set.reviewed);
    const last = project.lastReviewDate;
    if (set.nextReview !== undefined) project.nextReviewDate = date(set.nextReview);
    else project.nextReviewDate = after(present(last) ? last : new Date(), project.reviewInterval);
  }
  function after(from, interval) {
    const steps = interval.steps, unit = String(interval.unit).replace(/s$/, "");
    const [y, m, d] = [from.getFullYear(), from.getMonth(), from.getDate()];
    const at = (y, m, d) => new Date(y, m, d, from.getHours(), from.getMinutes(), from.getSeconds());
    if (unit === "day") return at(y, m, d + steps);
    if (unit === "week") return at(y, m, d + 7 * steps);
    const months = unit === "year" ? 12 * steps : steps;
    return at(y, m + months, Math.min(d, new Date(y, m + months + 1, 0).getDate()));
  }

  // What can fail without the rest being wrong: its failure is a warning of the step.
  function attempt(row, label, work) {
    try {
      work();
    } catch (error) {
      row.warnings.push(`${label}: ${present(error) && error.refusal ? told(error.refusal) : String((error && error.message) || error)}`);
    }
  }
  const told = (refusal) => `${refusal.reason.replace(/_/g, " ")}: ${refusal.what} ${JSON.stringify(refusal.value)}`;

  function change(kind, item, set, place, row) {
    setScalars(item, set);
    if (place !== null) attempt(row, "move", () => (kind === "project" ? moveSections([item], place()) : moveTasks([item], place())));
    if (set.tags !== undefined) attempt(row, "tags", () => setTags(item, set.tags, row));
    if (set.rule !== undefined) attempt(row, "repetitionRule", () => { item.repetitionRule = ruleOf(set.rule); });
    if (set.review !== undefined || set.reviewed !== undefined || set.nextReview !== undefined) attempt(row, "review", () => setReview(item, set));
    if (set.status !== undefined) attempt(row, "status", () => setStatus(kind, item, set.status));
  }

  // What OmniFocus says now against what it was told: a write that did not stick is said.
  function compare(item, set, row) {
    const check = (label, wanted, found) => { if (wanted !== undefined && wanted !== found) row.warnings.push(`${label}: set to ${JSON.stringify(wanted)}, reads back as ${JSON.stringify(found)}`); };
    const second = (time) => (time === undefined || time === null ? time : Math.floor(time / 1000));
    check("name", set.name, item.name);
    check("note", set.note, item.note);
    check("flagged", set.flagged, item.flagged);
    check("estimatedMinutes", set.estimate, orNull(item.estimatedMinutes));
    if (set.rule !== undefined && set.rule !== null && set.status === "completed") return;
    check("dueDate", second(set.due), second(time(item.dueDate)));
    check("deferDate", second(set.defer), second(time(item.deferDate)));
    check("plannedDate", second(set.planned), second(time(item.plannedDate)));
  }

  const makers = {
    task: (name, place) => new Task(name, place),
    project: (name, place) => new Project(name, place),
    folder: (name, place) => new Folder(name, place),
  };

  // Each resolves its step and returns what applies it.
  const doers = {
    create(step, row) {
      const place = step.kind === "task" ? taskPlace(step.at, "ending") : folderPlace(step.at, "ending");
      return () => {
        const item = makers[step.kind](step.name, place());
        undoable.push(item);
        if (step.temp !== undefined) made.set(step.temp, item);
        if (step.kind !== "folder") {
          change(step.kind, item, step.set, null, row);
          compare(item, step.set, row);
        }
        return item;
      };
    },
    update(step, row) {
      const find = referred(step.kind, step.id), move = step.set.move;
      const place = move === undefined ? null : move.top ? () => topOf(find()) : step.kind === "project" ? folderPlace(move, "beginning") : taskPlace(move, "beginning");
      if (move !== undefined && move.task !== undefined && step.id.temp === undefined && move.task.temp === undefined) {
        for (let up = findTask(move.task.id); present(up); up = up.parent) if (key(up) === step.id.id) refuse("cycle", "task", move.task.id);
      }
      return () => {
        const item = find();
        change(step.kind, item, step.set, place, row);
        compare(item, step.set, row);
        return item;
      };
    },
    complete(step, row) {
      const find = referred(step.kind, step.id);
      return () => {
        const item = find(), repeats = present(item.repetitionRule);
        const done = step.when === null ? item.markComplete() : item.markComplete(date(step.when));
        const finished = step.kind === "project" ? (present(done) && present(done.project) ? done.project : item) : done || item;
        if (repeats && key(finished) !== key(item)) row.next = show[step.kind](item);
        return finished;
      };
    },
    delete(step, row) {
      if (!fixed.mayDelete) refuse("not_allowed", "operation", "delete");
      const find = referred(step.kind, step.id);
      return () => {
        const item = find(), gone = { id: key(item), name: item.name };
        deleteObject(item);
        row.deleted = gone;
        return null;
      };
    },
    tag: (step, row) => tagDoers[step.action](step, row),
  };

  // Back to the top of what contains it: its project, or the inbox.
  const topOf = (task) => (present(task.containingProject) ? task.containingProject.ending : inbox.ending);

  const taken = (level, name, except) => Array.from(level).some((tag) => tag !== except && tag.name === name);
  const tagDoers = {
    create(step, row) {
      if (step.under === null && lookTag(step.name) !== null) refuse("exists", "tag", step.name);
      const above = step.under === null ? null : findTag(step.under);
      if (above !== null && taken(above.children, step.name)) refuse("exists", "tag", step.name);
      return () => {
        const created = [];
        if (above === null) {
          const tag = needTag(step.name, created);
          row.createdTags = created;
          return tag;
        }
        const tag = new Tag(step.name, above);
        undoable.push(tag);
        return tag;
      };
    },
    rename(step) {
      const tag = findTag(step.name);
      if (taken(present(tag.parent) ? tag.parent.children : tags, step.to, tag)) refuse("exists", "tag", step.to);
      return () => { tag.name = step.to; return tag; };
    },
    nest(step) {
      const tag = findTag(step.name), above = findTag(step.under);
      for (let up = above; present(up); up = up.parent) if (up === tag) refuse("cycle", "tag", step.under);
      if (taken(above.children, tag.name, tag)) refuse("exists", "tag", tag.name);
      return () => { moveTags([tag], above); return tag; };
    },
    unnest(step) {
      const tag = findTag(step.name);
      if (taken(tags, tag.name, tag)) refuse("exists", "tag", tag.name);
      return () => { moveTags([tag], tags.ending); return tag; };
    },
    set(step, row) {
      const tag = findTag(step.name);
      return () => {
        if (step.status !== undefined) tag.status = tagStates.find(([, word]) => word === step.status)[0];
        if (step.exclusive !== undefined) {
          if (tag.childrenAreMutuallyExclusive === undefined) row.warnings.push("exclusive: this OmniFocus has no exclusive tags");
          else tag.childrenAreMutuallyExclusive = step.exclusive;
        }
        return tag;
      };
    },
    delete(step, row) {
      if (!fixed.mayDelete) refuse("not_allowed", "action", "delete");
      const tag = findTag(step.name);
      return () => remove(tag, row);
    },
    merge(step, row) {
      if (!fixed.mayDelete) refuse("not_allowed", "action", "merge");
      const tag = findTag(step.name), target = findTag(step.to);
      for (let up = target; present(up); up = up.parent) if (up === tag) refuse("cycle", "tag", step.to);
      return () => {
        const tasks = Array.from(tag.tasks);
        for (const task of tasks) { task.addTag(target); task.removeTag(tag); }
        for (const child of Array.from(tag.children)) moveTags([child], target);
        remove(tag, row);
        row.retagged = tasks.length;
        return target;
      };
    },
  };
  function remove(tag, row) {
    row.deleted = { id: key(tag), name: tag.name };
    deleteObject(tag);
    return null;
  }

  // ---- the program

  const rows = program.steps.map((step, at) => ({ at, success: false, warnings: [] }));
  const failed = (row, error) => {
    row.error = present(error) && error.refusal !== undefined ? error.refusal : { reason: "failed", what: "step", value: String((error && error.message) || error), near: [] };
  };

  // First everything is found that is to be changed; a program that names what is not there changes nothing.
  const work = program.steps.map((step, at) => {
    try {
      return doers[step.do](step, rows[at]);
    } catch (error) {
      failed(rows[at], error);
      return null;
    }
  });
  const wrong = rows.find((row) => row.error !== undefined);
  if (wrong !== undefined && (program.stop || program.atomic)) return { refused: wrong.at, rows };

  let stopped = false;
  program.steps.forEach((step, at) => {
    const row = rows[at];
    if (stopped || work[at] === null) {
      if (stopped) row.skipped = true;
      return;
    }
    try {
      const item = work[at]();
      row.success = true;
      if (item !== null) row.item = () => show[step.do === "tag" ? "tag" : step.kind](item);
    } catch (error) {
      failed(row, error);
      if (program.stop || program.atomic) stopped = true;
    }
  });

  // Only what was made can be taken back; what that leaves behind is told.
  const result = { rows };
  if (program.atomic && rows.some((row) => row.error !== undefined)) {
    const left = [];
    for (const item of undoable.reverse()) {
      const id = key(item), name = item.name;
      try {
        deleteObject(item);
      } catch (error) {
        left.push({ id, name, why: String((error && error.message) || error) });
      }
    }
    result.rolledBack = { left, kept: rows.filter((row) => row.success && program.steps[row.at].do !== "create").map((row) => row.at) };
    for (const row of rows) {
      if (program.steps[row.at].do !== "create" || !row.success) continue;
      rows[row.at] = { at: row.at, success: false, rolledBack: true, warnings: [] };
    }
  }
  for (const row of rows) if (row.item !== undefined) row.item = row.item();
  if (program.more && !stopped) result.carry = { made: Object.fromEntries(Array.from(made, ([temp, item]) => [temp, key(item)])) };
  return result;
}
