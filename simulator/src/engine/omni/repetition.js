// Repetition rules, and their next occurrence.
const DAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const FREQUENCIES = ["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"];
const PARTS = ["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYSETPOS", "COUNT", "UNTIL", "WKST"];

function parseRule(text) {
  const parts = Object.fromEntries(
    text
      .split(";")
      .filter(Boolean)
      .map((part) => part.split("=")),
  );
  const unknown = Object.keys(parts).find((part) => !PARTS.includes(part));
  if (unknown !== undefined || !FREQUENCIES.includes(parts.FREQ)) return null;
  const days = (parts.BYDAY ?? "")
    .split(",")
    .filter(Boolean)
    .map((day) => /^([+-]?\d+)?(SU|MO|TU|WE|TH|FR|SA)$/.exec(day));
  const interval = Number(parts.INTERVAL ?? 1);
  if (days.includes(null) || !Number.isInteger(interval) || interval < 1) return null;
  return {
    frequency: parts.FREQ,
    interval,
    until: parts.UNTIL ? parseUntil(parts.UNTIL) : null,
    days: days.map(([, position, day]) => ({ position: position ? Number(position) : 0, day: DAYS.indexOf(day) })),
    monthDays: (parts.BYMONTHDAY ?? "").split(",").filter(Boolean).map(Number),
    positions: (parts.BYSETPOS ?? "").split(",").filter(Boolean).map(Number),
  };
}
function parseUntil(text) {
  const [, y, m, d] = /^(\d{4})(\d{2})(\d{2})/.exec(text) ?? [];
  return y ? new SystemDate(Number(y), Number(m) - 1, Number(d), 23, 59, 59) : null;
}

const at = (date, y, m, d) => new SystemDate(y, m, d, date.getHours(), date.getMinutes(), date.getSeconds());
const daysIn = (y, m) => new SystemDate(y, m + 1, 0).getDate();
function daysOfMonth(rule, y, m) {
  const last = daysIn(y, m),
    found = [];
  for (let d = 1; d <= last; d++) {
    const weekday = new SystemDate(y, m, d).getDay();
    const named = rule.days.some(
      ({ position, day }) =>
        day === weekday &&
        (position === 0 || position === Math.ceil(d / 7) || -position === Math.ceil((last - d + 1) / 7)),
    );
    const counted = rule.monthDays.some((each) => each === d || last + 1 + each === d);
    if (rule.days.length && rule.monthDays.length ? named && counted : named || counted) found.push(d);
  }
  return rule.positions.length
    ? rule.positions
        .map((each) => found.at(each > 0 ? each - 1 : each))
        .filter(Boolean)
        .sort((a, b) => a - b)
    : found;
}

// Returns the first occurrence after `after` of a rule that starts at `start`.
function following(rule, start, after) {
  const { frequency, interval } = rule;
  const step = { MINUTELY: 60e3, HOURLY: 3600e3 }[frequency];
  if (step)
    return new SystemDate(
      start.getTime() + Math.max(1, Math.floor((after - start) / (step * interval)) + 1) * step * interval,
    );
  for (let round = 0; round < 4000; round++) {
    for (const candidate of candidates(rule, start, round * interval))
      if (candidate > after && candidate > start) return candidate;
  }
  return null;
}
function candidates(rule, start, n) {
  const [y, m, d] = [start.getFullYear(), start.getMonth(), start.getDate()];
  switch (rule.frequency) {
    case "DAILY":
      return [at(start, y, m, d + n)];
    case "WEEKLY": {
      if (!rule.days.length) return [at(start, y, m, d + 7 * n)];
      const sunday = d - start.getDay() + 7 * n;
      return rule.days.map(({ day }) => at(start, y, m, sunday + day)).sort((a, b) => a - b);
    }
    case "MONTHLY":
      return month(rule, start, y + Math.floor((m + n) / 12), (m + n) % 12, d);
    default:
      return rule.days.length || rule.monthDays.length
        ? month(rule, start, y + n, m, d)
        : d <= daysIn(y + n, m)
          ? [at(start, y + n, m, d)]
          : [];
  }
}
function month(rule, start, y, m, d) {
  if (!rule.days.length && !rule.monthDays.length) return [at(start, y, m, Math.min(d, daysIn(y, m)))];
  return daysOfMonth(rule, y, m).map((day) => at(start, y, m, day));
}

