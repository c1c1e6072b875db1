// Corrects local times. The engine looks up the offset for the civil time as if it were UTC, so its local times are
// an hour off around each clock change.
(function () {
  "use strict";
  const Native = Date,
    own = Native.prototype,
    read = Native.parse,
    DAY = 86400000;
  const offset = (time) => -own.getTimezoneOffset.call(new Native(time)) * 60000;
  // A time that occurs twice means the first one. A time that the clocks skip uses the offset before the change.
  function instant(civil) {
    const before = civil - offset(civil - DAY),
      after = civil - offset(civil + DAY);
    return before + offset(before) !== civil && after + offset(after) === civil ? after : before;
  }
  const ZONED = /(?:Z|[+-]\d\d:?\d\d|\b(?:GMT|UTC?|[ECMP][SD]T)\b.*)$/i,
    ISO = /^[+-]?\d{4,6}(?:-\d\d){0,2}(T)?/;
  function parse(text) {
    const iso = ISO.exec(text);
    // A date without a time is in UTC.
    if (ZONED.test(text) || (iso !== null && iso[0].length === text.length)) return read(text);
    const civil = read(text + (iso !== null && iso[1] ? "Z" : " UTC"));
    return Number.isNaN(civil) ? read(text) : instant(civil);
  }
  const timeOf = (value) => (typeof value === "string" ? parse(value) : value);
  const made = (values) => (values.length < 2 ? values.map(timeOf) : [instant(Native.UTC(...values))]);
  const Local = new Proxy(Native, {
    construct: (_, values, target) => Reflect.construct(Native, made(values), target),
  });
  for (const part of ["FullYear", "Month", "Date", "Hours", "Minutes", "Seconds", "Milliseconds"]) {
    const change = own["setUTC" + part];
    const value = function (...values) {
      const civil = new Native(this.getTime() + offset(this.getTime()));
      change.apply(civil, values);
      return this.setTime(instant(civil.getTime()));
    };
    Object.defineProperty(own, "set" + part, { value: value, writable: true, configurable: true });
  }
  Object.defineProperty(Native, "parse", { value: (text) => parse(String(text)), writable: true, configurable: true });
  Object.defineProperty(own, "constructor", { value: Local, writable: true, configurable: true });
  Object.defineProperty(globalThis, "Date", { value: Local, writable: true, configurable: true });
})
