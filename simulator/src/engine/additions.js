// Standard Additions: what every application object can do once its `includeStandardAdditions` is set.
// Dialogs are answered by the world, or nobody is there to answer them.
(function (native, tools) {
  'use strict';
  const { failure, Path, refuse } = tools;
  const text = (value) => (typeof value === 'string' ? value : refuse(-1700));
  const number = (value) => (typeof value === 'number' ? value : refuse(-1700));
  const path = (value) => (value instanceof Path ? String(value) : refuse(-1700));

  // The answer that the world has for a dialog; a person who is asked may also cancel, or let time pass.
  function ask(command, shown, { givingUpAfter } = {}) {
    const answer = native.dialog(command, shown);
    if (!answer) {
      if (typeof givingUpAfter !== 'number' || givingUpAfter <= 0) refuse(-1713);
      native.delay(givingUpAfter);
      return { gaveUp: true };
    }
    if (answer.after) native.delay(answer.after / 1000);
    if (answer.cancel) refuse(-128);
    return answer;
  }
  function buttons(shown, params, standard) {
    const names = params.buttons ?? standard;
    if (!Array.isArray(names) || names.length < 1 || names.length > 3) refuse(-50);
    const pick = (which) => (typeof which === 'number' ? names[which - 1] : which);
    const cancel = pick(params.cancelButton) ?? (params.buttons ? undefined : 'Cancel');
    for (const which of [params.defaultButton, params.cancelButton]) if (which !== undefined && !names.includes(pick(which))) refuse(-50);
    return { names, cancel, standard: pick(params.defaultButton) ?? names.at(-1) };
  }
  function pressed(answer, { names, cancel, standard }) {
    if (answer.gaveUp) return { buttonReturned: '', gaveUp: true };
    const button = answer.button ?? standard;
    if (!names.includes(button)) throw new Error(`the world presses “${button}”, which this dialog does not have`);
    if (button === cancel) refuse(-128);
    return { buttonReturned: button };
  }

  const folders = {
    'home folder': '', 'desktop': 'Desktop', 'desktop folder': 'Desktop', 'documents folder': 'Documents', 'downloads folder': 'Downloads',
    'library folder': 'Library', 'movies folder': 'Movies', 'music folder': 'Music', 'pictures folder': 'Pictures', 'public folder': 'Public',
    'sites folder': 'Sites', 'trash': '.Trash', 'application support': 'Library/Application Support', 'preferences': 'Library/Preferences',
    'current user folder': '', 'scripts folder': 'Library/Scripts',
  };
  const places = {
    'applications folder': '/Applications', 'utilities folder': '/Applications/Utilities', 'startup disk': '/', 'system folder': '/System',
    'temporary items': '/tmp', 'temporary items folder': '/tmp', 'users folder': '/Users', 'fonts': '/System/Library/Fonts',
  };

  const additions = {
    displayDialog(shown, params = {}) {
      const set = buttons(shown, params, ['Cancel', 'OK']);
      const answer = ask('display dialog', text(shown), params);
      const result = pressed(answer, set);
      if (params.defaultAnswer !== undefined) result.textReturned = answer.gaveUp ? '' : answer.text ?? text(params.defaultAnswer);
      if (params.givingUpAfter !== undefined) result.gaveUp = answer.gaveUp === true;
      return result;
    },
    displayAlert(shown, params = {}) {
      const set = buttons(shown, params, ['OK']);
      const result = pressed(ask('display alert', text(shown), params), set);
      if (params.givingUpAfter !== undefined) result.gaveUp ??= false;
      return result;
    },
    displayNotification(shown) { native.dialog('display notification', text(shown)); return null; },
    chooseFromList(items, params = {}) {
      if (!Array.isArray(items) || items.length === 0) refuse(-50);
      const answer = native.dialog('choose from list', String(params.withPrompt ?? '')) ?? refuse(-1713);
      if (answer.cancel) return false;
      const chosen = answer.choose ?? [];
      if (!chosen.every((item) => items.includes(item))) throw new Error('the world chooses what this list does not have');
      return chosen;
    },
    chooseFile(params = {}) { return Path(text(ask('choose file', String(params.withPrompt ?? '')).path)); },
    chooseFolder(params = {}) { return Path(text(ask('choose folder', String(params.withPrompt ?? '')).path)); },
    chooseFileName(params = {}) { return Path(text(ask('choose file name', String(params.withPrompt ?? '')).path)); },
    say(words) { text(words); return null; },
    beep() { return null; },
    doShellScript(command, params = {}) {
      const done = native.shell(text(command)) ?? refuse(-10004);
      const clean = (out) => (params.alteringLineEndings === false ? out : out.replace(/\n$/, '').replace(/\n/g, '\r'));
      if (done.status !== 0) throw failure(clean(done.err) || 'The command exited with a non-zero status.', done.status);
      return clean(done.out);
    },
    theClipboard() { return native.clipboard() ?? ''; },
    setTheClipboardTo(value) { native.setClipboard(text(value)); return null; },
    currentDate() { return new Date(); },
    timeToGMT() { return -new Date().getTimezoneOffset() * 60; },
    randomNumber(upTo, params = {}) {
      upTo ??= undefined;
      if (upTo === undefined && params.from === undefined) return Math.random();
      const from = params.from ?? 0, to = params.to ?? number(upTo);
      return Number.isInteger(from) && Number.isInteger(to) ? from + Math.floor(Math.random() * (to - from + 1)) : from + Math.random() * (to - from);
    },
    round(value, params = {}) {
      switch (params.rounding ?? 'to nearest') {
        case 'up': return Math.ceil(number(value));
        case 'down': return Math.floor(number(value));
        case 'toward zero': return Math.trunc(number(value));
        case 'as taught in school': return Math.sign(number(value)) * Math.round(Math.abs(value));
        case 'to nearest': { const low = Math.floor(number(value)), rest = value - low; return rest === 0.5 ? low + (low % 2 === 0 ? 0 : 1) : Math.round(value); }
      }
      return refuse(-1700);
    },
    pathTo(what) {
      if (typeof what === 'function') return Path(native.pathOf(what) ?? refuse(-1728));
      if (Object.hasOwn(folders, what)) return Path(`${native.home()}/${folders[what]}`.replace(/\/$/, ''));
      return Object.hasOwn(places, what) ? Path(places[what]) : refuse(-1700);
    },
    systemInfo() {
      const home = native.home(), name = home.split('/').pop();
      return { shortUserName: name, longUserName: name, homeDirectory: Path(home), computerName: 'Simulated Mac', hostName: 'simulated-mac.local', systemVersion: '26.5', cpuType: 'ARM64', bootVolume: 'Macintosh HD', userLocale: 'en_US', userId: 501, ipv4Address: '127.0.0.1', physicalMemory: 16384, applescriptVersion: '2.8', applescriptStudioVersion: '1.5.3', primaryEthernetAddress: '00:00:00:00:00:00', cpuSpeed: 0 };
    },
    systemAttribute(name) { return native.getenv(text(name)) ?? ''; },
    getVolumeSettings() { return { outputVolume: 50, inputVolume: 50, alertVolume: 100, outputMuted: false }; },
    setVolume() { return null; },
    openLocation(url) { text(url); return null; },
    read(file) { return native.readText(path(file)) ?? refuse(-43); },
    runScript() { return refuse(-10004); },
    asciiCharacter(code) { return String.fromCharCode(number(code)); },
    asciiNumber(character) { return text(character).charCodeAt(0); },
    offset(params = {}) { return text(params.in).indexOf(text(params.of)) + 1; },
  };

  // A command is an event to the application object it is called on.
  return (node, key) => (Object.hasOwn(additions, key) ? (...args) => { native.addition(node, key); return additions[key](...args); } : undefined);
})
