() => flattenedTasks.length
