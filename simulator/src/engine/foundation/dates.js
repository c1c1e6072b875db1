// Dates in calendars, time zones and formats: the Gregorian calendar, English names, and zones by their offset from
// GMT.
(function (tools) {
  "use strict";
  const { VALUE, kind, object, classOf, nil, string, wrap, unwrap, text, time, number } = tools;
  const months = "January February March April May June July August September October November December".split(" ");
  const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  const two = (value) => String(value).padStart(2, "0");

  // A zone returns by how many minutes a date's wall clock is ahead of GMT.
  const local = (date) => -date.getTimezoneOffset();
  const zone = (name, ahead) => object("NSTimeZone", { name, ahead });
  const fixed = (seconds) =>
    zone(
      seconds === 0
        ? "GMT"
        : `GMT${seconds < 0 ? "-" : "+"}${two(Math.floor(Math.abs(seconds) / 3600))}${two(Math.floor((Math.abs(seconds) % 3600) / 60))}`,
      () => seconds / 60,
    );
  const localZone = () => zone("local", local);
  kind("NSTimeZone", {
    get: {
      name: (v) => string(v.name),
      secondsFromGMT: (v) => v.ahead(new Date()) * 60,
      abbreviation: (v) => string(v.name),
    },
    call: { secondsFromGMTForDate: (v, date) => v.ahead(time(date)) * 60 },
  });
  const named = (name) => (/^(UTC|GMT|Z)$/i.test(text(name)) ? fixed(0) : nil());
  classOf("NSTimeZone", {
    make: {
      timeZoneWithName: named,
      timeZoneWithAbbreviation: named,
      timeZoneForSecondsFromGMT: (seconds) => fixed(number(seconds)),
    },
    get: { localTimeZone: localZone, systemTimeZone: localZone, defaultTimeZone: localZone },
  });

  kind("NSLocale", {
    get: {
      localeIdentifier: (v) => string(v),
      languageCode: (v) => string(v.slice(0, 2)),
      countryCode: (v) => string(v.slice(3, 5)),
    },
    call: { objectForKey: (v) => string(v) },
  });
  const locale = (name) => object("NSLocale", text(name));
  classOf("NSLocale", {
    make: { localeWithLocaleIdentifier: locale },
    init: { initWithLocaleIdentifier: locale },
    get: {
      currentLocale: () => locale("en_US"),
      systemLocale: () => locale(""),
      autoupdatingCurrentLocale: () => locale("en_US"),
      preferredLanguages: () => wrap(["en-US"]),
    },
  });

  // Converts a date to the parts that a zone's wall clock shows, and back.
  const wall = (date, ahead) => new Date(date.getTime() + ahead(date) * 60000);
  function instant(parts, ahead) {
    const { year = 2000, month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0 } = parts;
    const guess = new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms));
    return new Date(guess.getTime() - ahead(new Date(guess.getTime() - ahead(guess) * 60000)) * 60000);
  }
  const offset = (minutes, colon) =>
    `${minutes < 0 ? "-" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}${colon ? ":" : ""}${two(Math.abs(minutes) % 60)}`;
  const week = (date) => {
    const thursday = new Date(
      Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 4 - (date.getUTCDay() || 7)),
    );
    return Math.ceil(((thursday - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / 86400000 + 1) / 7);
  };

  const tokens = /'((?:[^']|'')*)'|(y+|M+|L+|d+|E+|e+|a|H+|h+|k+|K+|m+|s+|S+|Z+|X+|x+|z+|w+|D+|Q+)|([^'])/g;
  function shown(token, d, minutes) {
    const count = token.length;
    switch (token[0]) {
      case "y":
        return count === 2 ? two(d.getUTCFullYear() % 100) : String(d.getUTCFullYear()).padStart(count, "0");
      case "M":
      case "L":
        return count > 3
          ? months[d.getUTCMonth()]
          : count === 3
            ? months[d.getUTCMonth()].slice(0, 3)
            : String(d.getUTCMonth() + 1).padStart(count, "0");
      case "d":
        return String(d.getUTCDate()).padStart(count, "0");
      case "E":
      case "e":
        return count > 3 ? days[d.getUTCDay()] : days[d.getUTCDay()].slice(0, 3);
      case "a":
        return d.getUTCHours() < 12 ? "AM" : "PM";
      case "H":
        return String(d.getUTCHours()).padStart(count, "0");
      case "h":
        return String(d.getUTCHours() % 12 || 12).padStart(count, "0");
      case "m":
        return String(d.getUTCMinutes()).padStart(count, "0");
      case "s":
        return String(d.getUTCSeconds()).padStart(count, "0");
      case "S":
        return String(d.getUTCMilliseconds()).padStart(3, "0").padEnd(count, "0").slice(0, count);
      case "Z":
        return count === 5
          ? minutes === 0
            ? "Z"
            : offset(minutes, true)
          : count === 4
            ? `GMT${offset(minutes, true)}`
            : offset(minutes, false);
      case "X":
        return minutes === 0
          ? "Z"
          : count === 1
            ? offset(minutes, false).slice(0, 3)
            : offset(minutes, count === 3 || count === 5);
      case "x":
        return offset(minutes, count === 3 || count === 5);
      case "z":
        return minutes === 0 ? "GMT" : `GMT${offset(minutes, true)}`;
      case "w":
        return String(week(d)).padStart(count, "0");
      case "D":
        return String(
          Math.floor(
            (Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate()) - Date.UTC(d.getUTCFullYear(), 0, 1)) /
              86400000,
          ) + 1,
        ).padStart(count, "0");
      case "Q":
        return String(Math.floor(d.getUTCMonth() / 3) + 1);
    }
    return token;
  }
  function format(pattern, date, ahead) {
    const d = wall(date, ahead);
    return pattern.replace(tokens, (all, quoted, token, plain) =>
      token
        ? shown(token, d, ahead(date))
        : quoted === undefined
          ? plain
          : quoted === ""
            ? "'"
            : quoted.replaceAll("''", "'"),
    );
  }
  const readers = {
    y: ["year", "(-?\\d+)"],
    d: ["day", "(\\d{1,2})"],
    H: ["hour", "(\\d{1,2})"],
    h: ["hour12", "(\\d{1,2})"],
    m: ["minute", "(\\d{1,2})"],
    s: ["second", "(\\d{1,2})"],
    S: ["fraction", "(\\d+)"],
    a: ["half", "(AM|PM|am|pm)"],
  };
  function parse(pattern, value, ahead) {
    const names = [];
    const source = pattern.replace(tokens, (all, quoted, token, plain) => {
      if (!token) return (quoted ?? plain).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      const [name, read] =
        token[0] === "M" || token[0] === "L"
          ? token.length > 2
            ? ["monthName", "([A-Za-z]+)"]
            : ["month", "(\\d{1,2})"]
          : token[0] === "E"
            ? ["ignored", "([A-Za-z]+)"]
            : "ZXxz".includes(token[0])
              ? ["offset", "(Z|GMT|UTC|(?:GMT)?[+-]\\d{2}:?\\d{2})"]
              : (readers[token[0]] ?? ["ignored", "(\\S+)"]);
      names.push(name);
      return token[0] === "y" && token.length >= 4
        ? "(\\d{4})"
        : token.length === 2 && "dHhmsM".includes(token[0])
          ? "(\\d{1,2})"
          : read;
    });
    const found = new RegExp(`^${source}$`).exec(value);
    if (!found) return null;
    const parts = {};
    names.forEach((name, at) => {
      parts[name] = found[at + 1];
    });
    const month = parts.monthName
      ? months.findIndex((each) => each.slice(0, 3).toLowerCase() === parts.monthName.slice(0, 3).toLowerCase()) + 1
      : Number(parts.month ?? 1);
    const hour = parts.hour12
      ? (Number(parts.hour12) % 12) + (/pm/i.test(parts.half ?? "") ? 12 : 0)
      : Number(parts.hour ?? 0);
    const whole = {
      year: Number(parts.year ?? 2000),
      month,
      day: Number(parts.day ?? 1),
      hour,
      minute: Number(parts.minute ?? 0),
      second: Number(parts.second ?? 0),
      ms: Number((parts.fraction ?? "0").padEnd(3, "0").slice(0, 3)),
    };
    if (month < 1 || month > 12 || whole.day < 1 || whole.day > 31 || hour > 23 || whole.minute > 59) return null;
    if (!parts.offset) return instant(whole, ahead);
    const [, sign, hours, minutes] = /([+-])(\d{2}):?(\d{2})/.exec(parts.offset) ?? [];
    return instant(whole, () => (sign ? (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) : 0));
  }

  // The formats of each style, in US English.
  const dateStyles = ["", "M/d/yy", "MMM d, y", "MMMM d, y", "EEEE, MMMM d, y"];
  const timeStyles = ["", "h:mm a", "h:mm:ss a", "h:mm:ss a z", "h:mm:ss a z"];
  const patternOf = (v) =>
    v.pattern ??
    [dateStyles[v.dateStyle], timeStyles[v.timeStyle]].filter(Boolean).join(v.dateStyle > 2 ? " 'at' " : ", ");
  kind("NSDateFormatter", {
    get: { dateFormat: (v) => string(patternOf(v)), timeZone: (v) => v.zone, locale: (v) => v.locale },
    set: {
      dateFormat: (v, value) => {
        v.pattern = text(value);
      },
      timeZone: (v, value) => {
        v.zone = value;
      },
      locale: (v, value) => {
        v.locale = value;
      },
      dateStyle: (v, style) => {
        v.dateStyle = style;
      },
      timeStyle: (v, style) => {
        v.timeStyle = style;
      },
      lenient: () => undefined,
      calendar: () => undefined,
    },
    call: {
      stringFromDate: (v, date) => string(format(patternOf(v), time(date), v.zone[VALUE].ahead)),
      dateFromString: (v, value) => {
        const read = parse(patternOf(v), text(value), v.zone[VALUE].ahead);
        return read === null ? nil() : wrap(read);
      },
    },
  });
  const formatter = () =>
    object("NSDateFormatter", {
      pattern: undefined,
      dateStyle: 0,
      timeStyle: 0,
      zone: localZone(),
      locale: locale("en_US"),
    });
  classOf("NSDateFormatter", {
    get: { blank: formatter },
    make: {
      localizedStringFromDateDateStyleTimeStyle: (date, dateStyle, timeStyle) =>
        string(format(patternOf({ dateStyle, timeStyle }), time(date), local)),
    },
  });
  const iso = () => object("NSISO8601DateFormatter", { zone: fixed(0), options: 1907 });
  kind("NSISO8601DateFormatter", {
    set: {
      timeZone: (v, value) => {
        v.zone = value;
      },
      formatOptions: (v, value) => {
        v.options = value;
      },
    },
    call: {
      stringFromDate: (v, date) =>
        string(format(`yyyy-MM-dd'T'HH:mm:ss${v.options & 2048 ? ".SSS" : ""}ZZZZZ`, time(date), v.zone[VALUE].ahead)),
      dateFromString: (v, value) => {
        const read = parse(
          `yyyy-MM-dd'T'HH:mm:ss${v.options & 2048 ? ".SSS" : ""}ZZZZZ`,
          text(value),
          v.zone[VALUE].ahead,
        );
        return read === null ? nil() : wrap(read);
      },
    },
  });
  classOf("NSISO8601DateFormatter", { get: { blank: iso } });

  // Calendars: the components of a date, and dates from components.
  const units = { 4: "year", 8: "month", 16: "day", 32: "hour", 64: "minute", 128: "second", 512: "weekday" };
  const known = ["year", "month", "day", "hour", "minute", "second", "weekday", "weekOfYear", "nanosecond"];
  kind("NSDateComponents", {
    get: {
      ...Object.fromEntries(known.map((name) => [name, (v) => v[name] ?? tools.NOT_FOUND])),
      date: (v) => wrap(instant(v, local)),
    },
    set: Object.fromEntries(
      [...known, "calendar", "timeZone"].map((name) => [
        name,
        (v, value) => {
          v[name] = unwrap(value);
        },
      ]),
    ),
  });
  classOf("NSDateComponents", { get: { blank: () => object("NSDateComponents", {}) } });
  const partsOf = (date) => ({
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
    weekday: date.getDay() + 1,
  });
  const added = (date, { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, weekOfYear = 0 }) => {
    const moved = new Date(date.getTime());
    if (year || month) {
      const wanted = moved.getDate();
      moved.setDate(1);
      moved.setMonth(moved.getMonth() + month + 12 * year);
      moved.setDate(Math.min(wanted, new Date(moved.getFullYear(), moved.getMonth() + 1, 0).getDate()));
    }
    moved.setDate(moved.getDate() + day + 7 * weekOfYear);
    return new Date(moved.getTime() + ((hour * 60 + minute) * 60 + second) * 1000);
  };
  const startOfDay = (date) => {
    const start = new Date(date.getTime());
    start.setHours(0, 0, 0, 0);
    return start;
  };
  const sameDay = (one, other) => startOfDay(one).getTime() === startOfDay(other).getTime();
  kind("NSCalendar", {
    call: {
      componentsFromDate: (v, wanted, date) =>
        object(
          "NSDateComponents",
          Object.fromEntries(
            Object.entries(partsOf(time(date))).filter(([name]) =>
              Object.entries(units).some(([bit, unit]) => unit === name && wanted & bit),
            ),
          ),
        ),
      componentFromDate: (v, unit, date) => partsOf(time(date))[units[unit]],
      dateFromComponents: (v, parts) => wrap(instant(parts[VALUE], local)),
      dateByAddingComponentsToDateOptions: (v, parts, date) => wrap(added(time(date), parts[VALUE])),
      dateByAddingUnitValueToDateOptions: (v, unit, value, date) => wrap(added(time(date), { [units[unit]]: value })),
      startOfDayForDate: (v, date) => wrap(startOfDay(time(date))),
      isDateInToday: (v, date) => sameDay(time(date), new Date()),
      isDateInSameDayAsDate: (v, one, other) => sameDay(time(one), time(other)),
      isDateInWeekend: (v, date) => [0, 6].includes(time(date).getDay()),
      componentsFromDateToDateOptions: (v, wanted, from, to) => {
        const seconds = Math.trunc((time(to) - time(from)) / 1000);
        return object(
          "NSDateComponents",
          wanted & 16
            ? {
                day: Math.trunc(seconds / 86400),
                hour: Math.trunc((seconds % 86400) / 3600),
                minute: Math.trunc((seconds % 3600) / 60),
                second: seconds % 60,
              }
            : { hour: Math.trunc(seconds / 3600), minute: Math.trunc((seconds % 3600) / 60), second: seconds % 60 },
        );
      },
    },
    set: { timeZone: () => undefined, locale: () => undefined, firstWeekday: () => undefined },
  });
  const gregorian = () => object("NSCalendar", 0);
  classOf("NSCalendar", {
    get: { currentCalendar: gregorian, autoupdatingCurrentCalendar: gregorian },
    make: { calendarWithIdentifier: gregorian },
    init: { initWithCalendarIdentifier: gregorian },
  });

  kind("NSNumberFormatter", {
    set: {
      numberStyle: (v, style) => {
        v.style = style;
      },
      maximumFractionDigits: (v, digits) => {
        v.most = digits;
      },
      minimumFractionDigits: (v, digits) => {
        v.least = digits;
      },
      locale: () => undefined,
    },
    call: {
      stringFromNumber: (v, value) => {
        const [whole, rest = ""] = Number(number(value))
          .toFixed(v.most ?? (v.style === 1 ? 3 : v.style === 2 ? 2 : 0))
          .split(".");
        const kept = rest.replace(/0+$/, "").padEnd(v.least ?? (v.style === 2 ? 2 : 0), "0");
        const grouped = v.style === 1 || v.style === 2 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
        return string(`${v.style === 2 ? "$" : ""}${grouped}${kept ? `.${kept}` : ""}`);
      },
      numberFromString: (v, value) => {
        const read = Number(text(value).replaceAll(",", ""));
        return Number.isNaN(read) ? nil() : wrap(read);
      },
    },
  });
  classOf("NSNumberFormatter", { get: { blank: () => object("NSNumberFormatter", { style: 0 }) } });
})
