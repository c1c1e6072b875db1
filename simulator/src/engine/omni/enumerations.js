// Enumerations: constants that can be compared, and whose value can be seen only as text.
class Constant {}
Object.defineProperty(Constant.prototype, "toString", {
  value() {
    return `[object ${this[ROW].owner}: ${this[ROW].name}]`;
  },
});
Object.defineProperty(Constant.prototype, "name", {
  get() {
    return this[ROW].shown;
  },
});

function enumeration(owner, names, shown = {}) {
  const type = function () {
    throw new TypeError(`${owner} has no constructor`);
  };
  const all = [];
  for (const name of names) {
    const value = Object.create(Constant.prototype);
    Object.defineProperty(value, ROW, { value: { owner, name, shown: shown[name] } });
    Object.defineProperty(type, name, { value, enumerable: true });
    all.push(value);
  }
  Object.defineProperty(type, "all", { get: () => all.slice() });
  Object.defineProperty(type, "name", { value: owner });
  Object.defineProperty(type, Symbol.hasInstance, { value: (value) => all.includes(value) });
  return type;
}
const TaskStatus = enumeration("Task.Status", [
  "Available",
  "Blocked",
  "Completed",
  "Dropped",
  "DueSoon",
  "Next",
  "Overdue",
]);
const ProjectStatus = enumeration("Project.Status", ["Active", "Done", "Dropped", "OnHold"]);
const TagStatus = enumeration("Tag.Status", ["Active", "Dropped", "OnHold"]);
const FolderStatus = enumeration("Folder.Status", ["Active", "Dropped"]);
const RepetitionMethod = enumeration("Task.RepetitionMethod", ["DeferUntilDate", "DueDate", "Fixed", "None"]);
const ScheduleType = enumeration("Task.RepetitionScheduleType", ["FromCompletion", "None", "Regularly"]);
const AnchorDateKey = enumeration("Task.AnchorDateKey", ["DeferDate", "DueDate", "PlannedDate"]);
const ApplyResult = enumeration("ApplyResult", ["SkipChildren", "SkipPeers", "Stop"]);