class RepetitionRule {
  constructor(ruleString, method, scheduleType, anchorDateKey, catchUpAutomatically) {
    if (typeof ruleString !== "string" || parseRule(ruleString) === null)
      fail(`Task.RepetitionRule: the rule ${JSON.stringify(ruleString)} is not one that OmniFocus understands`);
    const check = (value, type, what) => {
      if (value !== null && value !== undefined && !(value instanceof type))
        fail(`Task.RepetitionRule: ${what} must be a ${type.name} or null, not ${describe(value)}`);
    };
    check(method, RepetitionMethod, "the method");
    check(scheduleType, ScheduleType, "the schedule type");
    check(anchorDateKey, AnchorDateKey, "the anchor date key");
    const schedule =
      scheduleType ??
      (method && method !== RepetitionMethod.Fixed ? ScheduleType.FromCompletion : ScheduleType.Regularly);
    const anchor =
      anchorDateKey ?? (method === RepetitionMethod.DeferUntilDate ? AnchorDateKey.DeferDate : AnchorDateKey.DueDate);
    Object.defineProperty(this, ROW, {
      value: { ruleString, schedule, anchor, catchUp: catchUpAutomatically ?? true },
    });
  }
  get ruleString() {
    return this[ROW].ruleString;
  }
  get scheduleType() {
    return this[ROW].schedule;
  }
  get anchorDateKey() {
    return this[ROW].anchor;
  }
  get catchUpAutomatically() {
    return this[ROW].catchUp;
  }
  get method() {
    const { schedule, anchor } = this[ROW];
    if (schedule === ScheduleType.Regularly) return RepetitionMethod.Fixed;
    return anchor === AnchorDateKey.DeferDate ? RepetitionMethod.DeferUntilDate : RepetitionMethod.DueDate;
  }
  firstDateAfterDate(date) {
    if (!isDate(date)) fail(`firstDateAfterDate expects a Date, not ${describe(date)}`);
    return following(parseRule(this.ruleString), date, date);
  }
}

const METHODS = {
  "fixed repetition": RepetitionMethod.Fixed,
  "start after completion": RepetitionMethod.DeferUntilDate,
  "due after completion": RepetitionMethod.DueDate,
};
function readRule(row) {
  const kept = term(row, "repetition rule");
  if (kept === null || !kept.recurrence) return null;
  const schedule = ScheduleType[row[".schedule"]] ?? null,
    anchor = AnchorDateKey[row[".anchor"]] ?? null;
  return new RepetitionRule(
    kept.recurrence,
    METHODS[kept.repetitionMethod] ?? RepetitionMethod.Fixed,
    schedule,
    anchor,
    row[".catch up"] ?? true,
  );
}
function writeRule(row, rule) {
  if (rule === null || rule === undefined) return write(row, "repetition rule", null);
  if (!(rule instanceof RepetitionRule))
    fail(`repetitionRule must be a Task.RepetitionRule or null, not ${describe(rule)}`);
  const method = Object.keys(METHODS).find((name) => METHODS[name] === rule.method);
  row["repetition rule"] = { recurrence: rule.ruleString, repetitionMethod: method };
  native.set(row.i, "repetition rule", JSON.stringify(wire.record(row["repetition rule"])));
  write(row, ".schedule", rule.scheduleType[ROW].name);
  write(row, ".anchor", rule.anchorDateKey[ROW].name);
  write(row, ".catch up", rule.catchUpAutomatically);
}

// Moves the dates of a repeating row to the next occurrence. Returns false if the rule has ended.
function advance(row, done) {
  const rule = readRule(row),
    parsed = parseRule(rule.ruleString);
  const terms = {
    [AnchorDateKey.DeferDate]: "defer date",
    [AnchorDateKey.DueDate]: "due date",
    [AnchorDateKey.PlannedDate]: "planned date",
  };
  const anchor = terms[rule.anchorDateKey];
  const old = toDate(term(row, anchor)) ?? done;
  const from =
    rule.scheduleType === ScheduleType.Regularly ? old : at(old, done.getFullYear(), done.getMonth(), done.getDate());
  const after = rule.scheduleType === ScheduleType.Regularly && rule.catchUpAutomatically && done > from ? done : from;
  const next = following(parsed, from, after);
  if (next === null || (parsed.until !== null && next > parsed.until)) return false;
  const moved = toSeconds(next) - toSeconds(old);
  for (const name of ["defer date", "due date", "planned date"])
    if (term(row, name) !== null) write(row, name, row[name] + moved, wire.date);
  if (term(row, anchor) === null) write(row, anchor, toSeconds(next), wire.date);
  return true;
}
