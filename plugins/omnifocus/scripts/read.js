// Interprets one program inside OmniFocus and returns what it asked for. A program is data: `{now, queries}`. A query
// says which items it searches, which of them match, and what to return about the matches. Nothing here writes, and no
// part of the program becomes source text. Times are milliseconds since 1970.
//
//   query      {from, ids, roots, needs: {property: version}, where, counts, stats, groups, rows}
//   where      a predicate: a list that begins with a word of `makers`
//   counts     {label: predicate}
//   stats      {label: [word of `summaries`, field, predicate or null]}
//   groups     {label: {by, where, counts, stats, sort, most}}
//   rows       {fields, sort: [[field, 1 or -1]], offset, limit, text, sections: [[label, predicate]] or none} or
//              {fields, suggest, offset, limit, text}
(program) => {
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
    folderState,
    projectState,
    tagState,
    near,
    segments,
  } = shared;
  const DAY = 86400000;
  // The maximum number of milliseconds that regular expressions may take in one run.
  const PATIENCE = 5000;
  let trying = 0;
  const now = program.now;
  const warnings = [];

  // ---- reading the model

  const S = Task.Status;
  const isOpen = (task) => shared.isAvailable(task, now);

  function repetitionRule(item) {
    const rule = shared.repetition(item);
    return rule === null ? null : Object.assign(rule, { method: word(item.repetitionRule.method) });
  }

  // The notifications, attachments and files of a task or project.
  const hangings = {
    isRepeating: (item) => present(item.repetitionRule),
    notifications: (item) =>
      Array.from(item.notifications, (alert) => {
        const kind = word(alert.kind),
          told = { kind, at: time(alert.initialFireDate) };
        return kind === "DueRelative" ? Object.assign(told, { minutes: alert.relativeFireOffset / 60 }) : told;
      }),
    attachments: (item) => Array.from(item.attachments, (file) => orNull(file.preferredFilename || file.filename)),
    linkedFiles: (item) => Array.from(item.linkedFileURLs, (url) => url.string),
  };
  const nextOccurrence = (item) => shared.nextOccurrence(item, now);
  const link = (id) => `omnifocus:///task/${encodeURIComponent(id)}`;

  // The root of a project is itself a task. A caller sees it as the project and not as a parent.
  function parentOf(task) {
    const parent = task.parent;
    return !present(parent) || isRoot(parent) ? null : parent;
  }

  let tagName = null;
  function names(tags) {
    tagName = tagName || shared.tagNames();
    return Array.from(tags, tagName);
  }
  const whole = (from, to) => (from === null || to === null ? null : Math.floor((to - from) / DAY));
  const born = (item) => {
    const added = time(item.added);
    return added === null ? time(item.modified) : added;
  };

  function taskCounts(project) {
    const counts = { total: 0, available: 0, completed: 0 };
    for (const task of project.flattenedTasks) {
      if (isRoot(task)) continue;
      counts.total += 1;
      if (isOpen(task)) counts.available += 1;
      if (taskState(task) === "completed") counts.completed += 1;
    }
    return counts;
  }

  // Whether a project is active and nothing in it is available. A project that is deferred waits for its day.
  function stalled(project) {
    if (projectState(project) !== "active" || time(project.effectiveDeferDate) > now) return false;
    return !project.flattenedTasks.some((task) => !isRoot(task) && isOpen(task));
  }

  function interval(project) {
    const interval = project.reviewInterval;
    return !present(interval) ? null : { unit: word(interval.unit).replace(/s$/, ""), steps: interval.steps };
  }

  // Each field of each kind, computed only where a program asks for it.
  const fields = {
    tasks: {
      id: key,
      name: (task) => task.name,
      note: (task) => task.note,
      hasNote: (task) => task.note !== "",
      status: taskState,
      completed: (task) => taskState(task) === "completed",
      flagged: (task) => task.flagged,
      available: isOpen,
      blocked: (task) => shared.isBlocked(task, now),
      estimatedMinutes: (task) => orNull(task.estimatedMinutes),
      dueDate: (task) => time(task.dueDate),
      deferDate: (task) => time(task.deferDate),
      plannedDate: (task) => time(task.plannedDate),
      effectiveDueDate: (task) => time(task.effectiveDueDate),
      // The nearest group or project that gives a task a due date that is not its own.
      dueFrom: (task) => {
        const due = time(task.effectiveDueDate);
        if (due === null || due === time(task.dueDate)) return null;
        for (let at = task.parent; present(at); at = at.parent)
          if (time(at.dueDate) === due)
            return isRoot(at) ? { project: at.name, id: key(at.project) } : { task: at.name, id: key(at) };
        return null;
      },
      effectiveDeferDate: (task) => time(task.effectiveDeferDate),
      effectivePlannedDate: (task) => time(task.effectivePlannedDate),
      effectiveFlagged: (task) => task.effectiveFlagged,
      completionDate: (task) => time(task.completionDate),
      dropDate: (task) => time(task.dropDate),
      added: (task) => time(task.added),
      modified: (task) => time(task.modified),
      projectId: (task) => key(task.containingProject),
      project: (task) => title(task.containingProject),
      tags: (task) => names(task.tags),
      repetitionRule,
      parentTaskId: (task) => key(parentOf(task)),
      parentTaskName: (task) => title(parentOf(task)),
      inInbox: (task) => task.inInbox,
      isProjectRoot: isRoot,
      sequential: (task) => task.sequential,
      ...hangings,
      nextOccurrence,
      childCount: (task) => task.children.length,
      depth: (task) => {
        let depth = 0;
        for (let at = parentOf(task); at !== null; at = parentOf(at)) depth += 1;
        return depth;
      },
      link: (task) => link(key(task)),
      // Values for analyses. A task has the due date of its project or group if it has no earlier one of its own.
      overdueDays: (task) => whole(time(task.effectiveDueDate), now),
      ageDays: (task) => whole(born(task), now),
      openAgeDays: (task) => (taskState(task) === "active" ? whole(born(task), now) : null),
      remainingMinutes: (task) => (taskState(task) === "active" ? orNull(task.estimatedMinutes) : null),
      taskStatus: (task) => word(task.taskStatus),
      daysLate: (task) => {
        const due = time(task.effectiveDueDate),
          done = time(task.completionDate);
        return whole(due, done === null ? time(task.dropDate) : done);
      },
      deferDays: (task) => whole(now, time(task.effectiveDeferDate)),
      completionHours: (task) => {
        const done = time(task.completionDate),
          began = time(task.added);
        return done === null || began === null || began > done ? null : (done - began) / 3600000;
      },
      noteHead: (task) => {
        const note = Array.from(task.note);
        return note.slice(0, 160).join("");
      },
    },
    projects: {
      id: key,
      name: (project) => project.name,
      note: (project) => project.note,
      hasNote: (project) => project.note !== "",
      status: projectState,
      completed: (project) => projectState(project) === "completed",
      flagged: (project) => project.flagged,
      dueDate: (project) => time(project.dueDate),
      deferDate: (project) => time(project.deferDate),
      plannedDate: (project) => time(project.plannedDate),
      effectiveDueDate: (project) => time(project.effectiveDueDate),
      effectiveDeferDate: (project) => time(project.effectiveDeferDate),
      effectivePlannedDate: (project) => time(project.effectivePlannedDate),
      effectiveFlagged: (project) => project.effectiveFlagged,
      completionDate: (project) => time(project.completionDate),
      added: (project) => time(project.task.added),
      modified: (project) => time(project.task.modified),
      folder: (project) => title(project.parentFolder),
      folderPath: (project) => path(project.parentFolder),
      folderId: (project) => key(project.parentFolder),
      sequential: (project) => project.sequential,
      lastReviewDate: (project) => time(project.lastReviewDate),
      nextReviewDate: (project) => time(project.nextReviewDate),
      reviewInterval: interval,
      defaultSingletonActionHolder: (project) => orNull(project.defaultSingletonActionHolder),
      singleActions: (project) => orNull(project.containsSingletonActions),
      tags: (project) => names(project.tags),
      estimatedMinutes: (project) => orNull(project.estimatedMinutes),
      repetitionRule,
      ...hangings,
      nextOccurrence,
      stalled,
      link: (project) => link(key(project.task)),
      taskCounts,
      nextTask: (project) => {
        const next = project.nextTask;
        return !present(next) ? null : { id: key(next), name: next.name };
      },
      reviewDays: (project) => whole(time(project.nextReviewDate), now),
      // A change of a task is also a change of its project.
      idleDays: (project) =>
        whole(
          Array.from(project.flattenedTasks).reduce(
            (last, task) => Math.max(last, time(task.modified)),
            time(project.task.modified),
          ),
          now,
        ),
    },
    tags: {
      id: key,
      name: (tag) => tag.name,
      status: tagState,
      parentId: (tag) => key(tag.parent),
      path,
      depth: (tag) => chain(tag).length - 1,
      allowsNextAction: (tag) => orNull(tag.allowsNextAction),
      childrenAreMutuallyExclusive: (tag) => orNull(tag.childrenAreMutuallyExclusive),
      // A tag of a project is also one of its root task.
      available: (tag) => tag.availableTasks.filter((task) => !isRoot(task) && isOpen(task)).length,
      remaining: (tag) => tag.remainingTasks.filter((task) => !isRoot(task)).length,
      total: (tag) => tag.tasks.filter((task) => !isRoot(task)).length,
    },
    folders: {
      id: key,
      name: (folder) => folder.name,
      status: folderState,
      depth: (folder) => chain(folder).length - 1,
      path,
      parentId: (folder) => key(folder.parent),
      childCount: (folder) => folder.folders.length,
      projectCount: (folder) => folder.projects.length,
      children: (folder) => Array.from(folder.folders, (child) => ({ id: key(child), name: child.name })),
    },
    perspectives: {
      name: (perspective) => perspective.name,
      type: (perspective) => (isCustom(perspective) ? "custom" : "builtin"),
      isBuiltIn: (perspective) => !isCustom(perspective),
      identifier: (perspective) => (isCustom(perspective) ? perspective.identifier : null),
      filterRules: (perspective) => guarded(perspective, "archivedFilterRules"),
      filterRuleCount: (perspective) => {
        const rules = guarded(perspective, "archivedFilterRules");
        return Array.isArray(rules) ? rules.length : null;
      },
      filterAggregation: (perspective) => guarded(perspective, "archivedTopLevelFilterAggregation"),
    },
  };

  const isCustom = (perspective) => typeof perspective.identifier === "string";

  // Many perspectives throw when their rules are read.
  function guarded(perspective, property) {
    if (!isCustom(perspective)) return null;
    try {
      return orNull(perspective[property]);
    } catch (error) {
      return null;
    }
  }

  const sources = {
    tasks: () => flattenedTasks,
    projects: () => flattenedProjects,
    tags: () => flattenedTags,
    folders: () => flattenedFolders,
    perspectives: () => Array.from(Perspective.BuiltIn.all).concat(Array.from(Perspective.Custom.all)),
  };

  function field(kind, name) {
    const read = fields[kind][name];
    if (read === undefined) refuse("unknown_field", kind, name);
    return read;
  }

  // ---- names to objects, once for each program

  // The first active project with this name, with a warning if several have it.
  function findProject(name, byId) {
    const { live, all } = byId ? projectOnly(name) : shared.projectsNamed(name);
    const chosen = (live.length > 0 ? live : all)[0];
    if (all.length > 1) {
      const candidates = all.map((project) => ({
        id: key(project),
        folder: path(project.parentFolder),
        status: projectState(project),
      }));
      warn({
        warning: "several projects have this name; the first live one was used, `projectId` chooses another",
        name,
        used: key(chosen),
        candidates,
      });
    }
    return chosen;
  }
  function projectOnly(id) {
    const known = shared.projectById(id);
    if (known === null) refuse("not_found", "project", id, near(id, flattenedProjects));
    return { live: [known], all: [known] };
  }

  // If several tags have one name, it means all of them; a path tells them apart. A tag alone does not mean the tags
  // below it, which surprises people if only those have tasks.
  function findTags(name, withBelow, isWanted) {
    const found = shared.tagsNamed(name),
      below = found.flatMap((tag) => Array.from(tag.flattenedTags)),
      isUsed = (tag) => tag.remainingTasks.length > 0;
    if (found.length === 0) refuse("not_found", "tag", name, near(name, flattenedTags));
    if (isWanted && !withBelow && !found.some(isUsed) && below.some(isUsed))
      warn({
        warning: "no remaining task has this tag itself, but tasks have tags below it; `below`: true adds those",
        tag: name,
        below: below.filter(isUsed).slice(0, 10).map(path),
      });
    return new Set((withBelow ? found.concat(below) : found).map(key));
  }

  // A condition may occur in several parts of a program; one warning is enough.
  function warn(warning) {
    const text = JSON.stringify(warning);
    if (!warnings.some((known) => JSON.stringify(known) === text)) warnings.push(warning);
  }

  // Every folder below the one with this id; otherwise below those with this name or path; otherwise, with a warning,
  // below each folder with a name that contains the text, or with a name and parents that contain its segments in
  // order. A name may contain a slash.
  function findFolders(text) {
    const split = segments(folded(text), /\s:\s|\//);
    const forms = split.includes("") ? [[folded(text)]] : [split, [folded(text)]];
    const holds = (folder, wanted, fits) => {
      let at = folder;
      for (let index = wanted.length - 1; index >= 0; index -= 1, at = at.parent) {
        if (!present(at) || !fits(folded(at.name), wanted[index])) return false;
      }
      return true;
    };
    const isSame = (name, wanted) => name === wanted,
      isPart = (name, wanted) => name.includes(wanted);
    const tests = [
      (folder) => key(folder) === text,
      (folder) => folded(path(folder)) === folded(text) || forms.some((form) => holds(folder, form, isSame)),
      (folder) => forms.some((form) => holds(folder, form, isPart)),
    ];
    const all = Array.from(flattenedFolders);
    let found = [];
    for (const test of tests) if (found.length === 0) found = all.filter(test);
    const roots = new Set(found.map(key));
    if (found.length > 0 && !tests[0](found[0]) && !tests[1](found[0]))
      warn({
        warning: "no folder has exactly this name; those with it in their names were used",
        name: text,
        used: found.slice(0, 10).map(path),
      });
    if (roots.size === 0) refuse("not_found", "folder", text, near(split[split.length - 1] || text, all));
    const below = new Set();
    for (const folder of all) {
      for (let at = folder; present(at); at = at.parent) {
        if (roots.has(key(at))) {
          below.add(key(folder));
          break;
        }
      }
    }
    return { roots, below };
  }

  // The error for an id that no item of a kind has; it may be the id of another kind.
  function noneWith(kind, id) {
    const others = { tasks: ["project", Project], projects: ["task", Task] };
    const [other, type] = others[kind] || [];
    const isOther = other !== undefined && present(type.byIdentifier(id));
    refuse(isOther ? "other_kind" : "not_found", kind.slice(0, -1), id, isOther ? [other] : []);
  }
  // The task with an id may be a project's root, which has the project's id.
  function findTask(id) {
    const found = Task.byIdentifier(id);
    if (!present(found)) noneWith("tasks", id);
    return found;
  }

  // The items with these ids, in this order. If only some exist, a warning names the others.
  function findAll(kind, ids, withRoots = true) {
    const find = (id) =>
      kind === "tasks"
        ? Task.byIdentifier(id)
        : kind === "projects"
          ? shared.projectById(id)
          : Array.from(sources[kind]()).find((item) => key(item) === id);
    const found = new Map(ids.map((id) => [id, find(id)])),
      missing = ids.filter((id) => !present(found.get(id)));
    if (missing.length === ids.length) noneWith(kind, ids[0]);
    const roots =
      kind === "tasks" && !withRoots ? ids.filter((id) => !missing.includes(id) && isRoot(found.get(id))) : [];
    if (roots.length === ids.length) refuse("other_kind", "task", ids[0], ["project"]);
    if (roots.length > 0) warn({ warning: "these are the ids of projects, and not of tasks", ids: roots });
    if (missing.length > 0) warn({ warning: `no ${kind.slice(0, -1)} has these ids`, ids: missing });
    return ids.map((id) => found.get(id)).filter(present);
  }

  const projectOf = (kind, item) => (kind === "projects" ? item : item.containingProject);
  const folderOf = (kind, item) => {
    if (kind === "folders") return orNull(item.parent);
    const project = projectOf(kind, item);
    return !present(project) ? null : orNull(project.parentFolder);
  };

  function pattern(source) {
    try {
      return new RegExp(source.normalize(), "i");
    } catch (error) {
      return refuse("bad_pattern", "pattern", source, [String(error.message)]);
    }
  }

  // ---- perspectives: the rules that the app keeps for custom ones

  const DATES = {
    due: "effectiveDueDate",
    defer: "effectiveDeferDate",
    planned: "effectivePlannedDate",
    added: "added",
    modified: "modified",
    completed: "completionDate",
    dropped: "dropDate",
  };
  // Whether a date is on the local day that is `days` from today; false if there is no date.
  function onDay(value, days) {
    if (!present(value)) return false;
    const today = new Date(now),
      day = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days);
    return (
      value.getFullYear() === day.getFullYear() &&
      value.getMonth() === day.getMonth() &&
      value.getDate() === day.getDate()
    );
  }
  const someDate = (task, days) => ["due", "defer", "planned"].some((name) => onDay(task[DATES[name]], days));
  const above = (task) => {
    const ids = [],
      project = task.containingProject;
    if (!present(project)) return ids;
    ids.push(key(project), key(project.task));
    for (let at = project.parentFolder; present(at); at = at.parent) ids.push(key(at));
    return ids;
  };
  const is = (test) => (wanted) => (typeof wanted === "boolean" ? (task) => test(task) === wanted : null);
  const oneOf = (tests) => (wanted) => tests[wanted] || null;
  const held = (test) => (wanted) => (Array.isArray(wanted) ? (task) => test(task, wanted) : null);
  const isFirst = (task) => {
    const project = task.containingProject;
    return (
      isOpen(task) && (project === null || project.containsSingletonActions || key(project.nextTask) === key(task))
    );
  };
  const tagIds = (task) => Array.from(task.tags, key);
  const withProject = (test) => (task) => {
    const project = task.containingProject;
    return project !== null && test(project);
  };

  // Each kind of rule by its key: turns the rule's value into a test of a task, or null for an unknown value.
  const rules = {
    actionAvailability: oneOf({
      available: isOpen,
      firstAvailable: isFirst,
      remaining: (task) => taskState(task) === "active",
      completed: (task) => taskState(task) === "completed",
      dropped: (task) => taskState(task) === "dropped",
    }),
    actionStatus: oneOf({
      due: (task) => task.taskStatus === S.Overdue || task.taskStatus === S.DueSoon,
      flagged: (task) => task.effectiveFlagged,
    }),
    actionHasDueDate: is((task) => time(task.effectiveDueDate) !== null),
    actionHasDeferDate: is((task) => time(task.effectiveDeferDate) !== null),
    actionHasPlannedDate: is((task) => time(task.effectivePlannedDate) !== null),
    actionHasDuration: is((task) => orNull(task.estimatedMinutes) !== null),
    actionHasNoDuration: is((task) => orNull(task.estimatedMinutes) === null),
    actionWithinDuration: (most) =>
      typeof most === "number"
        ? (task) => orNull(task.estimatedMinutes) !== null && task.estimatedMinutes <= most
        : null,
    actionIsUntagged: is((task) => task.tags.length === 0),
    actionHasAnyOfTags: held((task, wanted) => tagIds(task).some((id) => wanted.includes(id))),
    actionHasAllOfTags: held((task, wanted) => {
      const ids = tagIds(task);
      return wanted.every((id) => ids.includes(id));
    }),
    actionHasTagWithStatus: oneOf({
      active: (task) => task.tags.some((tag) => tagState(tag) === "active"),
      onHold: (task) => task.tags.some((tag) => tagState(tag) === "on_hold"),
      dropped: (task) => task.tags.some((tag) => tagState(tag) === "dropped"),
      remaining: (task) => task.tags.some((tag) => tagState(tag) !== "dropped"),
    }),
    actionHasNoProject: is((task) => orNull(task.containingProject) === null),
    actionIsInInbox: is((task) => task.inInbox),
    actionIsInSingleActionsList: is(withProject((project) => project.containsSingletonActions)),
    actionHasProjectWithStatus: oneOf({
      active: withProject((project) => projectState(project) === "active"),
      onHold: withProject((project) => projectState(project) === "on_hold"),
      completed: withProject((project) => projectState(project) === "completed"),
      dropped: withProject((project) => projectState(project) === "dropped"),
      remaining: withProject((project) => ["active", "on_hold"].includes(projectState(project))),
    }),
    actionWithinFocus: held((task, wanted) => above(task).some((id) => wanted.includes(id))),
    actionMatchingSearch: held((task, wanted) => {
      const text = folded(`${task.name}\n${task.note}`);
      return wanted.every((word) => text.includes(folded(String(word))));
    }),
    actionIsLeaf: is((task) => task.children.length === 0),
    actionIsGroup: is((task) => task.children.length > 0 && !isRoot(task)),
    actionIsProject: is(isRoot),
    actionIsProjectOrGroup: is((task) => isRoot(task) || task.children.length > 0),
    actionRepeats: is((task) => orNull(task.repetitionRule) !== null),
    actionHasDateToday: is((task) => someDate(task, 0)),
    actionHasDateYesterday: is((task) => someDate(task, -1)),
    actionHasDateTomorrow: is((task) => someDate(task, 1)),
  };
  const dayRules = { actionDateIsToday: 0, actionDateIsYesterday: -1, actionDateIsTomorrow: 1 };

  // The test of one rule; null if it is switched off, or if it is unknown. Unknown rules cause a warning.
  function ruleTest(rule, unknown) {
    if (rule.disabledRule !== undefined) return null;
    if (Array.isArray(rule.aggregateRules)) return together(rule.aggregateRules, rule.aggregateType, unknown);
    const tests = [],
      names = Object.keys(rule).filter((name) => name !== "comment");
    if (names.length === 1 && names[0] === "actionDateField") unknown.push(rule);
    for (const [name, value] of Object.entries(rule)) {
      if (name === "comment" || name === "actionDateField") continue;
      const field = DATES[rule.actionDateField];
      let test = Object.hasOwn(rules, name) ? rules[name](value) : null;
      if (dayRules[name] !== undefined && field !== undefined && value === true)
        test = (task) => onDay(task[field], dayRules[name]);
      if (test === null) unknown.push({ [name]: value });
      else tests.push(test);
    }
    return tests.length === 0 ? null : (task) => tests.every((test) => test(task));
  }
  function together(all, how, unknown) {
    const tests = all.map((rule) => ruleTest(rule, unknown)).filter((test) => test !== null);
    if (present(how) && !["all", "any", "none"].includes(how)) unknown.push({ aggregateType: how });
    if (tests.length === 0) return null;
    if (how === "any") return (task) => tests.some((test) => test(task));
    if (how === "none") return (task) => !tests.some((test) => test(task));
    return (task) => tests.every((test) => test(task));
  }
  function perspective(name) {
    const all = Array.from(Perspective.Custom.all),
      exact = all.filter((each) => each.identifier === name || each.name === name);
    const found = exact.length > 0 ? exact : all.filter((each) => folded(each.name) === folded(name));
    if (found.length !== 1)
      refuse(
        found.length === 0 ? "not_found" : "ambiguous",
        "perspective",
        name,
        found.length === 0 ? near(name, all) : found.map((each) => each.identifier),
      );
    const kept = guarded(found[0], "archivedFilterRules"),
      unknown = [];
    if (!Array.isArray(kept)) refuse("unreadable", "perspective", name);
    const test = together(kept, guarded(found[0], "archivedTopLevelFilterAggregation"), unknown);
    // Without any rule that is known, everything would look like the contents of the perspective.
    if (test === null && unknown.length > 0)
      refuse(
        "unknown_rules",
        "perspective",
        found[0].name,
        unknown.slice(0, 10).map((rule) => JSON.stringify(rule)),
      );
    if (unknown.length > 0)
      warnings.push({
        warning: "these rules of the perspective are not known and were left out, so OmniFocus may show others",
        perspective: found[0].name,
        rules: unknown,
      });
    return test === null ? () => true : test;
  }

  // Whether the query that is read has the root tasks of projects as rows.
  let rooted = false;

  // ---- predicates: true, false, or null if a text was too long to try

  const makers = {
    true: () => () => true,
    and: (kind, ...parts) => {
      const tests = parts.map((part) => make(kind, part));
      return (item) => {
        let result = true;
        for (const test of tests) {
          const found = test(item);
          if (found === false) return false;
          if (found === null) result = null;
        }
        return result;
      };
    },
    or: (kind, ...parts) => {
      const tests = parts.map((part) => make(kind, part));
      return (item) => {
        let result = false;
        for (const test of tests) {
          const found = test(item);
          if (found === true) return true;
          if (found === null) result = null;
        }
        return result;
      };
    },
    not: (kind, part) => {
      const test = make(kind, part);
      return (item) => {
        const found = test(item);
        return found === null ? null : !found;
      };
    },
    is: (kind, name, wanted) => {
      const read = field(kind, name);
      return (item) => read(item) === wanted;
    },
    among: (kind, name, wanted) => {
      const read = field(kind, name),
        set = new Set(wanted);
      return (item) => set.has(read(item));
    },
    exists: (kind, name, wanted) => {
      const read = field(kind, name);
      return (item) => (read(item) !== null) === wanted;
    },
    // Both ends are included. A missing value is in no range, so `not` holds for it.
    within: (kind, name, least, most) => {
      const read = field(kind, name);
      return (item) => {
        const value = read(item);
        return value !== null && (least === null || value >= least) && (most === null || value <= most);
      };
    },
    contains: (kind, within, term) => {
      const reads = within.map((name) => field(kind, name)),
        wanted = folded(term);
      return (item) => reads.some((read) => folded(read(item)).includes(wanted));
    },
    // Some expressions take time that grows with a power of the text's length. A text that could take seconds is not
    // tried: whether it matches is unknown, and a warning says so.
    matches: (kind, within, source, most) => {
      const reads = within.map((name) => field(kind, name)),
        wanted = pattern(source);
      const long = {
        warning: `texts of more than ${most} characters were not tried with the regular expression`,
        texts: 0,
      };
      return (item) => {
        let result = false;
        for (const read of reads) {
          const text = read(item).normalize();
          if (most !== null && text.length > most) {
            if ((long.texts += 1) === 1) warnings.push(long);
            result = null;
            continue;
          }
          const began = Date.now(),
            found = wanted.test(text);
          if ((trying += Date.now() - began) > PATIENCE) refuse("slow_pattern", "pattern", source);
          if (found) return true;
        }
        return result;
      };
    },
    tags: (kind, how, wanted, withBelow) => {
      const sets = wanted.map((name) => findTags(name, withBelow, how !== "none"));
      const has = (item, set) => {
        for (const tag of item.tags) if (set.has(key(tag))) return true;
        return false;
      };
      if (how === "all") return (item) => sets.every((set) => has(item, set));
      const either = new Set(sets.flatMap((set) => Array.from(set)));
      return how === "any" ? (item) => has(item, either) : (item) => !has(item, either);
    },
    tagged: (kind, source) => {
      const wanted = pattern(source);
      return (item) => {
        for (const tag of item.tags) if (wanted.test(tag.name.normalize())) return true;
        return false;
      };
    },
    named: (kind, wanted) => {
      const set = new Set(wanted.map(folded));
      return (item) => set.has(folded(item.name.trim()));
    },
    // Whether a task has the tag that the app shows in today's forecast; the user may not have chosen one.
    forecast_tag: () => {
      const wanted = key(Tag.forecastTag);
      return (item) => wanted !== null && item.tags.some((tag) => key(tag) === wanted);
    },
    project: (kind, name, byId) => {
      const wanted = key(findProject(name, byId));
      return (item) => key(projectOf(kind, item)) === wanted;
    },
    projects: (kind, wanted) => {
      const ids = new Set(wanted.map((name) => key(findProject(name, false))));
      return (item) => ids.has(key(projectOf(kind, item)));
    },
    parent: (kind, id) => {
      findTask(id);
      return (item) => key(item.parent) === id;
    },
    folder: (kind, text) => {
      const { below } = findFolders(text);
      return (item) => {
        const folder = folderOf(kind, item);
        return folder !== null && below.has(key(folder));
      };
    },
    top: (kind) => (item) => {
      const project = kind === "folders" ? item : projectOf(kind, item);
      return present(project) && folderOf(kind, item) === null;
    },
    perspective: (kind, name) => perspective(name),
    subtree: (kind, id) => {
      findTask(id);
      return (item) => {
        for (let at = item; at; at = at.parent) if (key(at) === id) return true;
        return false;
      };
    },
    ids: (kind, ids) => {
      const wanted = new Set(findAll(kind, ids, rooted).map(key));
      return (item) => wanted.has(key(item));
    },
  };

  function make(kind, part) {
    const maker = makers[part[0]];
    if (maker === undefined) refuse("unknown_predicate", kind, String(part[0]));
    return maker(kind, ...part.slice(1));
  }

  // ---- counting

  const summaries = {
    sum: (values) => values.reduce((sum, value) => sum + value, 0),
    mean: (values) => (values.length === 0 ? null : summaries.sum(values) / values.length),
    min: (values) => values.reduce((least, value) => (least === null || value < least ? value : least), null),
    max: (values) => values.reduce((most, value) => (most === null || value > most ? value : most), null),
    distinct: (values) => new Set(values).size,
    median: (values) => {
      if (values.length === 0) return null;
      const sorted = values.slice().sort((left, right) => left - right),
        middle = sorted.length >> 1;
      return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    },
  };

  // The counts and stats of all items that are added, in one compiled form.
  function meter(kind, counts, stats) {
    const tests = Object.entries(counts || {}).map(([label, part]) => [label, make(kind, part)]);
    const reads = Object.entries(stats || {}).map(([label, [how, name, part]]) => {
      return [label, summaries[how], field(kind, name), part ? make(kind, part) : () => true];
    });
    return () => {
      const counted = {},
        values = {};
      for (const [label] of tests) counted[label] = 0;
      for (const [label] of reads) values[label] = [];
      return {
        total: 0,
        add(item) {
          this.total += 1;
          for (const [label, test] of tests) if (test(item) === true) counted[label] += 1;
          for (const [label, , read, test] of reads) {
            const value = test(item) === true ? read(item) : null;
            if (value !== null) values[label].push(value);
          }
        },
        show() {
          const shown = {};
          for (const [label, summary] of reads) shown[label] = summary(values[label]);
          return { count: this.total, counts: counted, stats: shown };
        },
      };
    };
  }

  // The local day of an instant, by the offsets of the caller's zone.
  function localDay(instant) {
    let ahead = 0;
    for (const [from, offset] of program.offsets) {
      if (from > instant) break;
      ahead = offset;
    }
    return new Date(instant + ahead).toISOString().slice(0, 10);
  }

  // The groups to which an item belongs: a list of [key, name], because an item may be in several groups.
  function keys(kind, by) {
    const [how, name, bounds] = by;
    if (how === "project") return (item) => [[key(projectOf(kind, item)), title(projectOf(kind, item))]];
    if (how === "tag") return (item) => Array.from(item.tags, (tag) => [key(tag), tag.name]);
    const read = field(kind, name);
    const some = (value, show) => (value === null ? [] : [[show(value), null]]);
    if (how === "day") return (item) => some(read(item), localDay);
    if (how === "value") return (item) => some(read(item), (value) => value);
    // Each bound begins a span. A value below the first bound is in no group.
    return (item) =>
      some(read(item), (value) => {
        let index = -1;
        while (index + 1 < bounds.length && bounds[index + 1] <= value) index += 1;
        return index;
      }).filter(([index]) => index >= 0);
  }

  function grouping(kind, group) {
    const test = make(kind, group.where || ["true"]);
    const keysOf = keys(kind, group.by),
      fresh = meter(kind, group.counts, group.stats),
      found = new Map();
    return {
      add(item) {
        if (test(item) !== true) return;
        for (const [id, name] of keysOf(item)) {
          let entry = found.get(id);
          if (entry === undefined) {
            entry = { id, name, meter: fresh() };
            found.set(id, entry);
          }
          entry.meter.add(item);
        }
      },
      show() {
        const list = Array.from(found.values(), (entry) =>
          Object.assign({ key: entry.id, name: entry.name }, entry.meter.show()),
        );
        const [label, direction] = group.sort || ["key", 1];
        const at = (entry) =>
          label in entry ? entry[label] : label in entry.counts ? entry.counts[label] : entry.stats[label];
        list.sort((left, right) => compare(at(left), at(right), direction) || compare(left.name, right.name, 1));
        return { total: list.length, list: group.most === undefined ? list : list.slice(0, group.most) };
      },
    };
  }

  // ---- rows

  // Missing values come last in both directions.
  function compare(left, right, direction) {
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    return left < right ? -direction : left > right ? direction : 0;
  }

  function comparable(value) {
    if (typeof value === "string") return folded(value);
    if (Array.isArray(value)) return value.length === 0 ? null : value.join(", ").toLowerCase();
    if (value !== null && typeof value === "object") return JSON.stringify(value);
    return value;
  }

  function sorted(kind, items, order) {
    const reads = order.map(([name, direction]) => [field(kind, name), direction]);
    if (reads.length === 0) return items;
    const keyed = items.map((item) => [item, reads.map(([read]) => comparable(read(item)))]);
    keyed.sort((left, right) => {
      for (let index = 0; index < reads.length; index += 1) {
        const found = compare(left[1][index], right[1][index], reads[index][1]);
        if (found !== 0) return found;
      }
      return 0;
    });
    return keyed.map(([item]) => item);
  }

  // Suggestions: all matches get a score before the limit cuts any of them.
  function suggest(items, endOfToday) {
    const scored = [];
    for (const task of items) {
      const reasons = [],
        due = time(task.effectiveDueDate),
        minutes = orNull(task.estimatedMinutes);
      let score = 0;
      if (due !== null && due < now) {
        const days = Math.floor((now - due) / DAY);
        score += 100 + Math.min(10 * days, 200);
        reasons.push(`overdue_${days}d`);
      } else if (due !== null && due <= endOfToday) {
        score += 80;
        reasons.push("due_today");
      }
      if (task.effectiveFlagged) {
        score += 50;
        reasons.push("flagged");
      }
      if (isOpen(task)) {
        score += 30;
        reasons.push("available");
      }
      if (minutes !== null && minutes <= 15) {
        score += 20;
        reasons.push("quick_win");
      }
      if (score > 0) scored.push({ task, score, reasons });
    }
    return scored.sort((left, right) => right.score - left.score);
  }

  // A task that is due today is always among the suggestions, even if many tasks are overdue.
  function suggested(scored, rows) {
    const page = scored.slice(rows.offset, rows.offset + rows.limit);
    const isDue = (entry) => entry.reasons.includes("due_today");
    const due = scored.find(isDue);
    if (rows.offset === 0 && due !== undefined && !page.some(isDue)) {
      if (page.length >= rows.limit) page.pop();
      page.push(due);
    }
    return page;
  }

  function cut(text, most) {
    if (text.length <= most) return text;
    const letters = Array.from(text);
    return letters.length <= most ? text : `${letters.slice(0, most).join("")}...`;
  }

  function row(kind, rows) {
    const reads = rows.fields.map((name) => [name, field(kind, name)]);
    return (item) =>
      reads.map(([name, read]) => {
        const value = read(item);
        return name === "note" && rows.text !== null ? cut(value, rows.text) : value;
      });
  }

  // Whether this version's objects have a property. It looks at an instance, because the app's prototypes need not
  // have the properties of its objects. Null if there is no instance.
  function has(all, property) {
    for (const one of all) return one[property] !== undefined;
    return null;
  }

  // Puts each item into the first section that fits, and returns the first items of every section.
  function sectioned(kind, items, rows) {
    const tests = rows.sections.map(([label, part]) => [label, make(kind, part), []]);
    for (const item of items) {
      const section = tests.find(([, test]) => test(item) === true);
      if (section !== undefined) section[2].push(item);
    }
    return tests.map(([label, , all]) => ({ label, count: all.length, items: all.slice(0, rows.limit) }));
  }

  // ---- one query

  function answer(query) {
    const kind = query.from;
    rooted = query.roots === true;
    for (const [property, version] of Object.entries(query.needs || {})) {
      if (has(flattenedTasks, property) === false) refuse("too_old", property, version);
    }
    const test = make(kind, query.where),
      counted = meter(kind, query.counts, query.stats)();
    const groups = Object.entries(query.groups || {}).map(([label, group]) => [label, grouping(kind, group)]);
    const rows = query.rows,
      matching = [],
      take = rows === undefined ? null : row(kind, rows);
    for (const item of query.ids === undefined ? sources[kind]() : findAll(kind, query.ids)) {
      if (kind === "tasks" && !query.roots && isRoot(item)) continue;
      if (test(item) !== true) continue;
      counted.add(item);
      for (const [, group] of groups) group.add(item);
      if (take !== null) matching.push(item);
    }
    const shown = counted.show(),
      result = { total: shown.count, counts: shown.counts, stats: shown.stats, groups: {} };
    for (const [label, group] of groups) result.groups[label] = group.show();
    if (take === null) return result;
    if (rows.suggest === undefined) {
      const order = sorted(kind, matching, rows.sort || []);
      if (rows.sections === undefined) {
        result.rows = order.slice(rows.offset, rows.offset + rows.limit).map(take);
        return result;
      }
      const sections = sectioned(kind, order, rows);
      result.sections = sections.map((section) => ({
        label: section.label,
        count: section.count,
        rows: section.items.length,
      }));
      result.rows = sections.flatMap((section) => section.items).map(take);
      return result;
    }
    const scored = suggest(matching, rows.suggest);
    const page = suggested(scored, rows);
    result.scored = scored.length;
    result.rows = page.map((entry) => take(entry.task));
    result.reasons = page.map((entry) => entry.reasons);
    return result;
  }

  // The app's facts about itself; a member that this version lacks is null.
  function about() {
    const version = (read) => {
      try {
        return orNull(read().versionString);
      } catch (error) {
        return null;
      }
    };
    return {
      version: version(() => app.userVersion),
      build: version(() => app.buildVersion),
      features: {
        plannedDates: has(flattenedTasks, "plannedDate"),
        mutuallyExclusiveTags: has(flattenedTags, "childrenAreMutuallyExclusive"),
        repetitionSchedules: typeof Task.RepetitionScheduleType !== "undefined",
      },
    };
  }

  try {
    const result = { results: program.queries.map(answer) };
    if (program.about) result.about = about();
    if (warnings.length > 0) result.warnings = warnings;
    return result;
  } catch (error) {
    if (error !== null && typeof error === "object" && error.refusal !== undefined) return error;
    throw error;
  }
}
