// Derives the status of a task from its place: whether it can be done, and by when.
const SOON = 172800;
const projectOf = (row) => {
  for (let up = row; up; up = parentOf(up)) if (up.c === "project") return up;
  return null;
};
// Walks up from a task through its parents to the root task of its project, until a value is found.
function above(row, key) {
  for (let up = row; isTask(up); up = rows.get(up.p)) if (up[key] !== null && up[key] !== undefined) return up[key];
  return null;
}
function extreme(row, key, choose) {
  let found = null;
  for (let up = row; isTask(up); up = rows.get(up.p)) {
    const value = up[key];
    if (value !== null && value !== undefined) found = found === null ? value : choose(found, value);
  }
  return found;
}
const statusName = (project) => project?.status ?? "active status";
function folderDropped(row) {
  for (let up = row; up; up = parentOf(up)) if (up.c === "folder" && up.hidden === true) return true;
  return false;
}
const effective = {
  completed: (row) => above(row, "completion date"),
  dropped: (row) => above(row, "dropped date"),
  due: (row) => extreme(row, "due date", Math.min),
  defer: (row) => extreme(row, "defer date", Math.max),
  planned: (row) => above(row, "planned date"),
  flagged: (row) => {
    for (let up = row; isTask(up); up = rows.get(up.p)) if (up.flagged === true) return true;
    return false;
  },
};
const isDone = (row) => effective.completed(row) !== null || statusName(projectOf(row)) === "done status";
function isDropped(row) {
  const project = projectOf(row);
  return (
    effective.dropped(row) !== null ||
    (project !== null && (project.status === "dropped status" || folderDropped(project)))
  );
}
const isRemaining = (row) => term(row, "completion date") === null && term(row, "dropped date") === null;

// A tag on hold blocks the tasks that have it, and those with tags below it.
const heldTags = remembered(
  () =>
    new Set(
      allTags()
        .filter((row) => {
          for (let up = row; up && up.c === "tag"; up = parentOf(up))
            if (up["allows next action"] === false) return true;
          return false;
        })
        .map((row) => row.i),
    ),
);

const isHeld = (row) => statusName(projectOf(row)) === "on hold status";
function isBlocked(row, now) {
  const project = projectOf(row);
  if (isHeld(row)) return true;
  const defer = effective.defer(row);
  if (defer !== null && defer > now) return true;
  if ((row[".tag"] ?? []).some((tag) => heldTags().has(tag))) return true;
  if (list(row, "task").some((id) => isRemaining(rows.get(id)))) return true;
  return waits(row, project);
}
// Whether an earlier item in a sequence is not done yet.
function waits(row, project) {
  let branch = row;
  for (let up = parentOf(row); isTask(up); branch = up, up = parentOf(up)) {
    if (up.sequential !== true || (project && parentOf(up) === project && project["singleton action holder"] === true))
      continue;
    const firstLeft = list(up, "task").find((id) => isRemaining(rows.get(id)));
    if (firstLeft !== branch.i) return true;
  }
  return false;
}
// The next task of each project.
const nextTasks = remembered(() => new Map());
function nextOf(project) {
  const known = nextTasks();
  if (!known.has(project.i)) known.set(project.i, findNext(rootOf(project), moment()));
  return known.get(project.i);
}
function findNext(row, now) {
  for (const each of subtasks(row)) {
    if (!isRemaining(each)) continue;
    const found = list(each, "task").some((id) => isRemaining(rows.get(id)))
      ? findNext(each, now)
      : isBlocked(each, now)
        ? null
        : each;
    if (found) return found;
  }
  return null;
}
// The current time does not advance until the next change.
const moment = remembered(nowSeconds);
const statuses = remembered(() => new Map());
function statusOf(row) {
  const known = statuses();
  if (!known.has(row.i)) known.set(row.i, findStatus(row, moment()));
  return known.get(row.i);
}
function findStatus(row, now) {
  if (isDone(row)) return TaskStatus.Completed;
  if (isDropped(row)) return TaskStatus.Dropped;
  // A due task shows that even if it is blocked, deferred or has open subtasks. Only a project on hold takes
  // precedence.
  const due = effective.due(row);
  if (due !== null && due < now + SOON && !isHeld(row)) return due < now ? TaskStatus.Overdue : TaskStatus.DueSoon;
  if (isBlocked(row, now)) return TaskStatus.Blocked;
  const project = projectOf(row);
  const next = project !== null && project["singleton action holder"] !== true && nextOf(project) === row;
  return next ? TaskStatus.Next : TaskStatus.Available;
}
const isAvailable = (row) => ![TaskStatus.Completed, TaskStatus.Dropped, TaskStatus.Blocked].includes(statusOf(row));
const isLeft = (row) => !isDone(row) && !isDropped(row);
