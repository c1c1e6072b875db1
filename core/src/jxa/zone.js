// The time zone of this Mac, for the core's calculations with the calendar.

const DAY = 86400000;
// Later changes are not looked for: governments announce them a few years ahead, and 50 years take 3,000 steps.
const ZONE_KNOWN = 50 * 366 * DAY;
// Two changes of the offset are at least seven days less an hour apart, so a step contains one at most.
// Source: the tz database since 1990; Boa Vista in October 2000, Gaza in October 2040.
const ZONE_STEP = 6 * DAY;
// When the offset of this Mac's time zone changes, and to what.
const zoneOf = (from, until) => {
  const to = Math.min(until, from + ZONE_KNOWN);
  const offset = (time) => -new Date(time).getTimezoneOffset() * 60000;
  let time = Math.floor(from / DAY) * DAY;
  const changes = [[time, offset(time)]];
  for (; time < to; time += ZONE_STEP) {
    let before = time,
      after = time + ZONE_STEP;
    if (offset(before) === offset(after)) continue;
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (offset(middle) === offset(before)) before = middle;
      else after = middle;
    }
    changes.push([after, offset(after)]);
  }
  return changes;
};
