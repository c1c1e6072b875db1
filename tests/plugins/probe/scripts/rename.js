// Renames the first task; answers its old name and its new one.
(data) => {
  const task = flattenedTasks[0],
    old = task.name;
  task.name = data.name;
  return [old, task.name];
}
