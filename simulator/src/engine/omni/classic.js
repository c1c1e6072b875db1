// The commands of the app's dictionary. Objects are numbers, and dates are local seconds.
const each = (ids) => ids.map((id) => rows.get(id));
// Where a command puts something: at the end of a list, or beside a named element.
function located(place, owner, Type = TaskLocation) {
  const { edge = "end", beside } = place ?? {};
  if (beside === undefined) return placed(Type, edge === "beginning" ? edge : "ending", owner);
  return placed(Type, edge, rows.get(beside));
}
const classic = {
  complete: (ids, date) =>
    each(ids).map(
      (row) =>
        (row.c === "project" ? completeProject(row, date ?? nowSeconds()) : complete(row, date ?? nowSeconds())).i,
    ),
  reopen: (ids) => each(ids).forEach((row) => (row.c === "project" ? setStatus(row, "active status") : reopen(row))),
  drop: (ids, date) =>
    each(ids).forEach((row) =>
      row.c === "project" ? setStatus(row, "dropped status", date ?? undefined) : give(row, true, date ?? nowSeconds()),
    ),
  remove: (ids) => each(ids).forEach((row) => erase(isTask(row) && isRoot(row) ? parentOf(row) : row)),
  status: (ids, name) => each(ids).forEach((row) => setStatus(row, name)),
  move: (ids, to, place) => {
    const all = each(ids),
      kind = isTask(all[0]) ? kinds.task : all[0].c === "tag" ? kinds.tag : kinds.section;
    moveAll(all, located(place, rows.get(to)), kind);
  },
  make: (kind, at, name, place) => {
    const of = at === null ? database : rows.get(at);
    const position = (owner, Type) => located(place, owner, Type);
    switch (kind) {
      case "project":
        return newProject(resolvePlace(position(of), kinds.section), name).i;
      case "folder":
        return new Folder(name, of === database && place === null ? null : position(of, FolderLocation))[ROW].i;
      case "tag":
        return new Tag(name, of === database && place === null ? null : position(of, TagLocation))[ROW].i;
      default: {
        const home = taskHome(of);
        return newTask(home, taskList(home), resolvePlace(position(home), kinds.task).at, name).i;
      }
    }
  },
  root: (id) => rootOf(rows.get(id)).i,
  tag: (ids, tag) => each(ids).forEach((row) => mark(taskHome(row), [rows.get(tag)])),
  // The new first tag takes the place of the old one; the others stay.
  primary: (ids, tag) =>
    each(ids).forEach((row) => {
      const task = taskHome(row),
        rest = (task[".tag"] ?? []).slice(1).map((id) => rows.get(id));
      setTags(task, []);
      mark(task, (tag === null ? rest : [rows.get(tag), ...rest]).filter(Boolean));
    }),
  untag: (ids, tag) => each(ids).forEach((row) => unmark(taskHome(row), [rows.get(tag)])),
  blocked: (ids) => each(ids).map((row) => isBlocked(taskHome(row), nowSeconds())),
  next: (ids) =>
    each(ids).map(
      (row) => projectOf(row) !== null && statusOf(row) !== TaskStatus.Completed && nextOf(projectOf(row)) === row,
    ),
  nextTask: (ids) => each(ids).map((row) => nextOf(row)?.i ?? null),
  available: (ids) => each(ids).map((row) => subtasks(taskHome(row)).filter(isAvailable).length),
  availableOfTag: (ids) => each(ids).map((row) => ofTag(row).filter(isAvailable).length),
  availableTasksOfTag: (ids) =>
    each(ids).map((row) =>
      ofTag(row)
        .filter(isAvailable)
        .map((task) => task.i),
    ),
  remainingOfTag: (ids) => each(ids).map((row) => ofTag(row).filter(isLeft).length),
  parse: (text, single) => parseTransport(text, single).map((task) => task[ROW].i),
};
return {
  outward: (value) => JSON.stringify(outward(value)),
  fireNext,
  classic: (name, given) => JSON.stringify(classic[name](...JSON.parse(given)) ?? null),
};
