// The zone of this Mac, for what the core works out by the calendar.

const DAY = 86400000;
// When the offset of this Mac's zone changes, and to what. After so long a time its rules are not known anyway.
const ZONE_KNOWN = 50 * 366 * DAY;
// No zone changes its offset twice within so long a time.
const ZONE_STEP = 14 * DAY;
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
