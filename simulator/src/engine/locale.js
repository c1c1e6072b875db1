// Formats dates and numbers and sorts strings in the simulated Mac's region, the United States, and in some others.
// QuickJS cannot do this; JavaScriptCore asks the system, and these are the system's results. Anything unknown
// throws.
(function (native) {
  "use strict";
  const MONTHS = "January February March April May June July August September October November December".split(" ");
  const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
  const two = (number) => String(number).padStart(2, "0");
  const [YMD, DMY, MDY] = ["year month day", "day month year", "month day year"].map((order) => order.split(" "));
  const british = {
    order: DMY,
    sign: "/",
    padded: true,
    half: false,
    noon: ["am", "pm"],
    join: ", ",
    words: "day first",
  };
  const REGIONS = {
    "en-US": { order: MDY, sign: "/", half: true, noon: ["AM", "PM"], join: ", ", words: "month first" },
    "en-GB": british,
    "en-AU": { ...british, half: true },
    "en-CA": { order: YMD, sign: "-", padded: true, half: true, noon: ["a.m.", "p.m."], join: ", " },
    "sv-SE": { order: YMD, sign: "-", padded: true, half: false, join: " ", point: ",", group: "\u00a0" },
    "de-DE": { order: DMY, sign: ".", half: false, join: ", ", point: ",", group: "." },
    "fr-FR": { order: DMY, sign: "/", padded: true, half: false, join: " ", point: ",", group: "\u202f" },
  };
  const ALONE = { en: "en-US", sv: "sv-SE", de: "de-DE", fr: "fr-FR" };
  const unknown = (what) => {
    throw new Error(`the simulated Mac does not know ${what}`);
  };
  function regionOf(locales) {
    const wanted = (typeof locales === "string" ? locales : locales?.[0]) ?? "en-US";
    if (typeof wanted !== "string") throw new TypeError("locale value must be a string or object");
    if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(wanted)) throw new RangeError(`invalid language tag: ${wanted}`);
    const name = ALONE[wanted] ?? wanted;
    return { name, ...(REGIONS[name] ?? unknown(`how dates and numbers are written in ${wanted}`)) };
  }
  function onlyKnown(options, known) {
    for (const key of Object.keys(options)) if (!known.includes(key)) unknown(`the option ${key} of formats`);
  }

  // Time zones: the process's zone, or one with a name.
  const offsetText = (minutes, sign = "GMT") => {
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    return minutes === 0 ? sign : `${sign}${minutes < 0 ? "-" : "+"}${hours}${rest ? `:${two(rest)}` : ""}`;
  };
  const zoneAt = (zone, date) => {
    const found = native.zone(zone, date.getTime());
    if (!found) throw new RangeError(`invalid time zone: ${zone}`);
    const [ahead, short, summer] = found;
    return { ahead, short, summer };
  };
  const LONG = {
    CET: "Central European",
    EET: "Eastern European",
    WET: "Western European",
    MSK: "Moscow",
    JST: "Japan",
    HST: "Hawaii-Aleutian",
    SGT: "Singapore",
    HKT: "Hong Kong",
  };
  const AMERICAN = {
    E: "Eastern",
    C: "Central",
    M: "Mountain",
    P: "Pacific",
    AK: "Alaska",
    A: "Atlantic",
    N: "Newfoundland",
  };
  function longName(zone, date) {
    const { ahead, short, summer } = zoneAt(zone, date);
    if (short === "UTC") return "Coordinated Universal Time";
    if (short === "GMT") return "Greenwich Mean Time";
    if (short === "BST" && zone === "Europe/London") return "British Summer Time";
    if (short === "IST" && /Dublin$/.test(zone)) return "Irish Standard Time";
    if (short === "IST" && /K[oa]lkata$|Calcutta$/.test(zone)) return "India Standard Time";
    if (short === "CST" && /Shanghai$|^PRC$/.test(zone)) return "China Standard Time";
    const [, place] = /^(E|C|M|P|AK|A|N)[SD]T$/.exec(short) ?? [];
    if (place && /^(America|US|Canada)\//.test(zone))
      return `${AMERICAN[place]} ${summer ? "Daylight" : "Standard"} Time`;
    const australian = /^A([EC])[SD]T$/.exec(short);
    if (australian)
      return `Australian ${australian[1] === "E" ? "Eastern" : "Central"} ${summer ? "Daylight" : "Standard"} Time`;
    const name = LONG[summer ? short.replace(/ST$/, "T") : short];
    return name
      ? `${name} ${summer ? "Summer" : "Standard"} Time`
      : `GMT${ahead < 0 ? "-" : "+"}${two(Math.floor(Math.abs(ahead) / 60))}:${two(Math.abs(ahead) % 60)}`;
  }
  function shortName(zone, date, region) {
    const { ahead, short } = zoneAt(zone, date);
    const own = region.name === "en-US" ? /^(America|US)\// : /^Europe\//;
    return short === "UTC" || own.test(zone) ? short : offsetText(ahead);
  }

  // Formats dates.
  const [IN_DATE, IN_TIME] = [
    ["weekday", "year", "month", "day"],
    ["hour", "minute", "second"],
  ];
  const OPTIONS = [...IN_DATE, ...IN_TIME, "dateStyle", "timeStyle", "hour12", "hourCycle", "timeZone", "timeZoneName"];
  const DATE_STYLES = {
    full: { weekday: "long", month: "long", day: "numeric", year: "numeric" },
    long: { month: "long", day: "numeric", year: "numeric" },
    medium: { month: "short", day: "numeric", year: "numeric" },
  };
  const CLOCK = { hour: "numeric", minute: "2-digit" };
  const TIME_STYLES = {
    full: { ...CLOCK, second: "2-digit", timeZoneName: "long" },
    long: { ...CLOCK, second: "2-digit", timeZoneName: "short" },
    medium: { ...CLOCK, second: "2-digit" },
    short: CLOCK,
  };
  const numeric = (names) => Object.fromEntries(names.map((name) => [name, "numeric"]));
  // Returns the fields to show: the requested ones, or else the whole date, the whole time, or both.
  function fieldsOf(region, given, needs) {
    const options = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));
    onlyKnown(options, OPTIONS);
    const { dateStyle, timeStyle } = options;
    if (dateStyle !== undefined || timeStyle !== undefined) {
      if ((dateStyle !== undefined && needs === "time") || (timeStyle !== undefined && needs === "date"))
        throw new TypeError(`${needs === "time" ? "dateStyle" : "timeStyle"} is specified while formatting ${needs}`);
      const briefly = region.words === "month first" ? { ...numeric(MDY), year: "2-digit" } : numeric(DMY);
      const date = dateStyle && (dateStyle === "short" ? briefly : DATE_STYLES[dateStyle]);
      if (dateStyle && !region.words) unknown(`the styles of dates in ${region.name}`);
      return { ...options, ...date, ...(timeStyle && TIME_STYLES[timeStyle]) };
    }
    const asked = (names) => names.some((name) => options[name] !== undefined);
    const has = needs === "date" ? asked(IN_DATE) : needs === "time" ? asked(IN_TIME) : asked([...IN_DATE, ...IN_TIME]);
    if (has) return options;
    return { ...(needs !== "time" && numeric(YMD)), ...(needs !== "date" && numeric(IN_TIME)), ...options };
  }
  const atLength = (name, how) => (how === "long" ? name : name.slice(0, how === "narrow" ? 1 : 3));
  function dateText(at, fields, region) {
    const { weekday, year, month, day } = fields;
    const named = month !== undefined && !["numeric", "2-digit"].includes(month);
    if (!region.words && (weekday || named || !(year && month && day))) unknown(`such dates in ${region.name}`);
    const dayName = weekday && atLength(DAYS[at.getUTCDay()], weekday);
    const full = { year: year === "2-digit" ? two(at.getUTCFullYear() % 100) : String(at.getUTCFullYear()) };
    const padded = (how, number) =>
      how === "2-digit" || (region.padded && !named && (month || year)) ? two(number) : String(number);
    full.month = named ? atLength(MONTHS[at.getUTCMonth()], month) : padded(month, at.getUTCMonth() + 1);
    full.day = padded(day, at.getUTCDate());
    const shown = region.order.filter((name) => fields[name] !== undefined);
    if (weekday && shown.length === 1 && day)
      return region.words === "month first" ? `${full.day} ${dayName}` : `${dayName} ${full.day}`;
    let date = shown.map((name) => full[name]).join(named ? " " : region.sign);
    if (named && year && day && region.words === "month first") date = `${full.month} ${full.day}, ${full.year}`;
    return [dayName, date].filter(Boolean).join(", ");
  }
  function timeText(at, fields, region) {
    const { hour, minute, second, hour12, hourCycle } = fields;
    if (!region.words && ((hour12 && !region.noon) || !(hour && minute))) unknown(`such times in ${region.name}`);
    const half = hour12 ?? (hourCycle === undefined ? region.half : ["h11", "h12"].includes(hourCycle));
    const hours = at.getUTCHours();
    const parts = [];
    if (hour) parts.push(half ? (hour === "2-digit" ? two(hours % 12 || 12) : String(hours % 12 || 12)) : two(hours));
    if (minute) parts.push(hour || second ? two(at.getUTCMinutes()) : String(at.getUTCMinutes()));
    if (second) parts.push(minute ? two(at.getUTCSeconds()) : String(at.getUTCSeconds()));
    return parts.join(":") + (hour && half ? ` ${region.noon[hours < 12 ? 0 : 1]}` : "");
  }
  function formatDate(date, region, fields) {
    if (Number.isNaN(date.getTime())) return "Invalid Date";
    const zone = fields.timeZone === undefined ? native.localZone() : String(fields.timeZone);
    const at = new Date(date.getTime() + zoneAt(zone, date).ahead * 60000);
    const has = (names) => names.some((name) => fields[name] !== undefined);
    const day = has(IN_DATE) ? dateText(at, fields, region) : "";
    let time = has(IN_TIME) ? timeText(at, fields, region) : "";
    if (fields.timeZoneName) {
      const name = fields.timeZoneName === "long" ? longName(zone, date) : shortName(zone, date, region);
      if (!region.words) unknown(`names of zones in ${region.name}`);
      if (!time) return `${day}, ${name}`;
      time += ` ${name}`;
    }
    if (!day || !time) return day || time;
    const alone = fields.weekday && !fields.day && !fields.month;
    return day + (alone ? " " : fields.month === "long" ? " at " : region.join) + time;
  }

  // Formats numbers, rounded half up in decimal.
  const SYMBOLS = { USD: "$", EUR: "€", GBP: "£", JPY: "¥" };
  const NUMBER_OPTIONS =
    "style currency minimumFractionDigits maximumFractionDigits minimumIntegerDigits useGrouping".split(" ");
  function digitsOf(number, least, most) {
    const [, whole, rest = "", power = "0"] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number));
    const all = whole + rest,
      point = whole.length + Number(power);
    const [left, right] =
      point <= 0 ? ["0", "0".repeat(-point) + all] : [all.slice(0, point).padEnd(point, "0"), all.slice(point)];
    const kept = BigInt(left + right.slice(0, most).padEnd(most, "0")) + (right[most] >= "5" ? 1n : 0n);
    const text = String(kept).padStart(most + 1, "0");
    const fraction = text.slice(text.length - most).replace(/0+$/, "");
    return [text.slice(0, text.length - most), (most ? fraction : "").padEnd(least, "0")];
  }
  function formatNumber(value, region, given) {
    const options = given ?? {};
    onlyKnown(options, NUMBER_OPTIONS);
    const { style = "decimal", currency } = options;
    if (!["decimal", "percent", "currency"].includes(style)) unknown(`numbers in the style ${style}`);
    if (style === "currency" && !(region.words && SYMBOLS[currency]))
      unknown(`amounts of ${currency} in ${region.name}`);
    const usual = style === "currency" && currency !== "JPY" ? 2 : 0;
    const least = options.minimumFractionDigits ?? Math.min(usual, options.maximumFractionDigits ?? usual);
    const most = options.maximumFractionDigits ?? Math.max(least, style === "decimal" ? 3 : usual);
    if (least > most) throw new RangeError("Computed minimumFractionDigits is larger than maximumFractionDigits");
    const number = Number(value) * (style === "percent" ? 100 : 1);
    const sign = number < 0 || Object.is(number, -0) ? "-" : "";
    let text = Number.isNaN(number) ? "NaN" : "∞";
    if (Number.isFinite(number)) {
      const [whole, fraction] = digitsOf(Math.abs(number), least, most);
      const wide = whole.padStart(options.minimumIntegerDigits ?? 1, "0");
      const grouped = options.useGrouping === false ? wide : wide.replace(/\B(?=(\d{3})+$)/g, region.group ?? ",");
      text = grouped + (fraction ? (region.point ?? ".") + fraction : "");
    }
    if (style === "currency") return sign + SYMBOLS[currency] + text;
    return (Number.isNaN(number) ? "" : sign) + text + (style === "percent" ? (region.words ? "%" : "\u00a0%") : "");
  }

  // Sorts strings: by letters, then by accents, then lower case first. Signs come first, then digits, then letters.
  const SIGNS = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
  const SPECIAL = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i" };
  function weight(letter) {
    if (/\s/.test(letter)) return 1;
    const sign = SIGNS.indexOf(letter);
    return sign >= 0
      ? 2 + sign
      : /\p{L}/u.test(letter)
        ? 2e7 + letter.codePointAt(0)
        : /\p{N}/u.test(letter)
          ? 1e7 + letter.codePointAt(0)
          : 100 + letter.codePointAt(0);
  }
  function keysOf(text, numerically) {
    const plain = text.normalize("NFD").replace(/[\p{Cc}\p{Cf}]/gu, (sign) => (/\s/.test(sign) ? sign : ""));
    const letters = plain
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .replace(/[ßæœøłđı]/g, (each) => SPECIAL[each]);
    const first = [];
    for (const [part] of letters.matchAll(numerically ? /\d+|[^\d]/gu : /./gsu))
      first.push(...(numerically && /^\d+$/.test(part) ? [weight("0"), Number(part)] : [weight(part)]));
    const accents = [...plain].map((each) => (/\p{M}/u.test(each) ? each : "")).join("");
    const bare = plain.replace(/\p{M}/gu, "");
    return [
      first,
      `${accents}${/[ßæœøłđı]/i.test(plain) ? "\uffff" : ""}`,
      [...bare].map((each) => (each !== each.toLowerCase() ? 1 : 0)),
    ];
  }
  const order = (a, b) => {
    for (let at = 0; at < Math.min(a.length, b.length); at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
    return Math.sign(a.length - b.length);
  };
  function compareTexts(a, b, options) {
    const { sensitivity = "variant", numeric: numerically = false, ...others } = options ?? {};
    onlyKnown(others, ["usage"]);
    const [one, other] = [keysOf(a, numerically), keysOf(b, numerically)];
    const byLetters = order(one[0], other[0]);
    if (byLetters || sensitivity === "base") return byLetters;
    const byAccents = sensitivity === "case" ? 0 : order([one[1]], [other[1]]);
    return byAccents || sensitivity === "accent" ? byAccents : order(one[2], other[2]);
  }

  const replace = (type, methods) => {
    for (const [name, value] of Object.entries(methods))
      Object.defineProperty(type.prototype, name, { value, writable: true, configurable: true });
  };
  const day = Date.prototype;
  const plainly = { toString: day.toString, toTimeString: day.toTimeString };
  const withZone = (how) =>
    function () {
      const text = plainly[how].call(this);
      return text === "Invalid Date" ? text : `${text} (${longName(native.localZone(), this)})`;
    };
  const shown = (needs) =>
    function (locales, options) {
      day.getTime.call(this);
      const region = regionOf(locales);
      return formatDate(this, region, fieldsOf(region, options, needs));
    };
  replace(Date, {
    toString: withZone("toString"),
    toTimeString: withZone("toTimeString"),
    toLocaleString: shown("any"),
    toLocaleDateString: shown("date"),
    toLocaleTimeString: shown("time"),
  });
  replace(Number, {
    toLocaleString(locales, options) {
      return formatNumber(this, regionOf(locales), options);
    },
  });
  replace(String, {
    localeCompare(that, locales, options) {
      regionOf(locales);
      return compareTexts(String(this), String(that), options);
    },
  });

  const UNITS = "second minute hour day week month quarter year".split(" ");
  const NEAR = {
    day: ["yesterday", "today", "tomorrow"],
    hour: [undefined, "this hour"],
    minute: [undefined, "this minute"],
    second: [undefined, "now"],
  };

  // A formatter may be called without `new`.
  const formatter = (name, make) => {
    const type = function (locales, options) {
      const made = Object.create(type.prototype);
      for (const [key, value] of Object.entries(make(regionOf(locales), options)))
        Object.defineProperty(made, key, { value });
      return made;
    };
    Object.defineProperty(type.prototype, Symbol.toStringTag, { value: `Intl.${name}` });
    return Object.defineProperty(type, "name", { value: name });
  };
  const Intl = Object.defineProperty({}, Symbol.toStringTag, { value: "Intl" });
  const kinds = {
    DateTimeFormat(region, options) {
      const asked = Object.keys(options ?? {}).some((name) => [...IN_DATE, ...IN_TIME].includes(name));
      const fields = fieldsOf(
        region,
        options,
        asked ? "any" : options?.timeStyle || options?.dateStyle ? "any" : "date",
      );
      const timeZone = fields.timeZone ?? native.localZone();
      return {
        format: (date) => formatDate(date === undefined ? new globalThis.Date() : new Date(date), region, fields),
        resolvedOptions: () => ({ locale: region.name, calendar: "gregory", numberingSystem: "latn", timeZone }),
      };
    },
    NumberFormat: (region, options) => ({
      format: (number) => formatNumber(number, region, options),
      resolvedOptions: () => ({ locale: region.name, numberingSystem: "latn" }),
    }),
    RelativeTimeFormat(region, options) {
      const { numeric: how = "always", style = "long", ...others } = options ?? {};
      onlyKnown(others, []);
      if (!region.words || style !== "long") unknown(`relative times in ${region.name} in the style ${style}`);
      const format = (value, unit) => {
        const one = String(unit).replace(/s$/, "");
        if (!UNITS.includes(one)) throw new RangeError("unit argument is not a recognized unit type");
        if (!Number.isFinite(value)) throw new RangeError("number argument must be finite");
        const named = NEAR[one] ?? [`last ${one}`, `this ${one}`, `next ${one}`];
        const near = how === "auto" && [-1, 0, 1].includes(value) ? named[value + 1] : undefined;
        if (near) return near;
        const words = `${formatNumber(Math.abs(value), region)} ${Math.abs(value) === 1 ? one : `${one}s`}`;
        return value < 0 || Object.is(value, -0) ? `${words} ago` : `in ${words}`;
      };
      return { format, resolvedOptions: () => ({ locale: region.name, style, numeric: how, numberingSystem: "latn" }) };
    },
    Collator: (region, options) => ({
      compare: (a, b) => compareTexts(String(a), String(b), options),
      resolvedOptions: () => ({ locale: region.name }),
    }),
  };
  for (const [name, make] of Object.entries(kinds))
    Object.defineProperty(Intl, name, { value: formatter(name, make), writable: true, configurable: true });
  Object.defineProperty(globalThis, "Intl", { value: Intl, writable: true, configurable: true });
})
